#include "base/program.h"

#include <stdint.h>

#include "base/exitstatus.h"
#include "unit/children.h"

/* Prints what it was given; its exit status is 7. */
static int
told_run(const struct command *c, int argc, char **argv)
{
	int i;

	printf("[%s]", c->name);
	for (i = 0; i < argc; i++)
		printf(" %s", argv[i]);
	printf("\n");
	return argv[argc] == NULL ? 7 : 8;
}

/* The number that its next file has. */
static int
opens_run(const struct command *c, int argc, char **argv)
{
	(void)c, (void)argc, (void)argv;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static const struct command status_command = { .name = "status",
    .summary = "Show it", .run = told_run };
static const struct command begin_command = { .name = "loop begin",
    .summary = "Begin it", .run = told_run };
static const struct command stop_command = { .name = "loop stop",
    .summary = "Stop it", .run = told_run };
static const struct command hidden_command = { .name = "statue",
    .run = told_run };
static const struct command opens_command = { .name = "opens",
    .run = opens_run };

static const struct program_row commands[] = {
	{ "Look", &status_command }, { "Go on", &begin_command },
	{ NULL, &stop_command }, { NULL, &hidden_command },
	{ NULL, &opens_command }, { NULL, NULL }
};

static struct program plough = { .name = "plough", .commands = commands };

static void (*prepare)(void);           /* the child of the next run() */

static void
begin(void *line)
{
	char text[128], *words[8] = { NULL }, *word;
	int n = 0;

	snprintf(text, sizeof(text), "plough %s", (const char *)line);
	for (word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
		words[n++] = word;
	if (prepare != NULL)
		prepare();
	exit(program_main(&plough, n, words));
}

static int
run(const char *line, void (*in_child)(void))
{
	prepare = in_child;
	return status_of(begin, (void *)(uintptr_t)line);
}

#define HEAD "Usage: plough COMMAND [options] [argument...]\n" \
	"       plough COMMAND --help\n\n"
#define LOOPS "  loop begin   Begin it\n  loop stop    Stop it\n"
#define ALL HEAD "Look:\n  status       Show it\n\nGo on:\n" LOOPS

/* What the real program answers, tests/system/usage.sh tells. */
TEST(a_command_gets_its_words_and_what_is_hidden_is_not_named) {
	static const struct {
		const char *line;
		int status;
		const char *out, *err;
	} rows[] = {
		{ "status 42 --json", 7, "[status] status 42 --json\n", "" },
		{ "statue x", 7, "[statue] statue x\n", "" },
		{ "loop stop 42", 7, "[loop stop] stop 42\n", "" },
		{ "help loop stop", 7, "[loop stop] stop --help\n", "" },
		{ "--help", EXIT_DONE, ALL, "" }, { "", EXIT_USAGE, "", ALL },
		{ "loop", EXIT_USAGE, "", HEAD "Commands:\n" LOOPS },
		{ "stature", EXIT_USAGE, "", "plough: unknown command "
		    "'stature'; did you mean 'status'?\n" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("'%s'", rows[i].line);
		is_number(run(rows[i].line, NULL), rows[i].status);
		is_text(scratch_text("out"), rows[i].out);
		is_text(scratch_text("err"), rows[i].err);
	}
}

static void
full_output(void)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	if (full == -1 || dup2(full, STDOUT_FILENO) == -1)
		_exit(98);
}

TEST(what_cannot_be_printed_was_not_done) {
	if (access("/dev/full", W_OK) == -1)
		return;                         /* this system has none */
	is_number(run("status", full_output), EXIT_COULD_NOT);
	contains(scratch_text("err"), ": cannot write to standard output");
	is_number(run("--help", full_output), EXIT_COULD_NOT);
	is_number(run("version", full_output), EXIT_COULD_NOT);
}

static void
no_streams(void)
{
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

TEST(no_file_takes_the_place_of_a_closed_stream) {
	int usual = run("opens", NULL);

	ok(usual > STDERR_FILENO && run("opens", no_streams) == usual);
}

/* Standard input and output are a terminal. */
static void
on_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	if (master == -1 || grantpt(master) == -1 || unlockpt(master) == -1 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) == -1 ||
	    dup2(slave, STDIN_FILENO) == -1 || dup2(slave, STDOUT_FILENO) == -1)
		_exit(98);
}

TEST(its_name_alone_runs_a_command_on_a_terminal) {
	is_number(run("", on_terminal), EXIT_USAGE);
	is_text(scratch_text("err"), ALL);
	plough.alone = "status";
	is_number(run("", on_terminal), 7);
	is_text(scratch_text("err"), "");
	is_number(run("", NULL), EXIT_USAGE);
	is_text(scratch_text("err"), ALL);
}
