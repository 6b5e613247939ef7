#include "notice/notice.h"

#include <utime.h>

#include "queue/row.h"
#include "unit/children.h"

/* ---- when the next try is due -------------------------------------------- */

static const char run[] = "0123abcd-1111-4222-8333-444444444444";
static struct noticeway bell = { .kind = NOTICEWAY_BELL, .id = "bell" };
static struct config config;
static struct status r;

enum { BEGAN = 1000000 };               /* the state, in seconds */

/* A run that has come into a state, of which all is wanted. */
static void
enter(enum state state)
{
	config = (struct config){ .notify = { &bell, 1 }, .notify_on = ~0u };
	status_init(&r, "42");
	memcpy(r.run, run, sizeof(r.run));
	r.verdict.state = state;
	r.since = (msec)BEGAN * 1000;
	r.changes = 7;
	notice_take(&r, &config);
}

/* What of the episode was tried, so many seconds after the state began. */
static void
tried(const char *word, long after)
{
	struct utimbuf t = { BEGAN + after, BEGAN + after };
	char text[128];

	snprintf(text, sizeof(text), "%s-7 %s\n", run, word);
	scratch_write("42.notice", text);
	utime(scratch_path("42.notice"), &t);
}

/* In seconds after the state began: how long from then to the next try? */
static long
left(long after)
{
	msec wait = notice_wait(&r, &config, scratch_fd,
	    ((msec)BEGAN + after) * 1000);

	return wait == CLOCK_NEVER ? -1 : (long)(wait / 1000);
}

static void
see(enum seen how)
{
	char episode[SEEN_EPISODE];

	seen_episode(episode, &r);
	is_number(seen_write(scratch_fd, "42", episode, how), 0);
}

static void
add_to(const char *episode, const char *word, const char *way)
{
	is_number(noticemark_add(scratch_fd, "42", episode, word, way), 0);
}

TEST(what_is_asked_for_is_due_as_long_as_it_is_wanted) {
	enter(STATE_ERROR);
	ok(r.notice == NOTICE_STATE && left(0) == 0);
	config.notify.n = 0;
	ok(left(0) == -1 && r.notice == NOTICE_NONE);
	notice_take(&r, &config);
	is_number(r.notice, NOTICE_NONE);
	enter(STATE_ERROR);
	config.notify_on = 1u << STATE_COMPLETE;
	notice_take(&r, &config);
	ok(r.notice == NOTICE_NONE && left(0) == -1);
}

