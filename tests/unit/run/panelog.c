#include "run/panelog.h"

#include "os/proc.h"
#include "run/run.h"
#include "story.h"
#include "unit/children.h"
#include "unit/fixture.h"

#define LOG "output-7.log"
#define DONE "###TASK_COMPLETE_7###\n"
#define FAIL "###TASK_ERROR_7###\n"
#define LARGE "quiet 1000000"
#define ASIDE "!mv " LOG " held"

enum { BLOCK = 256 * 1024 };

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";
static const char PANE[] = "1234%5";

/* The log as it is read, and the marks that its run and its reader began at. */
static struct panelog p;
static struct marker_set set;
static struct log_mark from;

static void
go_on(void)
{
	panelog_release(&p);
	panelog_init(&p, scratch_fd, geteuid(), "7", &set, &from);
}

/* Reads with a result, or any ('*'), and then knows so many reports. */
static void
step_read(const char *s)
{
	unsigned complete, error;
	struct marker_hits hits;
	int got = panelog_read(&p, NULL);
	struct stat st;

	ok(*s == '*' ? got != -1 : got == atoi(s));
	ok(p.refused == (got == -1));
	ok(got == -1 || p.file.fd != -1 || !scratch_there(LOG));
	ok(p.file.fd == -1 || (fstat(p.file.fd, &st) == 0 && p.left == 0 &&
	    p.file.ahead - p.file.base == (uint64_t)st.st_size));
	hits = marker_scan_hits(p.file.scan, true);
	if (sscanf(s, "%*s %u %u", &complete, &error) == 2) {
		is_number(hits.complete, complete);
		is_number(hits.error, error);
	}
}

/* Reads in parts of a hundred bytes, or of a block; so many at least. */
static void
step_parts(unsigned least)
{
	unsigned n = 0;

	do {
		uint64_t budget = 100, before = p.file.ahead;

		ok(panelog_read(&p, &budget) != -1);
		ok(p.file.ahead <= before + 100 + BLOCK);
	} while (++n < 10000 && p.left > 0);
	ok(n >= least && p.left == 0);
}

/* Adds lines without markers, of so many bytes. */
static void
step_quiet(size_t len)
{
	static const char line[] = "\033[32m+ a ## `b` of # many\033[0m\r\n";
	static char text[2000000];
	size_t i;

	for (i = 0; i < len; i++)
		text[i] = len - i > len % (sizeof(line) - 1) ?
		    line[i % (sizeof(line) - 1)] : i + 1 < len ? '.' : '\n';
	scratch_put(LOG, O_APPEND, text, len);
}

/* Is there more than the mark tells, and a log? */
static void
step_unread(unsigned unread, unsigned there)
{
	struct log_mark mark;
	bool is_there;

	panelog_mark(&p, &mark);
	ok(panelog_unread(scratch_fd, "7", &mark, &is_there) == unread);
	ok(is_there == there);
}

/*
 * A step: "=text" writes the log, "+text" adds to it, "^text" to the old log; a
 * result and two counts read it; "!line" is a shell's.  False ends the story.
 */
