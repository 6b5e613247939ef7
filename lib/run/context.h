/*
 * context.h - where a command is: project, configuration, status directory.
 *
 * Every command begins with it.  What is wrong ends the program here, with
 * exit status 2 for the configuration, 3 for the rest.
 */
#ifndef PANEWARD_CONTEXT_H
#define PANEWARD_CONTEXT_H

#include <stdbool.h>

#include "os/notify.h"
#include "run/config.h"
#include "run/project.h"
#include "run/statusdir.h"

struct context {
	struct project   project;
	struct config    config;
	struct statusdir dir;           /* its path stays where it is in memory
					   until the context is closed */
	bool             above;         /* project.above, and the status
					   directory follows from it */
	bool             claimed;       /* it has to be our project's */
};

/* Finds all three from the current directory; status_dir is the option, or
 * NULL.  With make set the status directory is made if it is missing, and a
 * project that was found above the directory is named. */
void context_open(struct context *, const char *status_dir, bool make);
/* Does for an open context what make does. */
void context_make(struct context *);
/*
 * Goes over to the status directory that is there now, if it is another one
 * than ours or a part of it is; makes it if it is gone, and claims it if the
 * old one was.  True if it did.  What is wrong with the new one is said, unless
 * *told, and the old one kept.
 */
bool context_renew(struct context *, bool *told);
/* Makes the status directory this project's.  Ends the program if it is another
 * project's, whose issues must be left alone. */
void context_adopt(struct context *);
/* The same, but a directory without an owner stays so. */
void context_check(const struct context *);
void context_close(struct context *);
/* Opens the status directory that one of our processes was given, or ends the
 * program. */
void context_statusdir(struct statusdir *, const char *path);

/* notify_new(), with a word where the kernel will not tell. */
struct notify *context_notify(void);
/* That word, for one who learns it later; why is an errno. */
void context_look(const struct notify *, int why);

/* The row of the option that every command with a status directory has. */
#define CONTEXT_OPTION \
	{ CONTEXT_KEY, "status-dir", "DIR", "the status directory" }
enum { CONTEXT_KEY = 256 + 900 };

#endif
