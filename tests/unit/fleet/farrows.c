/*
 * The server is a list of messages, and what it answers to the next look.
 */
#include "fleet/wire/wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "queue/lines.h"
#include "tap.h"

enum { DAY = 86400000, SENT = 16 };

/* 04:00:00, of our clock; the server's is a year behind. */
#define START INT64_C(1763870400000)
static msec now, wall = START;
#define SERVER (wall - INT64_C(365) * DAY)

/* ---- the server ---------------------------------------------------------- */

static struct link_message sent[SENT];  /* of rows, and not taken yet */
static size_t nsent;
static const char *host;                /* which is there; NULL */
static const char *version;             /* of it */
static uint64_t messages;               /* there, for one that follows */
static bool up;
static msec made;                       /* the bucket of hosts, ago */

static char own[] = "own", box[] = "box", *servers[] = { box, NULL };
static const struct fleetrules rules = { .host = own, .servers = servers,
	.keep_days = 30 };
static struct link server = { .rules = &rules };

bool
link_up(const struct link *l)
{
	(void)l;
	return up;
}

int
link_why(struct link *l, natsStatus s, struct buf *why)
{
	(void)l;
	(void)s;
	buf_adds(why, "gone");
	return -1;
}

int
link_follow(struct link *l, enum store which, const char *keys,
    enum link_from from, struct buf *why)
{
	(void)l;
	(void)keys;
	(void)why;
	is_number(which, STORE_ROWS);
	is_number(from, LINK_LAST);
	return 0;
}

int
link_began(struct link *l, uint64_t *n, msec *time, struct buf *why)
{
	(void)l;
	(void)why;
	*n = messages;
	*time = SERVER;
	return 0;
}

/* ---- what only the command needs ------------------------------------------- */

struct link *
fleet_open(struct context *c, const char *dir, bool stay)
{
	(void)c;
	(void)dir;
	(void)stay;
	return NULL;
}

void
link_close(struct link *l)
{
	(void)l;
}

struct rowlines *
rowlines_new(bool json, struct loop *loop)
{
	(void)json;
	(void)loop;
	return NULL;
}

bool
rowlines_flush(struct rowlines *x, msec at)
{
	(void)x;
	(void)at;
	return false;
}

struct link_message *
link_next(struct link *l)
{
	static struct link_message m;

	(void)l;
	if (nsent == 0)
		return NULL;
	m = sent[0];
	memmove(sent, sent + 1, --nsent * sizeof(*sent));
	return &m;
}

void
link_message_free(struct link_message *m)
{
	free(m->subject);
	free(m->data);
}

const struct store_kind stores[STORES] = {
	[STORE_ROWS] = { .prefix = "$KV.PANEWARD_ROWS." },
	[STORE_HOSTS] = { .prefix = "$KV.PANEWARD_HOSTS." },
};

int
store_open(struct link *l, enum store which, struct store_look *look,
    struct buf *why)
{
	(void)l;
	(void)why;
	look->made = which == STORE_ROWS ? 1 : SERVER - made;
	return 0;
}

int
store_keys(struct link *l, enum store which, void (*take)(void *,
    const char *key), void *context, struct buf *why)
{
	(void)l;
	(void)why;
	is_number(which, STORE_HOSTS);
	if (host != NULL)
		take(context, host);
	return 0;
}

static unsigned asked;                  /* what hosts say of themselves */

int
store_each(struct link *l, enum store which, const char *keys,
    link_take *take, void *context, struct buf *why)
{
	char *subject = xasprintf("$KV.PANEWARD_HOSTS.%s", host);
	char *data = xasprintf("{\"version\":\"%s\"}", version);

	(void)l;
	(void)keys;
	(void)why;
	is_number(which, STORE_HOSTS);
	asked++;
	take(context, &(struct link_message){ .subject = subject,
	    .data = data, .len = strlen(data), .time = SERVER });
	free(subject);
	free(data);
	return 0;
}

/* ---- what is told -------------------------------------------------------- */

/* The changes: "far:/d/7 working, -far:/d/8, far:far 'not heard of ...'". */
static struct buf told;
static struct lines known;              /* the note is what was told */

void
rowlines_row(struct rowlines *x, const char *line, size_t len)
{
	struct buf key = BUF_INIT, text = BUF_INIT;
	struct line *l;
	struct row r;

	(void)x;
	ok(lines_key(&key, line, len));
	ok(row_parse(&r, line, len));
	ok(strncmp(buf_str(&key), r.host, strlen(r.host)) == 0);
	ok(!row_needs(&r) || r.problem == NULL);
	l = lines_set(&known, buf_str(&key), line, len, 0);
	if (r.problem != NULL)
		buf_printf(&text, " '%s'", r.problem);
	else
		buf_printf(&text, " %s%s", state_name(r.status.verdict.state),
		    r.unwatched != 0 ? "?" : "");
	if (r.version != NULL)
		buf_printf(&text, " (%s)", r.version);
	if (l->note == NULL || strcmp(l->note, buf_str(&text)) != 0)
		buf_printf(&told, "%s%s%s", told.len > 0 ? ", " : "",
		    buf_str(&key), buf_str(&text));
	free(l->note);
	l->note = buf_steal(&text);
	row_release(&r);
	buf_release(&key);
}

