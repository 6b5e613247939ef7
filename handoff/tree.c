#include "handoff/tree.h"

#include <ctype.h>
#include <time.h>

#include "data/pattern.h"

enum {
	SHOWN = 2000,
	LIMIT = 24 * 3600 * 1000,
	OUTPUT = 256 << 20,
	FILE_MOST = 1 << 30
};

mode_t
tree_kind(const char *path)
{
	struct stat st = { 0 };

	if (file_look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &st) == -1)
		fatal("cannot look at '%s'", path);
	return st.st_mode & S_IFMT;
}

bool
tree_same(const char *path, const char *real)
{
	const char *found = xrealpath(path);

	return found != NULL && strcmp(found, real) == 0;
}

void
tree_print(FILE *to, const char *text)
{
	struct buf line = BUF_INIT;

	msg_escape(&line, text, strnlen(text, SHOWN));
	fprintf(to, "%s\n", buf_str(&line));
	fflush(to);
}

void
tree_stop(struct tree *w, int status, const char *why)
{
	tree_print(stderr, why);
	tree_release(w);
	exit(status);
}

/* The reason is cut: the advice needs room. */
void
tree_keeps(struct tree *w, const char *advice, const char *why,
    const char *more)
{
	tree_stop(w, CLEANUP_REFUSED, xasprintf("cannot remove work tree '%s': "
	    "%.*s; %s, then run 'paneward handoff %s'%s", w->tree, SHOWN / 2,
	    why, advice, w->issue, more));
}

void
tree_unreadable(struct tree *w, const char *what)
{
	tree_refuse(w, "repair that", "%s: %s", what, tree_complaint(w));
}

void
tree_loses(struct tree *w, const char *advice, const char *what)
{
	if (!w->force)
		tree_keeps(w, advice, what, xasprintf(", or save it first with "
		    "'paneward handoff %s --force'", w->issue));
	if (w->plan && !w->must_save)
		tree_say("would save it first: %s", what);
	w->must_save = true;
}

void
tree_release(struct tree *w)
{
	if (w->tmp != NULL)
		tree_run(w, NULL, WORDS("rm", "-rf", "--", w->tmp));
	*w = (struct tree){ .issue = NULL };
}

int
tree_run(struct tree *w, const char *cwd, const char *const *argv)
{
	struct spawn s = SPAWN_INIT;

	buf_release(&w->out);
	buf_release(&w->errors);
	if (spawn_run(&s, &(struct spawn_how){ .argv = argv, .cwd = cwd,
	    .limit = LIMIT, .most = OUTPUT, .stays = true }) == SPAWN_FAILED) {
		buf_reset(&s.errors);
		buf_printf(&s.errors, "cannot run '%s': %s", argv[0],
		    strerror(errno));
	}
	buf_str(&s.output);
	w->out = s.output;
	w->errors = s.errors;
	return w->out.len < OUTPUT ? s.status : -1;
}

static const char *
tree_own(struct tree *w, const char *name)
{
	const char *folder = getenv("TMPDIR");

	if (w->tmp == NULL)
		w->tmp = mkdtemp(xasprintf("%s/paneward.XXXXXX",
		    folder != NULL && folder[0] == '/' ? folder : "/tmp"));
	if (w->tmp == NULL)
		tree_fail(w, "cannot make a temporary folder: %s",
		    strerror(errno));
	return xasprintf("%s/%s", w->tmp, name);
}

/* An agent may have written the repository's configuration, which can name
 * programs, more with each version of git.  So git gets the repository by
 * another name, with the few keys of its configuration that say how files are
 * stored. */
