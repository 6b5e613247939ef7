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

TEST(what_is_no_event_is_refused) {
	struct outbox_event e;

	ok(!outbox_event_parse(&e, "{\"id\":\"1\"}", 10));
	ok(!outbox_event_parse(&e, "", 0) && e.id == NULL);
}

TEST(a_new_journal_is_noticed) {
	struct statusdir d = STATUSDIR_INIT;
	int polls;
	struct notify *n = notify_new(&polls);
	struct outbox *o;

	scratch_write("s/.paneward/other", "");
	d.path = strdup(scratch_path("s"));
	d.state_fd = open(scratch_path("s/.paneward"), O_RDONLY | O_CLOEXEC);
	o = outbox_new(&d, "alpha");
	ok(strncmp(o->prefix, "paneward.alpha.", 15) == 0 && o->wanted);
	o->wanted = false;
	outbox_check(o, n);
	ok(!o->wanted && o->watched == 0);
	scratch_write("s/.paneward/journal.ndjson", "{}\n");
	outbox_check(o, n);
	ok(o->wanted && o->watched != 0);
	outbox_free(o);
	notify_free(n);
}
