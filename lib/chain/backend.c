#include "chain/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "os/spawn.h"
#include "run/statusdir.h"
#include "text/datafile.h"
#include "text/strict.h"
#include "text/template.h"

enum {
	BACKEND_MAX = 1 << 20,
	NUMBER_MAX = 10000,
	HELP_TIME = 5000,               /* ms for a program's --help */
	INTERRUPT_GAP = 300             /* ms, as a person types */
};

/* The lists of words, NULL-ended and never NULL. */
static const size_t word_lists[] = {
	offsetof(struct backend, arguments),
	offsetof(struct backend, prompt),
	offsetof(struct backend, resume),
	offsetof(struct backend, latest),
	offsetof(struct backend, resume_prompt),
	offsetof(struct backend, once),
	offsetof(struct backend, once_prompt),
	offsetof(struct backend, keep),
	offsetof(struct backend, if_known),
};

enum { WORD_LISTS = sizeof(word_lists) / sizeof(word_lists[0]) };

static char ***
word_list(struct backend *b, size_t i)
{
	return (char ***)((char *)b + word_lists[i]);
}

void
backend_release(struct backend *b)
{
	size_t i;

	free(b->name);
	free(b->file);
	free(b->command);
	for (i = 0; i < WORD_LISTS; i++)
		argv_free(*word_list(b, i));
	free(b->session_variable);
	signs_release(&b->signs);
	*b = (struct backend){ 0 };
}

/* dialect.h reads it. */
static int
hooks_ignored(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value)
{
	(void)row, (void)field;
	return cJSON_IsObject(value) ? 0 :
	    strict_refuse(s, value, " is not an object");
}

#define FIELD(name) #name, .at = offsetof(struct backend, name)
#define SIGNS(place) .take = signs_take, .least = place, \
	.at = offsetof(struct backend, signs)

static const struct strict_row rows[] = {
	{ "$schema",               .take = strict_ignored },
	{ "description",           .take = strict_ignored },
	{ FIELD(command),          .take = strict_filled },
	{ FIELD(arguments),        .take = strict_texts },
	{ FIELD(prompt),           .take = strict_texts },
	{ FIELD(session_is_run),   .take = strict_flag },
	{ FIELD(resume),           .take = strict_texts },
	{ FIELD(latest),           .take = strict_texts },
	{ FIELD(resume_prompt),    .take = strict_texts },
	{ FIELD(once),             .take = strict_texts },
	{ FIELD(once_prompt),      .take = strict_texts },
	{ FIELD(keep),             .take = strict_texts },
	{ FIELD(if_known),         .take = strict_texts },
	{ FIELD(session_variable), .take = strict_filled },
	{ FIELD(interrupts),       .take = strict_number, .most = NUMBER_MAX },
	{ FIELD(interrupt_gap),    .take = strict_number, .most = NUMBER_MAX },
	{ "announces",             SIGNS(SIGN_ANNOUNCED) },
	{ "title",                 SIGNS(SIGN_TITLE) },
	{ "screen",                SIGNS(SIGN_SCREEN) },
	{ "hooks",                 .take = hooks_ignored },
	{ .key = NULL }
};

static int
backend_file(struct backend *b, struct buf *error)
{
	struct buf text = BUF_INIT;
	int ret = -1;

	if (file_read(AT_FDCWD, b->file, 0, &text, BACKEND_MAX) == -1)
		buf_printf(error, "cannot read '%s': %s", b->file,
		    strerror(errno));
	else
		ret = strict_file(&(struct strict){ .from = b->file,
		    .error = error }, &text, rows, b);
	buf_release(&text);
	return ret;
}

int
backend_read(struct backend *b, const char *name, struct buf *error)
{
	char *file = xasprintf("%s.json", name);
	size_t i;
	int ret = -1;

	*b = (struct backend){ .name = xstrdup(name) };
	for (i = 0; i < WORD_LISTS; i++)
		*word_list(b, i) = xcalloc(1, sizeof(char *));
	b->interrupts = 1;
	b->interrupt_gap = INTERRUPT_GAP;
	b->file = datafile_find("backends", file);
	if (b->file == NULL)
		buf_printf(error, "unknown backend '%s': no backends/%s.json",
		    name, name);
	else
		ret = backend_file(b, error);
	free(file);
	if (ret == -1)
		backend_release(b);
	return ret;
}

static const struct backend *
backends_find(const struct backends *b, const char *name)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (strcmp(b->all[i]->name, name) == 0)
			return b->all[i];
	return NULL;
}

const struct backend *
backends_get(struct backends *all, const char *name, struct buf *error)
{
	const struct backend *old = backends_find(all, name);
	struct backend *b;

	if (old != NULL)
		return old;
	b = xcalloc(1, sizeof(*b));
	if (backend_read(b, name, error) == -1 ||
	    signs_compile(&b->signs, b->file, error) == -1) {
		backend_release(b);
		free(b);
		return NULL;
	}
	all->all = xreallocarray(all->all, all->n + 1, sizeof(*all->all));
	all->all[all->n++] = b;
	return b;
}

void
backends_release(struct backends *b)
{
	while (b->n > 0) {
		backend_release(b->all[--b->n]);
		free(b->all[b->n]);
	}
	free(b->all);
	*b = (struct backends){ 0 };
}

static bool
backend_there(const char *name)
{
	char *file = xasprintf("%s.json", name);
	char *path = datafile_find("backends", file);
	bool found = path != NULL;

	free(path);
	free(file);
	return found;
}

