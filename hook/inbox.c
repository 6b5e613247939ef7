/*
 * inbox.c - the hook that hands an agent its mail when it wants to stop.
 *
 * The agent's name decides which inboxes are its own (run/mailrules.h).  If its
 * last message matches a pattern, others get a notice.  If its inboxes hold
 * unread entries, it is kept going with a reason that lists them.
 *
 * The agent waits for us, so a notice is written at once only if the lock of
 * its inbox is free; else a process of its own waits for the lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "chain/dialect.h"
#include "hook/hook.h"
#include "hook/mail.h"
#include "hook/mailjudge.h"
#include "marker/defang.h"
#include "os/proc.h"
#include "os/spawn.h"
#include "run/mailrules.h"
#include "run/self.h"
#include "run/sigfile.h"
#include "tmux/tmux.h"

enum {
	SHOWN_ITEMS = 5,                /* in a reason */
	SHOWN_TEXT = 80,                /* characters of each */
	DESCRIPTORS = 1024              /* that we may have inherited */
};

/* ---- who it is ---------------------------------------------------------- */

/* The agent's name; NULL: it has none, or why says what is wrong. */
static char *
find_agent(struct buf *why)
{
	const char *name = getenv("__STOP_HOOK_AGENT_ID");
	const char *pane = getenv("TMUX_PANE");
	struct buf answer = BUF_INIT;
	char *socket;

	if (name != NULL)
		return name[0] != '\0' ? xstrdup(name) : NULL;
	if (pane == NULL || !tmux_id_valid(pane, '%'))
		return NULL;
	socket = tmux_socket();
	if (tmux_pane_tell(socket, pane, "#{@agent_id}", &answer, why) !=
	    TMUX_OK)
		buf_reset(&answer);
	free(socket);
	if (answer.len > 0)
		return buf_steal(&answer);
	buf_release(&answer);
	return NULL;
}

/* ---- what it says ------------------------------------------------------- */

/* The agent's last message; NULL if there is none, or why says what is wrong.
 * An input that names no event is Claude Code's. */
static const char *
find_message(const cJSON *input, struct buf *why)
{
	struct dialect_event event;
	struct dialect d;
	const cJSON *member;
	int found = dialect_find(&d, input, &event, why);

	if (found == 0)
		found = dialect_read(&d, "claude", why);
	if (found != 1)
		return NULL;
	member = dialect_member(&d, input, DIALECT_MESSAGE);
	if (member == NULL)
		member = dialect_member(&d, input, DIALECT_INBOX_MESSAGE);
	if (member != NULL && !cJSON_IsString(member))
		buf_printf(why, "'%s' is not a text", member->string);
	dialect_release(&d);
	return cJSON_GetStringValue(member);
}

