#include "fleet/holding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/utf8.h"
#include "fleet/open.h"
#include "os/proc.h"
#include "run/queued.h"

enum {
	START_LIMIT = 2 * 3600 * 1000,  /* ms: a checkout may be long */
	START_SHOWN = 400               /* bytes of why it failed */
};

/* The work tree that an earlier run of the issue has left here; NULL. */
static const char *
start_tree(const struct order *o, const char *host)
{
	const cJSON *one;
	const char *at, *tree, *found = NULL;

	cJSON_ArrayForEach(one, json_member(o->json, "before")) {
		at = json_text(one, "host");
		tree = json_text(one, "tree");
		if (at != NULL && strcmp(at, host) == 0 && tree != NULL &&
		    access(tree, F_OK) == 0)
			found = tree;
	}
	return found;
}

static char **
start_argv(const struct holding *h, const char *host, bool prompt)
{
	const struct order *o = &h->order;
	const char *backend = order_text(o, "backend");
	const char *base = order_text(o, "base");
	const char *tree = start_tree(o, host);
	char **argv = argv_own(NULL, proc_beside("paneward"));

	argv = argv_add_all(argv, WORDS("start", o->issue, "--status-dir",
	    h->place->context.dir.path));
	if (tree != NULL)
		argv = argv_own(argv, xasprintf("--worktree=%s", tree));
	else if (h->place->context.project.git_dir != NULL)
		argv = argv_add(argv, "--new-worktree");
	if (tree == NULL && base != NULL && base[0] != '-')
		argv = argv_own(argv, xasprintf("--base=%s", base));
	if (backend != NULL)
		argv = argv_own(argv, xasprintf("--backend=%s", backend));
	if (prompt)
		argv = argv_add(argv, "--prompt-file=/dev/stdin");
	return argv;
}

void
starting_begin(struct holding *h, const char *host)
{
	const char *prompt = order_text(&h->order, "prompt");
	int in = prompt != NULL ? fleet_input(prompt, strlen(prompt)) :
	    0;
	char **argv = start_argv(h, host, prompt != NULL);

	if (in == -1)
		buf_printf(&h->start.errors, "cannot write the prompt: %s",
		    strerror(errno));
	if (in == -1 || spawn_begin(&h->start, &(struct spawn_how){
	    .argv = (const char *const *)argv, .in = in,
	    .cwd = h->place->context.project.root, .limit = START_LIMIT }) ==
	    -1)
		h->start.status = SPAWN_FAILED;
	if (in > 0)
		close(in);
	h->starting = true;
	argv_free(argv);
}

bool
starting_runs(const struct holding *h)
{
	struct status r;
	bool runs = status_read(&r, h->place->context.dir.state_fd,
	    h->order.issue) == 1 && queued_holds(&r);

	status_release(&r);
	return runs;
}

/* The last line of what start said, without its name. */
static char *
start_reason(struct buf *said)
{
	struct buf shown = BUF_INIT;
	const char *line;

	buf_chomp(said);
	line = strrchr(buf_str(said), '\n');
	line = line != NULL ? line + 1 : buf_str(said);
	if (strncmp(line, "paneward: ", 10) == 0)
		line += 10;
	utf8_add_shown(&shown, line, strlen(line), START_SHOWN);
	if (shown.len == 0)
		buf_adds(&shown, "it cannot be started");
	return buf_steal(&shown);
}

bool
starting_step(struct holding *h)
{
	if (h->start.pid != 0)
		return false;
	h->starting = false;
	/* The start of a worker that was killed has gone on. */
	if (h->start.status != 0 && !starting_runs(h))
		h->failed = start_reason(&h->start.errors);
	return true;
}
