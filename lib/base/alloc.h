/*
 * alloc.h - memory that is there.
 *
 * These do not fail: without memory the program ends with status 3.  Sizes
 * that come from outside are bounded by the caller before they come here.
 * What they return is freed with free().
 */
#ifndef PANEWARD_ALLOC_H
#define PANEWARD_ALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *, size_t size);
void *xreallocarray(void *, size_t count, size_t size);
char *xstrdup(const char *);
char *xstrndup(const char *, size_t max);
char *xasprintf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* realpath(3): NULL with errno, if that is not for want of memory. */
char *xrealpath(const char *path);

/*
 * Ends the program when an allocation fails.  It allocates nothing: it writes
 * a constant text with one write(2) and drops what is still buffered.
 */
_Noreturn void fatal_memory(void);
/* The status it ends with from now on, instead of EXIT_COULD_NOT. */
void xalloc_fatal_status(int);

#endif
