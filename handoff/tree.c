#include "handoff/tree.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "os/file.h"
#include "os/spawn.h"

enum {
	SHOWN = 1000,                   /* bytes of a message */
	LIMIT = 24 * 3600 * 1000,       /* ms that git may take */
	OUTPUT = 256 << 20,             /* bytes it may print */
	FILE_MOST = 1 << 30             /* bytes of a file of git's */
};

/* ---- messages ------------------------------------------------------------ */

static void print_escaped(FILE *, const char *format, va_list)
    __attribute__((format(printf, 2, 0)));

static void
print_escaped(FILE *to, const char *format, va_list ap)
{
	struct buf line = BUF_INIT;
	char text[2 * SHOWN];

	vsnprintf(text, sizeof(text), format, ap);
	msg_escape(&line, text, strlen(text));
	fprintf(to, "%s\n", buf_str(&line));
	fflush(to);
	buf_release(&line);
}

void
tree_say(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_escaped(stdout, format, ap);
	va_end(ap);
}

static _Noreturn void tree_give_up(struct tree *, int status,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

static _Noreturn void
tree_give_up(struct tree *w, int status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_escaped(stderr, format, ap);
	va_end(ap);
	tree_release(w);
	exit(status);
}

void
tree_fail(struct tree *w, const char *format, ...)
{
	char why[SHOWN];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	tree_give_up(w, CLEANUP_FAILED, "%s", why);
}

void
tree_lose(struct tree *w, const char *advice, const char *format, ...)
{
	char what[SHOWN];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	if (!w->force)
		tree_give_up(w, CLEANUP_REFUSED, "cannot remove work tree "
		    "'%s': %s; %s, then run 'paneward handoff %s', or have it "
		    "saved first by 'paneward handoff %s --force'", w->tree,
		    what, advice, w->issue, w->issue);
	if (w->plan && !w->must_save)
		tree_say("would save it first: %s", what);
	w->must_save = true;
}

void
tree_refuse(struct tree *w, const char *advice, const char *format, ...)
{
	char why[SHOWN];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	tree_give_up(w, CLEANUP_REFUSED, "cannot remove work tree '%s': %s; "
	    "%s, then run 'paneward handoff %s'", w->tree, why, advice,
	    w->issue);
}

/* The program ends after this; only what lies on the disk matters. */
void
tree_release(struct tree *w)
{
	if (w->tmp != NULL)
		tree_run(w, NULL, WORDS("rm", "-rf", "--", w->tmp));
	free(w->tmp);
	w->tmp = NULL;
}

/* ---- running it ---------------------------------------------------------- */

int
tree_run(struct tree *w, const char *cwd, const char *const *argv)
{
	struct spawn s = SPAWN_INIT;
	int status = -1;

	buf_release(&w->out);
	buf_release(&w->errors);
	if (spawn_begin(&s, &(struct spawn_how){ .argv = argv, .cwd = cwd,
	    .limit = LIMIT, .most = OUTPUT }) == -1) {
		buf_printf(&w->errors, "cannot run '%s': %s", argv[0],
		    strerror(errno));
		return -1;
	}
	spawn_finish(&s);
	if (s.output.len < OUTPUT)
		status = s.status;
	buf_add(&w->out, s.output.data, s.output.len);
	buf_add(&w->errors, s.errors.data, s.errors.len);
	spawn_release(&s);
	buf_str(&w->out);
	return status;
}

/* The file of an index of ours, in a folder that is made for them. */
static char *
index_path(struct tree *w, enum git_at at)
{
	const char *folder = getenv("TMPDIR");

	if (w->tmp == NULL) {
		w->tmp = xasprintf("%s/paneward.XXXXXX", folder != NULL &&
		    folder[0] == '/' ? folder : "/tmp");
		if (mkdtemp(w->tmp) == NULL) {
			free(w->tmp);
			w->tmp = NULL;
			tree_fail(w, "cannot make a temporary folder: %s",
			    strerror(errno));
		}
	}
	return xasprintf("%s/%s", w->tmp, at == GIT_FRESH ? "index" :
	    "staged");
}

int
tree_git(struct tree *w, enum git_at at, const char *const *words)
{
	static const char *const safe[] = { "core.hooksPath=/dev/null",
	    "core.fsmonitor=false", "core.untrackedCache=false",
	    "core.splitIndex=false", "core.sparseCheckout=false",
	    "core.ignoreCase=false", "core.safecrlf=false" };
	char *dir = xasprintf("--git-dir=%s", at == GIT_MAIN ? w->common :
	    w->admin);
	char *tree = xasprintf("--work-tree=%s", w->real);
	char *index = at >= GIT_FRESH ? index_path(w, at) : NULL;
	const char **argv = xcalloc(argv_count((char *const *)(uintptr_t)
	    words) + 2 * sizeof(safe) / sizeof(safe[0]) + 4, sizeof(*argv));
	size_t i, n = 0;
	int status;

	argv[n++] = "git";
	argv[n++] = dir;
	for (i = 0; i < sizeof(safe) / sizeof(safe[0]); i++) {
		argv[n++] = "-c";
		argv[n++] = safe[i];
	}
	if (at != GIT_MAIN)
		argv[n++] = tree;
	while (*words != NULL)
		argv[n++] = *words++;
	if (index != NULL)
		setenv("GIT_INDEX_FILE", index, 1);
	status = tree_run(w, NULL, argv);
	unsetenv("GIT_INDEX_FILE");
	free(argv);
	free(index);
	free(tree);
	free(dir);
	return status;
}

const char *
tree_complaint(struct tree *w)
{
	char *p;

	for (p = (char *)(uintptr_t)buf_str(&w->errors); *p != '\0'; p++)
		if (*p == '\n')
			*p = ' ';
	return buf_str(&w->errors);
}

const char *
tree_next(const struct tree *w, const char *part)
{
	part = part == NULL ? w->out.data : part + strlen(part) + 1;
	return part != NULL && part < w->out.data + w->out.len ? part : NULL;
}

/* What it printed, as one word; to be freed. */
static char *
tree_printed(struct tree *w)
{
	const char *text = buf_str(&w->out);

	return xstrndup(text, strcspn(text, "\n"));
}

char *
tree_file(const char *folder, const char *name)
{
	char *path = xasprintf("%s/%s", folder, name), *text = NULL;
	struct buf b = BUF_INIT;

	if (file_read(AT_FDCWD, path, 0, &b, FILE_MOST) == 0) {
		buf_chomp(&b);
		buf_adds(&b, "");
		text = buf_steal(&b);
	}
	buf_release(&b);
	free(path);
	return text;
}

/* ---- what it knows ------------------------------------------------------- */

char *
tree_repository(struct tree *w)
{
	char *name, *real = NULL;

	if (tree_run(w, NULL, WORDS("git", "rev-parse",
	    "--git-common-dir")) != 0)
		return NULL;
	name = tree_printed(w);
	if (name[0] != '\0')
		real = xrealpath(name);
	free(name);
	return real;
}

char **
tree_trees(struct tree *w)
{
	bool lines = tree_git(w, GIT_MAIN, WORDS("worktree", "list",
	    "--porcelain", "-z")) != 0;
	char **trees = NULL, *p;
	const char *row;

	/* An old git has no -z. */
	if (lines) {
		tree_git(w, GIT_MAIN, WORDS("worktree", "list", "--porcelain"));
		for (p = w->out.data; p && (p = strchr(p, '\n')) != NULL;)
			*p++ = '\0';
	}
	for (row = NULL; (row = tree_next(w, row)) != NULL;)
		if (strncmp(row, "worktree ", 9) == 0)
			trees = argv_add(trees, row + 9);
	return trees;
}

bool
tree_find_head(struct tree *w)
{
	char *branch;
	bool unborn;

	if (tree_git(w, GIT_TREE, WORDS("rev-parse", "-q", "--verify",
	    "HEAD^{commit}")) == 0) {
		w->head = tree_printed(w);
		return true;
	}
	if (tree_git(w, GIT_TREE, WORDS("symbolic-ref", "-q", "HEAD")) != 0)
		return false;
	branch = tree_printed(w);
	unborn = strncmp(branch, "refs/heads/", 11) == 0 &&
	    tree_git(w, GIT_MAIN, WORDS("show-ref", "-q", "--verify",
	    branch)) != 0;
	free(branch);
	return unborn;
}

/* ---- commits that would be lost ------------------------------------------ */

/* Adds a commit's name, if the text begins with one. */
static char **
commit_add(char **list, const char *text)
{
	size_t len = strspn(text, "0123456789abcdef");
	char *id;

	if (len < 40 || (text[len] != '\0' &&
	    !isspace((unsigned char)text[len])))
		return list;
	id = xstrndup(text, len);
	list = argv_add(list, id);
	free(id);
	return list;
}

/* Each line of the text begins with one. */
static char **
commits_add(char **list, const char *text)
{
	while (text != NULL) {
		list = commit_add(list, text);
		text = strchr(text, '\n');
		text += text != NULL;
	}
	return list;
}

/*
 * Adds to lone, of the commits and what they descend from, those that no
 * branch, tag, remote or rescue has, nor what the options add.
 */
static bool
find_unreached(struct tree *w, char **commits, const char *const *options)
{
	char **argv = NULL, **id;

	argv = argv_add(argv_add(argv, "rev-list"), "--ignore-missing");
	for (id = commits; *id != NULL; id++)
		argv = argv_add(argv, *id);
	for (; *options != NULL; options++)
		argv = argv_add(argv, *options);
	if (tree_git(w, GIT_MAIN, (const char *const *)argv) != 0)
		return false;
	argv_free(argv);
	w->lone = commits_add(w->lone, buf_str(&w->out));
	return true;
}

/* What a rebase tried out on its way is no work: "rebase (pick): ...",
 * "pull --rebase (pick): ...". */
static bool
by_rebase(const char *message)
{
	size_t len = strcspn(message, ":\n");
	const char *word = strstr(message, "rebase");

	if (word != NULL && word < message + len)
		return true;
	if (strncmp(message, "pull", 4) != 0 || message[len] != ':' ||
	    len < 7 || message[--len] != ')')
		return false;
	while (len > 0 && islower((unsigned char)message[len - 1]))
		len--;
	return len > 1 && message[len - 1] == '(' && message[len - 2] == ' ';
}

/* Each commit that HEAD was at.  A line of the log: "OLD NEW WHO\tMESSAGE". */
static char **
add_head_log(struct tree *w, char **list)
{
	char *text = tree_file(w->admin, "logs/HEAD"), *rest = text;
	char *line, *message, *new;

	if (text == NULL && w->head != NULL && tree_git(w, GIT_TREE,
	    WORDS("log", "-g", "--no-show-signature",
	    "--format=- %H %gd%x09%gs", "HEAD", "--")) == 0)
		rest = text = xstrdup(buf_str(&w->out));
	while (rest != NULL && (line = strsep(&rest, "\n")) != NULL) {
		message = strchr(line, '\t');
		new = strchr(line, ' ');
		if (new != NULL && (message == NULL || !by_rebase(message + 1)))
			list = commit_add(list, new + 1);
	}
	free(text);
	return list;
}

/* Keeps of the commits those from which no other one descends. */
static bool
keep_independent(struct tree *w)
{
	char **argv = argv_add(argv_add(NULL, "merge-base"), "--independent");
	char **id;
	bool done;

	for (id = w->lone; *id != NULL; id++)
		argv = argv_add(argv, *id);
	done = tree_git(w, GIT_MAIN, (const char *const *)argv) == 0;
	argv_free(argv);
	argv_free(w->lone);
	w->lone = commits_add(NULL, buf_str(&w->out));
	return done && w->lone != NULL;
}

#define REACHED "--not", "--branches", "--tags", "--remotes", \
	"--glob=refs/paneward/rescue/*"

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
	char **now = NULL, **earlier;
	size_t i;

	if (w->head != NULL)
		now = argv_add(now, w->head);
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		now = commits_add(now, tree_file(w->admin, heads[i]));
	tree_git(w, GIT_TREE, WORDS("for-each-ref", "--format=%(objectname)",
	    "refs/worktree", "refs/bisect", "refs/rewritten"));
	earlier = add_head_log(w, commits_add(NULL, buf_str(&w->out)));
	if ((now != NULL && !find_unreached(w, now, WORDS(REACHED, "--"))) ||
	    (earlier != NULL && !find_unreached(w, earlier, WORDS(REACHED,
	    "--single-worktree", "--reflog", "--"))))
		return false;
	return w->lone == NULL || keep_independent(w);
}