static bool
step(const char *s)
{
	const char *log = scratch_path(LOG);
	unsigned long long n = 0, m = 0;
	char word[16] = "";
	uint64_t began;

	sscanf(s, "%15s %llu %llu", word, &n, &m);
#define IS(name) (strcmp(word, (name)) == 0)
	if (*s == '=')
		scratch_write(LOG, s + 1);
	else if (*s == '+')
		scratch_add(LOG, s + 1);
	else if (*s == '^')
		scratch_add(LOG ".1", s + 1);
	else if (*s == '!')
		run(s + 1);
	else if (strchr("*-01", *s) != NULL)
		step_read(s);
	else if (IS("rotate"))
		ok(rename(log, scratch_path(LOG ".1")) == 0);
	else if (IS("hole"))            /* not on every file system */
		return truncate(log, (off_t)1 << 40) == 0;
	else if (IS("cut"))
		ok(truncate(log, (off_t)n) == 0);
	else if (IS("quiet"))
		step_quiet(n);
	else if (IS("parts"))
		step_parts((unsigned)n);
	else if (IS("unread"))
		step_unread((unsigned)n, (unsigned)m);
	else if (IS("settle"))
		ok(scanfile_read(&p.file, true, NULL) == 0);
	else if (IS("fed"))
		is_number(p.file.scan->now.offset, n);
	else if (IS("mark")) {          /* the run begins, in a fence if far */
		from = (struct log_mark){ .base = n, .begin = m, .read = m,
		    .scan = { .offset = m, .fence = { n ? '`' : 0, 3 } } };
		go_on();
	} else if (IS("custom")) {
		ok(marker_set_init(&set, "7", NULL, s + 7) == 0);
		go_on();
	} else if (IS("disown"))
		p.owner++;
	else if (IS("watcher")) {       /* another one goes on */
		began = from.begin;
		panelog_mark(&p, &from);
		is_number(from.begin, began);
		go_on();
	} else if (IS("run")) {         /* another one begins */
		panelog_end(scratch_fd, "7", &from);
		from.scan.offset = from.begin = from.read;
		go_on();
	} else {
		is_text("no such step", s);
	}
	return true;
}

static void
end(void)
{
	unlink(scratch_path(LOG));
	unlink(scratch_path(LOG ".1"));
	unlink(scratch_path("held"));
}

static void
begin(void)
{
	alarm(60);                      /* nothing must block it */
	end();
	ok(marker_set_init(&set, "7", RUN, NULL) == 0);
	from = (struct log_mark){ 0 };
	go_on();
}

/* tests/system/logs.sh empties, removes, moves and replaces real ones. */
TEST(a_rotation_loses_nothing) {
	static const struct story stories[] = {
	{ "while reading", { "=a\n", "1 0 0", "+" DONE, "rotate",
	    "^" FAIL "late\n", "=" DONE, "1 2 1" } },
	{ "between two logs the old one is read on", { "=a\n", "1 0 0",
	    "rotate", "^" DONE, "1 1 0", "=" DONE, "1 2 0" } },
	{ "before the first reading", { "=" DONE "```\n", "rotate",
	    "unread 1 0", "1 1 0", "=" DONE "```\n" DONE, "1 2 0" } },
	{ "twice before the first reading",
	    { "=" DONE, "rotate", "=" DONE, "1 2 0" } },
	{ "much is searched, the fence in it known", { "=```\n",
	    "quiet 660000", "1 0 0", "rotate", "=" DONE, "1 0 0",
	    "+```\n" DONE, "watcher", "1 1 0" } },
	{ "the run begins in the middle", { "mark 0 29",
	    "=before\n" DONE "new\n" DONE, "1 1 0", "unread 0 1",
	    "watcher" } },
	{ "and in a fence of the stream", { "mark 12341 12345",
	    "=xxx\n", LARGE, "+" DONE "```\n" DONE, "1 1 0" } },
	{ "what was added is seen without a look", { "unread 0 0", "=a\n",
	    "unread 1 1", "1 0 0", "unread 0 1", "rotate", "unread 0 0",
	    "^" DONE, "unread 1 0",     /* written late */
	    "watcher", "1 1 0", "unread 0 0", "=a\n" DONE, "unread 1 1" } },
	{ "an earlier run's old log is not read", { "=" DONE, "rotate", "run",
	    "0 0 0", "=" DONE, "1 1 0" } },
	};

	TELL(stories, begin, step);
}

