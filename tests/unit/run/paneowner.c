#include "run/paneowner.h"

#include "base/alloc.h"
#include "scratch.h"

static struct pattern *pattern;
static struct buf why;
static struct project project;          /* a repository in scratch/p */

static char empty[] = "";

static struct tmux_pane
pane(const char *session, const char *window, const char *issue)
{
	return (struct tmux_pane){
		.session_name = xstrdup(session),
		.window_name = xstrdup(window),
		.path = xstrdup(project.root), .issue = xstrdup(issue),
		.run = empty, .dir = empty,
	};
}

static void
pane_release(struct tmux_pane *p)
{
	free(p->session_name);
	free(p->window_name);
	free(p->path);
	free(p->issue);
}

static enum paneowner
claim_in(const struct project *where, struct tmux_pane p, const char *path,
    char issue[ISSUE_MAX + 1])
{
	const struct paneowner_rules rules = { pattern, where, "/status", false };
	enum paneowner kind;

	free(p.path);
	p.path = xstrdup(path);
	memcpy(issue, "?", 2);
	kind = paneowner_of(&rules, &p, false, issue);
	pane_release(&p);
	return kind;
}

#define is_claim(session, window, option, kind, want) do { \
	char issue_[ISSUE_MAX + 1]; \
	is_number(claim_in(&project, pane((session), (window), (option)), \
	    project.root, issue_), (kind)); \
	if ((kind) != PANEOWNER_NONE) \
		is_text(issue_, (want)); \
} while (0)

TEST(the_option_names_the_issue) {
	is_claim("main", "w", "42", PANEOWNER_OPTION, "42");
	is_claim("p-issue-7", "issue-8", "a_b-c", PANEOWNER_OPTION, "a_b-c");
}

/* Any program can set an option. */
TEST(an_option_that_is_no_issue_is_none) {
	is_claim("main", "w", "../7", PANEOWNER_NONE, "");
	is_claim("main", "w", "7;x", PANEOWNER_NONE, "");
	is_claim("p-issue-7", "w", "a b", PANEOWNER_NAME, "7");
}

TEST(else_the_session_does_and_else_the_window) {
	is_claim("p-issue-7", "issue-8", "", PANEOWNER_NAME, "7");
	is_claim("issue-7-fix", "w", "", PANEOWNER_NAME, "7");
	is_claim("main", "issue-8", "", PANEOWNER_NAME, "8");
	is_claim("main", "w", "", PANEOWNER_NONE, "");
	is_claim("", "", "", PANEOWNER_NONE, "");
	is_claim("myissue-7", "issue-8x", "", PANEOWNER_NONE, "");
	is_claim("issue-", "issue-x", "", PANEOWNER_NONE, "");
}

TEST(a_name_that_holds_no_valid_issue_is_none) {
	char name[128] = "issue-";

	memset(name + 6, '1', ISSUE_MAX + 1);
	is_claim(name, "w", "", PANEOWNER_NONE, "");
	is_claim(name, "issue-8", "", PANEOWNER_NAME, "8");
	name[6 + ISSUE_MAX] = '\0';
	is_claim(name, "w", "", PANEOWNER_NAME, name + 6);
	is_claim("issue-7\xff", "w", "", PANEOWNER_NONE, "");
}

static enum paneowner
claim_at(const struct project *where, const char *option, const char *path)
{
	char issue[ISSUE_MAX + 1];

	return claim_in(where, pane("p-issue-7", "w", option), path, issue);
}

TEST(a_name_counts_only_in_the_work_trees) {
	is_number(claim_at(&project, "", scratch_path("p/src")),
	    PANEOWNER_NAME);
	is_number(claim_at(&project, "", scratch_path("tree/src")),
	    PANEOWNER_NAME);
	is_number(claim_at(&project, "", scratch_path("link")), PANEOWNER_NAME);
	is_number(claim_at(&project, "", scratch), PANEOWNER_NONE);
	is_number(claim_at(&project, "", "/"), PANEOWNER_NONE);
	is_number(claim_at(&project, "", ""), PANEOWNER_NONE);
	is_number(claim_at(&project, "", scratch_path("p-other")),
	    PANEOWNER_NONE);
	is_number(claim_at(&project, "", scratch_path("p/none")),
	    PANEOWNER_NONE);
	is_number(claim_at(&project, "", scratch_path("p/../p-other")),
	    PANEOWNER_NONE);
}

