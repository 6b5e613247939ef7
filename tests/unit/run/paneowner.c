#include "run/paneowner.h"

#include "scratch.h"

#define RUN "3f2b1c4d-0000-4000-8000-00000000000"
#define ISSUE_40 "1111111111111111111111111111111111111111"

/* A literal as a text of a pane. */
#define T(text) ((char *)(uintptr_t)(text))

static struct pattern *pattern;
static struct buf why;
static struct project project, plain;   /* a repository in scratch/p; none */

static struct tmux_pane
pane(const char *session, const char *window, const char *issue)
{
	return (struct tmux_pane){ .session_name = T(session),
	    .window_name = T(window), .path = project.root, .issue = T(issue),
	    .run = T(""), .dir = T("") };
}

static struct paneowner_rules
rules_of(const struct project *where)
{
	return (struct paneowner_rules){ pattern, where, "/status", false };
}

/* Any program can set an option. */
TEST(the_option_names_the_issue_else_the_session_else_the_window) {
	static const struct {
		const char    *session, *window, *option;
		enum paneowner kind;
		const char    *issue;
	} rows[] = {
		{ "main", "w", "42", PANEOWNER_OPTION, "42" },
		{ "p-issue-7", "issue-8", "a_b-c", PANEOWNER_OPTION, "a_b-c" },
		{ "main", "w", "../7", PANEOWNER_NONE, NULL },
		{ "main", "w", "7;x", PANEOWNER_NONE, NULL },
		{ "p-issue-7", "w", "a b", PANEOWNER_NAME, "7" },
		{ "p-issue-7", "issue-8", "", PANEOWNER_NAME, "7" },
		{ "issue-7-fix", "w", "", PANEOWNER_NAME, "7" },
		{ "main", "issue-8", "", PANEOWNER_NAME, "8" },
		{ "main", "w", "", PANEOWNER_NONE, NULL },
		{ "", "", "", PANEOWNER_NONE, NULL },
		{ "myissue-7", "issue-8x", "", PANEOWNER_NONE, NULL },
		{ "issue-", "issue-x", "", PANEOWNER_NONE, NULL },
		{ "issue-" ISSUE_40 "1111111111111111111111111", "w", "",
		    PANEOWNER_NONE, NULL },
		{ "issue-" ISSUE_40 "1111111111111111111111111", "issue-8", "",
		    PANEOWNER_NAME, "8" },
		{ "issue-" ISSUE_40 "111111111111111111111111", "w", "",
		    PANEOWNER_NAME, ISSUE_40 "111111111111111111111111" },
		{ "issue-7\xff", "w", "", PANEOWNER_NONE, NULL },
	};
	const struct paneowner_rules rules = rules_of(&project);
	char issue[ISSUE_MAX + 1];
	struct tmux_pane p;
	size_t i;

	is_number(ISSUE_MAX, 64);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s, %s, %s", rows[i].session, rows[i].window,
		    rows[i].option);
		p = pane(rows[i].session, rows[i].window, rows[i].option);
		is_number(paneowner_of(&rules, &p, true, issue), rows[i].kind);
		is_number(paneowner_of(&rules, &p, false, issue), rows[i].kind);
		if (rows[i].issue != NULL)
			is_text(issue, rows[i].issue);
	}
}

/* tests/system/adopt-git.sh has work trees. */
TEST(a_name_counts_only_in_the_work_trees_and_the_option_everywhere) {
	static const struct {
		const struct project *where;
		const char           *path, *option;
		enum paneowner        kind, within;
	} rows[] = {
		{ &project, "p/src", "", PANEOWNER_NAME, PANEOWNER_NAME },
		{ &project, "link", "", PANEOWNER_NAME, PANEOWNER_NAME },
		{ &project, ".", "", PANEOWNER_NONE },
		{ &project, "/", "", PANEOWNER_NONE },
		{ &project, "", "", PANEOWNER_NONE },
		{ &project, "p-other", "", PANEOWNER_NONE },
		{ &project, "p/none", "", PANEOWNER_NONE },
		{ &project, "p/../p-other", "", PANEOWNER_NONE },
		{ &project, "/", "7", PANEOWNER_OPTION, PANEOWNER_OPTION },
		{ &project, "", "7", PANEOWNER_OPTION, PANEOWNER_OPTION },
		/* Without git, only a watch of several projects checks it. */
		{ &plain, "/", "", PANEOWNER_NAME },
		{ &plain, "", "", PANEOWNER_NAME },
		{ &plain, "p/src", "", PANEOWNER_NAME },
		{ &plain, "plain/src", "", PANEOWNER_NAME, PANEOWNER_NAME },
	};
	char issue[ISSUE_MAX + 1];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct paneowner_rules rules = rules_of(rows[i].where);
		struct tmux_pane p = pane("p-issue-7", "w", rows[i].option);
		const char *path = rows[i].path;

		ROW("row %zu, '%s'", i, path);
		p.path = T(*path == '\0' || *path == '/' ? path :
		    scratch_path(path));
		is_number(paneowner_of(&rules, &p, false, issue), rows[i].kind);
		ok(paneowner_of(&rules, &p, true, issue) != PANEOWNER_NONE);
		rules.within = true;
		is_number(paneowner_of(&rules, &p, false, issue),
		    rows[i].within);
	}
}

