/*
 * backend.h - a kind of agent, from backends/NAME.json; the keys are in
 * paneward-backend(5).
 */
#ifndef PANEWARD_BACKEND_H
#define PANEWARD_BACKEND_H

#include "agent/signs.h"
#include "agent/transcript.h"
#include "os/spawn.h"

/* Lists of words end with NULL and are never NULL. */
struct backend {
	char  *name, *file;
	char  *patterns;                /* sub-patterns, or NULL */
	char  *hooks;                   /* the backend that has its hooks, if
					   it extends one; or NULL */
	char  *command;                 /* NULL: the user must give one */
	char **arguments, **prompt;
	bool   session_is_run;
	char **resume, **resume_transcript, **latest, **resume_prompt;
	char **attach;
	char **once, **once_prompt;
	char **sessions, **resumes, **keep, **if_known;
	char **version, **tried;
	char  *session_variable;        /* or NULL */
	int64_t interrupts, interrupt_gap;
	char **process_names, **process_packages, **process_not;
	char **unknown;                 /* of "shell": names of strangers */
	bool   stranger;                /* it may be an agent, and has no
					   file */
	struct transcript_format *transcript;   /* NULL: unknown */
	struct signs signs;
	struct backend *next;
};

#define BACKEND_FOLDER "backends"

enum { BACKEND_MAX = 1 << 20 };         /* bytes of a file */

/* Reads at most so many bytes of the file; the caller frees its path.  1; 0:
 * there is none; -1 with errno and the whole message. */
int  backend_text(const char *name, size_t most, char **path,
    struct buf *text, struct buf *error);

/* -1 with the whole message. */
int  backend_read(struct backend *, const char *name, struct buf *error);
void backend_release(struct backend *);

/* Each backend is read when it is first needed, and never released. */
struct backends {
	struct backend *first;
	bool            complete;       /* all are read, in order of names */
};

/* NULL with the whole message. */
const struct backend *backends_get(struct backends *, const char *name,
    struct buf *error);
/* Reads all once and skips a broken file; why gets the messages.  -1 with errno
 * after a failed look: the next call retries. */
int  backends_all(struct backends *, struct buf *why);
/* Finds or adds it; NULL: its file could not be read. */
struct backend *backends_stranger(struct backends *, const char *name);

/* A part of a file's text stands for an installed backend from now on; all three
 * stay the caller's. */
void backend_give(const char *name, const char *path, const struct buf *text,
    size_t from, size_t to);

/* The recorded name, else the foreground program's if it is a backend, else the
 * configured one. */
const char *backend_choose(const char *recorded, const char *foreground,
    const char *configured);

/* Adds the words with the value for <<name>>; none if the value is NULL. */
char **backend_fill(char **argv, char *const *words, const char *name,
    const char *value);

/* Adds the words of every start. */
char **backend_arguments(char **argv, const struct backend *, const char *run,
    const char *cwd);

/* Is the word the command (NULL: never), whatever the folders? */
bool backend_is(const char *command, const char *word);

/* Does the program serve a person with these words? */
bool backend_serves(const struct backend *, char *const *words);

bool backend_resumes(const struct backend *, char *const *words);

bool backend_session_valid(const char *id);

/* The words that give a command the run as its session, or NULL. */
char **backend_session(const struct backend *, char *const *words,
    const char *run, const char *cwd);

/* The words for one turn of the command (NULL: its own) with a prompt (or
 * NULL), which its file holds; NULL: there are none.  *input: the prompt has to
 * be the standard input. */
char **backend_once(const struct backend *, char *const *command,
    const char *run, const char *prompt, const char *prompt_file,
    bool *input);

/* The program and the options to keep of a command line. */
char **backend_keep(const struct backend *, char *const *words);

/* Inserts the options of if_known that --help names; returns their number. */
size_t backend_add_known(const struct backend *, const char *program,
    char ***argv);

/* The words that resume a session, that of a transcript, or (both NULL) the
 * latest one; NULL: none.  *typed: the prompt must be typed. */
char **backend_resume(const struct backend *, const char *session,
    const char *transcript, const char *prompt, bool *typed);

/* The last answer that its client wrote down, whole.  1; 0: there is none; -1;
 * both with the reason. */
int backend_answer(struct backends *, const struct status *, struct buf *text,
    struct buf *why);

struct launch;

/* Writes the order that resumes it so.  -1 with errno. */
int  backend_launch(const struct backend *, const struct launch *,
    const char *session, const char *transcript, const char *prompt,
    int state_fd, const char *key);

/* ---- client version ------------------------------------------------------ */

/* False: there is no program, or no words to ask it with. */
bool clientversion_begin(struct spawn *, const struct backend *);

/* Waits for the answer, for free(); NULL with the reason. */
char *clientversion_end(struct spawn *, struct buf *why);

/* The first number with a dot in a text, for free(); or NULL. */
char *clientversion_in(const char *text);

/* Is it newer than every version that was tried, if any was? */
bool clientversion_newer(const struct backend *, const char *version);

#endif
