/*
 * merge.c - brings the branch of a finished run into its base, and hands the
 * run off.
 *
 * A work tree of our own gets the result; the base's checkout is only
 * fast-forwarded to it.  So a conflict changes nothing.  After a kill the next
 * call finds the result in the base, or begins again.
 */
#include "paneward.h"

#include "data/datafile.h"
#include "data/template.h"
#include "handoff/runner.h"
#include "handoff/tree.h"
#include "queue/answer.h"

struct merge {
	const char *issue, *dir, *into;
	bool squash, rebase, json;
	struct context context;
	struct row row;                 /* has only its record */
	struct tree tree;
	const char *branch, *tip;       /* tip: its commit */
	const char *checkout, *was, *is;        /* of the base */
};

static const struct command_option options[] = {
	{ 0, "squash", NULL, "make one commit of the branch",
	    FLAG_AT(struct merge, squash) },
	{ 0, "rebase", NULL, "put its commits on top of the base",
	    FLAG_AT(struct merge, rebase) },
	{ 0, "into", "BRANCH", "the base, if the project has another one "
	    "checked out", TEXT_AT(struct merge, into) },
	JSON_AT(struct merge, json, "print what was done as JSON"),
	CONTEXT_OPTION_AT(struct merge, dir),
	{ 0 }
};

#define merge_fail(m, status, ...) msg_fatal((status), 0, "cannot merge " \
	"issue '%s': %s", (m)->issue, xasprintf(__VA_ARGS__))
#define merge_refuse(m, ...) merge_fail((m), EXIT_NO, __VA_ARGS__)

/* Runs git in a folder (NULL: the repository) as its user would, but without
 * hooks: an agent may have written them, and our work tree lacks what they
 * need. */
#define merge_git(m, folder, ...) merge_run_git((m), (folder), \
	WORDS(__VA_ARGS__))
static int
merge_run_git(struct merge *m, const char *folder, const char *const *words)
{
	char **argv = argv_add_all(NULL, WORDS("git", "-c",
	    "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",
	    "rerere.enabled=false", "-c", "rebase.updateRefs=false"));

	return tree_run(&m->tree, folder != NULL ? folder :
	    m->context.project.git_dir,
	    (const char *const *)argv_add_all(argv, words));
}

/* The commit of a branch, or NULL, and the folder that has it checked out. */
static const char *
merge_look(struct merge *m, const char *branch, const char **folder)
{
	const char *ref = xasprintf("refs/heads/%s", branch), *line;

	if (merge_git(m, NULL, "show-ref", "--verify", "-q", ref) != 0 ||
	    merge_git(m, NULL, "for-each-ref",
	    "--format=%(objectname) %(worktreepath)", ref) != 0)
		return NULL;
	line = tree_line(&m->tree);
	*folder = strchr(line, ' ') + 1;
	return xstrndup(line, strcspn(line, " "));
}

/* Only cleanup.sh is safe to try; it also replaces no command. */
static int
merge_hand_off(struct merge *m, const char *try)
{
	const char *script = datafile_find("scripts", "cleanup.sh");
	struct buf option = BUF_INIT;

	buf_adds(&option, "--handoff=exec ");
	template_quote(&option, script, script != NULL ? strlen(script) : 0);
	buf_adds(&option, " \"$@\"");
	return tree_run(&m->tree, NULL, WORDS(proc_program(), "handoff",
	    "--status-dir", m->context.dir.path, m->issue, try != NULL ||
	    !runner_wanted(&m->context.config, &m->row.status) ?
	    buf_str(&option) : try, try));
}

/* Finds branch and base, unless the agent is at work or something would be
 * lost. */
