/*
 * dialect.h - how an agent's hooks speak: "hooks" of its backend, see
 * paneward-backend(5).
 */
#ifndef PANEWARD_DIALECT_H
#define PANEWARD_DIALECT_H

#include "agent/backend.h"
#include "run/events.h"

struct dialect {
	struct json *file;              /* the backend up to its hooks */
	const struct json *hooks;       /* in it; texts are borrowed from it */
	char        *agent, *path;      /* the backend's name and file */
	char       **shells;            /* tools that run command lines */
	char       **questions;         /* tools that ask a person */
	bool         comments;          /* its settings may have comments */
};

/* 1; 0: there is no such backend, or it has no hooks; -1 with the reason. */
int  dialect_read(struct dialect *, const char *agent, struct buf *error);
void dialect_release(struct dialect *);

/*
 * Reads the backends of a file, NAME.json or a bundle, whose "backends" has an
 * object for each NAME, as every command reads them, and gives them.  Returns
 * their names, or NULL with the whole message.
 */
char **backends_give(struct backends *, const char *path,
    const struct buf *text, struct buf *error);

/* Sorted, for argv_free(); broken files, too. */
char **dialect_agents(void);

/* The first dialect with the event: the agent's (or NULL), Claude Code's, then
 * all by name.  1; 0; -1 with the reason: a file cannot be read.  error is
 * empty before. */
int  dialect_find(struct dialect *, const char *agent, const struct json *input,
    struct event_meaning *, struct buf *error);

/* By its name under "fields"; NULL: missing, or with text set no text. */
const struct json *dialect_member(const struct dialect *,
    const struct json *input, const char *field, bool text);
#define dialect_text(dialect, input, field) \
	json_text_of(dialect_member((dialect), (input), (field), true))

/* Our word for the reason of a failed turn. */
const char *dialect_error(const struct dialect *, const char *word);

#endif
