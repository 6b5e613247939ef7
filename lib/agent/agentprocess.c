#include "agent/agentprocess.h"

#include <termios.h>

#include "data/shell.h"
#include "os/file.h"

/* Programs that run their first plain word in their own process or on another
 * terminal. */
static const struct runner {
	const char *name;
	bool        versions;           /* also "python3.12" */
	const char *valued;             /* options that take the next word, */
	const char *code;               /* and with which it runs no program */
} runners[] = {
	{ "node",   false, "rC",          "ep" },
	{ "nodejs", false, "rC",          "ep" },
	{ "bun",    false, "r",           "ep" },
	{ "python", true,  "WX",          "c" },
	{ "script", false, "",            "" },
	{ "sudo",   false, "ugpCDRTUhrt", "" },
	{ "doas",   false, "uC",          "" },
};

/* A program may put a title into its first word: "npm exec claude". */
static char *
program_name(const char *first)
{
	static const char *const endings[] = { ".js", ".mjs", ".cjs", ".exe" };
	char *title = xstrndup(first, first[0] == '/' ? strlen(first) :
	    strcspn(first, " "));
	const char *slash = strrchr(title, '/');
	char *name = xstrdup(slash != NULL ? slash + 1 : title);
	char *dot = strrchr(name, '.');
	size_t i;

	free(title);
	for (i = 0; dot != NULL && i < sizeof(endings) / sizeof(*endings); i++)
		if (strcmp(dot, endings[i]) == 0)
			*dot = '\0';
	return name;
}

char *
agentprocess_package(const char *path)
{
	static const char folder[] = "/node_modules/";
	const char *p = NULL, *next = path;
	size_t len;

	for (; (next = strstr(next, folder)) != NULL; next++)
		p = next + sizeof(folder) - 1;
	if (p == NULL)
		return NULL;
	len = strcspn(p, "/");
	if (p[0] == '@' && p[len] == '/')
		len += 1 + strcspn(p + len + 1, "/");
	return xstrndup(p, len);
}

static bool
is_option(const char *word, const char *letters)
{
	return word[0] == '-' && word[1] != '\0' && word[2] == '\0' &&
	    strchr(letters, word[1]) != NULL;
}

static const struct runner *
runner_of(const char *name)
{
	const struct runner *r = runners;
	size_t len;

	for (; r < runners + sizeof(runners) / sizeof(*runners); r++) {
		len = strlen(r->name);
		if (strncmp(name, r->name, len) == 0 && (name[len] == '\0' ||
		    (r->versions && strspn(name + len, "0123456789.") ==
		    strlen(name + len))))
			return r;
	}
	return NULL;
}

enum agentprocess_kind
agentprocess_kind(const struct backends *all, const char *name,
    char *const *words, const struct backend **backend)
{
	char *program = words != NULL ? program_name(words[0]) : xstrdup(name);
	const struct runner *r = words != NULL ? runner_of(program) : NULL;
	bool prompt = words != NULL && shell_known(program);
	const struct backend *b, *implied = NULL;
	char *package = NULL;
	size_t at, i;

	for (i = 1; prompt && words[i] != NULL; i++)
		prompt = words[i][0] == '-' && strchr(words[i], 'c') == NULL;
	for (at = 1; r != NULL && words[at] != NULL && words[at][0] == '-';
	    at++)
		if (is_option(words[at], r->code))
			r = NULL;
		else
			at += is_option(words[at], r->valued) &&
			    words[at + 1] != NULL;
	if (r == NULL || words[at] == NULL)
		at = 0;
	if (at > 0) {
		free(program);
		program = program_name(words[at]);
		package = agentprocess_package(words[at]);
	}
	/* A name or package in a file wins over a command. */
	for (b = shell_known(program) ? NULL : all->first; b != NULL;
	    b = b->next) {
		if (argv_has(b->process_names, program) || (package != NULL &&
		    argv_has(b->process_packages, package)))
			break;
		if (implied == NULL && b->process_names[0] == NULL &&
		    b->process_packages[0] == NULL &&
		    backend_is(b->command, program))
			implied = b;
	}
	*backend = b != NULL && (!b->stranger || implied == NULL) ? b : implied;
	free(program);
	free(package);
	if (prompt)
		return AGENTPROCESS_PROMPT;
	if (*backend == NULL)
		return AGENTPROCESS_OTHER;
	return words == NULL || backend_serves(*backend, words + at + 1) ?
	    AGENTPROCESS_AGENT : AGENTPROCESS_ONCE;
}

