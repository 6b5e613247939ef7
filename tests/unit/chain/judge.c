#include "agent/signs.h"
#include "base/text.h"
#include "evidence.h"
#include "unit/fixture.h"

static struct verdict v;
static struct status status;

static bool
judged(void)
{
	return judge(NULL, &ev, &v);
}

/* "working by hook", or "none" */
static const char *
verdict_of(const char *evidence)
{
	static char got[256];

	evidence_set(evidence);
	verdict_why(&v, "what was said before");
	v.state = STATE_ERROR;
	ok(judged() == (v.state != STATE_NONE));
	ok(v.why[0] == '\0' || v.state != STATE_NONE);
	snprintf(got, sizeof(got), "%s%s%s", state_name(v.state),
	    v.source[0] ? " by " : "", v.source);
	return got;
}

#define JUDGE(...) ROWS(verdict_of, __VA_ARGS__)

/* Every detector could answer. */
#define ALL "signal-error=there, log_there, log.complete, " \
	"capture.complete, pane=gone, final"

TEST(the_chain_asks_the_certain_before_the_likely_and_the_first_decides) {
	JUDGE(ALL " => error by signal",
	    "+signal-error=stale => complete by log",
	    "+log.complete=0 => complete by capture",
	    "+capture.complete=0 => gone by session",
	    " => working by process",   /* if no detector decides */
	    "pane=dead => none", "pane=gone => none",
	    "pane=none => none", "agent_ended => none");
}

TEST(of_hook_and_transcript_the_newer_decides) {
	JUDGE("hook.there, hook.last=turn, hook.time=now-50000, "
	    "transcript.there, transcript.last=failed, "
	    "transcript.time=now-40000, transcript.kind=aborted"
	    " => waiting by transcript",
	    "+hook.time=now-30000 => working by hook",
	    /* The hook of an end comes a moment after the line, and says
	     * less. */
	    "hook.there, hook.last=ended, hook.unsaid, hook.time=now-50000, "
	    "transcript.there, transcript.last=failed, "
	    "transcript.time=now-50100 => asking by transcript",
	    "+hook.unsaid=0 => waiting by hook",        /* it had a message */
	    "+hook.unsaid, transcript.time=now-60000 => waiting by hook");
}

/* The screen shows a state, and a hook has told something so long ago. */
#define SCREEN "stalled_after=3600000, screen.text=now, hook.there, " \
	"screen.state="
#define TURN "hook.last=turn, hook.time=now-"
#define ASKS "hook.last=waiting, hook.kind=permission, hook.time=now-"
#define END  "hook.last=ended, hook.time=now-"
#define FAIL "hook.last=failed, hook.time=now-"
#define SILENT "silent=3600000, stalled_after=3600000, screen.state="

TEST(the_screen_is_believed_before_a_hook_once_it_has_settled) {
	JUDGE(SCREEN "waiting, " TURN "1999 => working by hook",
	    SCREEN "waiting, " TURN "2000 => waiting by screen",
	    SCREEN "none, " TURN "2000 => working by hook",
	    /* Nothing tells that a person has answered no. */
	    SCREEN "waiting, " ASKS "2000 => waiting by screen",
	    /* Its helpers still work behind the prompt. */
	    SCREEN "waiting, " END "2000, hook.kind=background"
	    " => working by hook",
	    /* The prompt is all that is left of a turn that failed. */
	    SCREEN "waiting, " FAIL "2500 => asking by hook",
	    SCREEN "working, " FAIL "2500 => working by screen",
	    /* It tries again; or has stopped, and no capture shows that. */
	    "+screen.text=now-7500, silent=1999 => working by screen",
	    "+silent=2000 => asking by hook",
	    /* Who is seen to wait is not stalled. */
	    SILENT "asking => asking by screen",
	    SILENT "waiting => waiting by screen",
	    SILENT "limited => limited by screen",
	    SILENT "working => stalled by process",
	    SILENT "none => stalled by process");
}

TEST(a_text_from_before_an_event_says_nothing_of_it) {
	/* A title may say all the time that the agent is ready. */
	JUDGE(SCREEN "waiting, " TURN "60000, screen.text=0, silent=1000"
	    " => working by hook",
	    /* A prompt from before, or just when the turn began, is none. */
	    "+screen.text=now-58001 => working by hook",
	    "+screen.text=now-58000 => waiting by screen",
	    /* But it is if nothing was printed since, for sure. */
	    "+screen.text=now-59500, silent=59500 => waiting by screen",
	    "+unsure=1 => working by hook",
	    /* Some hooks only say that a turn ended, the screen how. */
	    SCREEN "asking, " END "5000, screen.text=now-4500, silent=1000"
	    " => asking by screen",
	    "+screen.text=now-5000 => asking by screen",
	    "+screen.state=limited => limited by screen",
	    "+screen.state=working => waiting by hook",
	    "+screen.text=now-5001, screen.state=asking => waiting by hook",
	    /* An agent that draws all the time is captured now and then. */
	    SCREEN "working, " ASKS "5000, screen.text=now-6000"
	    " => asking by hook",
	    "+screen.text=now-3000 => working by screen",
	    "+screen.text=0 => working by screen",      /* a title of now */
	    /* The dialog is not drawn yet; or it was, and is answered. */
	    "+hook.asked=now-9999 => asking by hook",
	    "+screen.dialog=now-9999 => working by screen",
	    "+screen.dialog=0, hook.asked=now-10000 => working by screen");
}

