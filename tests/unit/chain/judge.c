#include "chain/sources.h"

#include <unistd.h>

#include "agent/signs.h"
#include "base/text.h"
#include "scratch.h"

/* What each detector answered. */
static char told[256];

static void
tell(void *context, const struct detector *d, const struct evidence *ev,
    const struct verdict *answer)
{
	size_t len = strlen(told);

	ok(context == told && ev != NULL);
	snprintf(told + len, sizeof(told) - len, "%s:%s ", d->name,
	    answer ? state_name(answer->state) : "-");
}

static struct evidence ev;
static struct verdict v;

static void
begin(void)
{
	evidence_init(&ev, "7");
	ev.pane = PANE_LIVES;
	told[0] = '\0';
}

static bool
judged(void)
{
	return judge(NULL, &ev, &v);
}

static bool
explained(void)
{
	return judge_all(NULL, &ev, &v, tell, told);
}

/* Every detector could answer. */
static void
report_everywhere(void)
{
	begin();
	ev.signal[SIGFILE_ERROR].found = SIGFILE_SIGNAL;
	ev.log_there = true;
	ev.log.hits.complete = ev.capture.hits.complete = 1;
	ev.pane = PANE_GONE;
	ev.final = true;
}

TEST(the_chain_asks_the_certain_before_the_likely) {
	static const char *const order[] = {
		"signal", "hook", "transcript", "log", "capture", "process",
		"screen",
	};
	size_t i;

	is_number(chain_length, sizeof(order) / sizeof(order[0]));
	for (i = 0; i < chain_length; i++)
		is_text(chain[i].name, order[i]);
}

