#include "loop/loop.h"

#include <inttypes.h>

#include "os/sharedfile.h"

const char *const loopstate_names[LOOPSTATE_KEYS] = {
	[LOOPSTATE_STARTED] = "started", [LOOPSTATE_MAX_TURNS] = "max",
	[LOOPSTATE_ITERATION] = "iteration", [LOOPSTATE_DURATION] = "duration",
	[LOOPSTATE_LAST_READ] = "last_read_timestamp",
	[LOOPSTATE_STATUS] = "status", [LOOPSTATE_PROMPT] = "prompt",
};

/* Escapes and their meaning. */
static const char letters[] = "\"\\nt", meant[] = "\"\\\n\t";

enum {
	DIGITS = 19,
	PATIENCE = 500          /* ms for the lock */
};

static bool
is_fence(const char *p, const char *eol)
{
	return eol - p >= 3 && memcmp(p, "---", 3) == 0 &&
	    text_skip_blanks(p + 3, eol) == eol;
}

/* Parses the value behind a colon.  NULL, or what is wrong. */
static const char *
take_value(struct loopstate *s, struct loopstate_value *v, const char *colon,
    const char *eol)
{
	const char *p = text_skip_blanks(colon, eol), *end = p, *at = p, *known;
	char quote = p < eol && (*p == '"' || *p == '\'') ? *p : '\0';

	if (quote == '\0') {
		/* A comment has a blank before it. */
		for (; at < eol && !(*at == '#' && text_blank(at[-1])); at++)
			if (!text_blank(*at))
				end = at + 1;
		buf_add(&v->text, p, (size_t)(end - p));
	} else {
		for (at++; at < eol && (*at != quote || (quote == '\'' &&
		    at + 1 < eol && at[1] == quote)); at++) {
			known = quote == '"' && *at == '\\' && at + 1 < eol ?
			    strchr(letters, at[1]) : NULL;
			if (known != NULL || *at == quote)
				at++;
			buf_addc(&v->text, known != NULL ?
			    meant[known - letters] : *at);
		}
		if (at == eol)
			return "has a quote that is not closed";
		end = at + 1;
	}
	at = text_skip_blanks(end, eol);
	if (at < eol && (*at != '#' || !text_blank(at[-1])))
		return "has something behind its quotes";
	if (end == p)
		p = end = colon;
	v->from = (size_t)(p - s->text.data);
	v->to = (size_t)(end - s->text.data);
	return NULL;
}

/* ---- the text ------------------------------------------------------------ */

int
loopstate_parse(struct loopstate *s, struct buf *why)
{
	struct buf text = s->text;
	const char *rest = buf_str(&text), *end = rest + text.len, *p, *eol;
	const char *behind, *wrong;
	bool begun = false;
	size_t len;
	int key;

	s->text = (struct buf)BUF_INIT;
	loopstate_release(s);
	s->text = text;
	if (text.len >= 3 && memcmp(rest, "\xef\xbb\xbf", 3) == 0)
		rest += 3;
	for (; text_line(&rest, end, &p, &len); begun = true) {
		eol = p + len - (len > 0 && p[len - 1] == '\r');
		if (!begun && !is_fence(p, eol))
			break;
		if (!begun)
			continue;
		if (is_fence(p, eol)) {
			s->end = (size_t)(p - text.data);
			return 0;
		}
		if (memchr(p, '\0', (size_t)(eol - p)) != NULL) {
			buf_adds(why, "it holds a NUL byte");
			return -1;
		}
		for (key = 0; key < LOOPSTATE_KEYS; key++) {
			len = strlen(loopstate_names[key]);
			if ((size_t)(eol - p) < len ||
			    memcmp(p, loopstate_names[key], len) != 0)
				continue;
			behind = text_skip_blanks(p + len, eol);
			if (behind < eol && *behind++ == ':')
				break;
		}
		if (key == LOOPSTATE_KEYS)
			continue;
		wrong = s->values[key].from > 0 ? "is given twice" :
		    take_value(s, &s->values[key], behind, eol);
		if (wrong != NULL) {
			buf_printf(why, "'%s' %s", loopstate_names[key], wrong);
			return -1;
		}
	}
	buf_adds(why, begun ? "the line '---' that ends the state is missing" :
	    "its first line is not '---'");
	return -1;
}

void
loopstate_release(struct loopstate *s)
{
	int i;

	for (i = 0; i < LOOPSTATE_KEYS; i++)
		buf_release(&s->values[i].text);
	buf_release(&s->text);
	*s = (struct loopstate)LOOPSTATE_INIT;
}

int
loopstate_numbers(struct loopstate *s, struct buf *why)
{
	struct buf *text;
	uint64_t n;
	int key;

	for (key = 0; key < LOOPSTATE_NUMBERS; key++) {
		text = &s->values[key].text;
		n = strtoull(buf_str(text), NULL, 10);
		s->number[key] = text->len > 0 ? (int64_t)n : key ==
		    LOOPSTATE_ITERATION || key == LOOPSTATE_DURATION ? 0 : -1;
		if (strspn(buf_str(text), "0123456789") < text->len ||
		    text->len > DIGITS || n > INT64_MAX) {
			buf_printf(why, "'%s' is not a whole number",
			    loopstate_names[key]);
			return -1;
		}
	}
	if (s->number[LOOPSTATE_MAX_TURNS] == -1)
		buf_adds(why, "'max' is missing");
	else if (s->number[LOOPSTATE_DURATION] > 0 &&
	    s->number[LOOPSTATE_STARTED] == -1)
		buf_adds(why, "'duration' needs 'started', which is missing");
	else
		return 0;
	return -1;
}

