/*
 * Records in scratch directories stand for issues, this process for their tmux
 * server, and a listing that the test writes for its answer.
 */
#include "unit/children.h"

#include <poll.h>

#include "project/statusdir.h"
#include "queue/paneevents.h"
#include "queue/queue.h"
#include "run/queued.h"
#include "unit/fixture.h"

static struct statusdir ours;
static struct context context;
static struct proc self;
static struct queue issues;
static struct buf rows;

static struct status
record(const char *issue, enum state state)
{
	struct status s;

	status_init(&s, issue);
	ok(run_id_make(s.run) == 0);
	s.verdict.state = state;
	s.since = clock_wall();
	proc_boot(s.boot);
	return s;
}

static void
enter(const char *issue, enum state state)
{
	struct status s = record(issue, state);

	ok(status_write(&s, ours.state_fd) == 0);
	status_release(&s);
}

static void
leave(const char *name)
{
	ok(unlinkat(ours.state_fd, name, 0) == 0);
}

/* Looks anew. */
static void
look(void)
{
	issues_release(&issues);
	free(issues.rows);
	issues = (struct queue){ .how = { .context = &context,
	    .names = true } };
	presence_init(&issues.presence);
	issues_find(&issues);
}

/* Collects all rows, also those of agents without an issue. */
static struct row *
the_row(void)
{
	issues.how.all = true;
	queue_sort(&issues);
	issues.how.all = false;
	return issues.nrows > 0 ? issues.rows[0] : NULL;
}

/* The name, and so that of its record, of an agent in the pane %1. */
static const char *
name_of(void)
{
	static char name[ISSUE_MAX + 1];

	ok(paneevents_name(name, "%1", self.pid));
	return name;
}

/* "43 asking, 42 working", the worst first; that agent is "it". */
static const char *
now_there(void)
{
	size_t i;

	the_row();
	buf_reset(&rows);
	for (i = 0; i < issues.nrows; i++)
		buf_printf(&rows, "%s%s %s", i > 0 ? ", " : "",
		    issues.rows[i]->status.issue,
		    state_name(issues.rows[i]->status.verdict.state));
	return replaced(buf_str(&rows), name_of(), "it");
}

/* A file of ours has changed (NULL: some have); do rows change by that? */
static bool
noted(const char *name)
{
	issues.changed = false;
	issues_note(&issues, -1, name ? NOTIFY_ENTRY : NOTIFY_LOST, name);
	return issues.changed;
}

TEST(a_change_of_a_record_is_read) {
	enter("42", STATE_WORKING);
	enter("43", STATE_ASKING);
	look();
	is_text(queue_dir(&issues, the_row())->path, ours.path);
	enter("42", STATE_COMPLETE);
	enter("45", STATE_LIMITED);
	is_text(now_there(), "43 asking, 42 working");
	ok(!noted("output-42.log") && !noted("42.lock"));
	ok(noted("42.json") && noted("45.json"));
	is_text(now_there(), "43 asking, 42 complete, 45 limited");
	leave("45.json");
	ok(noted("45.json"));
	is_text(now_there(), "43 asking, 42 complete");
	/* Some notes were lost. */
	enter("42", STATE_WORKING);
	leave("43.json");
	noted(NULL);
	is_text(now_there(), "42 working");
	leave("42.json");
}

TEST(a_change_of_the_queue_is_read) {
	char sh[] = "sh", *words[] = { sh, NULL };
	struct queued q = { .issue = "50", .since = clock_wall(),
	    .cwd = scratch, .words = words };
	struct queued_list l = { .v = &q, .n = 1 };

	look();
	ok(run_id_make(q.run) == 0);
	ok(queued_write(&l, ours.state_fd) == 0 && noted(QUEUED_FILE));
	is_text(now_there(), "50 queued");
	l.n = 0;
	ok(queued_write(&l, ours.state_fd) == 0 && noted(QUEUED_FILE));
	is_text(now_there(), "");
}

static int terminal;
static pid_t agent;
static struct proc process;             /* the agent's */

/* An agent in front of a terminal of its own.  False: this system does not tell
 * one of its name by its words. */
