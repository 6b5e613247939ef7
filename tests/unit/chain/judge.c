#include "chain/judge.h"

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
		"signal", "hook", "log", "capture", "process", "screen",
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
	is_text(v.source, "signal");
	ev.signal[SIGFILE_ERROR].found = SIGFILE_STALE;
	ok(judged());
	is_number(v.state, STATE_COMPLETE);
	is_text(v.source, "log");
	ev.log.hits.complete = 0;
	ok(judged());
	is_text(v.source, "capture");
	ev.capture.hits.complete = 0;
	ok(judged());
	is_number(v.state, STATE_GONE);
	is_text(v.source, "session");
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
	is_number(asked, EVIDENCE_SIGNAL | EVIDENCE_HOOK | EVIDENCE_LOG);
}

static void
who_has_no_evidence_is_not_asked(void)
{
	report_everywhere();
	there = EVIDENCE_CAPTURE;
	ok(judged());
	is_number(v.state, STATE_COMPLETE);
	is_text(v.source, "capture");
}

static void
an_explanation_asks_everybody(void)
{
	report_everywhere();
	ok(explained());
	is_text(told, "signal:error hook:- log:complete capture:complete "
	    "process:gone screen:- ");
	is_number(v.state, STATE_ERROR);
	is_text(v.source, "signal");
	report_everywhere();
	there = EVIDENCE_SIGNAL | EVIDENCE_PROCESS;
	ev.signal[SIGFILE_ERROR].found = SIGFILE_NONE;
	ok(explained());
	is_text(told, "signal:? hook:- log:- capture:- process:gone "
	    "screen:- ");
	is_number(v.state, STATE_GONE);
}

static void
a_pane_that_lives_is_working_if_nobody_knows_better(void)
{
	begin(ALL);
	ok(judged());
	is_number(v.state, STATE_WORKING);
	is_text(v.source, "process");
	ok(v.why[0] != '\0');
	begin(0);
	ok(judged());
	is_number(v.state, STATE_WORKING);
}

/* A hook has told something so long ago; the screen shows a state. */
static void
tell_and_show(enum event_type last, msec age, enum state shown)
{
	begin(EVIDENCE_HOOK | EVIDENCE_PROCESS | EVIDENCE_SCREEN);
	ev.hook.there = true;
	ev.hook.last = last;
	ev.wall = 1000000;
	ev.hook.time = ev.wall - age;
	ev.stalled_after = 3600000;
	ev.screen.state = shown;
	ev.screen.text = ev.wall;
}

static void
the_screen_is_believed_before_a_hook_once_it_has_settled(void)
{
	tell_and_show(EVENT_TURN, 1000, STATE_WAITING);
	ok(judged());
	is_number(v.state, STATE_WORKING);
	is_text(v.source, "hook");
	tell_and_show(EVENT_TURN, 2000, STATE_WAITING);
	ok(judged());
	is_number(v.state, STATE_WAITING);
	is_text(v.source, "screen");
	/* Nothing tells that a person has answered no. */
	tell_and_show(EVENT_WAITING, 2000, STATE_WAITING);
	snprintf(ev.hook.kind, sizeof(ev.hook.kind), "permission");
	ok(judged());
	is_number(v.state, STATE_WAITING);
	is_text(v.source, "screen");
	/* The prompt is all that is left of a turn that failed. */
	tell_and_show(EVENT_FAILED, 2000, STATE_WAITING);
	ok(judged());
	is_number(v.state, STATE_ASKING);
	is_text(v.source, "hook");
	tell_and_show(EVENT_FAILED, 2000, STATE_WORKING);
	ok(judged());
	is_text(v.source, "screen");
	tell_and_show(EVENT_TURN, 2000, STATE_NONE);
	ok(judged());
	is_text(v.source, "hook");
}

/* A title may say that the agent is ready, all the time. */
static void
a_title_alone_never_beats_a_hook_that_says_that_it_works(void)
{
	tell_and_show(EVENT_TURN, 60000, STATE_WAITING);
	ev.screen.text = 0;
	ev.silent = 1000;
	ok(judged());
	is_number(v.state, STATE_WORKING);
	is_text(v.source, "hook");
	/* A prompt that was seen before, or just when the turn began, is none. */
	ev.screen.text = ev.hook.time + 1999;
	ok(judged());
	is_number(v.state, STATE_WORKING);
	ev.screen.text = ev.hook.time + 2000;
	ok(judged());
	is_number(v.state, STATE_WAITING);
	/* But it is if nothing was printed since. */
	ev.screen.text = ev.hook.time + 500;
	ev.silent = ev.wall - ev.screen.text;
	ok(judged());
	is_number(v.state, STATE_WAITING);
}

