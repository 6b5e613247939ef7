/*
 * Records in scratch directories stand for issues, this process for their tmux
 * server, and a listing that the test writes for its answer.
 */
#include "queue/issues.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "project/registry.h"
#include "run/queued.h"
#include "scratch.h"

static struct statusdir ours, other;
static struct context context;
static struct proc self;
static struct issues issues;
static struct buf rows, trouble;
static unsigned shown;

static struct status
record(const char *issue, enum state state)
{
	struct status s;

	status_init(&s, issue);
	ok(run_id_make(s.run) == 0);
	s.verdict.state = state;
	s.since = clock_wall();
	return s;
}

static void
enter(struct statusdir *dir, const char *issue, enum state state)
{
	struct status s = record(issue, state);

	ok(status_write(&s, dir->state_fd) == 0);
	status_release(&s);
}

/* At work in a pane of that id, whose process is pid. */
static void
enter_pane(const char *issue, enum state state, const char *pane, pid_t pid)
{
	struct status s = record(issue, state);

	proc_boot(s.boot);
	s.place = (struct pane_ref){ .socket = xstrdup(scratch),
	    .server = self.pid, .server_start = 7, .pane_pid = pid };
	snprintf(s.place.session, sizeof(s.place.session), "$1");
	snprintf(s.place.window, sizeof(s.place.window), "@1");
	snprintf(s.place.pane, sizeof(s.place.pane), "%s", pane);
	ok(status_write(&s, ours.state_fd) == 0);
	status_release(&s);
}

static void
leave(struct statusdir *dir, const char *name)
{
	ok(unlinkat(dir->state_fd, name, 0) == 0);
}

static void
take_trouble(void *unused, const char *dir, const char *issue, int error)
{
	(void)unused;
	buf_printf(&trouble, "%s %s %d", dir, issue != NULL ? issue : "-",
	    error);
}

static void
take_shown(void *unused, struct row *r)
{
	(void)unused, (void)r;
	shown++;
}

