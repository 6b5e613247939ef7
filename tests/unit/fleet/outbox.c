#include "fleet/wire/wire.h"

#include "unit/children.h"

/* The id of a line that has this one, of that run. */
static const char *
id_of(const char *id, const char *run, const char *host)
{
	static struct buf out;
	struct outbox_event e = { .subject = NULL };
	char line[1024];

	snprintf(line, sizeof(line), "{\"id\":\"%s\",\"subject\":\"7\","
	    "\"time\":\"2026-01-31T12:00:00Z\",\"type\":\"new.kind\","
	    "\"data\":{\"run\":\"%s\"}}", id, run);
	buf_reset(&out);
	if (!outbox_event_parse(&e, line, strlen(line)))
		return "none";
	outbox_event_id(&out, &e, host, "/home/a/p/.status");
	outbox_event_release(&e);
	return buf_str(&out);
}

TEST(an_id_of_a_run_is_sent_as_it_is_any_other_gets_its_source) {
	char first[64];

	is_text(id_of("0123abcd-1-state-00000000", "0123abcd", "a"),
	    "0123abcd-1-state-00000000");
	snprintf(first, sizeof(first), "%s", id_of("inbox-1-2", "", "a"));
	ok(strncmp(first, "inbox-1-2-", 10) == 0);
	is_text(id_of("inbox-1-2", "", "a"), first);
	is_text(id_of("inbox-1-2", "0123abcd", "a"), first);
	ok(strcmp(id_of("inbox-1-2", "", "b"), first) != 0);
	/* It is one word of a header. */
	snprintf(first, sizeof(first), "%s",
	    id_of("a\\r\\nNats-Rollup: all", "", "a"));
	ok(strpbrk(first, " \r\n") == NULL && strncmp(first, "id-", 3) == 0);
}

