/*
 * backend.h - a kind of agent: backends/<name>.json, the user's before ours.
 *
 * What differs between agents is data.  A word in "arguments" may hold
 * <<run>>, one in "prompt" <<prompt>>; they are replaced as in a template.  A
 * backend without "prompt" takes none on its command line.  "announces",
 * "title" and "screen" are its signs (signs.h), "transcript" is the format of
 * what it writes down (transcript.h).
 */
#ifndef PANEWARD_BACKEND_H
#define PANEWARD_BACKEND_H

#include "agent/signs.h"
#include "agent/transcript.h"
#include "os/spawn.h"

struct backend {
	char  *name;
	char  *file;                    /* where it was read from */
	char  *command;                 /* NULL: a command must be given */
	char **arguments;               /* NULL-ended */
	char **prompt;                  /* NULL-ended; empty: takes none */
	bool   session_is_run;          /* its session id is the run id */
	char **resume;                  /* the words that resume a session, */
	char **resume_transcript;       /* or that of a transcript, */
	char **latest;                  /* or the last one of its directory */
	char **resume_prompt;           /* and the words for a prompt behind
					   them; empty: it must be typed */
	char **once;                    /* the words after its command for one
					   turn, after which it ends; empty:
					   it cannot */
	char **once_prompt;             /* and those for a prompt after them;
					   empty: it reads its input */
	char **sessions;                /* options that choose a session: with
					   one of them it is not given ours */
	char **resumes;                 /* words of a command that goes on with
					   an older session */
	char **keep;                    /* options of its command line that are
					   kept when it is resumed */
	char **if_known;                /* options that it is given if its help
					   names them */
	char **version;                 /* the words that ask it for its
					   version */
	char **tried;                   /* versions its rules were tried with */
	char  *session_variable;        /* where its tools find its session's
					   id; NULL */
	int64_t interrupts;             /* how often Ctrl+C ends it when it is
					   idle, */
	int64_t interrupt_gap;          /* with so many ms between them */
	char **process_names;           /* of its program, and the packages */
	char **process_packages;        /* that its scripts belong to */
	char **process_not;             /* words with which no person uses it */
	struct transcript_format *transcript;   /* NULL: not known */
	struct signs signs;             /* what it shows */
	struct backend *next;           /* of struct backends */
};

/* The folder of the backends. */
#define BACKEND_FOLDER "backends"

enum { BACKEND_MAX = 1 << 20 };         /* bytes of a file that are read */

/* The text of backends/NAME.json, at most so many bytes, and its path for the
 * caller to free.  1: read, 0: there is none, -1 with the whole message in
 * *error. */
int  backend_text(const char *name, size_t most, char **path,
    struct buf *text, struct buf *error);

/* -1 with the whole message in *error. */
int  backend_read(struct backend *, const char *name, struct buf *error);
void backend_release(struct backend *);

/* Those that were needed so far, each read once.  They are kept until the
 * process ends. */
struct backends {
	struct backend *first;
	bool            complete;       /* all there are, by their names */
};

/* NULL with the whole message in *error. */
const struct backend *backends_get(struct backends *, const char *name,
    struct buf *error);
/* Reads all, the user's and ours, at the first call.  One that cannot be read is
 * left out; why gets the message, "; " between two.  -1 with errno if the
 * folder or a file failed to be looked at: the next call tries again. */
int  backends_all(struct backends *, struct buf *why);

/*
 * The name of a run's backend: the recorded one; if none is recorded, the one
 * that is called like the program in front of the pane, if it exists, else the
 * configured one.
 */
const char *backend_choose(const char *recorded, const char *foreground,
    const char *configured);

/*
 * The words to run, and the words that the prompt becomes on a command line;
 * NULL-ended, freed by argv_free().  prompt may be NULL.
 */
char **backend_argv(const struct backend *, const char *run,
    const char *cwd, const char *prompt);
char **backend_prompt(const struct backend *, const char *prompt);

/* Is the first word of a command line the backend's command (NULL: none)?  The
 * folders of both do not count. */
bool backend_is(const char *command, const char *word);

/*
 * Does it serve a person, with these words behind its program?  Not if a word of
 * "process.not" is an option of it, or its first word that is none.  A word
 * behind an option that "keep" does not name may belong to that.
 */
bool backend_serves(const struct backend *, char *const *words);

/* Does a person's command go on with an older session? */
bool backend_resumes(const struct backend *, char *const *words);

/* May the id of a session go into a command line? */
bool backend_session_valid(const char *id);

/*
 * The words that give a person's command the run as its session: "arguments",
 * if the first word of the command is the backend's program, no word of it
 * chooses a session, and the second one is an option.  Else NULL.
 */
char **backend_session(const struct backend *, char *const *words,
    const char *run, const char *cwd);

/*
 * The words that run it for one turn (command, or else its own), with a prompt
 * that may be NULL and also lies in the file (never NULL); NULL if the backend
 * has no such words.  *input: the prompt has to be its standard input.
 */
char **backend_once(const struct backend *, char *const *command,
    const char *run, const char *prompt, const char *prompt_file,
    bool *input);

/*
 * Of a command line the program and the options to keep.  An option in "keep"
 * that ends with = takes the next word, one that ends with =* all words up to
 * the next option.
 */
char **backend_keep(const struct backend *, char *const *words);

/*
 * Inserts the options of if_known that the program's --help names after the
 * first word, except those that are there already; none if the first word is
 * not the backend's program.  Runs the program, for five seconds at most.
 * Returns how many were inserted.
 */
size_t backend_add_known(const struct backend *, const char *program,
    char ***argv);

/*
 * The words that resume a session, or that of a transcript, or (both NULL) the
 * last one of the directory, with a prompt (NULL: none); NULL if the backend
 * has none.  *typed: the prompt must be typed.
 */
char **backend_resume(const struct backend *, const char *session,
    const char *transcript, const char *prompt, bool *typed);

struct launch;

/* Writes the order (run/launch.h) that launches it again so, with the words of
 * every start.  -1 with errno. */
int  backend_launch(const struct backend *, const struct launch *,
    const char *session, const char *transcript, const char *prompt,
    int state_fd, const char *key);

/* ---- the version of its client ------------------------------------------- */

/*
 * A version is the first number with a dot in what the program prints:
 * "codex-cli 0.169.0".  A backend has the words that ask for it, "version", and
 * the versions with which its rules were tried, "tried".
 */

/* Begins to ask the program that PATH finds.  False: there is none, or no words
 * to ask with. */
bool clientversion_begin(struct spawn *, const struct backend *);

/* Waits for the answer, for the caller to free; NULL: it is unknown, and *why
 * has the reason. */
char *clientversion_end(struct spawn *, struct buf *why);

/* The version in a text, for the caller to free; NULL: there is none. */
char *clientversion_in(const char *text);

/* Is it newer than each that was tried?  False, too, if none was. */
bool clientversion_newer(const struct backend *, const char *version);

#endif
