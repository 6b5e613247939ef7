/*
 * tests/fleet/server.sh has what a real server says, and files that are wrong.
 */
#include "fleet/wire/wire.h"

#include "os/compat.h"
#include "unit/children.h"
#include "unit/fixture.h"

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
	natsMsg *m = NULL;

	natsMsg_Create(&m, "a.b", NULL, data, (int)len);
	natsMsgHeader_Set(m, header, value);
	return inbox_message(m, NULL);
}

TEST(a_message_is_copied_whole_and_a_deleted_key_is_gone) {
	struct link_message *m = message("x\0y", 3, "Nats-Msg-Id", "id-1");

	is_text(m->subject, "a.b");
	is_text(m->id, "id-1");
	ok(m->len == 3 && memcmp(m->data, "x\0y", 4) == 0);
	ok(m->from == NULL && !m->gone && m->pending == 0);
	link_message_free(m);
	m = message(NULL, 0, "KV-Operation", "DEL");
	ok(m->gone && m->id == NULL && m->len == 0 && m->data[0] == '\0');
	link_message_free(m);
}

static const char *
greeting_of(const char *line)
{
	static char told[64];
	struct greeting g;

	line = quoted(line);
	if (!greeting_parse(line, strlen(line), &g))
		return "another service";
	snprintf(told, sizeof(told), "%s%s%s", g.version,
	    g.jetstream ? ", jetstream" : "", g.recent ? ", recent" : "");
	return told;
}

TEST(the_greeting_tells_the_server_and_its_version) {
	ROWS(greeting_of, "INFO {'version':'2.9.10','jetstream':true,"
	    "'tls_required':true,'tls_verify':true,'xkey':[1]} \r\n => "
	    "2.9.10, jetstream", "INFO {'version':'2.12.1'} => 2.12.1, recent",
	    "INFO {'version':'2.12.0-beta'} => 2.12.0-beta, recent",
	    "INFO {'version':'new'} => new", " => another service",
	    "SSH-2.0-OpenSSH_9.2\r\n => another service",
	    "INFO {} => another service",
	    "INFO {'version': => another service");
}

static const char *
explained(const char *text)
{
	static struct buf out;

	buf_reset(&out);
	refusal_explain(&out, text, &(struct fleetrules){
	    .host = (char[]){ "desk" }, .cert = (char[]){ "/f/desk.pem" } });
	return buf_str(&out);
}

/* Without the place in the source. */
TEST(what_a_server_says_is_explained_with_the_file_to_look_at) {
	ROWS(explained, "(conn.c:12): the moon is full => the moon is full",
	    "(a.b) => (a.b)", "(conn.c:1909): Expected 'PONG', got '' => the "
	    "server ended the connection, since it does not take the "
	    "certificate '/f/desk.pem': see who signed it and how long it "
	    "lasts, by 'openssl x509 -noout -issuer -dates -in FILE'",
	    "Permissions Violation for Publish to \"a.b\" => Permissions "
	    "Violation for Publish to \"a.b\": the server's configuration is "
	    "not what 'paneward-fleet print-server' prints for this host",
	    "Stale Connection => no server answers there",
	    "Missed Server Heartbeat => no server answers there");
}
