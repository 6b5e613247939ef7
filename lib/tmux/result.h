/*
 * result.h - what a call of tmux wants of panes, and what comes of it.
 */
#ifndef PANEWARD_RESULT_H
#define PANEWARD_RESULT_H

enum {
	TMUX_LIMIT = 5000,              /* ms a call may take */
	TMUX_HISTORY = 500              /* lines above a captured screen */
};

enum tmux_result {
	TMUX_OK,                /* also without any session or pane; then the
				   listing may name no server */
	TMUX_NO_SERVER,         /* no server listens on the socket */
	TMUX_SILENT,            /* a server runs there but does not answer */
	TMUX_MISSING,           /* no tmux program */
	TMUX_OLD,               /* before 3.0 */
	TMUX_FAILED             /* anything else; the message says what */
};

/* What a wish wants of one pane. */
enum tmux_want {
	TMUX_CAPTURE = 1 << 0,
	TMUX_PIPE    = 1 << 1,          /* with pipe; after the capture */
	TMUX_STAY    = 1 << 2,          /* set remain-on-exit */
	TMUX_NAME    = 1 << 3           /* set @paneward_issue, _run, _dir */
};

struct tmux_wish {
	const char *pane;               /* an id; borrowed during the begin */
	unsigned    want;               /* enum tmux_want */
	const char *pipe;               /* from tmux_pipe_command() */
	const char *issue, *run, *dir;
};

#endif
