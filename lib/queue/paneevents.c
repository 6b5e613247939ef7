#include "queue/paneevents.h"

#include <signal.h>

#include "tmux/tmux.h"

enum {
	TIDY_MOST = 1024,               /* files */
	LEFT = 86400000,                /* ms that they stay */
	TIDY_SIZE = 1 << 20             /* bytes of a pane's earlier sessions */
};

struct statusdir
paneevents_dir(bool make)
{
	char *path = userfolder_state_path("panes");

	return (struct statusdir){ .path = path != NULL ? path :
	    xstrdup("panes"), .fd = -1, .state_fd = paneevents_open(make),
	    .owner = geteuid() };
}

bool
paneevents_name(char name[ISSUE_MAX + 1], const char *pane, pid_t server)
{
	if (!tmux_id_valid(pane, '%') || server <= 0)
		return false;
	snprintf(name, ISSUE_MAX + 1, "%s-%ld", pane + 1, (long)server);
	return true;
}

/* A new process with the server's pid keeps the file. */
void
paneevents_tidy(int folder)
{
	const struct dirent *e;
	unsigned most = TIDY_MOST;
	DIR *d = file_opendir(folder, ".");
	int server, used;
	struct stat st;

	while (d != NULL && most-- > 0 && (e = readdir(d)) != NULL) {
		used = 0;
		if (sscanf(e->d_name, "%*[0-9]-%d.%n", &server, &used) == 1 &&
		    used != 0 && kill(server, 0) == -1 && errno == ESRCH &&
		    fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    file_mtime(&st) + LEFT < clock_wall())
			unlinkat(folder, e->d_name, 0);
	}
	if (d != NULL)
		closedir(d);
}

int
paneevents_add(const struct event *e, int folder, const char *name)
{
	char own[ISSUE_FILE];
	struct stat st;

	if (e->type == EVENT_SESSION) {
		paneevents_tidy(folder);
		if (fstatat(folder, issue_file(own, name, "records"), &st,
		    AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > TIDY_SIZE)
			unlinkat(folder, own, 0);
	}
	return event_add(e, folder, name);
}
