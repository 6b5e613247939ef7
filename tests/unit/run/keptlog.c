#include "run/keptlog.h"

#include <time.h>

#include "scratch.h"
#include "unit/fixture.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"
#define LATER "9123abcd-1111-4222-8333-444444444444"
#define LOGS "s/.paneward/logs/"
#define KEPT LOGS "42-" RUN ".log"
#define LOG "s/output-42.log"
#define WATCH "s/.paneward/42.watch.log"

static struct statusdir dir = STATUSDIR_INIT;
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
	int n = keptlog_read(&dir, "42", run, take_text, &len, &why);

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
	run("rm -rf s");
	ok(statusdir_open(&dir, strdup(scratch_path("s")), true, &error) == 0);
	buf_release(&error);
}

/* tests/system/kept.sh kills real ones at each call, and removes old ones. */
TEST(a_log_whose_place_is_taken_stays_until_there_is_gzip) {
	char *path = strdup(getenv("PATH"));

	begin();
	scratch_write(LOG, "one\n");
	setenv("PATH", "/nowhere", 1);
	is_number(put(), 1);
	is_text(kept(RUN), "one\n");
	scratch_write(LOG, "two\n");
	is_number(put(), -1);
	is_text(scratch_text(LOG), "two\n");
	setenv("PATH", path, 1);
	scratch_write(KEPT ".gz.new", "half");
	is_number(put(), 0);
	is_text(kept(RUN), "one\ntwo\n");
	is_number(scratch_count(LOGS), 1);
	free(path);
}

TEST(what_is_no_log_is_left) {
	begin();
	scratch_write("precious", "precious");
	ok(symlink(scratch_path("precious"), scratch_path(LOG)) == 0);
	scratch_folder(LOG ".1");
	scratch_write(WATCH, "");
	is_number(put(), 0);
	is_text(kept(RUN), "nothing");
	ok(scratch_there(LOG) && scratch_there(WATCH));
}

/* A kept log of so many days. */
static void
keep_old(const char *name, int days)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - days * 86400L },
	    { .tv_sec = time(NULL) - days * 86400L } };

	scratch_write(name, "no gzip");
	ok(utimensat(scratch_fd, name, times, 0) == 0);
}

TEST(the_newest_run_is_found) {
	char run[RUN_ID_LEN + 1];

	begin();
	ok(!keptlog_find(dir.state_fd, "42", "", run));
	keep_old(LOGS "42-" RUN ".log.gz", 2);
	keep_old(LOGS "42-" LATER ".log", 1);
	keep_old(LOGS "4-" RUN ".log", 0);
	keep_old(LOGS "42-" RUN ".watch.log", 0);
	ok(keptlog_find(dir.state_fd, "42", "", run));
	is_text(run, LATER);
	ok(keptlog_find(dir.state_fd, "42", "0123", run));
	is_text(run, RUN);
	ok(!keptlog_find(dir.state_fd, "2", "", run));
	/* A damaged one is told. */
	is_text(kept(RUN), "unreadable");
	is_text(kept("0123abcd-1111-4222-8333-444444444445"), "nothing");
}

AFTER_TESTS {
	statusdir_close(&dir);
}
