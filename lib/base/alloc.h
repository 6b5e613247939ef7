/*
 * alloc.h - allocation that does not fail.
 *
 * Without memory the program ends with status 3.  Callers bound sizes that come
 * from outside.  free() keeps errno, as POSIX.1-2024 demands.
 */
#ifndef PANEWARD_ALLOC_H
#define PANEWARD_ALLOC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *, size_t count, size_t size);
/* Room for one more behind n elements of an array that only this grows. */
void *xgrow(void *, size_t n, size_t size);
/* A new element at its end, not set yet. */
#define ARRAY_ADD(array, n) \
	((array) = xgrow((array), (n), sizeof(*(array))), &(array)[(n)++])
char *xstrdup(const char *);
char *xstrndup(const char *, size_t max);
char *xasprintf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* realpath(3): NULL with errno, unless memory is missing. */
char *xrealpath(const char *path);

/* Ends the program by one write(2), allocates nothing. */
_Noreturn void fatal_memory(void);

#endif
