/*
 * sessionhooks.h - hooks for one session: "session" among the "hooks" of
 * backends/NAME.json.
 *
 *	"session": { "file": "templates/plugins/opencode.js",
 *	  "words": ["--extension", "<<file>>"],
 *	  "variable": "OPENCODE_CONFIG_CONTENT", "list": "plugin" }
 *
 * The file is one of ours.  An agent gets it by words behind the first one of
 * its command line, or by a variable that holds JSON, in a list of it.
 */
#ifndef PANEWARD_SESSIONHOOKS_H
#define PANEWARD_SESSIONHOOKS_H

#include "base/buf.h"
#include "run/launch.h"

/*
 * Adds the hooks to the words and to our environment, in which the agent is to
 * be started in this directory.  Adds none if the backend (NULL: not known) has
 * none for a session, or if hooks of ours are installed.  Words are added if the
 * first one is the backend's program.  -1 with the reason if what the user has
 * set cannot be kept; then nothing was added.
 */
int sessionhooks_add(const char *backend, const char *cwd, char ***argv,
    struct buf *why);
/* The same for what is to be launched; warns with the reason. */
void sessionhooks_launch(struct launch *, const char *backend);

#endif
