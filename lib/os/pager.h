/*
 * pager.h - long output, a screen at a time.
 */
#ifndef PANEWARD_PAGER_H
#define PANEWARD_PAGER_H

/*
 * The words of the user's pager: $PAGER, else less or more.  If LESS is not
 * set, less gets these letters as its options.  The caller frees the words
 * with argv_free().
 */
char **pager_words(const char *less);

#endif
