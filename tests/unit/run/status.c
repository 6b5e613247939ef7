#include "run/status.h"

#include <errno.h>
#include <sys/file.h>

#include "base/alloc.h"
#include "data/json.h"
#include "scratch.h"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";
static const char BOOT[] = "b1f7b5a2-0000-4000-8000-000000000000";

/* A record in which every field says something. */
static void
fill(struct status *s)
{
	status_init(s, "7");
	memcpy(s->run, RUN, sizeof(RUN));
	s->verdict = (struct verdict){ .state = STATE_ERROR,
	    .source = "log" };
	verdict_why(&s->verdict, "%s", "an \"error\" marker \\ \xe2\x82\xac");
	verdict_message(&s->verdict, "no disk", 7);
	s->since = 1700000000123;
	s->backend = xstrdup("claude");
	s->marker = xstrdup("DONE \"now\"");
	s->adopted = s->fresh = true;
	s->handoff_command = xcalloc(1, sizeof(char *));
	s->place = (struct pane_ref){ .socket = xstrdup("/tmp/s \"x\"\n"),
	    .server = 42, .server_start = 1699999999, .session = "$1",
	    .window = "@2", .pane = "%3", .pane_pid = 4711,
	    .pane_start = 9007199254740992 };
	memcpy(s->boot, BOOT, sizeof(BOOT));
	s->agent.pid = 4712;
	s->agent.start = 123456;
	s->agent.session = xstrdup("some session");
	s->worktree = xstrdup("/home/u/.worktrees/issue-7");
	s->branch = xstrdup("feature/7");
	s->base = xstrdup("2ebd35104aa08aef14b9baea7c2da3c007d65556");
	s->started = 1699999998765;
	s->log = (struct log_mark){ .dev = (dev_t)0xfd00000000000001,
	    .ino = 0xffffffffffffffff, .base = 1, .begin = 2, .read = 3,
	    .head_len = 256, .head = 0xfedcba9876543210,
	    .scan = { .offset = 4, .hits = { 5, 6, 7, 8, 9 }, .fence = { '~', 4 },
		.want_message = true } };
	s->ignored_log = (struct marker_ignored){ 10, 11 };
	s->ignored_capture = (struct marker_ignored){ 12, 13 };
	s->captured = 1700000000999;
	s->ended = true;
	s->exit_code = 3;
	s->exit_signal = 9;
	s->changes = 14;
	s->reload.since = 1767225600000;
	strcpy(s->reload.phase, "stopping");
	s->handoff = (struct handoff){ .state = HANDOFF_RUNNING,
	    .before = HANDOFF_REFUSED,
	    .id = "0123abcd-1111-4222-8333-555555555555", .attempts = 15,
	    .failures = 16, .delays = 17, .last_exit = 18,
	    .next = 1700000001001, .begun = 1700000001002, .pid = 4713,
	    .start = 0xffffffff, .boot = "a boot",
	    .signal = xstrdup("fd00:1:2.3"), .message = xstrdup("last words") };
	s->runner.pid = 4714;
	s->runner.start = 0xfffffffe;
	strcpy(s->runner.boot, "a boot");
	s->episode = 19;
	s->notice = NOTICE_HANDOFF;
}

static void
is_handoff(const struct handoff *got, const struct handoff *want)
{
	is_number(got->state, want->state);
	is_number(got->before, want->before);
	is_text(got->id, want->id);
	is_number(got->attempts, want->attempts);
	is_number(got->failures, want->failures);
	is_number(got->delays, want->delays);
	is_number(got->last_exit, want->last_exit);
	is_number(got->next, want->next);
	is_number(got->begun, want->begun);
	is_number(got->pid, want->pid);
	is_number(got->start, want->start);
	is_text(got->boot, want->boot);
	is_text(got->signal, want->signal);
	is_text(got->message, want->message);
}

