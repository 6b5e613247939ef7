/*
 * live.h - what the parts of paneward-top share.
 *
 * top.c has the loop; keys.c does what the keys say; view.c draws.
 */
#ifndef PANEWARD_LIVE_H
#define PANEWARD_LIVE_H

#include "project/context.h"
#include "queue/queue.h"
#include "queue/segment.h"
#include "top/choice.h"
#include "top/reply.h"

struct live {
	struct context context;
	struct queue  *queue;
	struct segment *segment;        /* NULL: only one project is shown */
	struct choice  choice;
	const char    *client;          /* the tmux client whose popup we are
					   in; NULL: we are in none */
	const char    *program;         /* paneward */
	msec           now, wall;       /* of this turn */
	msec           tick;            /* when ages are drawn anew */
	msec           clicked;         /* when a row was, last */
	struct buf     message;         /* until the next key */
	bool           typing;          /* a filter */
	struct reply   reply;           /* to a dialog; open while it is
					   typed */
	bool           screen;          /* the chosen pane's screen is shown */
	size_t         help;            /* from which key on it is shown, from
					   1; 0: it is not */
	bool           over;
	size_t         list_line;       /* where the first row is drawn */
	size_t         list_rows;       /* how many fit */
};

#endif
