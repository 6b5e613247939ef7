/*
 * argv.h - a list of words, ended by NULL, as execv() takes one.
 *
 * List and words are allocated.  NULL is an empty list.
 */
#ifndef PANEWARD_ARGV_H
#define PANEWARD_ARGV_H

#include <stdbool.h>

#include "base/alloc.h"

/* A constant list, in memory of the block. */
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

size_t argv_count(char *const *argv);
void   argv_free(char **argv);
/* Takes the word over; returns the list, which may have moved. */
char **argv_own(char **argv, char *word);
#define argv_add(argv, word) argv_own((argv), xstrdup(word))
char **argv_add_all(char **argv, const char *const *words);
void   argv_sort(char **argv);
bool   argv_has(char *const *argv, const char *word);
/* Needs argv_sort(). */
bool   argv_has_sorted(char *const *argv, size_t n, const char *word);

#endif
