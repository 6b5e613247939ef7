#include "setup/setup.h"

int
agenthooks_read(struct agenthooks *h, const char *agent, struct buf *error)
{
	const struct json *o;
	int ret;

	*h = (struct agenthooks){ .data = NULL };
	ret = dialect_read(&h->dialect, agent, error);
	if (ret != 1) {
		errno = ret == 0 ? ENOENT : EINVAL;
		return -1;
	}
	h->data = o = h->dialect.hooks;
	h->title = json_text(h->dialect.file, "description");
	if (h->title == NULL)
		h->title = h->dialect.agent;
	h->folder = json_text(o, "folder");
	h->file = json_text(o, "file");
	h->user_folder = json_text(o, "user_folder");
	h->plugin = json_text(o, "plugin");
	h->skills = json_text(o, "skills");
	return 0;
}

/* -1 with the reason. */
static int
open_settings(struct jsonedit *e, struct buf *text, struct buf *why)
{
	unsigned comment;

	*e = (struct jsonedit){ .text = text,
	    .root = ourhooks_parse(text, &comment, why) };
	if (e->root != NULL && comment > 0)
		buf_printf(why, "line %u: a comment, which may lose the place "
		    "that it belongs to", comment);
	return why->len > 0 ? -1 : 0;
}

/* ---- adding ------------------------------------------------------------- */

/* Fills in an entry; removes members without a value. */
static void
form_fill(struct json *tree, const struct template_value *values, size_t n)
{
	struct buf text = BUF_INIT, missing = BUF_INIT;
	struct json *child = tree->child, *next;

	for (; child != NULL; child = next) {
		next = child->next;
		if (!json_is(child, JSON_TEXT)) {
			form_fill(child, values, n);
			continue;
		}
		buf_reset(&text);
		buf_reset(&missing);
		template_expand(&text, child->text, strlen(child->text),
		    values, n, &missing);
		if (missing.len > 0)
			json_remove(child);
		else
			json_set_text(child, buf_str(&text));
	}
}

/* Adds a hook, unless it is there.  The text of event is the matcher. */
static void
add_hook(struct jsonedit *e, const struct json *form, const char *hook,
    const struct json *event, const char *program)
{
	const char *matcher = event->text;
	struct template_value values[] = {
		{ "command", NULL, 0 },
		{ "hook", hook, strlen(hook) },
		{ "matcher", matcher, strlen(matcher) },
	};
	struct json *entry;
	struct buf command = BUF_INIT;
	struct ourhook s = OURHOOK_INIT;
	const struct json *hooks;
	size_t i;

	for (i = 0; ourhook_find(&s, e->root, i, NULL); i++)
		if (strcmp(s.name, hook) == 0 &&
		    strcmp(s.event->key, event->key) == 0)
			return;
	ourhook_add_program(&command, program);
	buf_printf(&command, " hook %s", hook);
	values[0].value = buf_str(&command);
	values[0].len = command.len;
	entry = json_copy(NULL, form);
	form_fill(entry, values, matcher[0] != '\0' ? 3 : 2);
	if (json_member(e->root, "hooks") == NULL)
		jsonedit_append(e, e->root, "hooks", json_new_object());
	hooks = json_member(e->root, "hooks");
	if (json_member(hooks, event->key) == NULL)
		jsonedit_append(e, hooks, event->key, json_new_list());
	hooks = json_member(e->root, "hooks");
	jsonedit_append(e, json_member(hooks, event->key), NULL, entry);
}

int
agenthooks_add(const struct agenthooks *h, struct buf *settings,
    const char *program, unsigned parts, struct buf *why)
{
	const struct json *entry = json_member(h->data, "entry"), *member,
	    *registered = json_member(h->data, "register"), *command;
	struct buf old = BUF_INIT, line = BUF_INIT;
	struct ourhook s = OURHOOK_INIT;
	struct jsonedit e;
	size_t i;

	if (ourhooks_blank(settings)) {
		buf_reset(settings);
		buf_adds(settings, "{}\n");
	}
	if (open_settings(&e, settings, why) == -1)
		return -1;
	/* Such as a version. */
	json_each(member, json_member(h->data, "base"))
		if (json_member(e.root, member->key) == NULL)
			jsonedit_append(&e, e.root, member->key,
			    json_copy(NULL, member));
	/* A hook that runs another paneward gets this program, unless it has
	 * options and its program exists: the user may want that. */
	for (i = 0; ourhook_find(&s, e.root, i, NULL); i++) {
		if (strcmp(buf_str(&s.program), program) == 0 || (s.options &&
		    access(buf_str(&s.program), X_OK) == 0))
			continue;
		command = json_member(s.object, "command");
		buf_reset(&line);
		ourhook_add_program(&line, program);
		buf_adds(&line, ourhook_word(command->text, &old));
		jsonedit_replace(&e, command, json_new_text(buf_str(&line)));
	}
	for (i = 0; ourhook_kinds[i].name != NULL; i++)
		if ((ourhook_kinds[i].part & ~parts) == 0)
			json_each(member, json_member(registered,
			    ourhook_kinds[i].name))
				add_hook(&e, entry, ourhook_kinds[i].name,
				    member, program);
	return 0;
}

