/*
 * paneowner.h - which issue a pane belongs to.
 *
 * Its option @paneward_issue names it, unless @paneward_dir is another status
 * directory.  Else the name of its session or window holds it, by the session
 * pattern; in a git repository its path has to lie in a work tree, too.
 */
#ifndef PANEWARD_PANEOWNER_H
#define PANEWARD_PANEOWNER_H

#include "data/pattern.h"
#include "project/context.h"
#include "tmux/servers.h"

struct paneowner_rules {
	struct pattern *pattern;        /* with a group "issue" */
	const struct project *project;
	const char *dir;
	bool within;                    /* outside git, too */
};

/* The caller frees the pattern. */
struct paneowner_rules paneowner_open(const struct context *);

enum paneowner {
	PANEOWNER_NONE,
	PANEOWNER_OPTION,
	PANEOWNER_NAME              /* unless another pane has the option */
};

/* anywhere: by any path. */
enum paneowner paneowner_of(const struct paneowner_rules *,
    const struct tmux_pane *, bool anywhere, char issue[ISSUE_MAX + 1]);

/* Does the pane name another, earlier run? */
bool paneowner_past(const struct tmux_pane *, const char *run);

/* The panes of an issue that are not paneowner_past() this run.  Writes at most
 * max, without server; returns their number. */
size_t paneowner_panes(const struct paneowner_rules *,
    const struct tmux_listing *, const char *issue, const char *run,
    struct server_pane *, size_t max);

size_t paneowner_find(const struct servers *, const struct paneowner_rules *,
    const char *issue, const char *run, struct server_pane *, size_t max);

#endif
