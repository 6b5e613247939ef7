/*
 * What must hold of any pane log, whatever the marker: the answer of a scan
 * does not depend on how the log is cut, whether quiet parts are skipped, or
 * where a scan went on from the state of another.
 *
 * The first byte of an input chooses the markers, the rest is the log.
 */
#include "fuzz/fuzz.h"
#include "marker/marker.h"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";

static const struct {
	const char *run, *custom;
} choices[] = {
	{ NULL, NULL }, { RUN, NULL }, { RUN, "#DONE#" }, { NULL, "a" },
	{ NULL, "###" }, { NULL, "\xe5\xae\x8c\xe4\xba\x86 ok" },
	{ RUN, "``` done" }, { NULL, "==" },
};

enum { CHOICES = sizeof(choices) / sizeof(choices[0]) };

/* The result of a scan. */
struct answer {
	struct marker_hits  hits;
	struct marker_state state;
	struct buf          message;
};

static struct answer
finish(struct marker_scan *scan)
{
	struct answer a = { .message = BUF_INIT };

	marker_scan_rest(scan);
	a.state = scan->begin;
	a.hits = marker_scan_hits(scan, true);
	if (a.hits.error > 0)
		marker_scan_message(scan, &a.message);
	assert(a.message.len <= 4 * MARKER_MESSAGE_MAX);
	marker_scan_free(scan);
	return a;
}

static bool
same_hits(const struct marker_hits *a, const struct marker_hits *b)
{
	return a->complete == b->complete && a->error == b->error &&
	    a->bound_complete == b->bound_complete &&
	    a->bound_error == b->bound_error && a->stale == b->stale;
}

static void
check_same(struct answer *a, struct answer *b)
{
	assert(same_hits(&a->hits, &b->hits));
	assert(a->message.len == b->message.len);
	assert(strcmp(buf_str(&a->message), buf_str(&b->message)) == 0);
	buf_release(&b->message);
}

static void
check_same_state(const struct marker_state *a, const struct marker_state *b)
{
	assert(a->offset == b->offset);
	assert(same_hits(&a->hits, &b->hits));
	assert(a->fence.mark == b->fence.mark &&
	    a->fence.len == b->fence.len);
	assert(a->want_message == b->want_message);
}

static struct answer
scan_in_pieces(const struct marker_set *set, const char *log, size_t len,
    size_t piece)
{
	struct marker_scan *scan = marker_scan_new(set, NULL);
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = piece < len - i ? piece : len - i;
		marker_scan_feed(scan, log + i, n);
	}
	assert(scan->now.offset == len);
	return finish(scan);
}

/* Removes the parts that a search does not return. */
static struct answer
scan_by_search(const struct marker_set *set, const char *log, size_t len,
    size_t piece)
{
	struct marker_scan *scan = marker_scan_new(set, NULL);
	size_t i, n, fed = 0;

	for (i = 0; i < len; i += n) {
		n = piece < len - i ? piece : len - i;
		if ((fed < i || marker_scan_idle(scan)) &&
		    marker_set_search(set, log + i, n) == n)
			continue;
		marker_scan_feed(scan, log + fed, i + n - fed);
		fed = i + n;
	}
	return finish(scan);
}

/* Stops in the middle and goes on from the state of the first scan. */
static struct answer
scan_resumed(const struct marker_set *set, const char *log, size_t len,
    size_t middle)
{
	struct marker_scan *scan = marker_scan_new(set, NULL);
	struct marker_state state;
	struct buf first = BUF_INIT;
	unsigned errors;
	struct answer a;

	marker_scan_feed(scan, log, middle);
	state = scan->begin;
	errors = state.hits.error;
	if (errors > 0)
		marker_scan_message(scan, &first);
	marker_scan_free(scan);
	scan = marker_scan_new(set, &state);
	marker_scan_feed(scan, log + state.offset, len - state.offset);
	a = finish(scan);
	if (a.hits.error == errors && !state.want_message) {
		buf_release(&a.message);
		a.message = first;
	} else {
		buf_release(&first);
	}
	return a;
}

static void
check_scan(const struct marker_set *set, const char *log, size_t len)
{
	static const size_t pieces[] = { 1, 2, 5, 64, 4096 };
	struct answer whole = scan_in_pieces(set, log, len, len + 1), a;
	size_t i;

	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		a = scan_in_pieces(set, log, len, pieces[i]);
		check_same_state(&whole.state, &a.state);
		check_same(&whole, &a);
		a = scan_by_search(set, log, len, pieces[i]);
		check_same(&whole, &a);
		a = scan_resumed(set, log, len, len * i / 5);
		check_same(&whole, &a);
	}
	buf_release(&whole.message);
}

/* Asking early never makes a line count that would not, backspaces aside. */
static void
check_asking(const struct marker_set *set, const char *log, size_t len)
{
	struct marker_scan *scan = marker_scan_new(set, NULL);
	struct answer quiet = scan_in_pieces(set, log, len, len + 1), asked;
	bool moved = memchr(log, '\b', len) != NULL;
	size_t i, seldom = 1 + len / 1000;

	for (i = 0; i < len; i++) {
		marker_scan_feed(scan, log + i, 1);
		if (i % seldom != 0)
			continue;
		marker_scan_hits(scan, false);
		marker_scan_waits(scan);
	}
	asked = finish(scan);
	assert(moved || same_hits(&quiet.hits, &asked.hits));
	buf_release(&quiet.message);
	buf_release(&asked.message);
}

static void
check_window(const struct marker_set *set, const char *log, size_t len)
{
	struct buf message = BUF_INIT;
	struct marker_hits hits = marker_window(set, log, len, &message);

	assert((hits.error > 0) == (message.len > 0));
	assert(message.len <= 4 * MARKER_MESSAGE_MAX);
	assert(hits.bound_complete <= hits.complete);
	assert(hits.bound_error <= hits.error);
	buf_release(&message);
	/* No marker is invented. */
	if (hits.complete > 0 && memchr(log, '\b', len) == NULL &&
	    memchr(log, '\033', len) == NULL && set->custom[0] == '\0')
		assert(memmem(log, len, "###", 3) != NULL);
	marker_set_in(set, log, len);
}

static void
check(const char *text, size_t len)
{
	struct marker_set set;
	size_t choice;

	if (len < 2)
		return;
	choice = (unsigned char)text[0] % CHOICES;
	assert(marker_set_init(&set, "7", choices[choice].run,
	    choices[choice].custom) == 0);
	check_scan(&set, text + 1, len - 1);
	check_asking(&set, text + 1, len - 1);
	check_window(&set, text + 1, len - 1);
}