void
rowlines_whole(struct rowlines *x)
{
	struct line *l;

	(void)x;
	while ((l = lines_old(&known)) != NULL) {
		buf_printf(&told, "%s-%s", told.len > 0 ? ", " : "", l->key);
		lines_drop(&known, l);
	}
	known.round++;
}

static void
tells(struct farrows *x, const char *want)
{
	farrows_turn(x, NULL, wall, now);
	is_text(buf_str(&told), want);
	buf_reset(&told);
}

/* All of them, which no program frees. */
struct farrows *kept[64];

static void
end(struct farrows *x)
{
	static size_t n;

	kept[n++] = x;
	lines_release(&known);
	buf_reset(&told);
}

static void
passes(msec time)
{
	now += time;
	wall += time;
}

static void
send(const char *subject, const char *data, msec age)
{
	sent[nsent++] = (struct link_message){
	    .subject = xasprintf("$KV.PANEWARD_ROWS.%s", subject),
	    .data = xstrdup(data != NULL ? data : ""),
	    .len = data != NULL ? strlen(data) : 0, .gone = data == NULL,
	    .time = SERVER - age };
}

#define A_ROW(key, state) "{\"key\":\"/d/" key "\",\"issue\":\"" key \
	"\",\"run\":\"\",\"state\":\"" state "\"}"

/* It is asked again, and has these hosts: one, or none. */
static void
ask(struct farrows *x, const char *there)
{
	host = there;
	passes(STORE_BEAT);
	farrows_turn(x, NULL, wall, now);
}

/* All rows come again: so many. */
static void
connect(struct farrows *x, const char *there, uint64_t rows)
{
	server.connects++;
	messages = rows;
	host = there;
	up = true;
	farrows_turn(x, NULL, wall, now);
}

static struct farrows *
begin(const char *there, uint64_t rows)
{
	struct farrows *x = farrows_new(&server, NULL);

	wall = START;
	made = DAY;
	version = VERSION;
	connect(x, there, rows);
	return x;
}

/* The same with a row at work, or two, which were told. */
static struct farrows *
begin_working(unsigned rows)
{
	struct farrows *x = begin("far", rows);

	send("far.a", A_ROW("7", "working"), 5000);
	if (rows > 1)
		send("far.b", A_ROW("8", "working"), 5000);
	tells(x, rows > 1 ? "far:/d/7 working, far:/d/8 working" :
	    "far:/d/7 working");
	return x;
}

TEST(nothing_is_told_before_all_have_come) {
	struct farrows *x = begin("far", 2);

	tells(x, "");
	send("far.a", A_ROW("7", "working"), 5000);
	tells(x, "");
	send("own.a", A_ROW("9", "working"), 5000);
	tells(x, "far:/d/7 working");
	tells(x, "");
	end(x);
	x = begin(NULL, 0);
	tells(x, "");
	end(x);
}

TEST(what_changes_and_what_leaves_is_told_once) {
	struct farrows *x = begin_working(2);

	send("far.a", A_ROW("7", "asking"), 0);
	tells(x, "far:/d/7 asking");
	send("far.b", NULL, 0);
	tells(x, "-far:/d/8");
	send("far.c", NULL, 0);
	tells(x, "");
	send("far.a", A_ROW("9", "asking"), 0);
	tells(x, "far:/d/9 asking, -far:/d/7");
	end(x);
}

TEST(rows_that_do_not_come_again_have_left) {
	struct farrows *x = begin_working(2);

	connect(x, "far", 1);
	tells(x, "");
	send("far.b", A_ROW("8", "working"), 5000);
	tells(x, "-far:/d/7");
	connect(x, "far", 0);
	tells(x, "-far:/d/8");
	end(x);
}

TEST(a_host_that_is_not_heard_of_keeps_its_rows) {
	struct farrows *x = begin_working(1);

	passes(2 * STORE_GONE);         /* 04:01:10 */
	ask(x, "far");
	tells(x, "");
	ask(x, NULL);
	tells(x, "far:/d/7 working?, far:far 'not heard of since 04:00'");
	ask(x, NULL);
	tells(x, "");
	passes(STORE_GONE);
	ask(x, "far");
	tells(x, "far:/d/7 working, -far:far");
	ask(x, NULL);
	tells(x, "far:/d/7 working?, far:far 'not heard of since 04:01'");
	send("far.a", A_ROW("7", "asking"), 0);
	tells(x, "far:/d/7 asking, -far:far");
	end(x);
}

TEST(one_that_ended_in_order_leaves_nothing) {
	struct farrows *x = begin_working(1);

	send("far.a", NULL, 0);
	passes(2 * STORE_GONE);
	ask(x, NULL);
	tells(x, "-far:/d/7");
	end(x);
}