char *
tree_title(struct tree *w, const char *commit)
{
	const char *title;

	tree_git(w, GIT_MAIN, WORDS("cat-file", "commit", commit));
	title = strstr(buf_str(&w->out), "\n\n");
	return title ? xstrndup(title + 2, strcspn(title + 2, "\n")) :
	    xstrdup("");
}

/* ---- its index and files ------------------------------------------------- */

int
tree_staged(struct tree *w)
{
	char *against;
	int status;

	if (w->head == NULL)
		tree_git(w, GIT_MAIN, WORDS("hash-object", "-t", "tree",
		    "/dev/null"));
	against = w->head ? xstrdup(w->head) : tree_printed(w);
	status = tree_git(w, GIT_TREE, WORDS("diff-index", "--cached",
	    "--quiet", "--ignore-submodules=none", against, "--"));
	free(against);
	return status;
}

bool
tree_fresh_index(struct tree *w)
{
	return tree_git(w, GIT_FRESH, WORDS("read-tree", w->head ? w->head :
	    "--empty")) == 0;
}

/* git has not inspected what it warns of. */
bool
tree_status(struct tree *w, enum git_at at)
{
	int status = tree_git(w, at, WORDS("status", "--porcelain=v1", "-z",
	    "--no-renames", "--ignore-submodules=none", at == GIT_TREE ?
	    "--untracked-files=no" : "--untracked-files=all",
	    at == GIT_TREE ? NULL : "--ignored=matching"));

	return status == 0 && w->errors.len == 0;
}

