#include "top/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/spawn.h"
#include "queue/jump.h"
#include "text/json.h"

enum { LIMIT = 20000 };                 /* ms */

bool
reply_open(const struct reply *r)
{
	return r->word != NULL;
}

void
reply_drop(struct reply *r)
{
	free(r->word);
	free(r->directory);
	free(r->dialog);
	free(r->name);
	buf_release(&r->typed);
	*r = (struct reply){ .word = NULL };
}

/* Runs 'paneward answer' with these words in front of the agent's.  0 with what
 * it printed, else -1 with its message. */
static int
reply_run(const struct reply *r, const char *program, const char *const *words,
    const char *answer, struct buf *out)
{
	struct spawn s = SPAWN_INIT;
	char **argv = argv_add_all(NULL, WORDS(program, "answer"));
	int status;

	argv = argv_add_all(argv, words);
	if (r->directory != NULL)
		argv = argv_add_all(argv, WORDS("--status-dir", r->directory));
	argv = argv_add_all(argv, WORDS("--", r->word));
	if (answer != NULL)
		argv = argv_add(argv, answer);
	status = spawn_run(&s, &(struct spawn_how){ .limit = LIMIT,
	    .argv = (const char *const *)argv });
	buf_adds(out, buf_str(status == 0 ? &s.output : &s.errors));
	buf_chomp(out);
	spawn_release(&s);
	argv_free(argv);
	return status == 0 ? 0 : -1;
}

int
reply_begin(struct reply *r, const char *program, const struct row *row,
    struct buf *why)
{
	struct buf said = BUF_INIT;
	char word[JUMP_WORD];
	cJSON *o;

	reply_drop(r);
	jump_word(word, row);
	r->word = xstrdup(word);
	r->name = xstrdup(row_name(row));
	r->directory = row->directory != NULL ? xstrdup(row->directory) : NULL;
	if (reply_run(r, program, WORDS("--json"), NULL, &said) == 0) {
		o = json_parse(said.data, said.len, false, NULL);
		if (json_text(o, "dialog") != NULL &&
		    json_text(o, "asks") != NULL)
			r->dialog = xstrdup(json_text(o, "dialog"));
		json_free(o);
		buf_reset(&said);
		buf_adds(&said, "it is not known how it is answered");
	}
	if (r->dialog == NULL) {
		buf_adds(why, buf_str(&said));
		reply_drop(r);
	}
	buf_release(&said);
	return reply_open(r) ? 0 : -1;
}

void
reply_send(struct reply *r, const char *program, struct buf *result)
{
	const char *typed = buf_str(&r->typed);
	const char *answer = strcmp(typed, "y") == 0 ? "yes" :
	    strcmp(typed, "n") == 0 ? "no" : typed;

	reply_run(r, program, WORDS("--dialog", r->dialog), answer, result);
	reply_drop(r);
}
