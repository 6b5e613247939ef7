#include "fleet/farrows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "fleet/store.h"
#include "tap.h"

enum { DAY = 86400000 };

/* 04:00:00, of our clock; the server's is a year behind. */
#define START INT64_C(1763870400000)
static msec now, wall = START;
#define SERVER (wall - INT64_C(365) * DAY)

/* What was told: "far:/d/7 working, -far:/d/8, far:far 'not heard of ...'". */
static struct buf told;

static void
take_row(void *context, const struct row *r)
{
	(void)context;
	buf_adds(&told, told.len > 0 ? ", " : "");
	row_key(&told, r);
	if (r->problem != NULL)
		buf_printf(&told, " '%s'", r->problem);
	else
		buf_printf(&told, " %s%s", state_name(r->status.verdict.state),
		    r->unwatched != 0 ? "?" : "");
	if (r->version != NULL)
		buf_printf(&told, " (%s)", r->version);
}

static void
take_left(void *context, const char *key)
{
	(void)context;
	buf_printf(&told, "%s-%s", told.len > 0 ? ", " : "", key);
}

static void
tells(struct farrows *x, const char *want)
{
	buf_reset(&told);
	farrows_tell(x, wall, &(struct farrows_out){ take_row, take_left,
	    NULL });
	is_text(buf_str(&told), want);
}

static void
passes(msec time)
{
	now += time;
	wall += time;
}

static const char *
send(struct farrows *x, const char *subject, const char *data, msec age)
{
	char where[256], text[512];
	struct link_message m = { .subject = where, .data = text,
	    .gone = data == NULL, .time = SERVER - age };

	snprintf(where, sizeof(where), "$KV.PANEWARD_ROWS.%s", subject);
	snprintf(text, sizeof(text), "%s", data != NULL ? data : "");
	m.len = strlen(text);
	return farrows_take(x, &m, wall, now);
}

#define ROW(key, state) "{\"key\":\"/d/" key "\",\"issue\":\"" key \
	"\",\"run\":\"\",\"state\":\"" state "\"}"

static void
beat(struct farrows *x, const char *host, const char *version)
{
	char where[128], text[128];
	struct link_message m = { .subject = where, .data = text,
	    .gone = version == NULL, .time = SERVER };

	snprintf(where, sizeof(where), "$KV.PANEWARD_HOSTS.%s", host);
	snprintf(text, sizeof(text), "{\"version\":\"%s\"}",
	    version != NULL ? version : "");
	m.len = strlen(text);
	farrows_host(x, &m, wall);
}

/* The server has these hosts, one or none. */
static void
ask(struct farrows *x, const char *host)
{
	farrows_ask(x);
	if (host != NULL && !farrows_there(x, host, wall))
		beat(x, host, VERSION);
	farrows_asked(x, SERVER - DAY, wall, now);
}

static struct farrows *
begin(const char *there, uint64_t messages)
{
	struct farrows *x = farrows_new(&(struct farrows_how){ .own = "own",
	    .keep = 30 * (msec)DAY });

	wall = START;
	farrows_clock(x, SERVER, now);
	ask(x, there);
	farrows_begin(x, messages);
	return x;
}

/* The same with a row at work, or two, which were told. */
static struct farrows *
begin_working(unsigned rows)
{
	struct farrows *x = begin("far", rows);

	send(x, "far.a", ROW("7", "working"), 5000);
	if (rows > 1)
		send(x, "far.b", ROW("8", "working"), 5000);
	tells(x, rows > 1 ? "far:/d/7 working, far:/d/8 working" :
	    "far:/d/7 working");
	return x;
}

static void
nothing_is_told_before_all_have_come(void)
{
	struct farrows *x = begin("far", 2);

	tells(x, "");
	send(x, "far.a", ROW("7", "working"), 5000);
	ok(!farrows_whole(x));
	tells(x, "");
	send(x, "own.a", ROW("9", "working"), 5000);
	ok(farrows_whole(x));
	tells(x, "far:/d/7 working");
	tells(x, "");
	farrows_free(x);
	x = begin(NULL, 0);
	ok(farrows_whole(x));
	tells(x, "");
	farrows_free(x);
}

static void
what_changes_and_what_leaves_is_told_once(void)
{
	struct farrows *x = begin_working(2);

	send(x, "far.a", ROW("7", "asking"), 0);
	tells(x, "far:/d/7 asking");
	send(x, "far.b", NULL, 0);
	tells(x, "-far:/d/8");
	send(x, "far.c", NULL, 0);
	tells(x, "");
	send(x, "far.a", ROW("9", "asking"), 0);
	tells(x, "-far:/d/7, far:/d/9 asking");
	farrows_free(x);
}

static void
rows_that_do_not_come_again_have_left(void)
{
	struct farrows *x = begin_working(2);

	farrows_begin(x, 1);
	tells(x, "");
	send(x, "far.b", ROW("8", "working"), 5000);
	tells(x, "-far:/d/7, far:/d/8 working");
	farrows_begin(x, 0);
	tells(x, "-far:/d/8");
	farrows_free(x);
}

