#include "base/alloc.h"

#include <errno.h>
#include <stdint.h>

static void *
alloc_check(void *p)
{
	if (p == NULL)
		fatal_memory();
	return p;
}

void *
xmalloc(size_t size)
{
	return alloc_check(malloc(size ? size : 1));
}

void *
xcalloc(size_t count, size_t size)
{
	return alloc_check(calloc(count ? count : 1, size ? size : 1));
}

void *
xreallocarray(void *p, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		fatal_memory();
	size *= count;
	return alloc_check(realloc(p, size ? size : 1));
}

/* It is full at each power of two. */
void *
xgrow(void *p, size_t n, size_t size)
{
	return n & (n - 1) ? p : xreallocarray(p, n ? 2 * n : 1, size);
}

char *
xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *
xstrndup(const char *s, size_t max)
{
	size_t len = strnlen(s, max);
	char *p = xmalloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *
xrealpath(const char *path)
{
	char *real = realpath(path, NULL);

	if (real == NULL && errno == ENOMEM)
		fatal_memory();
	return real;
}
