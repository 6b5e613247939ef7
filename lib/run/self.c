#include "run/self.h"

#include "run/paneowner.h"
#include "tmux/sockets.h"

/* A NULL path is that of root's project. */
static int
open_dir(struct self *s, const char *root, const char *path, struct buf *why)
{
	struct context c;
	char *own;

	statusdir_close(&s->dir);
	if (path != NULL)
		return statusdir_open(&s->dir, xstrdup(path), false, why);
	if (context_find(&c, root, why) != EXIT_DONE)
		return -1;
	own = statusdir_path(NULL, &c.config, &c.project);
	context_close(&c);
	return statusdir_open(&s->dir, own, false, why);
}

static int
self_take_words(struct self *s, const char *root, const char *issue,
    const char *run, const char *dir, struct buf *why)
{
	if (issue == NULL || !issue_valid(issue))
		return 0;
	memcpy(s->issue, issue, strlen(issue) + 1);
	if (run != NULL && run_id_valid(run))
		memcpy(s->run, run, sizeof(s->run));
	return open_dir(s, root, dir != NULL && dir[0] == '/' ? dir : NULL,
	    why) == -1 ? -1 : 1;
}

/* No watcher has marked the pane yet. */
static int
by_name(struct self *s, const char *root, const char *own, struct buf *why)
{
	char *socket, *path, *issue = s->issue;
	const struct tmux_pane *pane;
	struct server_pane others[1];
	struct paneowner_rules rules;
	struct tmux_listing l;
	struct context c;
	int ret = -1;

	if (context_find(&c, root, why) != EXIT_DONE)
		return -1;
	socket = tmux_socket();
	path = statusdir_path(NULL, &c.config, &c.project);
	rules = paneowner_open(&c);
	rules.dir = path;
	if (tmux_list(socket, &l, why) == TMUX_OK) {
		pane = listing_pane(&l, own);
		ret = pane != NULL && paneowner_of(&rules, pane, false,
		    issue) == PANEOWNER_NAME &&
		    paneowner_panes(&rules, &l, issue, "", others, 1) == 1 &&
		    others[0].pane == pane;
		if (ret == 0)
			issue[0] = '\0';
		else if (open_dir(s, root, path, why) == -1)
			ret = -1;
		listing_release(&l);
	}
	pattern_free(rules.pattern);
	free(socket);
	free(path);
	context_close(&c);
	return ret;
}

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
	struct buf answer = BUF_INIT, other = BUF_INIT;
	struct status *r = &s->record;
	pid_t server;
	const char *pane = tmux_own_pane(&server);
	char *socket, *issue, *run, *dir;
	enum tmux_result result;
	bool presumed;
	int found, got;

	self_init(s);
	found = self_take_words(s, root, getenv("PANEWARD_ISSUE"),
	    getenv("PANEWARD_RUN"), getenv("PANEWARD_STATUS_DIR"), why);
	if (found == 0 && pane != NULL && how >= SELF_OPTIONS) {
		socket = tmux_socket();
		result = tmux_pane_tell(socket, pane,
		    "#{@paneward_issue} #{@paneward_run} #{@paneward_dir}",
		    &answer, &other);
		if (result == TMUX_SILENT) {
			s->unsure = true;
			buf_adds(why, buf_str(&other));
			found = -1;
		} else if (result == TMUX_OK) {
			buf_str(&answer);
			dir = answer.data;
			issue = strsep(&dir, " ");
			run = strsep(&dir, " ");
			found = self_take_words(s, root, issue, run, dir, why);
		}
		free(socket);
		buf_release(&answer);
		buf_release(&other);
	}
	if (found == 0 && pane != NULL && how == SELF_ALL)
		found = by_name(s, root, pane, why);
	if (found != 1)
		return found;
	presumed = s->run[0] == '\0' && (how != SELF_ALL || pane == NULL);
	got = status_read(r, s->dir.state_fd, s->issue);
	if (got == -1) {
		s->unsure = true;
		buf_printf(why, "cannot read the status record of issue '%s': "
		    "%s", s->issue, errno == EBADMSG ? "it is torn" :
		    msg_reason(errno));
	}
	if (got == 1 && (presumed || tmux_here(&r->place)))
		memcpy(s->run, r->run, sizeof(s->run));
	/* A new run's agent in another pane must not report for the old run. */
	if (strcmp(r->run, s->run) != 0) {
		status_release(r);
		status_init(r, s->issue);
	}
	return 1;
}

int
self_find_session(struct self *s, const char *session, struct buf *why)
{
	char **issues = NULL, **p;
	struct status *r = &s->record;
	int got, error = 0;

	self_init(s);
	if (session == NULL || session[0] == '\0')
		return 0;
	if (open_dir(s, ".", NULL, why) == -1)
		return -1;
	if (s->dir.state_fd != -1 &&
	    (issues = status_issues(s->dir.state_fd)) == NULL)
		error = errno;
	for (p = issues; p != NULL && *p != NULL && s->issue[0] == '\0'; p++) {
		got = status_read(r, s->dir.state_fd, *p);
		if (got == -1 && !file_refused(errno))
			error = errno;
		if (got == 1 && r->agent.session != NULL &&
		    strcmp(r->agent.session, session) == 0) {
			memcpy(s->issue, r->issue, sizeof(s->issue));
			memcpy(s->run, r->run, sizeof(r->run));
		} else {
			status_release(r);
		}
	}
	argv_free(issues);
	if (s->issue[0] == '\0' && error != 0)
		buf_printf(why, "cannot read the status directory '%s': %s",
		    s->dir.path, msg_reason(error));
	return s->issue[0] != '\0' ? 1 : error != 0 ? -1 : 0;
}

void
self_release(struct self *s)
{
	statusdir_close(&s->dir);
	status_release(&s->record);
}
