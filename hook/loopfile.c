#include "hook/loopfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook/sharedfile.h"
#include "os/file.h"

static const char folder[] = ".claude";

enum { PATIENCE = 500 };        /* ms for the lock, which is held for a few */

const char *
loopfile_root(void)
{
	const char *said = getenv("CLAUDE_PROJECT_DIR");

	return said != NULL && said[0] == '/' ? said : ".";
}

bool
loopfile_agent_valid(const char *agent)
{
	size_t len = strspn(agent, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return len > 0 && agent[len] == '\0' && len <= LOOPFILE_AGENT;
}

const char *
loopfile_refusal(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is not a regular file";
	if (st->st_mode & S_IWOTH)
		return "any user can write to it; chmod it to 644";
	/* In a container, root works on the files of other users. */
	if (file_foreign(st) && geteuid() != 0)
		return "it belongs to another user";
	return NULL;
}

/* The name in the folder. */
static const char *
name_of(const struct loopfile *f)
{
	return f->path + sizeof(folder);
}

/* ---- opening it ---------------------------------------------------------- */

static enum loopfile_result
say(const struct loopfile *f, struct buf *why, enum loopfile_result result,
    const char *what)
{
	buf_printf(why, "'%s': %s", f->path, what);
	return result;
}

static enum loopfile_result
open_failed(const struct loopfile *f, struct buf *why)
{
	switch (errno) {
	case ENOENT:
		return say(f, why, LOOPFILE_MISSING, "there is no such file");
	case ELOOP:
		return say(f, why, LOOPFILE_MALFORMED, "it is a link");
	case ENOTDIR:
		return say(f, why, LOOPFILE_MALFORMED,
		    "'.claude' is no folder, or a link");
	case ENXIO:
		return say(f, why, LOOPFILE_MALFORMED,
		    "it is not a regular file");
	case EWOULDBLOCK:
		return say(f, why, LOOPFILE_FAILED,
		    "another process has held its lock for half a second");
	default:
		return say(f, why, LOOPFILE_FAILED, strerror(errno));
	}
}

/* Reads what is open and locked. */
static enum loopfile_result
load(struct loopfile *f, struct buf *why)
{
	struct buf *text = &f->state.text, wrong = BUF_INIT;
	const char *refusal;

	if (fstat(f->fd, &f->seen) == -1)
		return say(f, why, LOOPFILE_FAILED, strerror(errno));
	refusal = loopfile_refusal(&f->seen);
	if (refusal != NULL)
		return say(f, why, LOOPFILE_MALFORMED, refusal);
	if (file_read_open(f->fd, 0, text, LOOPSTATE_MAX + 1) == -1)
		return say(f, why, LOOPFILE_FAILED, strerror(errno));
	if (text->len > LOOPSTATE_MAX)
		return say(f, why, LOOPFILE_MALFORMED,
		    "it has more than 64 KiB");
	if (loopstate_parse(&f->state, &wrong) == 0)
		return LOOPFILE_OK;
	say(f, why, LOOPFILE_MALFORMED, buf_str(&wrong));
	buf_release(&wrong);
	return LOOPFILE_MALFORMED;
}

enum loopfile_result
loopfile_open(struct loopfile *f, const char *root, const char *agent,
    struct buf *why)
{
	*f = (struct loopfile)LOOPFILE_INIT;
	snprintf(f->path, sizeof(f->path), "%s/th-loop%s%s.local.md", folder,
	    agent ? "-" : "", agent ? agent : "");
	f->dir = file_folder(root, folder, false);
	if (f->dir != -1)
		f->fd = sharedfile_lock(f->dir, name_of(f), 0, PATIENCE);
	return f->fd != -1 ? load(f, why) : open_failed(f, why);
}

/* ---- writing it ---------------------------------------------------------- */

/* The disk is not waited for: this happens at the end of each turn. */
int
loopfile_write(struct loopfile *f)
{
	return sharedfile_replace(f->dir, name_of(f), &f->seen, 0600, 0,
	    &f->state.text);
}

/* The folder is locked, so that of two that begin one finds the other's. */
int
loopfile_make(struct loopfile *f, const char *root)
{
	if (f->dir == -1)
		f->dir = file_folder(root, folder, true);
	if (f->dir == -1 || file_lock(f->dir, PATIENCE) == -1)
		return -1;
	return loopfile_write(f);
}

void
loopfile_close(struct loopfile *f)
{
	if (f->fd != -1)
		close(f->fd);
	if (f->dir != -1)
		close(f->dir);
	loopstate_release(&f->state);
	*f = (struct loopfile)LOOPFILE_INIT;
}
