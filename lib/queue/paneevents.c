#include "queue/paneevents.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "os/proc.h"
#include "os/userfolder.h"
#include "tmux/tmux.h"

enum {
	TIDY_MOST = 256,                /* files looked at */
	TIDY_SIZE = 1 << 20             /* bytes that a pane's sessions leave */
};

int
paneevents_open(bool make)
{
	return userfolder_state("panes", make);
}

bool
paneevents_name(char name[ISSUE_MAX + 1], const char *pane, pid_t server)
{
	if (!tmux_id_valid(pane, '%') || server <= 0)
		return false;
	snprintf(name, ISSUE_MAX + 1, "%s-%ld", pane + 1, (long)server);
	return true;
}

/* Was it written by a server that is gone?  Another process may have its
 * id. */
static bool
is_left_over(int folder, const char *file)
{
	struct stat st;
	struct proc p;
	int server, used = 0;

	if (sscanf(file, "%*[0-9]-%d.%n", &server, &used) != 1 || used == 0 ||
	    (strcmp(file + used, "records") != 0 &&
	    strcmp(file + used, "seen") != 0) ||
	    fstatat(folder, file, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return false;
	if (proc_read(&p, server) == -1)
		return errno == ESRCH;
	return p.began > 0 && file_mtime(&st) < p.began - 1000;
}

static void
paneevents_tidy(int folder, const char *name)
{
	char own[ISSUE_FILE];
	const struct dirent *e;
	struct stat st;
	unsigned most = TIDY_MOST;
	DIR *d = file_opendir(folder, ".");

	while (d != NULL && most-- > 0 && (e = readdir(d)) != NULL)
		if (is_left_over(folder, e->d_name))
			unlinkat(folder, e->d_name, 0);
	if (d != NULL)
		closedir(d);
	issue_file(own, name, "records");
	if (fstatat(folder, own, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_size > TIDY_SIZE)
		unlinkat(folder, own, 0);
}

int
paneevents_add(const struct event *e, int folder, const char *name)
{
	if (e->type == EVENT_SESSION)
		paneevents_tidy(folder, name);
	return event_add(e, folder, name);
}
