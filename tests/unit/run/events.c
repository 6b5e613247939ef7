#include "run/events.h"

#include <errno.h>
#include <sys/file.h>

#include "scratch.h"

#define RUN "11111111-2222-4333-8444-555555555555"
#define OTHER "66666666-2222-4333-8444-555555555555"

static const char file[] = "7.records";
static const msec noon = 1772452800000;         /* 2026-03-02T12:00:00Z */

static struct events_reader reader;
static struct event_evidence e;

static void
begin(void)
{
	unlinkat(scratch_fd, file, 0);
	reader = (struct events_reader){ 0 };
	e = (struct event_evidence){ 0 };
}

static struct event
made(enum event_type event)
{
	struct event r = { .type = event, .time = noon };

	strcpy(r.run, RUN);
	strcpy(r.session, "s-1");
	return r;
}

static struct event
of_kind(enum event_type event, const char *kind)
{
	struct event r = made(event);

	strcpy(r.kind, kind);
	return r;
}

static struct event
ended(unsigned complete)
{
	struct event r = made(EVENT_ENDED);

	r.said = true;
	r.hits.complete = complete;
	return r;
}

static int
add(struct event r)
{
	return event_add(&r, scratch_fd, "7");
}

static int
read_new(void)
{
	return events_read(&reader, &e, scratch_fd, "7",
	    &(struct events_run){ RUN, noon, NULL });
}

static unsigned
lines(void)
{
	const char *p = scratch_text(file);
	unsigned n = 0;

	while (p != NULL && (p = strchr(p, '\n')) != NULL) {
		n++;
		p++;
	}
	return n;
}

/* ---- the file ----------------------------------------------------------- */

TEST(a_record_is_a_line) {
	struct event r = made(EVENT_FAILED);
	struct stat st;

	begin();
	strcpy(r.kind, "rate_limit");
	strcpy(r.text, "limit \"reached\"");
	r.reset = noon + 1500;
	r.hits = (struct marker_hits){ 1, 2, 3, 4, 5 };
	strcpy(r.error, "no disk");
	is_number(add(r), 0);
	is_text(scratch_text(file), "{\"time\":\"2026-03-02T12:00:00.000Z\","
	    "\"event\":\"turn-failed\",\"run\":\"" RUN "\",\"session\":\"s-1\","
	    "\"kind\":\"rate_limit\",\"text\":\"limit \\\"reached\\\"\","
	    "\"reset\":\"2026-03-02T12:00:01.500Z\",\"complete\":1,"
	    "\"error\":2,\"bound_complete\":3,\"bound_error\":4,\"stale\":5,"
	    "\"error_text\":\"no disk\"}\n");
	ok(fstatat(scratch_fd, file, &st, 0) == 0);
	is_number(st.st_mode & 07777, 0600);
	is_number(read_new(), 1);
	ok(e.there && e.unsaid);
	is_text(e.session, "s-1");
	is_text(e.kind, "rate_limit");
	is_text(e.text, "limit \"reached\"");
	is_text(e.error, "no disk");
	is_number(e.reset, noon + 1500);
	is_number(e.time, noon);
	is_number(e.last, EVENT_FAILED);
	is_number(e.hits.complete, 1);
	is_number(e.hits.error, 2);
	is_number(e.hits.bound_complete, 3);
	is_number(e.hits.bound_error, 4);
	is_number(e.hits.stale, 5);
}

TEST(the_longest_record_is_no_longer_than_promised) {
	struct event r = made(EVENT_MESSAGE);
	struct stat st;

	begin();
	memset(r.session, '"', sizeof(r.session) - 1);
	memset(r.kind, '\\', sizeof(r.kind) - 1);
	memset(r.text, '"', sizeof(r.text) - 1);
	memset(r.error, '"', sizeof(r.error) - 1);
	memset(r.message, '"', sizeof(r.message) - 1);
	r.reset = noon;
	r.said = r.final = true;
	r.index = UINT32_MAX - 1;
	r.hits = (struct marker_hits){ r.index, r.index, r.index, r.index,
	    r.index };
	r.fence = (struct fence){ '`', r.index };
	is_number(add(r), 0);
	ok(fstatat(scratch_fd, file, &st, 0) == 0 && st.st_size < EVENT_MAX);
	is_number(read_new(), 1);
	is_text(e.text, r.text);
	is_number(e.hits.stale, r.index);
}

