/*
 * A program runs in a child of the test, since it may end it; what it printed
 * is in files.
 */
#include "base/program.h"

#include <stdlib.h>

#include "base/exitstatus.h"
#include "scratch.h"

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

static const struct program bare = { .name = "plough", .commands = commands };
static const struct program alone = { .name = "plough", .commands = commands,
    .alone = "status" };

enum { WORDS = 6 };

static void
to_file(const char *name, int fd)
{
	int file = openat(scratch_fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (file == -1 || dup2(file, fd) == -1)
		_exit(99);
	close(file);
}

/* Its exit status with these words, separated by blanks. */
static int
run(const struct program *p, const char *line, void (*prepare)(void))
{
	char text[128], *words[WORDS + 1] = { NULL }, *word, *rest;
	int status, n = 0;

	fflush(stdout);
	if (fork() == 0) {
		snprintf(text, sizeof(text), "plough %s", line);
		for (word = strtok_r(text, " ", &rest);
		    word != NULL && n < WORDS;
		    word = strtok_r(NULL, " ", &rest))
			words[n++] = word;
		to_file("out", STDOUT_FILENO);
		to_file("err", STDERR_FILENO);
		if (prepare != NULL)
			prepare();
		exit(program_main(p, n, words));
	}
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* With these words, the program ends so and prints that. */
static void
gives(const char *line, int status, const char *out, const char *err)
{
	is_number(run(&bare, line, NULL), status);
	is_text(scratch_text("out"), out);
	is_text(scratch_text("err"), err);
}

#define HEAD "Usage: plough COMMAND [options] [argument...]\n" \
	"       plough COMMAND --help\n\n"
#define USAGE HEAD "Commands:\n"
#define LOOPS "  loop begin   Begin it\n  loop stop    Stop it\n"
#define ALL HEAD "Look:\n  status       Show it\n\nGo on:\n" LOOPS

TEST(a_command_gets_its_words_and_gives_the_status) {
	gives("status", 7, "[status] status\n", "");
	gives("status 42 --json", 7, "[status] status 42 --json\n", "");
	gives("statue x", 7, "[statue] statue x\n", "");
	gives("loop stop 42", 7, "[loop stop] stop 42\n", "");
}

TEST(help_and_version_are_results) {
	gives("--help", EXIT_DONE, ALL, "");
	gives("-h", EXIT_DONE, ALL, "");
	gives("help", EXIT_DONE, ALL, "");
	gives("--version", EXIT_DONE, "plough " VERSION "\n", "");
	gives("version", EXIT_DONE, "plough " VERSION "\n", "");
	gives("loop --help", EXIT_DONE, USAGE LOOPS, "");
	gives("help status", 7, "[status] status --help\n", "");
	gives("help loop stop", 7, "[loop stop] stop --help\n", "");
	gives("help loop", EXIT_DONE, USAGE LOOPS, "");
}

TEST(without_a_command_the_usage_is_an_error) {
	gives("", EXIT_USAGE, "", ALL);
	gives("loop", EXIT_USAGE, "", USAGE LOOPS);
}

TEST(an_unknown_command_names_the_nearest) {
	gives("stauts", EXIT_USAGE, "", "plough: unknown command 'stauts'; "
	    "did you mean 'status'?\n");
	gives("loop stpo", EXIT_USAGE, "", "plough: unknown command "
	    "'loop stpo'; did you mean 'loop stop'?\n");
	gives("harvest", EXIT_USAGE, "", "plough: unknown command 'harvest' "
	    "(see 'plough --help')\n");
	/* What is hidden is not named. */
	gives("stature", EXIT_USAGE, "", "plough: unknown command 'stature'; "
	    "did you mean 'status'?\n");
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
	is_number(run(&bare, "status", full_output), EXIT_COULD_NOT);
	ok(strstr(scratch_text("err"), "plough: cannot write to standard "
	    "output") != NULL);
	is_number(run(&bare, "--help", full_output), EXIT_COULD_NOT);
	is_number(run(&bare, "version", full_output), EXIT_COULD_NOT);
}

static void
no_streams(void)
{
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

TEST(no_file_takes_the_place_of_a_closed_stream) {
	int usual = run(&bare, "opens", NULL);

	ok(usual > STDERR_FILENO);
	is_number(run(&bare, "opens", no_streams), usual);
}

/* Standard input and output are a terminal. */
static void
on_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	if (master == -1 || grantpt(master) == -1 || unlockpt(master) == -1 ||
	    (slave = open(ptsname(master), O_RDWR | O_NOCTTY)) == -1 ||
	    dup2(slave, STDIN_FILENO) == -1 ||
	    dup2(slave, STDOUT_FILENO) == -1)
		_exit(98);
}

TEST(its_name_alone_runs_a_command_on_a_terminal) {
	is_number(run(&alone, "", on_terminal), 7);
	is_text(scratch_text("err"), "");
	is_number(run(&alone, "", NULL), EXIT_USAGE);
	is_text(scratch_text("err"), ALL);
	is_number(run(&bare, "", on_terminal), EXIT_USAGE);
	is_text(scratch_text("err"), ALL);
}
