#include "run/keptlog.h"

#include "os/compat.h"
#include "os/spawn.h"

enum {
	KEPT_NAME = ISSUE_MAX + RUN_ID_LEN + 32,
	KEPT_PIECE = 64 << 10,
	KEPT_LIMIT = 24 * 3600 * 1000,  /* ms of gzip */
	KEPT_DAY = 24 * 3600 * 1000
};

/* The older file first. */
static const struct kept_kind {
	const char *ending;
	bool        inner;              /* in .paneward */
	const char *before, *behind[2]; /* the issue, in their names */
} kept_kinds[] = {
	{ ".log",       false, "output-", { ".log.1",     ".log" } },
	{ ".old.log",   false, "output-", { ".log.1.old", ".log.old" } },
	{ ".watch.log", true,  "",        { NULL,         ".watch.log" } },
};

enum { KEPT_KINDS = sizeof(kept_kinds) / sizeof(kept_kinds[0]) };

/* A whole log; another's parts, the last two the files of its kind; a new
 * whole. */
enum { PART_WHOLE, PART_GZ, PART_OLD, PART_LOG, PARTS, PART_NEW = PARTS };

static const char *const part_endings[PARTS + 1] = { ".gz", ".0.gz", ".1", "",
	".gz.new" };

struct kept {
	int         logs;               /* the folder, at path */
	char       *path, base[KEPT_NAME];      /* base: without gzip */
};

static int
kept_folder(int state_fd)
{
	return openat(state_fd, KEPTLOG_FOLDER, O_RDONLY | O_DIRECTORY |
	    O_NOFOLLOW | O_CLOEXEC);
}

#define KEPT_OF(k, part) kept_name((k), (part), (char[KEPT_NAME]){ "" })

static const char *
kept_name(const struct kept *k, int part, char name[KEPT_NAME])
{
	snprintf(name, KEPT_NAME, "%.*s%s", KEPT_NAME - 16, k->base,
	    part_endings[part]);
	return name;
}

