/*
 * kqueue.h - libkqueue in the place of a BSD's kernel, for make kqueue-test.
 * Linux never revokes a file; the library does not report a removed directory.
 */
#include <sys/event.h>

#define REMOVAL_UNSEEN
#ifndef NOTE_REVOKE
#define NOTE_REVOKE 0
#endif
