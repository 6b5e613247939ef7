/*
 * transcriptfile.h - where the transcript of a session lies.
 *
 * A client keeps them in a folder of its user.  Only what leads to exactly one
 * file counts: the session's id, which the client was given, wrote into a file
 * of its process, or told a hook; or the file that its process holds open.
 * Links below the folder are not followed.
 */
#ifndef PANEWARD_TRANSCRIPTFILE_H
#define PANEWARD_TRANSCRIPTFILE_H

#include <stdbool.h>
#include <sys/types.h>

#include "text/json.h"

/* From "transcript" of a backend. */
struct transcript_place {
	char *folder;                   /* below the home directory, */
	char *variable;                 /* or what this names; NULL: nothing */
	char *files;                    /* "projects/ * /<<session>>.jsonl" */
	char *process;                  /* "sessions/<<pid>>.json"; NULL */
	char *session;                  /* the path of the id in that file */
	bool  open;                     /* the process holds it open */
};

struct transcript_found {
	char  *path;                    /* NULL: none, or several */
	cJSON *process;                 /* the file of the process, or NULL */
};

/* agent may be 0, session NULL: not known. */
void transcript_find(struct transcript_found *, const struct transcript_place *,
    pid_t agent, const char *session);
void transcript_found_release(struct transcript_found *);

/* Opens a transcript for reading; -1 with errno, EBADMSG if it is no regular
 * file or belongs to another user. */
int  transcript_open(const char *path);

#endif