TEST(the_option_counts_everywhere) {
	is_number(claim_at(&project, "7", "/"), PANEOWNER_OPTION);
	is_number(claim_at(&project, "7", ""), PANEOWNER_OPTION);
}

TEST(without_git_the_path_does_not_matter) {
	struct project plain;

	scratch_folder("plain");
	ok(project_find(&plain, scratch_path("plain"), &why) == 0);
	ok(plain.git_dir == NULL);
	is_number(claim_at(&plain, "", "/"), PANEOWNER_NAME);
	is_number(claim_at(&plain, "", ""), PANEOWNER_NAME);
	project_release(&plain);
}

TEST(a_pane_of_another_status_directory_is_nobodys) {
	const struct paneowner_rules rules = { pattern, &project, "/status",
	    false };
	static char other[] = "/elsewhere", same[] = "/status";
	struct tmux_pane p = pane("p-issue-7", "w", "42");
	char issue[ISSUE_MAX + 1];

	p.dir = other;
	is_number(paneowner_of(&rules, &p, false, issue), PANEOWNER_NONE);
	is_number(paneowner_of(&rules, &p, true, issue), PANEOWNER_NONE);
	p.dir = same;
	is_number(paneowner_of(&rules, &p, false, issue), PANEOWNER_OPTION);
	is_text(issue, "42");
	ok(paneowner_of(&rules, &p, true, issue) != PANEOWNER_NONE);
	pane_release(&p);
}

TEST(what_may_be_an_issues_needs_no_path) {
	const struct paneowner_rules rules = { pattern, &project, "/status",
	    false };
	struct tmux_pane named = pane("p-issue-7", "w", "");
	struct tmux_pane other = pane("main", "w", "");
	char issue[ISSUE_MAX + 1];

	free(named.path);
	named.path = xstrdup("/nowhere");
	ok(paneowner_of(&rules, &named, true, issue) != PANEOWNER_NONE);
	is_number(paneowner_of(&rules, &other, true, issue), PANEOWNER_NONE);
	pane_release(&named);
	pane_release(&other);
}

/* ---- all panes of an issue --------------------------------------------- */

static enum paneowner
claim_within(const struct project *where, const char *path)
{
	const struct paneowner_rules rules = { pattern, where, "/status",
	    true };
	struct tmux_pane p = pane("p-issue-7", "w", "");
	char issue[ISSUE_MAX + 1];
	enum paneowner kind;

	free(p.path);
	p.path = xstrdup(path);
	kind = paneowner_of(&rules, &p, false, issue);
	pane_release(&p);
	return kind;
}

/* For a watch of several projects. */
TEST(without_git_a_name_may_count_only_in_the_project) {
	struct project plain;

	scratch_folder("plain/.worktrees/.status");
	scratch_folder("plain/src");
	ok(project_find(&plain, scratch_path("plain"), &why) == 0);
	is_number(claim_within(&plain, scratch_path("plain/src")),
	    PANEOWNER_NAME);
	is_number(claim_within(&plain, scratch_path("p/src")), PANEOWNER_NONE);
	is_number(claim_within(&plain, ""), PANEOWNER_NONE);
	project_release(&plain);
}

