#include "run/status.h"

#include <errno.h>
#include <sys/file.h>

#include "base/alloc.h"
#include "scratch.h"
#include "unit/fixture.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"
#define BOOT "b1f7b5a2-0000-4000-8000-000000000000"
#define BEGINS "{\"issue\":\"7\",\"run\":\"" RUN "\""

/* A record in which every member says something. */
static const char whole[] =
    "{\"v\":1,\"issue\":\"7\",\"name\":\"work:1.0\",\"run\":\"" RUN "\","
    "\"state\":\"error\",\"since\":\"2023-11-14T22:13:20.123Z\","
    "\"source\":\"log\",\"why\":\"an \\\"error\\\" marker \\\\ \xe2\x82\xac\","
    "\"message\":\"no disk\",\"question\":20,\"last_message\":\"said\","
    "\"handoff\":{\"state\":\"running\",\"before\":\"refused\","
    "\"id\":\"0123abcd-1111-4222-8333-555555555555\",\"attempts\":15,"
    "\"failures\":16,\"delays\":17,\"last_exit\":18,"
    "\"next\":\"2023-11-14T22:13:21.001Z\","
    "\"begun\":\"2023-11-14T22:13:21.002Z\",\"pid\":4713,"
    "\"start\":4294967295,\"boot\":\"a boot\",\"signal\":\"fd00:1:2.3\","
    "\"message\":\"last words\"},\"runner\":{\"pid\":4714,"
    "\"start\":4294967294,\"boot\":\"its boot\"},\"backend\":\"claude\","
    "\"marker\":\"DONE \\\"now\\\"\",\"adopted\":true,\"hidden\":true,"
    "\"exit_is_report\":true,\"handoff_command\":[\"make\",\"-s\"],"
    "\"fresh\":true,\"tmux\":{\"socket\":\"/tmp/s \\\"x\\\"\\n\","
    "\"server_pid\":42,\"server_start\":1699999999,\"session\":\"$1\","
    "\"window\":\"@2\",\"pane\":\"%3\",\"pane_pid\":4711,"
    "\"pane_start\":9007199254740992},\"session\":\"p-issue-7\","
    "\"boot\":\"" BOOT "\",\"agent\":{\"pid\":4712,\"start\":123456,"
    "\"session\":\"some session\",\"moved\":true},\"cwd\":\"/home/u\","
    "\"worktree\":\"/home/u/.worktrees/issue-7\","
    "\"transcript\":{\"path\":\"/t.jsonl\",\"read\":21,\"said\":true,"
    "\"past\":\"2023-11-14T22:13:21.003Z\",\"counted\":{\"read\":22,"
    "\"id\":\"m-1\",\"last\":{\"input\":23,\"cached\":24,\"output\":25},"
    "\"newest\":\"2023-11-14T22:13:21.004Z\","
    "\"since\":\"2023-11-14T22:13:21.005Z\"}},\"tokens\":{\"input\":26,"
    "\"cached\":27,\"output\":28},\"branch\":\"feature/7\","
    "\"base\":\"2ebd3510\",\"started\":\"2023-11-14T22:13:18.765Z\","
    "\"log\":{\"file\":\"fd00000000000001:ffffffffffffffff\","
    "\"head\":\"256:fedcba9876543210\",\"base\":1,\"begin\":2,\"read\":3,"
    "\"scan\":{\"offset\":4,\"complete\":5,\"error\":6,"
    "\"bound_complete\":7,\"bound_error\":8,\"stale\":9,\"fence\":\"~\","
    "\"fence_len\":4,\"want_message\":true}},"
    "\"past_log\":{\"complete\":10,\"error\":11},"
    "\"past_capture\":{\"complete\":12,\"error\":13},"
    "\"past_records\":{\"complete\":29,\"error\":30},\"records\":31,"
    "\"captured\":\"2023-11-14T22:13:20.999Z\",\"exit\":{\"code\":3,"
    "\"signal\":9},\"reload\":{\"since\":\"2026-01-01T00:00:00.000Z\","
    "\"phase\":\"stopping\"},"
    "\"parked\":{\"since\":\"2023-11-14T22:13:21.006Z\","
    "\"until\":\"2023-11-14T22:13:21.007Z\","
    "\"next\":\"2023-11-14T22:13:21.008Z\","
    "\"asked\":\"2023-11-14T22:13:21.009Z\",\"asks\":32},\"changes\":14,"
    "\"episode\":19,\"notice\":\"handoff\"}\n";

