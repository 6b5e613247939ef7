#include "handoff/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "os/usercommand.h"
#include "run/handoffstate.h"
#include "run/journal.h"

enum {
	RUNNING = (NOTICE_LIMIT + NOTICE_GRACE + 1) * 1000,
	SOON = 5000,                    /* ms until the first repetition */
	LATE = 3600000,                 /* and between two at most */
	MARK = 256                      /* bytes of the file */
};

static const char BEGUN[] = "begun", FAILED[] = "failed", SENT[] = "sent";

/* ---- what is due --------------------------------------------------------- */

static unsigned
bit(const struct status *r, enum notice notice)
{
	switch (notice) {
	case NOTICE_STATE:   return 1u << r->verdict.state;
	case NOTICE_HANDOFF: return CONFIG_REFUSED;
	default:             return 0;
	}
}

static bool
wanted(const struct status *r, enum notice notice, const struct config *config)
{
	return config->notify != NULL && config->notify[0] != NULL &&
	    (config->notify_on & bit(r, notice)) != 0;
}

void
notice_take(struct status *r, enum state before, const struct config *config)
{
	if (r->verdict.state == before && before != STATE_ASKING)
		return;
	r->episode = r->changes;
	r->notice = wanted(r, NOTICE_STATE, config) ? NOTICE_STATE :
	    NOTICE_NONE;
}

void
notice_take_handoff(struct status *r, const struct config *config)
{
	const struct handoff *h = &r->handoff;

	/* One that was over before was tried again by a person, who sees it. */
	if ((h->state == HANDOFF_REFUSED || h->state == HANDOFF_FAILED) &&
	    h->before == HANDOFF_PENDING && wanted(r, NOTICE_HANDOFF, config))
		r->notice = NOTICE_HANDOFF;
	else if (r->notice == NOTICE_HANDOFF)
		r->notice = NOTICE_NONE;
}

/* ---- what was tried ------------------------------------------------------ */

struct mark {
	char word[8];                   /* empty: nothing, of this episode */
	msec since;                     /* wall time */
};

static void
mark_name(char name[STATUS_NAME], const char *issue)
{
	snprintf(name, STATUS_NAME, "%s.notice", issue);
}

/* What the file says of an episode. */
static void
read_mark(struct mark *m, int state_fd, const char *issue, const char *episode)
{
	char name[STATUS_NAME];
	struct buf text = BUF_INIT;
	size_t len = strlen(episode);
	struct stat st;

	*m = (struct mark){ .since = 0 };
	mark_name(name, issue);
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text, MARK) == 0 &&
	    strncmp(buf_str(&text), episode, len) == 0 &&
	    text.data[len] == ' ' &&
	    fstatat(state_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		snprintf(m->word, sizeof(m->word), "%.*s",
		    (int)strcspn(text.data + len + 1, "\n"),
		    text.data + len + 1);
		m->since = (msec)st.st_mtim.tv_sec * 1000 +
		    st.st_mtim.tv_nsec / 1000000;
	}
	buf_release(&text);
}

static int
write_mark(int state_fd, const char *issue, const char *episode,
    const char *word)
{
	char name[STATUS_NAME], text[MARK];
	int len = snprintf(text, sizeof(text), "%s %s\n", episode, word);

	mark_name(name, issue);
	return file_replace(state_fd, name, text, (size_t)len, 0600);
}

/* Each pause is as long as the episode was when it began, within limits. */
static msec
pause_after(const struct mark *m, msec since)
{
	msec least = strcmp(m->word, BEGUN) == 0 ? RUNNING : SOON;
	msec age = m->since - since;

	return age < least ? least : age > LATE ? LATE : age;
}

msec
notice_wait(struct status *r, const struct config *config, int state_fd,
    msec wall)
{
	char episode[JOBENV_EPISODE];
	struct mark m;
	msec left;

	if (r->notice == NOTICE_NONE)
		return CLOCK_NEVER;
	jobenv_episode(episode, r);
	read_mark(&m, state_fd, r->issue, episode);
	if (strcmp(m.word, SENT) == 0 || !wanted(r, r->notice, config)) {
		r->notice = NOTICE_NONE;
		return CLOCK_NEVER;
	}
	if (m.word[0] == '\0')
		return 0;
	left = m.since + pause_after(&m, r->since) - wall;
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

/* Our own notify-run, which ends the command when its time is over. */
static char **
runner_argv(const struct config *config)
{
	char *self = proc_program(), **argv = NULL;
	char *const *word;

	argv = argv_add(argv, self ? self : "paneward");
	argv = argv_add(argv, "notify-run");
	argv = argv_add(argv, "--");
	for (word = config->notify; *word != NULL; word++)
		argv = argv_add(argv, *word);
	free(self);
	return argv;
}

static int
start(const struct job_env *b)
{
	char **env = jobenv_environment(b), **argv = runner_argv(b->config);
	int in = jobenv_input(b->record), ret = -1, saved;

	if (in != -1)
		ret = spawn_beside(&(struct spawn_how){ .argv =
		    (const char *const *)argv, .env =
		    (const char *const *)env, .cwd = b->project->root }, in);
	saved = errno;
	if (in != -1)
		close(in);
	argv_free(env);
	argv_free(argv);
	errno = saved;
	return ret;
}

int
notice_send(const struct job_env *b)
{
	const struct status *r = b->record;
	char episode[JOBENV_EPISODE];
	struct mark before;
	int ret, saved;

	jobenv_episode(episode, r);
	read_mark(&before, b->dir->state_fd, r->issue, episode);
	if (write_mark(b->dir->state_fd, r->issue, episode, BEGUN) == -1)
		return -1;
	if (before.word[0] == '\0')
		journal_add(b->dir->state_fd, b->dir->path, JOURNAL_NOTIFY, r,
		    jobenv_state(r));
	ret = start(b);
	saved = errno;
	if (ret == -1)
		notice_end(b->dir->state_fd, r->issue, episode, false);
	errno = saved;
	return ret;
}
