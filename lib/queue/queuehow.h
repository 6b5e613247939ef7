/*
 * queuehow.h - which agents a queue has, and how it learns of them.
 */
#ifndef PANEWARD_QUEUEHOW_H
#define PANEWARD_QUEUEHOW_H

#include "os/loop.h"
#include "project/context.h"

/* Called for a status record that cannot be read (error is its errno), or for
 * an issue that was named and has none (0). */
typedef void queue_trouble(void *, const char *dir, const char *issue,
    int error);

struct queue_how {
	const struct context *context;  /* where we are; borrowed */
	bool all;                       /* the projects of the registry, too */
	bool panes;                     /* tmux is asked for the agents in
					   panes */
	bool hosts;                     /* the configured hosts are asked */
	struct loop *loop;              /* it is live, in this one; or NULL */
	msec pace;                      /* of a live one: between looks at what
					   no event reports; 0: a second */
	bool names;                     /* only who is there: no issue is
					   judged */
	char *const *issues;            /* only these; NULL: all */
	size_t nissues;
	queue_trouble *trouble;         /* NULL: none is told */
	void *trouble_context;
};

#endif
