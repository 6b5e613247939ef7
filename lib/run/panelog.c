#include "run/panelog.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "marker/marker.h"
#include "os/file.h"
#include "os/proc.h"
#include "run/statusdir.h"
#include "tmux/tmux.h"

/* ---- a marker scan of a file --------------------------------------------- */


enum {
	PAGE = 4096,            /* the copy is quicker from page to page */
	BLOCK = 256 * 1024
};

/* A piece of the file, in memory. */
struct piece {
	char    *memory;
	char    *bytes;         /* in it, as far from a page as in the file */
	size_t   len;
	uint64_t hole;          /* not 0: it is so many NULs, none in memory */
	bool     last;          /* the file ended, for now */
};

static void
piece_init(struct piece *p)
{
	p->memory = xmalloc(BLOCK + PAGE);
	p->bytes = p->memory;
	p->len = 0;
	p->hole = 0;
	p->last = false;
}

static void
piece_release(struct piece *p)
{
	int saved = errno;

	free(p->memory);
	errno = saved;
}

static ssize_t
read_at(int fd, char *bytes, size_t len, uint64_t at)
{
	ssize_t n;

	do
		n = pread(fd, bytes, len, (off_t)at);
	while (n == -1 && errno == EINTR);
	return n;
}

/* How long a hole at a place of the file is; 0: there is none. */
static uint64_t
hole_at(int fd, uint64_t at)
{
	struct stat st;
	off_t data;

	/* What is added from now on is behind this size. */
	if (fstat(fd, &st) == -1 || (uint64_t)st.st_size <= at)
		return 0;
	data = file_data(fd, (off_t)at);
	if (data == -1)
		return errno == ENXIO ? (uint64_t)st.st_size - at : 0;
	return (uint64_t)data - at;
}

/*
 * Reads what begins at a place of the stream, limit bytes at most, and takes
 * the cost off the budget.
 */
static int
piece_read(struct piece *p, const struct scanfile *f, uint64_t from,
    uint64_t limit, uint64_t *budget)
{
	uint64_t at = from - f->base;
	size_t to_page = PAGE - (size_t)((uintptr_t)p->memory % PAGE);
	size_t most = BLOCK - (size_t)(at % PAGE);
	ssize_t n = 1;

	if (most > limit)
		most = (size_t)limit;
	p->bytes = p->memory + to_page % PAGE + at % PAGE;
	for (p->len = 0; p->len < most && n > 0; p->len += (size_t)n) {
		n = read_at(f->fd, p->bytes + p->len, most - p->len,
		    at + p->len);
		if (n == -1)
			return -1;
	}
	p->last = p->len < most;
	p->hole = p->len > 0 && *p->bytes == '\0' ? hole_at(f->fd, at) : 0;
	if (p->hole > limit)
		p->hole = limit;
	p->last = p->last && p->hole == 0;
	*budget -= p->len < *budget ? p->len : *budget;
	return 0;
}

/* Feeds what is due; 1 if the budget was used up before. */
static int
feed_due(struct scanfile *f, struct piece *p, uint64_t *budget)
{
	uint64_t fed;

	while ((fed = marker_scan_offset(f->scan)) < f->due) {
		if (*budget == 0)
			return 1;
		if (piece_read(p, f, fed, f->due - fed, budget) == -1)
			return -1;
		if (p->hole > 0)
			marker_scan_skip(f->scan, p->hole);
		else
			marker_scan_feed(f->scan, p->bytes, p->len);
		if (p->last)
			f->due = 0;
	}
	return 0;
}

/*
 * Feeds line by line until nothing that follows is needed any more; how much
 * that was.
 */
static size_t
feed_until_idle(struct marker_scan *scan, const char *bytes, size_t len)
{
	const char *end = bytes + len, *p = bytes, *line;

	while (p < end && !marker_scan_idle(scan)) {
		line = memchr(p, '\n', (size_t)(end - p));
		line = line != NULL ? line + 1 : end;
		marker_scan_feed(scan, p, (size_t)(line - p));
		p = line;
	}
	return (size_t)(p - bytes);
}

/*
 * Goes on by a piece that begins where the search stands.  What has nothing
 * before it that was only searched is fed from memory; the last of it without
 * a search, since that is mostly a little that was added.  What is found so
 * near the end of a piece that more of the file may refute it is looked at
 * again as the beginning of the next.
 */
