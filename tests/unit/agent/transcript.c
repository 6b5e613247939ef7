#include "agent/transcript.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "data/json.h"
#include "recorded.h"
#include "story.h"

#define TRANSCRIPTS "tests/transcripts/"

static struct marker_set set;
static struct backends backends;

static struct transcript
reader_of(const char *agent)
{
	struct buf error = BUF_INIT;
	const struct backend *b = backends_get(&backends, agent, &error);
	static struct event_evidence events;
	struct transcript of = { .markers = &set, .since = -1,
	    .events = &events };

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
	return strcmp(json_text(of, "expect"), r.events->hits.complete > 0 ?
	    "complete" : r.events->hits.error > 0 ? "error" : "none") == 0;
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
#define BEGAN "2020-11-22T10:00:05Z"

static struct transcript t;

/* Of 4 KB each. */
static void
add_lines(int n)
{
	char *line = xasprintf(SAYS("1", "%0*d"), 4000, 1);

	while (n-- > 0)
		scratch_add("t", line);
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
static const char *
seen(void)
{
	const struct marker_hits *h = &t.events->hits;
	static char got[100];

	if (t.tokens != NULL)
		snprintf(got, sizeof(got), "%d %d %d", (int)counted.sum.input,
		    (int)counted.sum.cached, (int)counted.sum.output);
	else
		snprintf(got, sizeof(got), "%s%s%s %u %u %u of %u",
		    event_types[t.events->last], t.events->kind[0] ? " " : "",
		    t.events->kind, h->complete, h->error, h->stale, t.lines);
	return got;
}

/* A reader of a file that is not there yet. */
static void
begin_with(const char *agent)
{
	t = reader_of(agent);
	counted = (struct token_count){ .read = 0 };
	unlink(scratch_path("t"));
}

static void
begin(void)
{
	begin_with("claude");
}

/* "+TEXT" is added, "<TEXT" a new file, "=TEXT" written over the old one,
 * "*100" that many long lines are added; "of AGENT", "counts": tokens; "since"
 * and "began" when the run did, "resumed"; "told": no line is the run's own;
 * other words are what is read by then. */
static bool
step(const char *word)
{
	if (*word == '<')
		unlink(scratch_path("t"));
	if (*word == '=')
		scratch_write("t", "");
	if (strchr("+<=", *word) != NULL)
		scratch_add("t", word + 1);
	else if (*word == '*')
		add_lines(atoi(word + 1));
	else if (strncmp(word, "of ", 3) == 0)
		begin_with(word + 3);
	else if (strcmp(word, "counts") == 0)
		t.tokens = &counted;
	else if (strcmp(word, "since") == 0)
		t.since = clock_parse(BEGAN);
	else if (strcmp(word, "began") == 0)
		t.began = clock_parse(BEGAN);
	else if (strcmp(word, "resumed") == 0)
		t.resumed = true;
	else if (strcmp(word, "told") == 0)
		ok(!t.events->there && t.events->told);
	else {
		read_on();
		is_text(seen(), word);
	}
	return true;
}

#define CUT(rest, model) "+{\"type\":\"assistant\"," rest "\"message\":{" \
	"\"model\":\"" model "\",\"content\":[{\"type\":\"text\",\"text\":" \
	"\"" MARKER "\"}]}}\n{\"type\":\"user\",\"interruptedMessageId\":" \
	"\"m\",\"message\":{\"content\":[]}}\n"
#define USES(second, id, in, cache, out) "{\"type\":\"assistant\"," AT(second) \
	"\"message\":{\"id\":\"" id "\",\"usage\":{\"input_tokens\":" in "," \
	"\"cache_creation_input_tokens\":7,\"cache_read_input_tokens\":" cache \
	",\"output_tokens\":" out "}}}\n"
#define SUM(second, in, out) "{" AT(second) "\"type\":\"event_msg\"," \
	"\"payload\":{\"type\":\"token_count\",\"info\":{" \
	"\"total_token_usage\":{\"input_tokens\":" in "," \
	"\"output_tokens\":" out "}}}}\n"

TEST(what_a_file_that_grows_tells) {
	static const struct story stories[] = {
		{ "a message that a person cuts off is no report",
		    { CUT("\"isAbortedMidStream\":true,", "m"),
			"turn-failed aborted 0 0 0 of 2" } },
		{ "which another version shows otherwise",
		    { CUT("", "<synthetic>"),
			"turn-failed aborted 0 0 0 of 2" } },
		{ "and pi", { "of pi", "+{\"message\":{\"role\":\"assistant\","
			"\"stopReason\":\"aborted\",\"content\":[{\"type\":"
			"\"text\",\"text\":\"" MARKER "\"}]}}\n",
			"turn-failed aborted 0 0 0 of 1" } },
		/* Longer than before, but not what was there with more. */
		{ "a file that was written over is read from its beginning",
		    { "+" SAYS("1", MARKER), "turn-ended 1 0 0 of 1",
			"=" PROMPT("1", "What was it? A long text, longer than "
			"the one that was here before, and it is followed by "
			"more of it. Here is more of it.") SAYS("2", "None.")
			SAYS("3", "None."), "turn-ended 0 0 0 of 3" } },
		{ "what was written before the run is old",
		    { "since", "+" SAYS("1", MARKER) PROMPT("6", "go on")
			SAYS("5", MARKER), "turn-started 0 0 2 of 3",
			"+" SAYS("6", MARKER), "turn-ended 1 0 2 of 4" } },
		{ "the session of an earlier run says nothing of this one",
		    { "since", "resumed", "+" PROMPT("1", "do it")
			SAYS("5", MARKER), "none 0 0 1 of 2", "told",
			"+" PROMPT("6", "go on"),
			"turn-started 0 0 1 of 3" } },
		{ "a resumed session may be written anew",
		    { "since", "+" SAYS("1", MARKER)
			SAYS("2", "A longer line of text."),
			"turn-ended 0 0 1 of 2", "<" PROMPT("9", "hello"),
			"turn-started 0 0 0 of 1", "<" PROMPT("9", "hello")
			SAYS("1", MARKER) SAYS("1", MARKER),
			"turn-started 0 0 2 of 3" } },
		/* Only the marker's own lines are parsed of what is old. */
		{ "much is searched",
		    { "+" PROMPT("0", "do it"), "*100", "+" SAYS("2", MARKER),
			"*400", "turn-ended 1 0 0 of 502" } },
		/* A session is restarted from a summary: the client's sums
		 * begin again. */
		{ "a sum of tokens counts for what it grew",
		    { "of codex", "counts", "+" SUM("1", "100", "5")
			SUM("1", "100", "5") SUM("2", "250", "9"), "250 0 9",
			"+" SUM("3", "0", "0") SUM("4", "40", "2"),
			"290 0 11", "<" SUM("1", "7", "1"), "7 0 1" } },
		{ "what was used before the run is not its own",
		    { "of codex", "counts", "began", "+" SUM("1", "100", "5")
			SUM("5", "150", "6"), "0 0 0",
			"+" SUM("6", "180", "7"), "30 0 1" } },
		{ "what is no number of tokens is none",
		    { "counts", "+" USES("1", "a", "-1", "0", "1")
			USES("1", "b", "1e300", "0", "1")
			USES("1", "c", "1", "0", "\"many\"")
			"{\"type\":\"assistant\",\"isSidechain\":true,"
			"\"message\":{\"usage\":{\"input_tokens\":5}}}\n"
			"{\"type\":\"assistant\",\"message\":{\"usage\":"
			"{\"input_tokens\":null}}}\n", "0 0 0" } },
		{ "tokens are counted without being read", { "counts",
			"+" USES("1", "a", "2", "0", "1"), "*400", "9 0 1" } },
	};

	TELL(stories, begin, step);
	ok(t.known < t.lines);
}

TEST(a_turn_that_ends_behind_its_wait_keeps_its_message) {
	static const char text[] = "{\"status\":\"idle\","
	    "\"updatedAt\":1767225605000}";
	struct json *idle = json_parse(text, strlen(text), false, NULL);

	begin();
	scratch_add("t", PROMPT("1", "do it"));
	read_on();
	transcript_process(&t, idle);
	scratch_add("t", SAYS("2", "Done."));
	read_on();
	is_text(t.events->text, "Done.");
	json_free(idle);
}

static void
add_message(void *messages, const char *text, bool again)
{
	buf_printf(messages, "%s%.1s;", again ? "+" : "", text);
}

TEST(each_message_is_told_however_long_the_file_is) {
	struct buf messages = BUF_INIT;

	begin_with("gemini");
	t.each = add_message;
	t.all = true;
	t.context = &messages;
	scratch_add("t",
	    "{\"id\":\"1\",\"type\":\"gemini\",\"content\":\"a\"}\n"
	    "{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"b\"}\n"
	    "{\"id\":\"2\",\"type\":\"gemini\",\"content\":\"c\"}\n");
	add_lines(TRANSCRIPT_NEW / 4000);
	read_on();
	is_text(buf_str(&messages), "a;b;+c;");
	buf_release(&messages);
}

/* Its usage is the session's so far. */
#define PART(second, text) "{\"type\":\"assistant\"," AT(second) \
	"\"message\":{\"id\":\"m\",\"stop_reason\":\"end_turn\"," \
	"\"usage\":{\"input_tokens\":" second "},\"content\":[{\"type\":" \
	"\"text\",\"text\":\"" text "\"}]}}\n"

/* What is seen, with the messages and tokens that are counted by then. */
static const char *
part_read(const char *name, struct buf *messages)
{
	static char got[200];

	t.tokens = &counted;
	ok(transcript_read_path(&t, scratch_path(name)) != -1);
	t.tokens = NULL;
	snprintf(got, sizeof(got), "%s, %s %d", seen(), buf_str(messages),
	    (int)counted.sum.input);
	return got;
}

/* As the detector does once it finds another path. */
static void
part_begins(const char *name, const char *text)
{
	scratch_write(name, text);
	counted = (struct token_count){ .sum = counted.sum,
	    .newest = counted.newest, .since = counted.newest };
}

TEST(a_session_is_read_over_all_its_parts) {
	struct buf messages = BUF_INIT;
	struct transcript_place *place;

	begin();
	place = (struct transcript_place *)(uintptr_t)transcript_place(
	    t.format);
	place->parts = true;
	t.each = add_message;
	t.context = &messages;
	scratch_write("s/1.jsonl", PART("1", "a"));
	is_text(part_read("s/1.jsonl", &messages), "turn-ended 0 0 0 of 1, a; 1");
	/* Its last line and the next part come at once. */
	scratch_add("s/1.jsonl", PART("2", MARKER));
	part_begins("s/2.jsonl", "");
	scratch_write("s/other", PART("9", "o"));
	is_text(part_read("s/2.jsonl", &messages), "turn-ended 1 0 0 of 2, a;a;#; 2");
	scratch_add("s/2.jsonl", PART("3", "c"));
	is_text(part_read("s/2.jsonl", &messages), "turn-ended 1 0 0 of 3, a;a;#;a;#;c; 3");
	unlink(scratch_path("s/1.jsonl"));
	part_begins("s/3.jsonl", PART("4", "d"));
	is_text(part_read("s/3.jsonl", &messages),
	    "turn-ended 0 0 0 of 2, a;a;#;a;#;c;c;d; 4");
	place->parts = false;
	buf_release(&messages);
}

TEST(a_marker_of_ones_own_is_found) {
	static struct marker_set own;

	begin();
	marker_set_init(&own, "42", NULL, "== all done ==");
	t.markers = &own;
	step("+" SAYS("0", "== all done ==") SAYS("0", "###TASK_ERROR_42###"));
	step("*400");
	step("turn-ended 1 1 0 of 402");
}

BEFORE_TESTS {
	recorded_begin();
	marker_set_init(&set, "42", NULL, NULL);
}
