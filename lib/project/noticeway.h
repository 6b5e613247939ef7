/*
 * noticeway.h - how notices are sent: the ways of `notify`.
 *
 * A way is a word ("bell", "tmux", "osc", "desktop"), an address behind a word
 * ("ntfy:https://ntfy.sh/TOPIC", "webhook:https://..."), or a command (see
 * usercommand.h).  `notify` is one, or a list of them in which a command is a
 * list itself.  A list of words of which none is a way is one command.
 *
 * An address may hold a password: it is never part of a message, of an
 * argument or of the environment.
 */
#ifndef PANEWARD_NOTICEWAY_H
#define PANEWARD_NOTICEWAY_H

#include "base/buf.h"
#include "data/strict.h"

/* In the order in which they are sent: those that can hang last. */
enum noticeway_kind {
	NOTICEWAY_BELL,
	NOTICEWAY_TMUX,
	NOTICEWAY_OSC,
	NOTICEWAY_DESKTOP,
	NOTICEWAY_NTFY,
	NOTICEWAY_WEBHOOK,
	NOTICEWAY_COMMAND,
	NOTICEWAY_KINDS
};

enum { NOTICEWAY_ID = 32 };

struct noticeway {
	enum noticeway_kind kind;
	char *address;                  /* of ntfy and webhook */
	char **words;                   /* of a command */
	char id[NOTICEWAY_ID];          /* "bell", "ntfy-1a2b3c4d": tells it
					   from the other ways */
};

struct noticeways {
	struct noticeway *way;
	size_t n;
};

/* For a row of strict.h; the field is a struct noticeways. */
strict_take noticeways_take;

/* Adds them as one line of JSON without a line feed, which parse() reads; -1:
 * it is no such line. */
void noticeways_print(struct buf *, const struct noticeways *);
int  noticeways_parse(struct noticeways *, const char *text, size_t len);
void noticeways_release(struct noticeways *);
void noticeway_release(struct noticeway *);

/* Can it be used?  -1 with the reason in *error, for people. */
int  noticeway_check(const struct noticeway *, struct buf *error);

/* "bell", ..., "command". */
const char *noticeway_name(enum noticeway_kind);
/* NOTICEWAY_KINDS for another name. */
enum noticeway_kind noticeway_named(const char *name);
/* The name of the way that was meant; NULL: none is near. */
const char *noticeway_nearest(const char *word);
/* Adds a way that is a word. */
void noticeways_add_word(struct noticeways *, enum noticeway_kind);

/* The path of the first program in PATH that can send it, for the caller to
 * free; NULL: there is none, or it needs none. */
char *noticeway_program(enum noticeway_kind);

#endif
