/*
 * manager.c - the table of session managers, and what they have in common.
 */
#include "loop/manager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/clock.h"
#include "os/file.h"
#include "os/proc.h"

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

bool
manager_known(const char *name)
{
	return manager_named(name) != NULL || strcmp(name, "auto") == 0;
}

const struct session_manager *
manager_find(const char *name, struct buf *error)
{
	bool any = strcmp(name, "auto") == 0;
	struct buf why = BUF_INIT;
	size_t i;

	for (i = 0; i < MANAGERS; i++) {
		if (!any && strcmp(managers[i]->name, name) != 0)
			continue;
		buf_reset(&why);
		if (managers[i]->present(&why))
			break;
	}
	if (i == MANAGERS)
		buf_printf(error, "cannot use the session manager '%s': %s",
		    name, buf_str(&why));
	buf_release(&why);
	return i < MANAGERS ? managers[i] : NULL;
}

void
loop_log_name(char name[LOOP_FILE], const char *loop, long iteration)
{
	snprintf(name, LOOP_FILE, "%s.%ld.log", loop, iteration);
}

void
loop_input_name(char name[LOOP_FILE], const char *loop)
{
	snprintf(name, LOOP_FILE, "%s.prompt", loop);
}

int
session_open_log(struct loop_session *s)
{
	char name[LOOP_FILE];

	loop_log_name(name, s->name, s->iteration);
	unlinkat(s->dir->state_fd, name, 0);
	s->log = openat(s->dir->state_fd, name, O_RDWR | O_CREAT | O_EXCL |
	    O_CLOEXEC | O_NOFOLLOW, 0600);
	return s->log == -1 ? -1 : 0;
}

char **
session_keeper(const struct loop_session *s, const char *way)
{
	char *self = proc_program(), number[3][24], **argv = NULL;
	struct proc me = { 0 };
	size_t i;

	if (self == NULL || proc_read(&me, getpid()) == -1) {
		free(self);
		return NULL;
	}
	snprintf(number[0], sizeof(number[0]), "%ld", s->iteration);
	snprintf(number[1], sizeof(number[1]), "%ld", (long)getpid());
	snprintf(number[2], sizeof(number[2]), "%llu",
	    (unsigned long long)me.start);
	{
		const char *const words[] = { self, "loop-agent", s->title,
		    s->name, s->dir->path, number[0], number[1], number[2],
		    way, s->input ? "input" : "null", s->issue ? s->issue :
		    "-" };

		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			argv = argv_add(argv, words[i]);
	}
	free(self);
	return argv;
}

/* Is the agent recorded, and runs? */
static bool
agent_there(const struct loop_session *s, struct launched *l)
{
	return launched_read(l, s->dir->state_fd, s->title,
	    s->launch.run) == 1 && l->pid > 1 && !l->ended && proc_alive(l->pid,
	    l->start);
}

bool
session_runs(const struct loop_session *s)
{
	struct launched l;

	if (s->keeper > 0)
		return proc_alive(s->keeper, s->keeper_start);
	return agent_there(s, &l);
}

void
session_signal(const struct loop_session *s, int signo)
{
	if (s->keeper > 0 && proc_alive(s->keeper, s->keeper_start))
		kill(s->keeper, signo);
}

/* May the group be killed?  An agent that has ended unseen may have left others
 * in its group; until they end its number is not reused. */
static bool
group_there(const struct loop_session *s, struct launched *l)
{
	struct proc p;

	return launched_read(l, s->dir->state_fd, s->title,
	    s->launch.run) == 1 && l->pid > 1 && !l->ended && (proc_read(&p,
	    l->pid) == -1 || p.start == l->start);
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

	session_signal(s, SIGKILL);
	if (group_there(s, &l))
		kill(-l.pid, SIGKILL);
	/* The keeper still records the agent's end; the record is removed
	 * after that. */
	while (s->keeper == 0 && clock_now() < until && launched_read(&l,
	    s->dir->state_fd, s->title, s->launch.run) == 1 && !l.ended)
		poll(NULL, 0, NAP);
	s->keeper = 0;
	launch_remove(s->dir->state_fd, s->title);
	launched_remove(s->dir->state_fd, s->title);
}

void
session_list(const struct loop_session *s, struct buf *words)
{
	struct launched l;

	if (agent_there(s, &l))
		buf_printf(words, "%sprocess %ld", words->len > 0 ? ", " : "",
		    (long)l.pid);
}

void
session_release(struct loop_session *s)
{
	if (s->log != -1)
		close(s->log);
	launch_release(&s->launch);
	pane_ref_release(&s->place);
	*s = (struct loop_session){ .log = -1 };
}

char *
session_end_mark(const char *run)
{
	return xasprintf("\033_paneward:end:%s\033\\", run);
}
