#include "agent/agentprocess.h"

#include "data/shell.h"

/* ---- which program it is ------------------------------------------------- */

/* Programs that run another one in their own process, or on another terminal:
 * that is their first word that is no option.  Those that begin it in their
 * group are not needed here, since it is found there. */
static const struct runner {
	const char *name;
	bool        versions;           /* also "python3.12" */
	const char *valued;             /* options that take the next word */
	const char *code;               /* with those it runs no program */
} runners[] = {
	{ "node",   false, "rC",          "ep" },
	{ "nodejs", false, "rC",          "ep" },
	{ "bun",    false, "r",           "ep" },
	{ "python", true,  "WX",          "c" },
	{ "script", false, "",            "" },
	{ "sudo",   false, "ugpCDRTUhrt", "" },
	{ "doas",   false, "uC",          "" },
};

/* A name for comparing, cut out of a word: without folders, and without what
 * only says how it is run.  Programs put a title into their first word: "npm
 * exec claude".  The caller frees it. */
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
		if (strcmp(dot, endings[i]) == 0) {
			*dot = '\0';
			break;
		}
	return name;
}

/* The package of a script of npm's: "@scope/name" behind the last
 * node_modules/.  The caller frees it; NULL: it is in none. */
static char *
package_of(const char *path)
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

/* NULL: it is none. */
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

/* The place of the program that a runner runs; 0: it is no runner, or there is
 * none. */
static size_t
run_by(const char *name, char *const *words)
{
	const struct runner *r = runner_of(name);
	size_t at;

	for (at = 1; r != NULL && words[at] != NULL; at++) {
		if (words[at][0] != '-')
			return at;
		if (is_option(words[at], r->code))
			return 0;
		at += is_option(words[at], r->valued) && words[at + 1] != NULL;
	}
	return 0;
}

/* ---- which agent it is --------------------------------------------------- */

/* The first whose file has the name or the package; else the first whose
 * command it is. */
static const struct backend *
backend_of(const struct backends *all, const char *name, const char *package)
{
	const struct backend *b, *implied = NULL;

	for (b = all->first; b != NULL; b = b->next) {
		if (argv_has(b->process_names, name) || (package != NULL &&
		    argv_has(b->process_packages, package)))
			return b;
		if (implied == NULL && b->process_names[0] == NULL &&
		    b->process_packages[0] == NULL &&
		    backend_is(b->command, name))
			implied = b;
	}
	return implied;
}

enum agentprocess_kind
agentprocess_kind(const struct backends *all, const char *name,
    char *const *words, const struct backend **backend)
{
	char *program = words != NULL ? program_name(words[0]) : xstrdup(name);
	size_t at = words != NULL ? run_by(program, words) : 0, i;
	bool prompt = words != NULL && shell_known(program);
	char *package = NULL;

	/* Does it stand at its prompt? */
	for (i = 1; prompt && words[i] != NULL; i++)
		prompt = words[i][0] == '-' && strchr(words[i], 'c') == NULL;
	if (at > 0) {
		free(program);
		program = program_name(words[at]);
		package = package_of(words[at]);
	}
	*backend = shell_known(program) ? NULL :
	    backend_of(all, program, package);
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

/* ---- looking ------------------------------------------------------------- */

static uint64_t
add_seen(uint64_t seen, const struct proc *p)
{
	char *line = xasprintf("%llx %ld %llu %s", (unsigned long long)seen,
	    (long)p->pid, (unsigned long long)p->start, p->name);

	seen = text_hash(line, strlen(line));
	free(line);
	return seen;
}

static bool
looks_same(const struct agentprocess *a, const struct proc *pane)
{
	struct proc_front front;
	struct proc p = *pane;
	uint64_t seen = 0;

	if (a->pane != pane->pid || a->pane_start != pane->start ||
	    a->foreground != pane->foreground)
		return false;
	if (a->decides != 0)
		return (a->decides == p.pid || proc_read(&p, a->decides) == 0)
		    && !p.zombie && add_seen(0, &p) == a->seen;
	proc_front_begin(&front, pane);
	while (proc_front_next(&front, &p))
		seen = add_seen(seen, &p);
	return seen == a->seen;
}

/* True if the process ends the search. */
static bool
decides(struct agentprocess *a, const struct backends *all,
    const struct proc *p)
{
	const struct backend *backend;
	char **words = proc_words(p->pid);
	enum agentprocess_kind kind = agentprocess_kind(all, p->name, words,
	    &backend);

	argv_free(words);
	if (kind == AGENTPROCESS_OTHER)
		return false;
	a->decides = p->pid;
	a->seen = add_seen(0, p);
	if (kind == AGENTPROCESS_AGENT) {
		a->backend = backend;
		a->pid = p->pid;
		a->start = p->start;
		a->began = p->began;
	}
	return true;
}

int
agentprocess_look(struct agentprocess *a, const struct backends *all,
    pid_t pane)
{
	struct proc_front front;
	struct proc of, p;

	if (proc_read(&of, pane) == -1) {
		*a = (struct agentprocess){ .backend = NULL };
		return errno == ESRCH ? 0 : -1;
	}
	if (looks_same(a, &of))
		return a->backend != NULL;
	*a = (struct agentprocess){ .pane = of.pid, .pane_start = of.start,
	    .foreground = of.foreground };
	proc_front_begin(&front, &of);
	while (proc_front_next(&front, &p) && !decides(a, all, &p))
		a->seen = add_seen(a->seen, &p);
	return a->backend != NULL;
}
