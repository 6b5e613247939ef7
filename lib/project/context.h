/*
 * context.h - where a command is: project, configuration, status directory.
 *
 * An error ends the program with exit status 2 for the configuration, else 3.
 */
#ifndef PANEWARD_CONTEXT_H
#define PANEWARD_CONTEXT_H

#include "os/notify.h"
#include "project/statusdir.h"

struct context {
	struct project   project;
	struct config    config;
	struct statusdir dir;           /* its path keeps one address */
	bool             usual;         /* it has its usual place */
	bool             claimed;       /* it must be our project's */
};

/* Finds project and configuration from a folder on; the status directory stays
 * closed.  EXIT_DONE, or the exit status and why. */
enum exit_status context_find(struct context *, const char *from,
    struct buf *why);
/* The same for the project of a status directory, which is opened.
 * EXIT_COULD_NOT: one of them is missing, or not ours. */
enum exit_status context_at(struct context *, const char *status_dir,
    struct buf *why);
/* Finds all three from the current directory; status_dir is the option, or
 * NULL.  make is context_make().  The registry gets an existing status
 * directory. */
void context_open(struct context *, const char *status_dir, bool make);
/* Makes a missing status directory, and names a new project, or one above the
 * current directory, on standard error. */
void context_make(struct context *);
/* Ends the program in a folder that is no project by itself (project.unfit). */
void context_fit(const struct context *);
/* Opens, or makes, the directory that replaced ours or its .paneward, and
 * claims it like the old one.  False: the old one stays, with a warning unless
 * *warned. */
bool context_renew(struct context *, bool *warned);
/* Ends the program if the status directory is another project's.  claim makes
 * it this project's. */
void context_check(struct context *, bool claim);
void context_close(struct context *);
/* Opens the status directory that one of our processes was given, or ends the
 * program. */
void context_statusdir(struct statusdir *, const char *path);

/* notify_new(), with a warning if the kernel will not report changes. */
struct notify *context_notify(void);
/* Warns that files are polled from now on; why is an errno. */
void context_warn_polling(const struct notify *, int why);

/* The option of every command with a status directory. */
#define CONTEXT_OPTION \
	{ CONTEXT_KEY, "status-dir", "DIR", "the status directory" }
#define CONTEXT_OPTION_AT(type, member) { 0, "status-dir", "DIR", \
	"the status directory", TEXT_AT(type, member) }
enum { CONTEXT_KEY = 256 + 900 };

#endif
