#include "setup/setup.h"

enum {
	PATIENCE = 5000,                /* ms for the lock; a person waits */
	DIFF_TIME = 10000               /* ms that diff may take */
};

static const char beside[] = ".paneward-init.tmp";

void
userfile_init(struct userfile *f, char *root, char *folder, const char *name)
{
	*f = (struct userfile){ .root = root, .folder = folder, .fd = -1 };
	f->name = xstrdup(name);
	f->path = xasprintf("%s/%s%s%s", strcmp(root, "/") == 0 ? "" : root,
	    folder, folder[0] ? "/" : "", name);
}

/* A folder that is a link, or lies in one that we cannot open, is the root
 * itself. */
char *
userfile_root(const char *path, char **folder)
{
	size_t len = strlen(path), rest;
	struct stat st;
	char *root;

	while (len > 1 && path[len - 1] == '/')
		len--;
	root = xstrndup(path, len);
	for (rest = len; rest > 0; root[rest] = '\0') {
		if (stat(root, &st) == 0 && S_ISDIR(st.st_mode) &&
		    (rest < len || len == 1 ||
		    access(xasprintf("%s/..", root), R_OK) == -1 ||
		    (lstat(root, &st) == 0 && S_ISLNK(st.st_mode))))
			break;
		rest = (size_t)(strrchr(root, '/') - root);
	}
	*folder = rest == len ? xstrdup("") :
	    xstrndup(path + rest + 1, len - rest - 1);
	return rest == 0 ? xstrdup("/") : root;
}

/* ---- reading ------------------------------------------------------------- */

/* Opens the folder, or with make set makes it; fd stays -1 if it is missing.
 * -1: refused. */
static int
userfile_folder(struct userfile *f, bool make, struct buf *why)
{
	char *part, *name;
	size_t len = 0;

	for (;;) {
		part = xstrndup(f->folder, len);
		name = strrchr(part, '/');
		name = name != NULL ? name + 1 : part;
		file_close(f->fd);
		f->fd = file_folder(f->root, part, make);
		if (f->fd == -1 && len == 0)
			fatal("cannot open '%s'", f->root);
		if (f->fd == -1 && errno == ENOTDIR)
			buf_printf(why, "'%s' on the way to it is a link, or "
			    "no folder", name);
		else if (f->fd == -1 && errno != ENOENT)
			fatal("cannot %s the folder '%s' on the way to '%s'",
			    make ? "make" : "open", name, f->path);
		if (f->fd != -1 && !make)
			f->had = len;
		free(part);
		if (f->fd == -1 || f->folder[len] == '\0')
			return why->len > 0 ? -1 : 0;
		len += f->folder[len] == '/';
		len += strcspn(f->folder + len, "/");
	}
}

int
userfile_text(const struct userfile *f, const char *name, struct buf *text,
    struct buf *why)
{
	const char *wrong;
	struct stat st;
	int there = f->fd == -1 ? 0 : file_look(f->fd, name,
	    AT_SYMLINK_NOFOLLOW, &st);

	if (there == -1)
		fatal("cannot look at '%s'", f->path);
	if (there == 0)
		return 0;
	wrong = S_ISLNK(st.st_mode) ? "is a link, and none is followed" :
	    !S_ISREG(st.st_mode) ? "is no regular file" :
	    st.st_uid != geteuid() ? "belongs to another user" :
	    st.st_nlink > 1 ? "has several names (hard links)" : NULL;
	if (wrong == NULL && file_read(f->fd, name, FILE_NOFOLLOW, text,
	    OURHOOKS_MAX + 1) == -1)
		fatal("cannot read '%s'", f->path);
	if (wrong != NULL)
		buf_printf(why, "'%s' %s", name, wrong);
	else if (text->len > OURHOOKS_MAX)
		buf_printf(why, "'%s' has more than %d bytes", name,
		    OURHOOKS_MAX);
	return why->len > 0 ? -1 : 1;
}

int
userfile_read(struct userfile *f, struct buf *why)
{
	int found = userfile_folder(f, false, why) == -1 ? -1 :
	    userfile_text(f, f->name, &f->before, why);

	f->there = f->stays = found == 1;
	return found;
}

/* ---- changing ------------------------------------------------------------ */

bool
userfile_changes(const struct userfile *f)
{
	return f->there != f->stays ||
	    (f->stays && !buf_same(&f->before, &f->after));
}

void
userfile_begin(struct userfile *f)
{
	struct buf now = BUF_INIT, why = BUF_INIT;

	if (f->fd == -1 && f->stays && userfile_folder(f, true, &why) == -1)
		fatalx("'%s' is left as it is: %s", f->path, buf_str(&why));
	if (f->fd == -1)
		return;
	/* Without locks the hidden file may be another process's. */
	if (file_lock(f->fd, PATIENCE) == 0)
		f->cleared = unlinkat(f->fd, beside, 0) == 0;
	else if (errno == EWOULDBLOCK)
		fatalx("'%s' is being changed by another process; try again",
		    f->path);
	if (userfile_text(f, f->name, &now, &why) != f->there ||
	    !buf_same(&now, &f->before))
		fatalx("'%s' was changed by another process just now; "
		    "try again", f->path);
	buf_release(&now);
}

/* Removes empty folders, the innermost first, down to the length keep. */
static void
remove_folders(const struct userfile *f, size_t keep)
{
	size_t len = strlen(f->folder);

	while (len > keep && rmdir(xasprintf("%s/%.*s", f->root, (int)len,
	    f->folder)) == 0)
		while (len > 0 && f->folder[--len] != '/')
			continue;
}

