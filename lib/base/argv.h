/*
 * argv.h - a list of words, ended by NULL, as execv() takes one.
 *
 * The list and its words are allocated, and whoever holds it owns both.  NULL
 * is an empty one.
 */
#ifndef PANEWARD_ARGV_H
#define PANEWARD_ARGV_H

#include <stddef.h>

size_t argv_count(char *const *argv);
void   argv_free(char **argv);
/* The list with a copy of one word more behind its last; takes it over. */
char **argv_add(char **argv, const char *word);

#endif
