#include "os/sharedfile.h"

#include "os/file.h"

int
sharedfile_lock(int dir, const char *name, int flags, msec patience)
{
	struct stat ours, there;
	int fd;

	for (;;) {
		fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
		    O_NOCTTY | O_CLOEXEC | flags, 0666);
		if (fd == -1 || file_lock(fd, patience) == -1) {
			file_close(fd);
			return -1;
		}
		if (fstat(fd, &ours) == 0 && fstatat(dir, name, &there,
		    AT_SYMLINK_NOFOLLOW) == 0 && ours.st_dev == there.st_dev &&
		    ours.st_ino == there.st_ino)
			return fd;
		close(fd);
	}
}

const char *
sharedfile_why(int error)
{
	return error == ELOOP ? "it is a link" :
	    error == EINVAL || error == ENXIO ? "it is not a regular file" :
	    error == ENOTDIR ? "it is no folder, or a link" : strerror(error);
}

int
sharedfile_look(int dir, const char *name, struct stat *st)
{
	*st = (struct stat){ .st_size = 0 };
	return fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == 0 ||
	    errno == ENOENT ? 0 : -1;
}

/* The lock holder removes a killed writer's file. */
int
sharedfile_replace(int dir, const char *name, const struct stat *seen,
    mode_t mode, enum sharedfile_how how, const struct buf *text)
{
	char *beside = xasprintf(".%s.tmp", name);
	struct stat now;
	bool there = seen->st_ino != 0;
	int fd, ret = -1, saved;

	if (there)
		mode = 0600;            /* until it has the owner */
	unlinkat(dir, beside, 0);
	fd = openat(dir, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, mode);
	if (fd != -1 && file_write(fd, text->data, text->len) == 0 &&
	    (!there || (fstat(fd, &now) == 0 &&
	    ((seen->st_uid == now.st_uid && seen->st_gid == now.st_gid) ||
	    fchown(fd, seen->st_uid, seen->st_gid) == 0 ||
	    (errno == EPERM && !(how & SHAREDFILE_OWNER))) &&
	    fchmod(fd, seen->st_mode & 07777) == 0)) &&
	    (!(how & SHAREDFILE_SYNC) || fsync(fd) == 0)) {
		/* A writer without the lock loses its writes between here and
		 * the rename, and those to a descriptor opened before. */
		if (sharedfile_look(dir, name, &now) == 0 &&
		    now.st_dev == seen->st_dev && now.st_ino == seen->st_ino &&
		    now.st_size == seen->st_size && file_same_times(&now, seen))
			ret = renameat(dir, beside, dir, name);
		else
			errno = ESTALE;
	}
	saved = errno;
	if (fd != -1 && ret == -1)
		unlinkat(dir, beside, 0);
	errno = saved;
	file_close(fd);
	if (ret == 0 && how & SHAREDFILE_SYNC)
		ret = fsync(dir);
	free(beside);
	return ret;
}
