#include "run/panelog.h"

#include "os/compat.h"
#include "tmux/tmux.h"

enum {
	PAGE = 4096,
	BLOCK = 256 * 1024
};

struct piece {
	char    *memory;        /* BLOCK bytes, from a page on */
	char    *bytes;         /* as far from a page as in the file */
	size_t   len;
	uint64_t hole;          /* NULs instead */
	bool     last;
};

static int
piece_read(struct piece *p, const struct scanfile *f, uint64_t from,
    uint64_t limit, uint64_t *budget)
{
	uint64_t at = from - f->base;
	size_t most = BLOCK - (size_t)(at % PAGE);
	struct stat st;
	ssize_t n = 1;
	off_t data;

	if (most > limit)
		most = (size_t)limit;
	p->bytes = p->memory + at % PAGE;
	for (p->len = 0; p->len < most && n > 0; p->len += (size_t)n) {
		do
			n = pread(f->fd, p->bytes + p->len, most - p->len,
			    (off_t)(at + p->len));
		while (n == -1 && errno == EINTR);
		if (n == -1)
			return -1;
	}
	p->hole = 0;
	/* Later bytes are behind this size. */
	if (p->len > 0 && *p->bytes == '\0' && fstat(f->fd, &st) == 0 &&
	    (uint64_t)st.st_size > at) {
		data = lseek(f->fd, (off_t)at, SEEK_DATA);
		if (data != -1)
			p->hole = (uint64_t)data - at;
		else if (errno == ENXIO)
			p->hole = (uint64_t)st.st_size - at;
	}
	if (p->hole > limit)
		p->hole = limit;
	p->last = p->len < most && p->hole == 0;
	*budget -= p->len < *budget ? p->len : *budget;
	return 0;
}

