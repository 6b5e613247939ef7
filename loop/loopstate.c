#include "loop/loop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "os/file.h"
#include "os/sharedfile.h"

static const char *const names[LOOPSTATE_KEYS] = {
	[LOOPSTATE_STATUS] = "status",
	[LOOPSTATE_STARTED] = "started",
	[LOOPSTATE_MAX_TURNS] = "max",
	[LOOPSTATE_ITERATION] = "iteration",
	[LOOPSTATE_DURATION] = "duration",
	[LOOPSTATE_PROMPT] = "prompt",
	[LOOPSTATE_LAST_READ] = "last_read_timestamp",
};

/* What a double-quoted value writes with a backslash, and what it means. */
static const char letters[] = "\"\\nt", meant[] = "\"\\\n\t";

enum { DIGITS = 19 };

/* ---- a line -------------------------------------------------------------- */

static const char *
next_line(const char *p, const char *end)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));

	return lf == NULL ? end : lf + 1;
}

/* Where the line at p ends, without its line end. */
static const char *
line_end(const char *p, const char *end)
{
	const char *eol = next_line(p, end);

	if (eol > p && eol[-1] == '\n')
		eol--;
	return eol > p && eol[-1] == '\r' ? eol - 1 : eol;
}

static bool
is_fence(const char *p, const char *eol)
{
	return eol - p >= 3 && memcmp(p, "---", 3) == 0 &&
	    text_skip_blanks(p + 3, eol) == eol;
}

/* The key that a line begins with, and what is behind its colon;
 * LOOPSTATE_KEYS: none of ours. */
static enum loopstate_key
take_key(const char *p, const char *eol, const char **behind)
{
	size_t len;
	int i;

	for (i = 0; i < LOOPSTATE_KEYS; i++) {
		len = strlen(names[i]);
		if ((size_t)(eol - p) < len || memcmp(p, names[i], len) != 0)
			continue;
		*behind = text_skip_blanks(p + len, eol);
		if (*behind < eol && *(*behind)++ == ':')
			break;
	}
	return (enum loopstate_key)i;
}

/* ---- a value ------------------------------------------------------------- */

/* What is in quotes; behind them, or NULL if they are not closed. */
static const char *
take_quoted(struct buf *to, const char *p, const char *eol)
{
	char quote = *p;
	const char *known;

	for (p++; p < eol; p++) {
		if (*p == quote && (quote == '"' || p + 1 == eol ||
		    p[1] != quote))
			return p + 1;
		known = quote == '"' && *p == '\\' && p + 1 < eol ?
		    strchr(letters, p[1]) : NULL;
		if (known != NULL || *p == quote)
			p++;
		buf_addc(to, known != NULL ? meant[known - letters] : *p);
	}
	return NULL;
}

/* The value behind a colon.  NULL, or what is wrong with it. */
static const char *
take_value(struct loopstate *s, struct loopstate_value *v, const char *colon,
    const char *eol)
{
	const char *p = text_skip_blanks(colon, eol), *end = p, *rest = p;

	if (p < eol && (*p == '"' || *p == '\'')) {
		end = take_quoted(&v->text, p, eol);
	} else {
		/* Up to a comment, which has a blank before it, or the end. */
		for (; rest < eol && !(*rest == '#' && text_blank(rest[-1]));
		    rest++)
			if (!text_blank(*rest))
				end = rest + 1;
		buf_add(&v->text, p, (size_t)(end - p));
	}
	if (end == NULL)
		return "has a quote that is not closed";
	rest = text_skip_blanks(end, eol);
	if (rest < eol && (*rest != '#' || !text_blank(rest[-1])))
		return "has something behind its quotes";
	if (end == p)
		p = end = colon;        /* where a value would stand */
	v->from = (size_t)(p - s->text.data);
	v->to = (size_t)(end - s->text.data);
	return NULL;
}

/* ---- the text ------------------------------------------------------------ */

static void
forget(struct loopstate *s)
{
	int i;

	for (i = 0; i < LOOPSTATE_KEYS; i++) {
		buf_release(&s->values[i].text);
		s->values[i] = (struct loopstate_value){ .text = BUF_INIT };
	}
	s->end = 0;
}

