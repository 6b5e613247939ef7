#include "notice/notice.h"

#include "run/journal.h"

enum {
	/* ms between two lines of notify-run */
	RUNNING = TMUX_LIMIT + (NOTICE_LIMIT + NOTICE_GRACE + 3) * 1000,
	/* ms until the first repetition; between two at most; bytes */
	SOON = 5000, LATE = 3600000, MARK_MOST = 32768
};

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

	/* A person sees an attempt by hand. */
	if ((h->state == HANDOFF_REFUSED || h->state == HANDOFF_FAILED) &&
	    h->before == HANDOFF_PENDING &&
	    notice_wanted(r, NOTICE_HANDOFF, config))
		r->notice = NOTICE_HANDOFF;
	else if (r->notice == NOTICE_HANDOFF)
		r->notice = NOTICE_NONE;
}

void
noticemark_read(struct noticemark *m, int state_fd, const char *issue,
    const char *episode)
{
	const char *name = ISSUE_NAME(issue, "notice");
	struct buf text = BUF_INIT;
	size_t len = strlen(episode);
	const char *line, *end;
	struct stat st;
	char *own;

	*m = (struct noticemark){ .since = 0 };
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text, MARK_MOST) == 0 &&
	    fstatat(state_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		m->since = file_mtime(&st);
	else
		buf_reset(&text);
	/* A last line without a line feed is cut off. */
	for (line = buf_str(&text); (end = strchr(line, '\n')) != NULL;
	    line = end + 1) {
		if (strncmp(line, episode, len) != 0 || line[len] != ' ')
			continue;
		line += len + 1;
		own = xasprintf("%.*s", (int)(end - line), line);
		m->lines = argv_own(m->lines, own);
		/* A line without a way is the try's result. */
		if (strchr(own, ' ') == NULL && strlen(own) < sizeof(m->word))
			memcpy(m->word, own, strlen(own) + 1);
	}
	buf_release(&text);
}

bool
noticemark_has(const struct noticemark *m, const char *word, const char *way)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %s", word, way);
	return argv_has(m->lines, line);
}

int
noticemark_begin(int state_fd, const char *issue, const char *episode,
    const char *word, const struct noticemark *before)
{
	char **known = before != NULL ? before->lines : NULL;
	char **p, **kept = NULL;
	struct buf text = BUF_INIT;
	int ret;

	for (p = known; p != NULL && *p != NULL; p++)
		if (strchr(*p, ' ') != NULL && !argv_has(kept, *p)) {
			kept = argv_add(kept, *p);
			buf_printf(&text, "%s %s\n", episode, *p);
		}
	argv_free(kept);
	buf_printf(&text, "%s %s\n", episode, word);
	/* Only a repeated try waits for a sync: a lost first one is due
	 * again. */
	ret = file_put(state_fd, ISSUE_NAME(issue, "notice"), text.data,
	    text.len, 0600, known != NULL);
	buf_release(&text);
	return ret;
}

int
noticemark_add(int state_fd, const char *issue, const char *episode,
    const char *word, const char *way)
{
	struct buf line = BUF_INIT;
	struct stat st;
	int fd, ret;

	fd = file_open_own(state_fd, ISSUE_NAME(issue, "notice"),
	    O_WRONLY | O_APPEND, &st);
	if (fd == -1)                   /* without a file there is no run */
		return errno == ENOENT ? 0 : -1;
	buf_printf(&line, "%s %s%s%s\n", episode, word, way ? " " : "",
	    way ? way : "");
	ret = file_write(fd, line.data, line.len) == -1 ? -1 : fsync(fd);
	file_close(fd);
	buf_release(&line);
	return ret;
}

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
	argv_free(m.lines);
	/* The first try finds out whether a client in use shows the pane. */
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
	/* A pause is as long as the episode so far. */
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
	/* The end of a try is no event. */
	return open && left > NOTICE_JOIN ? NOTICE_JOIN : left;
}

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
	argv_free(before.lines);
	if (ret == -1)
		return -1;
	/* No argument may hold a way's address. */
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
	/* The journal's sync must not delay the notice. */
	if (first)
		journal_add(dir, c->dir.path, JOURNAL_NOTIFY, r,
		    jobenv_state(r));
	if (ret == 0)
		return 0;
	noticemark_add(dir, r->issue, episode, "failed", NULL);
	errno = saved;
	return -1;
}
