/*
 * engine.h - the engine of `loop run`: round after round, until one of the
 * ends in find_end() applies.
 */
#ifndef PANEWARD_LOOP_ENGINE_H
#define PANEWARD_LOOP_ENGINE_H

struct loop;

/* Runs until the end; returns the exit status. */
int engine_run(struct loop *);

#endif
