#include "run/events.h"

#include <sys/file.h>

#include "scratch.h"
#include "story.h"

#define RUN "11111111-2222-4333-8444-555555555555"
#define OTHER "66666666-2222-4333-8444-555555555555"
#define TIME "\"time\":\"2026-03-02T12:00:00.000Z\""

static const char file[] = "7.records";
static const msec noon = 1772452800000;         /* 2026-03-02T12:00:00Z */

static struct events_reader reader;
static struct event_evidence e;
static struct events_run run;

/* Begins to read, without a run: all events. */
static void
begin_reading(const char *id)
{
	reader = (struct events_reader){ 0 };
	e = (struct event_evidence){ .ignored.complete = 1 };
	run = (struct events_run){ id, id ? noon : 0, NULL };
}

static void
begin(void)
{
	unlinkat(scratch_fd, file, 0);
	begin_reading(RUN);
}

static const struct {
	const char  *word;
	struct event event;
} words[] = {
	{ "session",    { .type = EVENT_SESSION } },
	{ "turn",       { .type = EVENT_TURN } },
	{ "tool",       { .type = EVENT_TOOL } },
	{ "found",      { .type = EVENT_TOOL, .hits = { .complete = 1 } } },
	{ "piece",      { .type = EVENT_MESSAGE } },
	{ "last",       { .type = EVENT_MESSAGE, .final = true } },
	{ "whole",      { .type = EVENT_MESSAGE, .said = true } },
	{ "permission", { .type = EVENT_WAITING, .kind = "permission" } },
	{ "silent",     { .type = EVENT_ENDED } },
	{ "ended",      { .type = EVENT_ENDED, .said = true } },
	{ "done",       { .type = EVENT_ENDED, .said = true,
	    .hits = { .complete = 1 } } },
	{ "error",      { .type = EVENT_ENDED, .said = true,
	    .hits = { .error = 1 } } },
	{ "failed",     { .type = EVENT_FAILED } },
	{ "over",       { .type = EVENT_OVER } },
};

/*
 * "@5 #2 done": five milliseconds after noon, in session s-2.  Texts follow the
 * word; '!' before it is another run, '~' no run.  "begun 102 100 %1" is a
 * session of agent 102, which 100 began in that pane.
 */
static struct event
event(const char *s)
{
	unsigned session = 1, agent, parent;
	char id[RUN_ID_LEN + 1] = RUN, word[16] = "", pane[4] = "";
	struct event r = { 0 };
	long long at = 0;
	int n = 0, text = 0;
	size_t i;

	s += sscanf(s, "@%lld %n", &at, &n) == 1 ? n : 0;
	s += sscanf(s, "#%u %n", &session, &n) == 1 ? n : 0;
	if (*s == '!' || *s == '~')
		strcpy(id, *s++ == '!' ? OTHER : "");
	if (sscanf(s, "begun %u %u %3s", &agent, &parent, pane) >= 2)
		r = (struct event){ .type = EVENT_SESSION, .nprocesses = 3,
		    .processes = { { (pid_t)agent, 7 }, { (pid_t)parent, 7 },
		    { 2, 7 } } };
	memcpy(r.pane, pane, sizeof(pane));
	sscanf(s, "%15[a-z]%*1[ ]%n", word, &text);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0)
			r = words[i].event;
	if (text > 0 && r.nprocesses == 0)
		strcpy(r.hits.error > 0 ? r.error : r.text, s + text);
	if (r.type == EVENT_NONE)
		is_text("no such event", s);
	strcpy(r.run, id);
	snprintf(r.session, sizeof(r.session), "s-%u", session);
	r.time = noon + at;
	return r;
}

static int
add(const char *s)
{
	struct event r = event(s);

	return event_add(&r, scratch_fd, "7");
}

static int
read_new(void)
{
	return events_read(&reader, &e, scratch_fd, "7", &run);
}

/* The last event, its session, turns/completions, and what else is known. */
static const char *
known(void)
{
	static char text[3000];

	is_number(e.ignored.complete, 1);
	snprintf(text, sizeof(text), "%s %s %u/%u%s%s%s",
	    event_types[e.last], e.session, e.turns, e.hits.complete,
	    e.told ? " told" : "", e.unsaid ? " unsaid" : "",
	    events_lost(&e) ? " lost" : "");
	if (e.hits.error > 0)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		    ": %u %s", e.hits.error, e.error);
	return e.there ? text : "nothing";
}

