#include "queue/row.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tap.h"

static struct row
row_in(enum state state, msec since)
{
	struct row r = { .alive = true };

	status_init(&r.status, "42");
	r.status.verdict.state = state;
	r.status.since = since;
	row_rate(&r);
	return r;
}

TEST(the_worst_comes_first_and_of_these_the_oldest) {
	static const struct { enum state state; msec since; } order[] = {
		{ STATE_ASKING, 5 }, { STATE_ASKING, 9 }, { STATE_ERROR, 1 },
		{ STATE_DEAD, 1 }, { STATE_GONE, 1 }, { STATE_STALLED, 1 },
		{ STATE_WAITING, 1 }, { STATE_COMPLETE, 1 },
		{ STATE_LIMITED, 1 }, { STATE_UNKNOWN, 1 },
		{ STATE_WORKING, 1 },
	};
	enum { N = sizeof(order) / sizeof(order[0]) };
	struct row rows[N], *sorted[N];
	size_t i;

	for (i = 0; i < N; i++) {
		rows[i] = row_in(order[i].state, order[i].since);
		sorted[N - 1 - i] = &rows[i];
	}
	qsort(sorted, N, sizeof(*sorted), row_compare);
	for (i = 0; i < N; i++)
		ok(sorted[i] == &rows[i]);
}

TEST(what_was_seen_and_is_settled_comes_last) {
	struct row asks = row_in(STATE_ASKING, 1);
	struct row waits = row_in(STATE_WAITING, 1);

	asks.seen = waits.seen = SEEN_ONCE;
	row_rate(&asks);
	row_rate(&waits);
	is_number(asks.rank, ROW_ASKING);
	is_number(waits.rank, ROW_SEEN);
	ok(row_needs(&asks) && !row_needs(&waits));
}

TEST(a_refused_handoff_is_worse_than_an_end) {
	struct row r = row_in(STATE_COMPLETE, 1);

	r.status.handoff.state = HANDOFF_REFUSED;
	row_rate(&r);
	is_number(r.rank, ROW_HANDOFF);
	r.seen = SEEN_ONCE;
	ok(!row_finished(&r));
	r.seen = SEEN_FORGOTTEN;
	ok(row_finished(&r));
}

TEST(a_run_that_is_over_leaves_once_it_was_seen) {
	struct row done = row_in(STATE_COMPLETE, 1);
	struct row failed = row_in(STATE_ERROR, 1);

	ok(!row_finished(&done));
	done.seen = failed.seen = SEEN_ONCE;
	ok(row_finished(&done));
	done.status.handoff.state = HANDOFF_PENDING;
	ok(!row_finished(&done));
	ok(!row_finished(&failed));
	failed.alive = false;
	ok(row_finished(&failed));
}

TEST(a_row_can_be_read_from_its_json) {
	struct row r = row_in(STATE_ASKING, 1000), got;
	struct buf text = BUF_INIT;

	r.pane = true;
	r.where = xstrdup("we ird:1.0");
	r.project = xstrdup("/src/app");
	verdict_why(&r.status.verdict, "it asks");
	row_json(&text, &r);
	ok(row_parse(&got, buf_str(&text), text.len));
	ok(got.pane);
	is_text(row_name(&got), "we ird:1.0");
	is_text(row_project(&got), "app");
	is_text(got.status.verdict.why, "it asks");
	is_number(got.rank, ROW_ASKING);
	is_number(got.status.since, 1000);
	row_release(&got);
	row_release(&r);
	buf_release(&text);
}

TEST(a_line_that_is_no_row_is_wrong) {
	static const char *const wrong[] = { "rubbish", "", "[]", "{}",
	    "{\"issue\":\"1\",\"run\":\"\"}",
	    "{\"key\":\"k\",\"issue\":\"../x\",\"run\":\"\"}",
	    "{\"key\":7,\"gone\":true}" };
	struct row got;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(!row_parse(&got, wrong[i], strlen(wrong[i])));
}

TEST(a_row_of_another_host_has_the_key_that_it_gave) {
	struct row r = row_in(STATE_ASKING, 1000), got;
	struct buf text = BUF_INIT;

	r.directory = xstrdup("/src/app/.status");
	row_json(&text, &r);
	ok(row_parse(&got, buf_str(&text), text.len));
	got.host = xstrdup("far");
	buf_reset(&text);
	row_key(&text, &got);
	is_text(buf_str(&text), "far:/src/app/.status/42");
	row_release(&got);
	row_release(&r);
	buf_release(&text);
}

TEST(what_has_a_problem_is_read_too) {
	struct row r = { .problem = xstrdup("tmux did not answer"),
	    .where = xstrdup("/tmp/tmux-0/default") }, got;
	struct buf text = BUF_INIT;

	status_init(&r.status, "");
	row_json(&text, &r);
	ok(row_parse(&got, buf_str(&text), text.len));
	is_text(got.problem, "tmux did not answer");
	is_text(row_name(&got), "/tmp/tmux-0/default");
	row_release(&got);
	row_release(&r);
	buf_release(&text);
}

TEST(hostile_text_of_another_host_holds_no_control) {
	static const char line[] = "{\"key\":\"k\",\"issue\":null,\"run\":\"\",\"where\":"
	    "\"a\\u001b[31mb\",\"why\":\"x\\u0007y\",\"state\":\"asking\"}";
	struct row got;

	ok(row_parse(&got, line, sizeof(line) - 1));
	ok(strchr(got.where, '\33') == NULL);
	ok(strchr(got.status.verdict.why, '\a') == NULL);
	row_release(&got);
}

TEST(the_text_says_since_when_it_is_not_watched) {
	struct row r = row_in(STATE_WORKING, 1);
	struct buf text = BUF_INIT;

	setenv("TZ", "UTC", 1);
	verdict_why(&r.status.verdict, "it works");
	r.unwatched = clock_parse("2026-11-22T14:02:00Z");
	row_text(&text, &r, clock_parse("2026-11-22T15:00:00Z"));
	is_text(buf_str(&text), "it works; not watched since 14:02");
	buf_reset(&text);
	row_text(&text, &r, clock_parse("2026-11-24T15:00:00Z"));
	is_text(buf_str(&text), "it works; not watched since Nov 22 14:02");
	buf_release(&text);
}

TEST(the_text_says_what_brings_a_lost_agent_back) {
	struct row r = row_in(STATE_GONE, 1);
	struct buf text = BUF_INIT;

	verdict_why(&r.status.verdict, "its pane is no longer there");
	row_text(&text, &r, 0);
	is_text(buf_str(&text), "its pane is no longer there");
	buf_reset(&text);
	memcpy(r.status.issue, "42", sizeof("42"));
	r.status.agent.session = xstrdup("s-1");
	row_text(&text, &r, 0);
	is_text(buf_str(&text), "its pane is no longer there; "
	    "'paneward revive 42' brings it back");
	buf_reset(&text);
	r.host = xstrdup("another");
	row_text(&text, &r, 0);
	is_text(buf_str(&text), "its pane is no longer there");
	buf_release(&text);
	row_release(&r);
}
