/*
 * buf.h - a growing sequence of bytes, NULs included.
 *
 * BUF_INIT, all zero, is empty and owns nothing.  buf_str() ends the bytes by a
 * NUL that len does not count.  Adding invalidates pointers into the buffer.
 */
#ifndef PANEWARD_BUF_H
#define PANEWARD_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buf {
	char  *data;            /* NULL until something is added */
	size_t len, cap;        /* bytes used and allocated */
};

#define BUF_INIT { NULL, 0, 0 }

void        buf_add(struct buf *, const void *, size_t);
void        buf_set(struct buf *, const void *, size_t);
void        buf_addc(struct buf *, char);
void        buf_adds(struct buf *, const char *);
void        buf_printf(struct buf *, const char *format, ...)
		__attribute__((format(printf, 2, 3)));
void        buf_vprintf(struct buf *, const char *format, va_list)
		__attribute__((format(printf, 2, 0)));
/* Room for size more bytes; the caller adds to len. */
char       *buf_room(struct buf *, size_t size);
void        buf_chomp(struct buf *);
/* Without line feeds behind it. */
const char *buf_last_line(struct buf *);
bool        buf_same(const struct buf *, const struct buf *);
const char *buf_str(struct buf *);
/* Passes the string to the caller; empties the buffer. */
char       *buf_steal(struct buf *);
#define     buf_reset(b) ((b)->len = 0)
void        buf_release(struct buf *);

#endif
