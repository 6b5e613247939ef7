/*
 * transcriptfile.h - where the transcript of a session lies.
 *
 * A client keeps transcripts in a folder of its user.  Only what leads to
 * exactly one file counts: the file that its process holds open; the path that
 * it told a hook; or the session's id, which the client was given, keeps in a
 * file of its process, or told a hook.  Below the folder no link is followed.
 */
#ifndef PANEWARD_TRANSCRIPTFILE_H
#define PANEWARD_TRANSCRIPTFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"
#include "text/json.h"

/* From "transcript" of a backend. */
struct transcript_place {
	char *folder;                   /* below the home directory, */
	char *variable;                 /* or what this names; NULL: nothing */
	char *files;                    /* "projects/ * /<<session>>.jsonl" */
	char *process;                  /* "sessions/<<pid>>.json"; NULL */
	char *session, *process_time;   /* paths in that file */
	char *moved, *moved_to;         /* ... of a session that went on in
					   another process, whose own file has
					   the same word at moved_to; NULL */
	bool  open;                     /* the process holds it open */
	char *shared;                   /* a word in the command line of a
					   process that serves many sessions;
					   NULL: there is none */
	bool  late;                     /* it is made with the first message */
};

struct transcript_found {
	char  *path;                    /* NULL: none, or several */
	cJSON *process;                 /* the file of the process that has the
					   session, or NULL */
	const char *session;            /* in it, or NULL */
	bool   moved;                   /* it is not the agent's process */
};

/* What may lead to it; all but run may be missing. */
struct transcript_lead {
	pid_t       agent;
	const char *session;            /* of the agent */
	const char *run;                /* the session it was given, if it has
					   that for the name of its file only */
	const char *told, *told_session;        /* by a hook of that session:
					   the path */
	const char *known;              /* what was found before: if it is of
					   the session, there is no search */
};

void transcript_find(struct transcript_found *, const struct transcript_place *,
    const struct transcript_lead *);
void transcript_found_release(struct transcript_found *);

/* A time in an object: a text, or ms since 1970; -1: none. */
msec transcript_time(const cJSON *, const char *path);

/* Opens a transcript for reading; -1 with errno, EBADMSG if it is no regular
 * file, belongs to another user, or a link is on the way to it. */
int  transcript_open(const char *path);

#endif
