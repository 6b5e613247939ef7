#include "loop/loop.h"

#include <poll.h>
#include <sys/stat.h>

#include "base/msg.h"
#include "run/sigfile.h"

enum {
	TICK = 30000,                   /* ms; for changes without an event */
	CLOCK_STEP = 20                 /* ms; file times lag behind clocks */
};

msec
loop_elapsed(const struct loop *l)
{
	return l->before + clock_now() - l->began;
}

msec
loop_deadline(const struct loop *l, msec now)
{
	int64_t limit = l->state.max_time;

	return limit > 0 ? now + limit * 1000 - loop_elapsed(l) : CLOCK_NEVER;
}

/* A signal from before the loop is not about it.  A file system with whole
 * seconds dates a new one back. */
bool
loop_signalled(const struct loop *l)
{
	const struct statusdir *dir = &l->context.dir;
	struct sigfile s;

	return l->state.issue != NULL && sigfile_read(&s, dir->fd, dir->owner,
	    SIGFILE_COMPLETE, l->state.issue, NULL, 0, NULL) == 0 &&
	    s.found == SIGFILE_SIGNAL &&
	    s.written >= l->state.started - (s.nsec == 0 ? SIGFILE_SLACK :
	    CLOCK_STEP);
}

void
loop_save(struct loop *l)
{
	bool warned = l->unsaved;

	l->state.elapsed = loop_elapsed(l);
	l->unsaved = loop_state_write(&l->state, l->context.dir.state_fd,
	    l->name) == -1;
	if (l->unsaved && !warned) {
		progress_wipe(&l->progress);
		warn("loop run: cannot write '%s.json' in '%s'", l->name,
		    l->context.dir.path);
	}
}

bool
loop_dir_gone(const struct loop *l)
{
	const struct statusdir *dir = &l->context.dir;
	struct stat st;

	return !statusdir_current(dir) || fstat(dir->state_fd, &st) == -1 ||
	    st.st_nlink == 0;
}

static void
ignore_change(void *context, int watch, enum notify_change change,
    const char *name)
{
	(void)context, (void)watch, (void)change, (void)name;
}

void
loop_sleep(struct loop *l, int fd, msec until)
{
	struct pollfd p[] = {
		{ .fd = l->trap, .events = POLLIN },
		{ .fd = notify_fd(l->notify), .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};
	msec now = clock_now(), tick = TICK;

	if (p[1].fd == -1)              /* no events: files are polled */
		tick = notify_period(l->notify);
	if (until - now > tick)
		until = now + tick;
	poll(p, 3, clock_until(until, now));
	notify_read(l->notify, ignore_change, NULL);
}
