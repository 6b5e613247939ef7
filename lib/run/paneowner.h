/*
 * paneowner.h - which issue a pane belongs to.
 *
 * A pane belongs to the issue that its option @paneward_issue names, unless
 * @paneward_dir says that it is one of another status directory; else to
 * the one that the name of its session, or else of its window, holds by the
 * session pattern, and in a git repository only if its current path lies in
 * one of the repository's work trees.
 */
#ifndef PANEWARD_PANEOWNER_H
#define PANEWARD_PANEOWNER_H

#include "data/pattern.h"
#include "project/context.h"
#include "tmux/servers.h"

struct paneowner_rules {
	struct pattern *pattern;        /* with a group "issue" */
	const struct project *project;  /* borrowed */
	const char *dir;                /* the status directory's path */
	bool within;                    /* outside git, too, a name counts only
					   in the project */
};

/* Of the project; the pattern is freed by pattern_free(). */
struct paneowner_rules paneowner_open(const struct context *);

enum paneowner {
	PANEOWNER_NONE,
	PANEOWNER_OPTION,
	PANEOWNER_NAME              /* counts unless another pane has it */
};

/* The issue of a pane; with anywhere set, whatever its path is. */
enum paneowner paneowner_of(const struct paneowner_rules *,
    const struct tmux_pane *, bool anywhere, char issue[ISSUE_MAX + 1]);

/* Does the pane name another run than this one, which is not empty?  Then that
 * run was earlier, and what the pane shows was acted on. */
bool paneowner_past(const struct tmux_pane *, const char *run);

/*
 * The panes of one issue in a listing: those with the option, or if there are
 * none, those with the name; without those that are paneowner_past() this run.
 * Writes at most max of them, without their server, and returns how many there
 * are.
 */
size_t paneowner_panes(const struct paneowner_rules *,
    const struct tmux_listing *, const char *issue, const char *run,
    struct server_pane *, size_t max);

/* The panes of one issue on all servers, as above. */
size_t paneowner_find(const struct servers *, const struct paneowner_rules *,
    const char *issue, const char *run, struct server_pane *, size_t max);

#endif
