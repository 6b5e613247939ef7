#include "top/live.h"

#include "os/compat.h"
#include "queue/target.h"

enum {
	MESSAGE = 1024,
	DOUBLE = 400,                   /* ms between two clicks */
	PASTING = 1000,                 /* ms from one character to the next */
	LINE = 200,                     /* bytes of a filter or an answer */
	ALL_ROWS = 1 << 30              /* more than there are */
};

/* If it fails, its own words or else the reason become the message. */
static void
guest_run(struct live *t, const char *const *argv, int in)
{
	int messages[2] = { -1, -1 }, status = -1;
	bool shown = t->segment != NULL;
	ssize_t n;

	if (pipe2(messages, O_CLOEXEC) == 0) {
		/* tmux would show an old queue meanwhile. */
		if (shown)
			segment_free(t->segment);
		canvas_close();
		status = spawn_front(argv, in, messages[1]);
		canvas_regain();
		if (shown)
			t->segment = segment_new(&t->queue->servers);
	}
	if (status == -1) {
		buf_printf(&t->message, "cannot run '%s': %s", argv[0],
		    strerror(errno));
	} else if (status != 0) {
		/* Its children may hold the other end open. */
		fcntl(messages[0], F_SETFL, O_NONBLOCK);
		n = read(messages[0], buf_room(&t->message, MESSAGE), MESSAGE);
		t->message.len += n > 0 ? (size_t)n : 0;
		if (n <= 0)
			buf_printf(&t->message, "'%s' ended with status %d",
			    argv[0], status);
		buf_chomp(&t->message);
	}
	file_close(messages[0]);
	file_close(messages[1]);
}

struct binding {
	long        code;
	const char *name, *what;        /* in the help; NULL: another row's */
	/* Unless done, the reason becomes the message. */
	void      (*act)(struct live *, const struct binding *);
	bool        here, fleet;        /* only for agents of this host; and
					   for issues that the fleet has */
	long        by;                 /* of key_move(), in rows */
	bool        pages;              /* or in pages */
	size_t      flag;               /* of struct live, for key_flip(); */
	bool        kept;               /* written down at once */
	const char *cannot;             /* before the reason; or the command of
					   key_page().  Needs a chosen row */
	const char *option;             /* of its command; marks of groups */
};

static void
key_move(struct live *t, const struct binding *k)
{
	choice_move(&t->choice, k->pages ? k->by * (long)t->list_rows : k->by);
}

/* Outside a pane we are in a popup, which ends with us. */
static void
key_jump(struct live *t, const struct binding *k)
{
	struct row *r = choice_row(&t->choice);
	const char *dir = r->host == NULL ? r->directory : NULL;
	char word[JUMP_WORD], *name;
	struct jump jump;
	bool opened = jump_open(&jump, t->client, &t->message) == 0;

	(void)k;
	if (opened && jump.socket == NULL) {
		/* Outside tmux a client has our terminal until it detaches. */
		jump_word(word, r);
		name = r->host == NULL ? xstrdup(word) :
		    xasprintf("%s:%s", r->host, word);
		guest_run(t, WORDS(t->program, "attach", name,
		    dir != NULL ? "--status-dir" : NULL, dir), STDIN_FILENO);
		free(name);
	} else if (opened && jump_to(&jump, t->queue, r, &t->message) == 0) {
		t->over = jump.client != NULL && !t->sidebar;
	}
	free(jump.socket);
	listing_release(&jump.listing);
}

/* Why only Enter works on the row; or NULL. */
static const char *
keys_elsewhere(const struct row *r)
{
	return r->problem != NULL ? "it is no agent" : r->host != NULL ?
	    "it is on another host; Enter goes there" : NULL;
}

static void
key_page(struct live *t, const struct binding *k)
{
	const struct row *r = choice_row(&t->choice);
	const char *named = getenv("PAGER");
	const char *dir = r->host != NULL ? NULL : r->directory;
	bool far = r->host != NULL;
	char *name, word[JUMP_WORD], **words, **pager;
	int output[2] = { -1, -1 }, ret = -1;

	/* With F in LESS less ends at once if the text fits on the screen, and
	 * the list hides it; cat means no pager. */
	if (named != NULL && strcmp(named, "cat") == 0)
		unsetenv("PAGER");
	pager = usercommand_pager("R");
	words = argv_own(argv_add(NULL, "env"), xasprintf("LESS=%s -+F",
	    getenv("LESS")));
	words = argv_add_all(words, (const char *const *)pager);
	argv_free(pager);
	jump_word(word, r);
	name = xasprintf("%s%s%s", far ? r->host : "", far ? ":" : "",
	    r->pane ? word : r->status.issue);
	if (pipe2(output, O_CLOEXEC) == 0)
		ret = spawn_detached(&(struct spawn_how){
		    .argv = WORDS(t->program, k->cannot, name, dir != NULL ?
		    "--status-dir" : k->option, dir, k->option),
		    .cwd = dir != NULL ? r->project : NULL }, -1, output[1]);
	file_close(output[1]);
	if (ret == -1)
		buf_printf(&t->message, "cannot run '%s': %s", t->program,
		    strerror(errno));
	else
		guest_run(t, (const char *const *)words, output[0]);
	file_close(output[0]);
	argv_free(words);
	free(name);
}