TEST(what_is_new_is_read_once) {
	begin();
	is_number(read_new(), 0);
	ok(!e.there);
	ok(!events_unread(scratch_fd, "7", 0));
	add(ended(1));
	ok(events_unread(scratch_fd, "7", 0));
	is_number(read_new(), 1);
	is_number(e.hits.complete, 1);
	is_number(read_new(), 0);
	ok(!events_unread(scratch_fd, "7", reader.read));
	add(ended(1));
	is_number(read_new(), 1);
	is_number(e.hits.complete, 2);
	is_number(e.turns, 2);
}

TEST(a_torn_line_is_closed_and_skipped) {
	begin();
	scratch_write(file, "{\"time\":\"2026-03-02T12:00:00.000Z\",\"ev");
	is_number(add(ended(1)), 0);
	is_number(lines(), 2);
	is_number(read_new(), 1);
	is_number(e.hits.complete, 1);
	is_number(e.turns, 1);
}

TEST(a_line_that_is_being_written_is_read_later) {
	begin();
	add(ended(1));
	scratch_add(file, "{\"time\":\"2026-03-02T12:00:00.000Z\",");
	is_number(read_new(), 1);
	is_number(e.turns, 1);
	is_number(read_new(), 0);
	scratch_add(file, "\"event\":\"turn-ended\",\"run\":\"" RUN "\","
	    "\"session\":\"s-1\",\"said\":true,\"complete\":1}\n");
	is_number(read_new(), 1);
	is_number(e.turns, 2);
}

/* Events without a run, which another process may have written. */
TEST(what_is_no_record_is_skipped) {
	static const char *const wrong[] = {
		"", "nonsense", "[]", "42", "{}", "null",
		"{\"event\":\"turn-ended\"}",
		"{\"event\":\"turn-ended\",\"time\":\"yesterday\"}",
		"{\"event\":\"nonsense\",\"time\":\"2026-03-02T12:00:00Z\"}",
		"{\"event\":42,\"time\":\"2026-03-02T12:00:00Z\"}",
		"{\"event\":\"none\",\"time\":\"2026-03-02T12:00:00Z\"}",
	};
	static char junk[200 << 10];
	size_t i;

	begin();
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		scratch_add(file, wrong[i]);
		scratch_add(file, "\n");
	}
	memset(junk, 'x', sizeof(junk) - 1);
	scratch_add(file, junk);
	read_new();
	ok(!e.there);
	scratch_add(file, "\n");
	scratch_put(file, O_APPEND, "\0\0\n", 3);
	add(ended(1));
	is_number(read_new(), 1);
	is_number(e.turns, 1);
}

TEST(odd_values_are_left_out) {
	begin();
	scratch_write(file, "{\"time\":\"2026-03-02T12:00:00Z\",\"event\":"
	    "\"turn-ended\",\"run\":\"" RUN "\",\"complete\":-1,\"error\":1e99,"
	    "\"stale\":\"7\",\"kind\":42,\"text\":null,\"reset\":\"soon\","
	    "\"session\":{}}\n");
	is_number(read_new(), 1);
	ok(e.there && e.turns == 0);
	is_number(e.hits.complete + e.hits.error + e.hits.stale, 0);
	is_number(e.reset, 0);
	is_text(e.kind, "");
	is_text(e.session, "");
}

TEST(a_run_has_records_of_its_own) {
	struct event r = ended(1);

	begin();
	strcpy(r.run, OTHER);
	add(r);
	is_number(read_new(), 1);
	ok(!e.there);
	r.run[0] = '\0';
	r.time = noon - 1;
	add(r);
	read_new();
	ok(!e.there);           /* of no run, before ours began */
	r.time = noon;
	add(r);
	read_new();
	is_number(e.turns, 1);
	reader = (struct events_reader){ 0 };
	e = (struct event_evidence){ 0 };
	is_number(events_read(&reader, &e, scratch_fd, "7",
	    &(struct events_run){ NULL, 0, NULL }), 1);
	is_number(e.turns, 3);
}

