#include "run/journal.h"

#include <errno.h>
#include <sys/file.h>

#include "base/alloc.h"
#include "data/json.h"
#include "scratch.h"

#define JOURNAL "journal.ndjson"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";

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

	return journal_add(scratch_fd, "/p/.status", type, &s, detail);
}

/* The line of a number, from 0, parsed; NULL where it is no JSON. */
static struct json *
line(unsigned number)
{
	const char *p = scratch_text(JOURNAL), *end;

	while (p != NULL && number > 0 && (p = strchr(p, '\n')) != NULL) {
		p++;
		number--;
	}
	if (p == NULL || (end = strchr(p, '\n')) == NULL)
		return NULL;
	return json_parse(p, (size_t)(end - p), false, NULL);
}

static unsigned
lines(void)
{
	const char *p = scratch_text(JOURNAL);
	unsigned n = 0;

	for (; p != NULL && (p = strchr(p, '\n')) != NULL; p++)
		n++;
	return n;
}

/* A member of line number, as text that is good until the next call. */
static const char *
field(unsigned number, const char *name)
{
	static char *text;
	struct json *o = line(number);
	const char *found = json_text(o, name);

	if (found == NULL)
		found = json_text(json_member(o, "data"), name);
	free(text);
	text = found ? xstrdup(found) : NULL;
	json_free(o);
	return text;
}

TEST(every_call_adds_one_line) {
	struct stat st;

	begin();
	ok(add(JOURNAL_RUN, NULL) == 0);
	is_number(lines(), 1);
	ok(add(JOURNAL_STATE, NULL) == 0);
	is_number(lines(), 2);
	ok(stat(scratch_path(JOURNAL), &st) == 0);
	is_number(st.st_mode & 0777, 0600);
}

TEST(a_line_is_an_event_about_the_issue) {
	begin();
	add(JOURNAL_STATE, NULL);
	is_text(field(0, "specversion"), "1.0");
	is_text(field(0, "source"), "/p/.status");
	is_text(field(0, "type"), "paneward.state");
	is_text(field(0, "subject"), "7");
	is_text(field(0, "datacontenttype"), "application/json");
	ok(clock_parse(field(0, "time")) > clock_wall() - 60000);
	ok(field(0, "id") != NULL);
}

TEST(a_change_of_state_says_which_and_why) {
	struct status s = record();
	struct json *o;

	begin();
	verdict_message(&s.verdict, "no disk", 7);
	s.exit_code = 3;
	ok(journal_add(scratch_fd, "/", JOURNAL_STATE, &s, NULL) == 0);
	is_text(field(0, "run"), RUN);
	is_text(field(0, "state"), "dead");
	is_text(field(0, "why"), "the agent ended");
	is_text(field(0, "message"), "no disk");
	is_text(field(0, "detail"), NULL);
	o = line(0);
	is_text(json_text(json_member(o, "data"), "source"), "process");
	is_number(json_number(json_member(o, "data"), "exit_code", -1), 3);
	is_number(json_number(json_member(o, "data"), "exit_signal", -1), -1);
	json_free(o);
}

TEST(an_attempt_that_begins_has_no_result_of_the_one_before) {
	struct status s = record();
	struct json *o;

	begin();
	s.handoff.attempts = 2;
	s.handoff.last_exit = 3;
	s.handoff.message = xstrdup("no disk");
	s.handoff.state = HANDOFF_RUNNING;
	journal_add(scratch_fd, "/", JOURNAL_HANDOFF, &s, "begins");
	s.handoff.state = HANDOFF_FAILED;
	journal_add(scratch_fd, "/", JOURNAL_HANDOFF, &s, "ended");
	o = line(0);
	is_number(json_number(json_member(o, "data"), "attempt", -1), 2);
	is_number(json_number(json_member(o, "data"), "exit", -1), -1);
	json_free(o);
	is_text(field(0, "message"), NULL);
	o = line(1);
	is_number(json_number(json_member(o, "data"), "exit", -1), 3);
	json_free(o);
	is_text(field(1, "message"), "no disk");
	status_release(&s);
}

TEST(every_type_has_its_name) {
	static const struct {
		enum journal_type type;
		const char       *name;
	} all[] = {
		{ JOURNAL_RUN,     "paneward.run" },
		{ JOURNAL_STATE,   "paneward.state" },
		{ JOURNAL_STALE,   "paneward.stale" },
		{ JOURNAL_REFUSED, "paneward.refused" },
		{ JOURNAL_WARNING, "paneward.warning" },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		begin();
		ok(add(all[i].type, "what") == 0);
		is_text(field(0, "type"), all[i].name);
		is_text(field(0, "detail"), "what");
	}
}