/* ---- saving -------------------------------------------------------------- */

static _Noreturn void
not_saved(struct tree *w)
{
	tree_refuse(w, "repair that", "it could not be saved: %s",
	    tree_complaint(w));
}

/* Runs git, which prints an object's name; to be freed.  NULL: it failed. */
static char *
tree_object(struct tree *w, enum git_at at, const char *const *words)
{
	return tree_git(w, at, words) == 0 ? tree_printed(w) : NULL;
}

static char *
save_index(struct tree *w)
{
	char *from = xasprintf("%s/index", w->admin);
	char *to = index_path(w, GIT_STAGED), *saved = NULL;

	if (tree_run(w, NULL, WORDS("cp", from, to)) == 0)
		saved = tree_object(w, GIT_STAGED, WORDS("write-tree"));
	free(from);
	free(to);
	return saved;
}

/* A tree object of all files; NULL: that failed. */
static char *
save_files(struct tree *w)
{
	char **add = NULL, *spec, *saved = NULL;
	char *const *dir;

	if (!w->present && w->staged)
		return save_index(w);
	if (!w->present) {
		spec = xasprintf("%s^{tree}", w->head ? w->head : "");
		saved = tree_object(w, GIT_MAIN, WORDS("rev-parse", "-q",
		    "--verify", spec));
		free(spec);
		return saved;
	}
	add = argv_add(argv_add(argv_add(argv_add(argv_add(NULL, "add"), "-A"),
	    "-f"), "--"), ":(top)");
	for (dir = w->build_dirs; dir != NULL && *dir != NULL; dir++) {
		spec = xasprintf(":(top,exclude,literal)%s", *dir);
		add = argv_add(add, spec);
		free(spec);
	}
	if (tree_git(w, GIT_FRESH, WORDS("add", "-A")) == 0 &&
	    tree_git(w, GIT_FRESH, (const char *const *)add) == 0)
		saved = tree_object(w, GIT_FRESH, WORDS("write-tree"));
	argv_free(add);
	return saved;
}

