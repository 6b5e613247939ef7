/*
 * inbox.c - the hook that hands an agent its mail when it wants to stop.  The
 * name of the agent decides which inboxes it reads (project/config.h).  Its
 * last message may make a notice.  Unread entries keep it going.
 *
 * The agent waits for the hook.  If an inbox is locked, another process writes
 * the notice.
 */

#include "data/pattern.h"
#include "hook/hook.h"
#include "mail/mail.h"
#include "run/sigfile.h"
#include "tmux/sockets.h"
#include "tmux/tmux.h"

enum {
	SHOWN_ITEMS = 5, SHOWN_TEXT = 80,       /* characters of each */
	DESCRIPTORS = 1024
};

struct stop {
	struct hook_call *call;
	struct mail mail;
	const char *agent;
	const struct inbox_role *role;  /* NULL: unknown */
	size_t count;
	struct buf names, items;
};

/* ---- what its message means ---------------------------------------------- */

/* Most patterns are words joined by ".*". pcre2 runs on lines with the longest
 * word alone. */

static void
add_lower(struct buf *out, const char *text, size_t len)
{
	char *to = buf_room(out, len);
	size_t i;

	for (i = 0; i < len; i++)
		to[i] = text[i] >= 'A' && text[i] <= 'Z' ?
		    (char)(text[i] + 'a' - 'A') : text[i];
	out->len += len;
}

/*
 * Adds the longest word of a pattern in lower case, if one is known.  Its
 * letters have no second case beyond ASCII: kana, kanji and most of Hangul
 * count (U+3000 to U+9FFF and U+B000 to U+DFFF). k and s have one in the Kelvin
 * sign and the long s.
 */
static void
add_longest_word(struct buf *out, const char *pattern)
{
	struct buf lower = BUF_INIT;
	const char *p, *word = "";
	size_t len, longest = 0;
	unsigned char c;

	for (p = pattern; *p != '\0'; p++)
		if (strchr("\\[](){}|^$#", *p) != NULL ||
		    (strchr("*+?", *p) != NULL &&
		    (p == pattern || p[-1] != '.')))
			return;
	add_lower(&lower, pattern, strlen(pattern));
	for (p = buf_str(&lower); *p != '\0'; p += len + (p[len] != '\0')) {
		for (len = 0; (c = (unsigned char)p[len]) != '\0'; ) {
			if (c >= 0x80 ? c < 0xe3 || c > 0xed || c == 0xea :
			    strchr(".*+?ks", c) != NULL)
				break;
			len += c >= 0x80 ? 3 : 1;
		}
		if (len > longest) {
			word = p;
			longest = len;
		}
	}
	buf_add(out, word, longest);
	buf_release(&lower);
}

/* lower is the text in lower case. */
static bool
lines_match(const char *text, size_t len, const char *lower,
    const char *pattern_text)
{
	struct pattern *pattern = NULL;
	struct buf word = BUF_INIT;
	const char *end, *p;
	size_t at, next, size;
	bool found = false;

	add_longest_word(&word, pattern_text);
	/* A word of another script seldom has even its first byte there. */
	at = word.len > 0 && !memchr(lower, word.data[0], len) ? len : 0;
	for (; at < len && !found; at = next) {
		p = memmem(lower + at, len - at, buf_str(&word), word.len);
		if (p == NULL)
			break;
		while (p > lower + at && p[-1] != '\n')
			p--;
		at = (size_t)(p - lower);
		end = memchr(text + at, '\n', len - at);
		next = end ? (size_t)(end - text) + 1 : len;
		size = next - at - (end != NULL);
		if (size > 0 && text[at + size - 1] == '\r')
			size--;
		if (pattern == NULL)
			pattern = inboxrules_compile(pattern_text, NULL, 0);
		found = pattern_match(pattern, text + at, size);
	}
	pattern_free(pattern);
	buf_release(&word);
	return found;
}

bool
mailjudge(const struct inboxrules *r, const char *text, size_t len,
    enum inbox_kind *kind)
{
	struct buf lower = BUF_INIT;
	size_t found = INBOX_KINDS, i;
	char **p;

	add_lower(&lower, text, len);
	for (i = 0; i < found; i++)
		for (p = r->patterns[i]; *p != NULL && i < found; p++)
			if (lines_match(text, len, buf_str(&lower), *p))
				found = i;
	*kind = (enum inbox_kind)found;
	buf_release(&lower);
	return found < INBOX_KINDS;
}

/*
 * An agent that reads the inbox of notices gets none.  An input without an
 * event is that of Claude Code.
 */