/* ---- questions ---------------------------------------------------------- */

/* Of "EVENT | SHOWN": an event about a command, and the command of the dialog
 * on the screen, "-" if there is none.  The clock goes on by ten seconds. */
static const char *
asked(const char *row)
{
	static char answer[1024], event[200], shown[200];
	const char *bar = strstr(row, " | ");
	bool begins;

	snprintf(event, sizeof(event), "%.*s", (int)(bar - row), row);
	snprintf(shown, sizeof(shown), "%s", bar + 3);
	ev.wall += 10000;
	if (strcmp(event, "-") != 0) {
		ev.hook = (struct event_evidence){ .there = true,
		    .last = EVENT_WAITING, .asked = ev.wall, .time = ev.wall };
		snprintf(ev.hook.kind, sizeof(ev.hook.kind), "permission");
		snprintf(ev.hook.text, sizeof(ev.hook.text), "%s", event);
	}
	ev.screen = (struct screen_evidence){ .state = STATE_NONE };
	if (strcmp(shown, "-") != 0) {
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
	evidence_set("");
	ev.record = &status;
}

static void
ask(const char *const *rows)
{
	begin_to_ask();
	rows_give(asked, rows);
}

#define ASK(...) ask((const char *const[]){ __VA_ARGS__, NULL })

/* questions.sh shows the usual. */
TEST(the_question_is_the_one_that_is_open) {
	ASK("Bash: mkdir x | - => new: Bash: mkdir x",
	    "- | mkdir x => Bash: mkdir x", "- | mkdir x => Bash: mkdir x",
	    "Bash: git push | - => new: Bash: git push",
	    /* No hook reports the next ones. */
	    "- | git push => Bash: git push", "- | rm -rf / => new: rm -rf /",
	    "- | - => rm -rf /", "- | rm -rf / => rm -rf /",
	    /* Two are asked at once, and the first is shown first. */
	    "Bash: second | first => new: first",
	    "- | second => new: second");
	/* What is asked may be known later. */
	ASK(" | - => new: ", "- | mkdir x => mkdir x", " | - => new: ");
	/* A watcher begins behind the second of two. */
	ASK("Bash: mkdir x | git push => new: git push");
}

/* Its hook counts after a moment, in which the screen is as it was before. */
TEST(a_dialog_from_before_the_end_of_a_turn_is_answered) {
	ASK("Bash: mkdir x | mkdir x => new: Bash: mkdir x");
	ev.hook.last = EVENT_ENDED;
	ev.hook.time = ev.wall = ev.wall + 100;
	judged();
	ok(v.state != STATE_ASKING);
	ev.screen.text = ev.wall + 1;
	ok(judged());
	is_number(v.state, STATE_ASKING);
}

TEST(a_completion_in_a_record_follows_an_error_in_one) {
	begin_to_ask();
	JUDGE("log_there, hook.there, hook.told, hook.time=now-2000, "
	    "hook.last=ended, hook.error, hook.message=no disk"
	    " => error by hook");
	ok(judge_changes(&status, &v));
	judge_record(&status, &v, &ev, false, ev.wall);
	is_text(status.verdict.message, "no disk");
	ev.hook.ignored = status.ignored_events;
	JUDGE("+ => waiting by hook");
	ok(!judge_changes(&status, &v));
	JUDGE("+hook.complete => complete by hook");
	ok(judge_changes(&status, &v));
	/* One before the error is part of it. */
	judge_record(&status, &(struct verdict){ .state = STATE_ERROR }, &ev,
	    false, ev.wall);
	is_number(status.ignored_events.complete, 1);
	is_number(status.ignored_events.error, 1);
}

static struct buf said;                 /* the agent's last message, whole */

/* The last message that is recorded with the verdict. */
static const char *
last_message(const char *evidence)
{
	static struct status r;

	evidence_set(evidence);
	ev.said = &said;
	status_release(&r);
	status_init(&r, "7");
	verdict_message(&v, "short", 5);
	judge_record(&r, &v, &ev, false, 1);
	return r.last_message != NULL ? r.last_message : "none";
}

#define SAID "all is done " \
	"\uff03\uff03\uff03TASK_COMPLETE\uff03\uff03\uff03"

TEST(the_last_message_is_what_the_agent_said_last) {
	int i;

	v = (struct verdict){ .state = STATE_DEAD };
	ROWS(last_message, " => none");
	v.state = STATE_COMPLETE;
	ROWS(last_message, " => short", "hook.there, hook.last=ended, "
	    "hook.time=1000, hook.text=all is => all is");
	buf_adds(&said, "all is\n\033[31mdone ###TASK_COMPLETE###");
	ROWS(last_message, "+transcript.text=an older one, transcript.time=900"
	    " => all is", "+transcript.text=all is => " SAID,
	    "+signal-complete=there, signal-complete.text=by the signal"
	    " => by the signal");
	v.state = STATE_ASKING;
	ROWS(last_message, "+hook.last=waiting, hook.text=may I? => " SAID);
	/* It is cut between characters. */
	buf_reset(&said);
	buf_addc(&said, '.');
	for (i = 0; i < 3000; i++)
		buf_adds(&said, "\u00e9");
	is_number(strlen(last_message("")), STATUS_MESSAGE - 1);
	buf_release(&said);
}
