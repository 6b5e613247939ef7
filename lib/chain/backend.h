/*
 * backend.h - a kind of agent: backends/<name>.json, the user's before ours.
 *
 * What differs between agents is data.  A word in "arguments" may hold
 * <<run>>, one in "prompt" <<prompt>>; they are replaced as in a template.  A
 * backend without "prompt" takes none on its command line.  "announces",
 * "title" and "screen" are its signs; see sign.h.
 */
#ifndef PANEWARD_BACKEND_H
#define PANEWARD_BACKEND_H

#include <stdbool.h>

#include "base/buf.h"
#include "chain/signs.h"

struct backend {
	char  *name;
	char  *file;                    /* where it was read from */
	char  *command;                 /* NULL: a command must be given */
	char **arguments;               /* NULL-ended */
	char **prompt;                  /* NULL-ended; empty: takes none */
	bool   session_is_run;          /* its session id is the run id */
	char **resume;                  /* the words that resume a session, */
	char **latest;                  /* or the last one of its directory */
	char **resume_prompt;           /* and the words for a prompt behind
					   them; empty: it must be typed */
	char **once;                    /* the words behind its command for one
					   turn, after which it ends; empty:
					   it cannot */
	char **once_prompt;             /* and those for a prompt behind them;
					   empty: it reads it */
	char **keep;                    /* options of its command line that it
					   is resumed with too */
	char **if_known;                /* options that it is given if its help
					   names them */
	char  *session_variable;        /* where its tools find its session's
					   id; NULL */
	int64_t interrupts;             /* how often Ctrl+C ends it when it is
					   idle, */
	int64_t interrupt_gap;          /* with so many ms between them */
	struct signs signs;             /* what it shows */
};

/* -1 with the whole message in *error. */
int  backend_read(struct backend *, const char *name, struct buf *error);
void backend_release(struct backend *);

/* Those that were needed so far, each read once, its signs compiled. */
struct backends {
	struct backend **all;
	size_t n;
};

/* NULL with the whole message in *error. */
const struct backend *backends_get(struct backends *, const char *name,
    struct buf *error);
void backends_release(struct backends *);

/*
 * What a run is of: the backend that is recorded; where there is none, the one
 * called like the program in front of its pane, if there is one, else the
 * configured one.  The name is one of the three.
 */
const char *backend_choose(const char *recorded, const char *front,
    const char *configured);

/*
 * The words to run, and the words that the prompt becomes on a command line;
 * NULL-ended, freed by argv_free().  prompt may be NULL.
 */
char **backend_argv(const struct backend *, const char *run,
    const char *prompt);
char **backend_prompt(const struct backend *, const char *prompt);

/*
 * The words that run it for one turn (command, or else its own), with a prompt
 * that may be NULL and lies in the file; NULL where the backend does not say
 * how.  *input: the prompt has to be its standard input.
 */
char **backend_once(const struct backend *, char *const *command,
    const char *run, const char *prompt, const char *prompt_file,
    bool *input);

/*
 * Of the words of a command line the program and the options that are kept.  An
 * option that ends with = takes the word behind it, one that ends with =* all
 * up to the next option.
 */
char **backend_keep(const struct backend *, char *const *words);

/*
 * Puts those options of if_known that the program's --help names behind the
 * first word; how many.  None that the words hold already, and none if the
 * first word is another program than the backend's.  Runs the program, for five
 * seconds at most; if it does not answer, nothing is put there.
 */
size_t backend_add_known(const struct backend *, const char *program,
    char ***argv);

/*
 * The words that resume a session (NULL: the last one of the directory) with a
 * prompt; NULL where the backend does not say how.  *typed: it takes no prompt
 * there.
 */
char **backend_resume(const struct backend *, const char *session,
    const char *prompt, bool *typed);

#endif
