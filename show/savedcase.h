/*
 * savedcase.h - the evidence of a verdict as a folder, which is a case of
 * tests/corpus: its README.md says what each file is.
 *
 * What lies in the status directory has its own name, so that the folder can
 * take its place.  Of the status record only what judging needs is kept.  The
 * folder is new: an old signal in it, or the record of a run, would be part of
 * the case, or lost.
 */
#ifndef PANEWARD_SAVEDCASE_H
#define PANEWARD_SAVEDCASE_H

#include "chain/sources.h"

/* Ends the program if the folder cannot be written. */
void savedcase_write(const char *folder, const struct sources *,
    const struct evidence *, const struct verdict *);

#endif