/* The largest of the hook, its entry, its event and all hooks that has nothing
 * else in it, and that the user did not have before. */
static const struct json *
ourhook_around(const struct ourhook *s, const struct json *root,
    const struct json *before)
{
	const struct json *hooks = json_member(root, "hooks"), *cut = s->object;
	const struct json *had = json_member(before, "hooks");

	if (cut != s->entry && json_size(json_member(s->entry, "hooks")) == 1)
		cut = s->entry;
	if (cut == s->entry && json_size(s->event) == 1 &&
	    json_member(had, s->event->key) == NULL)
		cut = s->event;
	if (cut == s->event && json_size(hooks) == 1 && had == NULL)
		cut = hooks;
	return cut;
}

/* Removes our hooks, and a version that only we added, unless hooks of the user
 * may need it.  -1 with the reason; 1: nothing is left. */
static int
cut_ours(const struct agenthooks *h, struct buf *settings,
    const struct json *before, struct buf *why)
{
	struct ourhook s = OURHOOK_INIT;
	const struct json *member, *ours;
	struct jsonedit e;
	size_t i = 0;

	if (open_settings(&e, settings, why) == -1)
		return -1;
	while (ourhook_find(&s, e.root, i, NULL)) {
		if (s.options)
			i++;
		else
			jsonedit_remove(&e, ourhook_around(&s, e.root, before));
	}
	if (json_member(e.root, "hooks") == NULL ||
	    json_member(before, "hooks") != NULL)
		json_each(member, json_member(h->data, "base")) {
			ours = json_member(e.root, member->key);
			if (json_member(before, member->key) == NULL &&
			    json_same(ours, member))
				jsonedit_remove(&e, ours);
		}
	return e.root->child == NULL;
}

bool
agenthooks_replaced(const struct agenthooks *h, const struct buf *settings,
    struct buf *command)
{
	struct json *root = json_parse(settings->data, settings->len, true,
	    NULL);
	const struct json *files = json_member(h->data, "replaces");
	struct ourhook s = OURHOOK_INIT;
	bool found = files != NULL && ourhook_find(&s, root, 0, files);

	if (found)
		buf_adds(command, json_text(s.object, "command"));
	return found;
}

int
agenthooks_cut_replaced(const struct agenthooks *h, struct buf *settings,
    struct buf *why)
{
	const struct json *files = json_member(h->data, "replaces");
	struct ourhook s = OURHOOK_INIT;
	struct jsonedit e;

	if (open_settings(&e, settings, why) == -1)
		return -1;
	while (files != NULL && ourhook_find(&s, e.root, 0, files))
		jsonedit_remove(&e, ourhook_around(&s, e.root, e.root));
	return 0;
}

int
agenthooks_remove(const struct agenthooks *h, struct buf *settings,
    const char *program, struct buf *before, struct buf *why)
{
	struct buf again = BUF_INIT, error = BUF_INIT;
	struct json *was = NULL;              /* NULL: not known */
	size_t len = settings->len;
	bool same = false;
	int ret, i;

	if (ourhooks_blank(settings))
		return 0;
	if (before != NULL)
		was = ourhooks_blank(before) ? json_new_object() :
		    json_parse(before->data, before->len, false, NULL);
	ret = cut_ours(h, settings, was, why);
	/* Do our hooks, added to the text of before and removed again, leave
	 * these settings? */
	for (i = 0; i < 2 && !same && was != NULL && settings->len < len; i++) {
		buf_reset(&again);
		buf_reset(&error);
		buf_add(&again, before->data, before->len);
		same = (i == 0 ||
		    agenthooks_cut_replaced(h, &again, &error) == 0) &&
		    agenthooks_add(h, &again, program, ~0u, &error) == 0 &&
		    cut_ours(h, &again, was, &error) != -1 &&
		    buf_same(&again, settings);
	}
	if (same || (settings->len < len && before == NULL && ret == 1))
		buf_reset(settings);
	if (same)
		buf_add(settings, before->data, before->len);
	return ret == -1 ? -1 : 0;
}