int
loopstate_parse(struct loopstate *s, struct buf *why)
{
	const char *p = buf_str(&s->text), *end = p + s->text.len, *eol;
	const char *behind, *wrong;
	struct loopstate_value *v;
	enum loopstate_key key;

	forget(s);
	if (s->text.len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		p += 3;
	if (!is_fence(p, line_end(p, end))) {
		buf_adds(why, "its first line is not '---'");
		return -1;
	}
	for (p = next_line(p, end); p < end; p = next_line(p, end)) {
		eol = line_end(p, end);
		if (is_fence(p, eol)) {
			s->end = (size_t)(p - s->text.data);
			return 0;
		}
		if (memchr(p, '\0', (size_t)(eol - p)) != NULL) {
			buf_adds(why, "it holds a NUL byte");
			return -1;
		}
		key = take_key(p, eol, &behind);
		if (key == LOOPSTATE_KEYS)
			continue;
		v = &s->values[key];
		wrong = v->given ? "is given twice" :
		    take_value(s, v, behind, eol);
		v->given = true;
		v->line = (size_t)(p - s->text.data);
		if (wrong != NULL) {
			buf_printf(why, "'%s' %s", names[key], wrong);
			return -1;
		}
	}
	buf_adds(why, "the line '---' that ends the state is missing");
	return -1;
}

void
loopstate_release(struct loopstate *s)
{
	forget(s);
	buf_release(&s->text);
}

/* ---- what it says -------------------------------------------------------- */

/* -1 if it is none, or more than 2^63-1. */
static int64_t
number_of(const struct buf *text)
{
	uint64_t n = 0;
	size_t i;

	if (text->len > DIGITS)
		return -1;
	for (i = 0; i < text->len; i++) {
		if (text->data[i] < '0' || text->data[i] > '9')
			return -1;
		n = n * 10 + (uint64_t)(text->data[i] - '0');
	}
	return n <= INT64_MAX ? (int64_t)n : -1;
}

int
loopstate_numbers(struct loopstate *s, struct buf *why)
{
	const struct {
		enum loopstate_key key;
		int64_t *number, missing;
	} rows[] = {
		{ LOOPSTATE_STARTED, &s->started, -1 },
		{ LOOPSTATE_MAX_TURNS, &s->max, -1 },
		{ LOOPSTATE_ITERATION, &s->iteration, 0 },
		{ LOOPSTATE_DURATION, &s->duration, 0 },
		{ LOOPSTATE_LAST_READ, &s->last_read, -1 },
	};
	const struct buf *text;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text = &s->values[rows[i].key].text;
		*rows[i].number = text->len > 0 ? number_of(text) :
		    rows[i].missing;
		if (text->len > 0 && *rows[i].number == -1) {
			buf_printf(why, "'%s' is not a whole number",
			    names[rows[i].key]);
			return -1;
		}
	}
	if (s->max == -1)
		buf_adds(why, "'max' is missing");
	else if (s->duration > 0 && s->started == -1)
		buf_adds(why, "'duration' needs 'started', which is missing");
	else
		return 0;
	return -1;
}

bool
loopstate_is(const struct loopstate *s, const char *status)
{
	const struct buf *text = &s->values[LOOPSTATE_STATUS].text;

	return text->len == strlen(status) && text->len > 0 &&
	    memcmp(text->data, status, text->len) == 0;
}

/* ---- changing it --------------------------------------------------------- */

/* What is between two places of the text gives way to something else. */
static void
splice(struct loopstate *s, size_t from, size_t to, const struct buf *put)
{
	struct buf text = BUF_INIT, why = BUF_INIT;

	buf_add(&text, s->text.data, from);
	buf_add(&text, put->data, put->len);
	buf_add(&text, s->text.data + to, s->text.len - to);
	buf_release(&s->text);
	s->text = text;
	loopstate_parse(s, &why);       /* where everything is now */
	buf_release(&why);
}

void
loopstate_set_word(struct loopstate *s, enum loopstate_key key,
    const char *word)
{
	const struct loopstate_value *v = &s->values[key];
	struct buf put = BUF_INIT;

	if (!v->given) {
		/* It ends as the lines before the closing one do. */
		buf_printf(&put, "%s: %s%s", names[key], word, s->end >= 2 &&
		    s->text.data[s->end - 2] == '\r' ? "\r\n" : "\n");
		splice(s, s->end, s->end, &put);
	} else {
		buf_printf(&put, "%s%s", v->from == v->to ? " " : "", word);
		splice(s, v->from, v->to, &put);
	}
	buf_release(&put);
}

