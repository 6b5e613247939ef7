/*
 * The server is a list of messages, and what it answers to the next look.
 */
#include "fakeopen.h"
#include "queue/lines.h"
#include "story.h"

enum { DAY = 86400000, SENT = 16 };

/* 04:00:00, of our clock; the server's is a year behind. */
#define START INT64_C(1763870400000)
static msec now, wall = START;
#define SERVER (wall - INT64_C(365) * DAY)

/* ---- the server ---------------------------------------------------------- */

static struct link_message sent[SENT];  /* of rows, and not taken yet */
static size_t nsent;
static const char *version = VERSION;   /* of the host that is there */
static uint64_t messages;               /* there, for one that follows */
static bool up;

bool
link_up(const struct link *l)
{
	(void)l;
	return up;
}

int
link_why(struct link *l, natsStatus s, struct buf *why)
{
	(void)l, (void)s;
	buf_adds(why, "gone");
	return -1;
}

int
link_follow(struct link *l, enum store which, const char *keys,
    enum link_from from, struct buf *why)
{
	(void)l, (void)keys, (void)why;
	ok(which == STORE_ROWS && from == LINK_LAST);
	return 0;
}

int
link_began(struct link *l, uint64_t *n, msec *time, struct buf *why)
{
	(void)l, (void)why;
	*n = messages;
	*time = SERVER;
	return 0;
}

void
link_read(struct link *l, link_take *take, void *context)
{
	size_t i;

	(void)l;
	for (i = 0; i < nsent; i++) {
		take(context, &sent[i]);
		free(sent[i].subject);
		free(sent[i].data);
	}
	nsent = 0;
}

int
store_keys(struct link *l, enum store which, void (*take)(void *,
    const char *key), void *context, struct buf *why)
{
	(void)l, (void)why;
	if (fake_buckets[which].keys[0].name[0] != '\0')
		take(context, fake_buckets[which].keys[0].name);
	return 0;
}

/* This host is there, none by "-". */
static void
host_is(const char *name)
{
	char *text = xasprintf("{\"version\":\"%s\"}", version);

	fake_now = SERVER;
	fake_buckets[STORE_HOSTS].keys[0].name[0] = '\0';
	if (name[0] != '-')
		fake_put(STORE_HOSTS, name, text);
	free(text);
}

/* Only the command calls these. */

struct rowlines *
rowlines_new(bool json, struct loop *loop)
{
	(void)json, (void)loop;
	return NULL;
}

