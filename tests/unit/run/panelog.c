#include "run/panelog.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "os/proc.h"
#include "run/run.h"
#include "scratch.h"

#define LOG "output-7.log"
#define COMPLETE "###TASK_COMPLETE_7###\n"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";
static const char PANE[] = "1234%5";

static struct marker_set set;

/* Goes on from a mark; NULL: a first log. */
static struct panelog
open_log(const struct log_mark *from)
{
	static const struct log_mark beginning;
	struct panelog p;

	panelog_init(&p, scratch_fd, geteuid(), "7", &set,
	    from ? from : &beginning);
	return p;
}

/* Ends the reading and removes the log. */
static void
forget(struct panelog *p)
{
	panelog_release(p);
	unlink(scratch_path(LOG));
	unlink(scratch_path(LOG ".1"));
}

/* Another watcher goes on where this one stood. */
static void
go_on(struct panelog *p)
{
	struct log_mark mark;

	panelog_mark(p, &mark);
	panelog_release(p);
	*p = open_log(&mark);
}

static void
rotate(void)
{
	ok(rename(scratch_path(LOG), scratch_path(LOG ".1")) == 0);
}

#define is_hits(p, complete_, error_) do { \
	struct marker_hits hits_ = marker_scan_hits((p)->file.scan, true); \
	is_number(hits_.complete, (complete_)); \
	is_number(hits_.error, (error_)); \
} while (0)

TEST(what_is_added_is_read) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n");
	is_number(panelog_read(&p, NULL), 1);
	is_number(panelog_read(&p, NULL), 0);
	scratch_add(LOG, "###TASK_COMP");
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 0, 0);
	scratch_add(LOG, "LETE_7###\n");
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	scratch_add(LOG, "###TASK_ERROR_7###\n");
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 1);
	forget(&p);
}

TEST(a_log_that_is_not_there_yet_is_waited_for) {
	struct panelog p = open_log(NULL);

	is_number(panelog_read(&p, NULL), 0);
	ok(p.file.fd == -1 && !p.refused);
	scratch_write(LOG, COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	ok(p.file.fd != -1);
	is_hits(&p, 1, 0);
	forget(&p);
}

TEST(an_empty_log_is_a_log) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "");
	is_number(panelog_read(&p, NULL), 0);
	ok(p.file.fd != -1);
	forget(&p);
}

TEST(a_log_that_was_emptied_is_read_from_its_start) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "much that was printed\n" COMPLETE);
	panelog_read(&p, NULL);
	scratch_write(LOG, COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 0);
	scratch_write(LOG, "");
	is_number(panelog_read(&p, NULL), 0);
	is_hits(&p, 2, 0);
	scratch_add(LOG, "###TASK_ERROR_7###\nno disk\n");
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 1);
	forget(&p);
}

TEST(a_fence_ends_with_the_log_that_was_emptied) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "more words than will follow\n```\ncode\n");
	panelog_read(&p, NULL);
	scratch_write(LOG, COMPLETE);
	panelog_read(&p, NULL);
	is_hits(&p, 1, 0);
	forget(&p);
}

TEST(hits_are_remembered_when_a_log_was_emptied_while_nobody_read) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "words\n" COMPLETE "words without an end");
	panelog_read(&p, NULL);
	scratch_write(LOG, COMPLETE);
	go_on(&p);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 0);
	forget(&p);
}

TEST(a_rotation_while_reading_loses_nothing) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n");
	panelog_read(&p, NULL);
	scratch_add(LOG, COMPLETE);
	rotate();
	scratch_add(LOG ".1", "###TASK_ERROR_7###\nlate\n");
	scratch_write(LOG, COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 1);
	is_number(panelog_read(&p, NULL), 0);
	is_hits(&p, 2, 1);
	forget(&p);
}

TEST(between_two_logs_the_old_one_is_read_on) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n");
	panelog_read(&p, NULL);
	rotate();
	scratch_add(LOG ".1", COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	scratch_write(LOG, COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 0);
	forget(&p);
}

TEST(a_marker_split_by_a_rotation_is_found) {
	static const char marker[] =
	    "```\nx\n```\n###TASK_COMPLETE_7###\nend\n";
	char head[sizeof(marker)];
	struct panelog p;
	size_t i;

	for (i = 0; i <= strlen(marker); i++) {
		snprintf(head, sizeof(head), "%.*s", (int)i, marker);
		p = open_log(NULL);
		scratch_write(LOG, head);
		panelog_read(&p, NULL);
		rotate();
		scratch_write(LOG, marker + i);
		panelog_read(&p, NULL);
		is_hits(&p, 1, 0);
		forget(&p);
	}
}