/* Commits a tree object; takes the list of parents ("-p", ID, ...) over. */
static char *
commit_tree(struct tree *w, const char *tree, char **parents,
    const char *message)
{
	char **words = argv_add(argv_add(NULL, "commit-tree"), tree);
	char *commit;
	size_t i;

	for (i = 0; parents != NULL && parents[i] != NULL; i++)
		words = argv_add(words, parents[i]);
	words = argv_add(argv_add(words, "-m"), message);
	setenv("GIT_AUTHOR_NAME", "paneward", 1);
	setenv("GIT_AUTHOR_EMAIL", "paneward@localhost", 1);
	setenv("GIT_COMMITTER_NAME", "paneward", 1);
	setenv("GIT_COMMITTER_EMAIL", "paneward@localhost", 1);
	commit = tree_object(w, GIT_MAIN, (const char *const *)words);
	argv_free(words);
	argv_free(parents);
	if (commit == NULL)
		not_saved(w);
	return commit;
}

static char **
parent_add(char **parents, const char *commit)
{
	return argv_add(argv_add(parents, "-p"), commit);
}

/* What was staged, as a commit, if it is not what the files are. */
static char **
add_staged(struct tree *w, char **parents)
{
	char *tree = save_index(w), *message, *commit;

	if (tree == NULL)
		not_saved(w);
	if (strcmp(tree, w->files) != 0) {
		message = xasprintf("Issue %s: what was staged", w->issue);
		commit = commit_tree(w, tree, w->head ? parent_add(NULL,
		    w->head) : NULL, message);
		parents = parent_add(parents, commit);
		free(commit);
		free(message);
	}
	free(tree);
	return parents;
}

