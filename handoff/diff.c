/* diff.c - the changes of an agent in its work tree, by git, as safe as in
 * cleanup.c. */
#include "paneward.h"

#include "handoff/tree.h"
#include "queue/target.h"

struct diff {
	const char *word, *status_dir, *name;
	struct target_agent target;
	const char *base;               /* the commit to compare with */
	bool   color, json;
	char **words;                   /* for git */
	struct context context;
	struct status record;
	struct tree tree;
	struct buf made;                /* the difference */
};

static const struct command_option options[] = {
	{ 0, "color", NULL, "print it as on a terminal: coloured, with control "
	    "characters escaped", FLAG_AT(struct diff, color) },
	JSON_AT(struct diff, json, "print the files as JSON; ARG is a path"),
	CONTEXT_OPTION_AT(struct diff, status_dir),
	{ 0 }
};

static bool
diff_contains(struct diff *d, const char *commit, const char *earlier)
{
	return earlier != NULL && tree_git(&d->tree, GIT_TREE,
	    WORDS("merge-base", "--is-ancestor", earlier, commit)) == 0;
}

/* The base is the commit of the start, or where the work tree parted from the
 * project's own, whichever came later: merges from there are not the
 * agent's. */
static void
diff_make(struct diff *d)
{
	enum { GIT_DIED = 128 };        /* options may ask for lower ones */
	struct tree *w = &d->tree;
	const struct status *r = &d->record;
	const char *root = d->context.project.root, *why;
	const char *base = r->base, *own = NULL, *parted = NULL, *row = NULL;
	char **argv = argv_add_all(NULL, WORDS("add", "--intent-to-add", "--",
	    ":(top)"));
	const char *head = "HEAD";
	bool gone;
	int status;

	w->tree = r->worktree != NULL ? r->worktree : root;
	gone = tree_kind(w->tree) != S_IFDIR;
	if (gone && r->branch == NULL)
		fatalx("cannot show what %s has changed: its work tree "
		    "'%s' is gone", d->name, w->tree);
	if (gone) {
		warnx("the work tree of %s is gone; this is its branch '%s'",
		    d->name, r->branch);
		head = xasprintf("refs/heads/%s", r->branch);
		w->tree = root;
	}
	w->real = xrealpath(w->tree);
	if (w->real == NULL || chdir(root) == -1)
		fatal("cannot show what %s has changed: cannot use '%s'",
		    d->name, w->real == NULL ? w->tree : root);
	worktree_find(w);
	if (w->admin == NULL && w->common != NULL && strcmp(w->real, root) == 0)
		w->admin = w->common;
	if (w->admin == NULL)
		fatalx("cannot show what %s has changed: git knows no work "
		    "tree '%s'", d->name, w->tree);
	if (w->admin != w->common || gone)
		own = tree_git_line(w, GIT_MAIN, WORDS("rev-parse", "-q",
		    "--verify", "HEAD^{commit}"));
	if (own != NULL)
		parted = tree_git_line(w, GIT_TREE, WORDS("merge-base", head,
		    own));
	if (!diff_contains(d, head, base) ||
	    (parted != NULL && diff_contains(d, parted, base)))
		base = parted != NULL ? parted : head;
	/* New files go into an index of ours, without inner repositories: git
	 * would run programs that they name. */
	tree_copy_index(w);
	tree_git(w, GIT_STAGED, WORDS("ls-files", "-s", "-z"));
	while ((row = tree_next(w, row)) != NULL)
		if (strncmp(row, "160000 ", 7) == 0)
			argv = argv_add(argv, xasprintf(
			    ":(top,exclude,literal)%s", strchr(row, '\t') + 1));
	tree_git(w, GIT_STAGED, (const char *const *)argv);
	/* Git looks there whether a word is a path. */
	argv = argv_add_all(NULL, WORDS("-C", w->real, "diff",
	    "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty",
	    d->color ? "--color=always" : "--color=never"));
	if (d->json)
		argv = argv_add_all(argv, WORDS("--raw", "--numstat", "-z",
		    "--no-renames"));
	argv = argv_add_all(argv, WORDS(base, gone ? head : NULL));
	if (d->json)
		argv = argv_add(argv, "--");
	argv = argv_add_all(argv, (const char *const *)d->words);
	status = tree_git(w, GIT_STAGED, (const char *const *)argv);
	why = tree_complaint(w);
	d->base = base;
	d->made = w->out;
	w->out = (struct buf)BUF_INIT;
	tree_release(w);
	if (status < 0 || status >= GIT_DIED)
		fatalx("cannot show what %s has changed: %s", d->name, why);
}

static const char *
text_behind(const char *text)
{
	return text + strlen(text) + 1;
}

/* Git prints for each file ":MODES HASHES STATUS", NUL, PATH, NUL; then in the
 * same order "ADDED<tab>DELETED<tab>PATH", NUL, of a binary file "-<tab>-". */
