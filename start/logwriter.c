/*
 * logwriter.c - the other end of a pane's pipe writes output-<issue>.log.
 *
 * tmux keeps unread output without a limit, so the writer never stops reading:
 * what a full disk refuses is lost.  Every read is written at once: a line held
 * back could be a missed completion.  <issue>.pipe in .paneward records the
 * writer for watchers.
 */
#include <signal.h>
#include <sys/mman.h>

#include "os/loop.h"
#include "paneward.h"
#include "project/statusdir.h"
#include "run/panelog.h"

enum {
	BUFFER = 64 << 10,
	QUIET = 1000                    /* ms; then the buffer is given back */
};

struct writer {
	struct statusdir dir;
	const char *issue, *pane;
	uint64_t cap;
	int      fd;                    /* -1: none */
};

/* Without a log it is not recorded: the watcher reads the screen. */
static void
writer_begin(struct writer *w)
{
	struct stat st;

	file_close(w->fd);
	w->fd = file_open_own(w->dir.fd, PANELOG_OF(w->issue, ""),
	    O_WRONLY | O_APPEND | O_CREAT, &st);
	if (w->fd != -1)
		panelog_register(w->dir.state_fd, w->issue, w->pane);
	else
		panelog_unregister(w->dir.state_fd, w->issue, w->pane);
}

static int
logwriter_run(const struct command *c, int argc, char **argv)
{
	char name[PANELOG_NAME], old[PANELOG_NAME + 2], *buffer;
	struct writer w = { .fd = -1 };
	struct buf error = BUF_INIT;
	struct stat st, named;
	bool full = false;
	ssize_t n;

	command_option(c, argc, argv, NULL);
	/* Signals of the terminal are for the agent. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	w.issue = command_issue(c, argv[1]);
	w.cap = strtoull(argv[3], NULL, 10);
	w.pane = argv[4];
	panelog_name(name, w.issue, "");
	snprintf(old, sizeof(old), "%s.1", name);
	/* A directory that is gone may have moved with its project. */
	if (statusdir_open(&w.dir, xstrdup(argv[2]), false, &error) == -1)
		fatalx("%s", buf_str(&error));
	if (w.dir.state_fd == -1)
		fatalx("no status directory '%s'", argv[2]);
	/* A process in a work tree hinders its removal. */
	if (chdir("/") == -1)
		warn("cannot change to '/'");
	writer_begin(&w);
	buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		fatal("cannot get %d bytes", BUFFER);
	for (;;) {
		if (!loop_await(STDIN_FILENO, POLLIN, full ?
		    clock_now() + QUIET : CLOCK_NEVER)) {
			madvise(buffer, BUFFER, MADV_DONTNEED);
			full = false;
			continue;
		}
		n = read(STDIN_FILENO, buffer, BUFFER);
		if (n == 0 || (n == -1 && errno != EINTR && errno != EAGAIN))
			break;
		full = full || n > 4096;
		if (n == -1)
			continue;
		/* The log may have been emptied, moved or removed. */
		if (statusdir_reopen(&w.dir, false) ||
		    fstat(w.fd, &st) == -1 || fstatat(w.dir.fd, name, &named,
		    AT_SYMLINK_NOFOLLOW) == -1 || named.st_ino != st.st_ino ||
		    named.st_dev != st.st_dev)
			writer_begin(&w);
		if (fstat(w.fd, &st) == 0 && (uint64_t)st.st_size >= w.cap &&
		    renameat(w.dir.fd, name, w.dir.fd, old) == 0)
			writer_begin(&w);
		file_write(w.fd, buffer, (size_t)n);    /* or is lost */
	}
	panelog_unregister(w.dir.state_fd, w.issue, w.pane);
	return EXIT_DONE;
}

const struct command logwriter_command = {
	.name = "log-writer",
	.arguments = "ISSUE STATUS-DIRECTORY BYTES PANE",
	.run = logwriter_run,
};