static struct status s, got;

/* A record of issue 7 that says nothing. */
static void
begin(void)
{
	status_release(&s);
	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
}

static int
read_record(const char *issue)
{
	status_release(&got);
	errno = 0;
	return status_read(&got, scratch_fd, issue);
}

static int
read_text(const char *text)
{
	scratch_write("7.json", text);
	return read_record("7");
}

static const char *
printed(const struct status *r)
{
	static struct buf texts[2];
	static int next;
	struct buf *text = &texts[next++ % 2];

	buf_reset(text);
	status_print(text, r);
	return buf_str(text);
}

/* It is written and read again. */
static void
keep(void)
{
	is_number(status_write(&s, scratch_fd), 0);
	is_number(read_record("7"), 1);
	is_text(printed(&got), printed(&s));
}

TEST(every_field_is_read_as_it_was_written_for_the_user_alone) {
	unsigned before;
	struct stat st;

	is_number(read_text(whole), 1);
	before = scratch_count(".");
	ok(got.log.dev == (dev_t)0xfd00000000000001 &&
	    got.log.ino == 0xffffffffffffffff);
	ok(got.log.head_len == 256 && got.log.head == 0xfedcba9876543210);
	is_text(got.verdict.why, "an \"error\" marker \\ \xe2\x82\xac");
	is_number(got.since, 1700000000123);
	is_text(got.place.socket, "/tmp/s \"x\"\n");
	is_number(got.handoff.before, HANDOFF_REFUSED);
	unlink(scratch_path("7.json"));
	is_number(status_write(&got, scratch_fd), 0);
	is_text(scratch_text("7.json"), whole);
	is_number(status_write(&got, scratch_fd), 0);
	ok(stat(scratch_path("7.json"), &st) == 0);
	is_number(st.st_mode & 0777, 0600);
	is_number(scratch_count("."), before);
}

TEST(an_empty_record_stays_empty) {
	begin();
	keep();
	ok(got.exit_code == -1 && got.exit_signal == -1 && !got.ended);
	ok(strstr(scratch_text("7.json"), "handoff") == NULL);
	ok(strstr(scratch_text("7.json"), "past") == NULL);
	s.ended = true;                 /* nothing is known of it */
	keep();
	ok(got.exit_code == -1 && got.exit_signal == -1 && got.ended);
}

/* ---- reading ----------------------------------------------------------- */

/* A record that is wrong leaves nothing behind. */
TEST(what_is_no_record_is_a_bad_message) {
	static const char *const bad[] = { "", "{}", "{\"issue\":\"7\"}",
		"{\"issue\":\"7\",\"run\":\"\"}",
		"{\"issue\":\"8\",\"run\":\"" RUN "\"}",
		"{\"issue\":\"7\",\"run\":"
		    "\"0123ABCD-1111-4222-8333-444444444444\"}",
		BEGINS ",\"cwd\":\"/home\",\"wo",
	};
	struct status empty;
	size_t i;

	status_init(&empty, "7");
	for (i = 0; i < COUNT(bad); i++) {
		ROW("%s", bad[i]);
		is_number(read_text(bad[i]), -1);
		is_number(errno, EBADMSG);
		is_text(printed(&got), printed(&empty));
	}
}

TEST(what_is_unknown_of_another_kind_or_too_long_is_left_out) {
	is_number(read_text(BEGINS ",\"future\":{\"a\":[1,{}]},"
	    "\"state\":\"new\",\"source\":1,\"why\":[],\"since\":\"yesterday\","
	    "\"tmux\":{\"pane\":\"%12345678901234567890123\"},\"log\":[],"
	    "\"agent\":null,\"boot\":\"" BOOT BOOT "\",\"changes\":1.5}"), 1);
	begin();
	is_text(printed(&got), printed(&s));
}