TEST(of_a_session_that_moved_only_its_own_events_count) {
	struct event r = ended(1);
	struct events_run run = { RUN, noon, "new" };

	begin();
	strcpy(r.session, "old");
	add(r);
	is_number(events_read(&reader, &e, scratch_fd, "7", &run), 1);
	ok(!e.there);
	/* No event begins it: its hooks may have begun elsewhere. */
	strcpy(r.session, "new");
	add(r);
	strcpy(r.session, "old");
	add(r);
	is_number(events_read(&reader, &e, scratch_fd, "7", &run), 1);
	is_number(e.turns, 1);
	is_text(e.session, "new");
}

TEST(a_file_that_was_replaced_is_read_again) {
	begin();
	e.ignored.complete = 1;
	add(ended(1));
	add(ended(1));
	read_new();
	is_number(e.turns, 2);
	scratch_write("beside", "");
	ok(renameat(scratch_fd, file, scratch_fd, "7.records.old") == 0);
	add(ended(0));
	is_number(read_new(), 1);
	is_number(e.turns, 1);
	is_number(e.hits.complete, 0);
	is_number(e.ignored.complete, 1);
	scratch_write(file, "");        /* it became shorter */
	is_number(read_new(), 0);
	ok(!e.there);
}

TEST(links_and_other_things_are_refused) {
	struct event r = ended(1), found;
	struct stat st;

	begin();
	scratch_write("target", "mine\n");
	ok(symlinkat("target", scratch_fd, file) == 0);
	is_number(add(r), -1);
	is_number(read_new(), -1);
	is_number(events_open(scratch_fd, "7", O_RDONLY, &st), -1);
	ok(!event_piece(&found, scratch_fd, "7", "m", 0));
	unlinkat(scratch_fd, file, 0);
	ok(symlinkat("nowhere", scratch_fd, file) == 0);
	is_number(add(r), -1);
	ok(!scratch_there("nowhere"));
	unlinkat(scratch_fd, file, 0);
	ok(linkat(scratch_fd, "target", scratch_fd, file, 0) == 0);
	is_number(add(r), -1);
	unlinkat(scratch_fd, file, 0);
	ok(mkfifoat(scratch_fd, file, 0600) == 0);
	is_number(add(r), -1);
	is_number(read_new(), -1);
	unlinkat(scratch_fd, file, 0);
	scratch_folder(file);
	is_number(add(r), -1);
	unlinkat(scratch_fd, file, AT_REMOVEDIR);
	is_text(scratch_text("target"), "mine\n");
	is_number(add(r), 0);
}

static void
full(void)
{
	scratch_limit_files((rlim_t)strlen(scratch_text(file)) + 10);
	errno = 0;
	is_number(add(ended(1)), -1);
	ok(errno == ENOSPC || errno == EFBIG);
}

TEST(a_disk_that_is_full_is_told) {
	begin();
	add(ended(1));
	scratch_apart(full);
	is_number(add(ended(1)), 0);
	read_new();
	is_number(e.turns, 2);
}

TEST(a_lock_that_is_never_released_is_no_obstacle) {
	int fd;

	begin();
	add(ended(1));
	fd = openat(scratch_fd, file, O_RDONLY | O_CLOEXEC);
	ok(flock(fd, LOCK_EX) == 0);
	is_number(add(ended(1)), 0);
	close(fd);
	is_number(lines(), 2);
}

enum { WRITERS = 8, EACH = 40 };

/* As a process of its own, it has opened the folder itself. */
static _Noreturn void
write_much(void)
{
	struct event r = ended(1);
	int i, state_fd = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (i = 0; i < EACH; i++)
		if (event_add(&r, state_fd, "7") == -1)
			_exit(1);
	_exit(0);
}

TEST(many_may_write_at_once) {
	int i, status;

	begin();
	fflush(stdout);
	for (i = 0; i < WRITERS; i++)
		if (fork() == 0)
			write_much();
	while (wait(&status) != -1)
		is_number(status, 0);
	is_number(lines(), WRITERS * EACH);
	read_new();
	is_number(e.turns, WRITERS * EACH);
}

/* ---- what is left out --------------------------------------------------- */

static struct event
tool_at(msec time)
{
	struct event r = made(EVENT_TOOL);

	r.time = time;
	return r;
}

