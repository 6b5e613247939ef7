#include "top/keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/columns.h"
#include "base/utf8.h"
#include "queue/jump.h"
#include "top/canvas.h"
#include "top/guest.h"

enum { DOUBLE = 400 };          /* ms between the clicks of a double click */

static void
keys_say(struct live *t, const char *what, const struct row *r, const char *why)
{
	buf_printf(&t->message, "%s %s: %s", what, row_name(r), why);
}

/* ---- the choice ---------------------------------------------------------- */

static void
key_up(struct live *t)
{
	choice_move(&t->choice, -1);
}

static void
key_down(struct live *t)
{
	choice_move(&t->choice, 1);
}

static void
key_page_up(struct live *t)
{
	choice_move(&t->choice, -(long)t->list_rows);
}

static void
key_page_down(struct live *t)
{
	choice_move(&t->choice, (long)t->list_rows);
}

static void
key_first(struct live *t)
{
	choice_move(&t->choice, -(long)t->choice.n);
}

static void
key_last(struct live *t)
{
	choice_move(&t->choice, (long)t->choice.n);
}

/* ---- what is done with the chosen agent ---------------------------------- */

/* While another program has the terminal, tmux would show a queue of before. */
static bool
keys_lend(struct live *t)
{
	bool shown = t->segment != NULL;

	if (shown)
		segment_free(t->segment);
	t->segment = NULL;
	return shown;
}

static void
keys_regain(struct live *t, bool shown)
{
	if (shown)
		t->segment = segment_new(t->context.config.sockets);
}

/* Outside tmux a client has our terminal until it detaches. */
static void
keys_visit(struct live *t, const struct row *r, struct buf *why)
{
	const char *dir = r->host == NULL ? r->directory : NULL;
	char word[JUMP_WORD], *name;
	bool shown = keys_lend(t);

	jump_word(word, r);
	name = r->host == NULL ? xstrdup(word) :
	    xasprintf("%s:%s", r->host, word);
	guest_run(WORDS(t->program, "attach", name,
	    dir != NULL ? "--status-dir" : NULL, dir), STDIN_FILENO, why);
	free(name);
	keys_regain(t, shown);
}

/* Not in a pane, we are in a popup, which ends with us. */
static void
key_jump(struct live *t)
{
	struct row *r = choice_row(&t->choice);
	struct buf why = BUF_INIT;
	struct jump jump;

	if (r == NULL)
		return;
	if (jump_open(&jump, t->client, &why) == 0) {
		if (jump_leaves(&jump))
			keys_visit(t, r, &why);
		else if (jump_to(&jump, t->queue, r, &why) == 0)
			t->over = jump.client != NULL;
	}
	if (why.len > 0)
		keys_say(t, "cannot go to", r, buf_str(&why));
	jump_release(&jump);
	buf_release(&why);
}

static void
key_screen(struct live *t)
{
	t->screen = !t->screen;
}

/* Why nothing but going there can be done with the row here; NULL: it can. */
static const char *
keys_elsewhere(const struct row *r)
{
	return r->problem != NULL ? "it is no agent" : r->host != NULL ?
	    "it is on another host; Enter goes there" : NULL;
}

/* The output of a command of paneward about the chosen agent's issue, with an
 * option, or NULL. */
static void
keys_page(struct live *t, const char *command, const char *option)
{
	struct row *r = choice_row(&t->choice);
	struct buf why = BUF_INIT;
	char *name;
	bool shown, recorded = strcmp(command, "history") == 0 &&
	    t->context.config.fleet != NULL;

	if (r == NULL)
		return;
	if (r->problem != NULL || (r->host != NULL && !recorded)) {
		buf_adds(&why, keys_elsewhere(r));
	} else if (r->pane) {
		buf_adds(&why, "it has no issue; Space shows its screen");
	} else if (r->host != NULL) {
		name = xasprintf("%s:%s", r->host, r->status.issue);
		shown = keys_lend(t);
		guest_page(WORDS(t->program, command, name), NULL, &why);
		keys_regain(t, shown);
		free(name);
	} else {
		shown = keys_lend(t);
		guest_page(WORDS(t->program, command, "--status-dir",
		    r->directory, r->status.issue, option), r->project, &why);
		keys_regain(t, shown);
	}
	if (why.len > 0)
		keys_say(t, command, r, buf_str(&why));
	buf_release(&why);
}

static void
key_log(struct live *t)
{
	keys_page(t, "log", NULL);
}

static void
key_explain(struct live *t)
{
	keys_page(t, "explain", NULL);
}

static void
key_history(struct live *t)
{
	keys_page(t, "history", NULL);
}

static void
key_diff(struct live *t)
{
	keys_page(t, "diff", "--color");
}

static void
key_forget(struct live *t)
{
	struct row *r = choice_row(&t->choice);

	if (r != NULL && keys_elsewhere(r) != NULL)
		keys_say(t, "cannot forget", r, keys_elsewhere(r));
	else if (r != NULL && queue_see(t->queue, r, SEEN_FORGOTTEN) == -1)
		keys_say(t, "cannot forget", r, strerror(errno));
}

/* The dialog is on its screen. */
static void
key_reply(struct live *t)
{
	struct row *r = choice_row(&t->choice);
	struct buf why = BUF_INIT;

	if (r == NULL)
		return;
	if (keys_elsewhere(r) != NULL)
		buf_adds(&why, keys_elsewhere(r));
	else if (reply_begin(&t->reply, t->program, r, &why) == 0)
		t->screen = true;
	if (why.len > 0)
		keys_say(t, "cannot answer", r, buf_str(&why));
	buf_release(&why);
}

