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
};

/*
 * Reads on to the end of the file: what the scan does not know then holds no
 * marker.  0, or -1 with errno where reading fails.  A file that becomes
 * shorter while it is read is read to its end.
 */
int scanfile_read(struct scanfile *);

/*
 * Feeds what was only searched, so that the scan stands at the end of what
 * was read.
 */
int scanfile_settle(struct scanfile *);

#endif