static const char *
asked(void)
{
	static char text[2000];

	snprintf(text, sizeof(text), "%s: %s at %lld", e.kind, e.text,
	    (long long)(e.asked - noon));
	return text;
}

static const char *
agent(void)
{
	static char text[100];

	snprintf(text, sizeof(text), "%ld.%llu %s", (long)e.agent.pid,
	    (unsigned long long)e.agent.start, e.pane);
	return text;
}

/*
 * "+done" adds an event to the file, "<text" adds text, "done" adds an event to
 * what is known; "= " and "? " compare that and the question.
 */
static bool
step(const char *s)
{
	struct event r;
	int n;

	if (*s == '+')
		is_number(add(s + 1), 0);
	else if (*s == '<')
		scratch_add(file, s + 1);
	else if (*s == '=')
		is_text(known(), s + 2);
	else if (*s == '?')
		is_text(asked(), s + 2);
	else if (sscanf(s, "read %d", &n) == 1)
		is_number(read_new(), n);
	else if (sscanf(s, "unread %d", &n) == 1)
		is_number(events_unread(scratch_fd, "7", reader.read), n);
	else if (sscanf(s, "lines %d", &n) == 1)
		is_number(scratch_lines(file), n);
	else if (sscanf(s, "time %d", &n) == 1)
		is_number(e.time, noon + n);
	else if (strncmp(s, "agent ", 6) == 0)
		is_text(agent(), s + 6);
	else if (strcmp(s, "any run") == 0)
		begin_reading(NULL);
	else if (strcmp(s, "only s-2") == 0)
		run.session = "s-2";
	else if (strcmp(s, "replaced") == 0)
		ok(renameat(scratch_fd, file, scratch_fd, "old") == 0);
	else if (strcmp(s, "emptied") == 0)
		scratch_write(file, "");
	else {
		r = event(s);
		events_fold(&e, &r);
	}
	return true;
}

/* ---- the file ----------------------------------------------------------- */

TEST(a_record_is_a_line) {
	struct event r = event("failed limit \"reached\"");
	struct stat st;

	begin();
	strcpy(r.kind, "rate_limit");
	r.reset = noon + 1500;
	r.hits = (struct marker_hits){ 1, 2, 3, 4, 5 };
	strcpy(r.error, "no disk");
	is_number(event_add(&r, scratch_fd, "7"), 0);
	is_text(scratch_text(file), "{" TIME ","
	    "\"event\":\"turn-failed\",\"run\":\"" RUN "\",\"session\":\"s-1\","
	    "\"kind\":\"rate_limit\",\"text\":\"limit \\\"reached\\\"\","
	    "\"reset\":\"2026-03-02T12:00:01.500Z\",\"complete\":1,"
	    "\"error\":2,\"bound_complete\":3,\"bound_error\":4,\"stale\":5,"
	    "\"error_text\":\"no disk\"}\n");
	ok(fstatat(scratch_fd, file, &st, 0) == 0);
	is_number(st.st_mode & 07777, 0600);
	is_number(read_new(), 1);
	is_text(known(), "turn-failed s-1 0/1 unsaid lost: 2 no disk");
	is_text(e.kind, "rate_limit");
	is_text(e.text, "limit \"reached\"");
	ok(e.reset == r.reset && e.time == noon);
	ok(memcmp(&e.hits, &r.hits, sizeof(r.hits)) == 0);
}

TEST(the_longest_record_is_no_longer_than_promised) {
	struct event r = { .type = EVENT_MESSAGE, .time = noon, .run = RUN };
	struct stat st;

	begin();
	memset(r.session, '"', sizeof(r.session) - 1);
	memset(r.kind, '\\', sizeof(r.kind) - 1);
	memset(r.text, '"', sizeof(r.text) - 1);
	memset(r.error, '"', sizeof(r.error) - 1);
	memset(r.message, '"', sizeof(r.message) - 1);
	r.reset = noon;
	r.said = r.final = true;
	r.index = UINT32_MAX - 1;
	r.hits = (struct marker_hits){ r.index, r.index, r.index, r.index,
	    r.index };
	r.fence = (struct fence){ '`', r.index };
	is_number(event_add(&r, scratch_fd, "7"), 0);
	ok(fstatat(scratch_fd, file, &st, 0) == 0 && st.st_size < EVENT_MAX);
	is_number(read_new(), 1);
	is_text(e.text, r.text);
	is_number(e.hits.stale, r.index);
}

