#include "queue/agentpane.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "base/alloc.h"
#include "base/argv.h"
#include "os/proc.h"
#include "scratch.h"

static time_t set_back;                 /* the wall clock, in seconds */

/* In place of the system's. */
int
clock_gettime(clockid_t id, struct timespec *t)
{
#ifdef __linux__
	int ret = (int)syscall(SYS_clock_gettime, id, t);
#else
	struct timeval now;
	int ret = gettimeofday(&now, NULL);

	*t = (struct timespec){ now.tv_sec, now.tv_usec * 1000 };
#endif
	if (id == CLOCK_REALTIME)
		t->tv_sec -= set_back;
	return ret;
}

static struct backends backends;
static struct config config = { .stalled_after = 3600 };
static struct statusdir events = STATUSDIR_INIT;
static struct agentplace place;
static struct agentpane *pane;
static bool changed;

/* An agent in front of a terminal of its own. */
static pid_t
begin_agent(int *terminal)
{
	struct proc p = { .foreground = 0 };
	pid_t pid;

	*terminal = posix_openpt(O_RDWR | O_NOCTTY);
	ok(grantpt(*terminal) == 0 && unlockpt(*terminal) == 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setsid();
		open(ptsname(*terminal), O_RDWR);
		execlp("sleep", "mine", "1000", (char *)NULL);
		_exit(1);
	}
	while (proc_read(&p, pid) == 0 && (p.foreground != pid ||
	    strcmp(p.name, "sleep") != 0))
		poll(NULL, 0, 10);
	return pid;
}

/* Looks at the pane, in which something was printed just now. */
static enum state
look(pid_t agent, const char *screen)
{
	char empty[] = "", text[64];
	struct tmux_pane p = { .id = "%1", .window = "@1", .pid = agent,
	    .activity = clock_wall() / 1000, .session_name = empty,
	    .window_name = empty, .index = empty, .title = empty,
	    .path = scratch };
	struct tmux_capture c = { "%1", text, strlen(screen) };
	struct tmux_listing l = { .server = getpid(), .panes = &p,
	    .npanes = 1 };
	struct paneat at = { "/socket", &l, &p };

	snprintf(text, sizeof(text), "%s", screen);
	if (pane == NULL)
		pane = agentpane_new(&(struct agentpane_how){ &backends,
		    &config, &events, "", &place }, &at);
	changed = agentpane_look(pane, &at);
	changed |= agentpane_judge(pane, &at, screen[0] != '\0' ? &c : NULL);
	ok(agentpane_row(pane) != NULL);
	return agentpane_row(pane)->status.verdict.state;
}

static void
a_clock_that_is_set_back_blinds_it_to_nothing(void)
{
	char **words = proc_words(getpid());
	int terminal;
	pid_t agent;

	/* An agent of this name is known by its words. */
	if (words == NULL)
		return;
	argv_free(words);
	agent = begin_agent(&terminal);
	is_number(look(agent, "busy\n"), STATE_WORKING);
	set_back = 3600;
	look(agent, "");
	ok(agentpane_wants(pane));
	is_number(look(agent, "May I?\n"), STATE_ASKING);
	ok(changed);
	ok(agentpane_row(pane)->status.started <= clock_wall());
	agentpane_free(pane);
	agentplace_release(&place);
	close(terminal);
	kill(agent, SIGKILL);
	ok(waitpid(agent, NULL, 0) == agent);
}

int
main(void)
{
	struct buf why = BUF_INIT;

	scratch_begin();
	setenv("XDG_CONFIG_HOME", scratch, 1);
	scratch_write("paneward/backends/mine.json", "{ \"process\": "
	    "{ \"names\": [\"mine\"] }, \"screen\": { \"asking\": [ "
	    "{ \"pattern\": \"May I\", \"what\": \"it asks\" } ] } }");
	backends_all(&backends, &why);
	is_text(buf_str(&why), "");
	buf_release(&why);
	TEST(a_clock_that_is_set_back_blinds_it_to_nothing);
	scratch_end();
	return tap_done();
}