/* Read, left, rotated, taken up again: at every byte. */
TEST(a_marker_split_by_a_rotation_is_found_by_the_next_watcher) {
	static const char marker[] =
	    "```\nx\n```\n###TASK_COMPLETE_7###\nend\n";
	char head[sizeof(marker)];
	struct panelog p;
	size_t i;

	for (i = 0; i <= strlen(marker); i++) {
		snprintf(head, sizeof(head), "%.*s", (int)i, marker);
		p = open_log(NULL);
		scratch_write(LOG, "before\n");
		scratch_add(LOG, head);
		panelog_read(&p, NULL);
		rotate();
		scratch_write(LOG, marker + i);
		go_on(&p);
		ok(panelog_read(&p, NULL) != -1);
		is_hits(&p, 1, 0);
		forget(&p);
	}
}

/* The mark lies in the old log, but reading already stood in the new one. */
TEST(a_line_across_two_logs_is_taken_up_by_the_next_watcher) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n###TASK_");
	panelog_read(&p, NULL);
	rotate();
	scratch_write(LOG, "COMPLETE");
	panelog_read(&p, NULL);
	is_hits(&p, 0, 0);
	go_on(&p);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 0, 0);
	scratch_add(LOG, "_7###\n");
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	go_on(&p);
	is_number(panelog_read(&p, NULL), 0);
	is_hits(&p, 1, 0);
	forget(&p);
}

TEST(a_line_across_two_logs_is_taken_up_after_many_rotations) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n");
	panelog_read(&p, NULL);
	go_on(&p);
	rotate();
	scratch_write(LOG, "b\n");
	panelog_read(&p, NULL);
	rotate();
	scratch_write(LOG, "c\n###TASK_");
	panelog_read(&p, NULL);
	rotate();
	scratch_write(LOG, "COMPLETE");
	panelog_read(&p, NULL);
	go_on(&p);
	is_number(panelog_read(&p, NULL), 1);
	scratch_add(LOG, "_7###\n");
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	forget(&p);
}

/* The writer of one log is stopped, the next log gets its number. */
TEST(a_new_log_with_the_number_of_the_removed_one_is_read_whole) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "short\n");
	panelog_read(&p, NULL);
	unlink(scratch_path(LOG));
	go_on(&p);
	scratch_write(LOG, COMPLETE "and more\n");
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	forget(&p);
}

TEST(a_marker_in_an_unfinished_line_counts_for_the_next_watcher) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n###TASK_COMPLETE_7###");
	panelog_read(&p, NULL);
	is_hits(&p, 1, 0);
	go_on(&p);
	panelog_read(&p, NULL);
	is_hits(&p, 1, 0);
	go_on(&p);
	scratch_add(LOG, "\r\n");
	panelog_read(&p, NULL);
	is_hits(&p, 1, 0);
	forget(&p);
}

TEST(a_mark_may_lie_in_what_is_the_old_log_meanwhile) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n");
	panelog_read(&p, NULL);
	scratch_add(LOG, COMPLETE);
	rotate();
	scratch_write(LOG, "b\n" COMPLETE);
	go_on(&p);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 0);
	forget(&p);
}

TEST(a_mark_may_lie_in_the_old_log_when_there_is_no_new_one) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n");
	panelog_read(&p, NULL);
	scratch_add(LOG, COMPLETE);
	rotate();
	go_on(&p);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	forget(&p);
}

/* The first of the two old logs is lost, the second is another file. */
TEST(two_rotations_while_nobody_read_do_not_stop_reading) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "words\nwords without an end");
	panelog_read(&p, NULL);
	ok(rename(scratch_path(LOG), scratch_path("held")) == 0);
	scratch_write(LOG, "lost\n");
	rotate();
	scratch_write(LOG, COMPLETE);
	go_on(&p);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	forget(&p);
}

/* As the test before, with a log that was removed and made again. */
TEST(a_log_that_was_made_again_while_nobody_read_is_read_whole) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "words\n" COMPLETE "words without an end");
	panelog_read(&p, NULL);
	ok(rename(scratch_path(LOG), scratch_path("held")) == 0);
	scratch_write(LOG, "a line that is there\n" COMPLETE);
	go_on(&p);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 0);
	scratch_add(LOG, "more\n" COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 3, 0);
	forget(&p);
}

