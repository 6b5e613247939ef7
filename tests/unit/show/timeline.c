#include "show/show.h"

#include <stdint.h>

#include "tap.h"

static struct timeline timeline;
static struct journal_event events[16];
static size_t nevents;

static void
release(void)
{
	size_t i;

	for (i = 0; i < timeline.n; i++) {
		free(timeline.runs[i].issue);
		free(timeline.runs[i].spans);
	}
	free(timeline.runs);
	timeline = (struct timeline){ .runs = NULL };
}

static void
begin(void)
{
	release();
	nevents = 0;
}

/* A word that is no state is what another event says. */
static void
happens(msec time, const char *run, const char *what)
{
	struct journal_event *e = &events[nevents];
	bool state = state_of(what, strlen(what)) != STATE_NONE;

	*e = (struct journal_event){ .time = time,
	    .type = state ? JOURNAL_STATE : JOURNAL_RUN,
	    .subject = (char *)(uintptr_t)"7",
	    .state = state ? (char *)(uintptr_t)what : NULL,
	    .detail = state ? NULL : (char *)(uintptr_t)what };
	snprintf(e->run, sizeof(e->run), "%s", run);
	timeline_add(&timeline, e, nevents++);
}

/* "working 0-5, complete 5-9", of a run. */
static const char *
spans(size_t run)
{
	static char text[512];
	const struct timeline_run *r = &timeline.runs[run];
	size_t i, len = 0;

	text[0] = '\0';
	for (i = 0; run < timeline.n && i < r->n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
		    "%s%s %lld-%lld", i ? ", " : "",
		    state_name(r->spans[i].state),
		    (long long)r->spans[i].from, (long long)r->spans[i].to);
	return text;
}

/* The record of a run, in a state. */
static bool
stands(const char *run, enum state state, msec now)
{
	struct status s = { .issue = "7", .verdict.state = state };

	snprintf(s.run, sizeof(s.run), "%s", run);
	return timeline_stand(&timeline, &s, now);
}

TEST(a_state_lasts_until_the_next_one) {
	begin();
	happens(10, "a", "started");
	happens(20, "a", "asking");
	happens(30, "a", "working");
	happens(40, "a", "complete");
	happens(45, "a", "handed off");
	is_text(spans(0), "working 10-20, asking 20-30, working 30-40, "
	    "complete 40-45");
	is_number(timeline.runs[0].spans[1].event, 1);
	is_number(timeline.n, 1);
}

TEST(an_adopted_run_is_unknown_at_first) {
	begin();
	happens(10, "a", "adopted");
	happens(11, "a", "waiting");
	is_text(spans(0), "unknown 10-11, waiting 11-11");
}

TEST(a_run_whose_beginning_is_lost_begins_with_what_is_left) {
	begin();
	happens(10, "a", "asking");
	happens(30, "a", "complete");
	is_text(spans(0), "asking 10-30, complete 30-30");
}

TEST(runs_of_one_issue_are_apart) {
	begin();
	happens(10, "a", "started");
	happens(20, "b", "started");
	happens(30, "b", "complete");
	happens(40, "a", "gone");
	is_number(timeline.n, 2);
	is_text(spans(0), "working 10-40, gone 40-40");
	is_text(spans(1), "working 20-30, complete 30-30");
}

TEST(what_names_no_run_is_in_none) {
	begin();
	happens(10, "", "started");
	is_number(timeline.n, 0);
}

TEST(a_word_of_a_later_version_is_unknown) {
	begin();
	happens(10, "a", "started");
	events[nevents] = events[0];
	events[nevents].type = JOURNAL_STATE;
	events[nevents].state = (char *)(uintptr_t)"dreaming";
	events[nevents].detail = NULL;
	events[nevents].time = 20;
	timeline_add(&timeline, &events[nevents], nevents);
	is_number(timeline.runs[0].spans[1].state, STATE_UNKNOWN);
}

TEST(a_clock_that_was_set_back_makes_a_state_short) {
	begin();
	happens(1000, "a", "started");
	happens(20, "a", "asking");
	happens(30, "a", "complete");
	is_text(spans(0), "working 1000-1000, asking 20-30, complete 30-30");
}

TEST(only_what_still_stands_goes_on_until_now) {
	begin();
	happens(10, "a", "started");
	happens(20, "a", "asking");
	ok(stands("a", STATE_WORKING, 90));
	is_text(spans(0), "working 10-20, asking 20-20");
	ok(!timeline.runs[0].open);
	ok(stands("a", STATE_ASKING, 90));
	is_text(spans(0), "working 10-20, asking 20-90");
	ok(timeline.runs[0].open);
	ok(!stands("b", STATE_ASKING, 90));
	ok(stands("a", STATE_ASKING, 5));       /* it began in the future */
	is_text(spans(0), "working 10-20, asking 20-90");
}

AFTER_TESTS {
	release();
}
