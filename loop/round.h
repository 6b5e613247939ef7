/*
 * round.h - one round of a loop: a session from its beginning to its end.
 */
#ifndef PANEWARD_LOOP_ROUND_H
#define PANEWARD_LOOP_ROUND_H

struct loop;

/* Runs the session and fills in loop->round. */
void round_run(struct loop *);
/* Reads the prompt of the next round; -1 with the reason in loop->why. */
int  round_prompt(struct loop *);

#endif