TEST(of_one_that_was_never_met_the_newest_row_is_known) {
	struct farrows *x = begin(NULL, 1);

	send("far.a", A_ROW("7", "working"), 3600000);
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
	end(x);
}

TEST(a_new_bucket_of_hosts_loses_none) {
	struct farrows *x = begin_working(1);

	passes(2 * STORE_GONE);
	made = STORE_BEAT;
	ask(x, NULL);
	tells(x, "");
	end(x);
}

TEST(while_the_server_is_away_nothing_is_watched) {
	struct farrows *x = begin_working(1);

	up = false;
	tells(x, "fleet:server 'the fleet's server box: gone'");
	ask(x, NULL);
	tells(x, "");
	passes(STORE_GONE);
	ask(x, NULL);
	tells(x, "far:/d/7 working?");
	connect(x, "far", 1);
	send("far.a", A_ROW("7", "working"), 5000);
	tells(x, "far:/d/7 working, -fleet:server");
	end(x);
	x = begin("far", 1);
	up = false;
	tells(x, "fleet:server 'the fleet's server box: gone'");
	end(x);
}

TEST(another_version_is_told) {
	struct farrows *x = begin(NULL, 1);

	asked = 0;
	version = "0.0.1\\u001b[31m";
	ask(x, "far");
	send("far.a", A_ROW("7", "working"), 5000);
	tells(x, "far:/d/7 working (0.0.1)");
	ask(x, "far");
	is_number(asked, 1);
	version = VERSION;
	passes(2 * STORE_GONE);
	ask(x, NULL);
	tells(x, "far:/d/7 working? (0.0.1), "
	    "far:far 'not heard of since 04:00'");
	ask(x, "far");
	is_number(asked, 2);
	tells(x, "far:/d/7 working, -far:far");
	end(x);
}

/* farrows_read() warns of them, once for each host. */
TEST(what_is_no_row_is_skipped_and_named_once) {
	struct farrows *x = begin("far", 0);
	char subject[200], text[512];
	int err = dup(STDERR_FILENO), pipes[2];
	ssize_t n;

	ok(pipe(pipes) == 0);
	dup2(pipes[1], STDERR_FILENO);
	send("far.a", A_ROW("7", "working"), 0);
	send("far.b", "{}", 0);
	send("far.b", "x", 0);
	send("dim.a", "{\"key\":\"k\",\"issue\":null,\"run\":\"\","
	    "\"state\":\"none\",\"problem\":\"x\"}", 0);
	send("lit.", "{}", 0);
	send("nil", A_ROW("7", "working"), 0);
	send("", A_ROW("7", "working"), 0);
	send("a b.a", A_ROW("7", "working"), 0);
	memset(subject, 'a', sizeof(subject));
	memcpy(subject, "far.", 4);
	subject[100] = '\0';
	send(subject, A_ROW("7", "working"), 0);
	tells(x, "far:/d/7 working");
	dup2(err, STDERR_FILENO);
	n = read(pipes[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	is_text(text,
	    "paneward: host 'far' sends what is no row; it is skipped\n"
	    "paneward: host 'dim' sends what is no row; it is skipped\n"
	    "paneward: host 'lit' sends what is no row; it is skipped\n");
	close(pipes[0]);
	close(pipes[1]);
	close(err);
	end(x);
}

/* A reader of lines would give up all of them. */
TEST(a_row_that_is_too_large_is_skipped) {
	struct farrows *x = begin_working(1);
	char *row = xasprintf("{\"key\":\"/d/8\",\"issue\":\"8\",\"run\":\"\","
	    "\"state\":\"working\",\"x\":\"%0131072d\"}", 0);

	send("far.b", row, 0);
	tells(x, "");
	free(row);
	end(x);
}

/* It may name a key and a host, also behind its own. */
TEST(a_host_shows_no_row_as_another_one) {
	struct farrows *x = begin("far", 1);

	send("far.a", "{\"key\":\"/d/7\",\"issue\":\"7\",\"run\":\"\","
	    "\"state\":\"working\",\"host\":\"dim\",\"unwatched\":null,"
	    "\"z\":{\"key\":\"dim:/d/7\",\"host\":\"dim\"}}", 0);
	tells(x, "far:dim:/d/7 working");
	ok(strstr(known.line[0].text,
	    ",\"key\":\"far:dim:/d/7\",\"host\":\"far\"}") != NULL);
	end(x);
}

TEST(only_hosts_that_are_asked_for_are_shown) {
	char far[] = "far", *only[] = { far, NULL };
	struct farrows *x = farrows_new(&server, only);

	connect(x, "far", 2);
	send("far.a", A_ROW("7", "working"), 0);
	send("dim.a", A_ROW("7", "working"), 0);
	tells(x, "far:/d/7 working");
	end(x);
}

BEFORE_TESTS {
	setenv("TZ", "UTC", 1);
}
