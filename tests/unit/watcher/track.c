#include "watcher/track.h"

#include <unistd.h>

#include "unit/watcher/watched.h"

static msec
deadline(void)
{
	track_schedule(t);
	return track_deadline(t);
}

TEST(a_new_track_waits_for_nothing) {
	watched_begin();
	is_number(deadline(), CLOCK_NEVER);
	is_number(t->fd[FD_AGENT], -1);
	is_number(t->files[FILE_LOG].watch, -1);
	watched_end();
}

TEST(a_marked_track_is_due_at_once_and_a_finished_one_never) {
	watched_begin();
	t->due.marked = true;
	is_number(deadline(), 0);
	track_finish(t, EXIT_NO);
	is_number(deadline(), CLOCK_NEVER);
	is_number(t->life.exit, EXIT_NO);
	watched_end();
}

TEST(the_first_timer_is_the_deadline) {
	watched_begin();
	t->at[AT_CAPTURE] = WATCHED_NOW + 30;
	t->at[AT_QUIET] = WATCHED_NOW + 20;
	t->at[AT_HANDOFF] = WATCHED_NOW + 10;
	is_number(deadline(), WATCHED_NOW + 10);
	t->at[AT_HANDOFF] = CLOCK_NEVER;
	is_number(deadline(), WATCHED_NOW + 20);
	watched_end();
}

TEST(an_unwritten_record_holds_back_hand_off_and_notice) {
	watched_begin();
	t->at[AT_HANDOFF] = t->at[AT_NOTICE] = WATCHED_NOW;
	t->at[AT_RETRY] = WATCHED_NOW + 500;
	is_number(deadline(), WATCHED_NOW + 500);
	t->at[AT_RETRY] = CLOCK_NEVER;
	is_number(deadline(), WATCHED_NOW);
	watched_end();
}

TEST(a_running_hand_off_has_no_deadline) {
	watched_begin();
	t->at[AT_QUIET] = WATCHED_NOW;
	t->runner.fd = dup(STDOUT_FILENO);
	is_number(deadline(), CLOCK_NEVER);
	watched_end();
}

TEST(silence_of_pane_and_hooks_is_judged_once) {
	watched_begin();
	t->evidence.pane = PANE_LIVES;
	is_number(deadline(), CLOCK_NEVER);
	watched_hold();
	t->evidence.wall = WATCHED_NOW;         /* no hook has written */
	t->sources.output = WATCHED_NOW + 5;
	is_number(deadline(), WATCHED_NOW + 5 + 60000);
	t->judged_at = WATCHED_NOW + 5 + 60000;
	t->evidence.wall += 60005;
	is_number(deadline(), CLOCK_NEVER);
	t->sources.output = t->judged_at;
	is_number(deadline(), t->judged_at + 60000);
	t->record.verdict.state = STATE_WAITING;
	is_number(deadline(), CLOCK_NEVER);
	watched_end();
}

TEST(the_last_look_waits_for_the_writer_of_a_pane_that_is_gone) {
	watched_begin();
	t->at[AT_ENDING] = WATCHED_NOW + 200;
	t->at[AT_DRAIN] = WATCHED_NOW + 2000;
	is_number(deadline(), CLOCK_NEVER);
	t->last.captured = true;
	t->evidence.pane = PANE_DEAD;
	is_number(deadline(), WATCHED_NOW + 200);
	t->evidence.pane = PANE_GONE;
	t->pipe.state = PIPE_CLAIMED;
	is_number(deadline(), WATCHED_NOW + 2000);
	t->evidence.final = true;
	is_number(deadline(), CLOCK_NEVER);
	watched_end();
}

TEST(a_warning_is_given_once) {
	watched_begin();
	ok(track_first(t, WARNED_LOG));
	ok(!track_first(t, WARNED_LOG));
	ok(track_first(t, WARNED_SAVE));
	watched_end();
}

TEST(the_end_of_one_process_at_a_time_is_waited_for) {
	struct proc p;
	int first;

	watched_begin();
	ok(proc_read(&p, getpid()) == 0);
	first = track_open(t, FD_AGENT, getpid(), p.start);
	is_number(first, t->fd[FD_AGENT]);
	track_open(t, FD_AGENT, getpid(), p.start + 1);
	is_number(t->fd[FD_AGENT], -1);
	track_close(t, FD_AGENT);
	watched_end();
}

TEST(a_file_is_watched_until_another_takes_its_place) {
	struct stat st;
	int fd;

	watched_begin();
	scratch_write("status/log", "text");
	fd = open(scratch_path("status/log"), O_RDONLY);
	ok(fd != -1 && fstat(fd, &st) == 0);
	track_watch(t, FILE_LOG, fd, st.st_ino);
	ok(t->files[FILE_LOG].watch != -1);
	is_number(t->files[FILE_LOG].ino, st.st_ino);
	track_watch(t, FILE_LOG, -1, 0);
	is_number(t->files[FILE_LOG].watch, -1);
	close(fd);
	watched_end();
}

TEST(a_track_is_found_by_its_issue) {
	watched_begin();
	ok(track_find(&site, "7") == t);
	ok(track_find(&site, "70") == NULL);
	watched_end();
}