TEST(a_log_that_was_removed_and_made_again_is_read) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n" COMPLETE);
	panelog_read(&p, NULL);
	unlink(scratch_path(LOG));
	is_number(panelog_read(&p, NULL), 0);
	scratch_write(LOG, COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 0);
	forget(&p);
}

TEST(a_later_watcher_does_not_read_twice) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, COMPLETE "###TASK_ERROR_7###\n");
	panelog_read(&p, NULL);
	go_on(&p);
	is_number(panelog_read(&p, NULL), 0);
	is_hits(&p, 1, 1);
	scratch_add(LOG, "no disk\n" COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 1);
	forget(&p);
}

TEST(a_mark_in_a_fence_remembers_it) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "~~~~\ncode\n");
	panelog_read(&p, NULL);
	go_on(&p);
	scratch_add(LOG, "~~~\n" COMPLETE "~~~~\n");
	panelog_read(&p, NULL);
	is_hits(&p, 0, 0);
	scratch_add(LOG, COMPLETE);
	panelog_read(&p, NULL);
	is_hits(&p, 1, 0);
	forget(&p);
}

TEST(a_mark_in_a_fence_of_the_old_log_remembers_it) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "```\ncode\n");
	panelog_read(&p, NULL);
	scratch_add(LOG, COMPLETE);
	rotate();
	scratch_write(LOG, COMPLETE "```\n" COMPLETE);
	go_on(&p);
	panelog_read(&p, NULL);
	is_hits(&p, 1, 0);
	forget(&p);
}

/* Whatever a watcher knew when it left, the next one counts the same. */
TEST(a_mark_may_be_taken_at_any_byte) {
	static const char text[] = "a\r\n```\n###TASK_COMPLETE_7###\n```\n"
	    "\033[1m###TASK_COMPLETE_7###\033[0m\r\n"
	    "###TASK_ERROR_7###\nno disk\nb\rc";
	struct panelog p;
	char head[2];
	size_t i;

	p = open_log(NULL);
	scratch_write(LOG, "");
	for (i = 0; text[i] != '\0'; i++) {
		head[0] = text[i];
		head[1] = '\0';
		scratch_add(LOG, head);
		ok(panelog_read(&p, NULL) != -1);
		go_on(&p);
	}
	is_hits(&p, 1, 1);
	forget(&p);
}

TEST(the_run_may_begin_in_the_middle_of_a_log) {
	struct log_mark from = { .begin = 29, .read = 29,
	    .scan = { .offset = 29 } }, mark;
	struct panelog p;

	scratch_write(LOG, "before\n" COMPLETE "new\n" COMPLETE);
	p = open_log(&from);
	panelog_read(&p, NULL);
	is_hits(&p, 1, 0);
	panelog_mark(&p, &mark);
	is_number(mark.begin, 29);
	is_number(mark.read, strlen("before\n" COMPLETE "new\n" COMPLETE));
	forget(&p);
}

