/*
 * memory.c - preloaded into a program: an allocation fails.
 *
 * MEMORY_FAILS=N fails the Nth allocation behind the start of main();
 * MEMORY_STAYS_OUT set, all that follow as well.  MEMORY_COUNT=FILE tells how
 * many there were.  What the program starts is left alone.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static long nth, fails;
static int on, stays_out;
static const char *count_file;

static int
refused(void)
{
	if (!on || (++nth != fails && !(stays_out && fails && nth > fails)))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return refused() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return refused() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *p, size_t size)
{
	return refused() ? NULL : __libc_realloc(p, size);
}

static void __attribute__((constructor))
begin(void)
{
	const char *text = getenv("MEMORY_FAILS");

	fails = text ? atol(text) : 0;
	stays_out = getenv("MEMORY_STAYS_OUT") != NULL;
	count_file = getenv("MEMORY_COUNT");
	unsetenv("LD_PRELOAD");
	on = 1;
}

static void __attribute__((destructor))
end(void)
{
	FILE *f;

	on = 0;
	if (count_file != NULL && (f = fopen(count_file, "w")) != NULL) {
		fprintf(f, "%ld\n", nth);
		fclose(f);
	}
}