static void
is_place(const struct pane_ref *got, const struct pane_ref *want)
{
	is_text(got->socket, want->socket);
	is_number(got->server, want->server);
	is_number(got->server_start, want->server_start);
	is_text(got->session, want->session);
	is_text(got->window, want->window);
	is_text(got->pane, want->pane);
	is_number(got->pane_pid, want->pane_pid);
	is_number(got->pane_start, want->pane_start);
}

static void
is_log(const struct log_mark *got, const struct log_mark *want)
{
	ok(got->dev == want->dev && got->ino == want->ino);
	is_number(got->base, want->base);
	is_number(got->begin, want->begin);
	is_number(got->read, want->read);
	is_number(got->head_len, want->head_len);
	ok(got->head == want->head);
	is_number(got->scan.offset, want->scan.offset);
	ok(memcmp(&got->scan.hits, &want->scan.hits,
	    sizeof(got->scan.hits)) == 0);
	is_number(got->scan.fence.mark, want->scan.fence.mark);
	is_number(got->scan.fence.len, want->scan.fence.len);
	ok(got->scan.want_message == want->scan.want_message);
}

static void
is_verdict(const struct verdict *got, const struct verdict *want)
{
	is_text(state_name(got->state), state_name(want->state));
	is_text(got->source, want->source);
	is_text(got->why, want->why);
	is_text(got->message, want->message);
}

static void
is_record(const struct status *got, const struct status *want)
{
	is_text(got->issue, want->issue);
	is_text(got->run, want->run);
	is_verdict(&got->verdict, &want->verdict);
	is_number(got->since, want->since);
	is_text(got->backend, want->backend);
	is_text(got->marker, want->marker);
	is_number(got->adopted, want->adopted);
	is_number(got->fresh, want->fresh);
	is_number(got->handoff_command == NULL, want->handoff_command == NULL);
	is_place(&got->place, &want->place);
	is_text(got->boot, want->boot);
	is_number(got->agent.pid, want->agent.pid);
	is_number(got->agent.start, want->agent.start);
	is_text(got->agent.session, want->agent.session);
	is_text(got->worktree, want->worktree);
	is_text(got->branch, want->branch);
	is_text(got->base, want->base);
	is_number(got->started, want->started);
	is_log(&got->log, &want->log);
	is_number(got->ignored_log.complete, want->ignored_log.complete);
	is_number(got->ignored_log.error, want->ignored_log.error);
	is_number(got->ignored_capture.complete,
	    want->ignored_capture.complete);
	is_number(got->ignored_capture.error, want->ignored_capture.error);
	is_number(got->captured, want->captured);
	is_number(got->ended, want->ended);
	is_number(got->exit_code, want->exit_code);
	is_number(got->exit_signal, want->exit_signal);
	is_number(got->changes, want->changes);
	is_handoff(&got->handoff, &want->handoff);
	is_number(got->reload.since, want->reload.since);
	is_text(got->reload.phase, want->reload.phase);
	is_number(got->episode, want->episode);
	is_number(got->notice, want->notice);
}

TEST(every_field_is_read_as_it_was_written) {
	struct status s, got;

	fill(&s);
	ok(status_write(&s, scratch_fd) == 0);
	is_number(status_read(&got, scratch_fd, "7"), 1);
	is_record(&got, &s);
	status_release(&got);
	status_release(&s);
}

TEST(an_empty_record_stays_empty) {
	struct status s, got;

	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
	ok(status_write(&s, scratch_fd) == 0);
	is_number(status_read(&got, scratch_fd, "7"), 1);
	is_record(&got, &s);
	is_number(got.exit_code, -1);
	is_number(got.exit_signal, -1);
	ok(strstr(scratch_text("7.json"), "handoff") == NULL);
	ok(strstr(scratch_text("7.json"), "past") == NULL);
	status_release(&got);
	status_release(&s);
}

