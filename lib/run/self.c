#include "run/self.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "run/config.h"
#include "run/paneowner.h"
#include "run/project.h"
#include "tmux/tmux.h"

/* ---- the project around a folder ----------------------------------------- */

struct ground {
	struct project     project;
	struct config      config;
	struct pattern    *pattern;
	struct paneowner_rules rules;
	char              *path;        /* of its status directory */
};

static void
ground_release(struct ground *g)
{
	free(g->path);
	pattern_free(g->pattern);
	config_release(&g->config);
	project_release(&g->project);
}

static int
ground_open(struct ground *g, const char *root, struct buf *why)
{
	char error[160];

	if (project_find(&g->project, root) == -1) {
		buf_printf(why, "cannot find the project: %s",
		    strerror(errno));
		return -1;
	}
	if (config_read(&g->config, &g->project, why) == -1) {
		project_release(&g->project);
		return -1;
	}
	g->path = statusdir_path(NULL, &g->config, &g->project);
	g->pattern = pattern_new(g->config.session_pattern, error,
	    sizeof(error));
	g->rules = (struct paneowner_rules){ g->pattern, &g->project, g->path };
	return 0;
}

/* ---- ways to find it ----------------------------------------------------- */

/* Opens the status directory; NULL is the project's. */
static int
open_dir(struct self *s, const char *path, const char *root, struct buf *why)
{
	struct ground g;
	bool narrowed;
	int ret;

	statusdir_close(&s->dir);
	if (path != NULL)
		return statusdir_open(&s->dir, xstrdup(path), false, why,
		    &narrowed);
	if (ground_open(&g, root, why) == -1)
		return -1;
	ret = statusdir_open(&s->dir, xstrdup(g.path), false, why, &narrowed);
	ground_release(&g);
	return ret;
}

/* Takes a named run. */
static int
self_take_words(struct self *s, const char *issue, const char *run,
    const char *dir, const char *root, struct buf *why)
{
	if (issue == NULL || !issue_valid(issue))
		return 0;
	memcpy(s->issue, issue, strlen(issue) + 1);
	if (run != NULL && run_id_valid(run))
		memcpy(s->run, run, sizeof(s->run));
	return open_dir(s, dir != NULL && dir[0] == '/' ? dir : NULL, root,
	    why) == -1 ? -1 : 1;
}

/* Our pane, if we are inside tmux. */
static const char *
own_pane(void)
{
	const char *pane = getenv("TMUX_PANE");

	return pane != NULL && getenv("TMUX") != NULL &&
	    tmux_id_valid(pane, '%') ? pane : NULL;
}

static int
by_options(struct self *s, const char *root, struct buf *why)
{
	struct buf answer = BUF_INIT, other = BUF_INIT;
	char *socket, *issue, *run, *dir;
	enum tmux_result result;
	int found = 0;

	if (own_pane() == NULL)
		return 0;
	socket = tmux_socket();
	result = tmux_pane_tell(socket, own_pane(), "#{@paneward_issue} "
	    "#{@paneward_run} #{@paneward_dir}", &answer, &other);
	if (result == TMUX_SILENT) {
		s->unsure = true;
		buf_adds(why, buf_str(&other));
		found = -1;
	} else if (result == TMUX_OK) {
		buf_str(&answer);
		dir = answer.data;
		issue = strsep(&dir, " ");
		run = strsep(&dir, " ");
		found = self_take_words(s, issue, run, dir, root, why);
	}
	free(socket);
	buf_release(&answer);
	buf_release(&other);
	return found;
}

/* No watcher has marked the pane yet, but its name says what it is. */
static int
self_take_name(struct self *s, const struct ground *g,
    const struct tmux_listing *l, struct buf *why)
{
	const struct tmux_pane *pane = listing_pane(l, own_pane()), *others[1];

	if (pane != NULL &&
	    paneowner_of(&g->rules, pane, s->issue) == PANEOWNER_NAME &&
	    paneowner_panes(&g->rules, l, s->issue, others, 1) == 1 &&
	    others[0] == pane)
		return open_dir(s, g->path, NULL, why) == -1 ? -1 : 1;
	s->issue[0] = '\0';
	return 0;
}

static int
by_name(struct self *s, const char *root, struct buf *why)
{
	char *socket;
	struct tmux_listing l;
	struct ground g;
	int ret = -1;

	if (own_pane() == NULL)
		return 0;
	socket = tmux_socket();
	if (tmux_list(socket, &l, why) == TMUX_OK) {
		if (ground_open(&g, root, why) == 0) {
			ret = self_take_name(s, &g, &l, why);
			ground_release(&g);
		}
		listing_release(&l);
	}
	free(socket);
	return ret;
}

struct search {
	struct self *self;
	const char  *session;
};

static void
compare_session(void *context, const char *name)
{
	struct search *search = context;
	struct self *s = search->self;
	char issue[ISSUE_MAX + 1];
	struct status r;

	if (s->issue[0] != '\0' || !issue_in_name(name, "", ".json", issue))
		return;
	if (status_read(&r, s->dir.state_fd, issue) == 1 &&
	    r.agent.session != NULL &&
	    strcmp(r.agent.session, search->session) == 0) {
		memcpy(s->issue, issue, sizeof(issue));
		memcpy(s->run, r.run, sizeof(r.run));
	}
	status_release(&r);
}

static int
by_session(struct self *s, const char *root, const char *session,
    struct buf *why)
{
	struct search search = { s, session };

	if (session == NULL || session[0] == '\0')
		return 0;
	if (open_dir(s, NULL, root, why) == -1)
		return -1;
	if (s->dir.state_fd == -1)
		return 0;
	statusdir_names(s->dir.state_fd, compare_session, &search);
	return s->issue[0] != '\0';
}

/* ---- all together -------------------------------------------------------- */

/* The record of another run says nothing of ours. */
static void
self_take_record(struct self *s, struct buf *why)
{
	const char *pane = getenv("TMUX_PANE");
	struct status *r = &s->record;
	int got = status_read(r, s->dir.state_fd, s->issue);

	if (got == -1) {
		s->unsure = true;
		buf_printf(why, "cannot read the status record of issue '%s': "
		    "%s", s->issue, errno == EBADMSG ? "it is torn" :
		    strerror(errno));
	}
	if (got == 1 && (s->run[0] == '\0' ||
	    (pane != NULL && strcmp(pane, r->place.pane) == 0)))
		memcpy(s->run, r->run, sizeof(s->run));
	if (strcmp(r->run, s->run) != 0) {
		status_release(r);
		status_init(r, s->issue);
	}
}

void
self_init(struct self *s)
{
	*s = (struct self){ .dir = STATUSDIR_INIT };
	status_init(&s->record, "");
}

int
self_find(struct self *s, enum self_how how, const char *root,
    const char *session, struct buf *why)
{
	int found;

	self_init(s);
	found = self_take_words(s, getenv("PANEWARD_ISSUE"),
	    getenv("PANEWARD_RUN"), getenv("PANEWARD_STATUS_DIR"), root, why);
	if (found == 0 && how >= SELF_OPTIONS)
		found = by_options(s, root, why);
	if (found == 0 && how == SELF_ALL)
		found = by_name(s, root, why);
	if (found == 0 && how == SELF_ALL)
		found = by_session(s, root, session, why);
	if (found == 1)
		self_take_record(s, why);
	return found;
}

void
self_release(struct self *s)
{
	statusdir_close(&s->dir);
	status_release(&s->record);
}