TEST(what_is_new_is_read_once_and_whole) {
	static const struct story stories[] = {
	{ "what is new", { "read 0", "= nothing", "unread 0", "+done",
	    "unread 1", "read 1", "= turn-ended s-1 1/1 told", "read 0",
	    "unread 0", "+done", "read 1", "= turn-ended s-1 2/2 told" } },
	{ "a torn line is closed and skipped", { "<{" TIME ",\"ev", "+done",
	    "lines 2", "read 1", "= turn-ended s-1 1/1 told" } },
	{ "a line that is being written is read later", { "+done", "<{" TIME,
	    "read 1", "= turn-ended s-1 1/1 told", "read 0",
	    "<,\"event\":\"turn-ended\",\"run\":\"" RUN "\",\"session\":\"s-1\""
	    ",\"said\":true,\"complete\":1}\n",
	    "read 1", "= turn-ended s-1 2/2 told" } },
	{ "of many tools one is kept now and then", { "+tool", "+@1 tool",
	    "+@9999 tool", "lines 1", "+@10000 tool", "lines 2",
	    "+tool", "lines 3",         /* the clock was set back */
	    "+@1 #2 tool", "lines 4", "+@1 #2 !tool", "lines 5" } },
	{ "and what it said, or what follows other things", { "+tool",
	    "+@1 found", "lines 2", "+@2 tool", "lines 2", "+turn",
	    "+@3 tool", "lines 4", "+turn", "+turn", "lines 6" } },
	{ "a run has records of its own", { "+!done", "read 1", "= nothing",
	    "+@-1 ~done", "read 1", "= nothing", "+~done", "read 1",
	    "= turn-ended s-1 1/1 told", "any run", "read 1",
	    "= turn-ended s-1 3/3 told" } },
	/* No event begins it: its hooks may have begun elsewhere. */
	{ "a session that moved has its own", { "only s-2", "+done", "read 1",
	    "= nothing", "+#2 done", "+done", "read 1",
	    "= turn-ended s-2 1/1 told" } },
	{ "a file that was replaced or became shorter is read again",
	    { "+done", "+done", "read 1", "= turn-ended s-1 2/2 told",
	    "replaced", "+ended", "read 1", "= turn-ended s-1 1/0 told",
	    "emptied", "read 0", "= nothing" } },
	};

	TELL(stories, begin, step);
}

/* Events without a run, which another process may have written. */
TEST(what_is_no_record_is_skipped) {
	static char junk[200 << 10];

	begin();
	scratch_write(file, "\nnonsense\n{\"event\":\"turn-ended\"}\n"
	    "{\"event\":\"nonsense\"," TIME "}\n"
	    "{\"event\":\"none\"," TIME "}\n");
	memset(junk, 'x', sizeof(junk) - 1);
	scratch_add(file, junk);
	read_new();
	ok(!e.there);
	scratch_put(file, O_APPEND, "\n\0\0\n", 4);
	add("done");
	is_number(read_new(), 1);
	is_number(e.turns, 1);
}

/* tests/system/records.sh has a link in its place, and a full disk. */
TEST(a_lock_for_ever_is_no_obstacle) {
	int fd;

	begin();
	add("done");
	fd = openat(scratch_fd, file, O_RDONLY | O_CLOEXEC);
	ok(flock(fd, LOCK_EX) == 0);
	is_number(add("done"), 0);
	close(fd);
	read_new();
	is_number(e.turns, 2);
}

TEST(many_may_write_at_once) {
	enum { WRITERS = 8, EACH = 40 };
	int i, k, status, state_fd;
	struct event r = event("done");

	begin();
	fflush(stdout);
	for (i = 0; i < WRITERS; i++)
		if (fork() == 0) {
			/* As a process of its own, it opens the folder. */
			state_fd = open(scratch, O_RDONLY | O_CLOEXEC);
			for (k = 0; k < EACH; k++)
				if (event_add(&r, state_fd, "7") == -1)
					_exit(1);
			_exit(0);
		}
	while (wait(&status) != -1)
		is_number(status, 0);
	is_number(scratch_lines(file), WRITERS * EACH);
	read_new();
	is_number(e.turns, WRITERS * EACH);
}

