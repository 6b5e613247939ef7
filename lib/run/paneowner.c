#include "run/paneowner.h"

static bool
name_matches(const struct paneowner_rules *r, const char *name,
    char issue[ISSUE_MAX + 1])
{
	size_t at, size;

	if (!pattern_match(r->pattern, name, strlen(name)) ||
	    !pattern_group(r->pattern, "issue", &at, &size) ||
	    !issue_valid_n(name + at, size))
		return false;
	memcpy(issue, name + at, size);
	issue[size] = '\0';
	return true;
}

enum paneowner
paneowner_of(const struct paneowner_rules *r, const struct tmux_pane *p,
    bool anywhere, char issue[ISSUE_MAX + 1])
{
	struct buf why = BUF_INIT;
	bool matches = anywhere || !r->within;
	struct project found;
	char *real, *tree;

	if (p->issue[0] != '\0' && p->dir[0] != '\0' &&
	    strcmp(p->dir, r->dir) != 0)
		return PANEOWNER_NONE;
	if (issue_valid(p->issue)) {
		memcpy(issue, p->issue, strlen(p->issue) + 1);
		return PANEOWNER_OPTION;
	}
	if (!name_matches(r, p->session_name, issue) &&
	    !name_matches(r, p->window_name, issue))
		return PANEOWNER_NONE;
	/* In a repository a name is not enough: other projects may use it. */
	if (!anywhere && r->project->git_dir != NULL) {
		real = xrealpath(p->path);
		tree = real ? project_worktree_at(r->project, real, false,
		    &why) : NULL;
		matches = tree != NULL;
		free(real);
		free(tree);
	} else if (!matches && project_find(&found, p->path, &why) == 0) {
		matches = strcmp(found.root, r->project->root) == 0;
		project_release(&found);
	}
	buf_release(&why);
	return matches ? PANEOWNER_NAME : PANEOWNER_NONE;
}

struct paneowner_rules
paneowner_open(const struct context *c)
{
	char error[128];

	return (struct paneowner_rules){ pattern_new(c->config.session_pattern,
	    false, error, sizeof(error)), &c->project, c->dir.path, false };
}

bool
paneowner_past(const struct tmux_pane *p, const char *run)
{
	return run[0] != '\0' && run_id_valid(p->run) &&
	    strcmp(p->run, run) != 0;
}

size_t
paneowner_panes(const struct paneowner_rules *r, const struct tmux_listing *l,
    const char *issue, const char *run, struct server_pane *found, size_t max)
{
	enum paneowner kind = PANEOWNER_OPTION;
	const struct tmux_pane *p;
	char of[ISSUE_MAX + 1];
	size_t n = 0;

	for (; n == 0 && kind <= PANEOWNER_NAME; kind++)
		for (p = l->panes; p < l->panes + l->npanes; p++) {
			if ((kind == PANEOWNER_OPTION ?
			    strcmp(p->issue, issue) != 0 :
			    strstr(p->session_name, issue) == NULL &&
			    strstr(p->window_name, issue) == NULL) ||
			    paneowner_of(r, p, true, of) != kind ||
			    strcmp(of, issue) != 0 || paneowner_past(p, run) ||
			    paneowner_of(r, p, false, of) != kind)
				continue;
			if (n < max)
				found[n] = (struct server_pane){ .pane = p };
			n++;
		}
	return n;
}

size_t
paneowner_find(const struct servers *s, const struct paneowner_rules *rules,
    const char *issue, const char *run, struct server_pane *found, size_t max)
{
	struct tmux_server *at;
	size_t used = 0, count = 0;

	for (at = s->first; at != NULL; at = at->next) {
		count += paneowner_panes(rules, &at->listing, issue, run,
		    found + used, max - used);
		for (; used < count && used < max; used++)
			found[used].server = at;
	}
	return count;
}
