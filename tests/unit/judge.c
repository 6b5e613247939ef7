#include "judge.h"

#include "tap.h"

/* What is there to be gathered, and what was asked and told. */
static unsigned there, asked;
static char told[256];

static bool
gather(void *context, struct evidence *ev, enum evidence_part part)
{
	ok(context == &there && ev != NULL);
	asked |= part;
	return there & part;
}

static void
tell(void *context, const struct detector *d, const struct evidence *ev,
    bool was_asked, const struct verdict *answer)
{
	size_t len = strlen(told);

	ok(context == &there && ev != NULL);
	snprintf(told + len, sizeof(told) - len, "%s:%s ", d->name,
	    !was_asked ? "-" : answer ? state_name(answer->state) : "?");
}

static struct evidence ev;
static struct verdict v;

static void
begin(unsigned parts)
{
	evidence_init(&ev, "7");
	ev.pane = PANE_LIVES;
	there = parts;
	asked = 0;
	told[0] = '\0';
}

enum { ALL = EVIDENCE_SIGNAL | EVIDENCE_LOG | EVIDENCE_CAPTURE |
	EVIDENCE_PROCESS };

static bool
judged(void)
{
	const struct judge_walk walk = { .gather = gather, .context = &there };

	return judge(&walk, &ev, &v);
}

static bool
explained(void)
{
	const struct judge_walk walk = { gather, tell, &there };

	return judge(&walk, &ev, &v);
}

/* Every detector could answer. */
static void
report_everywhere(void)
{
	begin(ALL);
	ev.signal[SIGFILE_ERROR].found = SIGFILE_SIGNAL;
	ev.log_there = true;
	ev.log.hits.complete = ev.capture.hits.complete = 1;
	ev.pane = PANE_GONE;
	ev.last_look = true;
}

static void
the_chain_asks_the_certain_before_the_likely(void)
{
	static const char *const order[] = {
		"signal", "log", "capture", "process",
	};
	size_t i;

	is_number(chain_length, sizeof(order) / sizeof(order[0]));
	for (i = 0; i < chain_length; i++)
		is_text(chain[i].name, order[i]);
}

static void
the_first_that_can_tell_decides(void)
{
	report_everywhere();
	ok(judged());
	is_number(v.state, STATE_ERROR);
	is_number(v.source, SOURCE_SIGNAL);
	ev.signal[SIGFILE_ERROR].found = SIGFILE_STALE;
	ok(judged());
	is_number(v.state, STATE_COMPLETE);
	is_number(v.source, SOURCE_LOG);
	ev.log.hits.complete = 0;
	ok(judged());
	is_number(v.source, SOURCE_CAPTURE);
	ev.capture.hits.complete = 0;
	ok(judged());
	is_number(v.state, STATE_GONE);
	is_number(v.source, SOURCE_SESSION);
}

static void
who_comes_later_is_not_asked(void)
{
	report_everywhere();
	ok(judged());
	is_number(asked, EVIDENCE_SIGNAL);
	report_everywhere();
	ev.signal[SIGFILE_ERROR].found = SIGFILE_NONE;
	ok(judged());
	is_number(asked, EVIDENCE_SIGNAL | EVIDENCE_LOG);
}

static void
who_has_no_evidence_is_not_asked(void)
{
	report_everywhere();
	there = EVIDENCE_CAPTURE;
	ok(judged());
	is_number(v.state, STATE_COMPLETE);
	is_number(v.source, SOURCE_CAPTURE);
}

static void
an_explanation_asks_everybody(void)
{
	report_everywhere();
	ok(explained());
	is_text(told, "signal:error log:complete capture:complete "
	    "process:gone ");
	is_number(v.state, STATE_ERROR);
	is_number(v.source, SOURCE_SIGNAL);
	report_everywhere();
	there = EVIDENCE_SIGNAL | EVIDENCE_PROCESS;
	ev.signal[SIGFILE_ERROR].found = SIGFILE_NONE;
	ok(explained());
	is_text(told, "signal:? log:- capture:- process:gone ");
	is_number(v.state, STATE_GONE);
}

static void
a_pane_that_lives_is_working_if_nobody_knows_better(void)
{
	begin(ALL);
	ok(judged());
	is_number(v.state, STATE_WORKING);
	is_number(v.source, SOURCE_PROCESS);
	ok(v.why[0] != '\0');
	begin(0);
	ok(judged());
	is_number(v.state, STATE_WORKING);
}

static void
otherwise_nobody_can_tell(void)
{
	static const enum pane_life lives[] = {
		PANE_DEAD, PANE_GONE, PANE_NONE,
	};
	size_t i;

	for (i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		begin(ALL);
		ev.pane = lives[i];
		verdict_why(&v, "what was said before");
		v.state = STATE_ERROR;
		ok(!judged());
		is_number(v.state, STATE_NONE);
		is_number(v.source, SOURCE_NONE);
		is_text(v.why, "");
	}
	begin(ALL);
	ev.agent_ended = true;
	ok(!judged());
	begin(0);
	ev.pane = PANE_SILENT;
	ok(!judged());
}

int
main(void)
{
	TEST(the_chain_asks_the_certain_before_the_likely);
	TEST(the_first_that_can_tell_decides);
	TEST(who_comes_later_is_not_asked);
	TEST(who_has_no_evidence_is_not_asked);
	TEST(an_explanation_asks_everybody);
	TEST(a_pane_that_lives_is_working_if_nobody_knows_better);
	TEST(otherwise_nobody_can_tell);
	return tap_done();
}
