#include "backend/transcript.h"

#include <fcntl.h>

#include "backend/backend.h"
#include "base/alloc.h"
#include "os/file.h"
#include "scratch.h"
#include "text/json.h"

#define TRANSCRIPTS "tests/transcripts/"

static struct marker_set set;
static struct backends backends;

/* Ours, not those that are installed. */
static void
copy_backends(void)
{
	static const char *const names[] = { "backends/claude.json",
	    "backends/codex.json", "backends/gemini.json",
	    "backends/pi.json" };
	char path[64];
	struct buf text = BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		buf_reset(&text);
		if (file_read(AT_FDCWD, names[i], 0, &text, 1 << 20) == -1)
			printf("Bail out! cannot read %s\n", names[i]);
		snprintf(path, sizeof(path), "paneward/%s", names[i]);
		scratch_write(path, buf_str(&text));
	}
	buf_release(&text);
}

static struct transcript
reader_of(const char *agent)
{
	struct buf error = BUF_INIT;
	const struct backend *b = backends_get(&backends, agent, &error);
	struct transcript t = { .markers = &set, .since = -1 };

	if (b == NULL)
		printf("Bail out! %s\n", buf_str(&error));
	else
		t.format = b->transcript;
	buf_release(&error);
	return t;
}

static const char *
verdict_of(const struct transcript *t)
{
	return t->events.hits.complete > 0 ? "complete" :
	    t->events.hits.error > 0 ? "error" : "none";
}

/* ---- each recorded one, in pieces ---------------------------------------- */

static void
add_bytes(const char *bytes, size_t len)
{
	int fd = open(scratch_path("t"), O_WRONLY | O_APPEND | O_CREAT, 0600);

	if (write(fd, bytes, len) != (ssize_t)len)
		printf("Bail out! cannot write\n");
	close(fd);
}

static void
read_on(struct transcript *t)
{
	int fd = transcript_open(scratch_path("t"));

	if (fd == -1 || transcript_read(t, fd) == -1)
		printf("Bail out! cannot read\n");
	close(fd);
}

/* The verdict on a text that grows, by steps of that many bytes; 0: once, at
 * that place. */
