/*
 * tests/system/top.sh has what stays chosen, is found and is shown.
 */
#include "top/live.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "tap.h"
#include "unit/fixture.h"

enum { AGENTS = 5 };

static struct row agents[AGENTS];
static struct row *order[AGENTS];
static struct choice c;

/* Issues named 0 to 4, in that order. */
static void
begin(void)
{
	char name[] = "0";
	int i;

	buf_release(&c.filter);
	buf_release(&c.agent);
	free(c.rows);
	c = (struct choice){ .rows = NULL };
	for (i = 0; i < AGENTS; i++, name[0]++) {
		row_release(&agents[i]);
		status_init(&agents[i].status, name);
		agents[i].seen = SEEN_NOT;
		agents[i].directory = xstrdup("/p/.status");
		agents[i].status.backend = xstrdup("claude");
		agents[i].status.verdict.state = STATE_WORKING;
		row_rate(&agents[i]);
		order[i] = &agents[i];
	}
}

static void
update(void)
{
	choice_update(&c, order, AGENTS, 0);
}

static const char *
chosen(void)
{
	const struct row *r = choice_row(&c);

	return r != NULL ? r->status.issue : "";
}

static void
swap(int a, int b)
{
	struct row *r = order[a];

	order[a] = order[b];
	order[b] = r;
	update();
}

TEST(a_pane_stays_chosen_when_its_window_gets_another_number) {
	begin();
	is_text(chosen(), "");
	agents[3].pane = true;
	memcpy(agents[3].status.place.pane, "%3", 3);
	agents[3].where = xstrdup("a:3.0");
	update();
	is_text(chosen(), "0");
	choice_move(&c, 3);
	free(agents[3].where);
	agents[3].where = xstrdup("b:1.1");
	swap(0, 3);
	is_text(chosen(), "3");
	swap(0, 4);
	is_text(chosen(), "3");
}

TEST(issues_of_one_name_in_two_projects_are_two) {
	begin();
	free(agents[1].directory);
	agents[1].directory = xstrdup("/q/.status");
	status_release(&agents[1].status);
	status_init(&agents[1].status, "0");
	update();
	choice_move(&c, 1);
	swap(0, 1);
	is_number(c.at, 0);
	ok(choice_row(&c) == &agents[1]);
}

TEST(the_list_scrolls_as_little_as_needed) {
	static const struct { int move; size_t lines, first; } rows[] = {
		{ 2, 2, 1 }, { -1, 2, 1 }, { -1, 2, 0 }, { 4, 2, 3 },
		{ 0, 4, 1 }, { 0, 10, 0 },
	};
	size_t i;

	begin();
	update();
	for (i = 0; i < COUNT(rows); i++) {
		ROW("step %zu", i);
		choice_move(&c, rows[i].move);
		choice_scroll(&c, rows[i].lines);
		is_number(c.first, rows[i].first);
	}
}

TEST(the_last_row_is_chosen_when_it_leaves_and_none_when_all_do) {
	begin();
	update();
	choice_move(&c, 10);
	choice_update(&c, order, AGENTS - 1, 0);
	is_text(chosen(), "3");
	buf_adds(&c.filter, "nothing");
	update();
	choice_move(&c, 1);
	choice_scroll(&c, 3);
	ok(choice_row(&c) == NULL && c.first == 0);
}