static const char *
tree_common(struct tree *w)
{
	static const char *const parts[] = { "HEAD", "info", "logs", "objects",
	    "packed-refs", "refs", "reftable", "shallow", "worktrees" };
	static const char keys[] = "^(core\\.(autocrlf|eol|filemode|"
	    "precomposeunicode|repositoryformatversion|symlinks)|"
	    "extensions\\.(objectformat|refstorage))$";
	const char *common = tree_own(w, "common"), *key = NULL, *value;
	struct buf config = BUF_INIT;
	bool made;
	size_t i;

	if (tree_kind(common) != 0)
		return common;
	i = (size_t)tree_run(w, NULL, WORDS("git", "config", "--file",
	    xasprintf("%s/config", w->common), "--no-includes", "-z",
	    "--get-regexp", keys));
	if (i > 1)
		tree_fail(w, "cannot read the configuration of '%s': %s",
		    w->common, tree_complaint(w));
	while ((key = tree_next(w, key)) != NULL) {
		value = strchr(key, '\n');
		value = value != NULL ? value + 1 : "true";
		if (text_only(value, "-"))
			buf_printf(&config, "[%.*s]\n%.*s = %s\n",
			    (int)strcspn(key, "."), key,
			    (int)strcspn(strchr(key, '.') + 1, "\n"),
			    strchr(key, '.') + 1, value);
	}
	made = mkdir(common, 0700) == 0 && file_replace(AT_FDCWD, xasprintf(
	    "%s/config", common), buf_str(&config), config.len, 0600) == 0;
	for (i = 0; made && i < sizeof(parts) / sizeof(*parts); i++)
		made = symlink(xasprintf("%s/%s", w->common, parts[i]),
		    xasprintf("%s/%s", common, parts[i])) == 0;
	if (!made)
		tree_fail(w, "cannot write to '%s': %s", common,
		    strerror(errno));
	return common;
}

int
tree_git(struct tree *w, enum git_at at, const char *const *words)
{
	bool main = at == GIT_MAIN || at == GIT_APART;
	char **argv = argv_add_all(NULL, WORDS("git", xasprintf("--git-dir=%s",
	    main ? w->common : w->admin), "-c", "core.hooksPath=/dev/null",
	    "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
	    "-c", "core.splitIndex=false", "-c", "core.sparseCheckout=false",
	    "-c", "core.ignoreCase=false", "-c", "core.safecrlf=false"));
	int status;

	if (!main)
		argv = argv_add(argv, xasprintf("--work-tree=%s", w->real));
	argv = argv_add_all(argv, words);
	if (at != GIT_MAIN)
		setenv("GIT_COMMON_DIR", tree_common(w), 1);
	if (at >= GIT_FRESH)
		setenv("GIT_INDEX_FILE", tree_own(w, at == GIT_FRESH ?
		    "index" : "staged"), 1);
	setenv("GIT_NO_LAZY_FETCH", "1", 1);
	setenv("GIT_ALLOW_PROTOCOL", "none", 1);
	status = tree_run(w, NULL, (const char *const *)argv);
	unsetenv("GIT_COMMON_DIR");
	unsetenv("GIT_INDEX_FILE");
	return status;
}

bool
tree_copy_index(struct tree *w)
{
	return tree_run(w, NULL, WORDS("cp", xasprintf("%s/index",
	    w->admin), tree_own(w, "staged"))) == 0;
}

const char *
tree_line(struct tree *w)
{
	return xstrndup(w->out.data, strcspn(w->out.data, "\n"));
}

const char *
tree_git_line(struct tree *w, enum git_at at, const char *const *words)
{
	return tree_git(w, at, words) == 0 ? tree_line(w) : NULL;
}

const char *
tree_complaint(struct tree *w)
{
	char *text = xstrdup(buf_str(&w->errors)), *p = text;

	while ((p = strchr(p, '\n')) != NULL)
		*p = ' ';
	return text;
}

const char *
tree_next(const struct tree *w, const char *part)
{
	part = part == NULL ? w->out.data : part + strlen(part) + 1;
	return part != NULL && part < w->out.data + w->out.len ? part : NULL;
}