static bool
begin_agent(void)
{
	static struct backends all;
	static struct buf why;
	char **words = proc_words(getpid());

	if (words == NULL)
		return false;
	argv_free(words);
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	ok(grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	fflush(stdout);
	agent = fork();
	if (agent == 0) {
		setsid();
		open(ptsname(terminal), O_RDWR);
		execlp("sleep", "mine", "1000", (char *)NULL);
		_exit(1);
	}
	while (proc_read(&process, agent) == 0 && (process.foreground != agent
	    || strcmp(process.name, "sleep") != 0))
		poll(NULL, 0, 10);
	look();
	backends_all(&all, &why);
	issues.backends = all;
	issues.how.panes = true;
	issues_find(&issues);
	return true;
}

static void
end_agent(void)
{
	close(terminal);
	kill(agent, SIGKILL);
	ok(waitpid(agent, NULL, 0) == agent);
	presence_init(&issues.presence);
	issues_tick(&issues, 1, 1);
}

/* The row after its server's answer: its pane has printed something just
 * now. */
static const char *
listed(const char *screen)
{
	char text[64], empty[] = "";
	struct tmux_pane p = { .id = "%1", .window = "@1", .pid = agent,
	    .activity = clock_wall() / 1000, .session_name = empty,
	    .window_name = empty, .index = empty, .title = empty,
	    .path = scratch, .command = empty };
	struct tmux_capture c = { "%1", text, strlen(screen) };
	struct tmux_server s = { .socket = scratch, .listing = {
	    .server = self.pid, .server_start = 7, .panes = &p, .npanes = 1,
	    .captures = &c, .ncaptures = screen[0] != '\0' } };

	snprintf(text, sizeof(text), "%s", screen);
	issues.changed = false;
	panes_listed(&issues, &s, NULL);
	panes_search(&issues, &s);
	panes_judge(&issues, &s);
	return now_there();
}

/* A watcher's record of the agent, ten seconds old, or of an earlier one. */
static void
enter_agent(enum state state, bool earlier)
{
	int dir = paneevents_open(true);
	struct status s = record(name_of(), state);

	s.since -= 10000;
	verdict_why(&s.verdict, "it asks");
	s.adopted = true;
	s.place = (struct pane_ref){ .socket = xstrdup("/socket"),
	    .server = self.pid, .server_start = 7, .pane_pid = agent,
	    .session = "$1", .window = "@1", .pane = "%1",
	    .pane_start = process.start };
	s.agent.pid = agent;
	s.agent.start = process.start - earlier;
	s.backend = xstrdup("mine");
	s.name = xstrdup("work:main.0");
	ok(status_write(&s, dir) == 0);
	status_release(&s);
	close(dir);
	issues_tick(&issues, 1, 1);
	noted(NULL);
}

static bool
wants(void)
{
	size_t n;

	free(panes_wishes(&issues, &(struct tmux_server){
	    .pid = self.pid, .start = 7 }, &n));
	return n == 1;
}

TEST(a_clock_that_is_set_back_blinds_it_to_nothing) {
	char then[20];

	if (!begin_agent())
		return;
	is_text(listed("busy\n"), "it working");
	snprintf(then, sizeof(then), "%lld", clock_wall() / 1000 - 3600LL);
	setenv("PANEWARD_NOW", then, 1);
	listed("");
	ok(wants());
	is_text(listed("May I?\n"), "it asking");
	ok(issues.changed);
	ok(the_row()->status.started <= clock_wall());
	unsetenv("PANEWARD_NOW");
	end_agent();
	is_text(now_there(), "");
}

/* Another process holds its lock. */
static bool
watch_it(const void *unused)
{
	int dir = paneevents_open(false);

	(void)unused;
	return lock_take(&(struct lock)LOCK_INIT, dir, name_of()) == 1;
}

TEST(what_a_watcher_recorded_of_an_agent_goes_on) {
	pid_t watcher;
	msec since;

	if (!begin_agent())
		return;
	is_text(listed("May I?\n"), "it asking");
	enter_agent(STATE_WAITING, true);
	is_text(now_there(), "it asking");
	is_text(the_row()->status.run, "");
	enter_agent(STATE_ASKING, false);
	since = the_row()->status.since;
	ok(since <= clock_wall() - 10000 && the_row()->unwatched != 0);
	is_text(listed("May I?\n"), "it asking");
	ok(the_row()->status.since == since && the_row()->unwatched == 0);
	watcher = sleeper(watch_it, NULL);
	enter_agent(STATE_ASKING, false);
	is_text(listed("busy\n"), "it asking");
	ok(the_row()->unwatched == 0 && !wants());
	sleeper_end(watcher);
	enter_agent(STATE_ASKING, false);
	ok(wants());
	is_text(listed("busy\n"), "it working");
	enter_agent(STATE_DEAD, false);
	end_agent();
	is_text(now_there(), "it dead");
	ok(queue_see(&issues, the_row(), SEEN_ONCE) == 0);
	look();
	issues.how.panes = true;
	issues_find(&issues);
	is_text(now_there(), "it dead");
	ok(row_finished(the_row()));
	is_text(row_name(the_row()), "work:main.0");
}

BEFORE_TESTS {
	struct buf error = BUF_INIT;

	setenv("XDG_CONFIG_HOME", scratch, 1);
	scratch_write("paneward/backends/mine.json", quoted("{ 'process': "
	    "{ 'names': ['mine'] }, 'screen': { 'asking': [ "
	    "{ 'pattern': 'May I', 'what': 'it asks' } ] } }"));
	ok(proc_read(&self, getpid()) == 0);
	ok(statusdir_open(&ours, xstrdup(scratch_path(
	    "p0/.worktrees/.status")), true, &error) == 0);
	context = (struct context){ .dir = ours };
	context.project.root = xstrdup(scratch_path("p0"));
	context.config.stalled_after = 3600;
}