static void
take_piece(struct scanfile *f, struct piece *p)
{
	struct marker_scan *scan = f->scan;
	bool fed = marker_scan_offset(scan) == f->ahead;
	const char *rest = p->bytes;
	size_t len = p->len, found;

	if (p->hole > 0) {
		if (fed)
			marker_scan_skip(scan, p->hole);
		f->ahead += p->hole;
		return;
	}
	f->ahead += len;
	if (fed) {
		rest += feed_until_idle(scan, rest, len);
		len -= (size_t)(rest - p->bytes);
	}
	found = fed && p->last ? 0 :
	    marker_set_search(marker_scan_set(scan), rest, len);
	if (found == len)
		return;
	if (found > 0 && len - found < MARKER_BYTES_MAX && !p->last)
		f->ahead -= len - found;
	else if (fed)
		marker_scan_feed(scan, rest, len);
	else
		f->due = f->ahead;
}

/* Reads on to the end, or until the budget is used up. */
static int
read_on(struct scanfile *f, struct piece *p, uint64_t *budget)
{
	bool last = false;
	int ret = feed_due(f, p, budget);

	while (ret == 0 && !last) {
		if (*budget == 0)
			return 1;
		ret = piece_read(p, f, f->ahead, UINT64_MAX, budget);
		if (ret == -1)
			break;
		take_piece(f, p);
		last = p->last;
		ret = feed_due(f, p, budget);
	}
	return ret;
}

int
scanfile_read(struct scanfile *f, uint64_t *budget)
{
	uint64_t endless = UINT64_MAX;
	struct piece p;
	int ret;

	if (f->ahead < marker_scan_offset(f->scan))
		f->ahead = marker_scan_offset(f->scan);
	piece_init(&p);
	ret = read_on(f, &p, budget != NULL ? budget : &endless);
	piece_release(&p);
	return ret;
}

int
scanfile_settle(struct scanfile *f, uint64_t *budget)
{
	uint64_t endless = UINT64_MAX;
	struct piece p;
	int ret;

	f->due = f->ahead;
	piece_init(&p);
	ret = feed_due(f, &p, budget != NULL ? budget : &endless);
	piece_release(&p);
	return ret;
}

/* ---- the log ------------------------------------------------------------- */

enum {
	HEAD = 256,                     /* bytes that a file is known by */
	KILLING = 1000,                 /* ms; what was killed is gone by then */
	PAUSE = 5                       /* ms between looks */
};

void
panelog_name(char name[PANELOG_NAME], const char *issue)
{
	snprintf(name, PANELOG_NAME, "output-%s.log", issue);
}

void
panelog_init(struct panelog *p, int dir, uid_t owner, const char *issue,
    const struct marker_set *set, const struct log_mark *from)
{
	*p = (struct panelog){ .dir = dir, .owner = owner, .set = *set,
	    .mark = *from };
	snprintf(p->issue, sizeof(p->issue), "%s", issue);
	p->scan = marker_scan_new(&p->set, &from->scan);
	p->file.scan = p->scan;
	p->file.fd = -1;
	p->file.base = from->base;
	/* What was only searched, or belongs to a line that had not ended, is
	 * looked at again. */
	p->file.ahead = from->scan.offset;
}

void
panelog_release(struct panelog *p)
{
	if (p->scan == NULL)
		return;
	if (p->file.fd != -1)
		close(p->file.fd);
	marker_scan_free(p->scan);
	*p = (struct panelog){ .file.fd = -1 };
}

