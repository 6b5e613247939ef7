#include "handoff/tree.h"

#include <ctype.h>
#include <time.h>

#include "data/pattern.h"

enum {
	SHOWN = 2000,                   /* bytes of a message */
	LIMIT = 24 * 3600 * 1000,       /* ms that git may take */
	OUTPUT = 256 << 20,             /* bytes it may print */
	FILE_MOST = 1 << 30             /* bytes of a file of git's */
};

/* ---- texts and messages -------------------------------------------------- */

char *
tree_keep(struct tree *w, char *text)
{
	if (text != NULL)
		*ARRAY_ADD(w->texts, w->ntexts) = text;
	return text;
}

char *
tree_text(struct tree *w, const char *format, ...)
{
	struct buf text = BUF_INIT;
	va_list ap;

	va_start(ap, format);
	buf_vprintf(&text, format, ap);
	va_end(ap);
	return tree_keep(w, buf_steal(&text));
}

mode_t
tree_kind(const char *path)
{
	struct stat st = { 0 };

	if (file_look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &st) == -1)
		fatal("cannot look at '%s'", path);
	return st.st_mode & S_IFMT;
}

bool
tree_same(struct tree *w, const char *path, const char *real)
{
	const char *found = tree_keep(w, xrealpath(path));

	return found != NULL && strcmp(found, real) == 0;
}

void
tree_print(FILE *to, const char *text)
{
	struct buf line = BUF_INIT;

	msg_escape(&line, text, strnlen(text, SHOWN));
	fprintf(to, "%s\n", buf_str(&line));
	fflush(to);
	buf_release(&line);
}

void
tree_stop(struct tree *w, const char *why)
{
	tree_print(stderr, why);
	tree_release(w);
	exit(CLEANUP_FAILED);
}

/* The reason is cut, so that there is room for the advice. */
void
tree_keeps(struct tree *w, const char *advice, const char *why,
    const char *more)
{
	tree_print(stderr, tree_text(w, "cannot remove work tree '%s': "
	    "%.*s; %s, then run 'paneward handoff %s'%s", w->tree, SHOWN / 2,
	    why, advice, w->issue, more));
	tree_release(w);
	exit(CLEANUP_REFUSED);
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
		tree_keeps(w, advice, what, tree_text(w, ", or have it saved "
		    "first by 'paneward handoff %s --force'", w->issue));
	if (w->plan && !w->must_save)
		tree_say(w, "would save it first: %s", what);
	w->must_save = true;
}

void
tree_release(struct tree *w)
{
	if (w->tmp != NULL)
		tree_run(w, NULL, WORDS("rm", "-rf", "--", w->tmp));
	while (w->ntexts > 0)
		free(w->texts[--w->ntexts]);
	free(w->texts);
	argv_free(w->build_dirs);
	argv_free(w->lone);
	argv_free(w->copies);
	buf_release(&w->occupants.ours);
	buf_release(&w->out);
	buf_release(&w->errors);
	*w = (struct tree){ .issue = NULL };
}

/* ---- running programs ---------------------------------------------------- */

int
tree_run(struct tree *w, const char *cwd, const char *const *argv)
{
	struct spawn s = SPAWN_INIT;

	buf_release(&w->out);
	buf_release(&w->errors);
	if (spawn_run(&s, &(struct spawn_how){ .argv = argv, .cwd = cwd,
	    .limit = LIMIT, .most = OUTPUT, .stays = true }) ==
	    SPAWN_FAILED) {
		buf_reset(&s.errors);
		buf_printf(&s.errors, "cannot run '%s': %s", argv[0],
		    strerror(errno));
	}
	w->out = s.output;
	w->errors = s.errors;
	buf_str(&w->out);
	return w->out.len < OUTPUT ? s.status : -1;
}

/* A file of ours, in a folder that is made for them. */
static const char *
tree_own(struct tree *w, const char *name)
{
	const char *folder = getenv("TMPDIR");

	if (w->tmp == NULL)
		w->tmp = mkdtemp(tree_text(w, "%s/paneward.XXXXXX",
		    folder != NULL && folder[0] == '/' ? folder : "/tmp"));
	if (w->tmp == NULL)
		tree_fail(w, "cannot make a temporary folder: %s",
		    strerror(errno));
	return tree_text(w, "%s/%s", w->tmp, name);
}

