#include "notice/notice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argv.h"
#include "os/file.h"
#include "os/spawn.h"
#include "queue/row.h"
#include "run/journal.h"
#include "tmux/tmux.h"

enum {
	/* What notify-run may take between two lines of its mark: it asks tmux,
	 * and sends in one way. */
	RUNNING = TMUX_LIMIT + (NOTICE_LIMIT + NOTICE_GRACE + 3) * 1000,
	SOON = 5000,                    /* ms until the first repetition */
	LATE = 3600000                  /* between two at most */
};

/* ---- what is due --------------------------------------------------------- */

bool
notice_wanted(const struct status *r, enum notice notice,
    const struct config *config)
{
	unsigned bit = notice == NOTICE_HANDOFF ? CONFIG_REFUSED :
	    1u << r->verdict.state;

	return config->notify.n > 0 && (config->notify_on & bit) != 0;
}

void
notice_take(struct status *r, const struct config *config)
{
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

/* ---- when ---------------------------------------------------------------- */

msec
notice_wait(struct status *r, const struct config *config, int state_fd,
    msec wall)
{
	char episode[JOBENV_EPISODE], shown[SEEN_EPISODE];
	struct noticemark m;
	msec pause, left, age;
	bool open;

	if (r->notice == NOTICE_NONE)
		return CLOCK_NEVER;
	jobenv_episode(episode, r);
	seen_episode(shown, r);
	noticemark_read(&m, state_fd, r->issue, episode);
	buf_release(&m.lines);
	/* The first try is made though it was seen: it finds out whether the
	 * client that shows the pane is in use. */
	if (strcmp(m.word, "seen") == 0 ||
	    seen_read(state_fd, r->issue, shown) >
	    (m.word[0] == '\0' ? SEEN_ONCE : SEEN_NOT) ||
	    (strcmp(m.word, "sent") == 0 && config->notify_again == 0) ||
	    !notice_wanted(r, r->notice, config)) {
		r->notice = NOTICE_NONE;
		return CLOCK_NEVER;
	}
	if (m.word[0] == '\0')
		return 0;
	/* Each pause is as long as the episode was when it began. */
	open = strcmp(m.word, "begun") == 0 || strcmp(m.word, "again") == 0;
	age = m.since - r->since;
	pause = open ? RUNNING : SOON;
	pause = age < pause ? pause : age > LATE ? LATE : age;
	if (strcmp(m.word, "sent") == 0)
		pause = config->notify_again * 1000;
	left = m.since + pause - wall;
	/* A mark in the future comes from before the clock was set back. */
	if (left <= 0 || left > pause)
		return 0;
	/* No event tells the end of a try. */
	return open && left > NOTICE_JOIN ? NOTICE_JOIN : left;
}

/* ---- sending ------------------------------------------------------------- */

int
notice_send(const struct context *c, const struct status *r)
{
	int dir = c->dir.state_fd, saved, ret, in;
	const char *own = r->worktree != NULL ? r->worktree : r->cwd;
	char **env, episode[JOBENV_EPISODE];
	struct buf text = BUF_INIT;
	struct noticemark before;
	bool first, again;

	jobenv_episode(episode, r);
	noticemark_read(&before, dir, r->issue, episode);
	first = before.word[0] == '\0';
	again = strcmp(before.word, "sent") == 0;
	ret = noticemark_begin(dir, r->issue, episode, again ? "again" :
	    "begun", again ? NULL : &before);
	buf_release(&before.lines);
	if (ret == -1)
		return -1;
	/* notify-run reads the ways, whose addresses are not for arguments, and
	 * the record.  An agent without an issue has no project but its
	 * folder. */
	if (r->name == NULL || own == NULL || access(own, X_OK) == -1)
		own = c->project.root;
	env = jobenv_environment(c, r, true);
	noticeways_print(&text, &c->config.notify);
	buf_addc(&text, '\n');
	status_print(&text, r);
	buf_addc(&text, '\n');
	in = jobenv_pipe(&text);
	buf_release(&text);
	ret = in == -1 ? -1 : spawn_detached(&(struct spawn_how){ .argv =
	    WORDS(proc_program(), "notify-run"), .env =
	    (const char *const *)env, .cwd = own }, in, STDERR_FILENO);
	saved = errno;
	file_close(in);
	argv_free(env);
	/* Syncing it must not delay the notice. */
	if (first)
		journal_add(dir, c->dir.path, JOURNAL_NOTIFY, r,
		    jobenv_state(r));
	if (ret == 0)
		return 0;
	noticemark_add(dir, r->issue, episode, "failed", NULL);
	errno = saved;
	return -1;
}