TEST(a_link_is_no_log) {
	struct panelog p = open_log(NULL);

	scratch_write("elsewhere", COMPLETE);
	ok(symlink("elsewhere", scratch_path(LOG)) == 0);
	is_number(panelog_read(&p, NULL), -1);
	is_number(errno, ELOOP);
	ok(p.refused && p.file.fd == -1);
	unlink(scratch_path(LOG));
	is_number(panelog_read(&p, NULL), 0);
	ok(!p.refused);
	scratch_write(LOG, COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	forget(&p);
}

TEST(a_fifo_is_no_log_and_does_not_block) {
	struct panelog p = open_log(NULL);

	ok(mkfifo(scratch_path(LOG), 0600) == 0);
	alarm(60);
	is_number(panelog_read(&p, NULL), -1);
	alarm(0);
	ok(p.refused && p.file.fd == -1);
	forget(&p);
}

TEST(a_directory_is_no_log) {
	struct panelog p = open_log(NULL);

	scratch_folder(LOG);
	is_number(panelog_read(&p, NULL), -1);
	is_number(errno, EINVAL);
	ok(p.refused);
	rmdir(scratch_path(LOG));
	forget(&p);
}

TEST(a_log_that_becomes_a_link_is_read_to_its_end_first) {
	struct panelog p = open_log(NULL);

	scratch_write(LOG, "a\n");
	panelog_read(&p, NULL);
	scratch_add(LOG, COMPLETE);
	rotate();
	ok(symlink("elsewhere", scratch_path(LOG)) == 0);
	is_number(panelog_read(&p, NULL), -1);
	ok(p.refused);
	is_hits(&p, 1, 0);
	forget(&p);
}

TEST(another_users_log_is_none) {
	static const struct log_mark beginning;
	struct panelog p;

	scratch_write(LOG, COMPLETE);
	panelog_init(&p, scratch_fd, geteuid() + 1, "7", &set, &beginning);
	is_number(panelog_read(&p, NULL), -1);
	ok(p.refused);
	is_hits(&p, 0, 0);
	forget(&p);
}

TEST(much_before_a_rotation_is_searched_and_the_fence_in_it_known) {
	struct panelog p = open_log(NULL);
	int i;

	scratch_write(LOG, "```\n");
	for (i = 0; i < 20000; i++)
		scratch_add(LOG, "nothing to be found in this line\n");
	panelog_read(&p, NULL);
	rotate();
	scratch_write(LOG, COMPLETE);
	panelog_read(&p, NULL);
	is_hits(&p, 0, 0);
	scratch_add(LOG, "```\n" COMPLETE);
	go_on(&p);
	panelog_read(&p, NULL);
	is_hits(&p, 1, 0);
	forget(&p);
}

TEST(the_writer_of_a_log_is_known_while_it_lives) {
	static const char other[] = "1234%50";
	uint64_t start = 0;
	pid_t pid = 0;

	is_number(panelog_writer(scratch_fd, "7", PANE, &pid, &start),
	    PANELOG_UNWRITTEN);
	panelog_register(scratch_fd, "7", PANE);
	is_number(panelog_writer(scratch_fd, "7", PANE, &pid, &start),
	    PANELOG_WRITTEN);
	is_number(pid, getpid());
	ok(proc_alive(pid, start));
	is_number(panelog_writer(scratch_fd, "8", PANE, &pid, &start),
	    PANELOG_UNWRITTEN);
	is_number(panelog_writer(scratch_fd, "7", other, &pid, &start),
	    PANELOG_UNWRITTEN);
	panelog_unregister(scratch_fd, "7", other);
	ok(scratch_there("7.pipe"));
	panelog_unregister(scratch_fd, "7", PANE);
	ok(!scratch_there("7.pipe"));
	panelog_register(scratch_fd, "7", "");
	is_number(panelog_writer(scratch_fd, "7", "", &pid, &start),
	    PANELOG_UNWRITTEN);
	unlink(scratch_path("7.pipe"));
}

/* What a mark says of the log as it is now. */
static void
is_unread(const struct panelog *p, bool unread, bool there)
{
	struct log_mark mark;
	bool is_there;

	panelog_mark(p, &mark);
	is_number(panelog_unread(scratch_fd, "7", &mark, &is_there), unread);
	is_number(is_there, there);
}

TEST(what_was_added_is_seen_without_a_look) {
	struct panelog p = open_log(NULL);

	is_unread(&p, false, false);
	scratch_write(LOG, "a\n");
	is_unread(&p, true, true);
	panelog_read(&p, NULL);
	is_unread(&p, false, true);
	rotate();
	is_unread(&p, false, false);
	scratch_add(LOG ".1", COMPLETE);        /* its writer came late */
	is_unread(&p, true, false);
	go_on(&p);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	is_unread(&p, false, false);
	scratch_write(LOG, "a\n" COMPLETE);
	is_unread(&p, true, true);
	forget(&p);
}

static void
claim_and_wait(void)
{
	panelog_register(scratch_fd, "7", PANE);
	for (;;)
		pause();
}

TEST(a_writer_is_stopped) {
	char socket[] = "/s";
	struct status r = { .issue = "7", .place = { .socket = socket,
	    .server = 1234, .pane = "%50" } };
	const struct statusdir dir = { .state_fd = scratch_fd };
	uint64_t start;
	pid_t pid = fork(), writer;
	int status;

	if (pid == 0)
		claim_and_wait();
	while (panelog_writer(scratch_fd, "7", PANE, &writer, &start) !=
	    PANELOG_WRITTEN)
		poll(NULL, 0, 1);
	run_stop_writer(&r, &dir, NULL);
	ok(waitpid(pid, &status, WNOHANG) == 0);
	snprintf(r.place.pane, sizeof(r.place.pane), "%%5");
	run_stop_writer(&r, &dir, NULL);
	ok(waitpid(pid, &status, WNOHANG) == pid);
	is_number(WTERMSIG(status), SIGKILL);
	/* No process is left that this could hit. */
	run_stop_writer(&r, &dir, NULL);
	unlink(scratch_path("7.pipe"));
}

static void
claim_and_be_killed(void)
{
	panelog_register(scratch_fd, "7", PANE);
}

TEST(a_writer_that_was_killed_leaves_a_broken_claim) {
	uint64_t start;
	pid_t pid;

	scratch_apart(claim_and_be_killed);
	is_number(panelog_writer(scratch_fd, "7", PANE, &pid, &start),
	    PANELOG_BROKEN);
	panelog_unregister(scratch_fd, "7", PANE);
	ok(scratch_there("7.pipe"));
	unlink(scratch_path("7.pipe"));
}

/* What the file says of itself is nothing to rely on. */
TEST(a_claim_is_not_believed_unseen) {
	static const struct {
		const char         *text;
		enum panelog_writer is;
	} claims[] = {
		{ " 1 1\n",        PANELOG_BROKEN },
		{ " 4194305 1\n",  PANELOG_BROKEN },
		{ " 0 0\n",        PANELOG_BROKEN },
		{ " -1 0\n",       PANELOG_BROKEN },
		{ "\n",            PANELOG_UNWRITTEN },
		{ " x y\n",        PANELOG_UNWRITTEN },
		{ "x 1 1\n",       PANELOG_UNWRITTEN },
		{ "",              PANELOG_UNWRITTEN },
	};
	char text[128];
	uint64_t start;
	pid_t pid;
	size_t i;

	for (i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", PANE, claims[i].text);
		scratch_write("7.pipe", text);
		is_number(panelog_writer(scratch_fd, "7", PANE, &pid, &start),
		    claims[i].is);
	}
	unlink(scratch_path("7.pipe"));
	ok(symlink("x.pipe", scratch_path("7.pipe")) == 0);
	panelog_register(scratch_fd, "8", PANE);
	ok(rename(scratch_path("8.pipe"), scratch_path("x.pipe")) == 0);
	is_number(panelog_writer(scratch_fd, "7", PANE, &pid, &start),
	    PANELOG_UNWRITTEN);
}

/* The pane printed more than one log holds before it was read. */
TEST(a_first_log_may_be_the_old_one_meanwhile) {
	struct panelog p = open_log(NULL);
	struct log_mark mark;
	bool there;

	scratch_write(LOG, COMPLETE "```\n");
	rotate();
	panelog_mark(&p, &mark);
	ok(panelog_unread(scratch_fd, "7", &mark, &there));
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	scratch_write(LOG, COMPLETE "```\n" COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 0);
	forget(&p);

	p = open_log(NULL);
	scratch_write(LOG, COMPLETE);
	rotate();
	scratch_write(LOG, COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 2, 0);
	forget(&p);
}

TEST(an_old_log_of_an_earlier_run_is_not_read) {
	struct log_mark mark;
	struct panelog p;

	scratch_write(LOG, COMPLETE);
	rotate();
	panelog_end(scratch_fd, "7", &mark);
	mark.scan.offset = mark.begin = mark.read;
	p = open_log(&mark);
	is_number(panelog_read(&p, NULL), 0);
	is_hits(&p, 0, 0);
	scratch_write(LOG, COMPLETE);
	is_number(panelog_read(&p, NULL), 1);
	is_hits(&p, 1, 0);
	forget(&p);
}

/* As large a part as the budget allows, and the rest the next time. */
TEST(a_budget_is_kept_across_a_new_log) {
	struct panelog p = open_log(NULL);
	static char much[2000000];
	unsigned n = 0;

	memset(much, '.', sizeof(much) - 1);
	scratch_write(LOG, "```\n");
	scratch_add(LOG, much);
	scratch_add(LOG, "\n" COMPLETE "```\n");
	rotate();
	scratch_write(LOG, COMPLETE);
	do {
		uint64_t budget = 1;

		ok(panelog_read(&p, &budget) != -1);
		n++;
	} while (p.left > 0 && n < 1000);
	ok(n > 10);
	is_hits(&p, 1, 0);
	forget(&p);
}

/* ---- a marker scan of a file ------------------------------------------- */

/* A log that may grow, and the scan that reads it. */
struct reading {
	FILE *log;
	struct scanfile file;
};

static void
reading_begin(struct reading *r, const char *custom)
{
	struct marker_set marker;

	ok(marker_set_init(&marker, "7", NULL, custom) == 0);
	r->log = tmpfile();
	ok(r->log != NULL);
	r->file = (struct scanfile){
		.scan = marker_scan_new(&marker, NULL),
		.fd = fileno(r->log),
	};
}

static void
reading_end(struct reading *r)
{
	marker_scan_free(r->file.scan);
	fclose(r->log);
}

static void
add(struct reading *r, const char *text)
{
	fputs(text, r->log);
	fflush(r->log);
}

/* Adds lines without markers, of about that many bytes. */
static void
add_quiet(struct reading *r, size_t len)
{
	static const char line[] = "\033[32m+ a ## `b` of # many\033[0m\r\n";

	for (; len >= sizeof(line) - 1; len -= sizeof(line) - 1)
		fputs(line, r->log);
	for (; len > 1; len--)
		fputc('.', r->log);
	if (len > 0)
		fputc('\n', r->log);
	fflush(r->log);
}

static void
reads(struct reading *r, unsigned complete, unsigned error)
{
	struct marker_hits hits;

	ok(scanfile_read(&r->file, false, NULL) == 0);
	hits = marker_scan_hits(r->file.scan, true);
	is_number(hits.complete, complete);
	is_number(hits.error, error);
}

enum { LARGE = 1000 * 1000, BLOCK = 256 * 1024 };

TEST(what_holds_no_marker_is_only_searched) {
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	is_number(r.file.scan->now.offset, 0);
	is_number(r.file.ahead, LARGE);
	reading_end(&r);
}

TEST(a_little_is_fed_at_once) {
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, 5000);
	reads(&r, 0, 0);
	is_number(r.file.scan->now.offset, 5000);
	add(&r, "```\n###TASK_COMPLETE_7###\n``");
	reads(&r, 0, 0);
	add(&r, "`\n###TASK_COM");
	reads(&r, 0, 0);
	add(&r, "PLETE_7###");
	reads(&r, 1, 0);
	reading_end(&r);
}

