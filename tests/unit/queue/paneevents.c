/*
 * tests/system/pane-events.sh has who may read them, and when they go.
 */
#include "queue/paneevents.h"

#include "scratch.h"
#include "unit/fixture.h"

static int folder = -1;

static const char *
name_of(const char *pane, pid_t server)
{
	static char name[ISSUE_MAX + 1];

	return paneevents_name(name, pane, server) ? name : NULL;
}

/* In the pane %3 of server 7. */
static void
add(enum event_type type)
{
	struct event e = { .type = type, .time = clock_wall() };

	ok(paneevents_add(&e, folder, name_of("%3", 7)) == 0);
}

TEST(a_pane_and_its_server_make_a_name) {
	is_text(name_of("%12", 34567), "12-34567");
	ok(issue_valid(name_of("%12", 34567)));
	ok(name_of("12", 34567) == NULL && name_of("%", 34567) == NULL);
	ok(name_of("%1/../..", 34567) == NULL && name_of("%12", -1) == NULL);
}

TEST(a_link_in_place_of_the_folder_is_not_followed) {
	ok(paneevents_open(false) == -1);
	run("mkdir -p paneward moved && ln -s ../moved paneward/panes");
	ok(paneevents_open(true) == -1);
	run("rm paneward/panes");
	folder = paneevents_open(true);
	ok(folder != -1);
}

TEST(what_an_agent_before_has_left_is_not_read) {
	struct events_run since = { NULL, clock_wall() - 60000, NULL };
	struct events_reader reader = { 0 }, again = { 0 };
	struct event_evidence e = { .there = false };

	add(EVENT_TURN);
	is_number(events_read(&reader, &e, folder, name_of("%3", 7), &since),
	    1);
	ok(e.there && e.last == EVENT_TURN);
	since.started += 3600000;
	e = (struct event_evidence){ .there = false };
	events_read(&again, &e, folder, name_of("%3", 7), &since);
	ok(!e.there);
}

TEST(much_of_earlier_sessions_is_dropped) {
	const char *file = scratch_path("paneward/panes/3-7.records");
	struct stat st;

	ok(truncate(file, (1 << 20) + 1) == 0);
	add(EVENT_TURN);
	ok(stat(file, &st) == 0 && st.st_size > 1 << 20);
	add(EVENT_SESSION);
	ok(stat(file, &st) == 0 && st.st_size < 1000);
}
