#include "reload/memo.h"

#include <utime.h>

#include "scratch.h"

static const char FILE_NAME[] = "handoff.md";

static struct buf why;
static char *folder;                    /* its real path */

static int
read_it(struct memo *m)
{
	buf_reset(&why);
	return memo_read(m, folder, FILE_NAME, &why);
}

static void
refused(const char *reason)
{
	struct memo m;

	is_number(read_it(&m), -1);
	ok(strstr(buf_str(&why), reason) != NULL);
	remove(scratch_path(FILE_NAME));
}

/* tests/system/reload.sh has links, long and stale ones, and their prompts. */
TEST(a_memo_is_read_without_control_characters) {
	struct memo m;

	is_number(read_it(&m), 0);
	is_number(memo_read(&m, "/no/such/folder", FILE_NAME, &why), 0);
	scratch_write(FILE_NAME, "next:\tgo\033[1m on\r\n\xc2\x9bx");
	is_number(read_it(&m), 1);
	is_text(buf_str(&m.text), "next:\tgo[1m on\nx");
	buf_release(&m.text);
	remove(scratch_path(FILE_NAME));
	scratch_write("other", "text");
	linkat(scratch_fd, "other", scratch_fd, FILE_NAME, 0);
	refused("another name");
	scratch_folder(FILE_NAME);
	refused("no regular file");
	scratch_put(FILE_NAME, O_TRUNC, "a\0b", 3);
	refused("NUL byte");
}

TEST(an_old_memo_is_stale) {
	struct memo m = { .written = 1000000 };

	ok(!memo_stale(&m, 1000000, 1000000 + MEMO_FRESH));
	ok(memo_stale(&m, 1000001, 1000002));
	ok(memo_stale(&m, 0, 1000001 + MEMO_FRESH));
}

TEST(a_delivered_memo_is_renamed_unless_it_has_changed) {
	struct utimbuf other = { 5, 5 };
	struct memo m;
	char *name;

	scratch_write("handoff-19700101T000001Z.md", "older");
	scratch_write(FILE_NAME, "go on");
	is_number(read_it(&m), 1);
	is_number(memo_put_away(&m, folder, FILE_NAME, 1000, &name), 0);
	is_text(name, "handoff-19700101T000001Z-1.md");
	is_text(scratch_text(name), "go on");
	ok(!scratch_there(FILE_NAME));
	free(name);
	buf_release(&m.text);
	scratch_write(FILE_NAME, "go on");
	is_number(read_it(&m), 1);
	utime(scratch_path(FILE_NAME), &other);
	is_number(memo_put_away(&m, folder, FILE_NAME, 1000, &name), 0);
	ok(name == NULL && scratch_there(FILE_NAME));
	buf_release(&m.text);
}

TEST(its_folder_is_in_the_nearest_dot_claude) {
	char cwd[4096], *found;

	scratch_folder("a/.claude");
	scratch_folder("a/b/c");
	snprintf(cwd, sizeof(cwd), "%s/a/b/c", folder);
	found = memo_folder(cwd, folder);
	is_text(found + strlen(folder), "/a/.claude/self-reborn");
	free(found);
	found = memo_folder(folder, folder);
	is_text(found + strlen(folder), "/.claude/self-reborn");
	free(found);
}

TEST(the_session_is_the_one_that_is_open) {
	unsigned open;
	char *id;

	scratch_write("session_id", "s-1\n");
	scratch_write("session_history.jsonl",
	    "{\"session_id\":\"s-0\",\"event\":\"session_start\"}\n"
	    "{\"session_id\":\"s-0\",\"event\":\"session_end\"}\n"
	    "{\"session_id\":\"s-1\",\"event\":\"session_start\"}\n");
	id = memo_session(folder, &open);
	is_text(id, "s-1");
	is_number(open, 1);
	free(id);
	scratch_add("session_history.jsonl",
	    "{\"session_id\":\"s-2\",\"event\":\"session_start\"}\n");
	ok(memo_session(folder, &open) == NULL);
	is_number(open, 2);
}

BEFORE_TESTS {
	folder = realpath(scratch, NULL);
}

AFTER_TESTS {
	buf_release(&why);
	free(folder);
}