/* ---- all together: what tests/cases/hooks.t does not show --------------- */

TEST(a_turn_is_open_until_its_text_is_there) {
	static const struct story stories[] = {
	{ "a turn", { "= nothing", "session", "= session-started s-1 0/0",
	    "turn", "= turn-started s-1 0/0 unsaid", "ended",
	    "= turn-ended s-1 1/0 told",
	    "tool", "= tool s-1 1/0 told unsaid",       /* a hook's wish */
	    "ended", "= turn-ended s-1 2/0 told",
	    "over", "= session-ended s-1 2/0 told" } },
	{ "another agent's text does not count", { "turn", "piece", "silent",
	    "= turn-ended s-1 0/0 unsaid lost", "#2 ended",
	    "= turn-ended s-1 0/0 unsaid lost", "last",
	    "= turn-ended s-1 0/0 told unsaid lost" } },
	/* Some agents tell the message first, then that it was the last. */
	{ "a whole message is its turn's", { "turn", "whole",
	    "= message s-1 0/0 told unsaid", "silent",
	    "= turn-ended s-1 1/0 told", "turn", "whole", "tool", "silent",
	    "= turn-ended s-1 1/0 told unsaid lost" } },
	/* The clock was set back. */
	{ "all that was found is added up", { "error first", "error second",
	    "@-5 done", "= turn-ended s-1 3/1 told: 2 second", "time 0" } },
	};

	TELL(stories, begin, step);
}

TEST(a_question_is_open_until_its_own_tool_ends) {
	static const struct story stories[] = {
	/* Not every tool's end has an event; hooks may be registered twice. */
	{ "another one of its kind is one", { "turn",
	    "@1000 permission Bash: make", "@1010 permission Bash: make",
	    "? permission: Bash: make at 1000", "@9000 permission Bash: make",
	    "? permission: Bash: make at 9000", "@9010 permission Bash: git",
	    "? permission: Bash: git at 9010" } },
	/* A helper's tool, or one that began before, ends meanwhile. */
	{ "its tool ends", { "turn", "permission Bash: git",
	    "tool Bash: mkdir x", "= waiting s-1 0/0 unsaid",
	    "tool Bash: git", "= tool s-1 0/0 unsaid", "permission Bash: git",
	    "tool", "= tool s-1 0/0 unsaid" } },
	};

	TELL(stories, begin, step);
}

TEST(an_agent_that_another_one_runs_tells_nothing) {
	static const struct story stories[] = {
	{ "as its child", { "begun 100 90 %1", "turn", "ended",
	    "#2 begun 102 100 %1", "#2 done", "= turn-ended s-1 1/0 told",
	    "done", "= turn-ended s-1 2/1 told" } },
	{ "elsewhere", { "begun 100 90 %1", "turn", "ended",
	    "#2 begun 102 80 %2", "#2 done", "#3 begun 103 80", "#3 done",
	    "= turn-ended s-1 1/0 told" } },
	{ "the agent begins another session in a turn", { "begun 100 90 %1",
	    "turn", "#2 begun 100 90 %1", "= session-started s-2 0/0 unsaid",
	    "#2 turn", "#2 done", "= turn-ended s-2 1/1 told" } },
	{ "another agent takes its place in a turn", { "begun 100 90 %1",
	    "turn", "#2 begun 101 90 %1", "= session-started s-2 0/0 unsaid",
	    "#3 begun 102 101 %1", "= session-started s-2 0/0 unsaid" } },
	{ "its processes are kept", { "+begun 100 90 %1",
	    "+#2 begun 102 100 %1", "read 1", "= session-started s-1 0/0",
	    "agent 100.7 %1" } },
	{ "but no nonsense", { "+begun 100 90 %1", "<{" TIME ",\"event\":"
	    "\"session-started\",\"session\":\"s-2\",\"processes\":"
	    "\"-1.2 x\",\"pane\":\"%1\"}\n", "read 1",
	    "= session-started s-2 0/0", "agent 0.0 %1" } },
	{ "the same session goes on in it", { "begun 100 90 %1", "turn",
	    "begun 101 90 %1", "#2 begun 102 101 %1",
	    "= turn-started s-1 0/0 unsaid" } },
	};

	TELL(stories, begin, step);
}
