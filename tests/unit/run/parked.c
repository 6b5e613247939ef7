#include "run/status.h"

#include "story.h"

static const msec then = (msec)1800000000 * 1000;

static struct status s;
static msec now;
static bool taken;

static void
begin(void)
{
	status_init(&s, "42");
	strcpy(s.run, "0123abcd-1111-4222-8333-444444444444");
	s.verdict.state = STATE_LIMITED;
	now = then;
}

/* Was the limit news; how long to wait, in seconds up to the next five, since
 * each run has a moment of its own; the prompts; the limit's end. */
static const char *
known(void)
{
	static char text[100];
	msec left = parked_wait(&s, now);

	snprintf(text, sizeof(text), "%s wait %lld asks %u until %lld",
	    taken ? "news" : "old", left == CLOCK_NEVER ? -1 :
	    (long long)(left + 4999) / 5000 * 5, s.parked.asks,
	    s.parked.until == 0 ? 0 :
	    (long long)(s.parked.until - then) / 1000);
	return text;
}

/* "@60" is a minute later than the beginning; so is the end of "limit 60". */
static bool
step(const char *words)
{
	char word[16] = "";
	long long at = 0;
	msec reset;

	sscanf(words, "%15[a-z@] %lld", word, &at);
	reset = at == 0 ? 0 : then + at * 1000;
	if (*words == '=')
		is_text(known(), words + 2);
	else if (strcmp(word, "@") == 0)
		now = then + at * 1000;
	else if (strcmp(word, "ask") == 0)
		parked_begin(&s, now);
	else {
		s.verdict.state = strcmp(word, "works") == 0 ? STATE_WORKING :
		    STATE_LIMITED;
		taken = parked_take(&s, s.verdict.state, reset,
		    strcmp(word, "unwanted") != 0, now);
	}
	return true;
}

TEST(a_limit_is_waited_for_and_asked_about) {
	static const struct story stories[] = {
	{ "soon after its end", { "limit 2520",
	    "= news wait 2525 asks 0 until 2520", "@2520",
	    "= news wait 5 asks 0 until 2520", "@2523",
	    "= news wait 0 asks 0 until 2520", "@0", "limit 2520",
	    "= old wait 2525 asks 0 until 2520", "@30", "limit 2550",
	    "= old wait 2495 asks 0 until 2520" } },
	{ "not unless it is wanted", { "unwanted 60",
	    "= old wait -1 asks 0 until 0", "limit 60", "unwanted 60",
	    "= news wait -1 asks 0 until 0" } },
	{ "without an end, with growing pauses", { "limit 0",
	    "= news wait 300 asks 0 until 0", "@300",
	    "= news wait 0 asks 0 until 0", "ask",
	    "= news wait 600 asks 1 until 0", "@900", "ask",
	    "= news wait 1200 asks 2 until 0", "@2100", "ask",
	    "= news wait -1 asks 3 until 0", "@5700", "limit 0",
	    "= old wait -1 asks 3 until 0" } },
	{ "again, by a new end", { "limit 60", "@63", "ask", "limit 60",
	    "= old wait 600 asks 1 until 60", "works",
	    "= news wait -1 asks 1 until 0", "limit 123",
	    "= news wait 65 asks 1 until 123", "@123",
	    "= news wait 5 asks 1 until 123", "@126",
	    "= news wait 0 asks 1 until 123", "ask", "@129", "limit 186",
	    "= news wait 60 asks 2 until 186" } },
	{ "anew after work", { "limit 0", "ask", "works", "@60", "limit 0",
	    "ask", "works", "@120", "limit 0", "ask", "works", "@180",
	    "limit 0", "@3600", "= news wait -1 asks 3 until 0", "@240",
	    "works", "@1800", "limit 0",
	    "= news wait 300 asks 0 until 0" } },
	{ "not for ever by a clock that was set back",
	    { "limit 0", "@-3600", "= news wait 0 asks 0 until 0" } },
	{ "not for years", { "limit 34560000",
	    "= news wait 300 asks 0 until 0" } },
	};

	TELL(stories, begin, step);
}

TEST(runs_do_not_go_on_in_the_same_moment) {
	msec next;

	begin();
	step("limit 60");
	next = s.parked.next;
	begin();
	strcpy(s.run, "99887766-1111-4222-8333-444444444444");
	step("limit 60");
	ok(s.parked.next != next);
}
