/*
 * These are the promises of notify.h, by the kernel or by polling.  notify-stat.c
 * runs them once more.
 */
#include "os/notify.h"

#include <errno.h>
#include <poll.h>

#include "scratch.h"

/* What was told about the watches, in one reading or several. */
struct told {
	unsigned entry, content, lost;
	int      watch;                 /* of the last one */
	char     name[64];              /* of the last entry that had one */
};

static void
note(void *context, int watch, enum notify_change change, const char *name)
{
	struct told *t = context;

	t->entry += change == NOTIFY_ENTRY;
	t->content += change == NOTIFY_CONTENT;
	t->lost += change == NOTIFY_LOST;
	t->watch = watch;
	if (name != NULL)
		snprintf(t->name, sizeof(t->name), "%s", name);
}

/* All that is told now. */
static struct told
read_all(struct notify *f)
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

static unsigned
any(struct told t)
{
	return t.entry + t.content + t.lost;
}

static struct notify *
begin(void)
{
	int without_kernel = -1;
	struct notify *f = notify_new(&without_kernel);

	is_number(without_kernel, 0);
	ok(f->period > 0 && f->period < 60000);
	return f;
}

/* inotify tells names, what was moved, and everything or that some is lost;
 * kqueue does not, nor does comparing. */
static bool
names_entries(const struct notify *f)
{
#if defined(__linux__) && !defined(EVFILT_VNODE)
	return f->fd != -1;
#else
	(void)f;
	return false;
#endif
}

/* Something that was changed long ago, so that any change is news. */
static int
open_old(const char *name)
{
	static const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	int fd = open(scratch_path(name), O_RDONLY | O_CLOEXEC);

	ok(fd != -1 && futimens(fd, old) == 0);
	return fd;
}

static int
watch_folder(struct notify *f, const char *name)
{
	int fd, watch;

	scratch_folder(name);
	fd = open_old(name);
	watch = notify_watch(f, fd, NOTIFY_DIRECTORY);
	ok(watch >= 0);
	close(fd);
	return watch;
}

static int
watch_file(struct notify *f, const char *name)
{
	int fd = open_old(name), watch = notify_watch(f, fd, NOTIFY_FILE);

	ok(watch >= 0);
	close(fd);
	return watch;
}

TEST(a_new_entry_of_a_directory_is_told) {
	struct notify *f = begin();
	int watch = watch_folder(f, "new");
	struct told t;

	scratch_write("new/a", "");
	t = read_all(f);
	ok(t.entry > 0 && t.lost == 0);
	is_number(t.watch, watch);
	is_text(t.name, !names_entries(f) ? "" : "a");
	notify_free(f);
}

TEST(an_entry_that_is_moved_into_a_directory_is_told) {
	struct notify *f = begin();
	struct told t;

	scratch_write("beside", "x");
	watch_folder(f, "into");
	ok(rename(scratch_path("beside"), scratch_path("into/b")) == 0);
	t = read_all(f);
	ok(t.entry > 0 && t.lost == 0);
	is_text(t.name, !names_entries(f) ? "" : "b");
	notify_free(f);
}

TEST(of_a_directory_watched_for_renames_what_is_made_there_is_not_told) {
	struct notify *f = begin();
	struct told t;
	int fd;

	scratch_folder("renames");
	fd = open_old("renames");
	ok(notify_watch(f, fd, NOTIFY_RENAMES) >= 0);
	close(fd);
	scratch_write("renames/a", "x");
	t = read_all(f);
	/* Only inotify tells them apart. */
	is_number(t.entry + t.lost, names_entries(f) ? 0 : 1);
	close(open_old("renames"));
	ok(rename(scratch_path("renames/a"), scratch_path("renames/b")) == 0);
	t = read_all(f);
	ok(t.entry > 0 && t.lost == 0);
	is_text(t.name, !names_entries(f) ? "" : "b");
	notify_free(f);
}

TEST(a_link_that_is_made_in_a_directory_is_told) {
	struct notify *f = begin();

	watch_folder(f, "links");
	ok(symlink("nowhere", scratch_path("links/l")) == 0);
	ok(read_all(f).entry > 0);
	notify_free(f);
}

TEST(a_directory_that_is_removed_is_lost) {
	struct notify *f = begin();

	watch_folder(f, "removed");
	ok(rmdir(scratch_path("removed")) == 0);
	ok(read_all(f).lost > 0);
	notify_free(f);
}

TEST(a_directory_that_is_moved_is_lost) {
	struct notify *f = begin();

	watch_folder(f, "moved");
	ok(rename(scratch_path("moved"), scratch_path("away")) == 0);
	ok(read_all(f).lost > 0);
	notify_free(f);
}

TEST(a_file_that_grows_is_told) {
	struct notify *f = begin();
	struct told t;
	int watch;

	scratch_write("grows", "a");
	watch = watch_file(f, "grows");
	scratch_add("grows", "b");
	t = read_all(f);
	ok(t.content > 0 && t.lost == 0);
	is_number(t.watch, watch);
	notify_free(f);
}

