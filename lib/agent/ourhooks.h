/*
 * ourhooks.h - paneward's hooks in the settings of an agent.
 *
 * A hook is ours if its command is the path of a paneward, "hook", the name of
 * a hook, and nothing else.  One with options behind that is the user's, but
 * counts as present.  An agent without hooks in its settings has a plugin
 * instead, a file that only init writes.
 */
#ifndef PANEWARD_OURHOOKS_H
#define PANEWARD_OURHOOKS_H

#include "agent/dialect.h"
#include "run/launch.h"

enum { OURHOOKS_MAX = 1 << 20 };        /* bytes of settings */

/* What is registered beside hook record. */
enum ourhook_part {
	OURHOOK_INBOX = 1 << 0,
	OURHOOK_LOOP  = 1 << 1
};

struct ourhook_kind {
	const char *name;
	unsigned    part;               /* it is registered with; 0: always */
};

/* The last one has no name. */
extern const struct ourhook_kind ourhook_kinds[];

/* Adds a program's path to a shell line, quoted if need be. */
void ourhook_add_program(struct buf *line, const char *program);
/* Reads the first word of a line, as that writes it.  Returns the text behind
 * it, or NULL if the line begins with anything else. */
const char *ourhook_word(const char *line, struct buf *word);

/* One hook of ours. */
struct ourhook {
	const struct json *event;       /* the list of the event's entries, */
	const struct json *entry;       /* one of them, */
	const struct json *object;      /* and the hook in it, or itself */
	const char  *name;
	struct buf   program;
	bool         options;
};

#define OURHOOK_INIT { .program = BUF_INIT }

/* The hook of ours (files is NULL) at this place among them all, from 0 on. */
bool ourhook_find(struct ourhook *, const struct json *root, size_t place,
    const struct json *files);
/* The first hook whose command names one of these files, with or without a
 * folder: it is another tool's.  Its name and program are not set. */
bool ourhook_find_other(struct ourhook *, const struct json *root,
    const struct json *files);

/* Empty, or white space as JSON has it.  A file of NULs, as a crash may leave
 * one, is not: it is refused. */
bool ourhooks_blank(struct buf *settings);

/* Parses settings that can hold hooks; NULL with the reason.  *comment is the
 * line of the first comment; 0: there is none. */
struct json *ourhooks_parse(const struct buf *settings, unsigned *comment,
    struct buf *why);

/* Lists the programs that our hooks in the settings or the plugin run, for
 * argv_free(); *own: one hook has no options of the user's.  -1 with the
 * reason.  1 if the settings have comments; then why names the line of the
 * first. */
int ourhooks_list(const struct dialect *, struct buf *settings,
    char ***programs, bool *own, struct buf *why);

/* Sets *folder to the folder of the user's own settings if the environment
 * names it, else to NULL.  False, with the reason, if the path is not
 * absolute. */
bool ourhooks_named_folder(const struct dialect *, const char **folder,
    struct buf *why);

/* Do hooks of ours run, if the agent is started in this directory, in our
 * environment? */
bool ourhooks_installed(const struct dialect *, const char *cwd);

/* ---- hooks for one session ----------------------------------------------- */

/*
 * Hooks for one session: "session" among the "hooks" of
 * backends/NAME.json.
 *
 *	"session": { "file": "templates/plugins/opencode.js",
 *	  "words": ["--extension", "<<file>>"],
 *	  "variable": "OPENCODE_CONFIG_CONTENT", "list": "plugin" }
 *
 * The file is one of ours.  An agent gets it by words behind the first one of
 * its command line, or by a variable that holds JSON, in a list of it.
 */

/*
 * Adds the hooks to the words and to our environment, in which the agent is to
 * be started in this directory.  Adds none if the backend (NULL: not known) has
 * none for a session, or if hooks of ours are installed.  Words are added if
 * the first one is the backend's program.  -1 with the reason if what the user
 * has set cannot be kept; then nothing was added.
 */
int sessionhooks_add(const char *backend, const char *cwd, char ***argv,
    struct buf *why);
/* The same for what is to be launched; warns with the reason. */
void sessionhooks_launch(struct launch *, const char *backend);

#endif
