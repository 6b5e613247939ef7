/*
 * tap.h - unit tests that speak TAP.
 *
 *	TEST(a_marker_split_across_two_reads_is_found) {
 *		ok(hits.complete == 1);
 *		is_text(message, "no disk");
 *	}
 *
 * A test registers itself; main() stands here and runs all in their order.  It is
 * one TAP line; every check that fails in it prints a comment with file and line,
 * and with the row of a table that ROW("%s", row->name) named last.
 * BEFORE_TESTS { } and AFTER_TESTS { } run once.
 */
#ifndef PANEWARD_TAP_H
#define PANEWARD_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned tap_tests, tap_bad, tap_bad_checks;
static char tap_row[256];

#define ROW(...) snprintf(tap_row, sizeof(tap_row), __VA_ARGS__)

#define ok(condition) tap_check((condition), #condition, __FILE__, __LINE__)
#define is_number(got, want) \
	tap_number((long long)(got), (long long)(want), #got, __FILE__, __LINE__)
#define is_text(got, want) tap_text((got), (want), #got, __FILE__, __LINE__)

/* A function that is registered by a constructor: they run in the order of the
 * file. */
#define TAP_REGISTER(name, to) \
	static void name(void); \
	__attribute__((constructor)) static void \
	tap_register_##name(void) \
	{ \
		to; \
	} \
	static void name(void)
#define TEST(name) TAP_REGISTER(name, tap_add(name, #name))
#define BEFORE_TESTS TAP_REGISTER(before_tests, tap_before = before_tests)
#define AFTER_TESTS TAP_REGISTER(after_tests, tap_after = after_tests)

enum { TAP_TESTS_MAX = 256 };

static struct {
	void (*run)(void);
	const char *name;
} tap_list[TAP_TESTS_MAX];
static unsigned tap_listed;
static void (*tap_open)(void), (*tap_before)(void), (*tap_after)(void),
    (*tap_close)(void);                 /* open and close are scratch.h's */
static int tap_argc;
static char **tap_argv;

/* A check has failed. */
static inline void
tap_fail(const char *file, int line)
{
	tap_bad_checks++;
	printf("# %s:%d: %s%s", file, line, tap_row, tap_row[0] ? ": " : "");
}

static inline void
tap_check(bool good, const char *what, const char *file, int line)
{
	if (good)
		return;
	tap_fail(file, line);
	printf("not true: %s\n", what);
}

static inline void
tap_number(long long got, long long want, const char *what, const char *file,
    int line)
{
	if (got == want)
		return;
	tap_fail(file, line);
	printf("%s is %lld, not %lld\n", what, got, want);
}

static inline void
tap_text(const char *got, const char *want, const char *what,
    const char *file, int line)
{
	if (got == want || (got && want && strcmp(got, want) == 0))
		return;
	tap_fail(file, line);
	printf("%s is '%s', not '%s'\n", what, got ? got : "(null)",
	    want ? want : "(null)");
}

static inline void
tap_add(void (*test)(void), const char *name)
{
	if (tap_listed == TAP_TESTS_MAX)
		abort();
	tap_list[tap_listed].run = test;
	tap_list[tap_listed++].name = name;
}

static inline void
tap_run(void (*test)(void), const char *name)
{
	tap_bad_checks = 0;
	tap_row[0] = '\0';
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

int
main(int argc, char **argv)
{
	unsigned i;

	tap_argc = argc;
	tap_argv = argv;
	if (tap_open != NULL)
		tap_open();
	if (tap_before != NULL)
		tap_before();
	for (i = 0; i < tap_listed; i++)
		tap_run(tap_list[i].run, tap_list[i].name);
	tap_bad_checks = 0;
	if (tap_after != NULL)
		tap_after();
	if (tap_close != NULL)
		tap_close();
	printf("1..%u\n", tap_tests);
	return tap_bad > 0 || tap_bad_checks > 0;
}

#endif