void
loopstate_set_number(struct loopstate *s, enum loopstate_key key, int64_t n)
{
	char word[DIGITS + 2];

	snprintf(word, sizeof(word), "%" PRId64, n);
	loopstate_set_word(s, key, word);
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
	loopstate_set_word(s, key, buf_str(&quoted));
	buf_release(&quoted);
}

void
loopstate_remove(struct loopstate *s, enum loopstate_key key)
{
	const struct loopstate_value *v = &s->values[key];
	const char *text = s->text.data;
	const struct buf nothing = BUF_INIT;
	size_t behind;

	if (!v->given)
		return;
	behind = (size_t)(next_line(text + v->line, text + s->text.len) -
	    text);
	splice(s, v->line, behind, &nothing);
}

/* ---- its file ------------------------------------------------------------ */

static const char folder[] = ".claude";

enum { PATIENCE = 500 };        /* ms for the lock, which is held for a few */

bool
loopfile_agent_valid(const char *agent)
{
	size_t len = strspn(agent, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return len > 0 && agent[len] == '\0' && len <= LOOPFILE_AGENT;
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

/* The name in the folder. */
static const char *
name_of(const struct loopfile *f)
{
	return f->path + sizeof(folder);
}

/* ---- opening it ---------------------------------------------------------- */

static enum loopfile_result
say(const struct loopfile *f, struct buf *why, enum loopfile_result result,
    const char *what)
{
	buf_printf(why, "'%s': %s", f->path, what);
	return result;
}

/* Reads what is open and locked. */
static enum loopfile_result
load(struct loopfile *f, struct buf *why)
{
	struct buf *text = &f->state.text, wrong = BUF_INIT;
	const char *refusal;

	if (fstat(f->fd, &f->seen) == -1)
		return say(f, why, LOOPFILE_FAILED, strerror(errno));
	refusal = loopfile_refusal(&f->seen);
	if (refusal != NULL)
		return say(f, why, LOOPFILE_MALFORMED, refusal);
	if (file_read_open(f->fd, 0, text, LOOPSTATE_MAX + 1) == -1)
		return say(f, why, LOOPFILE_FAILED, strerror(errno));
	if (text->len > LOOPSTATE_MAX)
		return say(f, why, LOOPFILE_MALFORMED,
		    "it has more than 64 KiB");
	if (loopstate_parse(&f->state, &wrong) == 0)
		return LOOPFILE_OK;
	say(f, why, LOOPFILE_MALFORMED, buf_str(&wrong));
	buf_release(&wrong);
	return LOOPFILE_MALFORMED;
}

enum loopfile_result
loopfile_open(struct loopfile *f, const char *root, const char *agent,
    struct buf *why)
{
	*f = (struct loopfile)LOOPFILE_INIT;
	snprintf(f->path, sizeof(f->path), "%s/th-loop%s%s.local.md", folder,
	    agent ? "-" : "", agent ? agent : "");
	f->dir = file_folder(root, folder, false);
	if (f->dir != -1)
		f->fd = sharedfile_lock(f->dir, name_of(f), 0, PATIENCE);
	if (f->fd != -1)
		return load(f, why);
	switch (errno) {
	case ENOENT:
		return say(f, why, LOOPFILE_MISSING, "there is no such file");
	case ELOOP:
	case ENXIO:
		return say(f, why, LOOPFILE_MALFORMED, sharedfile_why(errno));
	case ENOTDIR:
		return say(f, why, LOOPFILE_MALFORMED,
		    "'.claude' is no folder, or a link");
	case EWOULDBLOCK:
		return say(f, why, LOOPFILE_FAILED,
		    "another process has held its lock for half a second");
	default:
		return say(f, why, LOOPFILE_FAILED, strerror(errno));
	}
}

/* ---- writing it ---------------------------------------------------------- */

/* A new file is written under the folder's lock, so that one of two starts
 * finds the other's.  Nothing is synced, since each turn ends with this. */
int
loopfile_write(struct loopfile *f, const char *root)
{
	if (f->dir == -1)
		f->dir = file_folder(root, folder, true);
	if (f->fd == -1 &&
	    (f->dir == -1 || file_lock(f->dir, PATIENCE) == -1))
		return -1;
	return sharedfile_replace(f->dir, name_of(f), &f->seen, 0600, 0,
	    &f->state.text);
}

void
loopfile_close(struct loopfile *f)
{
	file_close(f->fd);
	file_close(f->dir);
	loopstate_release(&f->state);
	*f = (struct loopfile)LOOPFILE_INIT;
}
