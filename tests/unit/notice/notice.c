#include "notice/notice.h"

#include <unistd.h>
#include <utime.h>

#include "queue/row.h"
#include "scratch.h"

static const char run[] = "0123abcd-1111-4222-8333-444444444444";
static struct noticeway bell = { .kind = NOTICEWAY_BELL, .id = "bell" };
static struct config config = { .notify = { &bell, 1 }, .notify_on = ~0u };

enum { BEGAN = 1000000 };               /* the state, in seconds */

/* A run that has come into a state. */
static struct status
entered(enum state state)
{
	struct status r;

	status_init(&r, "42");
	memcpy(r.run, run, sizeof(r.run));
	r.verdict.state = state;
	r.since = (msec)BEGAN * 1000;
	r.changes = 7;
	notice_take(&r, &config);
	return r;
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
left(struct status *r, long after)
{
	msec wait = notice_wait(r, &config, scratch_fd,
	    ((msec)BEGAN + after) * 1000);

	return wait == CLOCK_NEVER ? -1 : (long)(wait / 1000);
}

TEST(what_is_asked_for_is_due) {
	struct status r = entered(STATE_ERROR);

	is_number(r.notice, NOTICE_STATE);
	is_number(left(&r, 0), 0);
	config.notify_on = 1u << STATE_COMPLETE;
	r = entered(STATE_ERROR);
	is_number(r.notice, NOTICE_NONE);
	is_number(left(&r, 0), -1);
	config.notify_on = ~0u;
	config.notify.n = 0;
	is_number(entered(STATE_ERROR).notice, NOTICE_NONE);
	config.notify.n = 1;
}

TEST(what_is_not_wanted_any_more_is_not_due) {
	struct status r = entered(STATE_ERROR);

	config.notify.n = 0;
	is_number(left(&r, 0), -1);
	is_number(r.notice, NOTICE_NONE);
	config.notify.n = 1;
}

TEST(the_next_state_is_another_episode) {
	struct status r = entered(STATE_ERROR);

	is_number(r.episode, 7);
	tried("sent", 0);
	r.changes++;
	r.verdict.state = STATE_COMPLETE;
	notice_take(&r, &config);
	is_number(r.episode, 8);
	is_number(left(&r, 0), 0);
	config.notify_on = 1u << STATE_ERROR;
	notice_take(&r, &config);
	is_number(r.notice, NOTICE_NONE);
	config.notify_on = ~0u;
}

TEST(what_was_sent_is_due_no_more) {
	struct status r = entered(STATE_ERROR);

	tried("sent", 0);
	is_number(left(&r, 0), -1);
	is_number(r.notice, NOTICE_NONE);
}

TEST(what_failed_is_due_again_after_its_own_age) {
	struct status r = entered(STATE_ERROR);

	tried("failed", 0);
	is_number(left(&r, 0), 5);
	is_number(left(&r, 5), 0);
	tried("failed", 60);
	is_number(left(&r, 60), 60);
	is_number(left(&r, 120), 0);
	tried("failed", 100000);
	is_number(left(&r, 100000), 3600);
	/* A clock that was set back. */
	is_number(left(&r, 50000), 0);
}

TEST(what_was_begun_has_its_time) {
	struct status r = entered(STATE_ERROR);

	tried("begun", 0);
	is_number(left(&r, 0), 2);
	is_number(left(&r, 5 + NOTICE_LIMIT + NOTICE_GRACE), 2);
	is_number(left(&r, 20), 0);
}

TEST(only_the_last_notice_writes_down_its_end) {
	struct status r = entered(STATE_ERROR);
	char episode[JOBENV_EPISODE];

	tried("begun", 0);
	is_number(noticemark_add(scratch_fd, "42", "another", "sent", NULL), 0);
	ok(left(&r, 0) != -1);
	jobenv_episode(episode, &r);
	is_number(noticemark_add(scratch_fd, "42", episode, "sent", "bell"),
	    0);
	ok(left(&r, 0) != -1);
	is_number(noticemark_add(scratch_fd, "42", episode, "sent", NULL), 0);
	is_number(left(&r, 0), -1);
}

TEST(what_a_person_saw_is_due_no_more) {
	struct status r = entered(STATE_ERROR);

	config.notify_again = 60;
	tried("seen", 0);
	is_number(left(&r, 0), -1);
	is_number(r.notice, NOTICE_NONE);
	config.notify_again = 0;
}

TEST(what_was_sent_may_be_due_again) {
	struct status r = entered(STATE_ERROR);

	config.notify_again = 60;
	tried("sent", 10);
	is_number(left(&r, 10), 60);
	is_number(left(&r, 70), 0);
	is_number(r.notice, NOTICE_STATE);
	tried("again", 70);
	is_number(left(&r, 70), 2);
	config.notify_again = 0;
}

TEST(a_hand_off_that_needs_a_person_is_told_of) {
	struct status r = entered(STATE_COMPLETE);
	char episode[JOBENV_EPISODE];

	r.handoff.attempts = 3;
	r.handoff.state = HANDOFF_PENDING;
	notice_take_handoff(&r, &config);
	is_number(r.notice, NOTICE_STATE);
	r.handoff.state = HANDOFF_REFUSED;
	r.handoff.before = HANDOFF_PENDING;
	notice_take_handoff(&r, &config);
	is_number(r.notice, NOTICE_HANDOFF);
	jobenv_episode(episode, &r);
	is_text(strrchr(episode, '-'), "-3");
	is_text(jobenv_state(&r), "refused");
	r.handoff.before = HANDOFF_REFUSED;
	notice_take_handoff(&r, &config);
	is_number(r.notice, NOTICE_NONE);
}

TEST(what_was_seen_in_the_list_is_due_no_more) {
	struct status r = entered(STATE_ERROR);
	char episode[SEEN_EPISODE];

	config.notify_again = 60;
	tried("sent", 0);
	seen_episode(episode, &r);
	is_number(seen_write(scratch_fd, "42", episode, SEEN_ONCE), 0);
	is_number(left(&r, 60), -1);
	is_number(r.notice, NOTICE_NONE);
	r = entered(STATE_ERROR);
	is_number(seen_write(scratch_fd, "42", episode, SEEN_FORGOTTEN), 0);
	is_number(left(&r, 60), -1);
	r = entered(STATE_ERROR);
	r.since++;
	is_number(left(&r, 60), 0);
	config.notify_again = 0;
}

TEST(what_a_client_shows_has_its_first_try_unless_it_is_forgotten) {
	struct status r = entered(STATE_ERROR);
	char episode[SEEN_EPISODE];

	r.episode = 99;                 /* not tried */
	seen_episode(episode, &r);
	is_number(seen_write(scratch_fd, "42", episode, SEEN_ONCE), 0);
	is_number(left(&r, 0), 0);
	is_number(seen_write(scratch_fd, "42", episode, SEEN_FORGOTTEN), 0);
	is_number(left(&r, 0), -1);
	unlink(scratch_path("42.seen"));
}

TEST(a_completion_that_was_seen_hides_no_refused_hand_off) {
	struct status r = entered(STATE_COMPLETE);
	char episode[SEEN_EPISODE];

	seen_episode(episode, &r);
	is_number(seen_write(scratch_fd, "42", episode, SEEN_ONCE), 0);
	r.handoff.attempts = 1;
	r.handoff.state = HANDOFF_REFUSED;
	r.handoff.before = HANDOFF_PENDING;
	notice_take_handoff(&r, &config);
	is_number(left(&r, 0), 0);
	is_number(r.notice, NOTICE_HANDOFF);
}
