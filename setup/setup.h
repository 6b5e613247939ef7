/*
 * setup.h - the files of init: agents' settings, tmux's configuration, the
 * project's.
 */
#ifndef PANEWARD_SETUP_H
#define PANEWARD_SETUP_H

#include "agent/ourhooks.h"
#include "data/datafile.h"
#include "data/template.h"
#include "os/file.h"
#include "paneward.h"

/* ---- values of a template: render.c -------------------------------------- */

struct values {
	struct template_value *list;    /* names and values are borrowed */
	size_t n;
};

/* NULL: the name has no value. */
struct template_value *values_find(const struct values *, const char *name);
void values_set(struct values *, const char *name, const char *value);

/* ---- a file of the user's: userfile.c ------------------------------------ */

/*
 * A file below a root that init writes, changes or removes.  A link, also on
 * the way, or a file that is not the user's alone, is refused with the reason.
 *
 * The text goes to a hidden file with a fixed name, under a lock of the folder:
 * interrupted runs leave one at most, which the next one removes.
 */

struct userfile {
	char   *root, *folder, *name;   /* the folder is below the root */
	char   *path;                   /* all of it */
	size_t  had;                    /* length of the part that existed */

	int     fd;                     /* of the folder; -1: not there */
	bool    there;
	struct buf before, after;       /* its text, and the new one */
	bool    stays;                  /* it is to exist */
	bool    cleared;                /* an interrupted run's was removed */
	bool    quiet;                  /* it is not shown unless it changes */
	const char *over;               /* the file that it hides, or NULL */
	char   *backup;                 /* the name of one beside it; or NULL */
	enum {
		BACKUP_STAYS,
		BACKUP_MADE,            /* before a change */
		BACKUP_STALE,           /* removed before the file is made */
		BACKUP_OVER             /* removed behind the change */
	} backing;
};

/* Splits an absolute path behind the innermost folder that exists. */
char *userfile_root(const char *path, char **folder);
/* Takes both over. */
void userfile_init(struct userfile *, char *root, char *folder,
    const char *name);

/* -1: refused, with the reason added to why. */
int  userfile_read(struct userfile *, struct buf *why);
/* Reads a file of its folder.  1: read, 0: there is none, -1 as above. */
int  userfile_text(const struct userfile *, const char *name,
    struct buf *text, struct buf *why);

bool userfile_changes(const struct userfile *);

/* Makes the folder if the file is to exist, and locks it.  Ends the program if
 * the file has changed since. */
void userfile_begin(struct userfile *);
/* Writes a file beside it, with its mode. */
void userfile_put(const struct userfile *, const char *name,
    const struct buf *text);
/* Releases the lock, and removes empty folders of a file that goes. */
void userfile_end(struct userfile *);

/* A new descriptor. */
int  userfile_unnamed(const struct buf *text);

/* Ends the program with the reason and the text to put in; NULL: todo says what
 * to take out. */
_Noreturn void userfile_refuse(const struct userfile *, const char *why,
    struct buf *text, const char *todo);

/* Shows the changes and the note, and asks the question (NULL: none); makes the
 * changes, the last file first, unless print is set.  EXIT_NO: the answer was
 * no. */
enum exit_status userfile_change(struct userfile *, size_t n,
    const char *note, const char *question, bool print);

/* ---- changes to a JSON text: jsonedit.c ---------------------------------- */

/*
 * A change keeps every other byte, and makes a new tree.  A new value is
 * written as its neighbours are: removing it restores the text, but for blanks
 * in an empty container.
 */

struct jsonedit {
	struct buf  *text;              /* borrowed */
	struct json *root;              /* its tree, for json_free() */
};

/* -1: the text is no JSON, or has comments. */
int  jsonedit_init(struct jsonedit *, struct buf *text);

/* Takes a value over and adds it at the end; key NULL: of an array. */
void jsonedit_append(struct jsonedit *, const struct json *container,
    const char *key, struct json *value);