char *
tree_file(const char *folder, const char *name)
{
	struct buf text = BUF_INIT;

	if (file_read(AT_FDCWD, xasprintf("%s/%s", folder, name), 0, &text,
	    FILE_MOST) == -1)
		return NULL;
	buf_chomp(&text);
	return buf_steal(&text);
}

/* Adds the commit at the begin of each line; with rebase of lines "OLD NEW
 * WHO\tMESSAGE" whose message it does not match. */
static char **
commits_add(char **list, char *text, struct pattern *rebase)
{
	char *line, *message;
	size_t len;

	while ((line = strsep(&text, "\n")) != NULL) {
		message = strchr(line, '\t');
		len = message != NULL ? strcspn(message, ":") : 0;
		if (rebase != NULL && message != NULL && pattern_match(rebase,
		    message, len + (message[len] == ':')))
			continue;
		if (rebase != NULL)
			strsep(&line, " ");
		len = line ? strspn(line, "0123456789abcdef") : 0;
		if (len >= 40 && (line[len] == '\0' ||
		    isspace((unsigned char)line[len]))) {
			line[len] = '\0';
			list = argv_add(list, line);
		}
	}
	return list;
}

/* Adds to lone the commits and their ancestors that no branch, tag, remote,
 * rescue, or ref of the options has. */
static bool
find_unreached(struct tree *w, char **commits, const char *const *options)
{
	char **argv = argv_add_all(NULL, WORDS("rev-list", "--ignore-missing"));

	if (commits == NULL)
		return true;
	argv = argv_add_all(argv, (const char *const *)commits);
	argv = argv_add_all(argv, WORDS("--not", "--branches", "--tags",
	    "--remotes", "--glob=refs/paneward/rescue/*"));
	argv = argv_add(argv_add_all(argv, options), "--");
	if (tree_git(w, GIT_MAIN, (const char *const *)argv) != 0)
		return false;
	w->lone = commits_add(w->lone, w->out.data, NULL);
	return true;
}

/* The work tree has its own HEAD with a log, and a few refs.  The log of a
 * branch stays. */
bool
tree_find_lone(struct tree *w)
{
	static const char *const heads[] = { "MERGE_HEAD", "CHERRY_PICK_HEAD",
	    "REVERT_HEAD" };
	char **now = w->head ? argv_add(NULL, w->head) : NULL, **earlier;
	char *log = tree_file(w->admin, "logs/HEAD"), error[128], **argv;
	struct pattern *rebase;
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		now = commits_add(now, tree_file(w->admin, heads[i]), NULL);
	tree_git(w, GIT_TREE, WORDS("for-each-ref", "--format=%(objectname)",
	    "refs/worktree", "refs/bisect", "refs/rewritten"));
	earlier = commits_add(NULL, w->out.data, NULL);
	if (log == NULL && w->head != NULL && tree_git(w, GIT_TREE,
	    WORDS("log", "-g", "--no-show-signature",
	    "--format=- %H %gd%x09%gs", "HEAD", "--")) == 0)
		log = w->out.data;
	/* Intermediate commits of a rebase are no work: "rebase (pick): ...",
	 * "pull --rebase (pick): ...". */
	rebase = pattern_new("rebase|^\\tpull.* \\([a-z]*\\):$", false, error,
	    sizeof(error));
	earlier = commits_add(earlier, log, rebase);
	if (!find_unreached(w, now, NULL) || !find_unreached(w, earlier,
	    WORDS("--single-worktree", "--reflog")))
		return false;
	if (w->lone == NULL)
		return true;
	argv = argv_add_all(NULL, WORDS("merge-base", "--independent"));
	argv = argv_add_all(argv, (const char *const *)w->lone);
	if (tree_git(w, GIT_MAIN, (const char *const *)argv) != 0)
		return false;
	w->lone = commits_add(NULL, w->out.data, NULL);
	return w->lone != NULL;
}