static int
open_log(struct panelog *p, const char *name, struct stat *st)
{
	int fd = openat(p->dir, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd == -1)
		return -1;
	if (fstat(fd, st) == -1 || !S_ISREG(st->st_mode) ||
	    st->st_uid != p->owner) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

static bool
same_file(const struct log_mark *m, const struct stat *st)
{
	return m->ino == st->st_ino && m->dev == st->st_dev;
}

/* What the first len bytes of a file are, in short (FNV-1a); 0 if there are
 * not so many. */
static uint64_t
head_of(int fd, size_t len)
{
	char bytes[HEAD];
	uint64_t hash = 14695981039346656037u;
	size_t i;

	if (len > HEAD || pread(fd, bytes, len, 0) != (ssize_t)len)
		return 0;
	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
	return hash;
}

/* So much of the open file as was read of it is what it is known by. */
static void
mark_head(const struct panelog *p, struct log_mark *m)
{
	uint64_t read = p->file.ahead - p->file.base;

	m->head_len = read < HEAD ? (unsigned)read : HEAD;
	m->head = head_of(p->file.fd, m->head_len);
}

/* Is it the file that the mark is about?  The number of a file that was
 * removed is soon used again. */
static bool
marked_file(const struct log_mark *m, int fd, const struct stat *st)
{
	return same_file(m, st) &&
	    (m->head_len == 0 || head_of(fd, m->head_len) == m->head);
}

/* From here on the stream goes on in this file: where the mark says, or from
 * its beginning. */
static void
panelog_take_file(struct panelog *p, int fd, const struct stat *st)
{
	p->file.fd = fd;
	if (p->mark.ino != 0 && !marked_file(&p->mark, fd, st)) {
		p->before = p->mark;
		p->before.read = p->file.ahead;
		p->file.base = p->file.ahead;
	}
	p->mark.dev = st->st_dev;
	p->mark.ino = st->st_ino;
	p->mark.base = p->file.base;
	p->mark.head_len = 0;
}

/* What a log is called when a new one has begun. */
static void
old_name(char name[PANELOG_NAME + 2], const char *issue)
{
	snprintf(name, PANELOG_NAME + 2, "output-%s.log.1", issue);
}

/* The file that was read before, if it is called the old one meanwhile.  Where
 * nothing was read or there before, the old one is the first one. */
static int
open_before(struct panelog *p, struct stat *st)
{
	char old[PANELOG_NAME + 2];
	int fd;

	old_name(old, p->issue);
	fd = open_log(p, old, st);
	if (fd != -1 && p->mark.ino != 0 && !marked_file(&p->mark, fd, st)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * Opens the log: what is called so, or, unless that is finished, the file in
 * which reading stopped.
 */
static int
begin_file(struct panelog *p, bool finished)
{
	char name[PANELOG_NAME];
	struct stat st, was;
	int fd, before = -1;

	panelog_name(name, p->issue);
	fd = open_log(p, name, &st);
	p->refused = fd == -1 && errno != ENOENT;
	if (!finished && (fd == -1 || !marked_file(&p->mark, fd, &st)))
		before = open_before(p, &was);
	if (before != -1) {
		if (fd != -1)
			close(fd);
		panelog_take_file(p, before, &was);
		return 1;
	}
	if (fd == -1)
		return p->refused ? -1 : 0;
	panelog_take_file(p, fd, &st);
	return 1;
}

/* The file became shorter than what was read of it: it begins anew. */
static void
panelog_restart(struct panelog *p)
{
	struct marker_state at;

	marker_scan_state(p->scan, &at);
	at.hits = marker_scan_hits(p->scan, true);
	at.offset = p->file.ahead;
	at.fence = 0;
	at.want_message = false;
	marker_scan_free(p->scan);
	p->scan = marker_scan_new(&p->set, &at);
	p->file.scan = p->scan;
	p->file.base = p->file.ahead;
	p->mark.base = p->file.base;
}

/* What an answer of scanfile.h leaves to be read, in a file of that size. */
static void
note_left(struct panelog *p, int got, uint64_t size)
{
	const struct scanfile *f = &p->file;
	uint64_t fed = marker_scan_offset(p->scan);

	p->left = 0;
	if (got != 1)
		return;
	p->left = 1;            /* even if that is not known yet */
	if (size > f->ahead - f->base)
		p->left += size - (f->ahead - f->base);
	if (f->due > fed)
		p->left += f->due - fed;
}

/* Reads what the open file has; 1 if that was anything. */
static int
panelog_read_file(struct panelog *p, uint64_t *budget)
{
	struct stat st;
	uint64_t read = p->file.ahead;
	int got;

	if (fstat(p->file.fd, &st) == -1)
		return -1;
	if ((uint64_t)st.st_size < p->file.ahead - p->file.base)
		panelog_restart(p);
	if ((uint64_t)st.st_size == p->file.ahead - p->file.base &&
	    p->left == 0)
		return 0;
	got = scanfile_read(&p->file, budget);
	note_left(p, got, (uint64_t)st.st_size);
	if (got == -1)
		return -1;
	marker_scan_rest(p->scan);
	return p->file.ahead != read;
}

/* The scan is brought to the end of a file that is left. */
static int
settle_file(struct panelog *p, uint64_t *budget)
{
	int got = panelog_read_file(p, budget);

	if (got == -1 || p->left > 0)
		return got;
	got = scanfile_settle(&p->file, budget);
	note_left(p, got, 0);
	return got;
}

/* Is another file called what the open one was called? */
static bool
replaced(const struct panelog *p)
{
	char name[PANELOG_NAME];
	struct stat st;

	panelog_name(name, p->issue);
	return fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !same_file(&p->mark, &st);
}

int
panelog_read(struct panelog *p, uint64_t *budget)
{
	int got, any = 0;

	if (p->file.fd == -1 && (got = begin_file(p, false)) != 1)
		return got;
	for (;;) {
		if ((got = panelog_read_file(p, budget)) == -1)
			return -1;
		any |= got;
		if (p->left > 0 || !replaced(p))
			return any;
		/* What came between the read and the rename is still read. */
		if (settle_file(p, budget) == -1)
			return -1;
		if (p->left > 0)
			return any;
		mark_head(p, &p->mark);
		close(p->file.fd);
		p->file.fd = -1;
		if ((got = begin_file(p, true)) != 1)
			return got == -1 ? -1 : any;
	}
}

bool
panelog_there(const struct panelog *p)
{
	return p->file.fd != -1;
}

void
panelog_mark(const struct panelog *p, struct log_mark *m)
{
	struct marker_state at;

	marker_scan_state(p->scan, &at);
	/* A line that began in the file before is read from there again. */
	*m = p->before.ino != 0 && at.offset < p->file.base ? p->before :
	    p->mark;
	m->begin = p->mark.begin;
	if (m->ino == p->mark.ino)
		m->read = p->file.ahead;
	if (m->ino == p->mark.ino && p->file.fd != -1)
		mark_head(p, m);
	m->scan = at;
}

bool
panelog_unread(int dir, const char *issue, const struct log_mark *m,
    bool *there)
{
	char name[PANELOG_NAME + 2];
	struct stat st;

	panelog_name(name, issue);
	*there = fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (*there && !same_file(m, &st))
		return true;
	if (!*there) {          /* late writers add to the one they have open */
		old_name(name, issue);
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
		    (m->ino != 0 && !same_file(m, &st)))
			return false;
	}
	return (uint64_t)st.st_size != m->read - m->base;
}

void
panelog_end(int dir, const char *issue, struct log_mark *m)
{
	char name[PANELOG_NAME], old[PANELOG_NAME + 2];
	struct stat st;

	panelog_name(name, issue);
	old_name(old, issue);
	*m = (struct log_mark){ 0 };
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ||
	    fstatat(dir, old, &st, AT_SYMLINK_NOFOLLOW) == 0)
		*m = (struct log_mark){ .dev = st.st_dev, .ino = st.st_ino,
		    .read = (uint64_t)st.st_size };
}

static void
pipe_name(char name[ISSUE_MAX + 8], const char *issue)
{
	snprintf(name, ISSUE_MAX + 8, "%s.pipe", issue);
}

char *
panelog_pipe(const char *issue, const char *dir, int64_t cap)
{
	char *self = proc_program(), *command;
	char *most = xasprintf("%lld", (long long)cap);

	command = tmux_pipe_command((const char *[]){ self ? self : "paneward",
	    "log-writer", issue, dir, most, NULL });
	free(most);
	free(self);
	return command;
}

void
panelog_register(int state_fd, const char *issue, const char *pane)
{
	char name[ISSUE_MAX + 8], text[PANE_REF_NAME + 64];
	struct proc self = { .pid = getpid() };
	int n;

	proc_read(&self, getpid());
	pipe_name(name, issue);
	n = snprintf(text, sizeof(text), "%.*s %ld %llu\n", PANE_REF_NAME - 1,
	    pane, (long)self.pid, (unsigned long long)self.start);
	/* On failure the pipe counts as the user's: captures are read. */
	file_replace(state_fd, name, text, (size_t)n, 0600);
}

/* Takes "PANE PID START" apart. */
static bool
read_claim(const char *text, const char *pane, pid_t *pid, uint64_t *start)
{
	size_t len = strlen(pane);
	unsigned long long began;
	long number;

	if (len == 0 || strncmp(text, pane, len) != 0 || text[len] != ' ' ||
	    sscanf(text + len, " %ld %llu", &number, &began) != 2)
		return false;
	*pid = (pid_t)number;
	*start = began;
	return true;
}

enum panelog_writer
panelog_writer(int state_fd, const char *issue, const char *pane, pid_t *pid,
    uint64_t *start)
{
	char name[ISSUE_MAX + 8];
	struct buf text = BUF_INIT;
	bool claimed;

	pipe_name(name, issue);
	claimed = file_read(state_fd, name, FILE_NOFOLLOW, &text, 128) == 0 &&
	    read_claim(buf_str(&text), pane, pid, start);
	buf_release(&text);
	if (!claimed)
		return PANELOG_UNWRITTEN;
	return proc_alive(*pid, *start) ? PANELOG_WRITTEN : PANELOG_BROKEN;
}

void
panelog_unregister(int state_fd, const char *issue, const char *pane)
{
	char name[ISSUE_MAX + 8];
	uint64_t start;
	pid_t pid;

	if (panelog_writer(state_fd, issue, pane, &pid, &start) !=
	    PANELOG_WRITTEN || pid != getpid())
		return;                 /* another writer has come meanwhile */
	pipe_name(name, issue);
	unlinkat(state_fd, name, 0);
}

void
panelog_stop_writer(int state_fd, const char *issue, const char *pane)
{
	uint64_t start;
	msec until;
	pid_t pid;

	if (panelog_writer(state_fd, issue, pane, &pid,
	    &start) != PANELOG_WRITTEN)
		return;
	kill(pid, SIGKILL);
	until = clock_now() + KILLING;
	while (proc_alive(pid, start) && clock_now() < until)
		poll(NULL, 0, PAUSE);
}