static bool
role_lists(const char *const *list, const char *name)
{
	for (; list != NULL && *list != NULL; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

/* Starts a process that inherits nothing.  Its exit status is lost, so what it
 * cannot write it journals. */
static int
write_later(const char *target, const struct inbox_notice *n, struct buf *why)
{
	char *program = proc_program();
	const char *const argv[] = { program, "inbox", "write", "--journal",
	    "--", target, n->content, n->type, n->from, NULL };
	int fd, ret = 0, null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (program == NULL || null == -1 ||
	    spawn_detached(&(struct spawn_how){ .argv = argv }, -1, null) == -1) {
		buf_printf(why, "cannot write to the inbox '%s' later: %s",
		    target, strerror(errno));
		ret = -1;
	}
	if (null != -1)
		close(null);
	free(program);
	return ret;
}

static void
notify(struct mail *m, const char *agent, enum inbox_kind kind,
    struct buf *why)
{
	const struct inboxrules *rules = m->config.inbox;
	const char *target = inboxrules_notify_to(rules);
	struct buf content = BUF_INIT, wrong = BUF_INIT;
	struct inbox_notice n = { .type = inbox_kind_name(kind),
	    .from = agent };
	enum inbox_result result;

	inboxrules_tell(rules, &content, kind,
	    &(struct inbox_telling){ .agent = agent });
	n.content = buf_str(&content);
	result = mail_add(m, target, &n, &wrong);
	if (result == INBOX_BUSY) {
		buf_reset(&wrong);
		if (write_later(target, &n, &wrong) == 0)
			result = INBOX_OK;
	}
	if (result != INBOX_OK)
		mail_lost(m, target, &n, buf_str(&wrong));
	hook_collect(why, &wrong);
	hook_collect(why, &m->trouble);
	buf_release(&content);
}

/* An agent that reads the inbox of notices gets none about itself. */
static void
tell_others(struct mail *m, const char *agent, const struct inbox_role *role,
    const char *message, struct buf *why)
{
	enum inbox_kind kind;

	if (message == NULL ||
	    (role != NULL && role_lists(role->unread,
	    inboxrules_notify_to(m->config.inbox))))
		return;
	if (mailjudge(m->config.inbox, message, strlen(message), &kind))
		notify(m, agent, kind, why);
}

/* ---- what waits for it -------------------------------------------------- */

struct pile {
	size_t count;
	struct buf names, items;        /* as they stand in the reason */
};

/* The first line of a text that is not blank. */
static void
pile_add_line(struct buf *out, const struct yaml_node *node)
{
	const char *text = node->text, *end;
	size_t len = node->len;

	for (; (unsigned char)*text <= ' '; len--)
		text++;
	end = memchr(text, '\n', len);
	sigfile_text(out, text, end ? (size_t)(end - text) : len, SHOWN_TEXT);
}

/* "- s2: what it is about": two tasks may be about the same. */
static void
add_item(struct pile *p, const struct yaml_node *entry)
{
	const struct yaml_node *id = inbox_text(entry, "subtask_id");
	const struct yaml_node *about = inbox_about(entry);

	if (p->count++ >= SHOWN_ITEMS)
		return;
	buf_adds(&p->items, "\n- ");
	if (id != NULL && id != about) {
		pile_add_line(&p->items, id);
		buf_adds(&p->items, ": ");
	}
	if (about != NULL)
		pile_add_line(&p->items, about);
}

static bool
is_assigned(const struct yaml_node *list, const struct yaml_node *entry)
{
	return list->key_len == strlen("tasks") && list->key != NULL &&
	    memcmp(list->key, "tasks", list->key_len) == 0 &&
	    yaml_is_text(yaml_member(entry, "status"), "assigned");
}

static void
pile_add_box(struct pile *p, int dir, const char *box, bool unread,
    const struct inboxrules *rules, struct buf *why)
{
	struct yaml_node *list = NULL, *entry = NULL;
	struct buf wrong = BUF_INIT;
	size_t before = p->count;
	struct inbox inbox;
	enum inbox_result result = inbox_load(&inbox, dir, box, &wrong);

	if (result == INBOX_OK) {
		while (inbox_next(&inbox, &list, &entry))
			if (unread ? inbox_unread(entry) :
			    is_assigned(list, entry))
				add_item(p, entry);
		inbox_release(&inbox);
	} else if (result != INBOX_MISSING) {
		buf_printf(why, "%s%s", why->len > 0 ? "; " : "",
		    buf_str(&wrong));
	}
	if (p->count > before && p->names.len > 0)
		inboxrules_tell(rules, &p->names, INBOX_BETWEEN,
		    &(struct inbox_telling){ NULL, NULL, 0 });
	if (p->count > before)
		buf_printf(&p->names, "queue/inbox/%s.yaml", box);
	buf_release(&wrong);
}

/* All inboxes of a role. */
static void
look_for_mail(struct pile *p, const struct mail *m,
    const struct inbox_role *role, struct buf *why)
{
	const char *const *box;
	int dir = inbox_open(m->root, false, why);

	if (dir == -1)
		return;
	for (box = role->unread; box != NULL && *box != NULL; box++)
		pile_add_box(p, dir, *box, true, m->config.inbox, why);
	for (box = role->assigned; box != NULL && *box != NULL; box++)
		pile_add_box(p, dir, *box, false, m->config.inbox, why);
	close(dir);
}

/* The reason is shown in the agent's pane, so its markers are defanged. */
static void
inbox_block(struct hook_call *c, const struct mail *m, const char *agent,
    struct pile *p, struct buf *why)
{
	struct inbox_telling told = { agent, buf_str(&p->names), p->count };
	struct buf text = BUF_INIT, reason = BUF_INIT;
	struct self own;

	self_find(&own, SELF_OPTIONS, m->project.root, NULL, why);
	inboxrules_tell(m->config.inbox, &text, INBOX_REASON, &told);
	buf_adds(&text, buf_str(&p->items));
	if (p->count > SHOWN_ITEMS) {
		told.count -= SHOWN_ITEMS;
		buf_addc(&text, '\n');
		inboxrules_tell(m->config.inbox, &text, INBOX_MORE, &told);
	}
	defang_add(&reason, text.data, text.len, own.record.marker,
	    DEFANG_BLANK);
	if (own.unsure)
		buf_adds(why, "; the agent is not kept going");
	else if (defang_clean(buf_str(&reason), reason.len, own.record.marker))
		hook_block(c, buf_str(&reason));
	else
		buf_adds(hook_more(why), "the reason holds the run's own "
		    "marker");
	self_release(&own);
	buf_release(&text);
	buf_release(&reason);
}

/* ---- the hook ----------------------------------------------------------- */

static void
decide(struct hook_call *c, struct mail *m, const char *agent)
{
	const struct inbox_role *role = inboxrules_role(m->config.inbox,
	    agent);
	struct pile pile = { 0, BUF_INIT, BUF_INIT };
	struct buf why = BUF_INIT;
	const char *message;

	if (role != NULL && role->approve)
		return;
	message = find_message(c->input, &why);
	hook_collect(&c->why, &why);
	tell_others(m, agent, role, message, &why);
	hook_collect(&c->why, &why);
	if (role != NULL)
		look_for_mail(&pile, m, role, &why);
	hook_collect(&c->why, &why);
	if (pile.count > 0)
		inbox_block(c, m, agent, &pile, &why);
	hook_collect(&c->why, &why);
	buf_release(&pile.names);
	buf_release(&pile.items);
}

int
hook_inbox(struct hook_call *c)
{
	struct mail m = { .sync = false };
	char *agent;
	int ret = -1;

	if (hook_kept_going(c))
		return 0;
	agent = find_agent(&c->why);
	if (agent == NULL)
		return 0;
	if (mail_open(&m, &c->why) == EXIT_DONE) {
		decide(c, &m, agent);
		mail_close(&m);
		ret = 0;
	}
	free(agent);
	return ret;
}
