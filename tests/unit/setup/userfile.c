/*
 * userfile.c ends the program where it cannot go on, so such tests run in a
 * child of their own.  tests/system/init.sh has what it does to folders, and
 * tests/faults/init.sh what an interrupted run leaves.
 */
#include "setup/setup.h"

#include "base/alloc.h"
#include "base/exitstatus.h"
#include "unit/children.h"
#include "unit/fixture.h"

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
	run("ln home/.agent/settings home/second");
	check_refused("'settings' has several names (hard links)");
	run("cd home/.agent && rm settings && ln -s ../second settings");
	check_refused("'settings' is a link, and none is followed");
	run("cd home/.agent && rm settings && mkfifo settings");
	check_refused("'settings' is no regular file");
	run("rm home/.agent/settings");
}

static void
go_on(void *f)
{
	userfile_begin(f);
}

/* A file that was read has that text then (NULL: it is gone).  Init ends so. */
static void
begins_after(const char *text, int status)
{
	struct userfile f = settings();

	scratch_write("home/.agent/settings", "old");
	is_text(read_file(&f), "");
	unlink(scratch_path("home/.agent/settings"));
	if (text != NULL)
		scratch_write("home/.agent/settings", text);
	is_number(status_of(go_on, &f), status);
	forget(&f);
}

TEST(a_file_that_changed_since_it_was_read_ends_the_program) {
	begins_after("old", 0);
	begins_after("newer", EXIT_COULD_NOT);
	begins_after(NULL, EXIT_COULD_NOT);
}
