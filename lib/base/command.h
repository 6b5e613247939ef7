/*
 * command.h - a command as the program, its help and completions see it.
 *
 * paneward.c lists the constant structs.
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
	int         key;        /* short letter, OPTION_LONG + n, or 0 unless
				   OPTION_OTHER */
	const char *name;
	const char *argument;   /* or NULL.  "DIR" is never empty, "SEC" may
				   have a unit, "[=WORD]" may be missing */
	const char *help;
	enum option_kind kind;
	size_t      at;
	long        least, most;
};

/* Ends of rows. */
#define FLAG_AT(type, member) .kind = OPTION_FLAG, .at = offsetof(type, member)
#define TEXT_AT(type, member) .kind = OPTION_TEXT, .at = offsetof(type, member)
#define LIST_AT(type, member) .kind = OPTION_LIST, .at = offsetof(type, member)
#define NUMBER_AT(type, member, from, to) .kind = OPTION_NUMBER, \
	.at = offsetof(type, member), .least = (from), .most = (to)

#define JSON_AT(type, member, words) \
	{ 'j', "json", NULL, words, FLAG_AT(type, member) }

#define option_letter(o) ((o)->key > 0 && (o)->key < OPTION_LONG)
#define option_optional(o) ((o)->argument != NULL && (o)->argument[0] == '[')

struct command {
	const char *name;
	const char *alias;      /* another word; or NULL */
	const char *guess;      /* a word to correct; or NULL */
	const char *summary;    /* NULL hides the command */
	/* The synopsis behind the options; NULL: none.  Its words are counted,
	 * "[WORD]" and "WORD..." too, unless it has "--" or " | ". */
	const char *arguments;
	const char *examples;
	const struct command_option *options;   /* end with an empty row */
	int       (*run)(const struct command *, int argc, char **argv);
};

/* Sets members of the struct.  Returns the next OPTION_OTHER as getopt(3) does,
 * -1 behind the options.  Answers --help; ends the program at an unknown one. */
int command_option(const struct command *, int argc, char **argv, void *set);

/* Ends the program with EXIT_USAGE, as the next functions do for a wrong
 * argument. */
_Noreturn void command_usage(const struct command *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A whole number within limits, of seconds perhaps with a unit. */
long command_number(const struct command *, const char *option,
    const char *argument, bool seconds, long min, long max);

/* "error,dead" as the sum of 1 << enum state. */
unsigned command_states(const struct command *, const char *option,
    const char *list);

const char *command_issue(const struct command *, const char *argument);

/* Is it "%5", "4711%5" with the pid of its tmux server, or "session:window.0"? */
bool command_pane(const char *word);
const char *command_agent(const struct command *, const char *argument);

/* *nearest (NULL at first) becomes the word, of at most 31 bytes, if no more
 * than two letters or swapped pairs tell it from typed, and fewer than
 * *nearest. */
void command_nearer(const char **nearest, const char *typed, const char *word);

#endif
