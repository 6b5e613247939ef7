/*
 * kqueue.h - libkqueue in the place of a BSD's kernel, for make kqueue-test.
 * Linux never revokes a file.
 */
#include <sys/event.h>

#ifndef NOTE_REVOKE
#define NOTE_REVOKE 0
#endif
