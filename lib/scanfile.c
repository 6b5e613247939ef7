#include "scanfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "marker.h"
#include "xalloc.h"

enum {
	PAGE = 4096,            /* the copy is quicker from page to page */
	BLOCK = 256 * 1024
};

/* A piece of the file, in memory. */
struct piece {
	char    *memory;
	char    *bytes;         /* in it, as far from a page as in the file */
	size_t   len;
	bool     last;          /* the file ended, for now */
};

static void
piece_init(struct piece *p)
{
	p->memory = xmalloc(BLOCK + PAGE);
	p->bytes = p->memory;
	p->len = 0;
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

/* Reads what begins at a place of the stream, limit bytes at most. */
static int
piece_read(struct piece *p, const struct scanfile *f, uint64_t from,
    uint64_t limit)
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
	return 0;
}

/* Feeds what was searched and not fed, up to a place of the stream. */
static int
feed_up_to(struct scanfile *f, struct piece *p, uint64_t to)
{
	uint64_t fed;

	while ((fed = marker_scan_offset(f->scan)) < to) {
		if (piece_read(p, f, fed, to - fed) == -1)
			return -1;
		marker_scan_feed(f->scan, p->bytes, p->len);
		if (p->last)
			break;
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
static int
take_piece(struct scanfile *f, struct piece *p)
{
	struct marker_scan *scan = f->scan;
	bool fed = marker_scan_offset(scan) == f->ahead;
	const char *rest = p->bytes;
	size_t len = p->len, found;

	f->ahead += len;
	if (fed) {
		rest += feed_until_idle(scan, rest, len);
		len -= (size_t)(rest - p->bytes);
	}
	found = fed && p->last ? 0 :
	    marker_set_search(marker_scan_set(scan), rest, len);
	if (found == len)
		return 0;
	if (found > 0 && len - found < MARKER_BYTES_MAX && !p->last) {
		f->ahead -= len - found;
		return 0;
	}
	if (!fed)
		return feed_up_to(f, p, f->ahead);
	marker_scan_feed(scan, rest, len);
	return 0;
}

int
scanfile_read(struct scanfile *f)
{
	struct piece p;
	int ret;

	if (f->ahead < marker_scan_offset(f->scan))
		f->ahead = marker_scan_offset(f->scan);
	piece_init(&p);
	do {
		ret = piece_read(&p, f, f->ahead, BLOCK);
		if (ret == 0)
			ret = take_piece(f, &p);
	} while (ret == 0 && !p.last);
	piece_release(&p);
	return ret;
}

int
scanfile_settle(struct scanfile *f)
{
	struct piece p;
	int ret;

	piece_init(&p);
	ret = feed_up_to(f, &p, f->ahead);
	piece_release(&p);
	return ret;
}
