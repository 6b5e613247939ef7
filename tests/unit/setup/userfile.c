/*
 * userfile.c ends the program where it cannot go on, so such tests run in a
 * child of their own.
 */
#include "setup/setup.h"

#include "base/alloc.h"
#include "base/exitstatus.h"
#include "scratch.h"

/* Begins with an empty home folder; the file is .agent/deep/settings. */
static struct userfile
file_of(const char *folder)
{
	struct userfile f;

	userfile_init(&f, xstrdup(scratch_path("home")), xstrdup(folder),
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

/* Writes the text as init does. */
static void
write_file(const char *folder, const char *text)
{
	struct userfile f = file_of(folder);

	is_text(read_file(&f), "");
	f.stays = true;
	buf_adds(&f.after, text);
	userfile_begin(&f);
	if (userfile_changes(&f))
		userfile_put(&f, f.name, &f.after);
	forget(&f);
}

/* Removes the file as init does. */
static void
remove_file(const char *folder)
{
	struct userfile f = file_of(folder);

	is_text(read_file(&f), "");
	f.stays = false;
	userfile_begin(&f);
	is_number(unlinkat(f.fd, f.name, 0), 0);
	forget(&f);
}

static int
mode_of(const char *name)
{
	struct stat st;

	return stat(scratch_path(name), &st) == 0 ? (int)(st.st_mode & 07777) :
	    -1;
}

TEST(a_file_is_written_with_its_folders_and_removed_with_them) {
	scratch_folder("home/own");
	write_file(".agent/deep", "{}\n");
	is_text(scratch_text("home/.agent/deep/settings"), "{}\n");
	is_number(scratch_count("home/.agent/deep"), 1);
	remove_file(".agent/deep");
	is_number(scratch_count("home"), 1);
}

TEST(a_folder_with_another_file_stays) {
	write_file(".agent/deep", "{}\n");
	scratch_write("home/.agent/mine", "");
	remove_file(".agent/deep");
	is_number(scratch_count("home/.agent"), 1);
	unlink(scratch_path("home/.agent/mine"));
}

TEST(the_mode_stays_whatever_the_umask_is) {
	mode_t mask = umask(077);

	scratch_write("home/.agent/settings", "old");
	chmod(scratch_path("home/.agent/settings"), 0646);
	write_file(".agent", "new");
	is_text(scratch_text("home/.agent/settings"), "new");
	is_number(mode_of("home/.agent/settings"), 0646);
	umask(mask);
}

TEST(a_file_that_vanishes_before_it_is_written_stays_private) {
	struct userfile f = file_of(".agent");

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

TEST(the_same_text_is_no_change) {
	struct userfile f = file_of(".agent");

	scratch_write("home/.agent/settings", "text");
	is_text(read_file(&f), "");
	is_text(buf_str(&f.before), "text");
	buf_adds(&f.after, "text");
	ok(!userfile_changes(&f));
	f.stays = false;
	ok(userfile_changes(&f));
	forget(&f);
	scratch_write("home/.agent/settings", "text");
}

static void
check_refused(const char *folder, const char *want)
{
	struct userfile f = file_of(folder);

	is_text(read_file(&f), want);
	ok(!f.there);
	f.stays = true;
	forget(&f);
}

TEST(what_is_not_the_users_alone_is_refused) {
	char *name = xstrdup(scratch_path("home/.agent/settings"));

	ok(link(name, scratch_path("home/second")) == 0);
	check_refused(".agent", "'settings' has several names (hard links)");
	unlink(name);
	ok(symlink("../second", name) == 0);
	check_refused(".agent", "'settings' is a link, and none is followed");
	unlink(name);
	ok(mkfifo(name, 0600) == 0);
	check_refused(".agent", "'settings' is no regular file");
	unlink(name);
	unlink(scratch_path("home/second"));
	free(name);
}

TEST(a_folder_that_is_a_link_is_refused) {
	scratch_folder("elsewhere");
	ok(symlink("../elsewhere", scratch_path("home/linked")) == 0);
	check_refused("linked/deep", "'linked' on the way to it is a link, or "
	    "no folder");
	is_number(scratch_count("elsewhere"), 0);
	unlink(scratch_path("home/linked"));
}

/* The exit status of a run that begins after the change; 0: it went on. */
static int
begin_after(void (*change)(void))
{
	struct userfile f = file_of(".agent");
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

TEST(what_an_interrupted_run_left_is_removed) {
	scratch_write("home/.agent/.paneward-init.tmp", "half a te");
	write_file(".agent", "whole");
	is_text(scratch_text("home/.agent/settings"), "whole");
	is_number(scratch_count("home/.agent"), 1);
}
