/*
 * tests/system/hosts.sh tries it with paneward on the other side, and what is
 * no queue.  Here a script stands for ssh: what it does for a host is in a file
 * of its name.
 */
#include "queue/queue.h"

#include "scratch.h"
#include "unit/fixture.h"

#define LINE(key, state) "echo '{\"key\":\"" key "\",\"issue\":\"" key \
	"\",\"run\":\"\",\"state\":\"" state "\"}'\n"
#define FAR(host, key, state) "echo '{\"key\":\"" host ":" key "\"," \
	"\"issue\":\"" key "\",\"run\":\"\",\"state\":\"" state "\"," \
	"\"host\":\"" host "\"}'\n"
#define GONE(key) "echo '{\"key\":\"" key "\",\"gone\":true}'\n"
#define BATCH "echo\n"
#define STAYS "exec sleep 1000\n"

static char *names[] = { (char []){ "box" }, NULL };

/* What there is of the rows: "7 asking, 8 working", or a problem.  Of a fleet,
 * their keys are before that. */
static struct buf rows;
static struct loop loop;
static char *fleet;

static const char *
rows_of(struct queue *h)
{
	const struct row *r;
	size_t i;

	buf_reset(&rows);
	queue_sort(h);
	for (i = 0; i < h->nrows; i++) {
		r = h->rows[i];
		buf_adds(&rows, i > 0 ? ", " : "");
		if (fleet == NULL) {
			is_text(r->host, "box");
		} else {
			row_key(&rows, r);
			buf_addc(&rows, ' ');
		}
		if (r->problem != NULL)
			buf_adds(&rows, r->problem);
		else
			buf_printf(&rows, "%s %s", r->status.issue,
			    state_name(r->status.verdict.state));
	}
	return buf_str(&rows);
}

static struct queue *
box_does(const char *script)
{
	static struct queue h;

	free(h.rows);
	h = (struct queue){ .how.loop = &loop };
	scratch_write("box", script);
	scratch_write("calls", "");
	hosts_begin(&h, names);
	return &h;
}

/* The rows are those, at last. */
static void
becomes(struct queue *h, const char *want)
{
	msec end = clock_now() + 60000;

	ROW("wants %s", want);
	while (strcmp(rows_of(h), want) != 0 && clock_now() < end)
		loop_round(&loop, end);
	is_text(rows_of(h), want);
}

TEST(rows_count_once_their_batch_is_complete) {
	struct queue *h = box_does("mkfifo go\n" LINE("7", "asking")
	    "read x <go\n" LINE("8", "asking") BATCH STAYS);

	/* The first line is here. */
	while (!scratch_there("go"))
		loop_round(&loop, clock_now() + 10);
	loop_round(&loop, clock_now());
	is_text(rows_of(h), "");
	scratch_write("go", "\n");
	becomes(h, "7 asking, 8 asking");
	hosts_end(h);
}

TEST(a_batch_is_a_queue_and_anything_else_a_problem) {
	static const char *const cases[][2] = {
		{ LINE("7", "asking") LINE("8", "working") BATCH STAYS,
		    "7 asking, 8 working" },
		{ BATCH LINE("7", "asking") STAYS, "7 asking" },
		{ LINE("7", "asking") LINE("8", "working") BATCH
		    LINE("7", "complete") GONE("8") GONE("9") STAYS,
		    "7 complete" },
		{ LINE("7", "asking") "echo '{}'\n" BATCH STAYS,
		    "its answer is no queue: {}" },
		{ LINE("7", "asking") BATCH "echo x\n" STAYS,
		    "its answer is no queue: x" },
	};
	struct queue *h;
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		h = box_does(cases[i][0]);
		becomes(h, cases[i][1]);
		hosts_end(h);
	}
}

TEST(a_host_is_asked_again_after_a_pause_that_grows) {
	struct queue *h = box_does("[ \"$(wc -l <calls)\" -ge 3 ] || exit 1\n"
	    LINE("7", "asking") BATCH STAYS);
	msec began = clock_now();

	becomes(h, "7 asking");
	ok(clock_now() - began >= 3000);
	is_text(scratch_text("calls"), "call\ncall\ncall\n");
	hosts_end(h);
}

/* A paneward-fleet that is that script, unless it is NULL, beside those hosts
 * of ssh. */
static void
fleet_shows(char **with, const char *script, const char *want)
{
	struct queue h = { .how.loop = &loop };
	char *text = script == NULL ? NULL :
	    xasprintf("echo \"$*\" >calls\n%s", script);

	h.fleet = fleet = xstrdup(scratch_path(text ? "bin/fleet" : "none"));
	if (text != NULL)
		fake_program("fleet", text);
	hosts_begin(&h, with);
	becomes(&h, want);
	hosts_end(&h);
	free(h.rows);
	free(text);
	free(fleet);
	fleet = NULL;
}

TEST(rows_of_a_fleet_say_whose_they_are) {
	fleet_shows(NULL, FAR("far", "7", "asking") FAR("dim", "7", "working")
	    BATCH GONE("dim:7") FAR("far", "7", "error") STAYS,
	    "far:7 7 error");
	is_text(scratch_text("calls"), "follow --json\n");
	fleet_shows(NULL, LINE("7", "asking") BATCH STAYS,
	    "fleet:fleet its answer is no queue: {\"key\":\"7\","
	    "\"issue\":\"7\",\"run\":\"\",\"state\":\"asking\"}");
}

TEST(a_host_of_both_kinds_is_shown_as_ssh_has_it) {
	scratch_write("box", LINE("7", "asking") BATCH STAYS);
	fleet_shows(names, FAR("box", "7", "working") FAR("far", "8", "working")
	    BATCH STAYS, "box:7 7 asking, far:8 8 working");
	scratch_write("box", "exit 7\n");
	fleet_shows(names, FAR("box", "7", "working") BATCH STAYS,
	    "box:box ssh ended with exit status 7, box:7 7 working");
}

TEST(a_fleet_that_ends_says_why_and_without_its_program_how_to_get_it) {
	char want[300];

	fleet_shows(NULL, "exit 3\n",
	    "fleet:fleet fleet ended with exit status 3");
	fleet_shows(NULL, "echo 'paneward-fleet: no' >&2\nexit 2\n",
	    "fleet:fleet paneward-fleet: no");
	snprintf(want, sizeof(want), "fleet:fleet there is no %s, which is "
	    "built where libnats is: see paneward-fleet(1)",
	    scratch_path("none"));
	fleet_shows(NULL, NULL, want);
}

BEFORE_TESTS {
	fake_program("ssh", "echo call >>calls\n. \"./$4\"\n");
}
