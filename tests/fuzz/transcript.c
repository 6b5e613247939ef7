/*
 * For any transcript: read in two pieces, cut at any byte, it says the same as
 * read at once.  The first byte says where it is cut.
 */
#include <unistd.h>

#include "agent/transcript.h"
#include "fuzz/fuzz.h"

static const char rows[] = "{ \"time\": \"timestamp\", \"lines\": ["
    "{ \"is\": \"nothing\", \"when\": { \"isMeta\": true } },"
    "{ \"is\": \"turn-started\", \"when\": { \"type\": \"user\" } },"
    "{ \"is\": \"output\", \"each\": \"message.content\", \"when\":"
    "  { \"@type\": \"tool_result\" }, \"call\": \"@tool_use_id\","
    "  \"output\": \"@text\" },"
    "{ \"is\": \"turn-failed\", \"when\": { \"error\": \"*\" },"
    "  \"error\": \"error\", \"words\": \"message.content.0.text\" },"
    "{ \"is\": \"message\", \"each\": \"message.content\", \"when\":"
    "  { \"type\": \"assistant\", \"@type\": \"text\" },"
    "  \"text\": \"@text\" },"
    "{ \"is\": \"tool\", \"each\": \"message.content\", \"when\":"
    "  { \"@type\": \"tool_use\" }, \"call\": \"@id\","
    "  \"command\": \"@input.command\" },"
    "{ \"is\": \"said\", \"when\": { \"type\": \"gemini\" }, \"id\": \"id\","
    "  \"text\": \"content\" },"
    "{ \"is\": \"turn-ended\", \"when\": { \"message.stop_reason\": \"end*\" } }"
    "], \"usage\": ["
    "{ \"when\": { \"type\": \"assistant\" }, \"id\": \"message.id\","
    "  \"input\": [\"message.usage.input_tokens\"],"
    "  \"cached\": [\"message.usage.cache_read_input_tokens\"],"
    "  \"output\": [\"message.usage.output_tokens\"] }"
    "] }";

static struct transcript_format *format;
static struct marker_set set;

static void
make_format(void)
{
	struct buf error = BUF_INIT;
	struct strict s = { .error = &error };
	struct json *object;

	if (format != NULL)
		return;
	object = json_parse(rows, strlen(rows), false, NULL);
	if (transcript_take(&s, &format, object) == -1)
		abort();
	json_free(object);
	marker_set_init(&set, "42", NULL, NULL);
}

static struct transcript
read_pieces(const char *text, size_t len, size_t cut, struct token_count *c,
    struct event_evidence *events)
{
	struct transcript t = { .format = format, .markers = &set,
	    .since = -1, .tokens = c, .events = events };
	FILE *file = tmpfile();
	int fd = file != NULL ? fileno(file) : -1;

	if (write(fd, text, cut) != (ssize_t)cut ||
	    transcript_read(&t, fd) == -1 ||
	    write(fd, text + cut, len - cut) != (ssize_t)(len - cut) ||
	    transcript_read(&t, fd) == -1)
		abort();
	assert(t.read + t.skipped <= len);
	fclose(file);
	return t;
}

static void
check(const char *text, size_t size)
{
	struct token_count one = { .read = 0 }, two = one;
	struct event_evidence first, second;
	struct transcript once, twice;
	size_t len = size - 1;

	if (size == 0)
		return;
	make_format();
	once = read_pieces(text + 1, len, len, &one, &first);
	twice = read_pieces(text + 1, len, (unsigned char)text[0] * len / 255,
	    &two, &second);
	assert(once.read == twice.read && once.lines == twice.lines);
	assert(once.known == twice.known && once.broken == twice.broken);
	assert(memcmp(&first.hits, &second.hits, sizeof(first.hits)) == 0);
	assert(memcmp(&one.sum, &two.sum, sizeof(one.sum)) == 0);
}
