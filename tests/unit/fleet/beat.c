#include "fleet/wire/wire.h"

#include "fakestore.h"
#include "scratch.h"

static struct beat
begun(msec began)
{
	struct beat b = { .host = "alpha" };

	ok(beat_open(&b) == 0);
	b.began = began;
	return b;
}

static enum beat_end
sends(struct beat *b, struct buf *why)
{
	buf_reset(why);
	return beat_send(b, NULL, why);
}

static void
key_is(const char *value)
{
	uint64_t revision;

	fake_write(STORE_HOSTS, "alpha", value, STORE_ANY, false, &revision);
}

TEST(a_host_says_who_it_is) {
	struct buf why = BUF_INIT;
	struct beat b;

	fake_begin("alpha");
	b = begun(5000);
	b.working = 3;
	ok(sends(&b, &why) == BEAT_DONE && b.ours);
	ok(strstr(fake_value(STORE_HOSTS, "alpha"), b.id) != NULL);
	ok(strstr(fake_value(STORE_HOSTS, "alpha"), "\"working\":3") != NULL);
	ok(sends(&b, &why) == BEAT_DONE);
	beat_end(&b, NULL);
	ok(fake_value(STORE_HOSTS, "alpha") == NULL);
	buf_release(&why);
}

TEST(the_id_is_made_once) {
	struct beat a = begun(1), b = begun(2);

	is_number(strlen(a.id), 32);
	is_text(a.id, b.id);
	scratch_write("paneward/fleet-id", "../../x");
	b = begun(3);
	is_number(strlen(b.id), 32);
	ok(strcmp(a.id, b.id) != 0);
}

TEST(a_name_of_two_hosts_is_refused_and_both_are_named) {
	struct buf why = BUF_INIT;
	struct beat b;

	fake_begin("alpha");
	b = begun(5000);
	key_is("{\"id\":\"other\",\"address\":\"box\",\"user\":\"ann\"}");
	ok(sends(&b, &why) == BEAT_OTHER);
	ok(strstr(buf_str(&why), "'alpha'") != NULL &&
	    strstr(buf_str(&why), "'box'") != NULL &&
	    strstr(buf_str(&why), "'ann'") != NULL);
	buf_release(&why);
}

/* The host's agent was killed, and this one begins. */
TEST(a_process_before_us_is_followed_but_not_one_after_us) {
	struct buf why = BUF_INIT;
	struct beat old, new;

	fake_begin("alpha");
	old = begun(5000);
	ok(sends(&old, &why) == BEAT_DONE);
	new = begun(6000);
	ok(sends(&new, &why) == BEAT_DONE);
	ok(sends(&old, &why) == BEAT_OTHER);
	ok(strstr(buf_str(&why), "another process of this user") != NULL);
	ok(sends(&new, &why) == BEAT_DONE);
	buf_release(&why);
}

TEST(a_beat_without_an_answer_is_sent_again) {
	struct buf why = BUF_INIT;
	struct beat b;

	fake_begin("alpha");
	b = begun(5000);
	ok(sends(&b, &why) == BEAT_DONE);
	fake_loses = fake_calls + 1;
	ok(sends(&b, &why) == BEAT_FAILED && why.len > 0);
	ok(sends(&b, &why) == BEAT_DONE);
	fake_wipe(STORE_HOSTS);
	ok(sends(&b, &why) == BEAT_DONE);
	buf_release(&why);
}

TEST(a_key_that_is_nonsense_is_written_anew) {
	struct buf why = BUF_INIT;
	struct beat b;

	fake_begin("alpha");
	b = begun(5000);
	key_is("[");
	ok(sends(&b, &why) == BEAT_DONE);
	ok(strstr(fake_value(STORE_HOSTS, "alpha"), b.id) != NULL);
	buf_release(&why);
}

BEFORE_TESTS {
	scratch_home();
	setenv("TMUX_TMPDIR", scratch, 1);
	unsetenv("TMUX");
}
