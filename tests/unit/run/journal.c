#include "run/journal.h"

#include <errno.h>
#include <sys/file.h>

#include "base/alloc.h"
#include "scratch.h"

#define JOURNAL "journal.ndjson"
#define RUN "0123abcd-1111-4222-8333-444444444444"

static struct journal_event last;               /* its texts are ours */
static char last_line[512], ids[8][128];

static struct status
record(void)
{
	struct status s;

	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
	s.changes = 3;
	s.verdict.state = STATE_DEAD;
	verdict_set_source(&s.verdict, "process");
	verdict_why(&s.verdict, "the agent ended");
	return s;
}

static void
begin(void)
{
	unlink(scratch_path(JOURNAL));
}

static int
add(enum journal_type type, const char *detail)
{
	struct status s = record();

	errno = 0;
	return journal_add(scratch_fd, "/p/.status", type, &s, detail);
}

/* How many events it has, all with their ids; -1 if it cannot be read. */
static int
events(void)
{
	struct journal_reader r;
	int n = 0, got = journal_open(&r, scratch_fd);

	while (got != -1 && (got = journal_next(&r)) == 1) {
		journal_event_release(&last);
		last = r.event;
		r.event = (struct journal_event){ .exit = -1 };
		snprintf(last_line, sizeof(last_line), "%.*s", (int)r.len,
		    r.line);
		snprintf(ids[n++ % 8], sizeof(ids[0]), "%s", last.id);
	}
	journal_close(&r);
	return got == -1 ? -1 : n;
}

/* What the last line says of the event itself. */
static const char *
data(void)
{
	const char *found;

	events();
	found = strstr(last_line, "\"data\":");
	return found != NULL ? found + strlen("\"data\":") : NULL;
}

TEST(every_call_adds_one_line_about_the_issue) {
	struct stat st;

	begin();
	ok(add(JOURNAL_RUN, NULL) == 0);
	ok(add(JOURNAL_WARNING, "so it is") == 0);
	is_number(scratch_lines(JOURNAL), 2);
	ok(stat(scratch_path(JOURNAL), &st) == 0);
	is_number(st.st_mode & 0777, 0600);
	is_number(events(), 2);
	ok(clock_wall() - last.time < 60000 && last.time <= clock_wall());
	ok(last.state == NULL && last.exit == -1);
	is_text(last.run, RUN);
	is_text(data(), "{\"run\":\"" RUN "\",\"detail\":\"so it is\"}}");
	ok(strstr(last_line, "{\"specversion\":\"1.0\",\"id\":\"" RUN "-3-") ==
	    last_line);
	ok(strstr(last_line, ",\"source\":\"/p/.status\",\"type\":"
	    "\"paneward.warning\",\"subject\":\"7\",\"time\":\"") != NULL);
	ok(strstr(last_line, "Z\",\"datacontenttype\":\"application/json\","
	    "\"data\":{") != NULL);
}

TEST(a_change_says_of_what_but_no_result_of_the_attempt_before) {
	struct status s = record();

	begin();
	verdict_message(&s.verdict, "no disk", 7);
	s.exit_code = 3;
	journal_add(scratch_fd, "/", JOURNAL_STATE, &s, NULL);
	is_text(data(), "{\"run\":\"" RUN "\",\"state\":\"dead\",\"source\":"
	    "\"process\",\"why\":\"the agent ended\",\"message\":\"no disk\","
	    "\"exit_code\":3}}");
	s.handoff.attempts = 2;
	s.handoff.last_exit = 3;
	s.handoff.message = xstrdup("no disk");
	s.handoff.state = HANDOFF_RUNNING;
	journal_add(scratch_fd, "/", JOURNAL_HANDOFF, &s, "begins");
	is_text(data(), "{\"run\":\"" RUN "\",\"handoff\":\"\",\"state\":"
	    "\"running\",\"attempt\":2,\"detail\":\"begins\"}}");
	s.handoff.state = HANDOFF_FAILED;
	journal_add(scratch_fd, "/", JOURNAL_HANDOFF, &s, "ended");
	is_text(data(), "{\"run\":\"" RUN "\",\"handoff\":\"\",\"state\":"
	    "\"failed\",\"attempt\":2,\"exit\":3,\"message\":\"no disk\","
	    "\"detail\":\"ended\"}}");
	status_release(&s);
}

