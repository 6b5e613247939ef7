/*
 * tests/fleet/agent.sh has a host that comes and goes.
 */
#include "fleet/wire/wire.h"

#include "fakestore.h"
#include "unit/children.h"

static struct buf why;
static struct beat b;

static void
open_beat(struct beat *x, msec began)
{
	*x = (struct beat){ 0 };
	ok(beat_open(x) == 0);
	x->began = began;
}

static void
begin(void)
{
	fake_begin("alpha");
	open_beat(&b, 5000);
}

static enum beat_end
sends(struct beat *x)
{
	buf_reset(&why);
	return beat_send(x, &fake_link, &why);
}

TEST(the_id_is_made_once) {
	struct beat a;

	open_beat(&a, 1);
	open_beat(&b, 2);
	is_text(a.id, b.id);
	scratch_write("paneward/fleet-id", "../../x");
	open_beat(&b, 3);
	ok(strlen(b.id) == 32 && strcmp(a.id, b.id) != 0);
}

/* The host's agent was killed, and this one begins. */
TEST(a_process_before_us_is_followed_but_not_one_after_us) {
	struct beat new;

	begin();
	ok(sends(&b) == BEAT_DONE);
	open_beat(&new, 6000);
	ok(sends(&new) == BEAT_DONE && new.ours && sends(&b) == BEAT_OTHER);
	contains(buf_str(&why), "another process of this user");
	ok(sends(&new) == BEAT_DONE);
}

/* So is a key that is nonsense. */
TEST(a_beat_without_an_answer_is_sent_again) {
	begin();
	ok(sends(&b) == BEAT_DONE);
	fake_loses = fake_calls + 1;
	ok(sends(&b) == BEAT_FAILED && why.len > 0 && sends(&b) == BEAT_DONE);
	fake_wipe(STORE_HOSTS);
	ok(sends(&b) == BEAT_DONE);
	begin();
	fake_put(STORE_HOSTS, "alpha", "[");
	ok(sends(&b) == BEAT_DONE);
	contains(fake_value(STORE_HOSTS, "alpha"), b.id);
}

BEFORE_TESTS {
	scratch_home();
	setenv("TMUX_TMPDIR", scratch, 1);
	unsetenv("TMUX");
}
