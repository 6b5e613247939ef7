/*
 * argv.h - a list of words, ended by NULL, as execv() takes one.
 *
 * The owner of a list owns its words too; all are allocated.  NULL is an empty
 * list.
 */
#ifndef PANEWARD_ARGV_H
#define PANEWARD_ARGV_H

#include <stdbool.h>

#include "base/alloc.h"

/* A list that is only read, for the time of a block. */
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

size_t argv_count(char *const *argv);
void   argv_free(char **argv);
/* Adds a copy of the word, or with _own the word itself.  The list may move:
 * only the one returned is valid. */
char **argv_own(char **argv, char *word);
#define argv_add(argv, word) argv_own((argv), xstrdup(word))
/* The same for each word of a list. */
char **argv_add_all(char **argv, const char *const *words);
void   argv_sort(char **argv);
bool   argv_has(char *const *argv, const char *word);
/* The same in a list that argv_sort() has sorted, and sooner. */
bool   argv_has_sorted(char *const *argv, const char *word);

#endif
