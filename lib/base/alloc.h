/*
 * alloc.h - allocation that does not fail.
 *
 * Without memory the program ends with status 3.  Callers bound sizes that come
 * from outside.  What these return is freed with free(), which leaves errno as
 * it is: POSIX.1-2024 demands that, and C libraries did so before.
 */
#ifndef PANEWARD_ALLOC_H
#define PANEWARD_ALLOC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *, size_t count, size_t size);
/* Room for one more behind n elements, in an array that only this has grown. */
void *xgrow(void *, size_t n, size_t size);
/* The new element at the end of such an array, not set yet; counts it. */
#define ARRAY_ADD(array, n) \
	((array) = xgrow((array), (n), sizeof(*(array))), &(array)[(n)++])
char *xstrdup(const char *);
char *xstrndup(const char *, size_t max);
char *xasprintf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* realpath(3): NULL with errno, unless memory is missing. */
char *xrealpath(const char *path);

/* Ends the program after a failed allocation.  Allocates nothing: it writes a
 * constant text with one write(2) and drops buffered output. */
_Noreturn void fatal_memory(void);
/* Sets that exit status; EXIT_COULD_NOT at first. */
void xalloc_fatal_status(int);

#endif