static void
look(bool all, char *const *names, size_t n)
{
	buf_reset(&trouble);
	issues_init(&issues, &(struct issues_how){ .where = &context,
	    .all = all, .names = true, .issues = names, .nissues = n,
	    .trouble = take_trouble, .shown = take_shown });
	issues_find(&issues);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *lines[16];
static size_t nlines;

static void
take_row(void *unused, struct row *r)
{
	(void)unused;
	if (nlines < 16)
		lines[nlines++] = xasprintf("%s %s", r->status.issue,
		    state_name(r->status.verdict.state));
}

/* "42 working, 43 asking", sorted. */
static const char *
now_there(void)
{
	size_t i;

	nlines = 0;
	issues_rows(&issues, take_row, NULL);
	if (nlines > 1)
		qsort(lines, nlines, sizeof(*lines), by_text);
	buf_reset(&rows);
	for (i = 0; i < nlines; i++) {
		buf_printf(&rows, "%s%s", i > 0 ? ", " : "", lines[i]);
		free(lines[i]);
	}
	return buf_str(&rows);
}

static struct row *first_row;

static void
take_first(void *unused, struct row *r)
{
	(void)unused;
	if (first_row == NULL)
		first_row = r;
}

static struct row *
the_row(void)
{
	first_row = NULL;
	issues_rows(&issues, take_first, NULL);
	return first_row;
}

static void
each_record_is_a_row(void)
{
	char name[] = "43", *names[] = { name, NULL };

	enter(&ours, "42", STATE_WORKING);
	enter(&ours, "43", STATE_ASKING);
	enter(&other, "7", STATE_ERROR);
	look(false, NULL, 0);
	is_text(now_there(), "42 working, 43 asking");
	is_text(the_row()->project, context.project.root);
	is_text(the_row()->directory, ours.path);
	ok(faccessat(issues_state_fd(&issues, the_row()), "42.json", F_OK, 0)
	    == 0);
	is_number(issues_state_fd(&issues, &(struct row){ .host = NULL }), -1);
	issues_release(&issues);
	look(false, names, 1);
	is_text(now_there(), "43 asking");
	issues_release(&issues);
	is_text(buf_str(&trouble), "");
}

static void
the_projects_of_the_registry_belong_to_all(void)
{
	look(true, NULL, 0);
	is_text(now_there(), "42 working, 43 asking, 7 error");
	issues_find(&issues);
	is_text(now_there(), "42 working, 43 asking, 7 error");
	issues_release(&issues);
}

static void
what_is_no_record_is_told_and_left_out(void)
{
	struct buf want = BUF_INIT;

	scratch_write("p0/.worktrees/.status/.paneward/44.json",
	    "{ \"v\": 1 ");
	look(false, NULL, 0);
	is_text(now_there(), "42 working, 43 asking");
	buf_printf(&want, "%s 44 %d", ours.path, EBADMSG);
	is_text(buf_str(&trouble), buf_str(&want));
	issues_release(&issues);
	leave(&ours, "44.json");
	buf_release(&want);
}

static void
a_change_of_a_record_is_read(void)
{
	look(false, NULL, 0);
	enter(&ours, "42", STATE_COMPLETE);
	enter(&ours, "45", STATE_LIMITED);
	is_text(now_there(), "42 working, 43 asking");
	issues.changed = false;
	issues_note(&issues, -1, NOTIFY_ENTRY, "output-42.log");
	issues_note(&issues, -1, NOTIFY_ENTRY, "42.lock");
	ok(!issues.changed);
	issues_note(&issues, -1, NOTIFY_ENTRY, "42.json");
	issues_note(&issues, -1, NOTIFY_ENTRY, "45.json");
	ok(issues.changed);
	is_text(now_there(), "42 complete, 43 asking, 45 limited");
	leave(&ours, "45.json");
	issues_note(&issues, -1, NOTIFY_ENTRY, "45.json");
	is_text(now_there(), "42 complete, 43 asking");
	/* Some were lost. */
	enter(&ours, "42", STATE_WORKING);
	leave(&ours, "43.json");
	issues_note(&issues, -1, NOTIFY_LOST, NULL);
	is_text(now_there(), "42 working");
	issues_release(&issues);
}

static void
of_named_issues_no_other_one_comes(void)
{
	char name[] = "42", *names[] = { name, NULL };

	look(false, names, 1);
	enter(&ours, "43", STATE_ASKING);
	issues_note(&issues, -1, NOTIFY_ENTRY, "43.json");
	is_text(now_there(), "42 working");
	issues_release(&issues);
	leave(&ours, "43.json");
}

/* The queue is these issues, none by NULL. */
static void
queue(const char *issue)
{
	char sh[] = "sh", *words[] = { sh, NULL };
	struct queued q = { .since = clock_wall(), .cwd = scratch,
	    .words = words };
	struct queued_list l = { .v = &q, .n = issue != NULL };

	snprintf(q.issue, sizeof(q.issue), "%s", issue != NULL ? issue : "");
	ok(run_id_make(q.run) == 0);
	ok(queued_write(&l, ours.state_fd) == 0);
}

static void
an_issue_that_waits_for_its_start_is_a_row(void)
{
	queue("50");
	look(false, NULL, 0);
	is_text(now_there(), "42 working, 50 queued");
	queue("42");
	issues_note(&issues, -1, NOTIFY_ENTRY, QUEUED_FILE);
	is_text(now_there(), "42 queued");
	queue(NULL);
	issues_note(&issues, -1, NOTIFY_ENTRY, QUEUED_FILE);
	is_text(now_there(), "42 working");
	issues_release(&issues);
}

static bool
slow(const void *of, size_t i)
{
	(void)of, (void)i;
	return true;
}

static void
what_ends_without_a_word_is_found_by_looking(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	enter_pane("42", STATE_WORKING, "%1", pid);
	look(false, NULL, 0);
	ok(the_row()->alive);
	issues_tick(&issues, slow, NULL);
	is_text(now_there(), "42 working");
	kill(pid, SIGKILL);
	ok(waitpid(pid, NULL, 0) == pid);
	presence_init(&issues.presence);
	issues.changed = false;
	issues_tick(&issues, slow, NULL);
	ok(issues.changed && !the_row()->alive);
	is_text(now_there(), "42 unknown");
	is_text(the_row()->status.verdict.why, "its pane's process has ended; "
	    "not judged yet, 'paneward sweep' does that");
	issues_release(&issues);
}

/* Whose is a pane of ours with that id? */
static enum panes_owner
owner(const char *id)
{
	char session[] = "work", window[] = "shell", index[] = "0";
	struct tmux_pane p = { .pid = self.pid, .session_name = session,
	    .window_name = window, .index = index };
	struct tmux_listing l = { .server = self.pid, .server_start = 7,
	    .panes = &p, .npanes = 1 };

	snprintf(p.id, sizeof(p.id), "%s", id);
	return issues_owned(&issues, &(struct paneat){ scratch, &l, &p });
}

/* And that of 43, in %2, once it was seen so? */
static enum panes_owner
owner_after(enum seen seen)
{
	char episode[SEEN_EPISODE];
	enum panes_owner whose;
	struct status s;

	ok(status_read(&s, ours.state_fd, "43") == 1);
	seen_episode(episode, &s);
	ok(seen_write(ours.state_fd, "43", episode, seen) == 0);
	status_release(&s);
	look(false, NULL, 0);
	whose = owner("%2");
	issues_release(&issues);
	return whose;
}

static void
a_pane_is_its_issues_until_that_is_over_and_seen(void)
{
	enter_pane("42", STATE_WORKING, "%1", self.pid);
	enter_pane("43", STATE_ERROR, "%2", self.pid);
	look(false, NULL, 0);
	shown = 0;
	is_number(owner("%1"), PANES_ISSUE);
	is_number(owner("%2"), PANES_ISSUE);
	is_number(owner("%3"), PANES_FREE);
	is_number(shown, 2);
	is_text(the_row()->where, "work:shell.0");
	issues_release(&issues);

	enter_pane("43", STATE_GONE, "%2", self.pid);
	is_number(owner_after(SEEN_NOT), PANES_ISSUE);
	is_number(owner_after(SEEN_ONCE), PANES_FREE);
	is_number(owner_after(SEEN_FORGOTTEN), PANES_ISSUE);
	leave(&ours, "43.json");
	leave(&ours, "43.seen");
}

static void
a_directory_that_moved_is_forgotten(void)
{
	int without_kernel;

	look(true, NULL, 0);
	issues.how.notify = notify_new(&without_kernel);
	is_text(now_there(), "42 working, 7 error");
	ok(rename(scratch_path("p1"), scratch_path("moved")) == 0);
	issues_forget(&issues);
	is_text(now_there(), "42 working");
	ok(rename(scratch_path("moved"), scratch_path("p1")) == 0);
	issues_find(&issues);
	is_text(now_there(), "42 working, 7 error");
	issues_release(&issues);
	notify_free(issues.how.notify);
}

int
main(void)
{
	struct buf error = BUF_INIT;

	scratch_begin();
	ok(proc_read(&self, getpid()) == 0);
	ok(statusdir_open(&ours, xstrdup(scratch_path(
	    "p0/.worktrees/.status")), true, &error) == 0);
	ok(statusdir_open(&other, xstrdup(scratch_path(
	    "p1/.worktrees/.status")), true, &error) == 0);
	registry_add(&ours);
	registry_add(&other);
	context = (struct context){ .dir = ours };
	context.project.root = xstrdup(scratch_path("p0"));
	TEST(each_record_is_a_row);
	TEST(the_projects_of_the_registry_belong_to_all);
	TEST(what_is_no_record_is_told_and_left_out);
	TEST(a_change_of_a_record_is_read);
	TEST(of_named_issues_no_other_one_comes);
	TEST(an_issue_that_waits_for_its_start_is_a_row);
	TEST(what_ends_without_a_word_is_found_by_looking);
	TEST(a_pane_is_its_issues_until_that_is_over_and_seen);
	TEST(a_directory_that_moved_is_forgotten);
	scratch_end();
	return tap_done();
}
