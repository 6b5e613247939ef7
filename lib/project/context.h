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
	bool             usual;         /* in its usual place */
	bool             claimed;       /* must be our project's */
};

/* Finds project and configuration; the status directory stays closed.
 * EXIT_DONE, or the exit status and why. */
enum exit_status context_find(struct context *, const char *from,
    struct buf *why);
/* Opens a status directory and finds its project.  EXIT_COULD_NOT: one is
 * missing, or not ours. */
enum exit_status context_at(struct context *, const char *status_dir,
    struct buf *why);
/* Finds all three from the current directory; status_dir may be NULL.  The
 * registry gets an existing status directory. */
void context_open(struct context *, const char *status_dir, bool make);
/* Makes a missing status directory; names a new project, or one above. */
void context_make(struct context *);
/* Ends the program if project.unfit is set. */
void context_fit(const struct context *);
/* Opens, or makes, and claims the directory that replaced ours or its
 * .paneward.  False: the old one stays, with a warning unless *warned. */
bool context_renew(struct context *, bool *warned);
/* Ends the program in another project's status directory; claim makes it
 * ours. */
void context_check(struct context *, bool claim);
void context_close(struct context *);
/* For our processes: opens it, or ends the program. */
void context_statusdir(struct statusdir *, const char *path);

/* Warns if the kernel will not report changes. */
struct notify *context_notify(void);
/* Warns of polling; why is an errno. */
void context_warn_polling(const struct notify *, int why);

#define CONTEXT_OPTION_AT(type, member) { 0, "status-dir", "DIR", \
	"the status directory", TEXT_AT(type, member) }

#endif