TEST(every_state_and_source_is_read_as_it_was_written) {
	struct status s, got;
	int state;

	for (state = 0; state < STATE_COUNT; state++) {
		fill(&s);
		s.verdict.state = (enum state)state;
		verdict_set_source(&s.verdict, state % 2 ? "" : "screen");
		ok(status_write(&s, scratch_fd) == 0);
		is_number(status_read(&got, scratch_fd, "7"), 1);
		is_verdict(&got.verdict, &s.verdict);
		status_release(&got);
		status_release(&s);
	}
}

TEST(an_end_of_which_nothing_is_known_is_an_end) {
	struct status s, got;

	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
	s.ended = true;
	ok(status_write(&s, scratch_fd) == 0);
	is_number(status_read(&got, scratch_fd, "7"), 1);
	ok(got.ended);
	is_number(got.exit_code, -1);
	is_number(got.exit_signal, -1);
	status_release(&got);
	status_release(&s);
}

/* A path may hold any byte; JSON cannot. */
TEST(what_is_no_utf_8_does_not_spoil_the_record) {
	struct status s, got;

	fill(&s);
	free(s.worktree);
	s.worktree = xstrdup("/a\xff" "b");
	ok(status_write(&s, scratch_fd) == 0);
	is_number(status_read(&got, scratch_fd, "7"), 1);
	is_text(got.worktree, "/a\xef\xbf\xbd" "b");
	status_release(&got);
	status_release(&s);
}

TEST(it_is_one_line_that_others_cannot_read) {
	struct status s;
	struct stat st;
	const char *text;

	fill(&s);
	unlink(scratch_path("7.json"));
	ok(status_write(&s, scratch_fd) == 0);
	text = scratch_text("7.json");
	ok(strchr(text, '\n') == text + strlen(text) - 1);
	ok(stat(scratch_path("7.json"), &st) == 0);
	is_number(st.st_mode & 0777, 0600);
	status_release(&s);
}

TEST(nothing_is_written_beside_it) {
	struct status s;
	unsigned before = scratch_count(".");

	fill(&s);
	ok(status_write(&s, scratch_fd) == 0);
	ok(status_write(&s, scratch_fd) == 0);
	is_number(scratch_count("."), before);
	status_release(&s);
}

/* ---- reading ----------------------------------------------------------- */

/* The record is refused, and what was read of it forgotten. */
static void
is_bad(const char *text)
{
	struct status s, empty;

	scratch_write("7.json", text);
	status_init(&empty, "7");
	errno = 0;
	is_number(status_read(&s, scratch_fd, "7"), -1);
	is_number(errno, EBADMSG);
	is_record(&s, &empty);
	status_release(&s);
}

TEST(what_is_no_record_is_a_bad_message) {
	is_bad("");
	is_bad("{");
	is_bad("[]");
	is_bad("7");
	is_bad("{}");
	is_bad("{\"issue\":\"7\"}");
	is_bad("{\"issue\":\"7\",\"run\":\"\"}");
	is_bad("{\"issue\":\"7\",\"run\":7}");
	is_bad("{\"issue\":7,\"run\":"
	    "\"0123abcd-1111-4222-8333-444444444444\"}");
	is_bad("{\"issue\":\"7\",\"run\":"
	    "\"0123ABCD-1111-4222-8333-444444444444\"}");
	is_bad("{\"issue\":\"7\",\"issue\":\"7\",\"run\":"
	    "\"0123abcd-1111-4222-8333-444444444444\"}");
}

TEST(a_record_of_another_issue_is_a_bad_message) {
	struct status s;

	fill(&s);
	memcpy(s.issue, "8", 2);
	ok(status_write(&s, scratch_fd) == 0);
	is_bad(scratch_text("8.json"));
	status_release(&s);
}

TEST(a_record_that_was_cut_is_a_bad_message) {
	struct status s;
	char *whole, *part;
	size_t i;

	fill(&s);
	ok(status_write(&s, scratch_fd) == 0);
	whole = xstrdup(scratch_text("7.json"));
	for (i = 0; i < strlen(whole) - 1; i += 7) {
		part = xstrndup(whole, i);
		is_bad(part);
		free(part);
	}
	free(whole);
	status_release(&s);
}