TEST(what_was_tried_says_when_it_is_due_again) {
	static const struct {
		const char *word;
		long tried, again, after, left;
	} rows[] = {
		{ "sent", 0, 0, 0, -1 }, { "seen", 0, 60, 0, -1 },
		{ "sent", 10, 60, 10, 60 }, { "sent", 10, 60, 70, 0 },
		{ "again", 70, 60, 70, 2 },
		/* After its own age, also if the clock was set back. */
		{ "failed", 0, 0, 0, 5 }, { "failed", 0, 0, 5, 0 },
		{ "failed", 60, 0, 60, 60 }, { "failed", 60, 0, 120, 0 },
		{ "failed", 100000, 0, 100000, 3600 },
		{ "failed", 100000, 0, 50000, 0 },
		/* What was begun has its time. */
		{ "begun", 0, 0, 0, 2 }, { "begun", 0, 0, 20, 0 },
		{ "begun", 0, 0, 5 + NOTICE_LIMIT + NOTICE_GRACE, 2 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s %ld %ld", rows[i].word, rows[i].tried, rows[i].after);
		enter(STATE_ERROR);
		config.notify_again = (unsigned)rows[i].again;
		tried(rows[i].word, rows[i].tried);
		is_number(left(rows[i].after), rows[i].left);
		is_number(r.notice, rows[i].left == -1 ? NOTICE_NONE :
		    NOTICE_STATE);
	}
}

TEST(only_the_last_notice_writes_down_its_end) {
	char episode[JOBENV_EPISODE];

	enter(STATE_ERROR);
	tried("begun", 0);
	add_to("another", "sent", NULL);
	ok(left(0) != -1);
	jobenv_episode(episode, &r);
	add_to(episode, "sent", "bell");
	ok(left(0) != -1);
	add_to(episode, "sent", NULL);
	is_number(left(0), -1);
}

static void
hand_off(enum handoff_state before, enum handoff_state now)
{
	r.handoff.before = before;
	r.handoff.state = now;
	notice_take_handoff(&r, &config);
}

TEST(a_hand_off_that_needs_a_person_is_told_of_also_if_its_run_was_seen) {
	char episode[JOBENV_EPISODE];

	enter(STATE_COMPLETE);
	see(SEEN_ONCE);
	r.handoff.attempts = 3;
	hand_off(r.handoff.before, HANDOFF_PENDING);
	is_number(r.notice, NOTICE_STATE);
	hand_off(HANDOFF_PENDING, HANDOFF_REFUSED);
	is_number(r.notice, NOTICE_HANDOFF);
	jobenv_episode(episode, &r);
	is_text(strrchr(episode, '-'), "-3");
	is_text(jobenv_state(&r), "refused");
	ok(left(0) == 0 && r.notice == NOTICE_HANDOFF);
	hand_off(HANDOFF_REFUSED, HANDOFF_REFUSED);
	is_number(r.notice, NOTICE_NONE);
}

/* tests/system/viewers.sh has what a client shows. */
TEST(what_was_forgotten_is_due_no_more_until_it_changes) {
	enter(STATE_ERROR);
	see(SEEN_FORGOTTEN);
	is_number(left(60), -1);
	enter(STATE_ERROR);
	config.notify_again = 60;
	tried("sent", 0);
	r.since++;
	is_number(left(60), 0);
	unlink(scratch_path("42.seen"));
}

/* ---- the mark ------------------------------------------------------------ */

static struct noticemark mark;          /* of the last read_mark() */

static const char *
read_mark(const char *episode)
{
	argv_free(mark.lines);
	noticemark_read(&mark, scratch_fd, "42", episode);
	return mark.word;
}

static void
add(const char *word, const char *way)
{
	add_to("run-1", word, way);
}

static void
begin(const char *episode)
{
	is_number(noticemark_begin(scratch_fd, "42", episode, "begun", NULL), 0);
}

TEST(each_way_has_a_line_behind_a_beginning) {
	unlink(scratch_path("42.notice"));
	is_text(read_mark("run-1"), "");
	ok(!noticemark_has(&mark, "sent", "bell"));
	add("sent", NULL);
	ok(scratch_text("42.notice") == NULL);
	begin("run-1");
	is_text(read_mark("run-1"), "begun");
	ok(mark.since > 0);
	add("sent", "bell");
	add("failed", "ntfy-1a2b3c4d");
	is_text(read_mark("run-1"), "begun");
	ok(noticemark_has(&mark, "sent", "bell"));
	ok(!noticemark_has(&mark, "sent", "bel"));
	ok(!noticemark_has(&mark, "sent", "ntfy-1a2b3c4d"));
	ok(noticemark_has(&mark, "failed", "ntfy-1a2b3c4d"));
	add("failed", NULL);
	is_text(read_mark("run-1"), "failed");
}

TEST(lines_of_another_episode_or_cut_short_do_not_count) {
	begin("run-1");
	begin("run-2");
	add("sent", "bell");
	add("sent", NULL);
	is_text(read_mark("run-2"), "begun");
	ok(!noticemark_has(&mark, "sent", "bell"));
	is_text(read_mark("run"), "");
	is_text(read_mark("run-22"), "");
	scratch_write("42.notice", "run-1 begun\nrun-1 sent bell\nrun-1 sent");
	is_text(read_mark("run-1"), "begun");
	ok(noticemark_has(&mark, "sent", "bell"));
}

TEST(no_line_goes_through_a_link) {
	scratch_write("other", "");
	unlink(scratch_path("42.notice"));
	ok(symlinkat("other", scratch_fd, "42.notice") == 0);
	is_number(noticemark_add(scratch_fd, "42", "run-1", "sent", NULL), -1);
	is_text(scratch_text("other"), "");
	is_text(read_mark("run-1"), "");
}

AFTER_TESTS {
	argv_free(mark.lines);
}
