#include "base/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"

static void
usage(const struct program *p, FILE *to, const char *prefix)
{
	const struct program_row *r;
	const struct command *c;

	fprintf(to, "Usage: %s COMMAND [options] [argument...]\n"
	    "       %s COMMAND --help\n", p->name, p->name);
	if (p->commands->heading == NULL || prefix[0] != '\0')
		fprintf(to, "\nCommands:\n");
	for (r = p->commands; (c = r->command) != NULL; r++) {
		if (r->heading != NULL && prefix[0] == '\0')
			fprintf(to, "\n%s:\n", r->heading);
		if (c->summary != NULL &&
		    strncmp(c->name, prefix, strlen(prefix)) == 0)
			fprintf(to, "  %-12s %s\n", c->name, c->summary);
	}
}

static bool
is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
	    strcmp(word, "help") == 0;
}

static _Noreturn void
unknown(const struct program *p, const char *name)
{
	const struct program_row *r;
	const struct command *c;
	const char *nearest = NULL;

	for (r = p->commands; (c = r->command) != NULL; r++) {
		if (c->summary != NULL)
			command_nearer(&nearest, name, c->name);
		if (c->guess != NULL && strcmp(c->guess, name) == 0) {
			nearest = c->name;
			break;
		}
	}
	if (nearest != NULL)
		fatal_usage("unknown command '%s'; did you mean '%s'?", name,
		    nearest);
	fatal_usage("unknown command '%s' (see '%s --help')", name, p->name);
}

static int
program_run(const struct program *p, int argc, char **argv)
{
	const struct program_row *r;
	const struct command *c;
	size_t len = strlen(argv[0]);
	bool group = false;             /* as "loop" of "loop run" */
	char name[64];

	for (r = p->commands; (c = r->command) != NULL; r++) {
		if (strcmp(c->name, argv[0]) == 0 || (c->alias != NULL &&
		    strcmp(c->alias, argv[0]) == 0))
			return c->run(c, argc, argv);
		if (strncmp(c->name, argv[0], len) != 0 ||
		    c->name[len] != ' ')
			continue;
		group = true;
		if (argc > 1 && strcmp(c->name + len + 1, argv[1]) == 0)
			return c->run(c, argc - 1, argv + 1);
	}
	if (!group)
		unknown(p, argv[0]);
	if (argc > 1 && !is_help(argv[1])) {
		snprintf(name, sizeof(name), "%s %s", argv[0], argv[1]);
		unknown(p, name);
	}
	snprintf(name, sizeof(name), "%s ", argv[0]);
	usage(p, argc > 1 ? stdout : stderr, name);
	return argc > 1 ? EXIT_DONE : EXIT_USAGE;
}

int
program_main(const struct program *p, int argc, char **argv)
{
	static char help[] = "--help";
	int fd, status = EXIT_DONE;
	char word[32];

	msg_program(p->name);
	/* A file opened on a closed standard stream would get its output. */
	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
		    open("/dev/null", O_RDWR) == -1)
			break;
	/* A closed pipe fails write(); waitpid() finds ended children. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	if (argc < 2 && p->alone != NULL && isatty(STDIN_FILENO) &&
	    isatty(STDOUT_FILENO)) {
		snprintf(word, sizeof(word), "%s", p->alone);
		status = program_run(p, 1, (char *[]){ word, NULL });
	} else if (argc < 2) {
		usage(p, stderr, "");
		status = EXIT_USAGE;
	} else if (strcmp(argv[1], "--version") == 0 ||
	    strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "version") == 0) {
		printf("%s %s\n", p->name, VERSION);
	} else if (is_help(argv[1]) && argc == 2) {
		usage(p, stdout, "");
	} else {
		/* "help status" is "status --help". */
		if (is_help(argv[1])) {
			memmove(argv + 1, argv + 2, (size_t)(argc - 2) *
			    sizeof(*argv));
			argv[argc - 1] = help;
		}
		status = program_run(p, argc - 1, argv + 1);
	}
	if (fflush(stdout) == EOF || ferror(stdout))
		fatal("cannot write to standard output");
	return status;
}
