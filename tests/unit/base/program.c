/*
 * tests/system/usage.sh has the words of the real program, and its help, and
 * status.sh an output that is closed.
 */
#include "base/program.h"

#include <stdint.h>

#include "base/exitstatus.h"
#include "unit/children.h"

static int
told_run(const struct command *c, int argc, char **argv)
{
	printf("[%s] %s\n", c->name, argv[argc - 1]);
	return argv[argc] == NULL ? 7 : 8;
}

/* The number that its next file has. */
static int
opens_run(const struct command *c, int argc, char **argv)
{
	(void)c, (void)argc, (void)argv;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static const struct program_row commands[] = {
	{ "Look", &(const struct command){ .name = "status",
	    .summary = "Show it", .run = told_run } },
	{ "Go on", &(const struct command){ .name = "loop stop",
	    .summary = "Stop it", .run = told_run } },
	{ NULL, &(const struct command){ .name = "statue", .run = opens_run } },
	{ NULL, NULL }
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

#define HELP "Usage: plough COMMAND [options] [argument...]\n" \
	"       plough COMMAND --help\n\n" \
	"Look:\n  status       Show it\n\nGo on:\n  loop stop    Stop it\n"

TEST(help_has_groups_and_a_hidden_command_is_not_named) {
	is_number(run("help loop stop", NULL), 7);
	is_text(scratch_text("out"), "[loop stop] --help\n");
	is_number(run("--help", NULL), EXIT_DONE);
	is_text(scratch_text("out"), HELP);
	is_number(run("stature", NULL), EXIT_USAGE);
	contains(scratch_text("err"), "; did you mean 'status'?\n");
}

static void
no_streams(void)
{
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

TEST(no_file_takes_the_place_of_a_closed_stream) {
	int usual = run("statue", NULL);

	ok(usual > STDERR_FILENO && run("statue", no_streams) == usual);
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
	is_text(scratch_text("err"), HELP);
	plough.alone = "status";
	is_number(run("", on_terminal), 7);
	is_number(run("", NULL), EXIT_USAGE);
	is_text(scratch_text("err"), HELP);
}
