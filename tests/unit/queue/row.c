/*
 * tests/system/hosts.sh has the controls in a row of another host, and
 * unwatched.sh and revive.sh have what a text says of a watcher, and of the way
 * back.
 */
#include "queue/row.h"

#include "base/alloc.h"
#include "unit/children.h"
#include "unit/fixture.h"

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

TEST(the_worst_comes_first_and_what_is_over_and_seen_leaves) {
	static const struct {
		enum state state;
		msec since;
		enum seen seen;
		enum handoff_state handoff;
		bool dead, finished;
	} order[] = {
		{ STATE_ASKING, 5 }, { STATE_ASKING, 7, SEEN_ONCE },
		{ STATE_ASKING, 9 }, { STATE_ERROR, 1 },
		{ STATE_COMPLETE, 1, SEEN_NOT, HANDOFF_REFUSED },
		{ STATE_DEAD, 1 }, { STATE_GONE, 1 }, { STATE_STALLED, 1 },
		{ STATE_WAITING, 1 }, { STATE_COMPLETE, 1 },
		{ STATE_LIMITED, 1 }, { STATE_UNKNOWN, 1 },
		{ STATE_WORKING, 1 }, { STATE_WAITING, 1, SEEN_ONCE },
		{ STATE_COMPLETE, 2, SEEN_ONCE, .finished = true },
		{ STATE_COMPLETE, 3, SEEN_ONCE, HANDOFF_PENDING },
		{ STATE_COMPLETE, 4, SEEN_ONCE, HANDOFF_REFUSED },
		{ STATE_COMPLETE, 5, SEEN_FORGOTTEN, HANDOFF_REFUSED,
		    .finished = true },
		{ STATE_ERROR, 6, SEEN_ONCE },
		{ STATE_ERROR, 7, SEEN_ONCE, .dead = true, .finished = true },
	};
	enum { N = COUNT(order) };
	struct row rows[N], *sorted[N];
	size_t i;

	for (i = 0; i < N; i++) {
		rows[i] = row_in(order[i].state, order[i].since);
		rows[i].seen = order[i].seen;
		rows[i].status.handoff.state = order[i].handoff;
		rows[i].alive = !order[i].dead;
		row_rate(&rows[i]);
		sorted[N - 1 - i] = &rows[i];
	}
	qsort(sorted, N, sizeof(*sorted), row_compare);
	for (i = 0; i < N; i++) {
		ROW("row %zu", i);
		is_number(sorted[i] - rows, i);
		ok(row_finished(&rows[i]) == order[i].finished);
		ok(row_needs(&rows[i]) == (i <= 9));
	}
}

/* What another host reads of the row; it is released. */
static struct row
as_read(struct row *r)
{
	struct buf text = BUF_INIT;
	struct row got;

	row_json(&text, r);
	ok(row_parse(&got, buf_str(&text), text.len));
	row_release(r);
	buf_release(&text);
	return got;
}

TEST(a_row_can_be_read_from_its_json) {
	struct row r = row_in(STATE_ASKING, 1000), got;
	struct buf key = BUF_INIT;

	r.pane = true;
	r.where = xstrdup("we ird:1.0");
	r.project = xstrdup("/src/app");
	verdict_why(&r.status.verdict, "it asks");
	got = as_read(&r);
	is_text(row_name(&got), "we ird:1.0");
	is_text(row_project(&got), "app");
	is_text(got.status.verdict.why, "it asks");
	ok(got.pane && got.rank == ROW_ASKING && got.status.since == 1000);
	row_release(&got);
	/* Of another host it has the key that it gave. */
	r = row_in(STATE_ASKING, 1000);
	r.directory = xstrdup("/src/app/.status");
	got = as_read(&r);
	got.host = xstrdup("far");
	row_key(&key, &got);
	is_text(buf_str(&key), "far:/src/app/.status/42");
	row_release(&got);
	buf_release(&key);
}

static bool
is_row(const char *line)
{
	struct row got;

	line = quoted(line);
	return row_parse(&got, line, strlen(line));
}

TEST(a_line_that_is_no_row_is_wrong) {
	says(false, is_row, WORDS("rubbish", "", "[]", "{}",
	    "{'issue':'1','run':''}", "{'key':7,'gone':true}",
	    "{'key':'k','issue':'../x','run':''}"));
}

/* It has the whole record, in which "changes" counts states. */
TEST(a_row_of_an_older_version_has_no_count_of_files) {
	const char *line = quoted("{'key':'k','v':1,'issue':'1','run':"
	    "'0123abcd-1111-4222-8333-444444444444','state':'working',"
	    "'since':'2020-01-01T00:00:00Z','changes':7,'episode':3}");
	struct row got;

	ok(row_parse(&got, line, strlen(line)));
	is_number(got.status.tree.changes, -1);
	row_release(&got);
}

#define READ(issue, episode) seen_read(scratch_fd, (issue), (episode))

TEST(only_this_episode_was_seen) {
	is_number(READ("42", "run 7"), SEEN_NOT);
	is_number(seen_write(scratch_fd, "42", "run 7", SEEN_ONCE), 0);
	is_number(READ("42", "run 7"), SEEN_ONCE);
	ok(READ("42", "run 8") == SEEN_NOT && READ("43", "run 7") == SEEN_NOT);
	is_number(seen_write(scratch_fd, "42", "run 7", SEEN_FORGOTTEN), 0);
	is_number(READ("42", "run 7"), SEEN_FORGOTTEN);
	scratch_write("42.seen", "run 7 maybe\n");
	is_number(READ("42", "run 7"), SEEN_NOT);
	scratch_write("42.seen", "");
	is_number(READ("42", "run 7"), SEEN_NOT);
}

TEST(a_hand_off_that_is_refused_later_was_not_seen) {
	char complete[SEEN_EPISODE], refused[SEEN_EPISODE];
	struct status r;

	status_init(&r, "42");
	memcpy(r.run, "0123abcd-1111-4222-8333-444444444444", sizeof(r.run));
	r.verdict.state = STATE_COMPLETE;
	r.since = 1700000000000;
	seen_episode(complete, &r);
	r.handoff.state = HANDOFF_RUNNING;
	seen_episode(refused, &r);
	is_text(refused, complete);
	r.handoff.state = HANDOFF_REFUSED;
	seen_episode(refused, &r);
	ok(strcmp(refused, complete) != 0);
}

TEST(an_agent_of_another_host_is_not_brought_back_here) {
	struct row r = row_in(STATE_GONE, 1);
	struct buf text = BUF_INIT;

	verdict_why(&r.status.verdict, "its pane is no longer there");
	r.status.agent.session = xstrdup("s-1");
	r.host = xstrdup("another");
	row_text(&text, &r, 0);
	is_text(buf_str(&text), "its pane is no longer there");
	buf_release(&text);
	row_release(&r);
}