static void
merge_find(struct merge *m)
{
	const struct project *p = &m->context.project;
	const struct statusdir *dir = &m->context.dir;
	struct status *r = &m->row.status;
	struct tree *w = &m->tree;
	struct backends all = { NULL };
	struct typist t;
	struct buf why = BUF_INIT;
	const char *folder;

	/* Its end may not be recorded yet. */
	if (status_read(r, dir->state_fd, m->issue) == 1)
		tree_run(w, NULL, WORDS(proc_program(), "watch", "--once",
		    "--no-handoff", "--status-dir", dir->path, m->issue));
	if (merge_hand_off(m, "--dry-run") != 0)
		merge_refuse(m, "%s", w->errors.len == 0 ? tree_line(w) :
		    tree_complaint(w) + strlen(msg_name()) + 2);
	/* After its report it may work on: its screen tells. */
	if (backends_all(&all, &why) == 0 && typist_find(&t, &all, &m->row,
	    &why) == 0 && t.backend->signs.n > 0 &&
	    !typist_rests(&all, &m->row))
		merge_refuse(m, "its agent has reported, but works on; "
		    "'paneward stop %s' ends it", m->issue);
	buf_reset(&why);
	m->branch = r->worktree == NULL || p->git_dir == NULL ||
	    tree_kind(r->worktree) == 0 ? r->branch :
	    project_branch(r->worktree, &why);
	if (m->into == NULL && !p->bare)
		m->into = project_branch(p->root, &why);
	if (m->branch == NULL || m->into == NULL)
		merge_refuse(m, m->branch != NULL ? "the project is on no "
		    "branch; name its base by --into" : r->worktree != NULL ?
		    "its work tree is on no branch; make one there by 'git "
		    "switch -c NAME'" : "it has no work tree of its own");
	m->tip = merge_look(m, m->branch, &folder);
	m->was = merge_look(m, m->into, &m->checkout);
	if (m->tip == NULL || m->was == NULL)
		merge_refuse(m, "there is no branch '%s'", m->was == NULL ?
		    m->into : m->branch);
	if (strcmp(m->branch, m->into) == 0 || m->checkout[0] == '\0')
		merge_refuse(m, "its base '%s' is %s; 'git switch' changes "
		    "that", m->into, m->checkout[0] != '\0' ?
		    "its own branch" : "checked out nowhere");
}

/* Makes the result, and brings it into the base.  One that has the branch, if
 * only by a commit with our message, stays as it is. */
static void
merge_bring(struct merge *m)
{
	const struct statusdir *dir = &m->context.dir;
	const char *own = xasprintf("%s/.paneward/merge", dir->path), *text;
	const char *why, *path = NULL, *from = m->tip, *to = m->was;
	struct tree *w = &m->tree;
	struct buf files = BUF_INIT;
	bool made;

	m->is = to;
	if (merge_git(m, NULL, "log", "-1", "--format=%h", "-F", xasprintf(
	    "--grep=' at %s.", from), to, "--not", from) == 0 && w->out.len > 0)
		return;
	merge_git(m, NULL, "log", "--reverse", "--no-merges", "-100",
	    "--format=%s%n", "--no-show-signature", from, "--not", to);
	text = xasprintf("%s %s: %.60000s\nBranch '%s' at %s.", m->squash ?
	    "Issue" : "Merge issue", m->issue, buf_str(&w->out), m->branch,
	    from);
	tree_run(w, NULL, WORDS("rm", "-rf", "--", own));
	made = merge_git(m, NULL, "worktree", "add", "-q", "-f", "-f",
	    "--detach", own, m->rebase ? from : to) == 0 && (m->rebase ?
	    merge_git(m, own, "rebase", "-q", to) == 0 : m->squash ?
	    merge_git(m, own, "merge", "-q", "--ff", "--squash", from) == 0 &&
	    (merge_git(m, own, "diff", "--cached", "--quiet") == 0 ||
	    merge_git(m, own, "commit", "-q", "--cleanup=whitespace", "-m",
	    text) == 0) : merge_git(m, own, "merge", "-q", "--no-ff",
	    "--cleanup=whitespace", "-m", text, from) == 0) &&
	    merge_git(m, own, "rev-parse", "HEAD") == 0;
	m->is = tree_line(w);
	why = tree_complaint(w);
	if (!made && merge_git(m, own, "diff", "--name-only", "-z",
	    "--diff-filter=U") == 0)
		while ((path = tree_next(w, path)) != NULL)
			buf_printf(&files, " '%s'", path);
	merge_git(m, NULL, "worktree", "remove", "-f", "-f", own);
	if (files.len > 0)
		merge_refuse(m, "it conflicts with '%1$s' in%2$s; bring '%1$s' "
		    "into '%3$s' first", m->into, buf_str(&files), m->branch);
	if (!made)
		merge_fail(m, EXIT_COULD_NOT, "%s", why);
	if (strcmp(m->is, to) == 0)
		return;
	if (merge_git(m, m->checkout, "status", "--porcelain", "-z", "-uno",
	    "--ignore-submodules=dirty") != 0)
		merge_fail(m, EXIT_COULD_NOT, "%s", tree_complaint(w));
	if (w->out.len > 3)
		merge_refuse(m, "'%s' in '%s' is not committed; commit or "
		    "stash it", w->out.data + 3, m->checkout);
	/* The journal has both commits before the base changes. */
	if (journal_add(dir->state_fd, dir->path, JOURNAL_MERGE, &m->row.status,
	    xasprintf("begins: %s at %s into %s, from %s to %s", m->branch,
	    from, m->into, to, m->is)) == -1)
		fatal("cannot write to the journal in '%s'", dir->path);
	if (merge_git(m, m->checkout, "merge", "-q", "--ff-only", m->is) != 0)
		merge_fail(m, EXIT_COULD_NOT, "%s", tree_complaint(w));
}

