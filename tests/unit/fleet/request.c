#include "fleet/wire/outbox.h"

#include "data/json.h"
#include "fleet/wire/store.h"
#include "scratch.h"

static struct loop loop;
static struct requests *requests;
static char *sent;                      /* the last result */
static unsigned follows, unfollows;
static uint64_t newest;                 /* order that is there */

/* ---- what store.h and link.h promise --------------------------------------- */

const char *
store_prefix(enum store which)
{
	(void)which;
	return "paneward.";
}

const char *
store_stream(enum store which)
{
	(void)which;
	return "PANEWARD";
}

int
store_last(struct link *l, enum store which, const char *subject,
    uint64_t *sequence, struct buf *why)
{
	(void)l;
	(void)which;
	(void)subject;
	(void)why;
	*sequence = newest;
	return newest != 0;
}

int
store_publish(struct link *l, const struct store_event *e,
    uint64_t *sequence, bool *again, struct buf *why)
{
	(void)l;
	(void)why;
	free(sent);
	sent = strndup(e->data, e->len);
	*sequence = 1;
	*again = false;
	return 1;
}

int
link_follow(struct link *l, int tag, const char *stream, const char *subject,
    enum link_from from, struct buf *why)
{
	(void)l;
	(void)tag;
	(void)stream;
	(void)subject;
	(void)from;
	(void)why;
	follows++;
	return 0;
}

void
link_unfollow(struct link *l, int tag)
{
	(void)l;
	(void)tag;
	unfollows++;
}

/* ---------------------------------------------------------------------------- */

/* An agent of this host begins, with what its file of orders says. */
static void
begin(const char *place)
{
	struct buf why = BUF_INIT;

	free(sent);
	sent = NULL;
	newest = 0;
	follows = 0;
	requests = requests_new("/bin/echo", "alpha", &loop);
	if (place != NULL)
		scratch_write("paneward/fleet-orders", place);
	else
		unlinkat(scratch_fd, "paneward/fleet-orders", 0);
	is_number(requests_follow(requests, NULL, 1, 1000, &why), 0);
	buf_release(&why);
}

static void
comes(uint64_t sequence)
{
	struct buf line = BUF_INIT;
	char id[32];

	snprintf(id, sizeof(id), "id-%d", (int)sequence);
	request_line(&line, REQUEST_TYPE, id, "beta", "7",
	    (const struct request_data[]){ { NULL, NULL } }, -1);
	requests_take(requests, &(struct link_message){ .data = line.data,
	    .len = line.len, .sequence = sequence, .subject =
	    (char *)(uintptr_t)"paneward.beta._order.alpha" });
	buf_release(&line);
}

static void
turn(void)
{
	struct buf why = BUF_INIT;

	is_number(requests_turn(requests, NULL, NULL, &why), 0);
	buf_release(&why);
}

/* The member of the result's data; NULL: none was sent. */
static const char *
result(const char *name)
{
	static cJSON *o;

	json_free(o);
	o = sent != NULL ? json_parse(sent, strlen(sent), false, NULL) : NULL;
	return json_text(json_member(o, "data"), name);
}

static void
an_order_of_an_issue_that_is_not_here_has_a_result(void)
{
	begin("1000 4 over\n");
	comes(5);
	turn();
	is_text(result("order"), "id-5");
	is_text(result("message"), "no project there has it");
	is_text(scratch_text("paneward/fleet-orders"), "1000 5 over\n");
	requests_free(requests);
}

static void
an_order_is_taken_once(void)
{
	begin("1000 5 over\n");
	comes(5);
	turn();
	ok(sent == NULL);
	requests_free(requests);
}

static void
an_order_whose_agent_ended_is_not_run_again(void)
{
	begin("1000 5 begun\n");
	comes(5);
	turn();
	is_text(result("order"), "id-5");
	ok(strstr(result("message"), "ended while it ran") != NULL);
	is_text(scratch_text("paneward/fleet-orders"), "1000 5 over\n");
	requests_free(requests);
}

/* The one that was begun is no longer in the stream. */
static void
the_next_order_is_not_taken_for_the_one_that_was_begun(void)
{
	begin("1000 5 begun\n");
	comes(6);
	turn();
	is_text(result("order"), "id-6");
	is_text(result("message"), "no project there has it");
	is_text(scratch_text("paneward/fleet-orders"), "1000 6 over\n");
	requests_free(requests);
}

static void
orders_from_before_the_first_agent_are_left_alone(void)
{
	newest = 9;
	begin(NULL);
	requests_free(requests);
	unlinkat(scratch_fd, "paneward/fleet-orders", 0);
	newest = 9;
	requests = requests_new("/bin/echo", "alpha", &loop);
	is_number(requests_follow(requests, NULL, 1, 1000,
	    &(struct buf)BUF_INIT), 0);
	comes(9);
	turn();
	ok(sent == NULL);
	comes(10);
	turn();
	is_text(result("order"), "id-10");
	requests_free(requests);
}

/* More than are kept wait in the stream, and come again when there is room. */
static void
no_order_of_many_is_lost(void)
{
	uint64_t n, next = 5;
	unsigned before;

	begin("1000 4 over\n");
	for (n = 5; n < 255; n++)
		comes(n);
	while (next < 255) {
		before = follows;
		turn();
		if (follows != before) {
			for (n = 5; n < 255; n++)
				comes(n);
			turn();
		}
		if (result("order") == NULL ||
		    strtoull(result("order") + 3, NULL, 10) != next)
			break;
		next++;
	}
	is_number(next, 255);
	requests_free(requests);
}

static void
what_is_no_order_is_skipped(void)
{
	struct link_message m = { .data = (char *)(uintptr_t)"{}", .len = 2,
	    .sequence = 5, .subject = (char *)(uintptr_t)
	    "paneward.beta._order.alpha" };

	begin("1000 4 over\n");
	requests_take(requests, &m);
	turn();
	ok(sent == NULL);
	requests_free(requests);
}

int
main(void)
{
	scratch_begin();
	TEST(an_order_of_an_issue_that_is_not_here_has_a_result);
	TEST(an_order_is_taken_once);
	TEST(an_order_whose_agent_ended_is_not_run_again);
	TEST(the_next_order_is_not_taken_for_the_one_that_was_begun);
	TEST(orders_from_before_the_first_agent_are_left_alone);
	TEST(no_order_of_many_is_lost);
	TEST(what_is_no_order_is_skipped);
	scratch_end();
	return tap_done();
}
