/*
 * A script stands for tmux: of each socket it prints what the test has written,
 * and notes each call.  tests/system/queue.sh tries real servers.
 */
#include "queue/queue.h"

#include "loops.h"
#include "scratch.h"
#include "unit/fixture.h"

/* It prints a pane, and these lines. */
#define LIST(lines) "printf '%s' \"$token v 42 1699999999 3.3a\n" \
	"$token p %1 \\$1 @1 1 0 0 1700000000 ,\n$token s work\n" \
	"$token w shell\n$token d /\n$token i \n$token r \n$token o \n" \
	"$token t \n$token f sh\n$token g 0\n" lines "\"\n"

static char *sockets[2];
static struct context context;
static struct loop loop;

static size_t
rows_of(struct queue *p)
{
	queue_sort(p);
	return p->nrows;
}

/* The first look at a server that does that. */
static struct queue *
look(const char *does)
{
	struct queue *p = queue_new(&(struct queue_how){ .context = &context,
	    .all = true, .panes = true, .loop = &loop });

	issues_find(p);
	scratch_write("does", does);
	scratch_write("calls", "");
	panes_begin(p);
	panes_look(p);
	return p;
}

/* Goes on until the screen is there, for ten seconds. */
static void
wait_screen(struct queue *p, const char *text)
{
	msec end = clock_now() + 10000;
	const char *screen;

	do {
		loop_round(&loop, end);
		screen = p->screen.len > 0 ? buf_str(&p->screen) : NULL;
	} while ((screen == NULL || strcmp(screen, text) != 0) &&
	    clock_now() < end);
	is_text(screen, text);
}

TEST(a_shorter_screen_holds_nothing_of_the_one_before) {
	struct queue *p = look(LIST("$token c %1\n"
	    "the first screen, which is long\n"));
	struct pane_ref shown = { .socket = sockets[0], .server = 42,
	    .server_start = 1699999999, .pane = "%1", .pane_pid = 1 };

	queue_show(p, &(struct row){ .status.place = shown });
	wait_screen(p, "the first screen, which is long");
	scratch_write("does", LIST("$token c %1\nshort\n"));
	wait_screen(p, "short");
	queue_free(p);
}

/* It is asked again later, and the row goes once it answers. */
TEST(a_server_that_answers_again_has_no_row) {
	struct queue *p = look("exit 1\n");
	msec now = clock_now();

	is_number(rows_of(p), 1);
	loop_passes(&loop, 5000);
	loop_round(&loop, clock_now());
	loop_passes(&loop, 4900);
	loop_round(&loop, clock_now());
	is_text(scratch_text("calls"), "socket\n");
	scratch_write("does", LIST(""));
	loop_passes(&loop, 10000);
	while (rows_of(p) > 0 && clock_now() < now + 20000)
		loop_round(&loop, now + 20000);
	is_number(rows_of(p), 0);
	is_text(scratch_text("calls"), "socket\nsocket\n");
	queue_free(p);
}

BEFORE_TESTS {
	setenv("XDG_CONFIG_HOME", scratch, 1);
	sockets[0] = fake_socket();
	fake_program("tmux", "socket=${3##*/}\n"
	    "while [ \"$1\" != -F ]; do shift; done\n"
	    "echo \"$socket\" >>calls\ntoken=${2%% *}\n. ./does\n");
	context.config.sockets = sockets;
	context.dir.path = xstrdup(scratch_path("none"));
}