/* Gives the commit a name that no other one has. */
static void
name_rescue(struct tree *w, const char *commit)
{
	char when[32], more[16] = "", *ref;
	time_t now = time(NULL);
	unsigned number = 1;

	strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", gmtime(&now));
	for (;;) {
		ref = xasprintf("refs/paneward/rescue/%s/%s-%.8s%s", w->issue,
		    when, w->run, more);
		if (tree_git(w, GIT_MAIN, WORDS("show-ref", "-q", "--verify",
		    ref)) != 0)
			break;
		free(ref);
		snprintf(more, sizeof(more), "-%u", ++number);
	}
	if (tree_git(w, GIT_MAIN, WORDS("update-ref", ref, commit, "")) != 0)
		not_saved(w);
	tree_say("saved everything as %s: see 'git show --stat %s', have "
	    "it back with 'git worktree add --detach FOLDER %s'", ref, ref,
	    ref);
	free(ref);
}

void
tree_rescue(struct tree *w)
{
	char **parents = NULL, *const *lone, *message, *commit;

	w->files = save_files(w);
	if (w->files == NULL)
		not_saved(w);
	if (w->head != NULL)
		parents = parent_add(parents, w->head);
	if (w->staged)
		parents = add_staged(w, parents);
	for (lone = w->lone; lone != NULL && *lone != NULL; lone++)
		if (w->head == NULL || strcmp(*lone, w->head) != 0)
			parents = parent_add(parents, *lone);
	message = xasprintf("Issue %s: rescued\n\nEverything that was in its "
	    "work tree, ignored files included, before that was\nremoved on "
	    "request.  The first parent is what was checked out there.  "
	    "Others\nare what was staged, and commits that were on no branch.",
	    w->issue);
	commit = commit_tree(w, w->files, parents, message);
	name_rescue(w, commit);
	free(commit);
	free(message);
}

/* ---- removing ------------------------------------------------------------ */

int
tree_remove(struct tree *w)
{
	char *files;
	bool same;

	if (!w->must_save)
		return tree_git(w, GIT_MAIN, WORDS("worktree", "remove", "--",
		    w->real));
	files = save_files(w);
	same = files != NULL && strcmp(files, w->files) == 0;
	free(files);
	if (!same)
		tree_fail(w, "cannot remove work tree '%s' yet: it changed "
		    "while it was saved", w->tree);
	return tree_git(w, GIT_MAIN, WORDS("worktree", "remove", "--force",
	    "--", w->real));
}