static int
feed_due(struct scanfile *f, struct piece *p, uint64_t *budget)
{
	uint64_t fed;

	while ((fed = f->scan->now.offset) < f->due) {
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

int
scanfile_read(struct scanfile *f, bool settle, uint64_t *budget)
{
	uint64_t endless = UINT64_MAX, *left = budget ? budget : &endless;
	/* aligned_alloc() would map it for each issue of a sweep. */
	char *memory = xmalloc(BLOCK + PAGE);
	struct piece p = { .memory = memory + PAGE - (uintptr_t)memory % PAGE };
	struct marker_scan *scan = f->scan;
	const char *rest, *line;
	size_t len, found, size;
	bool last = settle, fed;
	int ret;

	if (f->ahead < scan->now.offset)
		f->ahead = scan->now.offset;
	if (settle)
		f->due = f->ahead;
	while ((ret = feed_due(f, &p, left)) == 0 && !last &&
	    (ret = *left == 0 ? 1 :
	    piece_read(&p, f, f->ahead, UINT64_MAX, left)) == 0) {
		last = p.last;
		rest = p.bytes;
		len = p.len;
		fed = scan->now.offset == f->ahead;
		f->ahead += p.hole > 0 ? p.hole : len;
		if (fed && p.hole > 0)
			marker_scan_skip(scan, p.hole);
		if (p.hole > 0)
			continue;
		/* The last piece, mostly short, is fed without a search. */
		for (; fed && len > 0 && !marker_scan_idle(scan); len -= size) {
			line = memchr(rest, '\n', len);
			size = line != NULL ? (size_t)(line + 1 - rest) : len;
			marker_scan_feed(scan, rest, size);
			rest += size;
		}
		found = fed && last ? 0 :
		    marker_set_search(&scan->set, rest, len);
		/* Later bytes may refute a find near a piece's end: it begins
		 * the next piece. */
		if (found > 0 && found < len &&
		    len - found < MARKER_BYTES_MAX && !last)
			f->ahead -= len - found;
		else if (found < len && fed)
			marker_scan_feed(scan, rest, len);
		else if (found < len)
			f->due = f->ahead;
	}
	free(memory);
	return ret;
}

enum { HEAD = 256 };                    /* bytes that identify a file */

const char *
panelog_name(char name[PANELOG_NAME], const char *issue, const char *suffix)
{
	snprintf(name, PANELOG_NAME, "output-%s.log%s", issue, suffix);
	return name;
}

void
panelog_init(struct panelog *p, int dir, uid_t owner, const char *issue,
    const struct marker_set *set, const struct log_mark *from)
{
	*p = (struct panelog){ .dir = dir, .owner = owner, .set = *set,
	    .mark = *from, .file = { .fd = -1, .base = from->base,
	    .ahead = from->scan.offset,
	    .scan = marker_scan_new(set, &from->scan) } };
	snprintf(p->issue, sizeof(p->issue), "%s", issue);
}

void
panelog_release(struct panelog *p)
{
	if (p->file.scan == NULL)
		return;
	file_close(p->file.fd);
	marker_scan_free(p->file.scan);
	*p = (struct panelog){ .file.fd = -1 };
}

static int
open_log(struct panelog *p, const char *suffix, struct stat *st)
{
	int fd = openat(p->dir, PANELOG_OF(p->issue, suffix),
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd != -1 && (fstat(fd, st) == -1 || !S_ISREG(st->st_mode) ||
	    st->st_uid != p->owner)) {
		close(fd);
		errno = EINVAL;
		fd = -1;
	}
	return fd;
}

static bool
same_file(const struct log_mark *m, const struct stat *st)
{
	return m->ino == st->st_ino && m->dev == st->st_dev;
}

static uint64_t
head_of(int fd, size_t len)
{
	char bytes[HEAD];

	return len > HEAD || pread(fd, bytes, len, 0) != (ssize_t)len ? 0 :
	    text_hash(bytes, len);
}

static void
mark_head(const struct panelog *p, struct log_mark *m)
{
	uint64_t read = p->file.ahead - p->file.base;

	m->head_len = read < HEAD ? (unsigned)read : HEAD;
	m->head = head_of(p->file.fd, m->head_len);
}

/* A removed file's inode is soon reused. */
static bool
marked_file(const struct log_mark *m, int fd, const struct stat *st)
{
	return same_file(m, st) &&
	    (m->head_len == 0 || head_of(fd, m->head_len) == m->head);
}

/* Opens the log; or the old log, unless that is finished, if reading stopped in
 * it or never began. */
static int
begin_file(struct panelog *p, bool finished)
{
	struct stat st, was;
	int fd = open_log(p, "", &st), saved = errno, before = -1;

	p->refused = fd == -1 && saved != ENOENT;
	if (!finished && (fd == -1 || !marked_file(&p->mark, fd, &st)))
		before = open_log(p, ".1", &was);
	if (before != -1 && (p->mark.ino == 0 ||
	    marked_file(&p->mark, before, &was))) {
		file_close(fd);
		fd = before;
		st = was;
	} else {
		file_close(before);
	}
	if (fd == -1) {
		errno = saved;
		return p->refused ? -1 : 0;
	}
	p->file.fd = fd;
	if (p->mark.ino != 0 && !marked_file(&p->mark, fd, &st)) {
		p->before = p->mark;
		p->before.read = p->file.ahead;
		p->file.base = p->file.ahead;
	}
	p->mark.dev = st.st_dev;
	p->mark.ino = st.st_ino;
	p->mark.base = p->file.base;
	p->mark.head_len = 0;
	return 1;
}

static void
note_left(struct panelog *p, int got, uint64_t size)
{
	const struct scanfile *f = &p->file;
	uint64_t fed = f->scan->now.offset, read = f->ahead - f->base;

	p->left = got != 1 ? 0 : 1 + (size > read ? size - read : 0) +
	    (f->due > fed ? f->due - fed : 0);
}

static int
panelog_read_file(struct panelog *p, uint64_t *budget)
{
	struct marker_state at = { .offset = p->file.ahead };
	struct stat st;
	int got;

	if (fstat(p->file.fd, &st) == -1)
		return -1;
	if ((uint64_t)st.st_size < p->file.ahead - p->file.base) {
		at.hits = marker_scan_hits(p->file.scan, true);
		marker_scan_free(p->file.scan);
		p->file.scan = marker_scan_new(&p->set, &at);
		p->mark.base = p->file.base = p->file.ahead;
	}
	if ((uint64_t)st.st_size == p->file.ahead - p->file.base &&
	    p->left == 0)
		return 0;
	got = scanfile_read(&p->file, false, budget);
	note_left(p, got, (uint64_t)st.st_size);
	if (got == -1)
		return -1;
	marker_scan_rest(p->file.scan);
	return p->file.ahead != at.offset;
}

int
panelog_read(struct panelog *p, uint64_t *budget)
{
	const char *name = PANELOG_OF(p->issue, "");
	struct stat st;
	int got, any = 0;

	if (p->file.fd == -1 && (got = begin_file(p, false)) != 1)
		return got;
	for (;;) {
		if ((got = panelog_read_file(p, budget)) == -1)
			return -1;
		any |= got;
		if (p->left > 0 || fstatat(p->dir, name, &st,
		    AT_SYMLINK_NOFOLLOW) == -1 || same_file(&p->mark, &st))
			return any;
		/* Reads what came before the rename. */
		if (panelog_read_file(p, budget) == -1)
			return -1;
		if (p->left == 0) {
			got = scanfile_read(&p->file, true, budget);
			note_left(p, got, 0);
			if (got == -1)
				return -1;
		}
		if (p->left > 0)
			return any;
		mark_head(p, &p->mark);
		close(p->file.fd);
		p->file.fd = -1;
		if ((got = begin_file(p, true)) != 1)
			return got == -1 ? -1 : any;
	}
}

void
panelog_mark(const struct panelog *p, struct log_mark *m)
{
	const struct marker_state *at = &p->file.scan->begin;

	/* A line may have begun in the file before. */
	*m = p->before.ino != 0 && at->offset < p->file.base ? p->before :
	    p->mark;
	m->begin = p->mark.begin;
	if (m->ino == p->mark.ino)
		m->read = p->file.ahead;
	if (m->ino == p->mark.ino && p->file.fd != -1)
		mark_head(p, m);
	m->scan = *at;
}

static bool
stat_log(int dir, const char *issue, struct stat *st, bool *there)
{
	*there = fstatat(dir, PANELOG_OF(issue, ""), st,
	    AT_SYMLINK_NOFOLLOW) == 0;
	return *there || fstatat(dir, PANELOG_OF(issue, ".1"), st,
	    AT_SYMLINK_NOFOLLOW) == 0;
}

bool
panelog_unread(int dir, const char *issue, const struct log_mark *m,
    bool *there)
{
	struct stat st;

	if (!stat_log(dir, issue, &st, there))
		return false;
	/* Late writers still add to the old one. */
	if (!same_file(m, &st) && (*there || m->ino != 0))
		return *there;
	return (uint64_t)st.st_size != m->read - m->base;
}

void
panelog_end(int dir, const char *issue, struct log_mark *m)
{
	struct stat st;
	bool there;

	*m = (struct log_mark){ 0 };
	if (stat_log(dir, issue, &st, &there))
		*m = (struct log_mark){ .dev = st.st_dev, .ino = st.st_ino,
		    .read = (uint64_t)st.st_size };
}

char *
panelog_pipe(const char *issue, const char *dir, int64_t cap)
{
	char *command, *most = xasprintf("%lld", (long long)cap);

	command = tmux_pipe_command(WORDS(proc_program(), "log-writer",
	    issue, dir, most));
	free(most);
	return command;
}

void
panelog_register(int state_fd, const char *issue, const char *pane)
{
	char text[PANE_REF_NAME + 64];
	int n = snprintf(text, sizeof(text), "%.*s %ld %llu\n",
	    PANE_REF_NAME - 1, pane, (long)getpid(),
	    (unsigned long long)proc_start(getpid()));

	/* On failure the pipe counts as the user's: captures are read. */
	file_replace(state_fd, ISSUE_NAME(issue, "pipe"), text, (size_t)n,
	    0600);
}

enum panelog_writer
panelog_writer(int state_fd, const char *issue, const char *pane,
    struct proc_id *writer)
{
	char claimed[PANE_REF_NAME] = "";
	struct buf text = BUF_INIT;
	unsigned long long start;
	long pid;
	int words = 0;

	if (file_read(state_fd, ISSUE_NAME(issue, "pipe"), FILE_NOFOLLOW,
	    &text, 128) == 0)
		words = sscanf(buf_str(&text), "%47s %ld %llu", claimed,
		    &pid, &start);
	buf_release(&text);
	if (words != 3 || strcmp(claimed, pane) != 0)
		return PANELOG_UNWRITTEN;
	if (writer != NULL)
		*writer = (struct proc_id){ .pid = (pid_t)pid, .start = start };
	return proc_alive((pid_t)pid, start) ? PANELOG_WRITTEN : PANELOG_BROKEN;
}

void
panelog_unregister(int state_fd, const char *issue, const char *pane)
{
	struct proc_id writer;

	/* Another writer may have registered meanwhile. */
	if (panelog_writer(state_fd, issue, pane, &writer) ==
	    PANELOG_WRITTEN && writer.pid == getpid())
		unlinkat(state_fd, ISSUE_NAME(issue, "pipe"), 0);
}
