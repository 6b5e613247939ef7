#include "handoff/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "handoff/commands.h"
#include "os/child.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "run/journal.h"
#include "run/statusdir.h"

enum {
	RUNNING = (NOTICE_LIMIT + NOTICE_GRACE + 1) * 1000,
	SOON = 5000,                    /* ms until the first repetition */
	LATE = 3600000,                 /* between two at most */
	MARK = 256                      /* bytes of the file that are read */
};

static const char BEGUN[] = "begun", FAILED[] = "failed", SENT[] = "sent";

/* ---- what is due --------------------------------------------------------- */

static bool
notice_wanted(const struct status *r, enum notice notice,
    const struct config *config)
{
	unsigned bit = notice == NOTICE_HANDOFF ? CONFIG_REFUSED :
	    1u << r->verdict.state;

	return config->notify != NULL && config->notify[0] != NULL &&
	    (config->notify_on & bit) != 0;
}

void
notice_take(struct status *r, enum state before, const struct config *config)
{
	if (r->verdict.state == before && before != STATE_ASKING)
		return;
	r->episode = r->changes;
	r->notice = notice_wanted(r, NOTICE_STATE, config) ? NOTICE_STATE :
	    NOTICE_NONE;
}

void
notice_take_handoff(struct status *r, const struct config *config)
{
	const struct handoff *h = &r->handoff;

	/* After an attempt by hand the person already sees the result. */
	if ((h->state == HANDOFF_REFUSED || h->state == HANDOFF_FAILED) &&
	    h->before == HANDOFF_PENDING &&
	    notice_wanted(r, NOTICE_HANDOFF, config))
		r->notice = NOTICE_HANDOFF;
	else if (r->notice == NOTICE_HANDOFF)
		r->notice = NOTICE_NONE;
}

/* ---- the last try ------------------------------------------------------- */

struct mark {
	char word[8];                   /* empty: the episode was not tried */
	msec since;                     /* wall time */
};

/* Reads the last try of an episode. */
static void
read_mark(struct mark *m, int state_fd, const char *issue, const char *episode)
{
	char name[ISSUE_FILE], of[MARK];
	struct buf text = BUF_INIT;
	struct stat st;

	issue_file(name, issue, "notice");
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text, MARK - 1) == 0 &&
	    sscanf(buf_str(&text), "%s %7s", of, m->word) == 2 &&
	    strcmp(of, episode) == 0 &&
	    fstatat(state_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		m->since = file_mtime(&st);
	else
		*m = (struct mark){ .since = 0 };
	buf_release(&text);
}

static int
write_mark(int state_fd, const char *issue, const char *episode,
    const char *word)
{
	char name[ISSUE_FILE], text[MARK];
	int len = snprintf(text, sizeof(text), "%s %s\n", episode, word);

	return file_replace(state_fd, issue_file(name, issue, "notice"), text,
	    (size_t)len, 0600);
}

msec
notice_wait(struct status *r, const struct config *config, int state_fd,
    msec wall)
{
	char episode[JOBENV_EPISODE];
	struct mark m;
	msec least, pause, left;

	if (r->notice == NOTICE_NONE)
		return CLOCK_NEVER;
	jobenv_episode(episode, r);
	read_mark(&m, state_fd, r->issue, episode);
	if (strcmp(m.word, SENT) == 0 || !notice_wanted(r, r->notice, config)) {
		r->notice = NOTICE_NONE;
		return CLOCK_NEVER;
	}
	if (m.word[0] == '\0')
		return 0;
	/* Each pause is as long as the episode was when it began. */
	least = strcmp(m.word, BEGUN) == 0 ? RUNNING : SOON;
	pause = m.since - r->since;
	pause = pause < least ? least : pause > LATE ? LATE : pause;
	left = m.since + pause - wall;
	/* What is further ahead is of a clock that was set back since. */
	return left > 0 && left <= LATE ? left : 0;
}

