/*
 * backends.c - puts backends from a file, a single one or a bundle, into the
 * user's own folder, which comes before ours.
 *
 * Every one is read first, as any command reads it.  All are written beside
 * their places, and then renamed.
 */
#include "setup/setup.h"

#include <strings.h>

#include "agent/backend.h"
#include "os/userfolder.h"

enum { SUM_DIGITS = 64, SUM_TIME = 10000 };     /* ms */

static void
sum_check(const char *file, const struct buf *text, const char *sum)
{
	const char *const *argv = WORDS("sha256sum"),
	    *const *other = WORDS("shasum", "-a", "256");
	struct spawn s = SPAWN_INIT;

	if (spawn_find(argv[0]) == NULL)
		argv = other;
	if (spawn_run(&s, &(struct spawn_how){ .argv = argv, .limit = SUM_TIME,
	    .in = userfile_unnamed(text) }) != 0 || s.output.len < SUM_DIGITS)
		fatalx("cannot check the sum of '%s': '%s' failed: %s", file,
		    argv[0], buf_str(&s.errors));
	if (strlen(sum) != SUM_DIGITS ||
	    strncasecmp(buf_str(&s.output), sum, SUM_DIGITS) != 0)
		fatal_usage("init: nothing is installed: the SHA-256 sum of "
		    "'%s' is %.64s, not '%s'", file, buf_str(&s.output), sum);
}

/* What the backend is to be, beside what counts now. */
static void
decide_backend(struct userfile *f, const char *name)
{
	char *file = xasprintf("%s.json", name), *folder, *root, *given;
	char *over = datafile_find(BACKEND_FOLDER, file);
	struct buf text = BUF_INIT, now = BUF_INIT, why = BUF_INIT;
	size_t begin;

	root = userfile_root(xasprintf("%s/" BACKEND_FOLDER,
	    userfolder_config()), &folder);
	userfile_init(f, root, folder, file);
	if (userfile_read(f, &why) == -1)
		fatal_usage("init: nothing is installed: %s", buf_str(&why));
	if (over != NULL && file_read(AT_FDCWD, over, 0, &now, BACKEND_MAX) ==
	    -1)
		fatal("cannot read '%s'", over);
	f->over = over;
	backend_text(name, BACKEND_MAX, &given, &text, &why);
	begin = strspn(buf_str(&text), "\n");
	buf_add(&f->after, text.data + begin, text.len - begin);
	if (text.data[text.len - 1] != '\n')
		buf_addc(&f->after, '\n');
	/* A copy of ours would hide a later one. */
	f->stays = f->there || !buf_same(&f->after, &now);
}

static char *
new_name(const struct userfile *f)
{
	return xasprintf(".%s.new", f->name);
}

/* All, or none if one cannot be written. */
static void
write_backends(struct userfile *files, size_t n)
{
	struct userfile *f, *end = files + n;
	struct stat st;
	int error = 0;

	for (f = files; f < end; f++) {
		if (f > files) {
			file_close(f->fd);
			f->fd = files->fd;      /* which is locked */
		}
		userfile_begin(f);
	}
	for (f = files; f < end && error == 0; f++)
		if (file_replace(f->fd, new_name(f), f->after.data,
		    f->after.len, f->there && fstatat(f->fd, f->name, &st,
		    AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode & 0777 : 0666) == -1)
			error = errno;
	for (f = files; f < end && error == 0; f++)
		if (renameat(f->fd, new_name(f), f->fd, f->name) == -1)
			error = errno;
	for (f = files; f < end && error != 0; f++)
		unlinkat(f->fd, new_name(f), 0);
	errno = error;
	if (error != 0)
		fatal("cannot install the backends in '%s/%s'", files->root,
		    files->folder);
	if (fsync(files->fd) == -1)
		warn("cannot sync '%s/%s'", files->root, files->folder);
	userfile_end(files);
}

enum exit_status
backends_install(const char *file, const char *sum, bool print, bool yes)
{
	struct backends all = { .first = NULL };
	struct userdiff diff = { .files = BUF_INIT };
	struct userfile *files = NULL, f;
	struct buf text = BUF_INIT, why = BUF_INIT;
	char **names = backends_give(&all, file, &text, &why), **p;
	int error = errno;
	size_t n = 0;

	if (sum != NULL && (names != NULL || error == 0))
		sum_check(file, &text, sum);
	errno = error;
	if (names == NULL)
		fatal_wrong("init: nothing is installed: %s", buf_str(&why));
	if (userfolder_config() == NULL)
		fatal_usage("init: --backends needs HOME to be an absolute "
		    "path");
	for (p = names; *p != NULL; p++) {
		decide_backend(&f, *p);
		userdiff_add(&diff, &f);
		if (userfile_changes(&f))
			*ARRAY_ADD(files, n) = f;
	}
	userdiff_print(&diff);
	if (print || n == 0)
		return EXIT_DONE;
	if (!yes && !msg_confirm("Install?"))
		return EXIT_NO;
	write_backends(files, n);
	return EXIT_DONE;
}
