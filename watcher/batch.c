#include "watcher/batch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "base/utf8.h"
#include "project/startlist.h"
#include "run/queued.h"
#include "watcher/commands.h"
#include "watcher/shared.h"
#include "watcher/startqueued.h"

/* ---- the starts ---------------------------------------------------------- */

/* Variables that a start depends on; besides them those of the
 * configuration. */
static bool
batch_keeps(const char *variable)
{
	static const char *const kept[] = { "PATH=", "TMUX=", "TMUX_TMPDIR=" };
	static const char *const left[] = { "PANEWARD_ISSUE=", "PANEWARD_RUN=",
	    "PANEWARD_STATUS_DIR=" };
	size_t i;

	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (strncmp(variable, kept[i], strlen(kept[i])) == 0)
			return true;
	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (strncmp(variable, left[i], strlen(left[i])) == 0)
			return false;
	return strncmp(variable, "PANEWARD_", 9) == 0;
}

static char **
batch_environment(void)
{
	extern char **environ;
	char **env = NULL, **p;

	for (p = environ; *p != NULL; p++)
		if (batch_keeps(*p))
			env = argv_add(env, *p);
	return env;
}

/* The file holds text. */
static void
batch_check_words(char *const *words)
{
	size_t len, at, size;

	for (; words != NULL && *words != NULL; words++) {
		len = strlen(*words);
		for (at = 0; at < len; at += size)
			if ((size = utf8_decode(*words + at, len - at, NULL))
			    == 0)
				fatal_usage("start: '%s' is not valid UTF-8, "
				    "and cannot be queued", *words);
	}
}

static char **
batch_words(const struct start *s, const struct startlist_item *item,
    const char *status_dir)
{
	char *const *command = item->command != NULL ? item->command : s->how.words;
	char **words = argv_add_all(NULL, (const char *const *)s->shared);

	words = argv_own(words, xasprintf("--status-dir=%s", status_dir));
	words = argv_add_all(words, (const char *const *)item->options);
	words = argv_add(words, item->issue);
	if (command[0] == NULL)
		return words;
	words = argv_add(words, "--");
	return argv_add_all(words, (const char *const *)command);
}

/* Checks one, and adds it. */
static void
batch_add(struct queued_list *l, const struct start *s,
    const struct startlist_item *item, const char *status_dir,
    struct shared *shared)
{
	struct queued *q = &l->v[l->n++];
	struct newrun_how how;
	struct newrun *r;
	char cwd[PATH_MAX], **words;

	if (getcwd(cwd, sizeof(cwd)) == NULL)
		fatal("cannot find the current directory");
	memcpy(q->issue, item->issue, sizeof(q->issue));
	if (run_id_make(q->run) == -1)
		fatal("cannot make a run id");
	q->since = clock_wall();
	q->at_once = s->at_once;
	q->cwd = xstrdup(cwd);
	q->words = batch_words(s, item, status_dir);
	q->env = batch_environment();
	batch_check_words(q->words);
	batch_check_words(q->env);
	words = argv_add_all(argv_add(NULL, s->how.command->name),
	    (const char *const *)q->words);
	start_words(&how, words);
	how.queued = true;
	r = newrun_plan(&how);
	q->backend = xstrdup(newrun_backend(r));
	shared->issue = q->issue;
	shared->folder = newrun_folder(r) ? xstrdup(newrun_folder(r)) : NULL;
	newrun_free(r);
	argv_free(words);
}

/* The issues of the list that was named. */
static void
batch_listed(const struct start *s, struct startlist *list)
{
	struct buf why = BUF_INIT;
	enum exit_status status = startlist_read(list, s->from, QUEUED_MOST,
	    &why);

	if (status != EXIT_DONE)
		msg_fatal(status, 0, "%s", buf_str(&why));
}