int
notice_end(int state_fd, const char *issue, const char *episode, bool sent)
{
	struct mark m;

	read_mark(&m, state_fd, issue, episode);
	return m.word[0] == '\0' ? 0 : write_mark(state_fd, issue, episode,
	    sent ? SENT : FAILED);
}

/* ---- sending ------------------------------------------------------------- */

/* Starts our own notify-run, which ends the command when its time is over. */
static int
notice_start(const struct context *c, const struct status *r)
{
	char **env = jobenv_environment(c, r, true), *self = proc_program();
	char **argv = argv_add_all(NULL, WORDS(self ? self : "paneward",
	    "notify-run", "--"));
	int in = jobenv_input(r), ret = -1;

	argv = argv_add_all(argv, (const char *const *)c->config.notify);
	if (in != -1)
		ret = spawn_detached(&(struct spawn_how){ .argv =
		    (const char *const *)argv, .env =
		    (const char *const *)env, .cwd = c->project.root }, in,
		    STDERR_FILENO);
	file_close(in);
	argv_free(env);
	argv_free(argv);
	free(self);
	return ret;
}

int
notice_send(const struct context *c, const struct status *r)
{
	int dir = c->dir.state_fd, saved;
	char episode[JOBENV_EPISODE];
	struct mark before;

	jobenv_episode(episode, r);
	read_mark(&before, dir, r->issue, episode);
	if (write_mark(dir, r->issue, episode, BEGUN) == -1)
		return -1;
	if (before.word[0] == '\0')
		journal_add(dir, c->dir.path, JOURNAL_NOTIFY, r,
		    jobenv_state(r));
	if (notice_start(c, r) == 0)
		return 0;
	saved = errno;
	notice_end(dir, r->issue, episode, false);
	errno = saved;
	return -1;
}

/* ---- the process itself -------------------------------------------------- */

/* True if the command succeeded.  It is over when its group is empty. */
static bool
notice_command(const char *issue, const char *const *words)
{
	struct spawn_gated s;
	struct child c;

	if (spawn_gated(&s, &(struct spawn_how){ .argv = words }, STDIN_FILENO,
	    STDERR_FILENO) == -1) {
		warn("cannot run the command of notify for issue '%s'", issue);
		return false;
	}
	child_init(&c, s.pid);
	c.whole = true;
	spawn_open_gate(&s);
	if (!child_wait(&c, -1, clock_now() + NOTICE_LIMIT * 1000)) {
		warnx("the command of notify for issue '%s' is ended after %d "
		    "seconds", issue, NOTICE_LIMIT);
		/* What is killed and stays, as a zombie, is not waited for. */
		child_stop(&c, NOTICE_GRACE * 1000);
		if (!child_wait(&c, -1, c.kill_at))
			child_stop(&c, 0);
		return false;
	}
	if (c.status != 0)
		warnx("the command of notify for issue '%s' failed (exit %d)",
		    issue, WIFSIGNALED(c.status) ? 128 + WTERMSIG(c.status) :
		    WEXITSTATUS(c.status));
	return c.status == 0;
}

static int
notice_main(const struct command *c, int argc, char **argv)
{
	const char *issue = getenv("PANEWARD_ISSUE");
	const char *path = getenv("PANEWARD_STATUS_DIR");
	const char *episode = getenv("PANEWARD_EPISODE");
	struct statusdir dir = STATUSDIR_INIT;
	bool sent;

	while (command_option(c, argc, argv) != -1)
		continue;
	if (optind == argc || issue == NULL || !issue_valid(issue) ||
	    path == NULL || episode == NULL)
		command_usage(c, "is run by paneward itself");
	sent = notice_command(issue, (const char *const *)argv + optind);
	context_statusdir(&dir, path);
	if (notice_end(dir.state_fd, issue, episode, sent) == -1)
		warn("cannot record the end of the command of notify for "
		    "issue '%s' in '%s'", issue, path);
	return sent ? EXIT_DONE : EXIT_NO;
}

const struct command noticerun_command = {
	.name = "notify-run",
	.arguments = "-- WORD...",
	.options = (const struct command_option[]){ { 0 } },
	.run = notice_main,
};
