#include "agent/backend.h"

#include "data/datafile.h"
#include "data/template.h"
#include "os/file.h"
#include "os/userfolder.h"
#include "run/launch.h"

enum {
	NUMBER_MAX = 10000,
	HELP_TIME = 5000,               /* ms */
	INTERRUPT_GAP = 300             /* ms, as a person types */
};

#define FIELD(name) #name, .at = offsetof(struct backend, name)
#define TEXTS(name) { FIELD(name), .take = strict_texts }
#define SIGNS(place) .take = signs_take, .least = place, \
	.at = offsetof(struct backend, signs)
#define PROCESS(name) { #name, .take = strict_texts, \
	.at = offsetof(struct backend, process_##name) }

static const struct strict_row process_rows[] = {
	PROCESS(names), PROCESS(packages), PROCESS(not), { .key = NULL }
};

/* dialect.h reads "hooks". */
static const struct strict_row rows[] = {
	{ "$schema",               .take = strict_ignored },
	{ "extends",               .take = strict_ignored },
	{ "patterns",              .take = strict_ignored_object },
	{ "description",           .take = strict_ignored },
	{ FIELD(command),          .take = strict_filled },
	TEXTS(arguments), TEXTS(prompt), TEXTS(resume),
	TEXTS(resume_transcript), TEXTS(latest), TEXTS(resume_prompt),
	TEXTS(attach),
	TEXTS(once), TEXTS(once_prompt), TEXTS(sessions), TEXTS(resumes),
	TEXTS(keep), TEXTS(if_known), TEXTS(version), TEXTS(tried),
	TEXTS(unknown),
	{ FIELD(session_is_run),   .take = strict_flag },
	{ FIELD(session_variable), .take = strict_filled },
	{ FIELD(interrupts),       .take = strict_number, .most = NUMBER_MAX },
	{ FIELD(interrupt_gap),    .take = strict_number, .most = NUMBER_MAX },
	{ "announces",             SIGNS(SIGN_ANNOUNCED) },
	{ "title",                 SIGNS(SIGN_TITLE) },
	{ "screen",                SIGNS(SIGN_SCREEN) },
	{ "process", .take = strict_object, .rows = process_rows },
	{ FIELD(transcript),       .take = transcript_take },
	{ "hooks",                 .take = strict_ignored_object },
	{ .key = NULL }
};

static void
begin_lists(struct backend *b, const struct strict_row *row)
{
	for (; row->key != NULL; row++)
		if (row->take == strict_object)
			begin_lists(b, row->rows);
		else if (row->take == strict_texts)
			*(char ***)(void *)((char *)b + row->at) =
			    xcalloc(1, sizeof(char *));
}

void
backend_release(struct backend *b)
{
	strict_release(rows, b);
	free(b->name);
	free(b->file);
	free(b->patterns);
	free(b->hooks);
	transcript_format_free(b->transcript);
	signs_release(&b->signs);
	*b = (struct backend){ 0 };
}

static struct given {
	const char *name, *path;
	const struct buf *text;
	size_t from, to;                /* its part of it */
} *given;
static size_t ngiven;

static const struct given *
given_find(const char *name)
{
	size_t i = 0;

	while (i < ngiven && strcmp(given[i].name, name) != 0)
		i++;
	return i < ngiven ? &given[i] : NULL;
}

static char *
backend_path(const char *name)
{
	char *file = xasprintf("%s.json", name);
	char *path = datafile_find(BACKEND_FOLDER, file);

	free(file);
	return path;
}

int
backend_text(const char *name, size_t most, char **path, struct buf *text,
    struct buf *error)
{
	const struct given *g = given_find(name);
	int reason;
	size_t i;

	*path = g != NULL ? xstrdup(g->path) : backend_path(name);
	/* Messages name the line in its file. */
	for (i = 0; g != NULL && i < g->from; i++)
		if (g->text->data[i] == '\n')
			buf_addc(text, '\n');
	if (g != NULL) {
		buf_add(text, g->text->data + g->from, g->to - g->from);
		return 1;
	}
	if (*path == NULL && errno == ENOENT)
		return 0;
	if (*path != NULL && file_read(AT_FDCWD, *path, 0, text, most) == 0)
		return 1;
	reason = errno;
	buf_printf(error, "cannot read '%s': %s", *path ? *path : name,
	    strerror(reason));
	errno = reason;
	return -1;
}

/* A backend being read, and what extends it. */
struct heir {
	const char *name;
	struct json *object;
	const struct heir *next;
};

static int backend_take(struct backend *, struct heir *, struct buf *error);

static int
backend_extend(struct backend *b, struct strict *s, const struct heir *own,
    const struct json *value)
{
	struct heir other = { json_text_of(value), NULL, own };
	const struct heir *h = own;
	int ret;

	if (other.name == NULL)
		return strict_refuse(s, value, " is not a text");
	while (h != NULL && strcmp(h->name, other.name) != 0)
		h = h->next;
	if (h != NULL)
		return strict_refuse(s, value, " is '%s', which extends it",
		    other.name);
	ret = text_only(other.name, "_-") ? backend_take(b, &other, s->error) :
	    -1;
	if (ret == -1 && s->error->len == 0)
		strict_refuse(s, value, " is '%s': there is no "
		    "backends/%s.json", other.name, other.name);
	return ret;
}

/* Behind what it extends, without the members that an heir has. */
static int
backend_take(struct backend *b, struct heir *own, struct buf *error)
{
	static const char *const first[] = { "extends", "patterns" };
	char *user = userfolder_config(), *path;
	struct buf text = BUF_INIT;
	struct strict s = { .error = error };
	const struct heir *h;
	const struct json *value;
	int ret = backend_text(own->name, BACKEND_MAX, &path, &text, error);
	int reason = ret == -1 ? errno : 0;
	size_t i;

	s.from = path;
	s.ours = given_find(own->name) == NULL && (user == NULL ||
	    path == NULL || strncmp(path, user, strlen(user)) != 0);
	own->object = ret == 1 ? strict_parse(&s, &text) : NULL;
	ret = own->object != NULL ? 0 : -1;
	for (i = 0; ret == 0 && i < 2; i++) {
		value = json_member(own->object, first[i]);
		s.keys[0] = first[i];
		s.depth = 1;
		errno = 0;
		if (value != NULL)
			ret = i == 0 ? backend_extend(b, &s, own, value) :
			    signs_define(&s, &b->patterns, value);
		reason = errno;
		s.depth = 0;
	}
	s.patterns = b->patterns;
	for (h = own->next; h != NULL; h = h->next)
		json_each(value, h->object)
			json_drop(own->object, value->key);
	if (json_member(own->object, "hooks") != NULL)
		b->hooks = xstrdup(own->name);
	if (ret == 0)
		ret = strict_read(&s, rows, b, own->object);
	json_free(own->object);
	buf_release(&text);
	free(user);
	free(b->file);
	b->file = path;
	errno = ret == 0 ? 0 : reason;
	return ret;
}

static void
backend_init(struct backend *b, const char *name)
{
	*b = (struct backend){ .name = xstrdup(name), .interrupts = 1,
	    .interrupt_gap = INTERRUPT_GAP };
	begin_lists(b, rows);
}

int
backend_read(struct backend *b, const char *name, struct buf *error)
{
	struct heir own = { .name = name };
	char **names;
	size_t i;
	int ret, reason;

	backend_init(b, name);
	ret = backend_take(b, &own, error);
	reason = errno;
	if (ret == -1 && b->file == NULL && error->len == 0) {
		buf_printf(error, "unknown backend '%s': no backends/%s.json",
		    name, name);
		names = datafile_names(BACKEND_FOLDER, ".json");
		for (i = 0; names != NULL && names[i] != NULL; i++)
			buf_printf(error, "%s %s", i > 0 ? "," : "; there are",
			    names[i]);
		argv_free(names);
	}
	if (ret == -1)
		backend_release(b);
	errno = reason;
	return ret;
}

void
backend_give(const char *name, const char *path, const struct buf *text,
    size_t from, size_t to)
{
	*ARRAY_ADD(given, ngiven) = (struct given){ name, path, text, from, to };
}

/* Behind all with a file, whose names of programs come first. */
struct backend *
backends_stranger(struct backends *all, const char *name)
{
	struct backend **b = &all->first;
	char *path = NULL;

	while (*b != NULL && strcmp((*b)->name, name) != 0)
		b = &(*b)->next;
	if (*b == NULL && !all->complete)
		path = backend_path(name);
	if (*b == NULL && path == NULL) {
		*b = xcalloc(1, sizeof(**b));
		backend_init(*b, name);
		(*b)->process_names = argv_add((*b)->process_names, name);
		(*b)->stranger = true;
	}
	free(path);
	return *b;
}

const struct backend *
backends_get(struct backends *all, const char *name, struct buf *error)
{
	struct backend *b = all->first, read;

	while (b != NULL && strcmp(b->name, name) != 0)
		b = b->next;
	if (b != NULL)
		return b;
	if (backend_read(&read, name, error) == -1)
		return NULL;
	b = xcalloc(1, sizeof(*b));
	*b = read;
	b->next = all->first;
	return all->first = b;
}

int
backends_all(struct backends *all, struct buf *why)
{
	char **names = all->complete ? NULL :
	    datafile_names(BACKEND_FOLDER, ".json");
	size_t i = argv_count(names);
	const struct backend *shell;
	struct buf error = BUF_INIT;
	int failed = 0;

	if (!all->complete && names == NULL && errno != 0) {
		failed = errno;
		buf_printf(why, "cannot read the folder '" BACKEND_FOLDER
		    "': %s", strerror(failed));
	}
	/* Each goes to the front. */
	while (i-- > 0) {
		errno = 0;
		if (backends_get(all, names[i], &error) != NULL)
			continue;
		failed = errno != 0 ? errno : failed;
		buf_printf(why, "%s%s", why->len > 0 ? "; " : "",
		    buf_str(&error));
		buf_reset(&error);
	}
	shell = all->complete ? NULL : backends_get(all, "shell", &error);
	all->complete = failed == 0;
	for (i = 0; shell != NULL && shell->unknown[i] != NULL; i++)
		backends_stranger(all, shell->unknown[i]);
	argv_free(names);
	buf_release(&error);
	errno = failed;
	return failed == 0 ? 0 : -1;
}

int
backend_answer(struct backends *all, const struct status *s, struct buf *text,
    struct buf *why)
{
	const char *path = s->transcript.path;
	const struct backend *b = s->backend == NULL ? NULL :
	    backends_get(all, s->backend, why);
	int got;

	if (b == NULL && why->len > 0)
		return -1;
	if (b == NULL || b->transcript == NULL || path == NULL) {
		buf_adds(why, "no file is known in which its client writes "
		    "down what it says");
		return 0;
	}
	got = transcript_answer(b->transcript, path, text);
	if (got == -1)
		buf_printf(why, "cannot read '%s': %s", path, strerror(errno));
	else if (got == 0)
		buf_printf(why, "it has said nothing yet, by '%s'", path);
	return got;
}

const char *
backend_choose(const char *recorded, const char *foreground,
    const char *configured)
{
	char *path = recorded == NULL && foreground != NULL ?
	    backend_path(foreground) : NULL;

	free(path);
	if (recorded != NULL)
		return recorded;
	return path != NULL ? foreground : configured;
}

static char **
add_expanded(char **argv, char *const *words,
    const struct template_value *values, size_t n)
{
	struct buf word = BUF_INIT;

	for (; *words != NULL; words++) {
		buf_reset(&word);
		template_expand(&word, *words, strlen(*words), values, n, NULL);
		argv = argv_add(argv, buf_str(&word));
	}
	buf_release(&word);
	return argv;
}

char **
backend_fill(char **argv, char *const *words, const char *name,
    const char *value)
{
	return value == NULL ? argv : add_expanded(argv, words,
	    &(struct template_value){ name, value, strlen(value) }, 1);
}

char **
backend_arguments(char **argv, const struct backend *b, const char *run,
    const char *cwd)
{
	const char *home = getenv("HOME");
	char *dashed = xstrdup(cwd), *p;
	const struct template_value values[] = {
		{ "run", run, strlen(run) },
		{ "home", home, home ? strlen(home) : 0 },
		{ "cwd_dashed", dashed, strlen(dashed) },
	};

	for (p = dashed; (p = strchr(p, '/')) != NULL; )
		*p = '-';
	argv = add_expanded(argv, b->arguments, values, 3);
	free(dashed);
	return argv;
}

bool
backend_is(const char *command, const char *word)
{
	const char *own = command != NULL ? strrchr(command, '/') : NULL;
	const char *slash = strrchr(word, '/');

	return command != NULL && strcmp(own != NULL ? own + 1 : command,
	    slash != NULL ? slash + 1 : word) == 0;
}

static bool
option_in(char *const *options, const char *word)
{
	char *option = xstrndup(word, strcspn(word, "="));
	bool found = argv_has(options, option);

	free(option);
	return found;
}

bool
backend_resumes(const struct backend *b, char *const *words)
{
	while (*words != NULL && !option_in(b->resumes, *words))
		words++;
	return *words != NULL;
}

bool
backend_session_valid(const char *id)
{
	return id[0] != '\0' && id[0] != '-' && text_only(id, "_.:-");
}

char **
backend_session(const struct backend *b, char *const *words, const char *run,
    const char *cwd)
{
	if (!b->session_is_run || !backend_is(b->command, words[0]) ||
	    (words[1] != NULL && words[1][0] != '-'))
		return NULL;
	while (*++words != NULL)
		if (option_in(b->sessions, *words) || strcmp(*words, "--") == 0)
			return NULL;
	return backend_arguments(NULL, b, run, cwd);
}

char **
backend_once(const struct backend *b, char *const *command, const char *run,
    const char *prompt, const char *prompt_file, bool *input)
{
	const struct template_value values[] = {
		{ "prompt", prompt, prompt ? strlen(prompt) : 0 },
		{ "prompt_file", prompt_file, strlen(prompt_file) },
	};
	char **argv;

	*input = prompt != NULL && b->once_prompt[0] == NULL;
	if (command != NULL)
		argv = argv_add_all(NULL, (const char *const *)command);
	else if (b->command != NULL && b->once[0] != NULL)
		argv = backend_fill(argv_add(NULL, b->command), b->once, "run",
		    run);
	else
		return NULL;
	return prompt ? add_expanded(argv, b->once_prompt, values, 2) : argv;
}

/* The number of words of an option to keep and its values, or 0. */
static size_t
kept(const struct backend *b, char *const *words)
{
	const char *word = words[0];
	char **option;
	size_t len, n = 1;

	for (option = b->keep; *option != NULL; option++) {
		len = strcspn(*option, "=");
		if (strncmp(*option, word, len) != 0 ||
		    (word[len] != '\0' && word[len] != (*option)[len]))
			continue;
		if (word[len] == '=' || (*option)[len] == '\0')
			return 1;       /* --option=value, or without one */
		if ((*option)[len + 1] != '*')
			return words[1] != NULL ? 2 : 1;
		while (words[n] != NULL && words[n][0] != '-')
			n++;
		return n;
	}
	return 0;
}

bool
backend_serves(const struct backend *b, char *const *words)
{
	bool option, not, first = true;         /* the first plain word */
	char *pair;
	size_t n;

	for (; *words != NULL && strcmp(*words, "--") != 0; words += n) {
		option = (*words)[0] == '-';
		pair = xasprintf("%s=%s", *words, words[1] ? words[1] : "");
		not = (option || first) && (argv_has(b->process_not, *words) ||
		    argv_has(b->process_not, pair) ||
		    (option && option_in(b->process_not, *words)));
		free(pair);
		if (not)
			return false;
		first &= option;
		n = option ? kept(b, words) : 1;
		/* An unknown option may take the next word. */
		if (n == 0)
			n = words[1] != NULL && words[1][0] != '-' &&
			    strchr(*words, '=') == NULL ? 2 : 1;
	}
	return true;
}

char **
backend_keep(const struct backend *b, char *const *words)
{
	char **argv = argv_add(NULL, b->command);
	size_t i, n, count = argv_count(words);

	for (i = 1; i < count; i++)
		for (n = kept(b, words + i); n > 0; n--, i += n > 0)
			argv = argv_add(argv, words[i]);
	return argv;
}

size_t
backend_add_known(const struct backend *b, const char *program, char ***argv)
{
	const char *const ask[] = { program, "--help", NULL };
	const struct spawn_how how = { .argv = ask, .limit = HELP_TIME };
	struct spawn s = SPAWN_INIT;
	char **option, **longer;
	const char *help, *p;
	size_t n = 0, len;

	if (!backend_is(b->command, (*argv)[0]))
		return 0;
	longer = argv_add(NULL, (*argv)[0]);
	for (option = b->if_known; *option != NULL; option++) {
		if (argv_has(*argv, *option))
			continue;
		if (s.output.len == 0 && (spawn_run(&s, &how) != 0 ||
		    s.output.len == 0))
			break;          /* it does not answer */
		len = strlen(*option);
		for (p = help = buf_str(&s.output);
		    (p = strstr(p, *option)) != NULL; p += len)
			if ((p == help || strchr(" \t\n,[|", p[-1]) != NULL) &&
			    strchr(" \t\r\n,]|=", p[len]) != NULL)
				break;
		if (p != NULL) {
			longer = argv_add(longer, *option);
			n++;
		}
	}
	longer = argv_add_all(longer, (const char *const *)*argv + 1);
	argv_free(*argv);
	*argv = longer;
	spawn_release(&s);
	return n;
}

char **
backend_resume(const struct backend *b, const char *session,
    const char *transcript, const char *prompt, bool *typed)
{
	char *const *words = session != NULL ? b->resume :
	    transcript != NULL ? b->resume_transcript : b->latest;
	const char *value = session != NULL ? session :
	    transcript != NULL ? transcript : "";
	char **argv;

	*typed = b->resume_prompt[0] == NULL;
	if (words[0] == NULL)
		return NULL;
	argv = backend_fill(NULL, words, session != NULL ? "session" :
	    "transcript", value);
	return *typed ? argv : backend_fill(argv, b->resume_prompt, "prompt",
	    prompt);
}

int
backend_launch(const struct backend *b, const struct launch *old,
    const char *session, const char *transcript, const char *prompt,
    int state_fd, const char *key)
{
	struct launch new = *old;
	bool typed;
	char **more = backend_resume(b, session, transcript, prompt, &typed);
	size_t i;
	int ret;

	new.argv = NULL;
	for (i = 0; i < old->base; i++)
		new.argv = argv_add(new.argv, old->argv[i]);
	new.base += backend_add_known(b, old->program, &new.argv);
	new.argv = argv_add_all(new.argv, (const char *const *)more);
	ret = launch_write(&new, state_fd, key, LAUNCH_ORDER);
	argv_free(new.argv);
	argv_free(more);
	return ret;
}

/* ---- client version ------------------------------------------------------ */

enum { VERSION_TIME = 10000 };           /* ms */

bool
clientversion_begin(struct spawn *s, const struct backend *b)
{
	char *program = b->command != NULL && b->version[0] != NULL ?
	    spawn_find(b->command) : NULL;
	char **argv;

	*s = (struct spawn)SPAWN_INIT;
	if (program == NULL)
		return false;
	argv = argv_add_all(argv_add(NULL, program),
	    (const char *const *)b->version);
	/* clientversion_end() reports a failed start. */
	spawn_begin(s, &(struct spawn_how){ .cwd = "/", .limit = VERSION_TIME,
	    .argv = (const char *const *)argv });
	argv_free(argv);
	free(program);
	return true;
}

char *
clientversion_end(struct spawn *s, struct buf *why)
{
	char *version;

	spawn_finish(s);
	version = s->status != 0 ? NULL : clientversion_in(buf_str(&s->output));
	if (s->status == SPAWN_TIMEOUT)
		buf_printf(why, "it did not answer within %d seconds",
		    VERSION_TIME / 1000);
	else if (s->status != 0)
		buf_adds(why, "it failed");
	else if (version == NULL)
		buf_adds(why, "it printed none");
	spawn_release(s);
	return version;
}

char *
clientversion_in(const char *text)
{
	struct pattern *numbers = pattern_new("[0-9]+(\\.[0-9]+)+", false, NULL,
	    0);
	size_t at, len;
	char *version = NULL;

	if (pattern_match(numbers, text, strlen(text)) &&
	    pattern_group(numbers, NULL, &at, &len))
		version = xstrndup(text + at, len);
	pattern_free(numbers);
	return version;
}

bool
clientversion_newer(const struct backend *b, const char *version)
{
	const char *mine, *other;
	unsigned long x = 0, y = 0;
	char **tried;

	for (tried = b->tried; *tried != NULL; tried++) {
		mine = version;
		other = *tried;
		for (x = y = 0; x == y && (*mine != '\0' || *other != '\0'); ) {
			x = strtoul(mine, NULL, 10);
			y = strtoul(other, NULL, 10);
			mine += strcspn(mine, ".");
			mine += *mine == '.';
			other += strcspn(other, ".");
			other += *other == '.';
		}
		if (x <= y)
			return false;
	}
	return b->tried[0] != NULL;
}