/* ---- what is shown ------------------------------------------------------- */

static void
key_all(struct live *t)
{
	t->choice.finished = !t->choice.finished;
}

static void
key_filter(struct live *t)
{
	t->typing = true;
}

static void
key_help(struct live *t)
{
	t->help = 1;
}

static void
key_escape(struct live *t)
{
	buf_reset(&t->choice.filter);
	t->screen = false;
}

static void
key_quit(struct live *t)
{
	t->over = true;
}

/* ---- the keys ------------------------------------------------------------ */

static const struct key {
	long        code;
	const char *name, *what;        /* in the help; NULL: told before */
	void      (*act)(struct live *);
} keys[] = {
	{ TYPED_ENTER, "Enter", "go to its pane", key_jump },
	{ ' ', "Space", "its screen, live", key_screen },
	{ 'l', "l", "its log", key_log },
	{ 'e', "e", "why it is in its state", key_explain },
	{ 'h', "h", "its history", key_history },
	{ 'd', "d", "what it has changed", key_diff },
	{ 'r', "r", "answer what it asks", key_reply },
	{ 'f', "f", "forget it till it changes", key_forget },
	{ '/', "/", "only rows with some words", key_filter },
	{ TYPED_ESCAPE, "Esc", "all rows, no screen", key_escape },
	{ 'a', "a", "also what is over and seen", key_all },
	{ TYPED_UP, "Up k", "the one above", key_up },
	{ 'k', NULL, NULL, key_up },
	{ TYPED_DOWN, "Down j", "the one below", key_down },
	{ 'j', NULL, NULL, key_down },
	{ TYPED_PAGE_UP, "PgUp PgDn", "a page", key_page_up },
	{ TYPED_PAGE_DOWN, NULL, NULL, key_page_down },
	{ TYPED_HOME, "Home End", "the first, the last", key_first },
	{ TYPED_END, NULL, NULL, key_last },
	{ TYPED_WHEEL_UP, "Mouse", "wheel, click, double click", key_up },
	{ TYPED_WHEEL_DOWN, NULL, NULL, key_down },
	{ '?', "?", "this help", key_help },
	{ 'q', "q", "quit", key_quit },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

bool
keys_help(size_t number, const char **key, const char **what)
{
	size_t i;

	for (i = 0; i < KEYS; i++) {
		if (keys[i].name == NULL || number-- > 0)
			continue;
		*key = keys[i].name;
		*what = keys[i].what;
		return true;
	}
	return false;
}

static void
keys_act(struct live *t, long code)
{
	size_t i;

	for (i = 0; i < KEYS; i++)
		if (keys[i].code == code)
			keys[i].act(t);
}

/* A second click on the chosen row goes there. */
static void
keys_click(struct live *t, unsigned line)
{
	size_t at = t->choice.first + line - t->list_line;
	bool again = at == t->choice.at && t->now - t->clicked <= DOUBLE;

	if (line < t->list_line || line >= t->list_line + t->list_rows ||
	    !choice_set(&t->choice, at))
		return;
	t->clicked = t->now;
	if (again)
		key_jump(t);
}

/* Removes the last character. */
static void
keys_shorten(struct buf *b)
{
	while (b->len > 0 && ((unsigned char)b->data[--b->len] & 0xc0) == 0x80)
		continue;
}

/* Edits a line; false: the key is none for that. */
static bool
keys_edit(struct buf *line, long code)
{
	enum { CTRL_U = 0x15, MOST = 200 };

	if (code == TYPED_BACKSPACE)
		keys_shorten(line);
	else if (code == CTRL_U)
		buf_reset(line);
	else if (code >= TYPED_OTHER)
		return false;
	else if (line->len < MOST && !utf8_harmful((unsigned long)code) &&
	    (code < 0x7f || columns_utf8()))
		utf8_add(line, (unsigned long)code);
	return true;
}

static void
keys_type(struct live *t, long code)
{
	struct buf *filter = &t->choice.filter;

	if (code == TYPED_ENTER) {
		t->typing = false;
	} else if (code == TYPED_ESCAPE) {
		t->typing = false;
		buf_reset(filter);
	} else {
		if (code == TYPED_BACKSPACE)
			t->typing = filter->len > 0;
		if (!keys_edit(filter, code))
			keys_act(t, code);
	}
}

static void
keys_reply(struct live *t, long code)
{
	if (code == TYPED_ESCAPE || (code == TYPED_ENTER &&
	    t->reply.typed.len == 0))
		reply_drop(&t->reply);
	else if (code == TYPED_ENTER)
		reply_send(&t->reply, t->program, &t->message);
	else
		keys_edit(&t->reply.typed, code);
}

/* The next keys, or none. */
static void
keys_help_on(struct live *t)
{
	const char *key, *what;

	t->help += t->list_rows;
	if (!keys_help(t->help - 1, &key, &what))
		t->help = 0;
}

void
keys_do(struct live *t, long code, unsigned line)
{
	buf_reset(&t->message);
	if (code == TYPED_RESIZE)
		return;
	if (reply_open(&t->reply))
		keys_reply(t, code);
	else if (t->help > 0)
		keys_help_on(t);
	else if (code == TYPED_CLICK)
		keys_click(t, line);
	else if (t->typing)
		keys_type(t, code);
	else
		keys_act(t, code);
}