TEST(a_pane_of_another_status_directory_is_nobodys) {
	const struct paneowner_rules rules = rules_of(&project);
	struct tmux_pane p = pane("p-issue-7", "w", "42");
	char issue[ISSUE_MAX + 1];

	p.dir = T("/elsewhere");
	is_number(paneowner_of(&rules, &p, false, issue), PANEOWNER_NONE);
	is_number(paneowner_of(&rules, &p, true, issue), PANEOWNER_NONE);
	p.dir = T("/status");
	is_number(paneowner_of(&rules, &p, false, issue), PANEOWNER_OPTION);
}

/* ---- all panes of an issue --------------------------------------------- */

TEST(the_panes_of_an_issue_are_found) {
	struct tmux_pane panes[] = {
		pane("p-issue-7", "w", ""), pane("main", "issue-7", ""),
		pane("main", "w", ""), pane("p-issue-8", "w", ""),
		pane("x", "w", "9"), pane("p-issue-9", "w", ""),
		pane("y", "w", "9"), pane("p-issue-7", "w", "8"),
		pane("issue-7", "w", ""),
	};
	static const struct {
		const char *issue, *run;
		size_t      n, max, first, second;
	} rows[] = {
		{ "7", "", 3, 2, 0, 1 },        /* more than fit */
		{ "7", "", 3, 0 },
		{ "9", "", 2, 2, 4, 6 },        /* the option beats the name */
		{ "8", "", 1, 2, 7 },
		{ "1", "", 0, 2 }, { "07", "", 0, 2 },
		/* Panes of earlier runs neither claim nor block it. */
		{ "9", RUN "2", 1, 2, 6 },
		{ "9", RUN "3", 1, 2, 5 },
		{ "8", RUN "3", 1, 2, 7 },      /* any program can set it */
	};
	const struct paneowner_rules rules = rules_of(&project);
	struct server_pane found[2];
	struct tmux_listing l = { .panes = panes,
	    .npanes = sizeof(panes) / sizeof(panes[0]) };
	size_t i, n;

	panes[4].run = T(RUN "1");
	panes[6].run = T(RUN "2");
	panes[7].run = T("someone");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("row %zu, issue %s", i, rows[i].issue);
		memset(found, 0, sizeof(found));
		n = paneowner_panes(&rules, &l, rows[i].issue, rows[i].run,
		    rows[i].max > 0 ? found : NULL, rows[i].max);
		is_number(n, rows[i].n);
		ok(n < 1 || rows[i].max < 1 ||
		    found[0].pane == &panes[rows[i].first]);
		ok(n < 2 || rows[i].max < 2 ||
		    found[1].pane == &panes[rows[i].second]);
	}
	l.npanes = 0;
	is_number(paneowner_panes(&rules, &l, "7", "", found, 2), 0);
}

BEFORE_TESTS {
	char error[128] = "";

	pattern = pattern_new("(?:^|-)issue-(?<issue>[0-9]+)(?:-|$)", error,
	    sizeof(error));
	is_text(error, "");
	scratch_write("p/.git/HEAD", "ref: refs/heads/main\n");
	scratch_folder("p/.git/objects");
	scratch_folder("p/.git/refs");
	scratch_folder("p/src");
	scratch_folder("p-other");
	ok(symlink("p/src", scratch_path("link")) == 0);
	scratch_folder("plain/.worktrees/.status");
	scratch_folder("plain/src");
	ok(project_find(&project, scratch_path("p"), &why) == 0);
	ok(project_find(&plain, scratch_path("plain"), &why) == 0);
	ok(project.git_dir != NULL && plain.git_dir == NULL);
}

AFTER_TESTS {
	project_release(&project);
	project_release(&plain);
	pattern_free(pattern);
}
