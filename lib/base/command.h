/*
 * command.h - a command as the program, its help and completions see it.
 *
 * Each command is one constant struct in a file of its own; paneward.c lists
 * them.  Options are rows of a table: the parser, --help and the shell
 * completions are made from it.
 */
#ifndef PANEWARD_COMMAND_H
#define PANEWARD_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum { OPTION_LONG = 256 };     /* keys from here on have no short letter */

/* What command_option() does with an option by itself. */
enum option_kind {
	OPTION_OTHER,           /* nothing: it returns the key */
	OPTION_FLAG,            /* sets a bool */
	OPTION_TEXT,            /* sets a const char *, part of argv */
	OPTION_NUMBER,          /* sets a long; see command_number() */
	OPTION_LIST             /* adds to a char **, see argv.h */
};

struct command_option {
	int         key;        /* short letter (not h), or OPTION_LONG + n; 0
				   if only its kind needs it */
	const char *name;       /* without the dashes */
	const char *argument;   /* its value's name in the help; NULL: none;
				   a "DIR" is never empty, a
				   "SEC" may have a unit; "[=WORD]" of a long
				   option may be missing, optarg is NULL then */
	const char *help;       /* one line */
	enum option_kind kind;
	size_t      at;         /* where, in the struct of command_option() */
	long        least, most;
};

/* The end of a row whose option sets a member of the command's struct. */
#define FLAG_AT(type, member) .kind = OPTION_FLAG, .at = offsetof(type, member)
#define TEXT_AT(type, member) .kind = OPTION_TEXT, .at = offsetof(type, member)
#define LIST_AT(type, member) .kind = OPTION_LIST, .at = offsetof(type, member)
#define NUMBER_AT(type, member, from, to) .kind = OPTION_NUMBER, \
	.at = offsetof(type, member), .least = (from), .most = (to)

/* Has it a short letter?  May its value be missing? */
#define option_letter(o) ((o)->key > 0 && (o)->key < OPTION_LONG)
#define option_optional(o) ((o)->argument != NULL && (o)->argument[0] == '[')

struct command {
	const char *name;
	const char *alias;      /* the same in one other word; NULL: none */
	const char *guess;      /* a word of other programs for it; NULL */
	const char *summary;    /* one line; NULL hides the command */
	const char *arguments;  /* the synopsis behind the options */
	const char *examples;   /* whole lines, shown first by --help */
	const struct command_option *options;   /* ends with an empty row;
					   NULL: none */
	int       (*run)(const struct command *, int argc, char **argv);
};

/* The next option of a command that is OPTION_OTHER, as from getopt(3): its key
 * with optarg set, -1 behind the last one, when optind is the first argument.
 * The other ones set the members of the struct.  Answers --help; an unknown
 * option ends the program with EXIT_USAGE. */
int command_option(const struct command *, int argc, char **argv, void *set);

/* Reports an argument of the wrong kind; ends the program. */
_Noreturn void command_usage(const struct command *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* argument, of "--option" or of something else in words, as a whole number
 * within limits, or the program ends. */
long command_number(const struct command *, const char *option,
    const char *argument, long min, long max);

/* argument if it is a valid issue, or the program ends. */
const char *command_issue(const struct command *, const char *argument);

/* Does it name a pane: "%5", "4711%5" for that of the tmux server with this pid,
 * or "session:window.0"? */
bool command_pane(const char *word);
/* argument if it is that or a valid issue, or the program ends. */
const char *command_agent(const struct command *, const char *argument);

void command_help(const struct command *);

/* To suggest a known word: *nearest becomes the word if at most two letters (a
 * pair that is the wrong way round counts as one) tell what was typed from it,
 * and fewer than from *nearest (NULL at first).  The word has at most 31
 * bytes. */
void command_nearer(const char **nearest, const char *typed, const char *word);

#endif
