#include "run/paneowner.h"

#include "scratch.h"
#include "unit/fixture.h"

#define RUN "3f2b1c4d-0000-4000-8000-00000000000"
#define ONES "11111111111111111111111111111111"        /* half an issue */

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

static const char *
kind_name(enum paneowner kind)
{
	return kind == PANEOWNER_OPTION ? "option" :
	    kind == PANEOWNER_NAME ? "name" : "none";
}

/* Whose is the pane, by "session|window|option|status directory"? */
static const char *
owner(const char *names)
{
	const struct paneowner_rules rules = rules_of(&project);
	char session[100] = "", window[20] = "", option[20] = "", dir[20] = "";
	static char text[ISSUE_MAX + 16];
	char issue[ISSUE_MAX + 1] = "";
	struct tmux_pane p;
	enum paneowner kind;

	sscanf(names, "%99[^|]|%19[^|]|%19[^|]|%19s", session, window, option,
	    dir);
	p = pane(session, window, option);
	p.dir = dir;
	kind = paneowner_of(&rules, &p, false, issue);
	is_number(paneowner_of(&rules, &p, true, issue), kind);
	if (kind == PANEOWNER_NONE)
		return "none";
	snprintf(text, sizeof(text), "%s %s", kind_name(kind), issue);
	return text;
}

/* Any program can set an option.  tests/system/adopt.sh has more names. */
TEST(the_option_names_the_issue_else_the_session_else_the_window) {
	is_number(ISSUE_MAX, 64);
	ROWS(owner, "p-issue-7|issue-8|a_b-c => option a_b-c",
	    "p-issue-7|w|42|/status => option 42",
	    "p-issue-7|w|42|/elsewhere => none",
	    "main|w|../7 => none", "main|w|7;x => none",
	    "p-issue-7|w|a b => name 7", "p-issue-7|issue-8 => name 7",
	    "issue-7-fix|w => name 7", "main|issue-8 => name 8", " => none",
	    "issue-" ONES ONES "1|w => none", "issue-7\xff|w => none",
	    "issue-" ONES ONES "1|issue-8 => name 8",
	    "issue-" ONES ONES "|w => name " ONES ONES);
}

static const struct project *where;
static const char *option;

/* Whose is a pane with that folder; and if only its project may have it? */
static const char *
kinds(const char *path)
{
	struct paneowner_rules rules = rules_of(where);
	struct tmux_pane p = pane("p-issue-7", "w", option);
	static char text[32];
	char issue[ISSUE_MAX + 1];
	enum paneowner kind;

	p.path = T(*path == '\0' || *path == '/' ? path : scratch_path(path));
	ok(paneowner_of(&rules, &p, true, issue) != PANEOWNER_NONE);
	kind = paneowner_of(&rules, &p, false, issue);
	rules.within = true;
	snprintf(text, sizeof(text), "%s %s", kind_name(kind),
	    kind_name(paneowner_of(&rules, &p, false, issue)));
	return text;
}

/* tests/system/adopt-git.sh has work trees. */
TEST(a_name_counts_only_in_the_work_trees_and_the_option_everywhere) {
	where = &project;
	option = "";
	ROWS(kinds, "p/src => name name", "link => name name",
	    ". => none none", "/ => none none", " => none none",
	    "p-other => none none", "p/none => none none",
	    "p/../p-other => none none");
	option = "7";
	ROWS(kinds, "/ => option option", " => option option");
	/* Without git, only a watch of several projects checks it. */
	where = &plain;
	option = "";
	ROWS(kinds, "/ => name none", " => name none", "p/src => name none",
	    "plain/src => name name");
}

/* ---- all panes of an issue --------------------------------------------- */

static struct tmux_listing listing;

/* The number of an issue's panes, for that run, and the first two. */
static const char *
panes_of(const char *words)
{
	const struct paneowner_rules rules = rules_of(&project);
	char issue[8] = "", run[RUN_ID_LEN + 1] = "";
	static char text[32];
	struct server_pane found[2];
	size_t n, i;
	int at;

	sscanf(words, "%7s %36s", issue, run);
	n = paneowner_panes(&rules, &listing, issue, run, found, 2);
	at = snprintf(text, sizeof(text), "%zu:", n);
	for (i = 0; i < n && i < 2; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, " %d",
		    (int)(found[i].pane - listing.panes));
	is_number(paneowner_panes(&rules, &listing, issue, run, NULL, 0), n);
	return text;
}

TEST(the_panes_of_an_issue_are_found) {
	struct tmux_pane panes[] = {
		pane("p-issue-7", "w", ""), pane("main", "issue-7", ""),
		pane("main", "w", ""), pane("p-issue-8", "w", ""),
		pane("x", "w", "9"), pane("p-issue-9", "w", ""),
		pane("y", "w", "9"), pane("p-issue-7", "w", "8"),
		pane("issue-7", "w", ""),
	};

	panes[4].run = T(RUN "1");
	panes[6].run = T(RUN "2");
	panes[7].run = T("someone");            /* any program can set it */
	listing.panes = panes;
	listing.npanes = COUNT(panes);
	ROWS(panes_of, "7 => 3: 0 1", "8 => 1: 7", "1 => 0:", "07 => 0:");
	/* The option beats the name, unless it is of an earlier run. */
	ROWS(panes_of, "9 => 2: 4 6", "9 " RUN "2 => 1: 6",
	    "9 " RUN "3 => 1: 5", "8 " RUN "3 => 1: 7");
}

BEFORE_TESTS {
	char error[128] = "";

	pattern = pattern_new("(?:^|-)issue-(?<issue>[0-9]+)(?:-|$)", false, error,
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
