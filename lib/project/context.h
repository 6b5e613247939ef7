/*
 * context.h - where a command is: project, configuration, status directory.
 *
 * Every command begins with it.  An error ends the program, with exit status 2
 * for the configuration, else 3.
 */
#ifndef PANEWARD_CONTEXT_H
#define PANEWARD_CONTEXT_H

#include "os/notify.h"
#include "project/statusdir.h"

struct context {
	struct project   project;
	struct config    config;
	struct statusdir dir;           /* its path has one address until the
					   context is closed */
	bool             usual;         /* the status directory has its usual
					   place in the project */
	bool             claimed;       /* it must be our project's */
};

/* Finds project and configuration from a folder on, and leaves the status
 * directory closed.  EXIT_DONE, or what to exit with, and why. */
enum exit_status context_find(struct context *, const char *from,
    struct buf *why);
/* The same for the project of a status directory that is there, which is
 * opened.  EXIT_COULD_NOT: the directory or its project is not there, or not
 * ours. */
enum exit_status context_at(struct context *, const char *status_dir,
    struct buf *why);
/* Finds all three from the current directory; status_dir is the option, or
 * NULL.  With make set, makes the status directory if it is missing, and names
 * a project that was found above the directory.  The registry (statusdir.h)
 * holds a status directory that is there from now on. */
void context_open(struct context *, const char *status_dir, bool make);
/* Does for an open context what make does.  A project that is made anew is
 * named on standard error. */
void context_make(struct context *);
/* Ends the program in a folder that is no project by itself (project.unfit). */
void context_fit(const struct context *);
/*
 * If our status directory, or .paneward in it, was replaced, opens the new one;
 * if it is gone, makes it.  Claims it if the old one was claimed.  True if it
 * was opened; else the old one stays, with a warning unless *warned.
 */
bool context_renew(struct context *, bool *warned);
/* Ends the program if the status directory is another project's, whose issues
 * must be left alone.  With claim set it is this project's from now on. */
void context_check(struct context *, bool claim);
void context_close(struct context *);
/* Opens the status directory that one of our processes was given, or ends the
 * program. */
void context_statusdir(struct statusdir *, const char *path);

/* notify_new(), with a warning if the kernel will not report changes. */
struct notify *context_notify(void);
/* Warns that files are polled from now on; why, an errno, is the reason. */
void context_warn_polling(const struct notify *, int why);

/* The row of the option that every command with a status directory has. */
#define CONTEXT_OPTION \
	{ CONTEXT_KEY, "status-dir", "DIR", "the status directory" }
/* The same into the command's struct. */
#define CONTEXT_OPTION_AT(type, member) { 0, "status-dir", "DIR", \
	"the status directory", TEXT_AT(type, member) }
enum { CONTEXT_KEY = 256 + 900 };

#endif