/* Removes a value that is not the whole text. */
void jsonedit_remove(struct jsonedit *, const struct json *);
/* Takes the new value. */
void jsonedit_replace(struct jsonedit *, const struct json *, struct json *by);

/* ---- an agent's settings: agenthooks.c ----------------------------------- */

/*
 * "hooks" in backends/AGENT.json says how hooks are registered in settings; an
 * agent without them gets a plugin.  An entry of ours (ourhooks.h) with options
 * is the user's: it stays, and its path changes only if no program is there.
 */

struct agenthooks {
	struct dialect dialect;
	const struct json *data;        /* in it; the texts are borrowed */
	const char *title;              /* the agent's name for people */
	const char *folder, *file;      /* below the project */
	const char *user_folder;        /* below the home folder */
	const char *plugin;             /* the template; NULL: settings */
	const char *skills;             /* their folder beside the file; NULL */
};

/* -1 with the reason; errno ENOENT if the agent has no backend with hooks. */
int  agenthooks_read(struct agenthooks *, const char *agent,
    struct buf *error);

/* Adds missing hooks of these parts that the agent has, which run that program;
 * settings may be blank.  -1 with the reason: the settings stay. */
int agenthooks_add(const struct agenthooks *, struct buf *settings,
    const char *program, unsigned parts, struct buf *why);

/* The command of a hook of another tool that ours replaces; false: none. */
bool agenthooks_replaced(const struct agenthooks *,
    const struct buf *settings, struct buf *command);
/* Removes those.  -1 with the reason. */
int  agenthooks_cut_replaced(const struct agenthooks *, struct buf *settings,
    struct buf *why);

/* Removes our hooks.  before is the text before them, NULL: there was no file.
 * Settings that the user has not changed become that again. */
int agenthooks_remove(const struct agenthooks *, struct buf *settings,
    const char *program, struct buf *before, struct buf *why);

/* ---- backends of the user's own: backends.c ------------------------------ */

/* Shows the changes, asks unless yes is set, and installs the backends of a
 * file.  sum: its SHA-256, or NULL. */
enum exit_status backends_install(const char *file, const char *sum, bool print,
    bool yes);

/* Prints a first backend of that name, by its program in a pane, and writes it,
 * unless print is set or there is one. */
enum exit_status newbackend_run(const char *name, bool print);

/* ---- the configuration of tmux: tmuxconf.c ------------------------------- */

/*
 * Our block lies between two marks, behind everything that it appends to.
 * Without it, the file is as before.
 */

struct tmuxconf {
	const char *program;            /* the path of paneward */
	/* For top, next and the sidebar; NULL: none. */
	const char *key, *next_key, *sidebar_key;
	bool print, remove;
};

/* Shows what changes, and changes it. */
enum exit_status tmuxconf_change(const struct tmuxconf *);

/* Adds its lines, without the marks.  -1 with the reason. */
int  tmuxconf_lines(const struct tmuxconf *, struct buf *lines,
    struct buf *why);

/* Puts the block into the text of a file (there: it exists); lines NULL takes
 * it out.  -1 with the reason: its place is unclear. */
int  tmuxconf_edit(struct buf *text, bool there, const struct buf *lines,
    struct buf *why);

/* ---- another tool's configuration: takeover.c ---------------------------- */

/*
 * Another tool's configuration becomes .paneward.json, as
 * templates/from/TOOL.json has it.  A file that a person wrote or changed
 * stays.
 */

/* Prints what becomes of each key; writes the file, unless print is set. */
enum exit_status takeover_run(const char *tool, char *root, bool print);

/* Adds the new text, and to notes a line for each set key.  -1 with the reason:
 * the text is no mapping. */
int takeover_translate(const struct json *rules, const struct buf *yaml,
    const char *scripts, struct buf *config, struct buf *notes,
    struct buf *why);

#endif
