#include "run/self.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "run/config.h"
#include "run/project.h"
#include "tmux/tmux.h"

/* What somebody says of the run we are of.  *path is its status directory;
 * NULL: the project's. */
static bool
take(struct ownrun *own, const char *issue, const char *run, const char *dir,
    char **path)
{
	if (issue == NULL || !issue_valid(issue))
		return false;
	memcpy(own->issue, issue, strlen(issue) + 1);
	if (run != NULL && run_id_valid(run))
		memcpy(own->run, run, sizeof(own->run));
	*path = dir != NULL && dir[0] == '/' ? xstrdup(dir) : NULL;
	return true;
}

/* What the options of our pane say.  No pane, no server: no run is known. */
static bool
ask_pane(struct ownrun *own, char **path, struct buf *why)
{
	const char *pane = getenv("TMUX_PANE");
	struct buf answer = BUF_INIT, other = BUF_INIT;
	char *socket, *issue, *run, *dir;
	enum tmux_result result;
	bool found = false;

	if (pane == NULL || getenv("TMUX") == NULL ||
	    !tmux_id_valid(pane, '%'))
		return false;
	socket = tmux_socket();
	result = tmux_pane_tell(socket, pane, "#{@paneward_issue} "
	    "#{@paneward_run} #{@paneward_dir}", &answer, &other);
	if (result == TMUX_SILENT) {
		own->unsure = true;
		buf_adds(why, buf_str(&other));
	}
	if (result == TMUX_OK) {
		buf_str(&answer);
		dir = answer.data;
		issue = strsep(&dir, " ");
		run = strsep(&dir, " ");
		found = take(own, issue, run, dir, path);
	}
	free(socket);
	buf_release(&answer);
	buf_release(&other);
	return found;
}

/* The status directory of the project around the folder, or NULL. */
static char *
project_dir(const char *root, struct buf *why)
{
	struct project project;
	struct config config;
	char *path = NULL;

	if (project_find(&project, root) == -1) {
		buf_printf(why, "cannot find the project: %s",
		    strerror(errno));
		return NULL;
	}
	if (config_read(&config, &project, why) == 0) {
		path = statusdir_path(NULL, &config, &project);
		config_release(&config);
	}
	project_release(&project);
	return path;
}

/* The record of another run says nothing of ours. */
static void
take_record(struct ownrun *own, struct buf *why)
{
	struct status *r = &own->record;
	int got = status_read(r, own->dir.state_fd, own->issue);

	if (got == -1) {
		own->unsure = true;
		buf_printf(why, "cannot read the status record of issue '%s': "
		    "%s", own->issue, errno == EBADMSG ? "it is torn" :
		    strerror(errno));
	}
	if (got == 1 && own->run[0] == '\0')
		memcpy(own->run, r->run, sizeof(own->run));
	if (strcmp(r->run, own->run) != 0) {
		status_release(r);
		status_init(r, own->issue);
	}
}

void
ownrun_init(struct ownrun *own)
{
	*own = (struct ownrun){ .dir = STATUSDIR_INIT };
	status_init(&own->record, "");
}

bool
ownrun_find(struct ownrun *own, const char *root, struct buf *why)
{
	char *path = NULL;
	bool narrowed;

	ownrun_init(own);
	if (!take(own, getenv("PANEWARD_ISSUE"), getenv("PANEWARD_RUN"),
	    getenv("PANEWARD_STATUS_DIR"), &path) && !ask_pane(own, &path, why))
		return false;
	if (path == NULL)
		path = project_dir(root, why);
	if (path == NULL ||
	    statusdir_open(&own->dir, path, false, why, &narrowed) == -1)
		return false;
	take_record(own, why);
	return true;
}

void
ownrun_release(struct ownrun *own)
{
	statusdir_close(&own->dir);
	status_release(&own->record);
}