static const char *
read_in_steps(const char *agent, const struct buf *text, size_t step,
    size_t cut)
{
	struct transcript t = reader_of(agent);
	int fd = open(scratch_path("t"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	size_t at, len;

	for (at = 0; at < text->len; at += len) {
		len = step > 0 ? step : at < cut ? cut : text->len - at;
		if (len > text->len - at)
			len = text->len - at;
		if (write(fd, text->data + at, len) != (ssize_t)len ||
		    transcript_read(&t, fd) == -1)
			printf("Bail out! cannot write or read\n");
	}
	close(fd);
	return verdict_of(&t);
}

static void
is_judged(const cJSON *of)
{
	const char *agent = json_text(of, "agent");
	const char *expect = json_text(of, "expect");
	char path[256];
	struct buf text = BUF_INIT;
	unsigned wrong = 0;
	size_t at;

	snprintf(path, sizeof(path), TRANSCRIPTS "%s", json_text(of, "file"));
	if (file_read(AT_FDCWD, path, 0, &text, 1 << 24) == -1)
		printf("Bail out! cannot read %s\n", path);
	printf("# %s\n", path);
	is_text(read_in_steps(agent, &text, 0, 0), expect);
	is_text(read_in_steps(agent, &text, 1, 0), expect);
	for (at = 0; at < text.len; at++)
		if (text.data[at] == '\n' && strcmp(expect, read_in_steps(
		    agent, &text, 0, at + 1)) != 0)
			wrong++;
	is_number(wrong, 0);
	buf_release(&text);
}

static void
recorded_ones_are_judged(void)
{
	struct buf text = BUF_INIT;
	cJSON *index;
	const cJSON *each;

	file_read(AT_FDCWD, TRANSCRIPTS "index.json", 0, &text, 1 << 20);
	index = json_parse(buf_str(&text), text.len, false, NULL);
	ok(cJSON_GetArraySize(index) > 50);
	cJSON_ArrayForEach(each, index)
		if (json_text(each, "skip") == NULL)
			is_judged(each);
	json_free(index);
	buf_release(&text);
}

/* ---- what may be wrong with a file --------------------------------------- */

#define AT(second) "\"timestamp\":\"2020-11-22T10:00:0" second "Z\","
#define SAYS(second, text) "{\"type\":\"assistant\"," AT(second) \
	"\"message\":{\"stop_reason\":\"end_turn\",\"content\":" \
	"[{\"type\":\"text\",\"text\":\"" text "\"}]}}\n"
#define PROMPT(second, text) "{\"type\":\"user\"," AT(second) \
	"\"message\":{\"content\":\"" text "\"}}\n"
#define MARKER "###TASK_COMPLETE_42###"

static void
add_text(const char *text)
{
	add_bytes(text, strlen(text));
}

static void
file_is(const char *text)
{
	unlink(scratch_path("t"));
	add_text(text);
}

/* What each client makes of a message that a person interrupts. */
static void
a_message_that_was_cut_off_is_no_report(void)
{
#define CUT(rest, model) "{\"type\":\"assistant\"," rest "\"message\":{" \
	"\"model\":\"" model "\",\"content\":[{\"type\":\"text\",\"text\":" \
	"\"" MARKER "\"}]}}\n{\"type\":\"user\",\"interruptedMessageId\":" \
	"\"m\",\"message\":{\"content\":[]}}\n"
	static const struct { const char *agent, *lines; } cut[] = {
		{ "claude", CUT("\"isAbortedMidStream\":true,", "m") },
		{ "claude", CUT("", "<synthetic>") },
		{ "pi", "{\"message\":{\"role\":\"assistant\",\"stopReason\":"
		    "\"aborted\",\"content\":[{\"type\":\"text\",\"text\":"
		    "\"" MARKER "\"}]}}\n" },
	};
	struct transcript t;
	size_t i;

	for (i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		t = reader_of(cut[i].agent);
		file_is(cut[i].lines);
		read_on(&t);
		is_text(verdict_of(&t), "none");
		is_number(t.events.last, EVENT_FAILED);
		is_text(t.events.kind, "aborted");
	}
}

static void
the_version_is_that_of_the_newest_line(void)
{
	struct transcript t = reader_of("claude");

	file_is("{\"version\":\"2.1.9\"}\n{\"version\":9}\n");
	read_on(&t);
	is_text(t.version, "2.1.9");
	add_text("{\"version\":\"2.2\"}\n{}\n");
	read_on(&t);
	is_text(t.version, "2.2");
}

static void
an_unfinished_line_waits(void)
{
	struct transcript t = reader_of("claude");
	static const char line[] = SAYS("1", MARKER);

	file_is("");
	add_bytes(line, sizeof(line) - 2);
	read_on(&t);
	is_text(verdict_of(&t), "none");
	add_bytes("\n", 1);
	read_on(&t);
	is_text(verdict_of(&t), "complete");
	read_on(&t);
	is_number(t.events.hits.complete, 1);
}

static void
another_file_is_read_from_its_beginning(void)
{
	struct transcript t = reader_of("claude");

	file_is(SAYS("1", MARKER) SAYS("2", "more"));
	read_on(&t);
	is_number(t.events.hits.complete, 1);
	if (truncate(scratch_path("t"), 0) == -1)
		printf("Bail out! cannot truncate\n");
	add_bytes(PROMPT("3", "go on"), strlen(PROMPT("3", "go on")));
	read_on(&t);
	is_number(t.events.hits.complete, 0);
	is_number(t.events.last, EVENT_TURN);
}

static void
order_is_that_of_time(void)
{
	struct transcript t = reader_of("claude");

	file_is(SAYS("5", "done") PROMPT("1", "do it"));
	read_on(&t);
	is_number(t.events.last, EVENT_ENDED);
	add_bytes(PROMPT("6", "more"), strlen(PROMPT("6", "more")));
	read_on(&t);
	is_number(t.events.last, EVENT_TURN);
}

static void
what_was_written_before_the_run_is_old(void)
{
	struct transcript t = reader_of("claude");

	t.since = clock_parse("2020-11-22T10:00:05Z");
	file_is(SAYS("1", MARKER) PROMPT("6", "go on") SAYS("5", MARKER));
	read_on(&t);
	is_text(verdict_of(&t), "none");
	is_number(t.events.hits.stale, 2);
	add_text(SAYS("6", MARKER));
	read_on(&t);
	is_text(verdict_of(&t), "complete");
}

static void
the_session_of_an_earlier_run_says_nothing_of_this_one(void)
{
	struct transcript t = reader_of("claude");

	t.since = clock_parse("2020-11-22T10:00:05Z");
	t.resumed = true;
	file_is(PROMPT("1", "do it") SAYS("5", MARKER));
	read_on(&t);
	ok(!t.events.there);
	ok(t.events.told);
	is_number(t.events.hits.stale, 1);
	add_text(PROMPT("6", "go on"));
	read_on(&t);
	is_number(t.events.last, EVENT_TURN);
}

/* A resumed session may be written anew. */
static void
old_messages_stay_old_in_a_new_file(void)
{
	struct transcript t = reader_of("claude");

	t.since = clock_parse("2020-11-22T10:00:05Z");
	file_is(SAYS("1", MARKER) SAYS("2", "A longer line of text."));
	read_on(&t);
	file_is(PROMPT("9", "hello"));
	read_on(&t);
	file_is(PROMPT("9", "hello") SAYS("1", MARKER) SAYS("1", MARKER));
	read_on(&t);
	is_text(verdict_of(&t), "none");
	is_number(t.events.hits.stale, 2);
}

/* Longer than before, but not what was there with more behind it. */
static void
a_file_that_was_written_over_is_read_from_its_beginning(void)
{
	struct transcript t = reader_of("claude");
	int fd;

	file_is(SAYS("1", MARKER));
	read_on(&t);
	fd = open(scratch_path("t"), O_WRONLY | O_TRUNC);
	close(fd);
	add_text(PROMPT("1", "What was it? A long text, longer than the one "
	    "that was here before, and it is followed by more of it. "
	    "Here is more of it.") SAYS("2", "None.") SAYS("3", "None."));
	read_on(&t);
	is_text(verdict_of(&t), "none");
	is_number(t.lines, 3);
	is_number(t.broken, 0);
}

static void
no_line_is_from_the_future(void)
{
	struct transcript t = reader_of("claude");

	t.since = clock_parse("2020-11-22T09:00:00Z");
	file_is(PROMPT("1", "do it") "{\"type\":\"assistant\",\"timestamp\":"
	    "\"2099-01-01T00:00:00Z\",\"message\":{\"stop_reason\":"
	    "\"end_turn\",\"content\":[{\"type\":\"text\",\"text\":"
	    "\"" MARKER "\"}]}}\n");
	read_on(&t);
	ok(t.events.time == clock_parse("2020-11-22T10:00:01Z"));
	is_number(t.events.last, EVENT_ENDED);
	is_text(verdict_of(&t), "complete");
	add_text(PROMPT("2", "go on"));
	read_on(&t);
	is_number(t.events.last, EVENT_TURN);
}

static void
a_marker_of_ones_own_is_found_in_what_is_old(void)
{
	static struct marker_set own;
	struct transcript t = reader_of("claude");
	char *line = xasprintf(SAYS("1", "%0*d"), 4000, 1);
	int i;

	marker_set_init(&own, "42", NULL, "== all done ==");
	t.markers = &own;
	file_is(SAYS("0", "== all done ==") SAYS("0", "###TASK_ERROR_42###"));
	for (i = 0; i < 400; i++)
		add_text(line);
	read_on(&t);
	is_number(t.events.hits.complete, 1);
	is_number(t.events.hits.error, 1);
	free(line);
}

/* A line of 50 MB that never ends is read once. */
static void
a_line_without_end_is_read_once(void)
{
	struct transcript t = reader_of("claude");
	char *large = xmalloc(5 << 20);
	int i;

	memset(large, 'x', 5 << 20);
	file_is(SAYS("1", "begin"));
	for (i = 0; i < 10; i++) {
		add_bytes(large, 5 << 20);
		read_on(&t);
	}
	ok(t.skipped > (49 << 20));
	add_text("\n" SAYS("1", MARKER));
	read_on(&t);
	is_number(t.oversize, 1);
	is_text(verdict_of(&t), "complete");
	free(large);
}

static void
what_is_no_line_is_left_out(void)
{
	struct transcript t = reader_of("claude");
	static const char bad[] = "no JSON " MARKER "\n\xff\xfe TASK\n"
	    "{\"type\":\"assistant\"\n";
	char *deep = xcalloc(1, 20002), *large = xcalloc(1, (3 << 20) + 2);

	memset(deep, '[', 20000);
	deep[20000] = '\n';
	memset(large, 'x', 3 << 20);
	large[3 << 20] = '\n';
	file_is("");
	add_bytes(large, strlen(large));
	add_bytes(bad, strlen(bad));
	add_bytes(deep, strlen(deep));
	add_bytes(SAYS("1", MARKER), strlen(SAYS("1", MARKER)));
	read_on(&t);
	is_text(verdict_of(&t), "complete");
	is_number(t.broken, 4);
	is_number(t.oversize, 1);
	is_number(t.known, 1);
	free(deep);
	free(large);
}

/* Only the marker's own lines are parsed of what is old. */
static void
much_is_searched(void)
{
	struct transcript t = reader_of("claude");
	char *line = xasprintf(SAYS("1", "%0*d"), 4000, 1);
	int i;

	file_is(PROMPT("0", "do it"));
	for (i = 0; i < 100; i++)
		add_bytes(line, strlen(line));
	add_bytes(SAYS("2", MARKER), strlen(SAYS("2", MARKER)));
	for (i = 0; i < 400; i++)
		add_bytes(line, strlen(line));
	read_on(&t);
	is_text(verdict_of(&t), "complete");
	is_number(t.events.last, EVENT_ENDED);
	is_number(t.lines, 502);
	free(line);
}

static void
only_a_file_of_ours_is_opened(void)
{
	file_is("x");
	unlink(scratch_path("link"));
	ok(symlink(scratch_path("t"), scratch_path("link")) == 0);
	is_number(transcript_open(scratch_path("link")), -1);
	ok(mkfifo(scratch_path("fifo"), 0600) == 0);
	is_number(transcript_open(scratch_path("fifo")), -1);
	is_number(transcript_open(scratch_path("none")), -1);
}

/* ---- formats ------------------------------------------------------------- */

static const char *
refused(const char *transcript)
{
	static char why[256];
	char text[1024];
	struct buf error = BUF_INIT;
	struct backend b;

	snprintf(text, sizeof(text), "{\"command\": \"x\", \"transcript\": %s}",
	    transcript);
	scratch_write("paneward/backends/mine.json", text);
	if (backend_read(&b, "mine", &error) == 0)
		backend_release(&b);
	snprintf(why, sizeof(why), "%s", error.len > 0 ?
	    strstr(buf_str(&error), "line") : "");
	buf_release(&error);
	return why;
}

static void
formats_are_read_strictly(void)
{
	is_text(refused("{\"lines\": []}"), "");
	is_text(refused("1"), "line 1: 'transcript' is not an object");
	is_text(refused("{\"lines\": {}}"),
	    "line 1: 'transcript.lines' is not a list");
	is_text(refused("{\"lines\": [{\"is\": \"tool\"}]}"),
	    "line 1: 'transcript.lines' has no 'is', or no 'when'");
	is_text(refused("{\"lines\": [{\"is\": \"x\", \"when\": {}}]}"),
	    "line 1: 'transcript.lines.is' is nothing that a line may be");
	is_text(refused("{\"colour\": 1}"),
	    "line 1: unknown key 'transcript.colour'");
}

int
main(void)
{
	scratch_begin();
	setenv("XDG_CONFIG_HOME", scratch, 1);
	copy_backends();
	marker_set_init(&set, "42", NULL, NULL);
	TEST(recorded_ones_are_judged);
	TEST(a_message_that_was_cut_off_is_no_report);
	TEST(the_version_is_that_of_the_newest_line);
	TEST(an_unfinished_line_waits);
	TEST(another_file_is_read_from_its_beginning);
	TEST(order_is_that_of_time);
	TEST(what_was_written_before_the_run_is_old);
	TEST(the_session_of_an_earlier_run_says_nothing_of_this_one);
	TEST(old_messages_stay_old_in_a_new_file);
	TEST(a_file_that_was_written_over_is_read_from_its_beginning);
	TEST(no_line_is_from_the_future);
	TEST(a_marker_of_ones_own_is_found_in_what_is_old);
	TEST(a_line_without_end_is_read_once);
	TEST(what_is_no_line_is_left_out);
	TEST(much_is_searched);
	TEST(only_a_file_of_ours_is_opened);
	TEST(formats_are_read_strictly);
	scratch_end();
	return tap_done();
}
