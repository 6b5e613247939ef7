#include "agent/transcript.h"

#include <fcntl.h>

#include "agent/backend.h"
#include "base/alloc.h"
#include "data/json.h"
#include "os/file.h"
#include "scratch.h"

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

static struct token_count counted;

/* The verdict on a text that grows, by steps of that many bytes; 0: once, at
 * that place.  Its tokens are in counted. */
static const char *
read_in_steps(const char *agent, const struct buf *text, size_t step,
    size_t cut)
{
	struct transcript t = reader_of(agent);
	int fd = open(scratch_path("t"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	size_t at, len;

	counted = (struct token_count){ .read = 0 };
	t.tokens = &counted;
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
are_counted(const struct json *tokens)
{
	is_number((long)counted.sum.input,
	    (long)json_number(tokens, "input", -1));
	is_number((long)counted.sum.cached,
	    (long)json_number(tokens, "cached", -1));
	is_number((long)counted.sum.output,
	    (long)json_number(tokens, "output", -1));
}

static void
is_judged(const struct json *of)
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
	are_counted(json_member(of, "tokens"));
	is_text(read_in_steps(agent, &text, 1, 0), expect);
	are_counted(json_member(of, "tokens"));
	for (at = 0; at < text.len; at++)
		if (text.data[at] == '\n' && strcmp(expect, read_in_steps(
		    agent, &text, 0, at + 1)) != 0)
			wrong++;
	is_number(wrong, 0);
	buf_release(&text);
}

TEST(recorded_ones_are_judged) {
	struct buf text = BUF_INIT;
	struct json *index;
	const struct json *each;

	file_read(AT_FDCWD, TRANSCRIPTS "index.json", 0, &text, 1 << 20);
	index = json_parse(buf_str(&text), text.len, false, NULL);
	ok(json_size(index) > 50);
	json_each(each, index)
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
TEST(a_message_that_was_cut_off_is_no_report) {
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

TEST(the_version_is_that_of_the_newest_line) {
	struct transcript t = reader_of("claude");

	file_is("{\"version\":\"2.1.9\"}\n{\"version\":9}\n");
	read_on(&t);
	is_text(t.version, "2.1.9");
	add_text("{\"version\":\"2.2\"}\n{}\n");
	read_on(&t);
	is_text(t.version, "2.2");
}

TEST(an_unfinished_line_waits) {
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

TEST(another_file_is_read_from_its_beginning) {
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
add_message(void *messages, const char *text, bool again)
{
	buf_printf(messages, "%s%.1s;", again ? "+" : "", text);
}

TEST(each_message_is_told_however_long_the_file_is) {
	struct transcript t = reader_of("gemini");
	struct buf messages = BUF_INIT, more = BUF_INIT;

	t.each = add_message;
	t.context = &messages;
	file_is("{\"id\":\"1\",\"type\":\"gemini\",\"content\":\"a\"}\n"
	    "{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"b\"}\n"
	    "{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"c\"}\n");
	while (more.len < TRANSCRIPT_NEW)
		buf_adds(&more, PROMPT("3", "go on"));
	add_bytes(more.data, more.len);
	read_on(&t);
	is_text(buf_str(&messages), "a;b;+c;");
	buf_release(&messages);
	buf_release(&more);
}

TEST(order_is_that_of_time) {
	struct transcript t = reader_of("claude");

	file_is(SAYS("5", "done") PROMPT("1", "do it"));
	read_on(&t);
	is_number(t.events.last, EVENT_ENDED);
	add_bytes(PROMPT("6", "more"), strlen(PROMPT("6", "more")));
	read_on(&t);
	is_number(t.events.last, EVENT_TURN);
}

TEST(what_was_written_before_the_run_is_old) {
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

TEST(the_session_of_an_earlier_run_says_nothing_of_this_one) {
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
TEST(old_messages_stay_old_in_a_new_file) {
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
TEST(a_file_that_was_written_over_is_read_from_its_beginning) {
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

TEST(no_line_is_from_the_future) {
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

TEST(a_marker_of_ones_own_is_found_in_what_is_old) {
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
TEST(a_line_without_end_is_read_once) {
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

TEST(what_is_no_line_is_left_out) {
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
TEST(much_is_searched) {
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

/* ---- tokens -------------------------------------------------------------- */

#define USES(second, id, in, cache, out) "{\"type\":\"assistant\"," AT(second) \
	"\"message\":{\"id\":\"" id "\",\"usage\":{\"input_tokens\":" in "," \
	"\"cache_creation_input_tokens\":7,\"cache_read_input_tokens\":" cache \
	",\"output_tokens\":" out "}}}\n"
#define SUM(second, in, out) "{" AT(second) "\"type\":\"event_msg\"," \
	"\"payload\":{\"type\":\"token_count\",\"info\":{" \
	"\"total_token_usage\":{\"input_tokens\":" in "," \
	"\"output_tokens\":" out "}}}}\n"

static void
are_tokens(const struct token_count *c, long input, long cached, long output)
{
	is_number((long)c->sum.input, input);
	is_number((long)c->sum.cached, cached);
	is_number((long)c->sum.output, output);
}

TEST(an_answer_that_is_told_again_counts_once) {
	struct transcript t = reader_of("claude");
	struct token_count c = { .read = 0 };

	t.tokens = &c;
	file_is(USES("1", "a", "2", "15030", "1"));
	add_text(USES("1", "a", "2", "15030", "1"));
	read_on(&t);
	are_tokens(&c, 15039, 15030, 1);
	add_text(USES("2", "a", "2", "15030", "412"));
	add_text(PROMPT("3", "result") USES("4", "b", "3", "15442", "9"));
	read_on(&t);
	are_tokens(&c, 15039 + 15452, 15030 + 15442, 421);
}

/* A session is restarted from a summary: the client's sums begin again. */
TEST(a_sum_counts_for_what_it_grew) {
	struct transcript t = reader_of("codex");
	struct token_count c = { .read = 0 };

	t.tokens = &c;
	file_is(SUM("1", "100", "5") SUM("1", "100", "5"));
	add_text(SUM("2", "250", "9"));
	read_on(&t);
	are_tokens(&c, 250, 0, 9);
	add_text(SUM("3", "0", "0") SUM("4", "40", "2"));
	read_on(&t);
	are_tokens(&c, 290, 0, 11);
}

TEST(what_was_used_before_the_run_is_not_its_own) {
	struct transcript t = reader_of("codex");
	struct token_count c = { .read = 0 };

	t.tokens = &c;
	t.began = clock_parse("2020-11-22T10:00:05Z");
	file_is(SUM("1", "100", "5") SUM("5", "150", "6"));
	read_on(&t);
	ok(!tokens_known(&c.sum));
	add_text(SUM("6", "180", "7"));
	read_on(&t);
	are_tokens(&c, 30, 0, 1);
}

TEST(what_is_counted_is_not_counted_by_another_reader) {
	struct transcript first = reader_of("claude"), second = first;
	struct token_count c = { .read = 0 };

	first.tokens = second.tokens = &c;
	file_is(USES("1", "a", "2", "0", "1"));
	read_on(&first);
	read_on(&second);
	are_tokens(&c, 9, 0, 1);
	add_text(USES("1", "a", "2", "0", "5"));
	read_on(&second);
	are_tokens(&c, 9, 0, 5);
	file_is(USES("1", "z", "1", "0", "1"));
	read_on(&second);
	are_tokens(&c, 8, 0, 1);
}

/* A copy of a conversation holds what was used before it was made. */
TEST(a_copy_counts_from_where_it_goes_on) {
	struct transcript t = reader_of("claude");
	struct token_count c = { .read = 0 };

	t.tokens = &c;
	file_is(USES("1", "a", "2", "0", "1"));
	read_on(&t);
	t = reader_of("claude");
	t.tokens = &c;
	tokens_next_file(&c);
	file_is(USES("1", "a", "2", "0", "1") USES("2", "b", "1", "0", "3"));
	read_on(&t);
	are_tokens(&c, 17, 0, 4);
}

TEST(old_lines_are_counted_and_not_read) {
	struct transcript t = reader_of("claude");
	struct token_count c = { .read = 0 };
	char *line = xasprintf(SAYS("1", "%0*d"), 4000, 1);
	int i;

	t.tokens = &c;
	file_is(USES("1", "a", "2", "0", "1"));
	for (i = 0; i < 400; i++)
		add_text(line);
	read_on(&t);
	are_tokens(&c, 9, 0, 1);
	ok(t.known < t.lines);
	free(line);
}

TEST(what_is_no_number_of_tokens_does_not_count) {
	struct transcript t = reader_of("claude");
	struct token_count c = { .read = 0 };

	t.tokens = &c;
	file_is(USES("1", "a", "-1", "0", "1"));
	add_text(USES("1", "b", "1e300", "0", "1"));
	add_text(USES("1", "c", "1", "0", "\"many\""));
	add_text("{\"type\":\"assistant\",\"isSidechain\":true,"
	    "\"message\":{\"usage\":{\"input_tokens\":5}}}\n");
	add_text("{\"type\":\"assistant\",\"message\":{\"usage\":"
	    "{\"input_tokens\":null}}}\n");
	read_on(&t);
	ok(!tokens_known(&c.sum));
}

TEST(only_a_file_of_ours_is_opened) {
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

TEST(formats_are_read_strictly) {
	is_text(refused("{\"lines\": []}"), "");
	is_text(refused("1"), "line 1: 'transcript' is not an object");
	is_text(refused("{\"lines\": {}}"),
	    "line 1: 'transcript.lines' is not a list");
	is_text(refused("{\"lines\": [{\"is\": \"tool\"}]}"),
	    "line 1: 'transcript.lines' has no 'is', or no 'when'");
	is_text(refused("{\"lines\": [{\"is\": \"x\", \"when\": {}}]}"),
	    "line 1: 'transcript.lines.is' is nothing that a line may be");
	is_text(refused("{\"usage\": [{\"input\": [\"a\"]}]}"),
	    "line 1: 'transcript.usage' has no 'input', or no 'when'");
	is_text(refused("{\"usage\": [{\"when\": {}, \"input\": 1}]}"),
	    "line 1: 'transcript.usage.input' is not a list of texts");
	is_text(refused("{\"colour\": 1}"),
	    "line 1: unknown key 'transcript.colour'");
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
	copy_backends();
	marker_set_init(&set, "42", NULL, NULL);
}