TEST(of_many_tools_one_is_kept_now_and_then) {
	struct event r;

	begin();
	add(tool_at(noon));
	add(tool_at(noon + 1));
	add(tool_at(noon + 9999));
	is_number(lines(), 1);
	add(tool_at(noon + 10000));
	is_number(lines(), 2);
	add(tool_at(noon));             /* the clock was set back */
	is_number(lines(), 3);
	r = tool_at(noon + 1);
	strcpy(r.session, "s-2");
	add(r);
	is_number(lines(), 4);
	strcpy(r.run, OTHER);
	add(r);
	is_number(lines(), 5);
}

TEST(what_a_tool_said_is_kept_and_so_is_what_follows_other_things) {
	struct event r = tool_at(noon + 1);

	begin();
	add(tool_at(noon));
	r.hits.complete = 1;
	add(r);
	is_number(lines(), 2);
	add(tool_at(noon + 2));
	is_number(lines(), 2);
	add(made(EVENT_TURN));
	add(tool_at(noon + 3));
	is_number(lines(), 4);
	add(made(EVENT_TURN));
	add(made(EVENT_TURN));
	is_number(lines(), 6);
}

/* ---- pieces of a message ------------------------------------------------ */

static void
add_piece(const char *message, unsigned index, char fence)
{
	struct event r = made(EVENT_MESSAGE);

	strcpy(r.message, message);
	r.index = index;
	r.fence = (struct fence){ fence, fence ? 4 : 0 };
	add(r);
}

TEST(the_piece_before_is_found_with_its_fence) {
	struct event r;

	begin();
	ok(!event_piece(&r, scratch_fd, "7", "m", 0));
	add_piece("m", 0, '`');
	add_piece("n", 0, 0);
	add_piece("m", 1, '~');
	ok(event_piece(&r, scratch_fd, "7", "m", 0));
	is_number(r.fence.mark, '`');
	is_number(r.fence.len, 4);
	ok(event_piece(&r, scratch_fd, "7", "m", 1));
	is_number(r.fence.mark, '~');
	ok(event_piece(&r, scratch_fd, "7", "n", 0));
	is_number(r.fence.mark, 0);
	ok(!event_piece(&r, scratch_fd, "7", "m", 2));
	ok(!event_piece(&r, scratch_fd, "7", "o", 0));
	scratch_add(file, "{\"torn");
	ok(event_piece(&r, scratch_fd, "7", "m", 1));
}

/* ---- all together ------------------------------------------------------- */

static void
fold(struct event r)
{
	events_fold(&e, &r);
}

static struct event
in_session(struct event r, const char *session)
{
	strcpy(r.session, session);
	return r;
}

TEST(a_turn_is_open_until_its_text_is_there) {
	begin();
	ok(!events_lost(&e));
	fold(made(EVENT_SESSION));
	ok(!events_lost(&e));
	fold(made(EVENT_TURN));
	ok(!events_lost(&e));
	fold(ended(0));
	ok(!events_lost(&e) && !e.unsaid);
	fold(made(EVENT_TOOL));        /* a hook had it go on */
	ok(!events_lost(&e));
	fold(ended(0));
	ok(!e.unsaid);
	fold(made(EVENT_OVER));
	ok(!events_lost(&e) && !e.unsaid);
}

TEST(a_turn_may_end_without_its_text) {
	struct event silent = made(EVENT_ENDED);
	struct event ends[] = { silent, made(EVENT_FAILED),
	    made(EVENT_OVER), of_kind(EVENT_WAITING, "prompt") };
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		begin();
		fold(ended(0));
		fold(made(EVENT_TURN));
		fold(ends[i]);
		ok(events_lost(&e));
	}
}

TEST(what_was_told_once_stays_told) {
	struct event piece = made(EVENT_MESSAGE);

	begin();
	fold(made(EVENT_TURN));
	fold(piece);
	fold(made(EVENT_ENDED));
	ok(!e.told);
	fold(in_session(ended(0), "s-2"));      /* another agent's */
	ok(!e.told);
	piece.final = true;
	fold(piece);
	ok(e.told);
	begin();
	fold(ended(0));
	fold(made(EVENT_TURN));
	fold(made(EVENT_FAILED));
	ok(e.told && events_lost(&e));
}

