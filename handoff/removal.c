#include "handoff/removal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"

static int
write_note(struct tree *w)
{
	const char *text = tree_text(w, "%s\n", w->note);
	int dir, ret;

	mkdir(w->status_dir, 0700);
	dir = file_folder(w->status_dir, ".paneward", true);
	if (dir == -1)
		return -1;
	ret = file_replace(dir, tree_text(w, "%s.removing", w->issue), text,
	    strlen(text), 0600);
	file_close(dir);
	return ret;
}

/*
 * Puts back what a removal that was cut short took, so that the next one is
 * like any other.  No file that is there is overwritten.
 */
static void
mend(struct tree *w)
{
	const char *text = tree_text(w, "gitdir: %s\n", w->admin);
	int fd = open(tree_text(w, "%s/.git", w->real), O_WRONLY | O_CREAT |
	    O_EXCL | O_CLOEXEC, 0666);

	if (fd != -1) {
		file_write(fd, text, strlen(text));
		close(fd);
	}
	tree_git(w, GIT_TREE, WORDS("checkout-index", "-a", "-q"));
}

/* Those that hold a tracked file are left to git. */
static void
clear_build_dir(struct tree *w, const char *dir)
{
	const char *path = tree_text(w, "%s/%s", w->real, dir);
	const char *const *list = WORDS("ls-files", "--", tree_text(w,
	    ":(top,literal)%s", dir));

	if (tree_kind(path) == S_IFDIR && tree_same(w, path, path) &&
	    tree_git(w, GIT_TREE, list) == 0 && w->out.len == 0 &&
	    tree_git(w, GIT_FRESH, list) == 0 && w->out.len == 0 &&
	    tree_run(w, NULL, WORDS("rm", "-rf", "--", path)) != 0)
		tree_fail(w, "cannot remove build directory '%s' of '%s': "
		    "%s", dir, w->tree, tree_complaint(w));
}

static void
remove_known(struct tree *w)
{
	const char *saved = w->must_save ? tree_rescue(w) : NULL, *files;
	char *const *dir;

	if (write_note(w) == -1)
		tree_fail(w, "cannot write '%s/.paneward/%s.removing': %s; "
		    "work tree '%s' stays", w->status_dir, w->issue,
		    strerror(errno), w->tree);
	if (w->begun && w->present)
		mend(w);
	/* They come first: git would stop half-way where one resists. */
	for (dir = w->build_dirs; w->present && dir != NULL && *dir; dir++)
		clear_build_dir(w, *dir);
	/* git would keep them. */
	for (dir = w->copies; saved == NULL && dir != NULL && *dir; dir++)
		unlink(tree_text(w, "%s/%s", w->real, *dir));
	files = saved != NULL ? tree_save_files(w) : NULL;
	if (saved != NULL && (files == NULL || strcmp(files, saved) != 0))
		tree_fail(w, "cannot remove work tree '%s' yet: it changed "
		    "while it was saved", w->tree);
	/* What was not saved git inspects again. */
	if (tree_git(w, GIT_APART, saved != NULL ? WORDS("worktree", "remove",
	    "--force", "--", w->real) : WORDS("worktree", "remove", "--",
	    w->real)) != 0)
		tree_fail(w, "cannot remove work tree '%s': %s", w->tree,
		    tree_complaint(w));
}

void
removal_run(struct tree *w)
{
	if (w->tree[0] == '\0')
		return;
	if (!w->present && w->admin == NULL) {
		tree_say(w, "work tree '%s' is gone already", w->tree);
		return;
	}
	if (w->admin != NULL)
		remove_known(w);
	else
		tree_run(w, NULL, WORDS("find", w->real, "-depth", "-type",
		    "d", "-exec", "rmdir", "{}", ";"));
	if (tree_kind(w->tree) != 0)
		tree_fail(w, "cannot remove work tree '%s': it is still "
		    "there: %s", w->tree, tree_complaint(w));
	tree_say(w, "removed work tree '%s'", w->tree);
}