static void
a_host_that_is_not_heard_of_keeps_its_rows(void)
{
	struct farrows *x = begin_working(1);

	passes(2 * STORE_GONE);         /* 04:01:10 */
	ask(x, "far");
	tells(x, "");
	passes(STORE_BEAT);
	ask(x, NULL);
	tells(x, "far:/d/7 working?, far:far 'not heard of since 04:00'");
	passes(STORE_BEAT);
	ask(x, NULL);
	tells(x, "far:far 'not heard of since 04:00'");
	passes(STORE_GONE);
	ask(x, "far");
	tells(x, "far:/d/7 working, -far:far");
	passes(STORE_BEAT);
	ask(x, NULL);
	tells(x, "far:/d/7 working?, far:far 'not heard of since 04:01'");
	send(x, "far.a", ROW("7", "asking"), 0);
	tells(x, "far:/d/7 asking, -far:far");
	farrows_free(x);
}

static void
one_that_ended_in_order_leaves_nothing(void)
{
	struct farrows *x = begin_working(1);

	send(x, "far.a", NULL, 0);
	passes(2 * STORE_GONE);
	ask(x, NULL);
	tells(x, "-far:/d/7");
	farrows_free(x);
}

static void
of_one_that_was_never_met_the_newest_row_is_known(void)
{
	struct farrows *x = begin(NULL, 1);

	send(x, "far.a", ROW("7", "working"), 3600000);
	tells(x, "far:/d/7 working?, far:far "
	    "'not heard of; its newest row is of 03:00'");
	passes(29 * (msec)DAY);
	ask(x, NULL);
	tells(x, "far:far 'not heard of; its newest row is of Nov 23 03:00'");
	passes(2 * (msec)DAY);
	ask(x, NULL);
	tells(x, "-far:/d/7, -far:far");
	ask(x, "far");
	tells(x, "far:/d/7 working");
	farrows_free(x);
}

static void
a_new_bucket_of_hosts_loses_none(void)
{
	struct farrows *x = begin_working(1);

	passes(2 * STORE_GONE);
	farrows_ask(x);
	farrows_asked(x, SERVER - STORE_BEAT, wall, now);
	tells(x, "");
	farrows_free(x);
}

static void
while_the_server_is_away_nothing_is_watched(void)
{
	struct farrows *x = begin_working(1);

	farrows_away(x, wall);
	tells(x, "far:/d/7 working?");
	farrows_away(x, 0);
	tells(x, "far:/d/7 working");
	farrows_free(x);
}

static void
another_version_is_told(void)
{
	struct farrows *x = begin(NULL, 1);

	farrows_ask(x);
	ok(!farrows_there(x, "far", wall));
	beat(x, "far", "0.0.1\\u001b[31m");
	ok(farrows_there(x, "far", wall));
	farrows_asked(x, SERVER - DAY, wall, now);
	send(x, "far.a", ROW("7", "working"), 5000);
	tells(x, "far:/d/7 working (0.0.1\\x1b[31m)");
	beat(x, "far", VERSION);
	tells(x, "far:/d/7 working");
	farrows_free(x);
}

static void
what_is_no_row_is_skipped_and_named_once(void)
{
	struct farrows *x = begin("far", 0);
	char subject[200];

	ok(send(x, "far.a", ROW("7", "working"), 0) == NULL);
	is_text(send(x, "far.b", "{}", 0), "far");
	ok(send(x, "far.b", "x", 0) == NULL);
	is_text(send(x, "dim.a", "{\"key\":\"k\",\"issue\":null,\"run\":\"\","
	    "\"state\":\"none\",\"problem\":\"x\"}", 0), "dim");
	is_text(send(x, "lit", ROW("7", "working"), 0), "lit");
	ok(send(x, "", ROW("7", "working"), 0) == NULL);
	memset(subject, 'a', sizeof(subject));
	memcpy(subject, "far.", 4);
	subject[100] = '\0';
	ok(send(x, subject, ROW("7", "working"), 0) == NULL);
	ok(send(x, "a b.a", ROW("7", "working"), 0) == NULL);
	tells(x, "far:/d/7 working");
	farrows_free(x);
}

static void
only_hosts_that_are_asked_for_are_shown(void)
{
	char far[] = "far", *only[] = { far, NULL };
	struct farrows *x = farrows_new(&(struct farrows_how){ .own = "own",
	    .only = only, .keep = DAY });

	farrows_begin(x, 2);
	send(x, "far.a", ROW("7", "working"), 0);
	send(x, "dim.a", ROW("7", "working"), 0);
	tells(x, "far:/d/7 working");
	farrows_free(x);
}

int
main(void)
{
	setenv("TZ", "UTC", 1);
	TEST(nothing_is_told_before_all_have_come);
	TEST(what_changes_and_what_leaves_is_told_once);
	TEST(rows_that_do_not_come_again_have_left);
	TEST(a_host_that_is_not_heard_of_keeps_its_rows);
	TEST(one_that_ended_in_order_leaves_nothing);
	TEST(of_one_that_was_never_met_the_newest_row_is_known);
	TEST(a_new_bucket_of_hosts_loses_none);
	TEST(while_the_server_is_away_nothing_is_watched);
	TEST(another_version_is_told);
	TEST(what_is_no_row_is_skipped_and_named_once);
	TEST(only_hosts_that_are_asked_for_are_shown);
	return tap_done();
}
