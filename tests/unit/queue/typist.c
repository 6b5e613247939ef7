#include "queue/answer.h"

#include <poll.h>

#include "scratch.h"

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

/* A tmux that shows one line, of that pane. */
static void
begin(const enum typist_sight *list)
{
	place.socket = scratch;
	sights = list;
	looks = 0;
	buf_reset(&why);
	scratch_write("tmux", "#!/bin/sh\n"
	    "printf '1 2 %%1 3 . 10 1 0 0 cat\\nhello\\nhello\\n'\n");
	ok(chmod(scratch_path("tmux"), 0755) == 0);
}

static enum typist_sight
typed(const enum typist_sight *list, msec most)
{
	struct typist t = { .place = &place };
	enum typist_sight sight;

	begin(list);
	step.most = most;
	sight = typist_type(&t, &step, &why);
	still_release(&t.still);
	return sight;
}

TEST(a_screen_that_will_not_come_is_not_waited_for) {
	is_number(typed(SIGHTS(TYPIST_OTHER), LONG), TYPIST_OTHER);
	is_number(looks, 1);
	is_text(buf_str(&why), "look 1");
	is_number(typed(SIGHTS(TYPIST_LATER, TYPIST_OTHER), LONG),
	    TYPIST_OTHER);
	is_number(looks, 2);
}

TEST(one_that_may_come_is_waited_for_so_long) {
	is_number(typed(SIGHTS(TYPIST_LATER), 0), TYPIST_LATER);
	is_text(buf_str(&why), "look 1");
}

TEST(nothing_is_typed_unless_its_agent_is_in_front) {
	is_number(typed(SIGHTS(TYPIST_WANTED), LONG), TYPIST_BLIND);
	is_number(looks, 1);
	ok(strstr(buf_str(&why), "no longer in front") != NULL);
}

TEST(a_pane_that_cannot_be_looked_at_is_not_judged) {
	struct typist t = { .place = &place };

	begin(SIGHTS(TYPIST_WANTED));
	scratch_write("tmux", "#!/bin/sh\nexit 1\n");
	step.most = 0;
	is_number(typist_type(&t, &step, &why), TYPIST_BLIND);
	is_number(looks, 0);
	ok(why.len > 0);
	still_release(&t.still);
}

TEST(it_is_gone_when_something_else_is_shown) {
	struct typist t = { .place = &place };

	begin(SIGHTS(TYPIST_WANTED, TYPIST_WANTED, TYPIST_OTHER));
	ok(typist_gone(&t, &step, LONG));
	is_number(looks, 3);
	begin(SIGHTS(TYPIST_WANTED));
	ok(!typist_gone(&t, &step, 0));
	still_release(&t.still);
}

TEST(time_in_which_nobody_looked_does_not_count) {
	struct typist t = { .place = &place };

	begin(SIGHTS(TYPIST_LATER, TYPIST_LATER, TYPIST_WANTED, TYPIST_OTHER));
	stands_still = 600;
	ok(typist_gone(&t, &step, LONG));
	is_number(looks, 4);
	stands_still = 0;
	still_release(&t.still);
}

TEST(a_command_of_the_client_is_not_told) {
	static const char *const bad[] = { "", "/exit", "!ls", "a\nb" };
	const struct row row = { .pane = false };
	struct backends all = { .first = NULL };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		buf_reset(&why);
		is_number(typist_tell(&all, &row, bad[i], &why),
		    TYPIST_REFUSED);
		ok(strncmp(buf_str(&why), "a text ", 7) == 0);
	}
}

TEST(a_row_without_a_pane_here_has_no_agent) {
	struct backends all = { .first = NULL };
	struct row row = { .pane = false };
	char host[] = "elsewhere";
	struct typist t;

	buf_reset(&why);
	is_number(typist_find(&t, &all, &row, &why), -1);
	is_text(buf_str(&why), "its pane is not known");
	row.host = host;
	buf_reset(&why);
	is_number(typist_find(&t, &all, &row, &why), -1);
	is_text(buf_str(&why), "it is on another host");
	row.host = NULL;
	row.status.place = place;
	row.status.place.socket = scratch;
	buf_reset(&why);
	is_number(typist_find(&t, &all, &row, &why), -1);
	is_text(buf_str(&why), "no known agent is in front of pane %1");
}

BEFORE_TESTS {
	struct buf path = BUF_INIT;

	buf_printf(&path, "%s:%s", scratch, getenv("PATH"));
	setenv("PATH", buf_str(&path), 1);
	buf_release(&path);
}

AFTER_TESTS {
	buf_release(&why);
}