TEST(the_same_change_has_the_same_id) {
	struct status s = record();

	begin();
	add(JOURNAL_STATE, NULL);                               /* 0 */
	add(JOURNAL_STATE, NULL);                               /* 1 */
	add(JOURNAL_STALE, "a");                                /* 2 */
	add(JOURNAL_STALE, "a");                                /* 3 */
	add(JOURNAL_STALE, "b");                                /* 4 */
	add(JOURNAL_REFUSED, "a");                              /* 5 */
	s.changes++;
	journal_add(scratch_fd, "/", JOURNAL_STATE, &s, NULL);  /* 6 */
	s.changes--;
	s.run[0] = 'f';
	journal_add(scratch_fd, "/", JOURNAL_STATE, &s, NULL);  /* 7 */
	is_number(events(), 8);
#define SAME(a, b) (strcmp(ids[a], ids[b]) == 0)
	ok(SAME(0, 1) && SAME(2, 3));
	ok(!SAME(2, 4) && !SAME(2, 5));
	ok(!SAME(0, 6) && !SAME(0, 7));
}

static void
add_on_a_full_disk(void)
{
	struct status s = record();

	scratch_limit_files(strlen(scratch_text(JOURNAL)) + 20);
	errno = ENOTTY;                 /* of something before */
	ok(journal_add(scratch_fd, "/", JOURNAL_RUN, &s, "lost") == -1);
	ok(errno == EFBIG || errno == ENOSPC);
}

TEST(what_a_full_disk_took_is_taken_back) {
	char *before;

	begin();
	add(JOURNAL_RUN, "kept");
	before = xstrdup(scratch_text(JOURNAL));
	scratch_apart(add_on_a_full_disk);
	is_text(scratch_text(JOURNAL), before);
	add(JOURNAL_RUN, "later");
	ok(scratch_lines(JOURNAL) == 2 && events() == 2);
	is_text(last.detail, "later");
	free(before);
}

static int
add_inbox(msec patience)
{
	const struct journal_inbox event = { "box", "no room", "summary: x\n",
	    10 };

	errno = 0;
	return journal_add_inbox(scratch_fd, "/p/.status", &event, patience,
	    false);
}

TEST(an_entry_that_is_not_in_its_inbox_is_told_unless_the_lock_is_held) {
	int fd;

	begin();
	scratch_write(JOURNAL, "{\"torn\":");  /* a last line is closed */
	ok(add_inbox(0) == 0 && scratch_lines(JOURNAL) == 2);
	is_text(data(), "{\"detail\":\"no room\",\"entry\":\"summary: x\"}}");
	is_number(last.type, JOURNAL_WARNING);
	is_text(last.subject, "queue/inbox/box.yaml");
	fd = openat(scratch_fd, JOURNAL, O_RDONLY | O_CLOEXEC);
	ok(flock(fd, LOCK_EX) == 0);
	ok(add_inbox(0) == -1 && errno == EWOULDBLOCK);
	ok(add_inbox(20) == -1 && errno == EWOULDBLOCK);
	close(fd);
	ok(add_inbox(0) == 0 && scratch_lines(JOURNAL) == 3);
}

/* ---- reading it: tests/system/history.sh has what is no event ------------ */

#define GOOD "{\"id\":\"1\",\"type\":\"paneward.stale\",\"subject\":\"7\"," \
	"\"time\":\"2026-01-31T12:00:00Z\"}\n"

/* It is longer than any buffer, and so is what is kept of it. */
TEST(a_line_without_an_end_is_skipped) {
	static char much[3 << 20];

	memset(much, 'x', sizeof(much) - 1);
	scratch_write(JOURNAL, GOOD);
	scratch_add(JOURNAL, much);
	is_number(events(), 1);
	scratch_add(JOURNAL, "\n" GOOD);
	is_number(events(), 2);
}

/* A reader may go on where another one stopped. */
TEST(a_line_knows_where_it_begins) {
	struct journal_reader r;

	begin();
	scratch_write(JOURNAL, "not JSON\n" GOOD "half");
	ok(journal_open(&r, scratch_fd) == 0);
	ok(journal_next_line(&r) == 1 && r.from == 0);
	ok(journal_next_line(&r) == 1 && r.from == 9);
	ok(journal_next_line(&r) == 0);
	journal_seek(&r, 9);
	ok(journal_next_line(&r) == 1 && r.from == 9);
	is_number(r.len, sizeof(GOOD) - 2);
	journal_close(&r);
}

TEST(a_pipe_is_read_to_its_end) {
	static const char text[] = "not JSON\n" GOOD GOOD;
	struct journal_reader r = { .stream = true };
	int fds[2];

	ok(pipe(fds) == 0);
	ok(write(fds[1], text, sizeof(text) - 1) == sizeof(text) - 1);
	close(fds[1]);
	r.fd = fds[0];
	ok(journal_next(&r) == 1 && journal_next(&r) == 1);
	ok(journal_next(&r) == 0);
	journal_close(&r);
}

AFTER_TESTS {
	journal_event_release(&last);
}
