/*
 * These are the promises of notify.h, by the kernel or by polling.  notify-stat.c
 * runs them once more.  tests/faults/directory.sh has a kernel that loses events,
 * or has no more to tell.
 */
#include "os/notify.h"

#include <poll.h>

#include "unit/children.h"

static struct notify *f;                /* of this test */

/* What was told about the watches, in one reading or several. */
struct told {
	unsigned times[NOTIFY_LOST + 1], all;
	int      watch;                 /* of the last one */
	char     name[64];              /* of the last entry that had one */
};

static void
note(void *context, int watch, enum notify_change change, const char *name)
{
	struct told *t = context;

	t->times[change]++;
	t->all++;
	t->watch = watch;
	if (name != NULL)
		snprintf(t->name, sizeof(t->name), "%s", name);
}

/* All that is told now. */
static struct told
read_all(void)
{
	struct told t = { .watch = -1 };
	struct pollfd p = { .fd = f->fd, .events = POLLIN };

	if (p.fd == -1)
		notify_read(f, note, &t);
	else
		while (poll(&p, 1, 20) == 1)
			notify_read(f, note, &t);
	return t;
}

#define is_quiet() (read_all().all == 0)

static void
begin(void)
{
	int without_kernel = -1;

	notify_free(f);
	f = notify_new(&without_kernel);
	ok(without_kernel == 0 && f->period > 0 && f->period < 60000);
}

/* inotify tells names, what was moved, and everything or that some is lost;
 * kqueue does not, nor does comparing. */
static bool
names_entries(void)
{
#if defined(__linux__) && !defined(EVFILT_VNODE)
	return f->fd != -1;
#else
	return false;
#endif
}

/* It was changed long ago, so that any change is news. */
static int
watch_open(int fd, enum notify_what kind)
{
	static const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	int aged = futimens(fd, old), watch = notify_watch(f, fd, kind);

	ok(aged == 0 && watch >= 0);
	close(fd);
	return watch;
}

static int
watch_as(const char *name, enum notify_what kind)
{
	return watch_open(open(scratch_path(name), O_RDONLY | O_CLOEXEC), kind);
}

TEST(what_happens_to_what_is_watched_is_told) {
	static const struct {
		const char *before, *watched;
		enum notify_what kind;
		const char *line;
		enum notify_change change;
		const char *entry;
	} rows[] = {
		{ "mkdir new", "new", NOTIFY_DIRECTORY, ": >new/a",
		    NOTIFY_ENTRY, "a" },
		{ "mkdir into; : >beside", "into", NOTIFY_DIRECTORY,
		    "mv beside into/b", NOTIFY_ENTRY, "b" },
		{ "mkdir link", "link", NOTIFY_DIRECTORY, "ln -s no link/l",
		    NOTIFY_ENTRY, "l" },
		{ "mkdir renames; : >renames/a", "renames", NOTIFY_RENAMES,
		    "mv renames/a renames/b", NOTIFY_ENTRY, "b" },
#ifndef REMOVAL_UNSEEN
		{ "mkdir gone", "gone", NOTIFY_DIRECTORY, "rmdir gone",
		    NOTIFY_LOST },
#endif
		{ "mkdir moved", "moved", NOTIFY_DIRECTORY, "mv moved away",
		    NOTIFY_LOST },
		{ "echo a >grows", "grows", NOTIFY_FILE, "echo b >>grows",
		    NOTIFY_CONTENT },
		{ "echo a >empty", "empty", NOTIFY_FILE, ": >empty",
		    NOTIFY_CONTENT },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct told t;
		int watch;

		begin();
		sh("%s", rows[i].before);
		watch = watch_as(rows[i].watched, rows[i].kind);
		sh("%s", rows[i].line);
		t = read_all();
		ok(t.times[rows[i].change] > 0);
		is_number(t.watch, watch);
		ok(rows[i].change == NOTIFY_LOST || t.times[NOTIFY_LOST] == 0);
		if (rows[i].entry != NULL)
			is_text(t.name, names_entries() ? rows[i].entry : "");
	}
}

TEST(of_a_directory_watched_for_renames_what_is_made_there_is_not_told) {
	begin();
	watch_as("renames", NOTIFY_RENAMES);
	scratch_write("renames/new", "x");
	/* Only inotify tells them apart. */
	is_number(read_all().all, names_entries() ? 0 : 1);
}

/* It is held, so that nothing else tells that it went. */
TEST(a_file_that_is_moved_or_removed_is_told) {
	int held;

	begin();
	scratch_write("file", "a");
	watch_as("file", NOTIFY_FILE);
	held = open(scratch_path("file"), O_RDONLY | O_CLOEXEC);
	sh("mv file file.1");
	ok(!is_quiet());
	sh("rm file.1");
	ok(!is_quiet());
	close(held);
}

TEST(where_nothing_happens_nothing_is_told) {
	begin();
	ok(notify_watch(f, -1, NOTIFY_FILE) == -1 && is_quiet());
	scratch_write("quiet/file", "a");
	watch_as("quiet", NOTIFY_DIRECTORY);
	read_all();
	ok(is_quiet());
	begin();
	watch_as("quiet/file", NOTIFY_FILE);
	ok(is_quiet());
	scratch_write("quiet/other", "a");
	ok(is_quiet());
}

TEST(watches_are_told_apart) {
	int a, b;

	begin();
	scratch_write("a", "");
	scratch_write("b", "");
	a = watch_as("a", NOTIFY_FILE);
	b = watch_as("b", NOTIFY_FILE);
	scratch_add("b", "x");
	is_number(read_all().watch, b);
	notify_unwatch(f, b);
	read_all();
	scratch_add("b", "x");
	ok(is_quiet());
	scratch_add("a", "x");
	is_number(read_all().watch, a);
	notify_unwatch(f, b);
	notify_unwatch(f, -1);
	notify_unwatch(f, 12345);
}

/* The name may be another's by the time it is watched. */
TEST(what_is_watched_is_what_was_opened) {
	int fd;

	begin();
	scratch_write("opened", "a");
	fd = open(scratch_path("opened"), O_RDONLY | O_CLOEXEC);
	ok(rename(scratch_path("opened"), scratch_path("renamed")) == 0);
	scratch_write("opened", "other");
	watch_open(fd, NOTIFY_FILE);
	read_all();
	scratch_add("renamed", "b");
	ok(read_all().times[NOTIFY_CONTENT] > 0);
}

TEST(of_what_another_machine_may_change_not_all_is_told) {
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	begin();
	is_number(f->sure, names_entries());
	if (fd != -1 && notify_watch(f, fd, NOTIFY_DIRECTORY) != -1)
		ok(!f->sure);
	if (fd != -1)
		close(fd);
}

AFTER_TESTS {
	notify_free(f);
}
