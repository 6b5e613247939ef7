/*
 * tap.h - unit tests that speak TAP.
 *
 *	static void
 *	a_marker_split_across_two_reads_is_found(void)
 *	{
 *		ok(hits.complete == 1);
 *		is_text(message, "no disk");
 *	}
 *
 *	int
 *	main(void)
 *	{
 *		TEST(a_marker_split_across_two_reads_is_found);
 *		return tap_done();
 *	}
 *
 * A test is one TAP line; every check that fails in it prints a comment with
 * file and line.
 */
#ifndef PANEWARD_TAP_H
#define PANEWARD_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned tap_tests, tap_bad, tap_bad_checks;

#define ok(condition) tap_check((condition), #condition, __FILE__, __LINE__)
#define is_number(got, want) \
	tap_number((long long)(got), (long long)(want), #got, __FILE__, __LINE__)
#define is_text(got, want) tap_text((got), (want), #got, __FILE__, __LINE__)
#define TEST(name) tap_run((name), #name)

static inline void
tap_check(bool good, const char *what, const char *file, int line)
{
	if (good)
		return;
	tap_bad_checks++;
	printf("# %s:%d: not true: %s\n", file, line, what);
}

static inline void
tap_number(long long got, long long want, const char *what, const char *file,
    int line)
{
	if (got == want)
		return;
	tap_bad_checks++;
	printf("# %s:%d: %s is %lld, not %lld\n", file, line, what, got, want);
}

static inline void
tap_text(const char *got, const char *want, const char *what,
    const char *file, int line)
{
	if (got == want || (got && want && strcmp(got, want) == 0))
		return;
	tap_bad_checks++;
	printf("# %s:%d: %s is '%s', not '%s'\n", file, line, what,
	    got ? got : "(null)", want ? want : "(null)");
}

static inline void
tap_run(void (*test)(void), const char *name)
{
	tap_bad_checks = 0;
	test();
	tap_tests++;
	if (tap_bad_checks > 0)
		tap_bad++;
	printf("%sok %u - ", tap_bad_checks ? "not " : "", tap_tests);
	for (; *name != '\0'; name++)
		putchar(*name == '_' ? ' ' : *name);
	putchar('\n');
	fflush(stdout);
}

static inline int
tap_done(void)
{
	printf("1..%u\n", tap_tests);
	return tap_bad ? 1 : 0;
}

#endif