/* Some agents tell the message first, and then that it was the last. */
TEST(a_whole_message_is_that_of_its_turn) {
	struct event message = made(EVENT_MESSAGE);

	begin();
	message.said = true;
	fold(made(EVENT_TURN));
	fold(message);
	ok(e.unsaid);
	fold(made(EVENT_ENDED));
	ok(!e.unsaid);
	is_number(e.turns, 1);
	fold(made(EVENT_TURN));
	fold(message);
	fold(made(EVENT_TOOL));
	fold(made(EVENT_ENDED));
	ok(events_lost(&e));
	is_number(e.turns, 1);
}

TEST(a_piece_that_comes_late_changes_nothing) {
	begin();
	fold(made(EVENT_TURN));
	fold(ended(0));
	fold(made(EVENT_MESSAGE));
	is_number(e.last, EVENT_ENDED);
	ok(!e.unsaid);
}

TEST(a_reminder_is_nothing_new) {
	struct event r = of_kind(EVENT_WAITING, "permission");

	begin();
	fold(made(EVENT_TURN));
	strcpy(r.text, "Bash: make");
	fold(r);
	e.asked = 1;
	strcpy(r.text, "it needs your permission");
	r.notice = true;
	fold(r);
	is_text(e.text, "Bash: make");
	is_number(e.asked, 1);
	fold(of_kind(EVENT_WAITING, "question"));
	is_text(e.kind, "question");
	fold(ended(0));
	fold(of_kind(EVENT_WAITING, "prompt"));
	is_number(e.last, EVENT_ENDED);
}

/* Not every tool's end has an event. */
TEST(another_question_of_the_same_kind_is_one) {
	struct event r = of_kind(EVENT_WAITING, "permission");

	begin();
	fold(made(EVENT_TURN));
	strcpy(r.text, "Bash: make");
	r.time = 1000;
	fold(r);
	r.time = 1010;                  /* by a hook that is registered twice */
	fold(r);
	is_number(e.asked, 1000);
	r.time = 9000;
	fold(r);
	is_number(e.asked, 9000);
	strcpy(r.text, "Bash: git push --force");
	r.time = 9010;
	fold(r);
	is_text(e.text, "Bash: git push --force");
	is_number(e.asked, 9010);
}

/* A helper's tool, or one that was begun before, ends while a question is
 * open. */
TEST(a_question_is_open_until_its_own_tool_ends) {
	struct event asked = of_kind(EVENT_WAITING, "permission");
	struct event tool = made(EVENT_TOOL);

	begin();
	fold(made(EVENT_TURN));
	strcpy(asked.text, "Bash: git push --force");
	fold(asked);
	strcpy(tool.text, "Bash: mkdir x");
	fold(tool);
	is_number(e.last, EVENT_WAITING);
	strcpy(tool.text, asked.text);
	fold(tool);
	is_number(e.last, EVENT_TOOL);
	fold(asked);
	tool.text[0] = '\0';
	fold(tool);
	is_number(e.last, EVENT_TOOL);
}

TEST(compacting_neither_begins_nor_ends_a_turn) {
	begin();
	fold(made(EVENT_TURN));
	fold(made(EVENT_COMPACT));
	fold(of_kind(EVENT_SESSION, "compact"));
	is_number(e.last, EVENT_COMPACT);
	ok(!events_lost(&e));
	fold(ended(0));
	fold(made(EVENT_COMPACT));
	fold(of_kind(EVENT_SESSION, "compact"));
	is_number(e.last, EVENT_SESSION);
	ok(!e.unsaid);
}

TEST(an_agent_that_is_a_tool_tells_nothing) {
	begin();
	fold(made(EVENT_TURN));
	fold(in_session(made(EVENT_SESSION), "s-2"));
	fold(in_session(ended(1), "s-2"));
	fold(in_session(made(EVENT_OVER), "s-2"));
	is_number(e.hits.complete, 0);
	is_number(e.last, EVENT_TURN);
	fold(ended(1));
	is_number(e.hits.complete, 1);
	is_text(e.session, "s-1");
}

TEST(a_session_follows_another) {
	begin();
	fold(made(EVENT_TURN));
	fold(made(EVENT_OVER));
	fold(in_session(made(EVENT_SESSION), "s-2"));
	is_text(e.session, "s-2");
	fold(ended(1));                 /* of the old one */
	is_number(e.hits.complete, 0);
	fold(in_session(ended(1), "s-2"));
	is_number(e.hits.complete, 1);
}

