#include "tmux/sockets.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "os/file.h"
#include "tmux/tmux.h"

char *
tmux_socket(void)
{
	const char *tmux = getenv("TMUX");

	return tmux != NULL && tmux[0] == '/' ?
	    xstrndup(tmux, strcspn(tmux, ",")) : tmux_usual_socket();
}

char *
tmux_usual_socket(void)
{
	const char *dir = getenv("TMUX_TMPDIR");

	return xasprintf("%s/tmux-%ld/default",
	    dir != NULL && dir[0] != '\0' ? dir : "/tmp", (long)getuid());
}

/* $TMUX is socket,pid,number. */
const char *
tmux_own_pane(pid_t *server)
{
	const char *tmux = getenv("TMUX"), *pane = getenv("TMUX_PANE");
	const char *at = tmux != NULL ? strchr(tmux, ',') : NULL;
	char end = ',';

	if (at == NULL || pane == NULL || !tmux_id_valid(pane, '%') ||
	    sscanf(at, ",%d%c", server, &end) < 1 || end != ',' || *server <= 0)
		return NULL;
	return pane;
}

/* Two paths may lead to one server. */
bool
tmux_here(const struct pane_ref *p)
{
	pid_t server;
	const char *pane = tmux_own_pane(&server);

	return pane != NULL && p->socket != NULL && server == p->server &&
	    strcmp(pane, p->pane) == 0;
}

bool
socket_dead(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	bool dead;
	int fd;

	if (strlen(path) >= sizeof(at.sun_path) ||
	    (fd = socket(AF_UNIX, SOCK_STREAM, 0)) == -1)
		return false;
	memcpy(at.sun_path, path, strlen(path));
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	dead = connect(fd, (struct sockaddr *)&at, sizeof(at)) == -1 &&
	    (errno == ECONNREFUSED || file_missing(errno));
	close(fd);
	return dead;
}

char **
sockets_of_user(void)
{
	char *usual = tmux_usual_socket(), *path, **sockets = NULL;
	const struct dirent *e;
	struct stat st;
	DIR *d = NULL;
	int fd, error = 0;

	*strrchr(usual, '/') = '\0';
	fd = open(usual, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1 || fstat(fd, &st) == -1)
		error = file_missing(errno) || errno == ELOOP ? 0 : errno;
	/* tmux would refuse another folder, too. */
	else if (st.st_uid == getuid() && !(st.st_mode & S_IRWXO) &&
	    (d = fdopendir(fd)) == NULL)
		error = errno;
	if (d == NULL)
		file_close(fd);
	while (d != NULL && (e = file_next(d)) != NULL) {
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ==
		    -1 || !S_ISSOCK(st.st_mode) || st.st_uid != getuid())
			continue;
		path = xasprintf("%s/%s", usual, e->d_name);
		if (!socket_dead(path))
			sockets = argv_add(sockets, path);
		free(path);
	}
	if (d != NULL && errno != 0)
		error = errno;
	if (d != NULL)
		closedir(d);
	free(usual);
	if (error != 0) {
		argv_free(sockets);
		sockets = NULL;
	}
	errno = error;
	return sockets;
}
