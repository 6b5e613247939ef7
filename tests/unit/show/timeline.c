#include "show/show.h"

#include <stdint.h>

#include "tap.h"
#include "unit/fixture.h"

static struct timeline timeline;

static void
begin(void)
{
	size_t i;

	for (i = 0; i < timeline.n; i++) {
		free(timeline.runs[i].issue);
		free(timeline.runs[i].spans);
	}
	free(timeline.runs);
	timeline = (struct timeline){ .runs = NULL };
}

/* "10 a asking" for each event; a word in brackets is no state's. */
static void
happens(const char *text)
{
	struct journal_event e = { .subject = (char *)(uintptr_t)"7" };
	char what[32] = "";
	size_t place;
	long long at;
	int n;

	for (place = 0; sscanf(text, "%lld %36[^ ] %31[^,]%n", &at, e.run,
	    what, &n) == 3; place++) {
		if (strcmp(e.run, "-") == 0)
			e.run[0] = '\0';
		e.time = at;
		e.type = what[0] == '(' ? JOURNAL_RUN : JOURNAL_STATE;
		what[strcspn(what, ")")] = '\0';
		e.state = what[0] != '(' ? what : NULL;
		e.detail = what[0] == '(' ? what + 1 : NULL;
		timeline_add(&timeline, &e, place);
		text += n;
		text += strspn(text, ", ");
	}
}

/* "a: 0 working 0-5, 1 complete 5-9+": the spans of each run, the number of
 * their event; '+' if it goes on. */
static const char *
runs(void)
{
	static char text[512];
	size_t i, k, len = 0;

	text[0] = '\0';
	for (i = 0; i < timeline.n; i++) {
		const struct timeline_run *r = &timeline.runs[i];

		len += (size_t)snprintf(text + len, sizeof(text) - len,
		    "%s%s:", i > 0 ? "; " : "", r->run);
		for (k = 0; k < r->n; k++)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
			    "%s %zu %s %lld-%lld%s", k > 0 ? "," : "",
			    r->spans[k].event, state_name(r->spans[k].state),
			    (long long)r->spans[k].from,
			    (long long)r->spans[k].to,
			    r->open && k + 1 == r->n ? "+" : "");
	}
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

static const char *
runs_of(const char *events)
{
	begin();
	happens(events);
	return runs();
}

TEST(a_state_of_a_run_lasts_until_the_next_one) {
	ROWS(runs_of, "10 a (started), 20 a asking, 30 a working, 40 a complete,"
	    "45 a (handed off) => a: 0 working 10-20, 1 asking 20-30, "
	    "2 working 30-40, 3 complete 40-45",
	    "10 a (adopted), 11 a waiting => "
	    "a: 0 unknown 10-11, 1 waiting 11-11",
	    /* Its beginning is lost. */
	    "10 a asking, 30 a complete => "
	    "a: 0 asking 10-30, 1 complete 30-30",
	    "10 a (started), 20 b (started),30 b complete, 40 a gone => a: "
	    "0 working 10-40, 3 gone 40-40; b: 1 working 20-30, 2 complete 30-30",
	    "10 - (started) => ",
	    /* A word of a later version. */
	    "10 a (started), 20 a dreaming => "
	    "a: 0 working 10-20, 1 unknown 20-20",
	    /* The clock was set back. */
	    "1000 a (started), 20 a asking, 30 a complete => a: 0 working "
	    "1000-1000, 1 asking 20-30, 2 complete 30-30");
}

TEST(only_what_still_stands_goes_on_until_now) {
	begin();
	happens("10 a (started), 20 a asking");
	ok(stands("a", STATE_WORKING, 90));
	is_text(runs(), "a: 0 working 10-20, 1 asking 20-20");
	ok(stands("a", STATE_ASKING, 90));
	is_text(runs(), "a: 0 working 10-20, 1 asking 20-90+");
	ok(!stands("b", STATE_ASKING, 90));
	ok(stands("a", STATE_ASKING, 5));       /* it began in the future */
	is_text(runs(), "a: 0 working 10-20, 1 asking 20-90+");
}

AFTER_TESTS {
	begin();
}
