/*
 * tokens.h - what a run has used, as the transcripts of its agent tell.
 *
 * A client tells the tokens of an answer in several lines, with the answer's
 * id: the newest line counts.  Or each line tells the sum so far, under one id
 * for all.  Either way a line counts for what it has more than the one before.
 * If it has less, the client began to count again.
 */
#ifndef PANEWARD_TOKENS_H
#define PANEWARD_TOKENS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"

enum { TOKENS_ID = 80 };                /* bytes; a longer id is none */

struct tokens {
	uint64_t input;                 /* all that the model was given, */
	uint64_t cached;                /* of it what came from a cache, */
	uint64_t output;                /* and what it wrote */
};

/* The sum of a run, and how far its transcript is counted.  All zero: nothing
 * was counted. */
struct token_count {
	struct tokens sum;
	struct tokens last;             /* told by the last line, */
	char     id[TOKENS_ID];         /* of that id; "": it had none */
	uint64_t read;                  /* bytes */
	msec     newest;                /* time of a line that told some */
	msec     since;                 /* lines up to that time are copies of
					   what was counted */
};

/* Is anything known? */
bool tokens_known(const struct tokens *);

/* Takes a line of that id ("": none) and time.  What it tells of the time up to
 * began is not the run's. */
void tokens_count(struct token_count *, const char *id, const struct tokens *,
    msec time, msec began);

/* What follows is another file: a new conversation, or a copy that goes on. */
void tokens_next_file(struct token_count *);

/* "12.3k in, 4.5k out". */
void tokens_describe(struct buf *, const struct tokens *);

#endif