TEST(a_fence_far_before_a_marker_is_known) {
	struct reading r;

	reading_begin(&r, NULL);
	add(&r, "```\n");
	add_quiet(&r, LARGE);
	add(&r, "###TASK_COMPLETE_7###\n");
	reads(&r, 0, 0);
	add_quiet(&r, LARGE);
	add(&r, "```\n");
	add_quiet(&r, LARGE);
	add(&r, "###TASK_ERROR_7###\n");
	add(&r, "no disk\n");
	add_quiet(&r, LARGE);
	reads(&r, 0, 1);
	reading_end(&r);
}

/* Wherever the blocks that are read end. */
TEST(a_marker_across_two_blocks_is_found) {
	static const char marker[] = "#\033[1m##TASK_ERROR_7###\r\nno disk";
	size_t before;

	for (before = 0; before <= sizeof(marker); before++) {
		struct reading r;
		struct buf message = BUF_INIT;

		reading_begin(&r, NULL);
		add_quiet(&r, BLOCK - before);
		add(&r, marker);
		add(&r, "\n");
		add_quiet(&r, LARGE);
		reads(&r, 0, 1);
		marker_scan_message(r.file.scan, &message);
		is_text(buf_str(&message), "no disk");
		buf_release(&message);
		reading_end(&r);
	}
}

