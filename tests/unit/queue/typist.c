/*
 * tests/system/answer.sh has panes without an agent, and what a screen does
 * meanwhile.
 */
#include "queue/answer.h"

#include <poll.h>

#include "scratch.h"
#include "unit/fixture.h"

/* What a judge says, look by look. */
static const enum typist_sight *sights;
static size_t looks;
static int stands_still;                /* ms, in the first look */

static struct buf why;

static enum typist_sight
judge_screen(void *who, struct buf *reason)
{
	(void)who;
	buf_printf(reason, "look %zu", ++looks);
	if (looks == 1)
		poll(NULL, 0, stands_still);
	return *sights == TYPIST_BLIND ? *sights : *sights++;
}

/* Behind its end there is no other look. */
#define SIGHTS(...) (const enum typist_sight[]){ __VA_ARGS__, TYPIST_BLIND }

enum { LONG = 60000 };                  /* ms */

static struct typist_step step = { .judge = judge_screen, .key = "Enter" };

static struct pane_ref place = { .pane = "%1", .pane_pid = 3, .server = 1,
    .server_start = 2 };

/* A tmux that shows one line, of that pane; what is typed by that step, whose
 * judge sees this. */
static struct typist
begin(const enum typist_sight *list)
{
	place.socket = scratch;
	sights = list;
	looks = 0;
	buf_reset(&why);
	return (struct typist){ .place = &place };
}

static void
types(const enum typist_sight *list, msec most, enum typist_sight want,
    const char *reason)
{
	struct typist t = begin(list);

	step.most = most;
	is_number(typist_type(&t, &step, &why), want);
	ok(strstr(buf_str(&why), reason) != NULL);
	still_release(&t.still);
}

TEST(a_screen_that_may_come_is_waited_for_so_long) {
	types(SIGHTS(TYPIST_OTHER), LONG, TYPIST_OTHER, "look 1");
	types(SIGHTS(TYPIST_LATER, TYPIST_OTHER), LONG, TYPIST_OTHER, "look 2");
	types(SIGHTS(TYPIST_LATER), 0, TYPIST_LATER, "look 1");
	types(SIGHTS(TYPIST_WANTED), LONG, TYPIST_BLIND, "no longer in front");
	scratch_write("fails", "");
	types(SIGHTS(TYPIST_WANTED), 0, TYPIST_BLIND, "tmux");
	is_number(looks, 0);
	run("rm fails");
}

/* Does it go within that time? */
static bool
goes(const enum typist_sight *list, msec most)
{
	struct typist t = begin(list);
	bool gone = typist_gone(&t, &step, most);

	still_release(&t.still);
	return gone;
}

TEST(it_is_gone_when_something_else_is_shown) {
	ok(goes(SIGHTS(TYPIST_WANTED, TYPIST_WANTED, TYPIST_OTHER), LONG));
	is_number(looks, 3);
	ok(!goes(SIGHTS(TYPIST_WANTED), 0));
	/* Time in which nobody looked does not count. */
	stands_still = 600;
	ok(goes(SIGHTS(TYPIST_LATER, TYPIST_LATER, TYPIST_WANTED,
	    TYPIST_OTHER), LONG));
	is_number(looks, 4);
	stands_still = 0;
}

static const char *
told(const char *text)
{
	static char host[] = "elsewhere";
	struct backends all = { .first = NULL };

	buf_reset(&why);
	is_number(typist_tell(&all, &(struct row){ .host = host },
	    &(struct typist_order){ .text = text }, &why), TYPIST_REFUSED);
	return strncmp(buf_str(&why), "a text ", 7) == 0 ? "a text" :
	    buf_str(&why);
}

TEST(no_command_of_a_client_is_told_and_nothing_to_another_host) {
	ROWS(told, " => a text", "/exit => a text", "!ls => a text",
	    "a\rb => a text", "ls => it is on another host");
}

BEFORE_TESTS {
	fake_program("tmux", "[ ! -e fails ] || exit 1\n"
	    "printf '1 2 %%1 3 . 10 1 0 0 cat\\nhello\\nhello\\n'\n");
}