static bool
same_id(unsigned a, unsigned b)
{
	char *first = xstrdup(field(a, "id"));
	bool same = strcmp(first, field(b, "id")) == 0;

	free(first);
	return same;
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
	ok(same_id(0, 1));
	ok(same_id(2, 3));
	ok(!same_id(2, 4));
	ok(!same_id(2, 5));
	ok(!same_id(0, 6));
	ok(!same_id(0, 7));
}

TEST(a_torn_last_line_is_closed_first) {
	begin();
	scratch_write(JOURNAL, "{\"a\":1}\n{\"torn\":");
	ok(add(JOURNAL_RUN, NULL) == 0);
	is_number(lines(), 3);
	ok(strncmp(scratch_text(JOURNAL), "{\"a\":1}\n{\"torn\":\n{", 18) == 0);
	is_text(field(2, "type"), "paneward.run");
	ok(add(JOURNAL_RUN, NULL) == 0);
	is_number(lines(), 4);
}

TEST(hostile_texts_stay_inside_of_their_line) {
	static const char detail[] = "a\n\"}\r\\\t\033[31m\x7f\xff\u202e"
	    "\n{\"id\":\"x\"}";
	struct status s = record();

	begin();
	ok(journal_add(scratch_fd, "/a \"b\"\n\xff", JOURNAL_WARNING, &s,
	    detail) == 0);
	is_number(lines(), 1);
	is_text(field(0, "detail"), "a\n\"}\r\\\t\033[31m\x7f\xef\xbf\xbd\u202e"
	    "\n{\"id\":\"x\"}");
	is_text(field(0, "source"), "/a \"b\"\n\xef\xbf\xbd");
}

TEST(a_link_is_not_followed) {
	begin();
	scratch_write("precious", "text");
	ok(symlink("precious", scratch_path(JOURNAL)) == 0);
	errno = 0;
	ok(add(JOURNAL_RUN, NULL) == -1 && errno == ELOOP);
	is_text(scratch_text("precious"), "text");
}

static void
add_on_a_full_disk(void)
{
	scratch_limit_files(strlen(scratch_text(JOURNAL)) + 20);
	errno = ENOTTY;                 /* of something before */
	ok(add(JOURNAL_RUN, "lost") == -1);
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
	is_number(lines(), 2);
	is_text(field(1, "detail"), "later");
	free(before);
}

TEST(many_at_once_do_not_mix_their_lines) {
	enum { WRITERS = 4, EACH = 8 };
	char *detail = xmalloc(20001);
	unsigned i, k;
	struct json *o;

	begin();
	memset(detail, 'x', 20000);
	detail[20000] = '\0';
	fflush(stdout);
	for (i = 0; i < WRITERS; i++)
		if (fork() == 0) {
			for (k = 0; k < EACH; k++)
				add(JOURNAL_WARNING, detail);
			_exit(0);
		}
	while (wait(NULL) != -1)
		continue;
	is_number(lines(), WRITERS * EACH);
	for (i = 0; i < WRITERS * EACH; i++) {
		o = line(i);
		ok(o != NULL);
		json_free(o);
	}
	free(detail);
}

static int
add_inbox(msec patience)
{
	const struct journal_inbox event = { "box", "no room", "summary: x\n",
	    10 };

	return journal_add_inbox(scratch_fd, "/p/.status", &event, patience,
	    false);
}

TEST(an_entry_that_is_not_in_its_inbox_is_told) {
	begin();
	ok(add_inbox(0) == 0);
	is_text(field(0, "type"), "paneward.warning");
	is_text(field(0, "subject"), "queue/inbox/box.yaml");
	is_text(field(0, "detail"), "no room");
	is_text(field(0, "entry"), "summary: x");
}

TEST(who_waits_for_the_lock_waits_as_long_as_it_may) {
	int fd;

	begin();
	add(JOURNAL_RUN, NULL);
	fd = openat(scratch_fd, JOURNAL, O_RDONLY | O_CLOEXEC);
	ok(flock(fd, LOCK_EX) == 0);
	errno = 0;
	ok(add_inbox(0) == -1 && errno == EWOULDBLOCK);
	errno = 0;
	ok(add_inbox(20) == -1 && errno == EWOULDBLOCK);
	close(fd);
	ok(add_inbox(0) == 0);
	is_number(lines(), 2);
}

TEST(without_a_directory_it_fails) {
	struct status s = record();

	errno = 0;
	ok(journal_add(-1, "/", JOURNAL_RUN, &s, NULL) == -1);
	is_number(errno, EBADF);
}

/* ---- reading it ---------------------------------------------------------- */

static struct journal_event last;               /* its texts are ours */
static char last_line[512];

/* How many events it has; -1 if it cannot be read. */
static int
events(void)
{
	struct journal_reader r;
	int n = 0, got = journal_open(&r, scratch_fd);

	while (got != -1 && (got = journal_next(&r)) == 1) {
		n++;
		journal_event_release(&last);
		last = r.event;
		r.event = (struct journal_event){ .exit = -1 };
		snprintf(last_line, sizeof(last_line), "%.*s", (int)r.len,
		    r.line);
	}
	journal_close(&r);
	return got == -1 ? -1 : n;
}