/* Some hooks only say that a turn ended, the screen how. */
static void
a_text_from_after_the_end_of_a_turn_says_why_it_ended(void)
{
	tell_and_show(EVENT_ENDED, 5000, STATE_ASKING);
	ev.screen.text = ev.hook.time + 500;
	ev.silent = 1000;
	ok(judged());
	is_number(v.state, STATE_ASKING);
	is_text(v.source, "screen");
	/* But not one from before it, nor one that shows it at work. */
	ev.screen.text = ev.hook.time - 1;
	ok(judged());
	is_number(v.state, STATE_WAITING);
	is_text(v.source, "hook");
	ev.screen.text = ev.hook.time + 500;
	ev.screen.state = STATE_WORKING;
	ok(judged());
	is_number(v.state, STATE_WAITING);
}

/* An agent that draws all the time is captured only now and then. */
static void
a_text_from_before_a_question_is_no_answer_to_it(void)
{
	tell_and_show(EVENT_WAITING, 5000, STATE_WORKING);
	snprintf(ev.hook.kind, sizeof(ev.hook.kind), "permission");
	ev.screen.text = ev.hook.time - 1000;
	ok(judged());
	is_number(v.state, STATE_ASKING);
	ev.screen.text = ev.hook.time + 2000;
	ok(judged());
	is_number(v.state, STATE_WORKING);
	ev.screen.text = 0;             /* its title says so, of now */
	ok(judged());
	is_number(v.state, STATE_WORKING);
}

static void
who_is_seen_to_wait_is_not_stalled(void)
{
	static const struct { enum state shown, judged; } all[] = {
		{ STATE_ASKING,  STATE_ASKING },
		{ STATE_WAITING, STATE_WAITING },
		{ STATE_LIMITED, STATE_LIMITED },
		{ STATE_WORKING, STATE_STALLED },
		{ STATE_NONE,    STATE_STALLED },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		begin(EVIDENCE_PROCESS | EVIDENCE_SCREEN);
		ev.silent = ev.stalled_after = 3600000;
		ev.screen.state = all[i].shown;
		ok(judged());
		is_number(v.state, all[i].judged);
	}
}

/* ---- hooks ------------------------------------------------------------- */

static struct status status;

/* A turn has ended, and its message is known. */
static void
end_turn(void)
{
	status_release(&status);
	status_init(&status, "7");
	begin(EVIDENCE_HOOK | EVIDENCE_LOG | EVIDENCE_CAPTURE);
	ev.wall = 1000000;
	ev.hook = (struct event_evidence){ .there = true, .told = true,
	    .turns = 1, .last = EVENT_ENDED, .time = ev.wall - 2000 };
	ev.log_there = true;
}

static void
a_completion_in_a_record_follows_an_error_in_one(void)
{
	end_turn();
	ev.hook.hits.error = 1;
	strcpy(ev.hook.error, "no disk");
	ok(judged());
	is_number(v.state, STATE_ERROR);
	ok(judge_changes(&status, &v));
	judge_record(&status, &v, &ev, false, ev.wall);
	is_text(status.verdict.message, "no disk");
	ev.hook.ignored = status.ignored_events;
	ok(judged());
	is_number(v.state, STATE_WAITING);
	ok(!judge_changes(&status, &v));
	ev.hook.hits.complete = 1;
	ok(judged());
	is_number(v.state, STATE_COMPLETE);
	ok(judge_changes(&status, &v));
}

static void
a_completion_before_the_error_is_part_of_it(void)
{
	end_turn();
	ev.hook.hits.complete = ev.hook.hits.error = 1;
	status.verdict = (struct verdict){ .state = STATE_ERROR };
	judge_record(&status, &(struct verdict){ .state = STATE_ERROR }, &ev,
	    false, ev.wall);
	is_number(status.ignored_events.complete, 1);
	is_number(status.ignored_events.error, 1);
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
		is_text(v.source, "");
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
	TEST(the_screen_is_believed_before_a_hook_once_it_has_settled);
	TEST(a_title_alone_never_beats_a_hook_that_says_that_it_works);
	TEST(a_text_from_after_the_end_of_a_turn_says_why_it_ended);
	TEST(a_text_from_before_a_question_is_no_answer_to_it);
	TEST(who_is_seen_to_wait_is_not_stalled);
	TEST(a_completion_in_a_record_follows_an_error_in_one);
	TEST(a_completion_before_the_error_is_part_of_it);
	TEST(otherwise_nobody_can_tell);
	status_release(&status);
	return tap_done();
}
