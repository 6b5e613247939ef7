#include "chain/osc.h"

#include "tap.h"

#define BYTES(text) text, sizeof(text) - 1

static struct buf found;

static const char *
title(const char *bytes, size_t len)
{
	buf_reset(&found);
	return osc_title(bytes, len, &found) ? buf_str(&found) : NULL;
}

static const char *
state(const char *bytes, size_t len, const char *app)
{
	buf_reset(&found);
	return osc_state(bytes, len, 7501, app, &found) ? buf_str(&found) :
	    NULL;
}

static void
the_last_title_counts(void)
{
	is_text(title(BYTES("\033]0;one\axx\033]2;two\033\\yy")), "two");
	is_text(title(BYTES("\033]2;two\033\\\033]0;one\a")), "one");
	is_text(title(BYTES("\033]0;\342\234\263 x\a")), "\342\234\263 x");
	is_text(title(BYTES("\033]0;one\a\033]0;\a")), "");
	is_text(title(BYTES("no title")), NULL);
	is_text(title(BYTES("")), NULL);
}

static void
other_sequences_are_no_title(void)
{
	is_text(title(BYTES("\033]1;icon\a\033]8;;http://x\a\033]133;A\a")),
	    NULL);
	is_text(title(BYTES("\033]20;x\a\033]02;y\a")), "y");
	is_text(title(BYTES("\033];x\a\033]x;y\a\033]0 ;z\a")), NULL);
	is_text(title(BYTES("\033]4294967296;x\a")), NULL);
}

static void
a_sequence_that_is_cut_or_broken_is_none(void)
{
	is_text(title(BYTES("\033]0;one\a\033]0;two")), "one");
	is_text(title(BYTES("\033]0;one\a\033]0;two\033")), "one");
	is_text(title(BYTES("\033]0;one\a\033]")), "one");
	is_text(title(BYTES("\033]0;one\a\033]0;tw\no\a")), "one");
	is_text(title(BYTES("\033]0;one\a\033]0;tw\0o\a")), "one");
	is_text(title(BYTES("\033]0;tw\033]0;one\a")), "one");
}

static void
the_last_announced_state_counts(void)
{
	is_text(state(BYTES("\033]7501;state=idle:app=codex\033\\"
	    "\033]7501;state=working:app=codex\033\\"), "codex"), "working");
	is_text(state(BYTES("\033]7501;app=codex:state=done\a"), "codex"),
	    "done");
	is_text(state(BYTES("\033]7501;state=\a"), NULL), "");
	is_text(state(BYTES("\033]7502;state=idle:app=codex\a"), "codex"),
	    NULL);
}

static void
what_another_app_announces_is_left_out(void)
{
	is_text(state(BYTES("\033]7501;state=idle:app=codex\a"
	    "\033]7501;state=done:app=codexx\a\033]7501;state=done\a"
	    "\033]7501;app=codex:mystate=done\a"), "codex"), "idle");
	is_text(state(BYTES("\033]7501;state=idle:app=codex\a"
	    "\033]7501;state=done:app=other\a"), NULL), "done");
}

int
main(void)
{
	TEST(the_last_title_counts);
	TEST(other_sequences_are_no_title);
	TEST(a_sequence_that_is_cut_or_broken_is_none);
	TEST(the_last_announced_state_counts);
	TEST(what_another_app_announces_is_left_out);
	buf_release(&found);
	return tap_done();
}