const char *
backend_choose(const char *recorded, const char *front, const char *configured)
{
	if (recorded != NULL)
		return recorded;
	return front != NULL && backend_there(front) ? front : configured;
}

/* Adds copies of words with their <<names>> replaced. */
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

/* The same with one name. */
static char **
add_filled(char **argv, char *const *words, const char *name,
    const char *value)
{
	return add_expanded(argv, words, &(struct template_value){ name, value,
	    strlen(value) }, 1);
}

char **
backend_prompt(const struct backend *b, const char *prompt)
{
	char **words = xcalloc(1, sizeof(*words));

	return prompt ? add_filled(words, b->prompt, "prompt", prompt) : words;
}

char **
backend_argv(const struct backend *b, const char *run, const char *prompt)
{
	char **argv = add_filled(argv_add(NULL, b->command), b->arguments,
	    "run", run);

	return prompt ? add_filled(argv, b->prompt, "prompt", prompt) : argv;
}

char **
backend_once(const struct backend *b, char *const *command, const char *run,
    const char *prompt, const char *prompt_file, bool *input)
{
	const struct template_value values[] = {
		{ "prompt", prompt, prompt ? strlen(prompt) : 0 },
		{ "prompt_file", prompt_file, strlen(prompt_file) },
	};
	char **argv = NULL;

	*input = prompt != NULL && b->once_prompt[0] == NULL;
	if (command == NULL && (b->command == NULL || b->once[0] == NULL))
		return NULL;
	for (; command != NULL && *command != NULL; command++)
		argv = argv_add(argv, *command);
	if (argv == NULL)
		argv = add_filled(argv_add(NULL, b->command), b->once, "run",
		    run);
	return prompt ? add_expanded(argv, b->once_prompt, values, 2) : argv;
}

/* How many of the words after an option belong to it. */
enum takes { TAKES_NOT_KEPT, TAKES_NONE, TAKES_ONE, TAKES_ALL };

static enum takes
kept(const struct backend *b, const char *word)
{
	size_t i, len;

	for (i = 0; b->keep[i] != NULL; i++) {
		const char *option = b->keep[i];

		len = strcspn(option, "=");
		if (strncmp(option, word, len) != 0)
			continue;
		if (word[len] == '=' && option[len] == '=')
			return TAKES_NONE;      /* --option=value */
		if (word[len] == '\0')
			return option[len] == '\0' ? TAKES_NONE :
			    option[len + 1] == '*' ? TAKES_ALL : TAKES_ONE;
	}
	return TAKES_NOT_KEPT;
}

char **
backend_keep(const struct backend *b, char *const *words)
{
	char **argv = argv_add(NULL, b->command);
	enum takes takes;
	size_t i;

	for (i = 1; words != NULL && words[0] != NULL && words[i] != NULL;
	    i++) {
		if ((takes = kept(b, words[i])) == TAKES_NOT_KEPT)
			continue;
		argv = argv_add(argv, words[i]);
		if (takes == TAKES_ONE && words[i + 1] != NULL)
			argv = argv_add(argv, words[++i]);
		while (takes == TAKES_ALL && words[i + 1] != NULL &&
		    words[i + 1][0] != '-')
			argv = argv_add(argv, words[++i]);
	}
	return argv;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Is the option a word of the help, and not a part of a longer one? */
static bool
help_names(const char *help, const char *option)
{
	const char *p = help;
	size_t len = strlen(option);

	for (; (p = strstr(p, option)) != NULL; p += len)
		if ((p == help || strchr(" \t\n,[|", p[-1]) != NULL) &&
		    (p[len] == '\0' || strchr(" \t\r\n,]|=", p[len]) != NULL))
			return true;
	return false;
}

/* What the program prints for --help; empty if it does not answer. */
static void
ask_help(struct buf *help, const char *program)
{
	const char *const argv[] = { program, "--help", NULL };
	const struct spawn_how how = { .argv = argv, .limit = HELP_TIME };
	struct spawn s = SPAWN_INIT;

	if (spawn_begin(&s, &how) == 0) {
		spawn_finish(&s);
		if (s.status == 0)
			buf_add(help, s.output.data, s.output.len);
	}
	spawn_release(&s);
}

static bool
has_word(char *const *words, const char *word)
{
	for (; *words != NULL; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

static char **
insert_at(char **argv, size_t at, const char *word)
{
	size_t n = argv_count(argv);
	char *last;

	argv = argv_add(argv, word);
	last = argv[n];
	memmove(argv + at + 1, argv + at, (n - at) * sizeof(*argv));
	argv[at] = last;
	return argv;
}

size_t
backend_add_known(const struct backend *b, const char *program, char ***argv)
{
	struct buf help = BUF_INIT;
	char **option;
	size_t n = 0;

	if (b->command == NULL || strcmp(base_name(b->command),
	    base_name((*argv)[0])) != 0)
		return 0;
	for (option = b->if_known; *option != NULL; option++) {
		if (has_word(*argv, *option))
			continue;
		if (help.len == 0)
			ask_help(&help, program);
		if (!help_names(buf_str(&help), *option))
			continue;
		*argv = insert_at(*argv, ++n, *option);
	}
	buf_release(&help);
	return n;
}

char **
backend_resume(const struct backend *b, const char *session,
    const char *prompt, bool *typed)
{
	char *const *words = session != NULL ? b->resume : b->latest;
	char **argv;

	*typed = b->resume_prompt[0] == NULL;
	if (words[0] == NULL)
		return NULL;
	argv = add_filled(NULL, words, "session", session ? session : "");
	return *typed ? argv : add_filled(argv, b->resume_prompt, "prompt",
	    prompt);
}
