/*
 * call.h - a call of the tmux program, for the files of tmux.h alone.
 *
 * A call is a list of words (base/argv.h) that begins with call_new();
 * call_end() and call_run() free it.  The time limit is TMUX_LIMIT unless one
 * is given, and the reason of anything but TMUX_OK is added to why.
 */
#ifndef PANEWARD_TMUX_CALL_H
#define PANEWARD_TMUX_CALL_H

#include "base/buf.h"
#include "os/spawn.h"
#include "tmux/result.h"

char **call_new(const char *socket);
/* Adds words from outside: tmux would read a ';' at the end of one as the end
 * of the command. */
char **call_add_data(char **argv, const char *const *words);
/* Adds a command that tmux runs if the condition is true of the pane. */
char **call_where(char **argv, const char *pane, const char *condition,
    const char *command);

/* cwd: NULL is ours.  -1 as spawn_begin(). */
int  call_begin(char **argv, struct spawn *, const char *cwd, msec limit);
/* What the end of a tmux process means. */
enum tmux_result call_result(struct spawn *, const char *socket, msec limit,
    struct buf *why);
/* Waits for the end; what it prints is added to out, unless that is NULL. */
enum tmux_result call_end(char **argv, struct spawn *, struct buf *out,
    struct buf *why);
/* Both. */
enum tmux_result call_run(char **argv, const char *cwd, struct buf *out,
    struct buf *why);
/* Runs one command. */
enum tmux_result call_do(const char *socket, const char *const *words,
    struct buf *out, struct buf *why);

/* Adds a word for tmux's own parser, its special characters escaped. */
void call_add_word(struct buf *line, const char *word);
/* A wish as a line for tmux's own parser, for the caller to free; token marks
 * its capture in the answer. */
char *call_wish(const struct tmux_wish *, const char *token);

#endif
