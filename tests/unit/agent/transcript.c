#include "agent/transcript.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "data/json.h"
#include "recorded.h"

#define TRANSCRIPTS "tests/transcripts/"

static struct marker_set set;
static struct backends backends;

static struct transcript
reader_of(const char *agent)
{
	struct buf error = BUF_INIT;
	const struct backend *b = backends_get(&backends, agent, &error);
	struct transcript of = { .markers = &set, .since = -1 };

	is_text(buf_str(&error), "");
	of.format = b != NULL ? b->transcript : NULL;
	buf_release(&error);
	return of;
}

/* ---- each recorded one, in pieces ---------------------------------------- */

static struct token_count counted;

/* Is this the verdict on a text that grows, by steps of that many bytes; 0:
 * once, at that place? */
static bool
is_judged_in_steps(const struct json *of, const struct buf *text, size_t step,
    size_t cut)
{
	struct transcript r = reader_of(json_text(of, "agent"));
	int fd = open(scratch_path("t"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	size_t at, len;

	counted = (struct token_count){ .read = 0 };
	r.tokens = &counted;
	for (at = 0; at < text->len; at += len) {
		len = step > 0 ? step : at < cut ? cut : text->len - at;
		if (len > text->len - at)
			len = text->len - at;
		if (write(fd, text->data + at, len) != (ssize_t)len ||
		    transcript_read(&r, fd) == -1)
			return false;
	}
	close(fd);
	return strcmp(json_text(of, "expect"), r.events.hits.complete > 0 ?
	    "complete" : r.events.hits.error > 0 ? "error" : "none") == 0;
}

static void
is_judged(const struct json *of)
{
	const struct json *tokens = json_member(of, "tokens");
	char path[256];
	struct buf text = BUF_INIT;
	size_t at, wrong = 0;

	snprintf(path, sizeof(path), TRANSCRIPTS "%s", json_text(of, "file"));
	ROW("%s", path);
	ok(file_read(AT_FDCWD, path, 0, &text, 1 << 24) == 0);
	for (at = 0; at < 2; at++) {
		ok(is_judged_in_steps(of, &text, at, 0));
		is_number(counted.sum.input, json_number(tokens, "input", -1));
		is_number(counted.sum.cached,
		    json_number(tokens, "cached", -1));
		is_number(counted.sum.output,
		    json_number(tokens, "output", -1));
	}
	for (at = 0; at < text.len; at++)
		wrong += text.data[at] == '\n' &&
		    !is_judged_in_steps(of, &text, 0, at + 1);
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

/* ---- a file that grows -------------------------------------------------- */

/* What is wrong with lines and files is shown by transcripts-wrong.sh, and what
 * a watcher makes of new ones by transcripts.sh. */

#define AT(second) "\"timestamp\":\"2020-11-22T10:00:0" second "Z\","
#define SAYS(second, text) "{\"type\":\"assistant\"," AT(second) \
	"\"message\":{\"stop_reason\":\"end_turn\",\"content\":" \
	"[{\"type\":\"text\",\"text\":\"" text "\"}]}}\n"
#define PROMPT(second, text) "{\"type\":\"user\"," AT(second) \
	"\"message\":{\"content\":\"" text "\"}}\n"
#define MARKER "###TASK_COMPLETE_42###"

static struct transcript t;

static void
add_text(const char *text)
{
	scratch_add("t", text);
}

/* Of 4 KB each. */
static void
add_lines(int n)
{
	char *line = xasprintf(SAYS("1", "%0*d"), 4000, 1);

	while (n-- > 0)
		add_text(line);
	free(line);
}

static void
read_on(void)
{
	int fd = transcript_open(scratch_path("t"));

	ok(fd != -1 && transcript_read(&t, fd) != -1);
	close(fd);
}

/* "turn-ended aborted 1 0 2 of 3": complete, error and stale markers in lines;
 * or tokens "9 0 1". */
static void
is_seen(const char *want)
{
	const struct marker_hits *h = &t.events.hits;
	char got[100];

	if (t.tokens != NULL)
		snprintf(got, sizeof(got), "%d %d %d", (int)counted.sum.input,
		    (int)counted.sum.cached, (int)counted.sum.output);
	else
		snprintf(got, sizeof(got), "%s%s%s %u %u %u of %u",
		    event_types[t.events.last], t.events.kind[0] ? " " : "",
		    t.events.kind, h->complete, h->error, h->stale, t.lines);
	is_text(got, want);
}

/* A reader of a file that is not there yet. */
static void
begin(const char *agent, const char *since)
{
	t = reader_of(agent);
	if (since != NULL)
		t.since = clock_parse(since);
	unlink(scratch_path("t"));
}

/* "+TEXT" is added, "<TEXT" a new file, "=TEXT" written over the old one; other
 * words are what is read by then. */
static void
play(const char *const *step)
{
	for (; *step != NULL; step++) {
		if (**step == '<')
			unlink(scratch_path("t"));
		if (**step == '=')
			scratch_write("t", "");
		if (strchr("+<=", **step) != NULL) {
			add_text(*step + 1);
			continue;
		}
		read_on();
		is_seen(*step);
	}
}

#define PLAY(...) play((const char *const[]){ __VA_ARGS__, NULL })

/* What each client makes of a message that a person interrupts. */
TEST(a_message_that_was_cut_off_is_no_report) {
#define CUT(rest, model) "+{\"type\":\"assistant\"," rest "\"message\":{" \
	"\"model\":\"" model "\",\"content\":[{\"type\":\"text\",\"text\":" \
	"\"" MARKER "\"}]}}\n{\"type\":\"user\",\"interruptedMessageId\":" \
	"\"m\",\"message\":{\"content\":[]}}\n"
	begin("claude", NULL);
	PLAY(CUT("\"isAbortedMidStream\":true,", "m"),
	    "turn-failed aborted 0 0 0 of 2");
	begin("claude", NULL);
	PLAY(CUT("", "<synthetic>"), "turn-failed aborted 0 0 0 of 2");
	begin("pi", NULL);
	PLAY("+{\"message\":{\"role\":\"assistant\",\"stopReason\":"
	    "\"aborted\",\"content\":[{\"type\":\"text\",\"text\":"
	    "\"" MARKER "\"}]}}\n", "turn-failed aborted 0 0 0 of 1");
}

/* Longer than before, but not what was there with more behind it. */
TEST(a_file_that_was_written_over_is_read_from_its_beginning) {
	begin("claude", NULL);
	PLAY("+" SAYS("1", MARKER), "turn-ended 1 0 0 of 1",
	    "=" PROMPT("1", "What was it? A long text, longer than the one "
	    "that was here before, and it is followed by more of it. "
	    "Here is more of it.") SAYS("2", "None.") SAYS("3", "None."),
	    "turn-ended 0 0 0 of 3");
}

static void
add_message(void *messages, const char *text, bool again)
{
	buf_printf(messages, "%s%.1s;", again ? "+" : "", text);
}

TEST(each_message_is_told_however_long_the_file_is) {
	struct buf messages = BUF_INIT;

	begin("gemini", NULL);
	t.each = add_message;
	t.context = &messages;
	add_text("{\"id\":\"1\",\"type\":\"gemini\",\"content\":\"a\"}\n"
	    "{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"b\"}\n"
	    "{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"c\"}\n");
	add_lines(TRANSCRIPT_NEW / 4000);
	read_on();
	is_text(buf_str(&messages), "a;b;+c;");
	buf_release(&messages);
}

#define BEGAN "2020-11-22T10:00:05Z"

TEST(what_was_written_before_the_run_is_old) {
	begin("claude", BEGAN);
	PLAY("+" SAYS("1", MARKER) PROMPT("6", "go on") SAYS("5", MARKER),
	    "turn-started 0 0 2 of 3",
	    "+" SAYS("6", MARKER), "turn-ended 1 0 2 of 4");
	/* The session of an earlier run says nothing of this one. */
	begin("claude", BEGAN);
	t.resumed = true;
	PLAY("+" PROMPT("1", "do it") SAYS("5", MARKER), "none 0 0 1 of 2");
	ok(!t.events.there && t.events.told);
	PLAY("+" PROMPT("6", "go on"), "turn-started 0 0 1 of 3");
	/* A resumed session may be written anew. */
	begin("claude", BEGAN);
	PLAY("+" SAYS("1", MARKER) SAYS("2", "A longer line of text."),
	    "turn-ended 0 0 1 of 2",
	    "<" PROMPT("9", "hello"), "turn-started 0 0 0 of 1",
	    "<" PROMPT("9", "hello") SAYS("1", MARKER) SAYS("1", MARKER),
	    "turn-started 0 0 2 of 3");
}

/* Only the marker's own lines are parsed of what is old. */
TEST(much_is_searched) {
	static struct marker_set own;

	begin("claude", NULL);
	add_text(PROMPT("0", "do it"));
	add_lines(100);
	add_text(SAYS("2", MARKER));
	add_lines(400);
	PLAY("turn-ended 1 0 0 of 502");
	/* A marker of one's own is found, too. */
	begin("claude", NULL);
	marker_set_init(&own, "42", NULL, "== all done ==");
	t.markers = &own;
	add_text(SAYS("0", "== all done ==") SAYS("0", "###TASK_ERROR_42###"));
	add_lines(400);
	PLAY("turn-ended 1 1 0 of 402");
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
begin_to_count(const char *agent)
{
	begin(agent, NULL);
	counted = (struct token_count){ .read = 0 };
	t.tokens = &counted;
}

/* A session is restarted from a summary: the client's sums begin again. */
TEST(a_sum_counts_for_what_it_grew) {
	begin_to_count("codex");
	PLAY("+" SUM("1", "100", "5") SUM("1", "100", "5")
	    SUM("2", "250", "9"), "250 0 9",
	    "+" SUM("3", "0", "0") SUM("4", "40", "2"), "290 0 11",
	    "<" SUM("1", "7", "1"), "7 0 1");
	/* What was used before the run is not its own. */
	begin_to_count("codex");
	t.began = clock_parse(BEGAN);
	PLAY("+" SUM("1", "100", "5") SUM("5", "150", "6"), "0 0 0",
	    "+" SUM("6", "180", "7"), "30 0 1");
}

TEST(tokens_are_counted_without_being_read) {
	begin_to_count("claude");
	add_text(USES("1", "a", "2", "0", "1"));
	add_lines(400);
	PLAY("9 0 1");
	ok(t.known < t.lines);
	begin_to_count("claude");
	PLAY("+" USES("1", "a", "-1", "0", "1")
	    USES("1", "b", "1e300", "0", "1") USES("1", "c", "1", "0",
	    "\"many\"")
	    "{\"type\":\"assistant\",\"isSidechain\":true,\"message\":"
	    "{\"usage\":{\"input_tokens\":5}}}\n"
	    "{\"type\":\"assistant\",\"message\":{\"usage\":"
	    "{\"input_tokens\":null}}}\n", "0 0 0");
}

BEFORE_TESTS {
	recorded_begin();
	marker_set_init(&set, "42", NULL, NULL);
}