/* A path may hold any byte; JSON cannot. */
TEST(hostile_texts_do_not_spoil_the_record) {
	begin();
	s.worktree = xstrdup("/a\xff" "b");
	ok(status_write(&s, scratch_fd) == 0);
	is_number(read_record("7"), 1);
	is_text(got.worktree, "/a\xef\xbf\xbd" "b");
	is_number(read_text(BEGINS ",\"why\":\"a\\u001b[31m\"}"), 1);
	is_text(got.verdict.why, "a\\x1b[31m");
}

TEST(no_record_is_none_and_a_link_or_folder_an_error) {
	is_number(read_record("404"), 0);
	is_text(got.issue, "404");
	is_number(status_read(&got, -1, "7"), 0);
	scratch_write("elsewhere.json",
	    "{\"issue\":\"1\",\"run\":\"" RUN "\"}");
	ok(symlink("elsewhere.json", scratch_path("1.json")) == 0);
	is_number(read_record("1"), -1);
	scratch_folder("3.json");
	is_number(read_record("3"), -1);
}

/* ---- locks ------------------------------------------------------------- */

/* Locks an issue whose record names a runner, and releases it. */
static int
lock_beside(pid_t runner, uint64_t later, const char *boot)
{
	struct lock l = LOCK_INIT;
	int locked;

	begin();
	proc_identify(&s.runner, runner);
	s.runner.start += later;
	if (boot != NULL)
		strcpy(s.runner.boot, boot);
	ok(status_write(&s, scratch_fd) == 0);
	locked = status_lock(&l, scratch_fd, "7", 0);
	if (locked == 0)
		ok(l.holder == runner && l.fd == -1);
	lock_release(&l);
	return locked;
}

TEST(a_runner_that_lives_holds_the_issue) {
	struct lock l = LOCK_INIT;

	is_number(lock_beside(getppid(), 0, NULL), 0);
	is_number(lock_beside(getppid(), 1, NULL), 1);  /* a reused number */
	is_number(lock_beside(getppid(), 0, BOOT), 1);  /* before a reboot */
	ok(unlinkat(scratch_fd, "7.json", 0) == 0);
	is_number(status_lock(&l, scratch_fd, "7", 0), 1);
	lock_release(&l);
}

TEST(nothing_is_saved_under_a_lock_that_was_removed) {
	struct lock l = LOCK_INIT, other = LOCK_INIT;
	int fd;

	begin();
	is_number(status_lock(&l, scratch_fd, "7", 0), 1);
	/* Another holder may stand still while it writes the first record. */
	fd = openat(scratch_fd, ".", O_RDONLY);
	ok(flock(fd, LOCK_EX) == 0);
	ok(status_save(&s, &l, scratch_fd) == -1 && errno == EWOULDBLOCK);
	close(fd);
	is_number(status_save(&s, &l, scratch_fd), 0);
	ok(unlinkat(scratch_fd, "7.lock", 0) == 0);
	errno = 0;
	ok(status_save(&s, &l, scratch_fd) == -1 && errno == EBUSY);
	is_number(status_lock(&other, scratch_fd, "7", 0), 1);
	ok(status_save(&s, &l, scratch_fd) == -1 && errno == EBUSY);
	is_number(status_save(&s, &other, scratch_fd), 0);
	lock_release(&other);
	lock_release(&l);
}

TEST(nor_is_the_lock_given_away_while_its_holder_saves) {
	struct lock l = LOCK_INIT;
	int fd;

	begin();
	ok(status_write(&s, scratch_fd) == 0);
	fd = open(scratch_path("7.json"), O_RDONLY | O_CLOEXEC);
	ok(flock(fd, LOCK_EX) == 0);
	is_number(status_lock(&l, scratch_fd, "7", 0), 0);
	is_number(l.fd, -1);
	close(fd);
	is_number(status_lock(&l, scratch_fd, "7", 0), 1);
	lock_release(&l);
}