/* A session of the agent with that number, begun by that other process. */
static struct event
begun_by(pid_t agent, pid_t parent, const char *pane)
{
	struct event r = made(EVENT_SESSION);

	r.processes[0] = (struct event_process){ agent, 7 };
	r.processes[1] = (struct event_process){ parent, 7 };
	r.processes[2] = (struct event_process){ 2, 7 };
	r.nprocesses = 3;
	strcpy(r.pane, pane);
	return r;
}

/* Begins with agent 100 of session s-1, in or before a turn. */
static void
begin_agent(bool turn)
{
	begin();
	fold(begun_by(100, 90, "%1"));
	fold(made(EVENT_TURN));
	if (!turn)
		fold(ended(0));
}

TEST(an_agent_that_the_agent_runs_tells_nothing) {
	begin_agent(false);
	fold(in_session(begun_by(102, 100, "%1"), "s-2"));
	fold(in_session(ended(1), "s-2"));
	is_number(e.hits.complete, 0);
	fold(ended(1));
	is_number(e.hits.complete, 1);
	is_text(e.session, "s-1");
}

TEST(an_agent_that_is_run_elsewhere_tells_nothing) {
	begin_agent(false);
	fold(in_session(begun_by(102, 80, "%2"), "s-2"));
	fold(in_session(ended(1), "s-2"));
	fold(in_session(begun_by(103, 80, ""), "s-3"));
	fold(in_session(ended(1), "s-3"));
	is_number(e.hits.complete, 0);
	is_text(e.session, "s-1");
}

TEST(the_agent_may_begin_another_session_in_a_turn) {
	begin_agent(true);
	fold(in_session(begun_by(100, 90, "%1"), "s-2"));
	is_text(e.session, "s-2");
	is_number(e.last, EVENT_SESSION);
	ok(!events_lost(&e));
	fold(in_session(made(EVENT_TURN), "s-2"));
	fold(in_session(ended(1), "s-2"));
	is_number(e.hits.complete, 1);
	ok(!e.unsaid);
}

TEST(the_processes_of_a_session_are_kept) {
	begin();
	is_number(add(begun_by(100, 90, "%1")), 0);
	scratch_add(file, "{\"time\":\"2026-03-02T12:00:00Z\",\"event\":"
	    "\"session-started\",\"session\":\"s-2\",\"processes\":"
	    "\"-1.2 x\",\"pane\":\"%1\"}\n");
	is_number(read_new(), 1);
	is_number(e.agent.pid, 0);      /* nonsense is as good as nothing */
	is_text(e.session, "s-2");
	begin();
	is_number(add(begun_by(100, 90, "%1")), 0);
	is_number(add(in_session(begun_by(102, 100, "%1"), "s-2")), 0);
	is_number(read_new(), 1);
	is_number(e.agent.pid, 100);
	is_number((long)e.agent.start, 7);
	is_text(e.pane, "%1");
	is_text(e.session, "s-1");
}

TEST(another_agent_may_take_its_place_in_a_turn) {
	begin_agent(true);
	fold(in_session(begun_by(101, 90, "%1"), "s-2"));
	is_text(e.session, "s-2");
	fold(in_session(begun_by(102, 101, "%1"), "s-3"));
	is_text(e.session, "s-2");

	begin_agent(true);              /* the same session goes on in it */
	fold(begun_by(101, 90, "%1"));
	fold(in_session(begun_by(102, 101, "%1"), "s-2"));
	is_text(e.session, "s-1");
}

TEST(all_that_was_found_is_added_up) {
	struct event r = ended(1);

	begin();
	r.hits.error = 1;
	strcpy(r.error, "first");
	fold(r);
	strcpy(r.error, "second");
	fold(r);
	r = ended(1);
	r.time = noon - 5;              /* the clock was set back */
	fold(r);
	is_number(e.hits.complete, 3);
	is_number(e.hits.error, 2);
	is_text(e.error, "second");
	is_number(e.time, noon);
}

TEST(events_have_names) {
	int i;

	for (i = EVENT_NONE; i < EVENT_TYPES; i++)
		ok(event_types[i][0] != '\0');
}