TEST(a_record_of_more_than_64_kib_is_a_bad_message) {
	struct buf text = BUF_INIT;
	struct status s;

	buf_printf(&text, "{\"issue\":\"7\",\"run\":\"%s\",\"x\":\"", RUN);
	while (text.len < STATUS_MAX - 2)
		buf_addc(&text, 'x');
	buf_adds(&text, "\"}");
	is_number(text.len, STATUS_MAX);
	scratch_write("7.json", buf_str(&text));
	is_number(status_read(&s, scratch_fd, "7"), 1);
	status_release(&s);
	text.len -= 2;
	buf_adds(&text, "x\"}");
	is_bad(buf_str(&text));
	buf_release(&text);
}

TEST(unknown_fields_and_other_types_are_ignored) {
	struct status s, want;

	scratch_write("7.json", "{\"future\":{\"a\":[1,{}]},\"issue\":\"7\","
	    "\"run\":\"0123abcd-1111-4222-8333-444444444444\","
	    "\"state\":\"new\","
	    "\"source\":1,\"why\":[],\"since\":\"yesterday\",\"tmux\":\"no\","
	    "\"log\":[],\"agent\":null,\"changes\":1.5,"
	    "\"adopted\":\"yes\",\"started\":{},\"worktree\":false}");
	is_number(status_read(&s, scratch_fd, "7"), 1);
	status_init(&want, "7");
	memcpy(want.run, RUN, sizeof(RUN));
	is_record(&s, &want);
	status_release(&s);
}

TEST(texts_that_are_too_long_are_cut_and_names_are_none) {
	struct buf text = BUF_INIT;
	struct status s;
	int i;

	buf_printf(&text, "{\"issue\":\"7\",\"run\":\"%s\",\"why\":\"", RUN);
	for (i = 0; i < 5000; i++)
		buf_adds(&text, "\xe2\x82\xac");
	buf_adds(&text, "\",\"message\":\"");
	for (i = 0; i < 5000; i++)
		buf_adds(&text, "\xf0\x9f\x98\x80");
	buf_adds(&text, "\",\"tmux\":{\"socket\":\"/s\",\"pane\":\""
	    "%1234567890123456789012345678901234567890\"},\"boot\":\"");
	for (i = 0; i < 5000; i++)
		buf_addc(&text, 'b');
	buf_adds(&text, "\"}");
	scratch_write("7.json", buf_str(&text));
	is_number(status_read(&s, scratch_fd, "7"), 1);
	is_number(strlen(s.verdict.why), 318);
	is_number(strlen(s.verdict.message), 800);
	is_text(s.place.pane, "");
	is_text(s.boot, "");       /* of half a name nothing is known */
	status_release(&s);
	buf_release(&text);
}

TEST(hostile_texts_are_shown_escaped) {
	struct status s;

	scratch_write("7.json", "{\"issue\":\"7\","
	    "\"run\":\"0123abcd-1111-4222-8333-444444444444\","
	    "\"why\":\"a\\u001b[31m\\n###TASK_COMPLETE_7###\"}");
	is_number(status_read(&s, scratch_fd, "7"), 1);
	is_text(s.verdict.why, "a\\x1b[31m\\x0a\uff03\uff03\uff03TASK_COMPLETE"
	    "_7\uff03\uff03\uff03");
	status_release(&s);
}

TEST(no_record_is_none) {
	struct status s;

	is_number(status_read(&s, scratch_fd, "404"), 0);
	is_text(s.issue, "404");
	is_text(s.run, "");
	is_number(status_read(&s, -1, "7"), 0);
	is_text(s.issue, "7");
}