bool
agentprocess_likely(const struct backends *all, const char *command)
{
	const struct backend *backend;

	return runner_of(command) != NULL || agentprocess_kind(all, command,
	    NULL, &backend) == AGENTPROCESS_AGENT;
}

const char *agentprocess_tried;

/* The agent within a wrapper, as a container, by the wrapper's environment. */
static const struct backend *
agentprocess_hint(struct backends *all, pid_t pid)
{
	static const char name[] = "PANEWARD_AGENT=";
	char **texts = agentprocess_tried ? NULL : proc_texts(pid, true), **p;
	const char *hint = agentprocess_tried;
	const struct backend *b = NULL;

	for (p = texts; p != NULL && *p != NULL && hint == NULL; p++)
		if (strncmp(*p, name, sizeof(name) - 1) == 0)
			hint = *p + sizeof(name) - 1;
	if (hint != NULL && hint[0] != '\0' && text_only(hint, "_-"))
		b = backends_stranger(all, hint);
	argv_free(texts);
	return b;
}

/* Is its terminal raw?  True if unknown. */
static bool
holds_raw(pid_t pid)
{
	unsigned fd = 0;
	char *path = proc_open_file(pid, &fd);
	int terminal = path == NULL || strncmp(path, "/dev/", 5) != 0 ? -1 :
	    open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct termios t;
	bool raw = path == NULL || (terminal != -1 &&
	    tcgetattr(terminal, &t) == 0 && !(t.c_lflag & ICANON));

	file_close(terminal);
	free(path);
	return raw;
}

static uint64_t
add_seen(uint64_t seen, const struct proc *p)
{
	char *line = xasprintf("%llx %ld %llu %s", (unsigned long long)seen,
	    (long)p->pid, (unsigned long long)p->start, p->name);

	seen = text_hash(line, strlen(line));
	free(line);
	return seen;
}

int
agentprocess_look(struct agentprocess *a, struct backends *all, pid_t pane)
{
	enum agentprocess_kind kind = AGENTPROCESS_OTHER;
	const struct backend *backend;
	struct proc_front front;
	struct proc of, p;
	uint64_t seen = 0;
	char **words;
	bool same, later = false;

	if (proc_read(&of, pane) == -1) {
		*a = (struct agentprocess){ .backend = NULL };
		return errno == ESRCH ? 0 : -1;
	}
	same = a->pane == of.pid && a->pane_start == of.start &&
	    a->foreground == of.foreground;
	if (same && a->decides != 0) {
		p = of;
		same = (a->decides == of.pid || proc_read(&p, a->decides) == 0)
		    && !p.zombie && add_seen(0, &p) == a->seen;
	} else if (same) {
		proc_front_begin(&front, &of);
		while (proc_front_next(&front, &p))
			seen = add_seen(seen, &p);
		same = seen == a->seen;
	}
	if (same)
		return a->backend != NULL;
	*a = (struct agentprocess){ .pane = of.pid, .pane_start = of.start,
	    .foreground = of.foreground };
	proc_front_begin(&front, &of);
	while (kind == AGENTPROCESS_OTHER && proc_front_next(&front, &p)) {
		words = proc_words(p.pid);
		kind = agentprocess_kind(all, p.name, words, &backend);
		argv_free(words);
		if (kind == AGENTPROCESS_AGENT && backend->stranger &&
		    !holds_raw(p.pid)) {
			kind = AGENTPROCESS_OTHER;
			later = true;
		}
		if (kind == AGENTPROCESS_OTHER && (backend =
		    agentprocess_hint(all, p.pid)) != NULL)
			kind = AGENTPROCESS_AGENT;
		a->seen = add_seen(kind == AGENTPROCESS_OTHER ? a->seen : 0,
		    &p);
	}
	if (kind != AGENTPROCESS_OTHER)
		a->decides = p.pid;
	if (kind == AGENTPROCESS_AGENT) {
		a->backend = backend;
		a->pid = p.pid;
		a->start = p.start;
		a->began = p.began;
	}
	if (later && a->backend == NULL)
		a->pane = 0;            /* raw mode is no change of processes */
	return a->backend != NULL;
}
