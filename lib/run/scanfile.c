#include "run/scanfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "marker/marker.h"
#include "os/file.h"

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
