#include "base/argv.h"

size_t
argv_count(char *const *argv)
{
	size_t n = 0;

	while (argv != NULL && argv[n] != NULL)
		n++;
	return n;
}

char **
argv_own(char **argv, char *word)
{
	size_t n = argv_count(argv);

	argv = xreallocarray(argv, n + 2, sizeof(*argv));
	argv[n] = word;
	argv[n + 1] = NULL;
	return argv;
}

char **
argv_add_all(char **argv, const char *const *words)
{
	for (; words != NULL && *words != NULL; words++)
		argv = argv_add(argv, *words);
	return argv;
}

void
argv_free(char **argv)
{
	size_t i;

	for (i = 0; argv != NULL && argv[i] != NULL; i++)
		free(argv[i]);
	free(argv);
}

static int
words_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void
argv_sort(char **argv)
{
	if (argv != NULL)
		qsort(argv, argv_count(argv), sizeof(*argv), words_order);
}

bool
argv_has_sorted(char *const *argv, size_t n, const char *word)
{
	return n > 0 && bsearch(&word, argv, n, sizeof(*argv), words_order) !=
	    NULL;
}

bool
argv_has(char *const *argv, const char *word)
{
	while (argv != NULL && *argv != NULL && strcmp(*argv, word) != 0)
		argv++;
	return argv != NULL && *argv != NULL;
}
