/*
 * command.h - a command as the program, its help and completions see it.
 *
 * Each command is one constant struct in a file of its own; paneward.c lists
 * them.  Its options are rows of a table for the parser, --help and the shell
 * completions.
 */
#ifndef PANEWARD_COMMAND_H
#define PANEWARD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum { OPTION_LONG = 256 };     /* the first key without a short letter */

enum option_kind {
	OPTION_OTHER,           /* command_option() returns the key */
	OPTION_FLAG,            /* sets a bool */
	OPTION_TEXT,            /* sets a const char *, part of argv */
	OPTION_NUMBER,          /* sets a long */
	OPTION_LIST             /* adds to a char **, see argv.h */
};

struct command_option {
	int         key;        /* short letter (not h), or OPTION_LONG + n; 0
				   unless OPTION_OTHER needs it */
	const char *name;       /* without the dashes */
	const char *argument;   /* its value in the help; NULL: none.  "DIR" is
				   never empty, "SEC" may have a unit,
				   "[=WORD]" may be missing (optarg NULL) */
	const char *help;       /* one line */
	enum option_kind kind;
	size_t      at;         /* in the struct of command_option() */
	long        least, most;
};

/* The end of a row whose option sets a member of the command's struct. */
#define FLAG_AT(type, member) .kind = OPTION_FLAG, .at = offsetof(type, member)
#define TEXT_AT(type, member) .kind = OPTION_TEXT, .at = offsetof(type, member)
#define LIST_AT(type, member) .kind = OPTION_LIST, .at = offsetof(type, member)
#define NUMBER_AT(type, member, from, to) .kind = OPTION_NUMBER, \
	.at = offsetof(type, member), .least = (from), .most = (to)

/* Does it have a short letter?  May its value be missing? */
#define option_letter(o) ((o)->key > 0 && (o)->key < OPTION_LONG)
#define option_optional(o) ((o)->argument != NULL && (o)->argument[0] == '[')

struct command {
	const char *name;
	const char *alias;      /* one other word; or NULL */
	const char *guess;      /* the word of other programs; or NULL */
	const char *summary;    /* one line; NULL hides the command */
	const char *arguments;  /* the synopsis behind the options */
	const char *examples;   /* whole lines, shown first by --help */
	const struct command_option *options;   /* ends with an empty row; or
					   NULL */
	int       (*run)(const struct command *, int argc, char **argv);
};

/* Sets the members of the struct.  Returns the key of the next OPTION_OTHER with
 * optarg, as getopt(3) does; -1 behind the last option, when optind is the first
 * argument.  Answers --help; an unknown option ends the program with
 * EXIT_USAGE. */
int command_option(const struct command *, int argc, char **argv, void *set);

/* Reports wrong use; ends the program. */
_Noreturn void command_usage(const struct command *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The argument of "--option" as a whole number within limits, or of seconds that
 * may have a unit; or the program ends. */
long command_number(const struct command *, const char *option,
    const char *argument, bool seconds, long min, long max);

/* argument if it is a valid issue, or the program ends. */
const char *command_issue(const struct command *, const char *argument);

/* Does it name a pane: "%5", "4711%5" (the pid of its tmux server first), or
 * "session:window.0"? */
bool command_pane(const char *word);
/* argument if it is a pane or a valid issue, or the program ends. */
const char *command_agent(const struct command *, const char *argument);

void command_help(const struct command *);

/* Suggests a known word of at most 31 bytes: *nearest (NULL at first) becomes the
 * word if it differs from the typed one by at most two letters, swapped pairs
 * counted once, and by fewer than *nearest. */
void command_nearer(const char **nearest, const char *typed, const char *word);

#endif