static const char *
save_index(struct tree *w)
{
	return tree_copy_index(w) ? tree_git_line(w, GIT_STAGED,
	    WORDS("write-tree")) : NULL;
}

const char *
tree_save_files(struct tree *w)
{
	char **add, *const *dir;

	if (!w->present && w->staged)
		return save_index(w);
	if (!w->present)
		return tree_git_line(w, GIT_MAIN, WORDS("rev-parse", "-q",
		    "--verify", xasprintf("%s^{tree}", w->head ? w->head :
		    "")));
	add = argv_add_all(NULL, WORDS("add", "-A", "-f", "--", ":(top)"));
	for (dir = w->build_dirs; dir != NULL && *dir != NULL; dir++)
		if (tree_kind(xasprintf("%s/%s", w->real, *dir)) == S_IFDIR)
			add = argv_add(add, xasprintf(
			    ":(top,exclude,literal)%s", *dir));
	return tree_git(w, GIT_FRESH, WORDS("add", "-A")) == 0 &&
	    tree_git(w, GIT_FRESH, (const char *const *)add) == 0 ?
	    tree_git_line(w, GIT_FRESH, WORDS("write-tree")) : NULL;
}

static const char *
tree_saved(struct tree *w, const char *object)
{
	if (object == NULL)
		tree_unreadable(w, "it could not be saved");
	return object;
}

const char *
tree_rescue(struct tree *w)
{
	const char *files, *staged = NULL, *commit, *first, *ref;
	char **words, *const *lone, when[32];
	time_t now = time(NULL);
	unsigned number = 1;

	setenv("GIT_AUTHOR_NAME", "paneward", 1);
	setenv("GIT_AUTHOR_EMAIL", "paneward@localhost", 1);
	setenv("GIT_COMMITTER_NAME", "paneward", 1);
	setenv("GIT_COMMITTER_EMAIL", "paneward@localhost", 1);
	files = tree_saved(w, tree_save_files(w));
	if (w->staged)
		staged = tree_saved(w, save_index(w));
	if (staged != NULL && strcmp(staged, files) == 0)
		staged = NULL;
	if (staged != NULL)
		staged = tree_saved(w, tree_git_line(w, GIT_MAIN,
		    WORDS("commit-tree", staged, "-m", xasprintf(
		    "Issue %s: what was staged", w->issue),
		    w->head != NULL ? "-p" : NULL, w->head)));
	words = argv_add_all(NULL, WORDS("commit-tree", files));
	if (w->head != NULL)
		words = argv_add_all(words, WORDS("-p", w->head));
	if (staged != NULL)
		words = argv_add_all(words, WORDS("-p", staged));
	for (lone = w->lone; lone != NULL && *lone != NULL; lone++)
		if (w->head == NULL || strcmp(*lone, w->head) != 0)
			words = argv_add_all(words, WORDS("-p", *lone));
	words = argv_add_all(words, WORDS("-m", xasprintf(
	    "Issue %s: rescued\n\nEverything that was in its work tree, "
	    "ignored files included, before that was\nremoved on request.  The "
	    "first parent is what was checked out there.  Others\nare what was "
	    "staged, and commits that were on no branch.", w->issue)));
	commit = tree_saved(w, tree_git_line(w, GIT_MAIN,
	    (const char *const *)words));
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", gmtime(&now));
	first = ref = xasprintf("refs/paneward/rescue/%s/%s-%.8s", w->issue,
	    when, w->run);
	while (tree_git(w, GIT_MAIN, WORDS("show-ref", "-q", "--verify",
	    ref)) == 0)
		ref = xasprintf("%s-%u", first, ++number);
	tree_saved(w, tree_git_line(w, GIT_MAIN, WORDS("update-ref", ref,
	    commit, "")));
	tree_say("saved everything as %s: see 'git show --stat %s', restore it "
	    "with 'git worktree add --detach FOLDER %s'", ref, ref, ref);
	return files;
}