TEST(the_first_that_can_tell_decides) {
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

/* The file of a signal is gathered, the log behind it is not opened. */
TEST(nothing_is_gathered_after_the_decision) {
	struct statusdir dir = { .fd = scratch_fd, .state_fd = -1,
	    .owner = getuid() };
	struct status r;
	struct sources s;

	status_init(&r, "7");
	ok(sources_init(&s, &dir, &r) == 0);
	s.pass = true;
	begin();
	ok(judge(&s, &ev, &v));
	ok(s.log_read);
	is_number(v.state, STATE_WORKING);
	s.log_read = false;
	scratch_write("signal-complete-7", "done\n");
	ok(judge(&s, &ev, &v));
	ok(!s.log_read);
	is_number(v.state, STATE_COMPLETE);
	is_text(v.source, "signal");
	sources_release(&s);
	evidence_release(&ev);
	status_release(&r);
}

/* An agent's turn that began at a time, by either detector. */
static void
turn_began(struct event_evidence *e, msec time)
{
	e->there = true;
	e->last = EVENT_TURN;
	e->time = time;
}

TEST(of_hook_and_transcript_the_newer_decides) {
	begin();
	ev.wall = 100000;
	turn_began(&ev.hook, 50000);
	turn_began(&ev.transcript, 60000);
	ev.transcript.last = EVENT_FAILED;
	memcpy(ev.transcript.kind, "aborted", sizeof("aborted"));
	ok(judged());
	is_number(v.state, STATE_WAITING);
	is_text(v.source, "transcript");
	ev.hook.time = 70000;
	ok(judged());
	is_number(v.state, STATE_WORKING);
	is_text(v.source, "hook");
	evidence_release(&ev);
}

/* The hook of an end comes a moment after the line, and says less. */
TEST(how_a_turn_ended_is_in_the_transcript) {
	begin();
	ev.wall = 100000;
	turn_began(&ev.hook, 50000);
	turn_began(&ev.transcript, 49900);
	ev.hook.last = EVENT_ENDED;
	ev.hook.unsaid = true;
	ev.transcript.last = EVENT_FAILED;
	ok(judged());
	is_number(v.state, STATE_ASKING);
	is_text(v.source, "transcript");
	ev.hook.unsaid = false;         /* it had a message */
	ok(judged());
	is_number(v.state, STATE_WAITING);
	ev.hook.unsaid = true;
	ev.transcript.time = 40000;     /* of an earlier turn */
	ok(judged());
	is_number(v.state, STATE_WAITING);
	evidence_release(&ev);
}

TEST(an_explanation_asks_every_detector) {
	report_everywhere();
	ok(explained());
	is_text(told, "signal:error hook:- transcript:- log:complete capture:complete "
	    "process:gone screen:- ");
	is_number(v.state, STATE_ERROR);
	is_text(v.source, "signal");
}

TEST(a_pane_that_lives_is_working_if_nobody_knows_better) {
	begin();
	ok(judged());
	is_number(v.state, STATE_WORKING);
	is_text(v.source, "process");
	ok(v.why[0] != '\0');
	begin();
	ok(judged());
	is_number(v.state, STATE_WORKING);
}

/* A hook has told something so long ago; the screen shows a state. */
static void
tell_and_show(enum event_type last, msec age, enum state shown)
{
	begin();
	ev.hook.there = true;
	ev.hook.last = last;
	ev.wall = 1000000;
	ev.hook.time = ev.wall - age;
	ev.stalled_after = 3600000;
	ev.screen.state = shown;
	ev.screen.text = ev.wall;
}

TEST(the_screen_is_believed_before_a_hook_once_it_has_settled) {
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
	/* Its helpers still work behind the prompt. */
	tell_and_show(EVENT_ENDED, 2000, STATE_WAITING);
	snprintf(ev.hook.kind, sizeof(ev.hook.kind), "background");
	ok(judged());
	is_number(v.state, STATE_WORKING);
	is_text(v.source, "hook");
	ev.hook.kind[0] = '\0';
	/* The prompt is all that is left of a turn that failed. */
	tell_and_show(EVENT_FAILED, 2500, STATE_WAITING);
	ok(judged());
	is_number(v.state, STATE_ASKING);
	is_text(v.source, "hook");
	tell_and_show(EVENT_FAILED, 2500, STATE_WORKING);
	ok(judged());
	is_text(v.source, "screen");
	/* It tries again; or it has stopped, and no capture shows that yet. */
	tell_and_show(EVENT_FAILED, 2500, STATE_WORKING);
	ev.screen.text = ev.hook.time - 5000;
	ev.silent = 100;
	ok(judged());
	is_number(v.state, STATE_WORKING);
	ev.silent = 3000;
	ok(judged());
	is_number(v.state, STATE_ASKING);
	tell_and_show(EVENT_TURN, 2000, STATE_NONE);
	ok(judged());
	is_text(v.source, "hook");
}

/* A title may say that the agent is ready, all the time. */
TEST(a_title_alone_never_beats_a_hook_that_says_that_it_works) {
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
	/* But it is if nothing was printed since, for sure. */
	ev.screen.text = ev.hook.time + 500;
	ev.silent = ev.wall - ev.screen.text;
	ok(judged());
	is_number(v.state, STATE_WAITING);
	ev.unsure = 1;
	ok(judged());
	is_number(v.state, STATE_WORKING);
}

/* Some hooks only say that a turn ended, the screen how. */
TEST(a_text_from_after_the_end_of_a_turn_says_why_it_ended) {
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
TEST(a_text_from_before_a_question_is_no_answer_to_it) {
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

TEST(who_is_seen_to_wait_is_not_stalled) {
	static const struct { enum state shown, judged; } all[] = {
		{ STATE_ASKING,  STATE_ASKING },
		{ STATE_WAITING, STATE_WAITING },
		{ STATE_LIMITED, STATE_LIMITED },
		{ STATE_WORKING, STATE_STALLED },
		{ STATE_NONE,    STATE_STALLED },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		begin();
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
	begin();
	ev.wall = 1000000;
	ev.hook = (struct event_evidence){ .there = true, .told = true,
	    .turns = 1, .last = EVENT_ENDED, .time = ev.wall - 2000 };
	ev.log_there = true;
}

/* ---- questions ---------------------------------------------------------- */

/* An event about a command, and the command of the dialog on the screen; NULL:
 * there is none.  The clock goes on by ten seconds. */
static const char *
asked(const char *event, const char *shown)
{
	static char answer[1024];
	bool begins;

	ev.wall += 10000;
	if (event != NULL) {
		ev.hook = (struct event_evidence){ .there = true,
		    .last = EVENT_WAITING, .asked = ev.wall, .time = ev.wall };
		snprintf(ev.hook.kind, sizeof(ev.hook.kind), "permission");
		snprintf(ev.hook.text, sizeof(ev.hook.text), "%s", event);
	}
	ev.screen = (struct screen_evidence){ .state = STATE_NONE };
	if (shown != NULL) {
		ev.wall += EVIDENCE_DRAWN;
		ev.screen = (struct screen_evidence){ .state = STATE_ASKING,
		    .what = "it asks", .asked = shown, .text = ev.wall,
		    .kind = "permission",
		    .question = (uint32_t)text_hash(shown, strlen(shown)),
		    .command = signs_command(shown, strlen(shown)) };
	}
	ok(judged());
	begins = judge_begins(&status, &v);
	if (judge_changes(&status, &v))
		ok(judge_record(&status, &v, &ev, false, ev.wall) == begins);
	snprintf(answer, sizeof(answer), "%s%s", begins ? "new: " : "",
	    status.verdict.message);
	return answer;
}

static void
begin_to_ask(void)
{
	status_release(&status);
	status_init(&status, "7");
	begin();
	ev.record = &status;
	ev.wall = 1000000;
}

TEST(the_question_is_the_one_that_is_open) {
	begin_to_ask();
	is_text(asked("Bash: mkdir x", NULL), "new: Bash: mkdir x");
	is_text(asked(NULL, "mkdir x"), "Bash: mkdir x");
	is_text(asked(NULL, "mkdir x"), "Bash: mkdir x");
	is_text(asked("Bash: git push --force", "git push --force"),
	    "new: Bash: git push --force");
	is_text(asked("Bash: git push --force", NULL),
	    "new: Bash: git push --force");
	/* No hook reports the next ones. */
	is_text(asked(NULL, "git push --force"), "Bash: git push --force");
	is_text(asked(NULL, "rm -rf /"), "new: rm -rf /");
	is_text(asked(NULL, NULL), "rm -rf /");
	is_text(asked(NULL, "rm -rf /"), "rm -rf /");
	/* Two are asked at once, and the first is shown first. */
	is_text(asked("Bash: second", "first"), "new: first");
	is_text(asked(NULL, "second"), "new: second");
}

TEST(what_is_asked_may_be_known_later) {
	begin_to_ask();
	is_text(asked("", NULL), "new: ");
	is_text(asked(NULL, "mkdir x"), "mkdir x");
	is_text(asked("", NULL), "new: ");
	/* A watcher begins behind the second of two. */
	begin_to_ask();
	is_text(asked("Bash: mkdir x", "git push --force"),
	    "new: git push --force");
}

TEST(by_the_screen_alone_another_text_is_another_question) {
	begin_to_ask();
	is_text(asked(NULL, "mkdir x"), "new: mkdir x");
	is_text(asked(NULL, "mkdir x"), "mkdir x");
	is_text(asked(NULL, "mkdir y"), "new: mkdir y");
}

/* Its hook counts after a moment, in which the screen is as it was before. */
TEST(a_dialog_from_before_the_end_of_a_turn_is_answered) {
	begin_to_ask();
	asked("Bash: mkdir x", "mkdir x");
	ev.hook.last = EVENT_ENDED;
	ev.hook.time = ev.wall = ev.wall + 100;
	judged();
	ok(v.state != STATE_ASKING);
	ev.screen.text = ev.wall + 1;
	ok(judged());
	is_number(v.state, STATE_ASKING);
}

TEST(a_completion_in_a_record_follows_an_error_in_one) {
	end_turn();
	ev.hook.hits.error = 1;
	snprintf(ev.hook.error, sizeof(ev.hook.error), "%s", "no disk");
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

TEST(a_completion_before_the_error_is_part_of_it) {
	end_turn();
	ev.hook.hits.complete = ev.hook.hits.error = 1;
	status.verdict = (struct verdict){ .state = STATE_ERROR };
	judge_record(&status, &(struct verdict){ .state = STATE_ERROR }, &ev,
	    false, ev.wall);
	is_number(status.ignored_events.complete, 1);
	is_number(status.ignored_events.error, 1);
}

TEST(otherwise_nobody_can_tell) {
	static const enum pane_life lives[] = {
		PANE_DEAD, PANE_GONE, PANE_NONE,
	};
	size_t i;

	for (i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		begin();
		ev.pane = lives[i];
		verdict_why(&v, "what was said before");
		v.state = STATE_ERROR;
		ok(!judged());
		is_number(v.state, STATE_NONE);
		is_text(v.source, "");
		is_text(v.why, "");
	}
	begin();
	ev.agent_ended = true;
	ok(!judged());
}

/* What is recorded as the last message when that source decides. */
static const char *
last_message(const char *source, enum state state)
{
	static struct status r;

	status_release(&r);
	status_init(&r, "7");
	v = (struct verdict){ .state = state };
	verdict_set_source(&v, source);
	verdict_message(&v, "short", 5);
	judge_record(&r, &v, &ev, false, 1);
	return r.last_message;
}

TEST(the_last_message_is_what_the_agent_said_last) {
	struct buf said = BUF_INIT;

	begin();
	is_text(last_message("process", STATE_DEAD), NULL);
	is_text(last_message("log", STATE_ERROR), "short");
	ev.hook.there = true;
	ev.hook.last = EVENT_ENDED;
	ev.hook.time = 1000;
	strcpy(ev.hook.text, "all is");
	is_text(last_message("hook", STATE_COMPLETE), "all is");
	ev.said = &said;
	buf_adds(&said, "all is\n\033[31mdone ###TASK_COMPLETE###");
	strcpy(ev.transcript.text, "an older one");
	ev.transcript.time = 900;
	is_text(last_message("hook", STATE_COMPLETE), "all is");
	strcpy(ev.transcript.text, "all is");
	is_text(last_message("hook", STATE_COMPLETE),
	    "all is done \uff03\uff03\uff03TASK_COMPLETE\uff03\uff03\uff03");
	ev.hook.last = EVENT_WAITING;
	strcpy(ev.hook.text, "may I?");
	ok(strncmp(last_message("hook", STATE_ASKING), "all is done", 11) == 0);
	ok(strncmp(last_message("signal", STATE_COMPLETE), "all", 3) == 0);
	ev.signal[SIGFILE_COMPLETE].found = SIGFILE_SIGNAL;
	buf_adds(&ev.signal_text[SIGFILE_COMPLETE], "by the signal");
	is_text(last_message("signal", STATE_COMPLETE), "by the signal");
	ev.said = NULL;
	buf_release(&said);
	evidence_release(&ev);
}

TEST(a_last_message_is_cut_between_characters) {
	struct buf said = BUF_INIT;
	int i;

	begin();
	buf_addc(&said, '.');
	for (i = 0; i < 3000; i++)
		buf_adds(&said, "\u00e9");
	ev.said = &said;
	is_number(strlen(last_message("transcript", STATE_COMPLETE)),
	    STATUS_MESSAGE - 1);
	ev.said = NULL;
	buf_release(&said);
	evidence_release(&ev);
}

AFTER_TESTS {
	status_release(&status);
}
