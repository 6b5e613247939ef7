#include "queue/queue.h"

#include "base/text.h"
#include "tap.h"

enum { SECOND = 1000, LONG_AGO = 60 * SECOND };

static char title[] = "a title";

/* A pane whose last output was so many ms ago. */
static struct tmux_pane
pane_silent(msec age)
{
	return (struct tmux_pane){ .title = title,
	    .activity = (clock_wall() - age) / 1000 };
}

/* What was judged, and seen, so many ms ago; -1: never. */
static struct look
look_of(msec judged, msec captured, msec output)
{
	static const struct statusdir none = { .fd = -1, .state_fd = -1 };
	static struct status record;
	msec now = clock_wall();

	return (struct look){ .sources = { .dir = &none, .record = &record },
	    .judged = judged < 0 ? 0 : now - judged,
	    .captured = captured < 0 ? 0 : now - captured,
	    .activity = now - output,
	    .title = text_hash(title, strlen(title)) };
}

TEST(a_pane_rests_while_nothing_is_printed_in_it) {
	struct look k = look_of(5 * SECOND, -1, 0);
	struct tmux_pane p = pane_silent(LONG_AGO);

	ok(look_rests(&k, &p));
	p = pane_silent(0);
	ok(!look_rests(&k, &p));
	/* tmux counts in seconds: it may have been after the judging. */
	p = pane_silent(5 * SECOND);
	ok(!look_rests(&k, &p));
}

TEST(a_pane_that_ends_or_has_another_title_does_not_rest) {
	struct look k = look_of(5 * SECOND, -1, 0);
	struct tmux_pane p = pane_silent(LONG_AGO);
	char other[] = "another";

	p.dead = true;
	ok(!look_rests(&k, &p));
	p.dead = false;
	p.title = other;
	ok(!look_rests(&k, &p));
}

/* A process may end, and a file may be written, without any output. */
TEST(no_pane_rests_for_long) {
	struct look k = look_of(11 * SECOND, -1, 0);
	struct tmux_pane p = pane_silent(LONG_AGO);

	ok(!look_rests(&k, &p));
}

TEST(the_first_screen_is_always_wanted) {
	struct look k = look_of(-1, -1, 0);

	ok(look_wants(&k));
	k = look_of(-1, -1, LONG_AGO);
	ok(look_wants(&k));
}

TEST(a_screen_is_wanted_once_its_output_pauses) {
	struct look k = look_of(0, 20 * SECOND, 10 * SECOND);

	ok(look_wants(&k));
	k = look_of(0, 5 * SECOND, 10 * SECOND);
	ok(!look_wants(&k));
}

/* An agent that works prints all the time. */
TEST(a_screen_that_changes_on_is_wanted_every_few_seconds) {
	struct look k = look_of(0, 0, 0);

	ok(!look_wants(&k));
	k = look_of(0, 4 * SECOND, 0);
	ok(look_wants(&k));
}