static void
send_notice(struct stop *s)
{
	const struct inboxrules *rules = &s->mail.context.config.inbox;
	const char *target = rules->notify_to, *const *box, *message;
	struct inbox_notice n = { .from = s->agent };
	struct buf content = BUF_INIT, wrong = BUF_INIT;
	struct hook_call *c = s->call;
	const struct json *member = NULL;
	enum inbox_result result;
	struct event_meaning event;
	enum inbox_kind kind;
	struct dialect d;
	int found = dialect_find(&d, NULL, c->input, &event, &wrong), fd;

	hook_collect(&c->why, &wrong);
	if (found != 1 && (found = dialect_read(&d, "claude", &wrong)) == -1)
		buf_reset(&wrong);      /* it was reported above */
	if (found == 1) {
		member = dialect_member(&d, c->input, "message", false);
		if (member == NULL)
			member = dialect_member(&d, c->input, "inbox_message",
			    false);
		if (member != NULL && !json_is(member, JSON_TEXT))
			buf_printf(&wrong, "'%s' is not a text", member->key);
	}
	hook_collect(&c->why, &wrong);
	message = json_text_of(member);
	for (box = s->role != NULL ? s->role->unread : NULL;
	    box != NULL && *box != NULL; box++)
		if (strcmp(*box, target) == 0)
			return;
	if (message == NULL ||
	    !mailjudge(rules, message, strlen(message), &kind))
		return;
	inboxrules_tell(rules, &content, kind,
	    &(struct inbox_telling){ .agent = s->agent });
	n.content = buf_str(&content);
	n.type = inbox_kinds[kind];
	result = mail_add(&s->mail, target, &n, &wrong);
	if (result == INBOX_BUSY) {
		/* The process inherits nothing, and journals a failure. */
		buf_reset(&wrong);
		for (fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (fd != -1 && spawn_detached(&(struct spawn_how){ .argv =
		    WORDS(proc_program(), "inbox", "write", "--journal", "--",
		    target, n.content, n.type, n.from) }, -1, fd) != -1)
			result = INBOX_OK;
		else
			buf_printf(&wrong, "cannot write to the inbox '%s' "
			    "later: %s", target, strerror(errno));
	}
	if (result != INBOX_OK)
		mail_lost(&s->mail, target, &n, buf_str(&wrong));
	hook_collect(&c->why, &wrong);
	hook_collect(&c->why, &s->mail.trouble);
}

/* "- s2: subject": two tasks may have one subject. */
static void
add_item(struct buf *out, const struct yaml_node *entry)
{
	const struct yaml_node *node = inbox_text(entry, "subtask_id");
	const struct yaml_node *about = inbox_about(entry);
	const char *text, *end;
	size_t len;

	buf_adds(out, "\n- ");
	for (node = node != NULL ? node : about; node != NULL;
	    node = node != about ? about : NULL) {
		for (text = node->text; (unsigned char)*text <= ' '; )
			text++;
		len = node->len - (size_t)(text - node->text);
		end = memchr(text, '\n', len);
		sigfile_text(out, text, end ? (size_t)(end - text) : len,
		    SHOWN_TEXT);
		buf_adds(out, node != about ? ": " : "");
	}
}

static void
add_boxes(struct stop *s, int dir, const char *const *box, bool unread)
{
	struct yaml_node *list = NULL, *entry = NULL;
	struct buf wrong = BUF_INIT;
	struct inbox inbox;
	enum inbox_result result;
	size_t before;

	for (; box != NULL && *box != NULL; box++) {
		before = s->count;
		result = inbox_load(&inbox, dir, *box, unread, &wrong);
		if (result == INBOX_MISSING)
			buf_reset(&wrong);
		hook_collect(&s->call->why, &wrong);
		if (result != INBOX_OK)
			continue;
		while (inbox_next(&inbox, &list, &entry)) {
			if (unread ? !inbox_unread(entry) :
			    list != yaml_member(inbox.yaml.root, "tasks") ||
			    !yaml_is_text(yaml_member(entry, "status"),
			    "assigned"))
				continue;
			if (s->count++ < SHOWN_ITEMS)
				add_item(&s->items, entry);
		}
		inbox_release(&inbox);
		if (s->count == before)
			continue;
		if (s->names.len > 0)
			inboxrules_tell(&s->mail.context.config.inbox,
			    &s->names, INBOX_BETWEEN,
			    &(struct inbox_telling){ 0 });
		buf_printf(&s->names, "queue/inbox/%s.yaml", *box);
	}
}

int
hook_inbox(struct hook_call *c)
{
	struct stop s = { .call = c, .agent = getenv("__STOP_HOOK_AGENT_ID") };
	struct buf text = BUF_INIT, why = BUF_INIT;
	const char *pane = getenv("TMUX_PANE");
	const struct inboxrules *rules;
	struct inbox_telling told;
	struct self own;
	int dir = -1;

	if (hook_kept_going(c))
		return 0;
	if (s.agent == NULL && pane != NULL && tmux_id_valid(pane, '%') &&
	    tmux_pane_tell(tmux_socket(), pane, "#{@agent_id}", &text,
	    &c->why) == TMUX_OK)
		s.agent = buf_steal(&text);
	if (s.agent == NULL || s.agent[0] == '\0')
		return 0;
	if (mail_open(&s.mail, hook_folder(), false, &c->why) != EXIT_DONE)
		return -1;
	rules = &s.mail.context.config.inbox;
	s.role = inboxrules_role(rules, s.agent);
	if (s.role == NULL || !s.role->approve) {
		send_notice(&s);
		if (s.role != NULL)
			dir = inbox_open(s.mail.root, false, &why);
		hook_collect(&c->why, &why);
	}
	if (dir != -1) {
		add_boxes(&s, dir, s.role->unread, true);
		add_boxes(&s, dir, s.role->assigned, false);
	}
	if (s.count == 0)
		return 0;
	/* The pane shows the reason, without its markers. */
	self_find(&own, SELF_OPTIONS, s.mail.context.project.root, &why);
	told = (struct inbox_telling){ s.agent, buf_str(&s.names), s.count };
	inboxrules_tell(rules, &text, INBOX_REASON, &told);
	buf_adds(&text, buf_str(&s.items));
	if (s.count > SHOWN_ITEMS) {
		told.count -= SHOWN_ITEMS;
		buf_addc(&text, '\n');
		inboxrules_tell(rules, &text, INBOX_MORE, &told);
	}
	hook_collect(&c->why, &why);
	hook_block(c, &own, &text);
	return 0;
}
