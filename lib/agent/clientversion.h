/*
 * clientversion.h - the version of an agent's client.
 *
 * A version is the first number with a dot in what the program prints:
 * "codex-cli 0.169.0".  A backend has the words that ask for it, "version", and
 * the versions with which its rules were tried, "tried".
 */
#ifndef PANEWARD_CLIENTVERSION_H
#define PANEWARD_CLIENTVERSION_H

#include "agent/backend.h"
#include "os/spawn.h"

/* Begins to ask the program that PATH finds.  False: there is none, or no words
 * to ask with. */
bool clientversion_begin(struct spawn *, const struct backend *);

/* Waits for the answer, for the caller to free; NULL: it is unknown, and *why
 * has the reason. */
char *clientversion_end(struct spawn *, struct buf *why);

/* The version in a text, for the caller to free; NULL: there is none. */
char *clientversion_in(const char *text);

/* Is it newer than each that was tried?  False, too, if none was. */
bool clientversion_newer(const struct backend *, const char *version);

#endif