void
userfile_put(const struct userfile *f, const char *name, const struct buf *text)
{
	/* A file that has vanished may have been private. */
	struct stat st = { .st_mode = f->there ? 0600 : 0666 };
	const char *why;
	int fd;

	if (f->there)
		fstatat(f->fd, f->name, &st, AT_SYMLINK_NOFOLLOW);
	fd = openat(f->fd, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, st.st_mode & 0777);
	if (fd == -1 && errno == EEXIST)
		fatalx("'%s' beside '%s' is in the way; if no other init runs, "
		    "remove it", beside, f->path);
	if (fd == -1 || (f->there && fchmod(fd, st.st_mode & 07777) == -1) ||
	    file_write(fd, text->data, text->len) == -1 || fsync(fd) == -1 ||
	    renameat(f->fd, beside, f->fd, name) == -1) {
		why = strerror(errno);
		if (fd != -1)
			unlinkat(f->fd, beside, 0);
		remove_folders(f, f->had);
		fatalx("cannot write '%s'; '%s' is left as it was: %s", name,
		    f->path, why);
	}
	close(fd);
	if (fsync(f->fd) == -1)
		warn("cannot sync the folder of '%s'", f->path);
}

void
userfile_end(struct userfile *f)
{
	file_close(f->fd);
	f->fd = -1;
	if (!f->stays && (f->there || f->cleared))
		remove_folders(f, 0);
}

static void
userfile_print(struct buf *text)
{
	fputs(buf_str(text), stdout);
	if (fflush(stdout) == EOF)
		fatal("cannot write to standard output");
}

void
userfile_refuse(const struct userfile *f, const char *why, struct buf *text,
    const char *todo)
{
	if (text != NULL)
		userfile_print(text);
	fatal_usage("'%s' is left as it is: %s; %s", f->path, why,
	    text == NULL ? todo : "add by hand what is printed above");
}

int
userfile_unnamed(const struct buf *text)
{
	FILE *file = tmpfile();

	if (file == NULL ||
	    file_write(fileno(file), text->data, text->len) == -1 ||
	    lseek(fileno(file), 0, SEEK_SET) == -1)
		fatal("cannot write a temporary file");
	return fileno(file);
}

/* Adds a line and the difference, escaped for a terminal.  diff reads
 * /dev/fd/N, which shares our offset on some systems. */
static void
userfile_compare(const struct userfile *f, struct buf *heads, struct buf *texts)
{
	const char *before = f->there ? f->path : f->over != NULL ? f->over :
	    "/dev/null";
	bool changes = userfile_changes(f);
	unsigned added = 0, removed = 0;
	struct spawn s = SPAWN_INIT;
	char *after;
	size_t i;

	buf_adds(heads, !changes ? "nothing to change in '" : !f->there ?
	    "new file '" : !f->stays ? "file to be removed: '" :
	    "changes in '");
	msg_escape(heads, f->path, strlen(f->path));
	buf_adds(heads, changes ? "': " : "'\n");
	if (!changes)
		return;
	after = f->stays ? xasprintf("/dev/fd/%d",
	    userfile_unnamed(&f->after)) : xstrdup("/dev/null");
	if (spawn_run(&s, &(struct spawn_how){ .argv = WORDS("diff", "-a",
	    "-u", "-L", before, "-L", f->stays ? f->path : after, before,
	    after), .limit = DIFF_TIME }) == SPAWN_FAILED)
		fatal("cannot run diff");
	if (s.status != 1)
		fatalx("diff cannot compare '%s' with what it is to be: %s",
		    f->path, buf_str(&s.errors));
	for (i = 0; i < s.output.len; i++)
		if (i == 0 || s.output.data[i - 1] == '\n') {
			added += s.output.data[i] == '+';
			removed += s.output.data[i] == '-';
		}
	msg_escape_but(texts, s.output.data, s.output.len, "\t\n");
	/* The head of the difference has a line of each. */
	buf_printf(heads, "%u lines added, %u removed\n", added - 1,
	    removed - 1);
}

static void
userfile_write(struct userfile *f)
{
	bool changes = userfile_changes(f);

	userfile_begin(f);
	if (f->backing == BACKUP_STALE && unlinkat(f->fd, f->backup, 0) == -1)
		fatal("cannot remove '%s' beside '%s'", f->backup, f->path);
	if (f->backing == BACKUP_MADE && changes)
		userfile_put(f, f->backup, &f->before);
	if (f->stays && changes)
		userfile_put(f, f->name, &f->after);
	else if (changes && unlinkat(f->fd, f->name, 0) == -1)
		fatal("cannot remove '%s'", f->path);
	if (f->backing == BACKUP_OVER && unlinkat(f->fd, f->backup, 0) == -1)
		warn("cannot remove '%s' beside '%s'", f->backup, f->path);
	userfile_end(f);
}

enum exit_status
userfile_change(struct userfile *f, size_t n, const char *note,
    const char *question, bool print)
{
	struct buf out = BUF_INIT, texts = BUF_INIT;
	bool changes = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (userfile_changes(&f[i]) || !f[i].quiet)
			userfile_compare(&f[i], &out, &texts);
		changes |= userfile_changes(&f[i]);
	}
	buf_add(&out, texts.data, texts.len);
	if (changes)
		buf_adds(&out, note);
	userfile_print(&out);
	if (print || (changes && question != NULL && !msg_confirm(question)))
		return print ? EXIT_DONE : EXIT_NO;
	while (n > 0)
		userfile_write(&f[--n]);
	return EXIT_DONE;
}
