/*
 * tests/system/init.sh has what is refused and what is done to folders, and
 * tests/faults/init.t what an interrupted run leaves.
 */
#include "setup/setup.h"

#include "base/alloc.h"
#include "base/exitstatus.h"
#include "unit/children.h"

#define NAME "home/.agent/settings"

/* A file with that text, as it was read. */
static struct userfile
settings(const char *text, mode_t mode)
{
	struct buf why = BUF_INIT;
	struct userfile f;

	userfile_init(&f, xstrdup(scratch_path("home")), xstrdup(".agent"),
	    "settings");
	scratch_write(NAME, text);
	is_number(chmod(scratch_path(NAME), mode), 0);
	ok(userfile_read(&f, &why) != -1);
	return f;
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

/* Neither the umask nor a file that vanishes before it is written changes it. */
TEST(the_mode_stays) {
	static const mode_t modes[] = { 0646, 0600 };
	struct stat st;
	size_t i;

	umask(077);
	for (i = 0; i < 2; i++) {
		struct userfile f = settings("old", modes[i]);

		buf_adds(&f.after, "older");
		f.stays = true;
		ok(userfile_changes(&f));
		userfile_begin(&f);
		if (i == 1)
			unlink(scratch_path(NAME));
		userfile_put(&f, f.name, &f.after);
		forget(&f);
		is_text(scratch_text(NAME), "older");
		ok(stat(scratch_path(NAME), &st) == 0);
		is_number(st.st_mode & 07777, modes[i]);
	}
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
	struct userfile f = settings("old", 0600);

	unlink(scratch_path(NAME));
	if (text != NULL)
		scratch_write(NAME, text);
	is_number(status_of(go_on, &f), status);
	forget(&f);
}

TEST(a_file_that_changed_since_it_was_read_ends_the_program) {
	begins_after("old", 0);
	begins_after("newer", EXIT_COULD_NOT);
	begins_after(NULL, EXIT_COULD_NOT);
}
