/*
 * seen.h - which agents a person has seen in their present state:
 * <issue>.seen in .paneward, with the episode.
 *
 * It is seen if a tmux client has shown its pane, if a command of paneward went
 * there, or if the person said so.  The next state has not been seen.
 */
#ifndef PANEWARD_SEEN_H
#define PANEWARD_SEEN_H

#include "run/status.h"

enum seen {
	SEEN_NOT,
	SEEN_ONCE,
	SEEN_FORGOTTEN                  /* and is to leave the list */
};

/* The state of this moment, which ends when the agent does something else, or
 * its hand-off comes to need a person. */
enum { SEEN_EPISODE = RUN_ID_LEN + 48 };
void seen_episode(char episode[SEEN_EPISODE], const struct status *);

/* SEEN_NOT also if the file cannot be read. */
enum seen seen_read(int state_fd, const char *issue, const char *episode);
/* -1 with errno. */
int  seen_write(int state_fd, const char *issue, const char *episode,
    enum seen);

#endif