/*
 * An agent may have written the repository's configuration, which can name
 * programs: filters, a monitor, ssh, and more with each version of git.  So git
 * is given the repository by another name, where it finds all of it but that:
 * our copy of the few keys that say how files are stored.  The user's own
 * configuration counts as ever.
 */
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
	    tree_text(w, "%s/config", w->common), "--no-includes", "-z",
	    "--get-regexp", keys));
	if (i > 1)
		tree_fail(w, "cannot read the configuration of '%s': %s",
		    w->common, tree_complaint(w));
	while ((key = tree_next(w, key)) != NULL) {
		value = strchr(key, '\n');
		value = value != NULL ? value + 1 : "true";
		if (value[strspn(value, "abcdefghijklmnopqrstuvwxyz"
		    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")] == '\0')
			buf_printf(&config, "[%.*s]\n%.*s = %s\n",
			    (int)strcspn(key, "."), key,
			    (int)strcspn(strchr(key, '.') + 1, "\n"),
			    strchr(key, '.') + 1, value);
	}
	made = mkdir(common, 0700) == 0 && file_replace(AT_FDCWD, tree_text(w,
	    "%s/config", common), buf_str(&config), config.len, 0600) == 0;
	for (i = 0; made && i < sizeof(parts) / sizeof(*parts); i++)
		made = symlink(tree_text(w, "%s/%s", w->common, parts[i]),
		    tree_text(w, "%s/%s", common, parts[i])) == 0;
	if (!made)
		tree_fail(w, "cannot write to '%s': %s", common,
		    strerror(errno));
	buf_release(&config);
	return common;
}

int
tree_git(struct tree *w, enum git_at at, const char *const *words)
{
	bool main = at == GIT_MAIN || at == GIT_APART;
	char **argv = argv_add_all(NULL, WORDS("git", tree_text(w,
	    "--git-dir=%s", main ? w->common : w->admin), "-c",
	    "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",
	    "core.untrackedCache=false", "-c", "core.splitIndex=false", "-c",
	    "core.sparseCheckout=false", "-c", "core.ignoreCase=false", "-c",
	    "core.safecrlf=false"));
	int status;

	if (!main)
		argv = argv_add(argv, tree_text(w, "--work-tree=%s", w->real));
	argv = argv_add_all(argv, words);
	if (at != GIT_MAIN)
		setenv("GIT_COMMON_DIR", tree_common(w), 1);
	if (at >= GIT_FRESH)
		setenv("GIT_INDEX_FILE", tree_own(w, at == GIT_FRESH ?
		    "index" : "staged"), 1);
	/* An object that is missing is not fetched. */
	setenv("GIT_NO_LAZY_FETCH", "1", 1);
	setenv("GIT_ALLOW_PROTOCOL", "none", 1);
	status = tree_run(w, NULL, (const char *const *)argv);
	unsetenv("GIT_COMMON_DIR");
	unsetenv("GIT_INDEX_FILE");
	argv_free(argv);
	return status;
}

bool
tree_copy_index(struct tree *w)
{
	return tree_run(w, NULL, WORDS("cp", tree_text(w, "%s/index",
	    w->admin), tree_own(w, "staged"))) == 0;
}

const char *
tree_line(struct tree *w)
{
	return tree_text(w, "%.*s", (int)strcspn(w->out.data, "\n"),
	    w->out.data);
}

const char *
tree_git_line(struct tree *w, enum git_at at, const char *const *words)
{
	return tree_git(w, at, words) == 0 ? tree_line(w) : NULL;
}

const char *
tree_complaint(struct tree *w)
{
	char *text = tree_text(w, "%s", buf_str(&w->errors)), *p = text;

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
tree_file(struct tree *w, const char *folder, const char *name)
{
	struct buf text = BUF_INIT;

	if (file_read(AT_FDCWD, tree_text(w, "%s/%s", folder, name), 0, &text,
	    FILE_MOST) == -1) {
		buf_release(&text);
		return NULL;
	}
	buf_chomp(&text);
	return tree_keep(w, buf_steal(&text));
}

/* ---- commits that would be lost ------------------------------------------ */

/*
 * Adds the commit with which each line of the text begins.  Those of HEAD's log
 * are "OLD NEW WHO\tMESSAGE"; rebase matches the messages that are left out.
 */
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

/*
 * Adds to lone, of the commits and what they descend from, those that no
 * branch, tag, remote or rescue has, nor what the options add.  Frees the list.
 */
static bool
find_unreached(struct tree *w, char **commits, const char *const *options)
{
	char **argv = argv_add_all(NULL, WORDS("rev-list", "--ignore-missing"));
	bool done;

	argv = argv_add_all(argv, (const char *const *)commits);
	argv = argv_add_all(argv, WORDS("--not", "--branches", "--tags",
	    "--remotes", "--glob=refs/paneward/rescue/*"));
	argv = argv_add(argv_add_all(argv, options), "--");
	done = commits == NULL ||
	    tree_git(w, GIT_MAIN, (const char *const *)argv) == 0;
	if (done && commits != NULL)
		w->lone = commits_add(w->lone, w->out.data, NULL);
	argv_free(commits);
	argv_free(argv);
	return done;
}

/*
 * The work tree has a HEAD of its own with a log, and a few refs.  The log of a
 * branch stays, so what was amended or reset there is not lost with the work
 * tree.
 */
bool
tree_find_lone(struct tree *w)
{
	static const char *const heads[] = { "MERGE_HEAD", "CHERRY_PICK_HEAD",
	    "REVERT_HEAD" };
	char **now = w->head ? argv_add(NULL, w->head) : NULL, **earlier;
	char *log = tree_file(w, w->admin, "logs/HEAD"), error[128];
	struct pattern *rebase;
	char **argv;
	bool done;
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		now = commits_add(now, tree_file(w, w->admin, heads[i]), NULL);
	tree_git(w, GIT_TREE, WORDS("for-each-ref", "--format=%(objectname)",
	    "refs/worktree", "refs/bisect", "refs/rewritten"));
	earlier = commits_add(NULL, w->out.data, NULL);
	if (log == NULL && w->head != NULL && tree_git(w, GIT_TREE,
	    WORDS("log", "-g", "--no-show-signature",
	    "--format=- %H %gd%x09%gs", "HEAD", "--")) == 0)
		log = w->out.data;
	/* A rebase's intermediate commits are no work: "rebase (pick): ...",
	 * "pull --rebase (pick): ...". */
	rebase = pattern_new("rebase|^\\tpull.* \\([a-z]*\\):$", error,
	    sizeof(error));
	earlier = commits_add(earlier, log, rebase);
	pattern_free(rebase);
	if (!find_unreached(w, now, NULL) || !find_unreached(w, earlier,
	    WORDS("--single-worktree", "--reflog")))
		return false;
	if (w->lone == NULL)
		return true;
	/* Keeps the commits from which no other one descends. */
	argv = argv_add_all(NULL, WORDS("merge-base", "--independent"));
	argv = argv_add_all(argv, (const char *const *)w->lone);
	done = tree_git(w, GIT_MAIN, (const char *const *)argv) == 0;
	argv_free(argv);
	argv_free(w->lone);
	w->lone = commits_add(NULL, w->out.data, NULL);
	return done && w->lone != NULL;
}

/* ---- saving -------------------------------------------------------------- */

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
	struct stat st;
	bool added;

	if (!w->present && w->staged)
		return save_index(w);
	if (!w->present)
		return tree_git_line(w, GIT_MAIN, WORDS("rev-parse", "-q",
		    "--verify", tree_text(w, "%s^{tree}", w->head ? w->head :
		    "")));
	add = argv_add_all(NULL, WORDS("add", "-A", "-f", "--", ":(top)"));
	for (dir = w->build_dirs; dir != NULL && *dir != NULL; dir++)
		if (lstat(tree_text(w, "%s/%s", w->real, *dir), &st) == 0 &&
		    S_ISDIR(st.st_mode))
			add = argv_add(add, tree_text(w,
			    ":(top,exclude,literal)%s", *dir));
	added = tree_git(w, GIT_FRESH, WORDS("add", "-A")) == 0 &&
	    tree_git(w, GIT_FRESH, (const char *const *)add) == 0;
	argv_free(add);
	return added ? tree_git_line(w, GIT_FRESH, WORDS("write-tree")) : NULL;
}

/* What git has just saved; NULL: nothing. */
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
	const char *files, *staged = NULL, *message, *commit, *first, *ref;
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
		staged = NULL;          /* the files have it */
	if (staged != NULL) {
		message = tree_text(w, "Issue %s: what was staged", w->issue);
		staged = tree_saved(w, tree_git_line(w, GIT_MAIN, w->head ?
		    WORDS("commit-tree", staged, "-p", w->head, "-m",
		    message) : WORDS("commit-tree", staged, "-m", message)));
	}
	words = argv_add_all(NULL, WORDS("commit-tree", files));
	if (w->head != NULL)
		words = argv_add_all(words, WORDS("-p", w->head));
	if (staged != NULL)
		words = argv_add_all(words, WORDS("-p", staged));
	for (lone = w->lone; lone != NULL && *lone != NULL; lone++)
		if (w->head == NULL || strcmp(*lone, w->head) != 0)
			words = argv_add_all(words, WORDS("-p", *lone));
	words = argv_add_all(words, WORDS("-m", tree_text(w,
	    "Issue %s: rescued\n\nEverything that was in its work tree, "
	    "ignored files included, before that was\nremoved on request.  The "
	    "first parent is what was checked out there.  Others\nare what was "
	    "staged, and commits that were on no branch.", w->issue)));
	commit = tree_saved(w, tree_git_line(w, GIT_MAIN,
	    (const char *const *)words));
	argv_free(words);
	/* Its name is one that no other commit has. */
	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", gmtime(&now));
	first = ref = tree_text(w, "refs/paneward/rescue/%s/%s-%.8s", w->issue,
	    when, w->run);
	while (tree_git(w, GIT_MAIN, WORDS("show-ref", "-q", "--verify",
	    ref)) == 0)
		ref = tree_text(w, "%s-%u", first, ++number);
	tree_saved(w, tree_git_line(w, GIT_MAIN, WORDS("update-ref", ref,
	    commit, "")));
	tree_say(w, "saved everything as %s: see 'git show --stat %s', have it "
	    "back with 'git worktree add --detach FOLDER %s'", ref, ref, ref);
	return files;
}