static void
diff_print_json(struct diff *d)
{
	const struct status *s = &d->record;
	bool pane = d->target.pane != NULL;
	struct row r = { .status = *s, .pane = pane,
	    .project = d->context.project.root,
	    .directory = pane ? NULL : d->context.dir.path,
	    .where = pane ? xstrdup(d->target.pane) : NULL };
	struct json *o = row_done(&r, d->word, NULL), *files, *file;
	const char *p = buf_str(&d->made), *raw = p;
	char added[32], deleted[32], status[2] = "";
	int at;

	json_add_texts(o, "worktree", s->worktree, "branch", s->branch,
	    "base", d->base);
	files = json_add_list(o, "files");
	while (*p == ':')
		p = text_behind(text_behind(p));
	for (; sscanf(p, "%31[^\t]\t%31[^\t]\t%n", added, deleted, &at) == 2;
	    p = text_behind(p)) {
		while (*raw == ':' && strcmp(text_behind(raw), p + at) != 0)
			raw = text_behind(text_behind(raw));
		status[0] = *raw == ':' ? text_behind(raw)[-2] : '?';
		file = json_add_object(files, NULL);
		json_add_texts(file, "path", p + at, "status", status);
		if (added[0] == '-')
			continue;
		json_add_number(file, "added", strtol(added, NULL, 10));
		json_add_number(file, "deleted", strtol(deleted, NULL, 10));
	}
	json_add_number(o, "changes", json_size(files));
	json_puts(o);
}

/* Tabs, line feeds and colours stay; other control characters are escaped. */
static void
diff_escape(struct buf *out, const char *text, const char *end)
{
	const char *p = text, *behind;

	for (; (p = text_find(p, end, "\033[", 2)) != NULL; p = behind) {
		behind = p + 2 + strspn(p + 2, "0123456789;");
		if (*behind != 'm')
			continue;
		msg_escape_but(out, text, (size_t)(p - text), "\t\n");
		buf_add(out, p, (size_t)(behind + 1 - p));
		text = ++behind;
	}
	msg_escape_but(out, text, (size_t)(end - text), "\t\n");
}

static int
diff_run(const struct command *c, int argc, char **argv)
{
	bool terminal = isatty(STDOUT_FILENO);
	struct diff d = { .word = NULL };
	struct status *r = &d.record;
	struct buf shown = BUF_INIT, path = BUF_INIT, why = BUF_INIT;
	char **pager, **word;
	FILE *file;
	int found = 0;

	command_option(c, argc, argv, &d);
	if (optind == argc)
		command_usage(c, "takes an issue");
	d.word = command_agent(c, argv[optind++]);
	d.words = argv + optind;
	for (word = d.words; d.json && *word != NULL; word++)
		if ((*word)[0] == '-')
			command_usage(c, "--json goes with paths alone, not "
			    "with '%s'", *word);
	target_open(&d.target, &d.context, "show the changes of", d.word,
	    d.status_dir);
	d.name = d.target.pane != NULL ? xasprintf("'%s'", d.target.pane) :
	    xasprintf("issue '%s'", d.target.issue);
	if (d.target.pane != NULL) {
		*r = d.target.record;
		if (r->cwd != NULL)
			buf_adds(&path, r->cwd);
		else
			tmux_pane_tell(r->place.socket, r->place.pane,
			    "#{pane_current_path}", &path, &why);
		if (why.len > 0 || context_find(&d.context, buf_str(&path),
		    &why) != EXIT_DONE)
			fatalx("cannot show what %s has changed: %s", d.name,
			    buf_str(&why));
		r->worktree = project_worktree_at(&d.context.project,
		    buf_str(&path), true, &why);
	} else if (d.context.dir.fd != -1) {
		found = status_read(r, d.context.dir.state_fd, d.target.issue);
	}
	if (found == -1)
		fatal("cannot read the status record of %s in '%s'",
		    d.name, d.context.dir.path);
	if (found == 0 && d.target.pane == NULL)
		fatal_no("cannot show what %s has changed: there is no "
		    "record of it in '%s'", d.name, d.context.dir.path);
	d.color |= terminal && !d.json;
	diff_make(&d);
	if (d.json) {
		diff_print_json(&d);
		return EXIT_DONE;
	}
	if (d.color)
		diff_escape(&shown, d.made.data, d.made.data + d.made.len);
	file = terminal ? tmpfile() : stdout;
	if (file == NULL)
		fatal("cannot make a temporary file");
	if ((d.color ? file_write(fileno(file), buf_str(&shown), shown.len) :
	    file_write(fileno(file), d.made.data, d.made.len)) == -1)
		fatal("cannot write what %s has changed", d.name);
	if (terminal) {
		pager = usercommand_pager("FRX");
		rewind(file);
		if (spawn_front((const char *const *)pager, fileno(file),
		    STDERR_FILENO) == -1)
			fatal("cannot run the pager '%s'", pager[0]);
	}
	return EXIT_DONE;
}

const struct command diff_command = {
	.name = "diff",
	.summary = "Show what an agent has changed in its work tree",
	.arguments = "ISSUE|%PANE [-- GIT-DIFF-ARG...]",
	.examples =
	"  paneward diff 42\n"
	"  paneward diff %7\n"
	"  paneward diff 42 -- --stat\n"
	"  paneward diff 42 --json -- src\n"
	"  paneward diff 42 >42.patch\n",
	.options = options,
	.run = diff_run,
};
