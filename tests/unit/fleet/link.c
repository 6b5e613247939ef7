/*
 * tests/fleet/server.sh has what a real server says, and files that are wrong.
 */
#include "fleet/wire/wire.h"

#include "os/compat.h"
#include "unit/children.h"

static struct link_inbox b = INBOX_INIT;

static void
begin(void)
{
	b = (struct link_inbox)INBOX_INIT;
	ok(pipe2(b.pipe, O_CLOEXEC | O_NONBLOCK) == 0);
}

static void
put(unsigned number)
{
	struct link_message *m = xcalloc(1, sizeof(*m));

	m->sequence = number;
	inbox_put(&b, m);
}

/* The number of the next message; -1: there is none. */
static int
next(void)
{
	struct link_message *m = inbox_next(&b);
	int number = m != NULL ? (int)m->sequence : -1;

	if (m != NULL)
		link_message_free(m);
	return number;
}

TEST(messages_come_in_their_order_and_it_is_woken_without_one) {
	begin();
	ok(!readable(b.pipe[0], 0));
	put(1);
	put(2);
	ok(readable(b.pipe[0], 0) && next() == 1);
	put(3);
	ok(next() == 2 && next() == 3 && next() == -1);
	inbox_put(&b, NULL);
	ok(readable(b.pipe[0], 0) && next() == -1 && !readable(b.pipe[0], 0));
	put(5);
	inbox_close(&b);
}

enum { MANY = 20000 };

static void *
put_many(void *unused)
{
	int i;

	(void)unused;
	for (i = 0; i < MANY; i++)
		put(7);
	return NULL;
}

/* A reader that sleeps whenever there is nothing is always woken again. */
TEST(no_message_of_two_threads_is_lost) {
	pthread_t threads[2];
	int n = 0, i;

	begin();
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, put_many, NULL);
	while (n < 2 * MANY && readable(b.pipe[0], 10000))
		while (next() == 7)
			n++;
	is_number(n, 2 * MANY);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	inbox_close(&b);
}

static struct link_message *
message(const char *data, size_t len, const char *header, const char *value)
{
	struct link_message *x;
	natsMsg *m = NULL;

	natsMsg_Create(&m, "a.b", NULL, data, (int)len);
	if (header != NULL)
		natsMsgHeader_Set(m, header, value);
	x = inbox_message(m, NULL);
	natsMsg_Destroy(m);
	return x;
}

TEST(a_message_is_copied_whole_and_a_deleted_key_is_gone) {
	struct link_message *m = message("x\0y", 3, "Nats-Msg-Id", "id-1");

	is_text(m->subject, "a.b");
	is_text(m->id, "id-1");
	ok(m->len == 3 && memcmp(m->data, "x\0y", 4) == 0);
	ok(m->from == NULL && !m->gone && m->pending == 0);
	link_message_free(m);
	m = message(NULL, 0, NULL, NULL);
	ok(m->id == NULL && m->len == 0 && m->data[0] == '\0');
	link_message_free(m);
	m = message(NULL, 0, "KV-Operation", "DEL");
	ok(m->gone);
	link_message_free(m);
}

/* ---- greetings ----------------------------------------------------------- */

TEST(the_greeting_tells_the_server_and_its_version) {
	static const struct {
		const char *line, *version;     /* NULL: another service */
		bool jetstream, recent;
	} rows[] = {
		{ "INFO {\"version\":\"2.9.10\",\"jetstream\":true,"
		    "\"tls_required\":true,\"tls_verify\":true,\"xkey\":[1]} "
		    "\r\n", "2.9.10", true, false },
		{ "INFO {\"version\":\"2.12.1\"}", "2.12.1", false, true },
		{ "INFO {\"version\":\"2.12.0-beta\"}", "2.12.0-beta", false,
		    true },
		{ "INFO {\"version\":\"new\"}", "new", false, false },
		{ "SSH-2.0-OpenSSH_9.2\r\n" }, { "INFO {}" },
		{ "INFO {\"version\":" }, { "" },
	};
	struct greeting g;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].line);
		ok(greeting_parse(rows[i].line, strlen(rows[i].line), &g) ==
		    (rows[i].version != NULL));
		if (rows[i].version == NULL)
			continue;
		is_text(g.version, rows[i].version);
		ok(g.jetstream == rows[i].jetstream);
		ok(g.recent == rows[i].recent);
	}
}

/* ---- refusals ------------------------------------------------------------ */

static struct fleetrules rules = { .host = (char[]){ "desk" },
    .ca = (char[]){ "/f/ca.pem" }, .cert = (char[]){ "/f/desk.pem" },
    .key = (char[]){ "/f/desk.key" } };
static struct buf out;

/* Without the place in the source; the first meaning counts. */
TEST(what_a_server_says_is_explained_with_the_file_to_look_at) {
	static const struct {
		const char *text, *whole, *part;
	} rows[] = {
		{ "(conn.c:12): the moon is full", "the moon is full" },
		{ "(a.b)", "(a.b)" },
		{ "(conn.c:1909): Expected 'PONG', got ''", NULL,
		    "'/f/desk.pem'" },
		{ "Permissions Violation for Publish to \"a.b\"",
		    "Permissions Violation for Publish to \"a.b\": the "
		    "server's configuration is not what 'paneward-fleet "
		    "print-server' prints for this host" },
		{ "Stale Connection", "no server answers there" },
		{ "Missed Server Heartbeat", "no server answers there" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].text);
		buf_reset(&out);
		refusal_explain(&out, rows[i].text, &rules);
		if (rows[i].whole != NULL)
			is_text(buf_str(&out), rows[i].whole);
		else
			contains(buf_str(&out), rows[i].part);
	}
}

AFTER_TESTS {
	buf_release(&out);
}