/* The issues that were named, as a list. */
static void
batch_named(const struct start *s, struct startlist *list)
{
	const char *issue;
	size_t i, before;

	*list = (struct startlist){ .v = xcalloc(s->nissues,
	    sizeof(*list->v)), .n = s->nissues };
	for (i = 0; i < s->nissues; i++) {
		issue = s->issues[i];
		for (before = 0; before < i; before++)
			if (strcmp(list->v[before].issue, issue) == 0)
				command_usage(s->how.command, "issue '%s' is "
				    "named twice", issue);
		memcpy(list->v[i].issue, issue, strlen(issue) + 1);
	}
}

/* ---- the queue ----------------------------------------------------------- */

/* Adds them behind those that wait, all or none. */
static void
batch_queue(const struct queued_list *new, const struct context *c)
{
	int state_fd = c->dir.state_fd;
	struct lock lock = LOCK_INIT;
	struct queued_list all;
	size_t i;

	if (queued_lock(&lock, state_fd) != 1 ||
	    queued_read(&all, state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", c->dir.path);
	for (i = 0; i < new->n; i++)
		if (queued_find(&all, new->v[i].issue) != NULL)
			fatalx("cannot start issue '%s': it is queued already",
			    new->v[i].issue);
	if (all.n + new->n > QUEUED_MOST)
		fatalx("cannot queue %zu issues: %zu wait, and %d may", new->n,
		    all.n, QUEUED_MOST);
	all.v = xreallocarray(all.v, all.n + new->n, sizeof(*all.v));
	memcpy(all.v + all.n, new->v, new->n * sizeof(*all.v));
	all.n += new->n;
	if (queued_write(&all, state_fd) == -1)
		fatal("cannot queue issues in '%s'", c->dir.path);
	lock_release(&lock);
	free(all.v);
}

/* What has become of an issue; false: it could not be started. */
static bool
batch_report(struct queued_list *wait, const struct queued *q,
    int state_fd)
{
	const struct queued *still = queued_find(wait, q->issue);
	struct status r;
	bool good = true;

	status_read(&r, state_fd, q->issue);
	if (still != NULL && !queued_started(q, &r)) {
		status_release(&r);
		queued_record(wait, still, state_fd, &r);
		printf("%s: queued: %s\n", q->issue, r.verdict.why);
	} else if (strcmp(r.run, q->run) == 0 && r.place.socket != NULL) {
		printf("%s: started in session %s, pane %s (run %s)\n",
		    q->issue, r.session_name, r.place.pane, r.run);
	} else {
		good = false;
	}
	status_release(&r);
	return good;
}

int
batch_start(const struct start *s)
{
	struct queued_list new = { 0 }, wait;
	struct startlist list;
	struct shared *shared;
	struct context c;
	bool good = true;
	size_t i;

	if (s->from != NULL)
		batch_listed(s, &list);
	else
		batch_named(s, &list);
	context_open(&c, s->how.status_dir, false);
	context_fit(&c);
	new.v = xcalloc(list.n, sizeof(*new.v));
	shared = xcalloc(list.n, sizeof(*shared));
	for (i = 0; i < list.n; i++) {
		msg_at(list.v[i].place);
		batch_add(&new, s, &list.v[i], c.dir.path, &shared[i]);
	}
	msg_at(NULL);
	/* One after the other, they do not meet. */
	shared_ask(c.dir.state_fd, shared, s->at_once == 1 ? 1 : list.n);
	context_make(&c);
	context_check(&c, true);
	batch_queue(&new, &c);
	startqueued_all(&c);
	if (queued_read(&wait, c.dir.state_fd) == -1)
		fatal("cannot read the queued issues in '%s'", c.dir.path);
	for (i = 0; i < new.n; i++)
		good &= batch_report(&wait, &new.v[i], c.dir.state_fd);
	for (i = 0; i < new.n; i++)
		free(shared[i].folder);
	free(shared);
	queued_release(&wait);
	queued_release(&new);
	startlist_release(&list);
	context_close(&c);
	return good ? EXIT_DONE : EXIT_COULD_NOT;
}