static int
events_in(const char *text)
{
	scratch_write(JOURNAL, text);
	return events();
}

#define GOOD "{\"id\":\"1\",\"type\":\"paneward.stale\",\"subject\":\"7\"," \
	"\"time\":\"2026-01-31T12:00:00Z\"}\n"

TEST(what_was_appended_is_read_again) {
	begin();
	is_number(add(JOURNAL_STATE, NULL), 0);
	is_number(add(JOURNAL_WARNING, "so it is"), 0);
	is_number(events(), 2);
	is_number(last.type, JOURNAL_WARNING);
	is_text(last.subject, "7");
	is_text(last.run, RUN);
	is_text(last.detail, "so it is");
	ok(last.state == NULL && last.exit == -1);
	ok(strstr(scratch_text(JOURNAL), last_line) != NULL);
	ok(clock_wall() - last.time < 600000);
}

TEST(what_is_no_event_is_skipped) {
	is_number(events_in(""), 0);
	is_number(events_in(GOOD), 1);
	is_number(events_in("\n\nno\n[]\n{}\n" GOOD "\"a\"\n"), 1);
	is_number(events_in("{\"id\":\"1\",\"type\":\"paneward.new\","
	    "\"subject\":\"7\",\"time\":\"2026-01-31T12:00:00Z\"}\n"), 0);
	is_number(events_in("{\"id\":\"1\",\"type\":\"paneward.run\","
	    "\"subject\":\"7\",\"time\":\"yesterday\"}\n"), 0);
	is_number(events_in("{\"id\":\"1\",\"type\":\"paneward.run\","
	    "\"subject\":7,\"time\":\"2026-01-31T12:00:00Z\"}\n"), 0);
}

TEST(half_a_line_is_skipped) {
	is_number(events_in(GOOD "{\"id\":\"2\",\"ty"), 1);
	is_number(events_in("\":\"7\"}\n" GOOD GOOD), 2);
}

TEST(a_member_of_another_kind_is_missing) {
	is_number(events_in("{\"id\":\"1\",\"type\":\"paneward.handoff\","
	    "\"new\":[1],\"subject\":\"7\",\"time\":\"2026-01-31T12:00:00Z\""
	    ",\"data\":{\"run\":7,\"state\":[],\"exit\":\"x\"}}\n"), 1);
	is_text(last.run, "");
	ok(last.state == NULL && last.exit == -1);
	is_number(events_in("{\"id\":\"1\",\"type\":\"paneward.handoff\","
	    "\"subject\":\"7\",\"time\":\"2026-01-31T12:00:00Z\""
	    ",\"data\":{\"exit\":77}}\n"), 1);
	is_number(last.exit, 77);
}

/* It is longer than any buffer, and so is what is kept of it. */
TEST(a_line_without_an_end_is_skipped) {
	struct buf text = BUF_INIT;
	int i;

	buf_adds(&text, GOOD);
	for (i = 0; i < 3 << 20; i++)
		buf_addc(&text, 'x');
	is_number(events_in(buf_str(&text)), 1);
	buf_adds(&text, "\n" GOOD);
	is_number(events_in(buf_str(&text)), 2);
	buf_release(&text);
}

TEST(without_a_journal_nothing_happened) {
	begin();
	is_number(events(), 0);
	ok(symlink("elsewhere", scratch_path(JOURNAL)) == 0);
	is_number(events(), -1);
	begin();
	journal_event_release(&last);
	field(0, "");                   /* frees the last one */
}

/* A reader may go on where another one stopped. */
TEST(a_line_knows_where_it_begins) {
	struct journal_reader r;
	off_t second;

	scratch_write(JOURNAL, "not JSON\n" GOOD "half");
	ok(journal_open(&r, scratch_fd) == 0);
	ok(journal_next_line(&r) == 1);
	is_number(r.from, 0);
	ok(journal_next_line(&r) == 1);
	second = r.from;
	is_number(second, 9);
	ok(journal_next_line(&r) == 0);
	journal_seek(&r, second);
	ok(journal_next_line(&r) == 1);
	is_number(r.from, second);
	is_number(r.len, sizeof(GOOD) - 2);
	journal_close(&r);
}

TEST(a_pipe_is_read_to_its_end) {
	static const char text[] = "not JSON\n" GOOD GOOD;
	struct journal_reader r;
	int fds[2];

	ok(pipe(fds) == 0);
	ok(write(fds[1], text, sizeof(text) - 1) == sizeof(text) - 1);
	close(fds[1]);
	r = (struct journal_reader){ .fd = fds[0], .stream = true };
	ok(journal_next(&r) == 1);
	ok(journal_next(&r) == 1);
	ok(journal_next(&r) == 0);
	journal_close(&r);
}
