#include "reload/memo.h"

#include <time.h>
#include <utime.h>

#include "scratch.h"

static const char FILE_NAME[] = "handoff.md";

static struct buf why;

static int
read_it(struct memo *m)
{
	char *folder = realpath(scratch, NULL);
	int found;

	buf_reset(&why);
	found = memo_read(m, folder, FILE_NAME, &why);
	free(folder);
	return found;
}

static void
refused(const char *reason)
{
	struct memo m;

	is_number(read_it(&m), -1);
	ok(strstr(buf_str(&why), reason) != NULL);
	unlinkat(scratch_fd, FILE_NAME, 0);
}

TEST(a_memo_is_read_without_control_characters) {
	struct memo m;

	scratch_write(FILE_NAME, "next:\tgo\033[1m on\r\n\xc2\x9bx");
	is_number(read_it(&m), 1);
	is_text(buf_str(&m.text), "next:\tgo[1m on\nx");
	memo_release(&m);
}

TEST(without_a_file_there_is_none) {
	struct memo m;

	unlinkat(scratch_fd, FILE_NAME, 0);
	is_number(read_it(&m), 0);
	is_number(memo_read(&m, "/no/such/folder", FILE_NAME, &why), 0);
}

TEST(a_link_a_second_name_and_a_long_file_are_refused) {
	static char bytes[MEMO_MAX + 2];

	scratch_write("other", "text");
	symlinkat("other", scratch_fd, FILE_NAME);
	refused("it is a link");
	linkat(scratch_fd, "other", scratch_fd, FILE_NAME, 0);
	refused("another name");
	mkdirat(scratch_fd, FILE_NAME, 0700);
	refused("no regular file");
	unlinkat(scratch_fd, FILE_NAME, AT_REMOVEDIR);
	memset(bytes, 'x', sizeof(bytes) - 1);
	scratch_write(FILE_NAME, bytes);
	refused("longer than 100 KiB");
	scratch_put(FILE_NAME, O_TRUNC, "a\0b", 3);
	refused("NUL byte");
}

TEST(an_old_memo_is_stale) {
	struct memo m = { .written = 1000000 };

	ok(!memo_stale(&m, 1000000, 1000000 + MEMO_FRESH));
	ok(memo_stale(&m, 1000001, 1000002));
	ok(memo_stale(&m, 0, 1000001 + MEMO_FRESH));
}

TEST(a_delivered_memo_is_renamed) {
	char *folder = realpath(scratch, NULL), *name;
	struct memo m;

	scratch_write("handoff-19700101T000001Z.md", "older");
	scratch_write(FILE_NAME, "go on");
	is_number(read_it(&m), 1);
	is_number(memo_put_away(&m, folder, FILE_NAME, 1000, &name), 0);
	is_text(name, "handoff-19700101T000001Z-1.md");
	is_text(scratch_text(name), "go on");
	ok(!scratch_there(FILE_NAME));
	free(name);
	memo_release(&m);
	free(folder);
}

TEST(one_that_has_changed_stays) {
	struct utimbuf other = { 5, 5 };
	char *folder = realpath(scratch, NULL), *name;
	struct memo m;

	scratch_write(FILE_NAME, "go on");
	is_number(read_it(&m), 1);
	utime(scratch_path(FILE_NAME), &other);
	is_number(memo_put_away(&m, folder, FILE_NAME, 1000, &name), 0);
	ok(name == NULL && scratch_there(FILE_NAME));
	memo_release(&m);
	free(folder);
}

TEST(its_folder_is_in_the_nearest_dot_claude) {
	char *root = realpath(scratch, NULL), cwd[4096], *folder;

	scratch_folder("a/.claude");
	scratch_folder("a/b/c");
	snprintf(cwd, sizeof(cwd), "%s/a/b/c", root);
	folder = memo_folder(cwd, root);
	is_text(folder + strlen(root), "/a/.claude/self-reborn");
	free(folder);
	folder = memo_folder(root, root);
	is_text(folder + strlen(root), "/.claude/self-reborn");
	free(folder);
	free(root);
}

TEST(the_session_is_the_one_that_is_open) {
	char *folder = realpath(scratch, NULL), *id;
	unsigned open;

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
	free(folder);
}

TEST(the_prompt_has_reason_and_memo) {
	struct memo m = { .text = BUF_INIT };
	struct buf text = BUF_INIT;

	memo_prompt(&text, NULL, NULL);
	is_text(buf_str(&text), "You have been restarted in this pane, as you "
	    "asked; this is the same conversation. Go on where you left off.");
	buf_reset(&text);
	buf_adds(&m.text, "1. test\n\n");
	memo_prompt(&text, "new hooks", &m);
	is_text(buf_str(&text), "You have been restarted in this pane, as you "
	    "asked (new hooks); this is the same conversation. Go on by what "
	    "you left for yourself:\n\n1. test");
	buf_release(&text);
	memo_release(&m);
}

AFTER_TESTS {
	buf_release(&why);
}
