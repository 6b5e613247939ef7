#include "run/self.h"

#include "os/file.h"
#include "run/paneowner.h"

/* What self_find() is given, and what it finds. */
struct search {
	struct self *self;
	const char  *root;
	struct buf  *why;
};

/* Opens the status directory; NULL is that of root's project. */
static int
open_dir(const struct search *search, const char *path)
{
	struct statusdir *dir = &search->self->dir;
	struct context c;
	char *own;

	statusdir_close(dir);
	if (path != NULL)
		return statusdir_open(dir, xstrdup(path), false, search->why);
	if (context_find(&c, search->root, search->why) != EXIT_DONE)
		return -1;
	own = statusdir_path(NULL, &c.config, &c.project);
	context_close(&c);
	return statusdir_open(dir, own, false, search->why);
}

/* ---- ways to find it ----------------------------------------------------- */

static int
self_take_words(struct search *search, const char *issue,
    const char *run, const char *dir)
{
	struct self *s = search->self;

	if (issue == NULL || !issue_valid(issue))
		return 0;
	memcpy(s->issue, issue, strlen(issue) + 1);
	if (run != NULL && run_id_valid(run))
		memcpy(s->run, run, sizeof(s->run));
	return open_dir(search, dir != NULL && dir[0] == '/' ? dir : NULL) ==
	    -1 ? -1 : 1;
}

static int
by_options(struct search *search, const char *pane)
{
	struct buf answer = BUF_INIT, other = BUF_INIT;
	char *socket = tmux_socket(), *issue, *run, *dir;
	enum tmux_result result = tmux_pane_tell(socket, pane,
	    "#{@paneward_issue} #{@paneward_run} #{@paneward_dir}", &answer,
	    &other);
	int found = 0;

	if (result == TMUX_SILENT) {
		search->self->unsure = true;
		buf_adds(search->why, buf_str(&other));
		found = -1;
	} else if (result == TMUX_OK) {
		buf_str(&answer);
		dir = answer.data;
		issue = strsep(&dir, " ");
		run = strsep(&dir, " ");
		found = self_take_words(search, issue, run, dir);
	}
	free(socket);
	buf_release(&answer);
	buf_release(&other);
	return found;
}

/* No watcher has marked the pane yet, but its name holds the issue. */
static int
by_name(struct search *search, const char *own)
{
	char *socket, *path, *issue = search->self->issue;
	const struct tmux_pane *pane;
	struct server_pane others[1];
	struct paneowner_rules rules;
	struct tmux_listing l;
	struct context c;
	int ret = -1;

	if (context_find(&c, search->root, search->why) != EXIT_DONE)
		return -1;
	socket = tmux_socket();
	path = statusdir_path(NULL, &c.config, &c.project);
	rules = paneowner_open(&c);
	rules.dir = path;
	if (tmux_list(socket, &l, search->why) == TMUX_OK) {
		pane = listing_pane(&l, own);
		ret = pane != NULL && paneowner_of(&rules, pane, false,
		    issue) == PANEOWNER_NAME &&
		    paneowner_panes(&rules, &l, issue, "", others, 1) == 1 &&
		    others[0].pane == pane;
		if (ret == 0)
			issue[0] = '\0';
		else if (open_dir(search, path) == -1)
			ret = -1;
		listing_release(&l);
	}
	pattern_free(rules.pattern);
	free(socket);
	free(path);
	context_close(&c);
	return ret;
}

/* ---- all together -------------------------------------------------------- */

void
self_init(struct self *s)
{
	*s = (struct self){ .dir = STATUSDIR_INIT };
	status_init(&s->record, "");
}

int
self_find(struct self *s, enum self_how how, const char *root,
    struct buf *why)
{
	struct search search = { .self = s, .root = root, .why = why };
	struct status *r = &s->record;
	bool presumed;
	pid_t server;
	const char *pane = tmux_own_pane(&server);
	int found, got;

	self_init(s);
	found = self_take_words(&search, getenv("PANEWARD_ISSUE"),
	    getenv("PANEWARD_RUN"), getenv("PANEWARD_STATUS_DIR"));
	if (found == 0 && pane != NULL && how >= SELF_OPTIONS)
		found = by_options(&search, pane);
	if (found == 0 && pane != NULL && how == SELF_ALL)
		found = by_name(&search, pane);
	if (found != 1)
		return found;
	presumed = s->run[0] == '\0' && (how != SELF_ALL || pane == NULL);
	got = status_read(r, s->dir.state_fd, s->issue);
	if (got == -1) {
		s->unsure = true;
		buf_printf(why, "cannot read the status record of issue '%s': "
		    "%s", s->issue, errno == EBADMSG ? "it is torn" :
		    strerror(errno));
	}
	if (got == 1 && (presumed || tmux_here(&r->place)))
		memcpy(s->run, r->run, sizeof(s->run));
	/* The record of another run does not count.  What a new run's agent in
	 * another pane reports must not be recorded for the old run. */
	if (strcmp(r->run, s->run) != 0) {
		status_release(r);
		status_init(r, s->issue);
	}
	return 1;
}

int
self_find_session(struct self *s, const char *root, const char *session,
    struct buf *why)
{
	struct search search = { s, root, why };
	char **names = NULL, **p, issue[ISSUE_MAX + 1];
	struct status *r = &s->record;
	int got, error = 0;

	self_init(s);
	if (session == NULL || session[0] == '\0')
		return 0;
	if (open_dir(&search, NULL) == -1)
		return -1;
	if (s->dir.state_fd != -1 &&
	    (names = statusdir_names(s->dir.state_fd)) == NULL)
		error = errno;
	for (p = names; p != NULL && *p != NULL && s->issue[0] == '\0'; p++) {
		if (!issue_in_name(*p, "", ".json", issue))
			continue;
		got = status_read(r, s->dir.state_fd, issue);
		if (got == -1 && !file_refused(errno))
			error = errno;
		if (got == 1 && r->agent.session != NULL &&
		    strcmp(r->agent.session, session) == 0) {
			memcpy(s->issue, issue, sizeof(issue));
			memcpy(s->run, r->run, sizeof(r->run));
		} else {
			status_release(r);
		}
	}
	argv_free(names);
	if (s->issue[0] == '\0' && error != 0)
		buf_printf(why, "cannot read the status directory '%s': %s",
		    s->dir.path, strerror(error));
	return s->issue[0] != '\0' ? 1 : error != 0 ? -1 : 0;
}

void
self_release(struct self *s)
{
	statusdir_close(&s->dir);
	status_release(&s->record);
}