static bool
kept_there(const struct kept *k, int part)
{
	struct stat st;

	return fstatat(k->logs, KEPT_OF(k, part), &st,
	    AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* Returns the ending, or NULL. */
static const char *
kept_parse(const char *name, char issue[ISSUE_MAX + 1],
    char run[RUN_ID_LEN + 1])
{
	const char *ending = strchr(name, '.');
	size_t len = ending != NULL ? (size_t)(ending - name) : 0, i;

	if (len < RUN_ID_LEN + 2 || name[len - RUN_ID_LEN - 1] != '-' ||
	    !issue_valid_n(name, len - RUN_ID_LEN - 1))
		return NULL;
	snprintf(issue, ISSUE_MAX + 1, "%.*s", (int)(len - RUN_ID_LEN - 1),
	    name);
	snprintf(run, RUN_ID_LEN + 1, "%s", ending - RUN_ID_LEN);
	for (i = 0; i < KEPT_KINDS; i++)
		if (strncmp(ending, kept_kinds[i].ending,
		    strlen(kept_kinds[i].ending)) == 0)
			return run_id_valid(run) ? ending : NULL;
	return NULL;
}

/* gzip writes to a descriptor, or through a pipe to take.  -1 with the
 * reason. */
static int
kept_gzip(const struct kept *k, const char *const *argv, int to,
    void (*take)(void *, int), void *context, struct buf *why)
{
	struct spawn s = SPAWN_INIT;
	int ends[2] = { -1, to }, ret;

	if (take != NULL && pipe2(ends, O_CLOEXEC) == -1)
		return -1;
	spawn_begin(&s, &(struct spawn_how){ .argv = argv, .cwd = k->path,
	    .without = WORDS("GZIP"), .limit = KEPT_LIMIT, .stays = true,
	    .to = ends[1] });
	if (take != NULL) {
		close(ends[1]);
		take(context, ends[0]);
		close(ends[0]);
	}
	if (s.pid != 0)
		spawn_finish(&s);
	ret = s.status == 0 ? 0 : -1;
	if (ret == -1 && why->len == 0)
		buf_adds(why, s.errors.len > 0 ? buf_str(&s.errors) :
		    "gzip failed");
	spawn_release(&s);
	return ret;
}

static void
drop_parts(const struct kept *k)
{
	int i;

	for (i = PART_GZ; i < PARTS; i++)
		unlinkat(k->logs, KEPT_OF(k, i), 0);
}

/* 1 with the reason: the parts stay. */
static int
kept_settle(const struct kept *k, struct buf *why)
{
	const char *beside = KEPT_OF(k, PART_NEW);
	char **argv, *piece;
	int before, fd, i, ret;
	size_t options;
	ssize_t n = 1;

	for (i = PART_WHOLE; i < PARTS && !kept_there(k, i); i++)
		continue;
	if (i == PART_WHOLE)
		drop_parts(k);
	if (i == PART_WHOLE || i == PARTS)
		return 0;
	argv = argv_add_all(NULL, WORDS("gzip", "-c", "--"));
	options = argv_count(argv);
	for (i = PART_OLD; i < PARTS; i++)
		if (kept_there(k, i))
			argv = argv_add(argv, KEPT_OF(k, i));
	piece = xmalloc(KEPT_PIECE);
	fd = openat(k->logs, beside,
	    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* The compressed part comes first, as it is. */
	before = fd == -1 ? -1 : openat(k->logs, KEPT_OF(k, PART_GZ),
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ret = before != -1 || (fd != -1 && errno == ENOENT) ? 0 : -1;
	while (before != -1 && ret == 0 && n > 0) {
		n = read(before, piece, KEPT_PIECE);
		ret = n == -1 ? -1 : file_write(fd, piece, (size_t)n);
	}
	if (ret == 0 && argv_count(argv) > options)
		ret = kept_gzip(k, (const char *const *)argv, fd, NULL, NULL,
		    why);
	if (ret == 0)
		ret = fsync(fd) == -1 ? -1 : renameat(k->logs, beside, k->logs,
		    KEPT_OF(k, PART_WHOLE));
	if (ret == -1 && why->len == 0)
		buf_adds(why, strerror(errno));
	free(piece);
	argv_free(argv);
	file_close(before);
	file_close(fd);
	if (ret == -1)
		unlinkat(k->logs, beside, 0);
	else if (fsync(k->logs) == 0)
		drop_parts(k);
	return ret == -1;
}

/* Moves a file of the kind, whose name becomes source.  A log does not move
 * behind a later part: the order would be lost. */
static int
kept_move(const struct kept *k, const struct statusdir *dir,
    const struct kept_kind *kind, const char *issue, int which,
    char source[KEPT_NAME])
{
	int from = kind->inner ? dir->state_fd : dir->fd;
	int part = PART_OLD + which, i;
	struct stat st;

	if (kind->behind[which] == NULL)
		return 0;
	snprintf(source, KEPT_NAME, "%s%s%s", kind->before, issue,
	    kind->behind[which]);
	if (fstatat(from, source, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    !S_ISREG(st.st_mode) || st.st_size == 0)
		return 0;
	for (i = part; i < PARTS; i++)
		if (kept_there(k, i)) {
			errno = EEXIST;
			return -1;
		}
	if (kept_there(k, PART_WHOLE) && renameat(k->logs, KEPT_OF(k,
	    PART_WHOLE), k->logs, KEPT_OF(k, PART_GZ)) == -1)
		return -1;
	return renameat(from, source, k->logs, KEPT_OF(k, part));
}

int
keptlog_put(const struct statusdir *dir, const char *issue, const char *run,
    struct buf *why)
{
	struct kept k = { .logs = -1, .path = xasprintf(
	    "%s/.paneward/" KEPTLOG_FOLDER, dir->path) };
	const struct kept_kind *kind;
	char source[KEPT_NAME];
	struct buf earlier = BUF_INIT;
	int ret = 0, i;

	if (mkdirat(dir->state_fd, KEPTLOG_FOLDER, 0700) == 0 ||
	    errno == EEXIST)
		k.logs = kept_folder(dir->state_fd);
	if (k.logs == -1) {
		buf_printf(why, "'%s': %s", k.path, errno == ELOOP ||
		    errno == ENOTDIR ? "it is no folder" : strerror(errno));
		ret = -1;
	}
	for (kind = kept_kinds; ret != -1 && kind < kept_kinds + KEPT_KINDS;
	    kind++) {
		snprintf(k.base, sizeof(k.base), "%s-%s%s", issue, run,
		    kind->ending);
		buf_reset(&earlier);
		kept_settle(&k, &earlier);
		for (i = 0; i < 2; i++)
			if (kept_move(&k, dir, kind, issue, i, source) == -1)
				break;
		if (i < 2) {
			buf_reset(why);
			buf_printf(why, "'%s': %s", source, errno != EEXIST ?
			    strerror(errno) : earlier.len > 0 ?
			    buf_str(&earlier) : "the log kept before is not "
			    "compressed");
			ret = -1;
		} else if (kept_settle(&k, why) == 1) {
			ret = 1;
		}
	}
	buf_release(&earlier);
	file_close(k.logs);
	free(k.path);
	return ret;
}

struct kept_file {
	char    name[KEPT_NAME];
	int64_t size;
	msec    time;
};

struct kept_files {
	int               logs;
	struct kept_file *files;
	size_t            n;
	int               error;
};

static int
kept_order(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;

	return x->time != y->time ? (x->time < y->time ? -1 : 1) :
	    strcmp(x->name, y->name);
}

static struct kept_files
kept_read_all(int state_fd)
{
	struct kept_files all = { .logs = kept_folder(state_fd) };
	char **names = all.logs != -1 ? statusdir_names(all.logs) : NULL, **p;
	char issue[ISSUE_MAX + 1], run[RUN_ID_LEN + 1];
	struct kept_file *f;
	struct stat st;

	all.error = names == NULL && !file_missing(errno) ? errno : 0;
	for (p = names; p != NULL && *p != NULL; p++) {
		if (strlen(*p) >= KEPT_NAME ||
		    kept_parse(*p, issue, run) == NULL || fstatat(all.logs, *p,
		    &st, AT_SYMLINK_NOFOLLOW) == -1 || !S_ISREG(st.st_mode))
			continue;
		f = ARRAY_ADD(all.files, all.n);
		snprintf(f->name, sizeof(f->name), "%s", *p);
		f->size = st.st_size;
		f->time = file_mtime(&st);
	}
	argv_free(names);
	if (all.n > 1)
		qsort(all.files, all.n, sizeof(*all.files), kept_order);
	return all;
}

void
keptlog_prune(int state_fd, int64_t most, msec wall)
{
	struct kept_files all = kept_read_all(state_fd);
	int64_t size = 0;
	size_t i;

	for (i = 0; i < all.n; i++)
		size += all.files[i].size;
	for (i = 0; i < all.n && (size > most || wall - all.files[i].time >
	    (msec)KEPTLOG_DAYS * KEPT_DAY); i++) {
		unlinkat(all.logs, all.files[i].name, 0);
		size -= all.files[i].size;
	}
	file_close(all.logs);
	free(all.files);
}

int
keptlog_find(int state_fd, const char *issue, const char *id,
    char run[RUN_ID_LEN + 1])
{
	char of[ISSUE_MAX + 1], found[RUN_ID_LEN + 1];
	const char *ending = kept_kinds[0].ending;
	struct kept_files all = kept_read_all(state_fd);
	bool any = false;
	size_t i;

	for (i = 0; i < all.n; i++)
		if (strncmp(kept_parse(all.files[i].name, of, found), ending,
		    strlen(ending)) == 0 && strcmp(of, issue) == 0 &&
		    strncmp(found, id, strlen(id)) == 0) {
			memcpy(run, found, sizeof(found));
			any = true;
		}
	file_close(all.logs);
	free(all.files);
	errno = all.error;
	return any ? 1 : all.error != 0 ? -1 : 0;
}

int
keptlog_read(const struct statusdir *dir, const char *issue, const char *run,
    void (*take)(void *, int fd), void *context, struct buf *why)
{
	struct kept k = { .logs = kept_folder(dir->state_fd), .path =
	    xasprintf("%s/.paneward/" KEPTLOG_FOLDER, dir->path) };
	const char *name;
	int i, n = 0, ret = 0, fd;

	snprintf(k.base, sizeof(k.base), "%s-%s%s", issue, run,
	    kept_kinds[0].ending);
	for (i = 0; k.logs != -1 && ret == 0 && i < PARTS; i++) {
		if (!kept_there(&k, i))
			continue;
		n++;
		name = KEPT_OF(&k, i);
		if (i == PART_WHOLE || i == PART_GZ) {
			ret = kept_gzip(&k, WORDS("gzip", "-dc", "--", name),
			    -1, take, context, why);
		} else if ((fd = openat(k.logs, name, O_RDONLY | O_NOFOLLOW |
		    O_NONBLOCK | O_CLOEXEC)) == -1) {
			ret = -1;
		} else {
			take(context, fd);
			close(fd);
		}
		if (ret == -1 && why->len == 0)
			buf_adds(why, strerror(errno));
		if (i == PART_WHOLE)
			break;          /* the others are leftovers */
	}
	file_close(k.logs);
	free(k.path);
	return ret == -1 ? -1 : n;
}
