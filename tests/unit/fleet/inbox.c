#include "fleet/wire/wire.h"

#include <poll.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "os/compat.h"
#include "tap.h"

static bool
readable(const struct link_inbox *b)
{
	struct pollfd p = { .fd = b->pipe[0], .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static void
put(struct link_inbox *b, unsigned number)
{
	struct link_message *m = xcalloc(1, sizeof(*m));

	m->sequence = number;
	inbox_put(b, m);
}

/* The number of the next message; -1: there is none. */
static int
next(struct link_inbox *b)
{
	struct link_message *m = inbox_next(b);
	int number = m != NULL ? (int)m->sequence : -1;

	if (m != NULL)
		link_message_free(m);
	return number;
}

TEST(messages_come_in_their_order) {
	struct link_inbox b = INBOX_INIT;

	ok(pipe2(b.pipe, O_CLOEXEC | O_NONBLOCK) == 0);
	ok(!readable(&b));
	put(&b, 1);
	put(&b, 2);
	ok(readable(&b));
	is_number(next(&b), 1);
	put(&b, 3);
	is_number(next(&b), 2);
	is_number(next(&b), 3);
	is_number(next(&b), -1);
	ok(!readable(&b));
	put(&b, 4);
	is_number(next(&b), 4);
	put(&b, 5);
	inbox_close(&b);
}

TEST(it_is_woken_without_a_message) {
	struct link_inbox b = INBOX_INIT;

	ok(pipe2(b.pipe, O_CLOEXEC | O_NONBLOCK) == 0);
	inbox_put(&b, NULL);
	ok(readable(&b));
	is_number(next(&b), -1);
	ok(!readable(&b));
	inbox_close(&b);
}

enum { MANY = 20000 };

static void *
put_many(void *context)
{
	int i;

	for (i = 0; i < MANY; i++)
		put(context, 7);
	return NULL;
}

/* A reader that sleeps whenever there is nothing is always woken again. */
TEST(no_message_of_two_threads_is_lost) {
	pthread_t threads[2];
	struct link_inbox b = INBOX_INIT;
	int n = 0, i;

	ok(pipe2(b.pipe, O_CLOEXEC | O_NONBLOCK) == 0);
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, put_many, &b);
	while (n < 2 * MANY) {
		struct pollfd p = { .fd = b.pipe[0], .events = POLLIN };

		if (poll(&p, 1, 10000) != 1)
			break;
		while (next(&b) == 7)
			n++;
	}
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

TEST(a_message_is_copied_whole) {
	struct link_message *m = message("x\0y", 3, "Nats-Msg-Id", "id-1");

	is_text(m->subject, "a.b");
	is_text(m->id, "id-1");
	is_number(m->len, 3);
	ok(memcmp(m->data, "x\0y", 4) == 0);
	ok(m->from == NULL && !m->gone && m->pending == 0);
	link_message_free(m);
	m = message(NULL, 0, NULL, NULL);
	ok(m->id == NULL && m->len == 0 && m->data[0] == '\0');
	link_message_free(m);
}

TEST(a_deleted_key_is_gone) {
	struct link_message *m = message(NULL, 0, "KV-Operation", "DEL");

	ok(m->gone);
	link_message_free(m);
}
