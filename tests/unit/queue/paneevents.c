#include "queue/paneevents.h"

#include <limits.h>
#include <time.h>

#include "os/proc.h"
#include "scratch.h"
#include "unit/fixture.h"

#define PANES "paneward/panes"

static int folder = -1;

static const char *
name_of(const char *pane, pid_t server)
{
	static char name[ISSUE_MAX + 1];

	return paneevents_name(name, pane, server) ? name : NULL;
}

/* The path of a pane's file below the scratch folder. */
static const char *
file_of(const char *pane, pid_t server)
{
	static char file[ISSUE_MAX + 64];

	snprintf(file, sizeof(file), PANES "/%s.records",
	    name_of(pane, server));
	return file;
}

static void
add(enum event_type type, const char *pane, pid_t server)
{
	struct event e = { .type = type, .time = clock_wall() };

	ok(paneevents_add(&e, folder, name_of(pane, server)) == 0);
}

static void
age(const char *file, time_t seconds)
{
	const struct timespec at = { .tv_sec = time(NULL) - seconds };
	const struct timespec times[2] = { at, at };

	ok(utimensat(scratch_fd, file, times, 0) == 0);
}

TEST(a_pane_and_its_server_make_a_name) {
	is_text(name_of("%12", 34567), "12-34567");
	ok(issue_valid(name_of("%12", 34567)));
	ok(name_of("12", 34567) == NULL && name_of("%", 34567) == NULL);
	ok(name_of("%1/../..", 34567) == NULL);
	ok(name_of("%12", 0) == NULL && name_of("%12", -1) == NULL);
}

TEST(the_folder_is_private_and_a_link_in_its_place_not_followed) {
	struct stat st;

	ok(paneevents_open(false) == -1);
	folder = paneevents_open(true);
	ok(folder != -1 && fstat(folder, &st) == 0);
	is_number(st.st_mode & 0777, 0700);
	close(folder);
	folder = paneevents_open(false);
	ok(folder != -1);
	run("mv " PANES " moved && ln -s ../moved " PANES);
	ok(paneevents_open(true) == -1);
	run("rm " PANES " && mv moved " PANES);
}

TEST(what_an_agent_before_has_left_is_not_read) {
	struct events_run since = { NULL, clock_wall() - 60000, NULL };
	struct events_reader reader = { 0 }, again = { 0 };
	struct event_evidence e = { .there = false };

	add(EVENT_TURN, "%3", getpid());
	is_number(events_read(&reader, &e, folder, name_of("%3", getpid()),
	    &since), 1);
	ok(e.there && e.last == EVENT_TURN);
	since.started += 3600000;
	e = (struct event_evidence){ .there = false };
	events_read(&again, &e, folder, name_of("%3", getpid()), &since);
	ok(!e.there);
}

/* The clock of the machine may be set after a file was written. */
TEST(a_new_session_removes_files_of_servers_that_are_gone_for_a_day) {
	pid_t gone = fork();
	char seen[PATH_MAX];

	if (gone == 0)
		_exit(0);
	ok(waitpid(gone, NULL, 0) == gone);
	scratch_write(PANES "/note", "");
	snprintf(seen, sizeof(seen), PANES "/1-%ld.seen", (long)gone);
	scratch_write(seen, "");
	add(EVENT_TURN, "%1", gone);
	ok(scratch_there(file_of("%1", gone)));
	add(EVENT_TURN, "%2", getpid());
	age(file_of("%2", getpid()), 3600);
	add(EVENT_SESSION, "%3", getpid());
	ok(scratch_there(file_of("%1", gone)) && scratch_there(seen));
	age(file_of("%1", gone), 2 * 86400);
	age(seen, 2 * 86400);
	add(EVENT_SESSION, "%3", getpid());
	ok(!scratch_there(file_of("%1", gone)) && !scratch_there(seen));
	ok(scratch_there(file_of("%2", getpid())));
	ok(scratch_there(file_of("%3", getpid())));
	ok(scratch_there(PANES "/note"));
}

TEST(much_of_earlier_sessions_is_dropped) {
	const char *file = file_of("%3", getpid());
	struct stat st;

	ok(truncate(scratch_path(file), (1 << 20) + 1) == 0);
	add(EVENT_TURN, "%3", getpid());
	ok(stat(scratch_path(file), &st) == 0 && st.st_size > 1 << 20);
	add(EVENT_SESSION, "%3", getpid());
	ok(stat(scratch_path(file), &st) == 0 && st.st_size < 1000);
}

AFTER_TESTS {
	close(folder);
}