TEST(the_panes_of_an_issue_are_found) {
	const struct paneowner_rules rules = { pattern, &project, "/status",
	    false };
	struct server_pane found[2] = { { .pane = NULL } };
	struct tmux_pane panes[] = {
		pane("p-issue-7", "w", ""), pane("main", "issue-7", ""),
		pane("main", "w", ""), pane("p-issue-8", "w", ""),
		pane("x", "w", "9"), pane("p-issue-9", "w", ""),
		pane("y", "w", "9"), pane("p-issue-7", "w", "8"),
		pane("issue-7", "w", ""),
	};
	struct tmux_listing l = { .panes = panes,
	    .npanes = sizeof(panes) / sizeof(panes[0]) };
	size_t i;

	/* By name: more than there is room for. */
	is_number(paneowner_panes(&rules, &l, "7", "", found, 2), 3);
	ok(found[0].pane == &panes[0] && found[1].pane == &panes[1]);
	is_number(paneowner_panes(&rules, &l, "7", "", NULL, 0), 3);
	/* The option beats the name. */
	is_number(paneowner_panes(&rules, &l, "9", "", found, 2), 2);
	ok(found[0].pane == &panes[4] && found[1].pane == &panes[6]);
	is_number(paneowner_panes(&rules, &l, "8", "", found, 2), 1);
	ok(found[0].pane == &panes[7]);
	is_number(paneowner_panes(&rules, &l, "1", "", found, 2), 0);
	is_number(paneowner_panes(&rules, &l, "07", "", found, 2), 0);
	l.npanes = 0;
	is_number(paneowner_panes(&rules, &l, "7", "", found, 2), 0);
	for (i = 0; i < sizeof(panes) / sizeof(panes[0]); i++)
		pane_release(&panes[i]);
}

#define RUN "3f2b1c4d-0000-4000-8000-00000000000"

TEST(a_pane_of_an_earlier_run_is_past) {
	static char first[] = RUN "1", word[] = "someone";
	struct tmux_pane p = pane("x", "w", "9");

	ok(!paneowner_past(&p, RUN "2"));
	p.run = first;
	ok(paneowner_past(&p, RUN "2"));
	ok(!paneowner_past(&p, RUN "1"));
	/* Without a record its run is unknown. */
	ok(!paneowner_past(&p, ""));
	/* Any program can set an option. */
	p.run = word;
	ok(!paneowner_past(&p, RUN "2"));
	pane_release(&p);
}

TEST(panes_of_earlier_runs_claim_nothing) {
	const struct paneowner_rules rules = { pattern, &project, "/status",
	    false };
	static char first[] = RUN "1", second[] = RUN "2";
	struct server_pane found[2] = { { .pane = NULL } };
	struct tmux_pane panes[] = {
		pane("x", "w", "9"), pane("y", "w", "9"),
		pane("p-issue-9", "w", ""),
	};
	struct tmux_listing l = { .panes = panes, .npanes = 3 };
	size_t i;

	panes[0].run = first;
	panes[1].run = second;
	is_number(paneowner_panes(&rules, &l, "9", "", found, 2), 2);
	is_number(paneowner_panes(&rules, &l, "9", "", found, 2), 2);
	is_number(paneowner_panes(&rules, &l, "9", second, found, 2), 1);
	ok(found[0].pane == &panes[1]);
	/* Nor do they keep others from claiming it. */
	is_number(paneowner_panes(&rules, &l, "9", RUN "3", found, 2), 1);
	ok(found[0].pane == &panes[2]);
	for (i = 0; i < 3; i++)
		pane_release(&panes[i]);
}

/* A repository with a linked work tree, as git leaves them. */
static void
set_up(void)
{
	char text[4096];

	scratch_write("p/.git/HEAD", "ref: refs/heads/main\n");
	scratch_folder("p/.git/objects");
	scratch_folder("p/.git/refs");
	scratch_folder("p/src");
	scratch_folder("p-other");
	scratch_folder("tree/src");
	snprintf(text, sizeof(text), "gitdir: %s/p/.git/worktrees/tree\n",
	    scratch);
	scratch_write("tree/.git", text);
	snprintf(text, sizeof(text), "%s/tree/.git\n", scratch);
	scratch_write("p/.git/worktrees/tree/gitdir", text);
	scratch_write("p/.git/worktrees/tree/commondir", "../..\n");
	scratch_write("p/.git/worktrees/tree/HEAD", "ref: refs/heads/x\n");
	ok(symlink("p/src", scratch_path("link")) == 0);
	ok(project_find(&project, scratch_path("p"), &why) == 0);
	ok(project.git_dir != NULL);
}

BEFORE_TESTS {
	char error[128] = "";

	pattern = pattern_new("(?:^|-)issue-(?<issue>[0-9]+)(?:-|$)", error,
	    sizeof(error));
	is_text(error, "");
	set_up();
}

AFTER_TESTS {
	project_release(&project);
	pattern_free(pattern);
}