static void
key_forget(struct live *t, const struct binding *k)
{
	(void)k;
	if (queue_see(t->queue, choice_row(&t->choice), SEEN_FORGOTTEN) == -1)
		buf_adds(&t->message, strerror(errno));
}

const char *
keys_hint(struct live *t)
{
	const struct row *r = choice_row(&t->choice);

	return r == NULL ? "" : choice_head(r) ? "Enter folds  " :
	    keys_elsewhere(r) != NULL ? "" :
	    r->status.verdict.state == STATE_ASKING ? "r answer  " :
	    reply_refuses(t, r) == NULL ? "s send  " : "";
}

static void
key_reply(struct live *t, const struct binding *k)
{
	reply_begin(t, k->code == 's', &t->message);
	t->screen |= t->reply != NULL && t->reply->dialog[0] != '\0';
}

static void
key_flip(struct live *t, const struct binding *k)
{
	bool *flag = (bool *)((char *)t + k->flag);

	*flag = !*flag;
	if (k->kept)
		habits_write(&t->choice.habits);
}

static void
key_fold(struct live *t, const struct binding *k)
{
	choice_fold(&t->choice, k->option);
}

static void
key_pin(struct live *t, const struct binding *k)
{
	struct habits *h = &t->choice.habits;

	(void)k;
	if (choice_head(choice_row(&t->choice)))
		buf_adds(&t->message, "it is no agent");
	else
		habits_turn(h, &h->pinned, buf_str(&t->choice.agent));
}

#define HERE(does, fails) .act = (does), .here = true, .cannot = (fails)
#define FLIP(member) .act = key_flip, .flag = offsetof(struct live, member)
#define KEEP(member) FLIP(choice.habits.member), .kept = true