TEST(a_file_that_is_emptied_is_told) {
	struct notify *f = begin();

	scratch_write("emptied", "a");
	watch_file(f, "emptied");
	scratch_write("emptied", "");
	ok(read_all(f).content > 0);
	notify_free(f);
}

TEST(a_file_that_is_moved_or_removed_is_told) {
	struct notify *f = begin();
	int held;

	scratch_write("file", "a");
	watch_file(f, "file");
	ok(rename(scratch_path("file"), scratch_path("file.1")) == 0);
	ok(any(read_all(f)) > 0);
	held = open(scratch_path("file.1"), O_RDONLY | O_CLOEXEC);
	ok(unlink(scratch_path("file.1")) == 0);
	ok(any(read_all(f)) > 0);
	close(held);
	notify_free(f);
}

TEST(where_nothing_happens_nothing_is_told) {
	struct notify *f = begin();

	scratch_write("quiet/file", "a");
	watch_folder(f, "quiet");
	read_all(f);
	is_number(any(read_all(f)), 0);
	notify_free(f);
	f = begin();
	watch_file(f, "quiet/file");
	is_number(any(read_all(f)), 0);
	scratch_write("quiet/other", "a");
	is_number(any(read_all(f)), 0);
	notify_free(f);
}

TEST(watches_are_told_apart) {
	struct notify *f = begin();
	struct told t;
	int a, b;

	scratch_write("a", "");
	scratch_write("b", "");
	a = watch_file(f, "a");
	b = watch_file(f, "b");
	ok(a != b);
	scratch_add("b", "x");
	t = read_all(f);
	ok(t.content > 0);
	is_number(t.watch, b);
	notify_unwatch(f, b);
	read_all(f);
	scratch_add("b", "x");
	is_number(any(read_all(f)), 0);
	scratch_add("a", "x");
	t = read_all(f);
	ok(t.content > 0);
	is_number(t.watch, a);
	notify_unwatch(f, a);
	notify_unwatch(f, a);
	notify_unwatch(f, -1);
	notify_unwatch(f, 12345);
	notify_free(f);
}

/* The name may be another's by the time it is watched. */
TEST(what_is_watched_is_what_was_opened) {
	struct notify *f = begin();
	int fd;

	scratch_write("opened", "a");
	fd = open_old("opened");
	ok(rename(scratch_path("opened"), scratch_path("renamed")) == 0);
	scratch_write("opened", "other");
	ok(notify_watch(f, fd, NOTIFY_FILE) >= 0);
	close(fd);
	read_all(f);
	scratch_add("renamed", "b");
	ok(read_all(f).content > 0);
	notify_free(f);
}

TEST(what_is_not_open_cannot_be_watched) {
	struct notify *f = begin();

	ok(notify_watch(f, -1, NOTIFY_DIRECTORY) == -1);
	ok(notify_watch(f, -1, NOTIFY_FILE) == -1);
	is_number(any(read_all(f)), 0);
	notify_free(f);
	notify_free(NULL);
}

/* More events than the kernel keeps for us. */
TEST(when_hints_were_lost_everything_is_to_be_looked_at) {
	FILE *limit = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
	struct notify *f = begin();
	int i, most = 0;
	struct told t;

	if (limit != NULL) {
		ok(fscanf(limit, "%d", &most) == 1);
		fclose(limit);
	}
	if (!names_entries(f) || most > 100000) {
		notify_free(f);
		return;
	}
	watch_folder(f, "busy");
	scratch_write("busy/0", "");
	for (i = 0; i <= most; i++) {
		if (renameat(scratch_fd, i % 2 ? "busy/1" : "busy/0",
		    scratch_fd, i % 2 ? "busy/0" : "busy/1") == -1)
			break;
	}
	is_number(i, most + 1);
	t = read_all(f);
	ok(t.lost > 0);
	notify_free(f);
}

static void
look_without_descriptors(void)
{
	struct rlimit limit = { 3, 3 };
	struct told t = { .watch = 0 };
	int without_kernel = 0;
	struct notify *f;

	ok(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	f = notify_new(&without_kernel);
	ok(f != NULL);
	if (without_kernel == 0)
		return;                 /* it never asks the kernel */
	is_number(without_kernel, EMFILE);
	is_number(f->fd, -1);
	ok(f->period > 0 && f->period < 60000);
	errno = 0;
	ok(notify_watch(f, 0, NOTIFY_DIRECTORY) == -1 && errno == ENOSPC);
	ok(notify_watch(f, 0, NOTIFY_FILE) == -1 && errno == ENOSPC);
	notify_unwatch(f, 0);
	notify_read(f, note, &t);
	is_number(t.lost, 1);
	is_number(t.watch, -1);
	notify_free(f);
}

TEST(without_the_kernel_somebody_is_asked_to_look) {
	scratch_apart(look_without_descriptors);
}

TEST(of_what_another_machine_may_change_not_all_is_told) {
	struct notify *f = begin();
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	is_number(f->sure, names_entries(f));
	if (fd != -1 && notify_watch(f, fd, NOTIFY_DIRECTORY) != -1)
		ok(!f->sure);
	if (fd != -1)
		close(fd);
	notify_free(f);
}
