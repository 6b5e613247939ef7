/*
 * asan.c - linked to the program that `make sanitize` tests: a short command
 * leaves its memory to the system, also where it runs without the test's
 * environment.
 */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}