TEST(hashes_at_the_end_of_a_block_are_looked_at_again) {
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, BLOCK - 2);
	add(&r, "## heading\n");
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	is_number(r.file.scan->now.offset, 0);
	reading_end(&r);
}

TEST(a_marker_that_arrives_in_parts_is_found_behind_much) {
	const char *p;
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	for (p = "\r\n###TASK_COMPLETE_7#"; *p != '\0'; p++) {
		char part[2] = { *p, '\0' };

		add(&r, part);
		reads(&r, 0, 0);
	}
	add(&r, "##");
	reads(&r, 1, 0);
	reading_end(&r);
}

TEST(a_custom_marker_of_one_byte_is_found) {
	struct reading r;

	reading_begin(&r, "%");
	add_quiet(&r, LARGE);
	add(&r, "100%");
	reads(&r, 1, 0);
	reading_end(&r);
}

TEST(settling_feeds_what_was_only_searched) {
	struct reading r;
	struct marker_state state;

	reading_begin(&r, NULL);
	add_quiet(&r, LARGE);
	add(&r, "~~~\n");
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	ok(scanfile_read(&r.file, true, NULL) == 0);
	is_number(r.file.scan->now.offset, 2 * LARGE + 4);
	state = r.file.scan->begin;
	is_number(state.fence.mark, '~');
	is_number(state.offset, 2 * LARGE + 4);
	reading_end(&r);
}

