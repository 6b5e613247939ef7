#include "show/pick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queue/jump.h"

struct pick {
	const struct context *context;
	const char *word;
	long        server;             /* the pid of ours; 0: none */
	struct row *near, *far;         /* the first of each */
	size_t      nnear, nfar;
	struct buf  others;             /* how to name each of several */
};

static bool
pick_matches(const struct pick *x, const struct row *r)
{
	const struct pane_ref *place = &r->status.place;
	char word[JUMP_WORD];

	if (r->host != NULL || r->problem != NULL)
		return false;
	jump_word(word, r);
	return strcmp(x->word, row_name(r)) == 0 ||
	    strcmp(x->word, word) == 0 ||
	    (place->pane[0] != '\0' && strcmp(x->word, place->pane) == 0);
}

static void
pick_add(struct pick *x, struct row *r)
{
	bool near = x->word[0] == '%' || r->directory == NULL ?
	    x->server != 0 && r->status.place.server == x->server :
	    strcmp(r->directory, x->context->dir.path) == 0;
	struct row **first = near ? &x->near : &x->far;
	size_t *n = near ? &x->nnear : &x->nfar;
	char word[JUMP_WORD];

	if ((*n)++ == 0)
		*first = r;
	jump_word(word, r);
	buf_printf(&x->others, "%s%s", x->others.len > 0 ? ", " : "", word);
	if (r->project != NULL)
		buf_printf(&x->others, " (%s)", r->project);
}

/* The pane of an issue that is over may have a row, too. */
static bool
pick_known(const struct pick *x, const struct row *r)
{
	const struct row *first = x->nnear > 0 ? x->near : x->far;
	char one[JUMP_WORD], other[JUMP_WORD];

	if (first == NULL)
		return false;
	jump_word(one, first);
	jump_word(other, r);
	return strchr(one, '%') != NULL && strcmp(one, other) == 0;
}

struct row *
pick_row(const struct queue *q, const struct context *context,
    const char *word, struct buf *why)
{
	/* $TMUX has the server's pid: socket,pid,number. */
	const char *tmux = getenv("TMUX");
	const char *comma = tmux != NULL ? strchr(tmux, ',') : NULL;
	struct pick x = { .context = context, .word = word,
	    .server = comma != NULL ? strtol(comma + 1, NULL, 10) : 0 };
	struct row *const *rows, *found = NULL;
	size_t n, i;

	rows = queue_rows(q, &n);
	for (i = 0; i < n; i++)
		if (pick_matches(&x, rows[i]) && !pick_known(&x, rows[i]))
			pick_add(&x, rows[i]);
	if (x.nnear == 1 || (x.nnear == 0 && x.nfar == 1))
		found = x.nnear == 1 ? x.near : x.far;
	else if (x.nnear + x.nfar == 0)
		buf_printf(why, "no agent is known by the name '%s'", word);
	else
		buf_printf(why, "'%s' names several: %s", word,
		    buf_str(&x.others));
	buf_release(&x.others);
	return found;
}
