/*
 * tests/system/hosts.sh tries it with paneward on the other side, and what is
 * no queue; tests/fleet/view.sh has a fleet without its program.  Here a script
 * stands for ssh: what it does for a host is in a file of its name.
 */
#include "queue/queue.h"

#include "scratch.h"
#include "unit/fixture.h"

/* Words of those scripts. */
#define SCRIPT_WORDS \
	"row() { echo \"{'key':'${3:+$3:}$1','issue':'$1','run':''," \
	"'state':'$2'${3:+,'host':'$3'}}\" | tr \\' '\"'; }\n" \
	"gone() { echo '{\"key\":\"'$1'\",\"gone\":true}'; }\n" \
	"stays() { exec sleep 1000; }\n"

static struct loop loop;

/* What there is of the rows: "box:7 asking, box:8 working", or a problem. */
static const char *
rows_of(struct queue *h)
{
	static struct buf rows;
	const struct row *r;
	size_t i;

	buf_reset(&rows);
	queue_sort(h);
	for (i = 0; i < h->nrows; i++) {
		r = h->rows[i];
		buf_adds(&rows, i > 0 ? ", " : "");
		row_key(&rows, r);
		buf_printf(&rows, " %s", r->problem != NULL ? r->problem :
		    state_name(r->status.verdict.state));
	}
	return buf_str(&rows);
}

/* A host of ssh does that, and a paneward-fleet (NULL: there is none). */
static struct queue *
begin(const char *box, const char *fleet)
{
	static char name[] = "box", *names[] = { name, NULL }, path[200];
	static struct queue h;
	char *script;

	free(h.rows);
	h = (struct queue){ .how.loop = &loop };
	scratch_write("box", box != NULL ? box : "");
	scratch_write("calls", "");
	if (fleet != NULL) {
		script = xasprintf(SCRIPT_WORDS "echo \"$*\" >calls\n%s",
		    fleet);
		fake_program("fleet", script);
		free(script);
		snprintf(path, sizeof(path), "%s", scratch_path("bin/fleet"));
		h.fleet = path;
	}
	hosts_begin(&h, box != NULL ? names : NULL);
	return &h;
}

/* The rows are those, at last. */
static void
becomes(struct queue *h, const char *want)
{
	msec end = clock_now() + 60000;

	ROW("wants %.200s", want);
	while (strcmp(rows_of(h), want) != 0 && clock_now() < end)
		loop_round(&loop, end);
	is_text(rows_of(h), want);
}

TEST(rows_count_once_their_batch_is_complete) {
	struct queue *h = begin("mkfifo go; row 7 asking; read x <go\n"
	    "row 8 asking; echo; stays", NULL);

	/* The first line is here. */
	while (!scratch_there("go"))
		loop_round(&loop, clock_now() + 10);
	loop_round(&loop, clock_now());
	is_text(rows_of(h), "");
	scratch_write("go", "\n");
	becomes(h, "box:7 asking, box:8 asking");
	hosts_end(h);
}

TEST(a_batch_is_a_queue_and_anything_else_a_problem) {
	static const char *const cases[][3] = {
		{ "echo; row 7 asking; stays", NULL, "box:7 asking" },
		{ "row 7 asking; row 8 working; echo\n"
		    "row 7 complete; gone 8; gone 9; stays", NULL,
		    "box:7 complete" },
		/* Rows of a fleet say whose they are. */
		{ NULL, "row 7 asking far; row 7 working dim; echo\n"
		    "gone dim:7; row 7 error far; stays", "far:7 error" },
		{ NULL, "row 7 asking; echo; stays", "fleet:fleet its "
		    "answer is no queue: {\"key\":\"7\",\"issue\":\"7\","
		    "\"run\":\"\",\"state\":\"asking\"}" },
		{ NULL, "echo 'paneward-fleet: no' >&2; exit 2",
		    "fleet:fleet paneward-fleet: no" },
		/* A host of both kinds is shown as ssh has it. */
		{ "row 7 asking; echo; stays", "row 7 working box\n"
		    "row 8 working far; echo; stays",
		    "box:7 asking, far:8 working" },
		{ "exit 7", "row 7 working box; echo; stays",
		    "box:box ssh ended with exit status 7, box:7 working" },
	};
	struct queue *h;
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		h = begin(cases[i][0], cases[i][1]);
		becomes(h, cases[i][2]);
		hosts_end(h);
		if (cases[i][0] == NULL)
			is_text(scratch_text("calls"), "follow --json\n");
	}
}

TEST(a_host_is_asked_again_after_a_pause_that_grows) {
	struct queue *h = begin("[ \"$(wc -l <calls)\" -ge 3 ] || exit 1\n"
	    "row 7 asking; echo; stays", NULL);
	msec began = clock_now();

	becomes(h, "box:7 asking");
	ok(clock_now() - began >= 3000);
	is_text(scratch_text("calls"), "call\ncall\ncall\n");
	hosts_end(h);
}

BEFORE_TESTS {
	fake_program("ssh", SCRIPT_WORDS "echo call >>calls; . \"./$4\"\n");
}