TEST(a_file_may_begin_in_the_middle_of_the_stream) {
	struct reading r;
	struct marker_set marker;
	const struct marker_state from = {
		.offset = 12345, .fence = { '`', 3 },
	};

	reading_begin(&r, NULL);
	marker = *&r.file.scan->set;
	marker_scan_free(r.file.scan);
	r.file.scan = marker_scan_new(&marker, &from);
	r.file.base = 12345 - 4;
	add(&r, "xxx\n");
	add_quiet(&r, LARGE);
	add(&r, "###TASK_COMPLETE_7###\n```\n###TASK_COMPLETE_7###\n");
	reads(&r, 1, 0);
	reading_end(&r);
}

TEST(a_file_that_became_shorter_is_read_to_its_end) {
	struct reading r;

	reading_begin(&r, NULL);
	add_quiet(&r, LARGE);
	reads(&r, 0, 0);
	ok(ftruncate(r.file.fd, 1000) == 0);
	reads(&r, 0, 0);
	ok(scanfile_read(&r.file, true, NULL) == 0);
	is_number(r.file.scan->now.offset, 1000);
	reading_end(&r);
}

/* A file of holes is read in no time, and says what it would with NULs. */
TEST(a_hole_is_passed_over) {
	static const char *const before[] = { "", "###TASK_", "```\n",
	    "\033]0;title", "###TASK_ERROR_7###\nno " };
	static const char *const behind[] = { "###TASK_COMPLETE_7###\n",
	    "COMPLETE_7###\n", "```\n###TASK_COMPLETE_7###\n",
	    "\a###TASK_COMPLETE_7###\n", "disk\n" };
	const off_t hole = (off_t)1 << 40;
	struct reading r;
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		reading_begin(&r, NULL);
		add(&r, before[i]);
		if (ftruncate(r.file.fd, hole) == -1) {
			reading_end(&r);
			continue;
		}
		fseeko(r.log, hole, SEEK_SET);
		add(&r, behind[i]);
		reads(&r, i != 4, i == 4);
		is_number(r.file.ahead, hole + (off_t)strlen(behind[i]));
		reading_end(&r);
	}
}

/* How often must be read on until the end. */
static unsigned
reads_in_parts(struct reading *r, uint64_t most)
{
	unsigned n = 0;
	int got = 1;

	while (got == 1 && n < 10000) {
		uint64_t budget = most, ahead = r->file.ahead;

		got = scanfile_read(&r->file, false, &budget);
		ok(r->file.ahead <= ahead + most + BLOCK);
		n++;
	}
	ok(got == 0);
	return n;
}

TEST(a_budget_ends_a_reading_that_goes_on_later) {
	struct marker_hits hits;
	struct reading r;

	reading_begin(&r, NULL);
	add(&r, "~~~\n");
	add_quiet(&r, LARGE);
	add(&r, "###TASK_COMPLETE_7###\n~~~\n");
	add_quiet(&r, LARGE);
	ok(reads_in_parts(&r, 100) > 6);
	add(&r, "###TASK_ERROR_7###\n");
	reads_in_parts(&r, 100);
	hits = marker_scan_hits(r.file.scan, true);
	is_number(hits.complete, 0);
	is_number(hits.error, 1);
	reading_end(&r);
}

TEST(what_cannot_be_read_is_an_error) {
	struct reading r;

	reading_begin(&r, NULL);
	r.file.fd = -1;
	errno = 0;
	ok(scanfile_read(&r.file, false, NULL) == -1 && errno == EBADF);
	reading_end(&r);
}

BEFORE_TESTS {
	ok(marker_set_init(&set, "7", RUN, NULL) == 0);
}