static int
merge_run(const struct command *c, int argc, char **argv)
{
	struct merge m = { .issue = NULL };
	struct handoff *h = &m.row.status.handoff;
	struct lock lock = LOCK_INIT;
	struct buf at = BUF_INIT, branch = BUF_INIT;
	struct json *o;
	const char *folder, *tip, *undo = NULL;
	bool merged, removed;
	int status = EXIT_DONE, fd;

	command_option(c, argc, argv, &m);
	if (m.squash && m.rebase)
		command_usage(c, "takes --squash or --rebase, not both");
	m.issue = command_issue(c, argv[optind]);
	context_open(&m.context, m.dir, false);
	fd = m.context.dir.state_fd;
	if (lock_await(&lock, fd, ".merge", LOCK_ENDING) == 0)
		merge_fail(&m, EXIT_COULD_NOT, "another merge has not ended");
	unsetenv("GIT_DIR");            /* an alias of git sets them */
	unsetenv("GIT_WORK_TREE");
	unsetenv("GIT_INDEX_FILE");
	merge_find(&m);
	merge_bring(&m);
	merged = strcmp(m.is, m.was) != 0;
	if (!m.json)
		tree_say("%s: '%s' %s '%s'%s", m.issue, m.into, merged ?
		    "has" : "had", m.branch, merged ? " now" : " already");
	if (handoff_open(h) && lock_held(fd, m.issue, NULL) == 1) {
		warnx("issue '%s' is merged, and handed off by its watcher; "
		    "merge it again then to remove the branch", m.issue);
		status = EXIT_NO;
	} else if (h->state != HANDOFF_DONE) {
		status = merge_hand_off(&m, NULL);
		fputs(buf_str(&m.tree.out), m.json ? stderr : stdout);
		fprintf(stderr, "%s%s", buf_str(&m.tree.errors),
		    m.tree.errors.len > 0 ? "\n" : "");
	}
	tip = merge_look(&m, m.branch, &folder);
	removed = status == 0 && tip != NULL && strcmp(tip, m.tip) == 0 &&
	    merge_git(&m, NULL, "branch", "-q", "-D", "--", m.branch) == 0;
	template_quote(&at, m.checkout, strlen(m.checkout));
	template_quote(&branch, m.branch, strlen(m.branch));
	if (merged)
		undo = xasprintf("git -C %1$s reset --keep %2$s && git -C %1$s "
		    "branch %3$s %4$s", buf_str(&at), m.was, buf_str(&branch),
		    m.tip);
	o = row_done(&m.row, m.issue, "merged");
	json_add_texts(o, "branch", m.branch, "commit", m.tip, "into", m.into,
	    "before", m.was, "after", m.is, "undo", undo);
	json_add_bool(o, "handed_off", status == 0);
	json_add_bool(o, "branch_removed", removed);
	if (m.json)
		json_puts(o);
	else
		tree_say("%s: %s branch '%s'%s%s", m.issue, removed ?
		    "removed" : "left", m.branch, merged ? "; undone by: " :
		    "", merged ? undo : "");
	return status < 0 ? EXIT_COULD_NOT : status;
}

const struct command merge_command = {
	.name = "merge",
	.guess = "land",
	.summary = "Bring a finished run's branch into its base; hand it off",
	.arguments = "ISSUE",
	.examples =
	"  paneward merge 42 --squash\n"
	"  paneward merge 42 --rebase --into release\n",
	.options = options,
	.run = merge_run,
};