TEST(what_is_no_regular_file_is_an_error) {
	struct status s;

	scratch_write("elsewhere.json", "{}");
	ok(symlink("elsewhere.json", scratch_path("1.json")) == 0);
	is_number(status_read(&s, scratch_fd, "1"), -1);
	ok(mkfifo(scratch_path("2.json"), 0600) == 0);
	alarm(60);
	is_number(status_read(&s, scratch_fd, "2"), -1);
	alarm(0);
	scratch_folder("3.json");
	is_number(status_read(&s, scratch_fd, "3"), -1);
	is_text(s.issue, "3");
}

/* ---- what fails -------------------------------------------------------- */

static void
write_on_a_full_disk(void)
{
	struct status s, got;

	fill(&s);
	ok(status_write(&s, scratch_fd) == 0);
	scratch_limit_files(100);
	s.changes = 15;
	errno = 0;
	ok(status_write(&s, scratch_fd) == -1 && errno == EFBIG);
	is_number(status_read(&got, scratch_fd, "7"), 1);
	is_number(got.changes, 14);
}

TEST(the_old_record_stands_where_the_disk_is_full) {
	unsigned before = scratch_count(".");

	scratch_apart(write_on_a_full_disk);
	is_number(scratch_count("."), before);
}

static void
write_where_nobody_may(void)
{
	struct status s, got;
	int fd = open(scratch_path("own"), O_RDONLY | O_CLOEXEC);

	scratch_become_nobody();
	fill(&s);
	s.changes = 15;
	errno = 0;
	ok(status_write(&s, fd) == -1 && errno == EACCES);
	is_number(status_read(&got, fd, "7"), 1);
	is_number(got.changes, 14);
}

TEST(the_old_record_stands_where_nobody_may_write) {
	struct status s;

	fill(&s);
	ok(status_write(&s, scratch_fd) == 0);
	scratch_write("own/7.json", scratch_text("7.json"));
	ok(chmod(scratch_path("own/7.json"), 0644) == 0);
	ok(chmod(scratch_path("own"), 0555) == 0);
	scratch_apart(write_where_nobody_may);
	ok(chmod(scratch_path("own"), 0700) == 0);
	is_number(scratch_count("own"), 1);
	status_release(&s);
}

/* A record of issue 7 with that runner. */
static void
write_runner(pid_t pid, uint64_t later, const char *boot)
{
	struct status s;

	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
	status_set_runner(&s, pid);
	s.runner.start += later;
	if (boot != NULL)
		strcpy(s.runner.boot, boot);
	ok(status_write(&s, scratch_fd) == 0);
}

TEST(a_runner_that_lives_holds_the_issue) {
	struct lock l = LOCK_INIT;

	write_runner(getppid(), 0, NULL);
	is_number(status_lock(&l, scratch_fd, "7", 0), 0);
	is_number(l.holder, getppid());
	is_number(l.fd, -1);
	write_runner(getppid(), 1, NULL);       /* its number was reused */
	is_number(status_lock(&l, scratch_fd, "7", 0), 1);
	lock_release(&l);
	write_runner(getppid(), 0, BOOT);       /* it was before a reboot */
	is_number(status_lock(&l, scratch_fd, "7", 0), 1);
	lock_release(&l);
	ok(unlinkat(scratch_fd, "7.json", 0) == 0);
	is_number(status_lock(&l, scratch_fd, "7", 0), 1);
	lock_release(&l);
}

TEST(nothing_is_saved_under_a_lock_that_was_removed) {
	struct lock l = LOCK_INIT, other = LOCK_INIT;
	struct status s;
	int fd;

	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
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
	struct status s;
	int fd;

	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
	ok(status_write(&s, scratch_fd) == 0);
	fd = open(scratch_path("7.json"), O_RDONLY | O_CLOEXEC);
	ok(flock(fd, LOCK_EX) == 0);
	is_number(status_lock(&l, scratch_fd, "7", 0), 0);
	is_number(l.fd, -1);
	close(fd);
	is_number(status_lock(&l, scratch_fd, "7", 0), 1);
	lock_release(&l);
}
