/*
 * manager.c - the table of session managers, what they have in common, and the
 * one without a terminal, whose keeper copies the agent's output into the log.
 */
#include "loop/engine.h"

#include <sys/file.h>
#include <sys/wait.h>

#include "data/template.h"
#include "os/spawn.h"

/* In the order in which `auto` tries them: first those with a terminal. */
static const struct session_manager *const managers[] = {
	&tmux_manager, &zellij_manager, &native_manager,
};

enum {
	MANAGERS = sizeof(managers) / sizeof(managers[0]),
	ORPHAN = 1000, NAP = 10         /* ms */
};

const struct session_manager *
manager_named(const char *name)
{
	size_t i;

	for (i = 0; i < MANAGERS; i++)
		if (strcmp(managers[i]->name, name) == 0)
			return managers[i];
	return NULL;
}

const struct session_manager *
manager_find(const char *name, struct buf *why)
{
	bool any = strcmp(name, "auto") == 0, missing;
	const struct session_manager *m;
	char *path;
	size_t i;

	for (i = 0; i < MANAGERS; i++) {
		m = managers[i];
		if (!any && strcmp(m->name, name) != 0)
			continue;
		buf_reset(why);
		path = m->program != NULL ? spawn_find(m->program) : NULL;
		missing = m->program != NULL && path == NULL;
		free(path);
		if (missing)
			buf_printf(why, "no %s in PATH", m->program);
		else if (m->present == NULL || m->present(why))
			return m;
	}
	return NULL;
}

int
session_open(struct loop_session *s, struct buf *why)
{
	char number[4][24];
	const char *const keeper[] = { proc_program(), "loop-agent", s->title,
	    s->name, s->dir->path, number[0], number[1], number[2], number[3],
	    s->input ? "input" : "null", s->issue ? s->issue : "-",
	    s->backend, NULL };
	char name[LOOP_FILE];
	struct proc p = { 0 };
	int ret = -1;

	loop_log_name(name, s->name, s->iteration);
	if (proc_read(&p, getpid()) == 0) {
		unlinkat(s->dir->state_fd, name, 0);
		s->log = openat(s->dir->state_fd, name, O_RDWR | O_CREAT |
		    O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	}
	if (s->log == -1) {
		buf_adds(why, strerror(errno));
	} else {
		snprintf(number[0], sizeof(number[0]), "%ld", s->iteration);
		snprintf(number[1], sizeof(number[1]), "%ld", (long)p.pid);
		snprintf(number[2], sizeof(number[2]), "%llu",
		    (unsigned long long)p.start);
		snprintf(number[3], sizeof(number[3]), "%d", s->manager->way);
		ret = s->manager->create(s, keeper, why);
	}
	if (s->keeper > 0 && proc_read(&p, s->keeper) == 0)
		s->keeper_start = p.start;
	return ret;
}

/* Reads which process the agent is, if it is not recorded as ended. */
static bool
read_session_agent(const struct loop_session *s, struct launched *l)
{
	return launched_read(l, s->dir->state_fd, s->title,
	    s->launch.run) == 1 && l->pid > 1 && !l->ended;
}

bool
session_runs(const struct loop_session *s)
{
	struct launched l;

	if (s->keeper > 0)
		return proc_alive(s->keeper, s->keeper_start);
	return read_session_agent(s, &l) && proc_alive(l.pid, l.start);
}

void
session_signal(const struct loop_session *s, int signo)
{
	if (s->keeper > 0 && proc_alive(s->keeper, s->keeper_start))
		kill(s->keeper, signo);
}

bool
session_await_log(const struct loop_session *s, msec patience)
{
	bool free = file_lock(s->log, patience) == 0;

	if (free)
		flock(s->log, LOCK_UN);
	return free;
}

void
session_destroy(struct loop_session *s)
{
	msec until = clock_now() + ORPHAN;
	struct launched l;
	struct proc p;

	session_signal(s, SIGKILL);
	/* An agent that has ended unseen may have left others in its group;
	 * until they end its number is not reused. */
	if (read_session_agent(s, &l) && (proc_read(&p, l.pid) == -1 ||
	    p.start == l.start))
		kill(-l.pid, SIGKILL);
	/* The keeper still records the agent's end; the record is removed
	 * after that. */
	while (s->keeper == 0 && clock_now() < until &&
	    read_session_agent(s, &l))
		loop_pause(NAP);
	s->keeper = 0;
	launch_remove(s->dir->state_fd, s->title);
	launched_remove(s->dir->state_fd, s->title);
}

void
session_list(const struct loop_session *s, struct buf *words)
{
	struct launched l;

	if (s->manager->list != NULL)
		s->manager->list(s, words);
	if (read_session_agent(s, &l) && proc_alive(l.pid, l.start))
		buf_printf(words, "%sprocess %ld", words->len > 0 ? ", " : "",
		    (long)l.pid);
}

void
session_release(struct loop_session *s)
{
	file_close(s->log);
	launch_release(&s->launch);
	pane_ref_release(&s->place);
	*s = (struct loop_session){ .log = -1 };
}

char *
session_end_mark(const char *run)
{
	return xasprintf("\033_paneward:end:%s\033\\", run);
}

void
session_quote(struct buf *command, const char *word)
{
	struct buf quoted = BUF_INIT;

	template_quote(&quoted, word, strlen(word));
	msg_escape(command, buf_str(&quoted), quoted.len);
	buf_release(&quoted);
}

/* ---- native: without a terminal ------------------------------------------ */

static int
native_create(struct loop_session *s, const char *const *keeper,
    struct buf *why)
{
	pid_t pid = spawn_apart(keeper, s->launch.cwd, NULL, 0);

	if (pid == -1) {
		buf_adds(why, strerror(errno));
		return -1;
	}
	s->keeper = pid;
	return 0;
}

static void
native_close(struct loop_session *s)
{
	pid_t child = s->keeper;

	session_destroy(s);
	if (child > 0)
		while (waitpid(child, NULL, 0) == -1 && errno == EINTR)
			continue;
}

static void
native_attach(const struct loop_session *s, struct buf *command)
{
	char name[LOOP_FILE], *path;

	loop_log_name(name, s->name, s->iteration);
	path = xasprintf("%s/.paneward/%s", s->dir->path, name);
	buf_adds(command, "tail -f ");
	session_quote(command, path);
	free(path);
}

const struct session_manager native_manager = {
	.name = "native",
	.way = KEEPER_LOG,
	.create = native_create,
	.close = native_close,
	.attach = native_attach,
};
