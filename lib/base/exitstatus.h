/*
 * exitstatus.h - the exit status of every command; see paneward(1).
 */
#ifndef PANEWARD_EXITSTATUS_H
#define PANEWARD_EXITSTATUS_H

enum exit_status {
	EXIT_DONE = 0,
	EXIT_NO = 1,            /* the answer is no; watch, wait: error */
	EXIT_USAGE = 2,         /* wrong use or configuration */
	EXIT_COULD_NOT = 3,     /* the system or tmux failed */
	EXIT_ENDED = 10,        /* dead or gone without a report */
	EXIT_WAITING = 11,
	EXIT_HANDOFF = 12,      /* failed or refused for good */
	EXIT_TIMEOUT = 124,
	EXIT_INTERRUPTED = 130  /* loop run: by a signal */
};

#endif