TEST(the_next_watcher_goes_on_where_one_stood) {
	static const struct story stories[] = {
	{ "and does not read twice", { "=" DONE FAIL, "1 1 1", "watcher",
	    "0 1 1", "+no disk\n" DONE, "1 2 1" } },
	{ "and its hits stay known if the log is emptied",
	    { "=words\n" DONE "words without an end", "1 1 0", "=" DONE,
	    "watcher", "1 2 0" } },
	{ "in a fence of the old log", { "=```\ncode\n", "1 0 0", "+" DONE,
	    "rotate", "=" DONE "```\n" DONE, "watcher", "1 1 0" } },
	/* The mark is in the old log, but reading stood in the new one. */
	{ "in a line across two logs", { "=a\n###TASK_", "1 0 0", "rotate",
	    "=COMPLETE", "1 0 0", "watcher", "1 0 0", "+_7###\n", "1 1 0",
	    "watcher", "0 1 0" } },
	{ "and after many rotations", { "=a\n", "1 0 0", "watcher", "rotate",
	    "=b\n", "1 0 0", "rotate", "=c\n###TASK_", "1 0 0", "rotate",
	    "=COMPLETE", "1 0 0", "watcher", "1 0 0", "+_7###\n", "1 1 0" } },
	/* The first of the two old logs is lost, the second is another. */
	{ "after two rotations", { "=words\nwords without an end", "1 0 0",
	    ASIDE, "=lost\n", "rotate", "=" DONE, "watcher", "1 1 0" } },
	{ "the log was made again meanwhile",
	    { "=words\n" DONE "words without an end", "1 1 0", ASIDE,
	    "=a line that is there\n" DONE, "watcher", "1 2 0",
	    "+more\n" DONE, "1 3 0" } },
	};

	TELL(stories, begin, step);
}

TEST(a_marker_split_by_a_rotation_is_found_also_by_the_next_watcher) {
	static const char text[] = "```\nx\n```\n" DONE "end\n";
	char head[64], tail[64];
	struct story story;
	size_t i;

	for (i = 0; i < 2 * sizeof(text); i++) {
		snprintf(head, sizeof(head), "=%s%.*s", i % 2 ? "before\n" : "",
		    (int)(i / 2), text);
		snprintf(tail, sizeof(tail), "=%s", text + i / 2);
		story = (struct story){ head, { head, "*", "rotate", tail,
		    i % 2 ? "watcher" : "*", "* 1 0" } };
		story_tell(&story, 1, begin, step);
	}
}

/* Adds and reads a text byte by byte, with a step behind each. */
static void
step_bytes(const char *text, const char *behind)
{
	for (; *text != '\0'; text++) {
		step((const char[]){ '+', *text, '\0' });
		step("*");
		step(behind);
	}
}

TEST(a_mark_may_be_taken_at_any_byte) {
	begin();
	step_bytes("a\r\n```\n" DONE "```\n"
	    "\033[1m###TASK_COMPLETE_7###\033[0m\r\n" FAIL "no disk\nb\rc",
	    "watcher");
	step("* 1 1");
}

TEST(what_is_no_log_of_the_user_is_refused) {
	static const struct story stories[] = {
	{ "a fifo", { "!mkfifo " LOG, "-1 0 0", "!rm " LOG, "0 0 0", "=" DONE,
	    "1 1 0" } },
	{ "another user's", { "=" DONE, "disown", "-1 0 0" } },
	{ "a log is read to its end first", { "=a\n", "1 0 0", "+" DONE,
	    "rotate", "!ln -s held " LOG, "-1 1 0" } },
	};

	TELL(stories, begin, step);
}

/* ---- much of it -------------------------------------------------------- */

TEST(much_is_searched_and_fed_only_for_a_marker) {
	static const struct story stories[] = {
	{ "nothing is found", { LARGE, "1 0 0", "fed 0" } },
	{ "a little is fed at once", { "quiet 5000", "1 0 0", "fed 5000",
	    "+```\n" DONE "``", "1 0 0", "+`\n###TASK_COM", "1 0 0",
	    "+PLETE_7###", "1 1 0" } },
	{ "a fence far before a marker is known",
	    { "=```\n", LARGE, "+" DONE, "1 0 0", LARGE, "+```\n", LARGE,
	    "+" FAIL "no disk\n", LARGE, "1 0 1" } },
	{ "hashes at the end of a block are searched again",
	    { "quiet 262142", "+## heading\n", LARGE, "1 0 0", "fed 0" } },
	{ "settling feeds it", { LARGE, "+~~~\n", LARGE, "1 0 0", "fed 0",
	    "settle", "fed 2000004", "watcher", "+" DONE "~~~\n" DONE,
	    "1 1 0" } },
	{ "a custom marker of one byte is found",
	    { "custom %", LARGE, "+100%", "1 1 0" } },
	{ "a file that became shorter is fed to its end",
	    { LARGE, "1 0 0", "cut 1000", "settle", "fed 1000" } },
	/* A file of holes is read in no time, as if it held NULs. */
	{ "a hole in a marker",
	    { "=###TASK_", "hole", "+COMPLETE_7###\n", "1 1 0" } },
	{ "a hole in a fence",
	    { "=```\n", "hole", "+```\n" DONE, "1 1 0" } },
	{ "a hole in a title",
	    { "=\033]0;title", "hole", "+\a" DONE, "1 1 0" } },
	{ "a hole in a message", { "=" FAIL "no ", "hole", "+disk\n",
	    "1 0 1" } },
	{ "a budget ends a reading that goes on later",
	    { "=~~~\n", LARGE, "+" DONE "~~~\n", LARGE, "parts 7", "+" FAIL,
	    "parts 1", "0 0 1" } },
	{ "a budget is kept across a new log", { "=```\n", LARGE, LARGE,
	    "+" DONE "```\n", "rotate", "=" DONE, "parts 11", "0 1 0" } },
	};

	TELL(stories, begin, step);
}

