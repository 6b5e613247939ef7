#include "tmux/sockets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "tmux/tmux.h"

bool
socket_dead(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd, ret;

	if (strlen(path) >= sizeof(at.sun_path))
		return false;
	memcpy(at.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd == -1)
		return false;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	ret = connect(fd, (struct sockaddr *)&at, sizeof(at));
	ret = ret == -1 && (errno == ECONNREFUSED || errno == ENOENT ||
	    errno == ENOTDIR);
	close(fd);
	return ret;
}

/* The folder, open; NULL with anything that tmux would refuse, too. */
static DIR *
open_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	DIR *d = NULL;

	if (fd != -1 && fstat(fd, &st) == 0 && st.st_uid == getuid() &&
	    !(st.st_mode & S_IRWXO))
		d = fdopendir(fd);
	if (fd != -1 && d == NULL)
		close(fd);
	return d;
}

char **
sockets_of_user(void)
{
	char *usual = tmux_usual_socket(), *path, **sockets = NULL;
	const struct dirent *e;
	struct stat st;
	DIR *d;

	*strrchr(usual, '/') = '\0';
	d = open_folder(usual);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ==
		    -1 || !S_ISSOCK(st.st_mode) || st.st_uid != getuid())
			continue;
		path = xasprintf("%s/%s", usual, e->d_name);
		if (!socket_dead(path))
			sockets = argv_add(sockets, path);
		free(path);
	}
	if (d != NULL)
		closedir(d);
	free(usual);
	return sockets;
}