bool
rowlines_flush(struct rowlines *x, msec at)
{
	(void)x, (void)at;
	return false;
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
	ok(lines_key(&key, line, len) && row_parse(&r, line, len));
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

/* ---- what happens -------------------------------------------------------- */

static struct farrows *x, *kept[64];    /* no program frees one */

static void
turn(void)
{
	farrows_turn(x, NULL, wall, now);
}

/* A message that is so old; without data, its row was deleted. */
static void
send(const char *subject, const char *data, long age)
{
	sent[nsent++] = (struct link_message){
	    .subject = xasprintf("$KV.PANEWARD_ROWS.%s", subject),
	    .data = xstrdup(data != NULL ? data : ""),
	    .len = data != NULL ? strlen(data) : 0, .gone = data == NULL,
	    .time = SERVER - age };
}

static void
send_row(const char *subject, const char *key, const char *state, long age)
{
	char *row = xasprintf("{'key':'/d/%s','issue':'%s','run':'',"
	    "'state':'%s'}", key, key, state);

	send(subject, quoted(row), age);
	free(row);
}

static void
begin(void)
{
	static size_t n;

	lines_release(&known);
	kept[n++] = x = farrows_new(&fake_link, NULL);
	wall = START;
	version = VERSION;
	fake_calls = 0;
	fake_buckets[STORE_HOSTS].made = SERVER - DAY;
}

/*
 * connect HOST ROWS	that host is there, or "-", and such rows come
 * row SUBJECT KEY STATE AGE, raw SUBJECT DATA, large SUBJECT, gone SUBJECT
 * pass TIMES MSEC	time passes
 * ask HOST		the server is asked again, and has this host
 * away, anew		so is the server; its bucket of hosts is another one
 * version TEXT		of the host
 * asked TIMES		what hosts say of themselves
 * tells CHANGES	a turn tells them
 */
static bool
step(const char *s)
{
	char to[80] = "", key[32], state[32], data[256], *row;
	long n = 0, time = 0;

	if (strncmp(s, "tells", 5) == 0) {
		turn();
		is_text(buf_str(&told), s + 5 + (s[5] == ' '));
		buf_reset(&told);
	} else if (sscanf(s, "row %79s %31s %31s %ld", to, key, state, &n) == 4)
		send_row(to, key, state, n);
	else if (sscanf(s, "raw %79s %255[^\n]", to, data) == 2)
		send(to, quoted(data), 0);
	else if (sscanf(s, "large %79s", to) == 1) {
		row = xasprintf("{'key':'/d/8','issue':'8','run':'',"
		    "'state':'working','x':'%0131072d'}", 0);
		send(to, quoted(row), 0);
		free(row);
	} else if (sscanf(s, "gone %79s", to) == 1)
		send(to, NULL, 0);
	else if (sscanf(s, "pass %ld %ld", &n, &time) == 2) {
		now += n * time;
		wall += n * time;
	} else if (sscanf(s, "asked %ld", &n) == 1)
		is_number(fake_calls, n);
	else if (sscanf(s, "ask %79s", to) == 1) {
		now += STORE_BEAT;
		wall += STORE_BEAT;
		host_is(to);
		turn();
	} else if (strcmp(s, "away") == 0)
		up = false;
	else if (strcmp(s, "anew") == 0)
		fake_buckets[STORE_HOSTS].made = SERVER;
	else if (strncmp(s, "version ", 8) == 0)
		version = s + 8;
	else if (sscanf(s, "connect %79s %ld", to, &n) == 2) {
		host_is(to);
		fake_link.connects++;
		messages = (uint64_t)n;
		up = true;
		turn();
	} else
		is_text(s, "a step");
	return true;
}

/* A row at work, or two, which were told. */
#define ONE "connect far 1", "row far.a 7 working 5000", \
	"tells far:/d/7 working"
#define TWO "connect far 2", "row far.a 7 working 5000", \
	"row far.b 8 working 5000", "tells far:/d/7 working, far:/d/8 working"
#define DAYS " 86400000"
#define GONE_2 "pass 2 35000"           /* twice STORE_GONE: 04:01:10 */
#define AWAY "away", "tells fleet:server 'the fleet's server box: gone'"

TEST(rows_of_other_hosts_are_told_as_they_change) {
	static const struct story stories[] = {
		{ "nothing is told before all have come", { "connect far 2",
		    "tells", "row far.a 7 working 5000", "tells",
		    "row own.a 9 working 5000", "tells far:/d/7 working",
		    "tells" } },
		{ "there may be none", { "connect - 0", "tells" } },
		{ "what changes and what leaves is told once", { TWO,
		    "row far.a 7 asking 0", "tells far:/d/7 asking",
		    "gone far.b", "tells -far:/d/8", "gone far.c", "tells",
		    "row far.a 9 asking 0", "tells far:/d/9 asking, -far:/d/7"
		} },
		{ "rows that do not come again have left", { TWO,
		    "connect far 1", "tells", "row far.b 8 working 5000",
		    "tells -far:/d/7", "connect far 0", "tells -far:/d/8" } },
		{ "a host that is not heard of keeps its rows", { ONE, GONE_2,
		    "ask far", "tells", "ask -", "tells far:/d/7 working?, "
		    "far:far 'not heard of since 04:00'", "ask -", "tells",
		    "pass 1 35000", "ask far",
		    "tells far:/d/7 working, -far:far", "ask -",
		    "tells far:/d/7 working?, "
		    "far:far 'not heard of since 04:01'",
		    "row far.a 7 asking 0", "tells far:/d/7 asking, -far:far"
		} },
		{ "of one that was never met the newest row is known", {
		    "connect - 1", "row far.a 7 working 3600000",
		    "tells far:/d/7 working?, far:far "
		    "'not heard of; its newest row is of 03:00'",
		    "pass 29" DAYS, "ask -", "tells far:far "
		    "'not heard of; its newest row is of Nov 23 03:00'",
		    "pass 2" DAYS, "ask -", "tells -far:/d/7, -far:far",
		    "ask far", "tells far:/d/7 working" } },
		{ "a new bucket of hosts loses none", { ONE, GONE_2, "anew",
		    "ask -", "tells" } },
		{ "while the server is away nothing is watched", { ONE, AWAY,
		    "ask -", "tells", "pass 1 35000", "ask -",
		    "tells far:/d/7 working?", "connect far 1",
		    "row far.a 7 working 5000",
		    "tells far:/d/7 working, -fleet:server" } },
		{ "it may go at once", { "connect far 1", AWAY } },
		{ "another version is told", { "connect - 1",
		    "version 0.0.1\\u001b[31m", "ask far",
		    "row far.a 7 working 5000",
		    "tells far:/d/7 working (0.0.1)", "ask far", "asked 1",
		    "version " VERSION, GONE_2, "ask -",
		    "tells far:/d/7 working? (0.0.1), "
		    "far:far 'not heard of since 04:00'", "ask far", "asked 2",
		    "tells far:/d/7 working, -far:far" } },
		/* A reader of lines would give up all of them. */
		{ "a row that is too large is skipped", { ONE, "large far.b",
		    "tells" } },
	};

	is_number(STORE_GONE, 35000);
	TELL(stories, begin, step);
}

/* farrows_read() warns of them, once for each host. */
TEST(what_is_no_row_is_skipped_and_named_once) {
	static const struct story stories[] = { { "no rows", { "connect far 0",
	    "row far.a 7 working 0", "raw far.b {}", "raw far.b x",
	    "raw dim.a {'key':'k','issue':null,'run':'','state':'none',"
	    "'problem':'x'}", "raw lit. {}", "row nil 7 working 0",
	    "row .a 7 working 0", "row a+b.a 7 working 0",
	    "row far.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaa 7 working 0", "tells far:/d/7 working" } } };
	int err = divert(STDERR_FILENO, "err");

	TELL(stories, begin, step);
	divert_back(STDERR_FILENO, err);
	is_text(scratch_text("err"),
	    "paneward: host 'far' sends a line that is no row; skipping "
	    "it\npaneward: host 'dim' sends a line that is no row; skipping "
	    "it\npaneward: host 'lit' sends a line that is no row; skipping "
	    "it\n");
}

/* It may name a key and a host, also behind its own. */
TEST(a_host_shows_no_row_as_another_one) {
	static const struct story stories[] = { { "a key", { "connect far 1",
	    "raw far.a {'key':'/d/7','issue':'7','run':'','state':'working',"
	    "'host':'dim','unwatched':null,"
	    "'z':{'key':'dim:/d/7','host':'dim'}}",
	    "tells far:dim:/d/7 working" } } };

	TELL(stories, begin, step);
	contains(known.line[0].text,
	    ",\"key\":\"far:dim:/d/7\",\"host\":\"far\"}");
}

BEFORE_TESTS {
	static char own[] = "own", box[] = "box", *servers[] = { box, NULL };

	fake_rules = (struct fleetrules){ .host = own, .servers = servers,
	    .keep_days = 30 };
	setenv("TZ", "UTC", 1);
}
