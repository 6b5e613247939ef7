/*
 * For any text: each node is at its span, an added notice is the last one and
 * all that has changed, and marking leaves nothing unread.
 */
#include "fuzz/fuzz.h"
#include "mail/mail.h"

static bool
load(struct inbox *inbox, const char *text, size_t len)
{
	struct text_error error;

	*inbox = (struct inbox){ BUF_INIT, YAML_INIT };
	buf_add(&inbox->text, text, len);
	return yaml_load(&inbox->yaml, buf_str(&inbox->text), len, &error) == 0;
}

static void
check_places(const struct yaml_node *node, const char *text, size_t len)
{
	const struct yaml_node *m;
	size_t at = node->from;

	assert(node->from <= node->to && node->to <= len);
	if (node->kind == YAML_TEXT && node->plain && !node->marked &&
	    node->len > 0)
		assert(text[node->from] == node->text[0]);
	/* A mapping may be a pair without brackets: [a: b]. */
	if (node->flow && !node->marked && node->kind == YAML_LIST)
		assert(text[node->from] == '[' && text[node->to - 1] == ']');
	for (m = node->first; m != NULL; m = m->next) {
		assert(m->from >= at && m->to <= node->to);
		check_places(m, text, len);
		at = m->to;
	}
}

static bool
any(void *unused, const struct yaml_node *entry)
{
	(void)unused, (void)entry;
	return true;
}

/* Without an unread entry the output is empty. */
static void
check_marked(struct inbox *inbox)
{
	struct yaml_node *list = NULL, *entry = NULL;
	struct buf out = BUF_INIT, *text = &inbox->text;
	struct inbox after;

	if (inboxedit_mark(inbox, any, NULL, &out) == NULL) {
		text = out.len > 0 ? &out : text;
		assert(load(&after, buf_str(text), text->len));
		while (inbox_next(&after, &list, &entry))
			assert(!inbox_unread(entry));
		inbox_release(&after);
	}
	buf_release(&out);
}

static void
check_added(struct inbox *inbox)
{
	const struct inbox_notice notice = { .content = "c\n\x01", .type = "t",
	    .from = "f" };
	struct yaml_node *root = inbox->yaml.root, *list, *was;
	struct buf out = BUF_INIT;
	struct inbox after;

	was = yaml_member(root, "reports");
	if (inboxedit_add(inbox, &notice, true, &out) == NULL) {
		assert(load(&after, out.data, out.len));
		list = yaml_member(after.yaml.root, "reports");
		assert(yaml_is_text(yaml_member(list->last, "summary"),
		    notice.content));
		list->last->gone = true;
		list->gone = list->first->gone;
		if (was != NULL)
			was->gone = was->first == NULL;
		assert(yaml_is_null(root) || yaml_same(root, after.yaml.root));
		inbox_release(&after);
	}
	buf_release(&out);
}

static void
check(const char *text, size_t len)
{
	struct inbox inbox;

	if (load(&inbox, text, len)) {
		if (inbox.yaml.root != NULL)
			check_places(inbox.yaml.root, text, len);
		check_added(&inbox);
		inbox_release(&inbox);
		load(&inbox, text, len);
		check_marked(&inbox);
	}
	inbox_release(&inbox);
}
