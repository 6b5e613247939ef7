#include "run/keptlog.h"

#include <errno.h>
#include <time.h>

#include "scratch.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"
#define LATER "9123abcd-1111-4222-8333-444444444444"
#define LOGS ".paneward/logs/"
#define KEPT LOGS "42-" RUN ".log"

static struct statusdir dir;
static char read_text[4096];

static void
take_text(void *context, int fd)
{
	size_t *len = context;
	ssize_t n;

	while ((n = read(fd, read_text + *len, sizeof(read_text) - 1 -
	    *len)) > 0)
		*len += (size_t)n;
	read_text[*len] = '\0';
}

/* All that is kept of the run's pane log. */
static const char *
kept(const char *run)
{
	struct buf why = BUF_INIT;
	size_t len = 0;
	int n;

	read_text[0] = '\0';
	n = keptlog_read(&dir, "42", run, take_text, &len, &why);
	buf_release(&why);
	return n > 0 ? read_text : n == 0 ? "nothing" : "unreadable";
}

static int
put(void)
{
	struct buf why = BUF_INIT;
	int got = keptlog_put(&dir, "42", RUN, &why);

	ok((got == 0) == (why.len == 0));
	buf_release(&why);
	return got;
}

static void
begin(void)
{
	struct buf error = BUF_INIT;

	statusdir_close(&dir);
	if (scratch_there("s"))
		ok(nftw(scratch_path("s"), scratch_remove, 16,
		    FTW_DEPTH | FTW_PHYS) == 0);
	ok(statusdir_open(&dir, strdup(scratch_path("s")), true, &error) == 0);
	buf_release(&error);
}

TEST(a_log_moves_and_becomes_smaller) {
	begin();
	scratch_write("s/output-42.log.1", "first\n");
	scratch_write("s/output-42.log", "second\n");
	scratch_write("s/.paneward/42.watch.log", "watched\n");
	is_number(put(), 0);
	ok(!scratch_there("s/output-42.log"));
	ok(!scratch_there("s/output-42.log.1"));
	ok(!scratch_there("s/.paneward/42.watch.log"));
	ok(scratch_there("s/" KEPT ".gz"));
	ok(scratch_there("s/" LOGS "42-" RUN ".watch.log.gz"));
	is_number(scratch_count("s/" LOGS), 2);
	is_text(kept(RUN), "first\nsecond\n");
}

TEST(what_comes_later_is_added) {
	begin();
	scratch_write("s/output-42.log", "one\n");
	is_number(put(), 0);
	is_number(put(), 0);
	is_text(kept(RUN), "one\n");
	scratch_write("s/output-42.log.1", "two\n");
	scratch_write("s/output-42.log", "three\n");
	is_number(put(), 0);
	is_text(kept(RUN), "one\ntwo\nthree\n");
	is_number(scratch_count("s/" LOGS), 1);
}

/* Each is what a killed attempt may leave. */
TEST(an_attempt_goes_on_where_another_one_was_killed) {
	begin();
	scratch_write("s/" KEPT ".1", "one\n");
	scratch_write("s/output-42.log", "two\n");
	is_text(kept(RUN), "one\n");
	is_number(put(), 0);
	is_text(kept(RUN), "one\ntwo\n");
	scratch_write("s/" KEPT, "two\n");              /* a leftover */
	is_text(kept(RUN), "one\ntwo\n");
	is_number(put(), 0);
	is_text(kept(RUN), "one\ntwo\n");
	ok(rename(scratch_path("s/" KEPT ".gz"),
	    scratch_path("s/" KEPT ".0.gz")) == 0);
	scratch_write("s/" KEPT ".gz.new", "half");
	scratch_write("s/output-42.log", "three\n");
	is_text(kept(RUN), "one\ntwo\n");
	is_number(put(), 0);
	is_text(kept(RUN), "one\ntwo\nthree\n");
	is_number(scratch_count("s/" LOGS), 1);
}

TEST(without_gzip_a_log_is_kept_as_it_is) {
	char *path = strdup(getenv("PATH"));

	begin();
	scratch_write("s/output-42.log", "one\n");
	setenv("PATH", "/nowhere", 1);
	is_number(put(), 1);
	is_text(scratch_text("s/" KEPT), "one\n");
	is_text(kept(RUN), "one\n");
	is_number(scratch_count("s/" LOGS), 1);
	/* Its place is taken. */
	scratch_write("s/output-42.log", "two\n");
	is_number(put(), -1);
	is_text(scratch_text("s/output-42.log"), "two\n");
	setenv("PATH", path, 1);
	is_number(put(), 0);
	is_text(kept(RUN), "one\ntwo\n");
	free(path);
}

