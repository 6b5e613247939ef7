/*
 * follow.h - the queue as lines, one for each row that changes.
 */
#ifndef PANEWARD_FOLLOW_H
#define PANEWARD_FOLLOW_H

#include "queue/queue.h"

struct follow_how {
	struct queue *queue;            /* live, after its first look */
	bool json;                      /* else text for people */
	bool finished;                  /* also rows that are finished */
};

/*
 * Prints all rows, and then each that has changed, or left, until the reader of
 * standard output or the other end of standard input is gone, or the output
 * fails.  Rows that change together are followed by an empty line in JSON,
 * which is also printed when nothing has changed for half a minute.
 */
void follow_queue(const struct follow_how *);

#endif
