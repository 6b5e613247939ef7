#include "queue/queue.h"

#include "base/text.h"
#include "tap.h"
#include "unit/fixture.h"

enum { NEVER = -1 };

/* Seconds ago: when it was judged, and its screen seen, and it printed. */
static struct look
look_of(int judged, int captured, int output)
{
	static const struct statusdir none = { .fd = -1, .state_fd = -1 };
	static struct status record;
	msec now = clock_wall();

	return (struct look){ .sources = { .dir = &none, .record = &record },
	    .judged = judged == NEVER ? 0 : now - judged * 1000,
	    .captured = captured == NEVER ? 0 : now - captured * 1000,
	    .activity = now - output * 1000,
	    .title = text_hash("a title", 7) };
}

/* tmux counts in seconds: an output may have been after the judging.  A process
 * may end, and a file may be written, without any output. */
TEST(a_pane_rests_for_a_while_if_nothing_is_printed_in_it) {
	static const struct {
		int judged, output;
		bool rests, dead, another;
	} rows[] = {
		{ 5, 60, .rests = true }, { 5, 0 }, { 5, 5 }, { 11, 60 },
		{ 5, 60, .dead = true }, { 5, 60, .another = true },
	};
	struct look k;
	char title[10];
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("row %zu", i);
		k = look_of(rows[i].judged, NEVER, 0);
		snprintf(title, sizeof(title), "%s", rows[i].another ?
		    "another" : "a title");
		ok(look_rests(&k, &(struct tmux_pane){ .title = title,
		    .dead = rows[i].dead, .activity = (clock_wall() -
		    rows[i].output * 1000) / 1000 }) == rows[i].rests);
	}
}

/* An agent that works prints all the time. */
TEST(a_screen_is_wanted_first_when_its_output_pauses_and_now_and_then) {
	static const struct { int captured, output; bool wanted; } rows[] = {
		{ NEVER, 0, true }, { NEVER, 60, true }, { 20, 10, true },
		{ 5, 10, false }, { 0, 0, false }, { 4, 0, true },
	};
	struct look k;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("row %zu", i);
		k = look_of(0, rows[i].captured, rows[i].output);
		ok(look_wants(&k) == rows[i].wanted);
	}
}