TEST(a_marker_is_found_across_two_blocks_and_in_parts_behind_much) {
	char before[32];
	struct story story = { before, { before,
	    "+#\033[1m##TASK_ERROR_7###\r\nno disk\n", LARGE, "1 0 1" } };
	size_t i;

	for (i = 0; i <= 33; i++) {
		snprintf(before, sizeof(before), "quiet %zu", BLOCK - i);
		story_tell(&story, 1, begin, step);
	}
	begin();
	step(LARGE);
	step_bytes("\r\n###TASK_COMPLETE_7#", "0 0 0");
	step("+##");
	step("1 1 0");
}

/* ---- its writer: tests/system/pipes.sh has more ------------------------ */

static struct proc_id writer_id;

static const char *
writer(const char *pane)
{
	static const char *const names[] = { [PANELOG_UNWRITTEN] = "none",
	    [PANELOG_WRITTEN] = "alive", [PANELOG_BROKEN] = "broken" };

	return names[panelog_writer(scratch_fd, "7", pane, &writer_id)];
}

static bool
registers(const void *pane)
{
	panelog_register(scratch_fd, "7", pane);
	return true;
}

TEST(a_writer_is_stopped_and_leaves_a_broken_claim) {
	char socket[] = "/s";
	struct status r = { .issue = "7", .place = { .socket = socket,
	    .server = 1234, .pane = "%50" } };
	const struct statusdir dir = { .state_fd = scratch_fd };
	pid_t pid = sleeper(registers, PANE);
	int status;

	is_text(writer(PANE), "alive");
	ok(writer_id.pid == pid && proc_alive(pid, writer_id.start));
	is_text(writer("1234%50"), "none");
	run_stop_writer(&r, &dir, NULL);
	ok(waitpid(pid, &status, WNOHANG) == 0);
	strcpy(r.place.pane, "%5");
	run_stop_writer(&r, &dir, NULL);
	ok(waitpid(pid, &status, WNOHANG) == pid);
	is_number(WTERMSIG(status), SIGKILL);
	/* No process is left that this could hit. */
	run_stop_writer(&r, &dir, NULL);
	is_text(writer(PANE), "broken");
	panelog_unregister(scratch_fd, "7", PANE);
	ok(scratch_there("7.pipe"));
}

static const char *
claimed(const char *claim)
{
	scratch_write("7.pipe", claim);
	return writer(PANE);
}

/* What the file says of itself is nothing to rely on. */
TEST(a_claim_is_not_believed_unseen) {
	ROWS(claimed, "1234%5 1 1\n => broken", "1234%5 4194305 1\n => broken",
	    "1234%5 0 0\n => broken", "1234%5 -1 0\n => broken",
	    "1234%5\n => none", "1234%5 x y\n => none",
	    "1234%5x 1 1\n => none", "1234%5 => none");
	unlink(scratch_path("7.pipe"));
	panelog_register(scratch_fd, "8", PANE);
	ok(symlink("8.pipe", scratch_path("7.pipe")) == 0);
	is_text(writer(PANE), "none");
}

AFTER_TESTS {
	end();
	panelog_release(&p);
}