/* Rows without a name stand last. */
static const struct binding keys[] = {
	{ TYPED_ENTER, "Enter", "go to its pane", .act = key_jump,
	    .cannot = "cannot go to" },
	{ ' ', "Space", "its screen, live", FLIP(screen) },
	{ 'l', "l", "its log", HERE(key_page, "log") },
	{ 'e', "e", "why it is in its state", HERE(key_page, "explain") },
	{ 'h', "h", "its history", HERE(key_page, "history"), .fleet = true },
	{ 'd', "d", "what it has changed", HERE(key_page, "diff"),
	    .option = "--color" },
	{ 'r', "r", "answer what it asks", HERE(key_reply, "cannot answer") },
	{ 's', "s", "send it its next prompt",
	    HERE(key_reply, "cannot send to") },
	{ 'f', "f", "forget it till it changes",
	    HERE(key_forget, "cannot forget") },
	{ '/', "/", "only rows with some words", FLIP(typing) },
	{ TYPED_ESCAPE, "Esc", "all rows, no screen" },
	{ 'a', "a", "also what is over and seen", FLIP(choice.finished) },
	{ 'p', "p", "pin it at the top, or no more", .act = key_pin,
	    .cannot = "cannot pin" },
	{ 'g', "g", "groups by project, or no more", KEEP(grouped) },
	{ TYPED_LEFT, "Left Right", "fold a group, and unfold it",
	    .act = key_fold, .option = "-" },
	{ 'i', "i", "hide what works, or no more", KEEP(calm) },
	{ TYPED_UP, "Up Down k j", "the one above, below",
	    .act = key_move, .by = -1 },
	{ TYPED_PAGE_UP, "PgUp PgDn", "a page", .act = key_move, .by = -1,
	    .pages = true },
	{ TYPED_HOME, "Home End", "the first, the last",
	    .act = key_move, .by = -ALL_ROWS },
	{ TYPED_WHEEL_UP, "Mouse", "wheel, click, double click",
	    .act = key_move, .by = -1 },
	{ '?', "?", "this help" },
	{ 'q', "q", "quit", FLIP(over) },
	{ TYPED_DOWN, NULL, NULL, .act = key_move, .by = 1 },
	{ 'k', NULL, NULL, .act = key_move, .by = -1 },
	{ 'j', NULL, NULL, .act = key_move, .by = 1 },
	{ TYPED_PAGE_DOWN, NULL, NULL, .act = key_move, .by = 1,
	    .pages = true },
	{ TYPED_END, NULL, NULL, .act = key_move, .by = ALL_ROWS },
	{ TYPED_WHEEL_DOWN, NULL, NULL, .act = key_move, .by = 1 },
	{ TYPED_RIGHT, NULL, NULL, .act = key_fold, .option = "+" },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

bool
keys_help(size_t i, const char **key, const char **what)
{
	if (i >= KEYS || keys[i].name == NULL)
		return false;
	*key = keys[i].name;
	*what = keys[i].what;
	return true;
}

static void
keys_act(struct live *t, long code)
{
	const struct binding *k = keys, *end = keys + KEYS;
	const struct row *r = choice_row(&t->choice);
	char *why;
	bool acts;

	while (k < end && k->code != code)
		k++;
	if ((code == TYPED_ENTER || code == ' ') &&
	    choice_fold(&t->choice, "+-"))
		return;
	acts = k < end && k->act != NULL && (k->cannot == NULL || r != NULL);
	if (acts && k->here && keys_elsewhere(r) != NULL && (!k->fleet ||
	    r->problem != NULL || r->pane || t->context.config.fleet == NULL))
		buf_adds(&t->message, keys_elsewhere(r));
	else if (acts)
		k->act(t, k);
	if (t->message.len > 0) {
		why = buf_steal(&t->message);
		buf_printf(&t->message, "%s %s: %s", k->cannot,
		    row_name(choice_row(&t->choice)), why);
		free(why);
	}
	if (code == '?')
		t->help = 1;
	if (code == TYPED_ESCAPE) {
		buf_reset(&t->choice.filter);
		t->screen = false;
	}
}

/* False: it is no key of a line.  A pasted text may have more lines. */
static bool
keys_edit(struct buf *line, size_t most, long code, bool lines)
{
	enum { CTRL_U = 0x15 };
	bool fits = line->len < most;

	if (code == TYPED_BACKSPACE)
		while (line->len > 0 &&
		    ((unsigned char)line->data[--line->len] & 0xc0) == 0x80)
			continue;
	else if (code == CTRL_U)
		buf_reset(line);
	else if (lines && fits && (code == TYPED_ENTER || code == '\t'))
		buf_addc(line, code == '\t' ? '\t' : '\n');
	else if (code >= TYPED_OTHER)
		return false;
	else if (fits && !utf8_harmful((unsigned long)code) &&
	    (code < 0x7f || columns_utf8()))
		utf8_add(line, (unsigned long)code);
	return true;
}

static void
keys_reply(struct live *t, long code, bool pasted)
{
	struct reply *r = t->reply;
	bool prompt = r->dialog[0] == '\0', enter = code == TYPED_ENTER;

	if (pasted || (!enter && code != TYPED_ESCAPE))
		/* More than is sent, so that nothing is cut in silence. */
		keys_edit(&r->typed, prompt ? PROMPT_TEXT + 1 : LINE, code,
		    prompt && pasted);
	else if (enter && r->typed.len > 0)
		reply_give(t);
	else
		reply_leave(t);
}

void
keys_do(struct live *t, long code, unsigned line)
{
	struct buf *filter = &t->choice.filter;
	size_t at = t->choice.first + (line - t->list_line) / (1 + t->sidebar);
	bool again = at == t->choice.at && t->now - t->clicked <= DOUBLE;
	bool pasted = t->now < t->pasted;
	const char *key, *what;

	buf_reset(&t->message);
	if (code == TYPED_RESIZE)
		return;
	if (pasted || code == TYPED_PASTE)
		t->pasted = code == TYPED_PASTED ? 0 : t->now + PASTING;
	if (t->reply != NULL) {
		keys_reply(t, code, pasted);
	} else if (pasted) {
		/* Its letters are no keys. */
		if (t->typing)
			keys_edit(filter, LINE, code, false);
	} else if (t->help > 0) {
		t->help += t->list_rows;
		if (!keys_help(t->help - 1, &key, &what))
			t->help = 0;
	} else if (code == TYPED_CLICK) {
		if (line < t->list_line || at >= t->choice.n ||
		    at >= t->choice.first + t->list_rows)
			return;
		choice_move(&t->choice, (long)at - (long)t->choice.at);
		t->clicked = t->now;
		if (again)
			keys_act(t, TYPED_ENTER);
	} else if (t->typing && (code == TYPED_ENTER || code == TYPED_ESCAPE)) {
		t->typing = false;
		if (code == TYPED_ESCAPE)
			buf_reset(filter);
	} else {
		if (t->typing && code == TYPED_BACKSPACE)
			t->typing = filter->len > 0;
		if (!t->typing || !keys_edit(filter, LINE, code, false))
			keys_act(t, code);
	}
}
