/*
 * scanfile.h - a marker scan of a file that may be large, and may grow.
 *
 * Two places move through the file.  What lies ahead is only searched, as
 * fast as it can be read, for something that may be a marker.  Where there is
 * something, all that was searched is read once more, and fed to the scan,
 * which knows terminals and fences.  So a log without markers costs little
 * more than reading it, and a marker at the end of one costs reading it with
 * care, once.
 *
 * A little that was added to a file which the scan has read to the end is fed
 * at once.
 *
 * A hole in the file counts as what it reads as, NULs, and takes no time.
 */
#ifndef PANEWARD_SCANFILE_H
#define PANEWARD_SCANFILE_H

#include <stdint.h>

struct marker_scan;

struct scanfile {
	struct marker_scan *scan;       /* borrowed */
	int      fd;                    /* borrowed; a regular file */
	uint64_t base;          /* where in the stream the file begins */
	uint64_t ahead;         /* where in the stream the search goes on; is
	                           never less than what was fed, so 0 will do */
	uint64_t due;           /* up to here the stream is to be fed */
};

/*
 * Reads on to the end of the file: what the scan does not know then holds no
 * marker.  A file that becomes shorter while it is read is read to its end.
 * From *budget the bytes are taken that had to be read; NULL is no limit.  0,
 * 1 if the budget was used up before, or -1 with errno where reading fails.
 */
int scanfile_read(struct scanfile *, uint64_t *budget);

/*
 * Feeds what was only searched, so that the scan stands at the end of what
 * was read.  Budget and answer as above.
 */
int scanfile_settle(struct scanfile *, uint64_t *budget);

#endif
