/*
 * userfile.c ends the program where it cannot go on, so such tests run in a
 * child of their own.  tests/system/init.sh has what it does to folders, and
 * tests/faults/init.sh what an interrupted run leaves.
 */
#include "setup/setup.h"

#include "base/alloc.h"
#include "base/exitstatus.h"
#include "scratch.h"

static struct userfile
settings(void)
{
	struct userfile f;

	userfile_init(&f, xstrdup(scratch_path("home")), xstrdup(".agent"),
	    "settings");
	return f;
}

/* Reads the file; the reason if it is refused, or "". */
static const char *
read_file(struct userfile *f)
{
	static char reason[200];
	struct buf why = BUF_INIT;
	bool refused = userfile_read(f, &why) == -1;

	ok(refused == (why.len > 0));
	snprintf(reason, sizeof(reason), "%s", buf_str(&why));
	buf_release(&why);
	return reason;
}

static void
forget(struct userfile *f)
{
	userfile_end(f);
	free(f->root);
	free(f->folder);
	free(f->name);
	free(f->path);
	buf_release(&f->before);
	buf_release(&f->after);
}

static int
mode_of(const char *name)
{
	struct stat st;

	return stat(scratch_path(name), &st) == 0 ? (int)(st.st_mode & 07777) :
	    -1;
}

TEST(the_mode_stays_whatever_the_umask_is) {
	struct userfile f = settings();
	mode_t mask = umask(077);

	scratch_write("home/.agent/settings", "old");
	chmod(scratch_path("home/.agent/settings"), 0646);
	is_text(read_file(&f), "");
	buf_adds(&f.after, "old");
	f.stays = true;
	ok(!userfile_changes(&f));
	buf_adds(&f.after, "er");
	ok(userfile_changes(&f));
	userfile_begin(&f);
	userfile_put(&f, f.name, &f.after);
	forget(&f);
	is_text(scratch_text("home/.agent/settings"), "older");
	is_number(mode_of("home/.agent/settings"), 0646);
	is_number(scratch_count("home/.agent"), 1);
	umask(mask);
}

TEST(a_file_that_vanishes_before_it_is_written_stays_private) {
	struct userfile f = settings();

	scratch_write("home/.agent/settings", "secret");
	chmod(scratch_path("home/.agent/settings"), 0600);
	is_text(read_file(&f), "");
	buf_adds(&f.after, "secret, too");
	userfile_begin(&f);
	unlink(scratch_path("home/.agent/settings"));
	userfile_put(&f, f.name, &f.after);
	is_number(mode_of("home/.agent/settings"), 0600);
	forget(&f);
}

static void
check_refused(const char *want)
{
	struct userfile f = settings();

	is_text(read_file(&f), want);
	ok(!f.there);
	f.stays = true;
	forget(&f);
}

TEST(what_is_not_the_users_alone_is_refused) {
	char *name = xstrdup(scratch_path("home/.agent/settings"));

	ok(link(name, scratch_path("home/second")) == 0);
	check_refused("'settings' has several names (hard links)");
	unlink(name);
	ok(symlink("../second", name) == 0);
	check_refused("'settings' is a link, and none is followed");
	unlink(name);
	ok(mkfifo(name, 0600) == 0);
	check_refused("'settings' is no regular file");
	unlink(name);
	free(name);
}

/* The exit status of a run that begins after the change; 0: it went on. */
static int
begin_after(void (*change)(void))
{
	struct userfile f = settings();
	int status = -1;
	pid_t pid;

	scratch_write("home/.agent/settings", "old");
	is_text(read_file(&f), "");
	change();
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(STDERR_FILENO);
		userfile_begin(&f);
		_exit(0);
	}
	ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	forget(&f);
	return WEXITSTATUS(status);
}

static void
change_nothing(void)
{
}

static void
change_text(void)
{
	scratch_write("home/.agent/settings", "newer");
}

static void
change_to_none(void)
{
	unlink(scratch_path("home/.agent/settings"));
}

TEST(a_file_that_changed_since_it_was_read_ends_the_program) {
	is_number(begin_after(change_nothing), 0);
	is_number(begin_after(change_text), EXIT_COULD_NOT);
	is_number(begin_after(change_to_none), EXIT_COULD_NOT);
}
