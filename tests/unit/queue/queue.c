#include "queue/queue.h"

#include "base/alloc.h"
#include "loops.h"
#include "project/statusdir.h"
#include "scratch.h"

enum { PROJECTS = 3 };

static struct statusdir dirs[PROJECTS];
static struct context context;
static struct queue *queue;
static struct loop loop;

/* The project's issue 42 comes into a state. */
static void
enter(int project, enum state state)
{
	struct status r;

	status_init(&r, "42");
	ok(run_id_make(r.run) == 0);
	r.verdict.state = state;
	r.since = clock_wall();
	ok(status_write(&r, dirs[project].state_fd) == 0);
	status_release(&r);
}

/* Goes on for that long; how many rows are in the state then? */
static size_t
rows_after(msec span, enum state state)
{
	size_t i, found = 0;

	for (; span >= 0; span -= 1000) {
		loop_round(&loop, clock_now());
		queue_changed(queue);
		loop_passes(&loop, 1000);
	}
	for (i = 0; i < queue->nrows; i++)
		found += queue->rows[i]->status.verdict.state == state;
	return found;
}

static void
begin(void)
{
	queue = queue_new(&(struct queue_how){ .context = &context,
	    .all = true, .loop = &loop });
}

/* All enter that state, which is seen. */
static void
all_enter(enum state state)
{
	size_t fds;
	int i;

	queue_look(queue);
	for (i = 0; i < PROJECTS; i++)
		enter(i, state);
	is_number(rows_after(3000, state), PROJECTS);
	queue_free(queue);
	ok(loop_next(&loop, &fds) == CLOCK_NEVER && fds == 0);
}

TEST(changes_of_all_projects_are_seen_without_the_kernel_too) {
	struct rlimit files, none;

	begin();
	all_enter(STATE_ERROR);
	getrlimit(RLIMIT_NOFILE, &files);
	none = files;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	begin();
	setrlimit(RLIMIT_NOFILE, &files);
	all_enter(STATE_ASKING);
}

TEST(a_project_that_is_gone_leaves) {
	unsigned files;

	begin();
	queue_look(queue);
	files = scratch_count("/dev/fd");
	is_number(rows_after(0, STATE_ASKING), PROJECTS);
	ok(rename(scratch_path("p1"), scratch_path("moved")) == 0);
	is_number(rows_after(11000, STATE_ASKING), PROJECTS - 1);
	ok(scratch_count("/dev/fd") < files);
	ok(rename(scratch_path("moved"), scratch_path("p1")) == 0);
	is_number(rows_after(11000, STATE_ASKING), PROJECTS);
	is_number(scratch_count("/dev/fd"), files);
	queue_free(queue);
}

BEFORE_TESTS {
	struct buf error = BUF_INIT;
	char name[32];
	int i;

	for (i = 0; i < PROJECTS; i++) {
		snprintf(name, sizeof(name), "p%d/.worktrees/.status", i);
		ok(statusdir_open(&dirs[i], xstrdup(scratch_path(name)), true,
		    &error) == 0);
		registry_add(&dirs[i]);
		enter(i, STATE_WORKING);
	}
	context = (struct context){ .dir = dirs[0] };
	context.project.root = xstrdup(scratch_path("p0"));
}
