/*
 * logwriter.h - the command of a pane's pipe, which runs our log writer.
 */
#ifndef PANEWARD_WATCHER_LOGWRITER_H
#define PANEWARD_WATCHER_LOGWRITER_H

#include "run/context.h"

/* For the caller to free. */
char *logwriter_pipe(const struct context *, const char *issue);

#endif