TEST(what_is_no_log_is_left) {
	begin();
	scratch_write("precious", "precious");
	ok(symlink(scratch_path("precious"),
	    scratch_path("s/output-42.log")) == 0);
	scratch_folder("s/output-42.log.1");
	scratch_write("s/.paneward/42.watch.log", "");
	is_number(put(), 0);
	is_text(kept(RUN), "nothing");
	ok(scratch_there("s/output-42.log"));
	ok(scratch_there("s/.paneward/42.watch.log"));
	ok(keptlog_source("42", false, "output-42.log.1.old"));
	ok(keptlog_source("42", true, "42.watch.log"));
	ok(!keptlog_source("42", false, "42.watch.log"));
	ok(!keptlog_source("42", true, "42.records"));
	ok(!keptlog_source("42", false, "output-4.log"));
}

TEST(a_link_in_its_place_is_not_followed) {
	begin();
	scratch_folder("theirs");
	ok(symlink(scratch_path("theirs"),
	    scratch_path("s/.paneward/logs")) == 0);
	scratch_write("s/output-42.log", "one\n");
	is_number(put(), -1);
	is_number(scratch_count("theirs"), 0);
	is_text(scratch_text("s/output-42.log"), "one\n");
	is_text(kept(RUN), "nothing");
	keptlog_prune(dir.state_fd, 0, clock_wall());
}

/* A kept log of so many bytes and days. */
static void
keep_old(const char *name, size_t size, int days)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - days * 86400L },
	    { .tv_sec = time(NULL) - days * 86400L } };
	char bytes[1000] = "";

	scratch_put(name, O_TRUNC, bytes, size);
	ok(utimensat(scratch_fd, name, times, 0) == 0);
}

TEST(old_ones_go_and_the_oldest_of_too_many) {
	begin();
	keep_old("s/" LOGS "1-" RUN ".log.gz", 100, 31);
	keep_old("s/" LOGS "2-" RUN ".log", 100, 29);
	keep_old("s/" LOGS "3-" RUN ".watch.log.gz", 100, 3);
	keep_old("s/" LOGS "a-b_c-" RUN ".log.gz.new", 100, 2);
	keep_old("s/" LOGS "notes.log.gz", 1000, 100);
	scratch_folder("s/" LOGS "5-" RUN ".log.gz");
	keptlog_prune(dir.state_fd, 300, clock_wall());
	ok(!scratch_there("s/" LOGS "1-" RUN ".log.gz"));
	is_number(scratch_count("s/" LOGS), 5);
	keptlog_prune(dir.state_fd, 299, clock_wall());
	ok(!scratch_there("s/" LOGS "2-" RUN ".log"));
	is_number(scratch_count("s/" LOGS), 4);
	keptlog_prune(dir.state_fd, 0, clock_wall());
	is_number(scratch_count("s/" LOGS), 2);
	ok(scratch_there("s/" LOGS "notes.log.gz"));
}

TEST(the_newest_run_is_found) {
	char run[RUN_ID_LEN + 1];

	begin();
	ok(!keptlog_find(dir.state_fd, "42", "", run));
	keep_old("s/" LOGS "42-" RUN ".log.gz", 1, 2);
	keep_old("s/" LOGS "42-" LATER ".log", 1, 1);
	keep_old("s/" LOGS "4-" RUN ".log", 1, 0);
	keep_old("s/" LOGS "42-" RUN ".watch.log", 1, 0);
	ok(keptlog_find(dir.state_fd, "42", "", run));
	is_text(run, LATER);
	ok(keptlog_find(dir.state_fd, "42", "0123", run));
	is_text(run, RUN);
	ok(!keptlog_find(dir.state_fd, "42", "1", run));
	ok(!keptlog_find(dir.state_fd, "2", "", run));
}

TEST(a_damaged_one_is_told) {
	begin();
	scratch_folder("s/" LOGS);
	scratch_write("s/" KEPT ".gz", "no gzip");
	is_text(kept(RUN), "unreadable");
	is_text(kept(LATER), "nothing");
}

BEFORE_TESTS {
	dir = (struct statusdir)STATUSDIR_INIT;
}

AFTER_TESTS {
	statusdir_close(&dir);
}