/* ---- changing it --------------------------------------------------------- */

void
loopstate_set(struct loopstate *s, enum loopstate_key key, const char *word)
{
	size_t from = s->values[key].from, to = s->values[key].to;
	const char *was = s->text.data, *lf;
	struct buf text = BUF_INIT, why = BUF_INIT;
	bool given = from > 0;

	if (!given)
		from = to = s->end;
	if (given && word == NULL) {
		while (from > 0 && was[from - 1] != '\n')
			from--;
		lf = memchr(was + to, '\n', s->text.len - to);
		to = lf != NULL ? (size_t)(lf - was) + 1 : s->text.len;
	}
	buf_add(&text, was, from);
	/* A new line ends as the others do. */
	if (word != NULL && !given)
		buf_printf(&text, "%s: %s%s", loopstate_names[key], word,
		    from >= 2 && was[from - 2] == '\r' ? "\r\n" : "\n");
	else if (word != NULL)
		buf_printf(&text, "%s%s", from == to ? " " : "", word);
	buf_add(&text, was + to, s->text.len - to);
	buf_release(&s->text);
	s->text = text;
	loopstate_parse(s, &why);
	buf_release(&why);
}

void
loopstate_set_number(struct loopstate *s, enum loopstate_key key, int64_t n)
{
	char word[DIGITS + 2];

	snprintf(word, sizeof(word), "%" PRId64, n);
	loopstate_set(s, key, word);
}

void
loopstate_set_text(struct loopstate *s, enum loopstate_key key,
    const char *text)
{
	struct buf quoted = BUF_INIT;
	const char *known;

	buf_addc(&quoted, '"');
	for (; *text != '\0'; text++) {
		known = strchr(meant, *text);
		if (known != NULL)
			buf_addc(&quoted, '\\');
		buf_addc(&quoted, known != NULL ? letters[known - meant] :
		    *text);
	}
	buf_addc(&quoted, '"');
	loopstate_set(s, key, buf_str(&quoted));
	buf_release(&quoted);
}

/* ---- its file ------------------------------------------------------------ */

static const char folder[] = ".claude";

bool
loopfile_agent(const char **agent)
{
	const char *own = getenv("TH_LOOP_AGENT");

	if (*agent == NULL && own != NULL && own[0] != '\0')
		*agent = own;
	return *agent == NULL || (**agent != '\0' &&
	    text_only(*agent, "_-") && strlen(*agent) <= LOOPFILE_AGENT);
}

const char *
loopfile_refusal(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_mode & S_IWOTH)
		return "any user can write to it; chmod it to 644";
	/* In a container, root works on the files of other users. */
	if (file_foreign(st) && geteuid() != 0)
		return "it belongs to another user";
	return NULL;
}

enum loopfile_result
loopfile_open(struct loopfile *f, const char *root, const char *agent,
    struct buf *why)
{
	enum loopfile_result result = LOOPFILE_MALFORMED;
	struct buf *text = &f->state.text, wrong = BUF_INIT;
	const char *what;

	*f = (struct loopfile){ .dir = -1, .fd = -1, .state = LOOPSTATE_INIT };
	snprintf(f->path, sizeof(f->path), "%s/th-loop%s%s.local.md", folder,
	    agent ? "-" : "", agent ? agent : "");
	f->dir = file_folder(root, folder, false);
	if (f->dir != -1)
		f->fd = sharedfile_lock(f->dir, f->path + sizeof(folder), 0,
		    PATIENCE);
	if (f->fd == -1 && errno == ENOENT) {
		result = LOOPFILE_MISSING;
		what = "there is no such file";
	} else if (f->fd == -1 && errno == ENOTDIR) {
		what = "'.claude' is no folder, or a link";
	} else if (f->fd == -1 || fstat(f->fd, &f->seen) == -1) {
		if (errno != ELOOP && errno != ENXIO)
			result = LOOPFILE_FAILED;
		what = errno != EWOULDBLOCK ? sharedfile_why(errno) :
		    "another process has held its lock for half a second";
	} else if ((what = loopfile_refusal(&f->seen)) != NULL) {
		;
	} else if (file_read_open(f->fd, 0, text, LOOPSTATE_MAX + 1) == -1) {
		result = LOOPFILE_FAILED;
		what = strerror(errno);
	} else if (text->len > LOOPSTATE_MAX) {
		what = "it has more than 64 KiB";
	} else if (loopstate_parse(&f->state, &wrong) == 0) {
		return LOOPFILE_OK;
	} else {
		what = buf_str(&wrong);
	}
	buf_printf(why, "'%s': %s", f->path, what);
	buf_release(&wrong);
	return result;
}

/* The folder's lock lets one of two starts find the other's file.  Nothing is
 * synced: each turn ends with this. */
int
loopfile_write(struct loopfile *f, const char *root)
{
	if (f->dir == -1)
		f->dir = file_folder(root, folder, true);
	if (f->fd == -1 && (f->dir == -1 || file_lock(f->dir, PATIENCE) == -1))
		return -1;
	return sharedfile_replace(f->dir, f->path + sizeof(folder), &f->seen,
	    0600, 0, &f->state.text);
}
