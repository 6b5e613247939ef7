/*
 * exitstatus.h - what the program ends with.
 */
#ifndef PANEWARD_EXITSTATUS_H
#define PANEWARD_EXITSTATUS_H

/* The exit status of every command; paneward(1) lists them. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_NO = 1,            /* the answer is no; watch, wait: error */
	EXIT_USAGE = 2,         /* used wrongly, or a wrong configuration */
	EXIT_COULD_NOT = 3,     /* the system or tmux failed */
	EXIT_ENDED = 10,        /* dead or gone without a report */
	EXIT_WAITING = 11,
	EXIT_HANDOFF = 12,      /* hand-off failed or was refused for good */
	EXIT_TIMEOUT = 124,
	EXIT_INTERRUPTED = 130  /* loop run: by a signal */
};

#endif
