#include "os/userfolder.h"

#include "os/file.h"

enum { OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* The specification ignores relative paths. */
static char *
folder_path(const char *variable, const char *usual, const char **root)
{
	*root = getenv(variable);
	if (*root != NULL && **root == '/')
		return xasprintf("%s/paneward", *root);
	*root = getenv("HOME");
	if (*root != NULL && **root == '/')
		return xasprintf("%s/%s/paneward", *root, usual);
	return NULL;
}

char *
userfolder_config(void)
{
	const char *root;

	return folder_path("XDG_CONFIG_HOME", ".config", &root);
}

static int
folder_checked(int fd)
{
	struct stat st;
	int error = fd == -1 || fstat(fd, &st) == -1 ? errno :
	    st.st_uid == geteuid() && !(st.st_mode & S_IWOTH) ? 0 : EPERM;

	if (error == 0)
		return fd;
	file_close(fd);
	errno = error;
	return -1;
}

char *
userfolder_state_path(const char *file)
{
	const char *root;
	char *folder = folder_path("XDG_STATE_HOME", ".local/state", &root);
	char *path = folder != NULL ? xasprintf("%s/%s", folder, file) : NULL;

	free(folder);
	return path;
}

int
userfolder_state(const char *name, bool make)
{
	const char *root;
	char *path = folder_path("XDG_STATE_HOME", ".local/state", &root);
	int state = -1, fd;
	struct stat st;

	errno = ENOENT;
	if (path != NULL)
		state = open(path, OPEN_FOLDER);
	/* sudo may keep HOME: root's folder would keep the user out. */
	if (path != NULL && state == -1 && errno == ENOENT && make &&
	    (stat(root, &st) == -1 || st.st_uid == geteuid()) &&
	    file_make_path(path) == 0)
		state = open(path, OPEN_FOLDER);
	free(path);
	state = folder_checked(state);
	if (state == -1 || name == NULL)
		return state;
	fd = openat(state, name, OPEN_FOLDER);
	if (fd == -1 && errno == ENOENT && make &&
	    (mkdirat(state, name, 0700) == 0 || errno == EEXIST))
		fd = openat(state, name, OPEN_FOLDER);
	file_close(state);
	return folder_checked(fd);
}
