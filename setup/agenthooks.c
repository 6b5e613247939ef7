#include "setup/agenthooks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argv.h"
#include "setup/jsonedit.h"
#include "setup/ownfile.h"
#include "text/template.h"

/* ---- what is registered where ------------------------------------------- */

static const struct {
	const char *name;
	unsigned    part;               /* it is registered with; 0: always */
} hook_kinds[] = {
	{ "record", 0 },
	{ "inbox",  AGENTHOOKS_INBOX },
	{ "loop",   AGENTHOOKS_LOOP },
};

enum { HOOK_KINDS = sizeof(hook_kinds) / sizeof(hook_kinds[0]) };

int
agenthooks_read(struct agenthooks *h, const char *agent, struct buf *error)
{
	const cJSON *o;
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
	h->user_variable = json_text(o, "user_variable");
	h->plugin = json_text(o, "plugin");
	h->skills = json_text(o, "skills");
	h->note = json_text(o, "note");
	h->comments = h->dialect.comments;
	return 0;
}

void
agenthooks_release(struct agenthooks *h)
{
	dialect_release(&h->dialect);
	*h = (struct agenthooks){ .data = NULL };
}

bool
agenthooks_named_folder(const struct agenthooks *h, const char **folder,
    struct buf *why)
{
	*folder = h->user_variable ? getenv(h->user_variable) : NULL;
	if (*folder == NULL || **folder == '/')
		return true;
	buf_printf(why, "%s is '%s', which is no absolute path",
	    h->user_variable, *folder);
	return false;
}

unsigned
agenthooks_parts(const struct agenthooks *h)
{
	const cJSON *registered = json_member(h->data, "register");
	unsigned parts = 0;
	size_t i;

	for (i = 0; i < HOOK_KINDS; i++)
		if (json_member(registered, hook_kinds[i].name) != NULL)
			parts |= hook_kinds[i].part;
	return parts;
}

/* ---- commands ----------------------------------------------------------- */

/* Characters without a meaning to the shell. */
static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

static void
add_program(struct buf *line, const char *program)
{
	if (program[strspn(program, safe)] == '\0')
		buf_adds(line, program);
	else
		template_quote(line, program, strlen(program));
}

/* Reads the first word of a shell line, as add_program() writes it.  Returns
 * the text behind it, or NULL if the line begins with anything else. */
static const char *
first_word(const char *line, struct buf *word)
{
	const char *p = line;
	size_t n;

	while (*p != '\0' && *p != ' ') {
		if (*p == '\'') {
			n = strcspn(p + 1, "'");
			if (p[1 + n] == '\0')
				return NULL;
			buf_add(word, p + 1, n);
			p += n + 2;
		} else if (*p == '\\' && p[1] == '\'') {
			buf_addc(word, '\'');
			p += 2;
		} else if ((n = strspn(p, safe)) > 0) {
			buf_add(word, p, n);
			p += n;
		} else {
			return NULL;
		}
	}
	return p;
}

/* ---- where ours are ----------------------------------------------------- */

/* One hook of ours. */
struct spot {
	const cJSON *event;             /* the list of the event's entries, */
	const cJSON *entry;             /* one of them, */
	const cJSON *object;            /* and the hook in it, or itself */
	const char  *hook;
	struct buf   program;
	bool         options;
};

#define SPOT_INIT { .program = BUF_INIT }

/* Is it a hook of ours? */
static bool
spot_read(struct spot *s, const cJSON *object)
{
	static const char between[] = " hook ";
	const char *command = json_text(object, "command"), *rest, *base;
	size_t i, n;

	buf_reset(&s->program);
	rest = first_word(command != NULL ? command : "", &s->program);
	base = strrchr(buf_str(&s->program), '/');
	if (rest == NULL || base == NULL || strcmp(base, "/paneward") != 0 ||
	    strncmp(rest, between, sizeof(between) - 1) != 0)
		return false;
	rest += sizeof(between) - 1;
	n = strcspn(rest, " ");
	s->object = object;
	s->options = rest[n] != '\0';
	for (i = 0; i < HOOK_KINDS; i++) {
		s->hook = hook_kinds[i].name;
		if (strlen(s->hook) == n && strncmp(s->hook, rest, n) == 0)
			return true;
	}
	return false;
}

/* The hook of ours at this place among them all, from 0 on. */
static bool
spot_find(struct spot *s, const cJSON *root, size_t place)
{
	const cJSON *list, *object;

	cJSON_ArrayForEach(s->event, json_member(root, "hooks"))
		cJSON_ArrayForEach(s->entry, s->event) {
			if (spot_read(s, s->entry) && place-- == 0)
				return true;
			list = json_member(s->entry, "hooks");
			cJSON_ArrayForEach(object, list)
				if (cJSON_IsArray(list) &&
				    spot_read(s, object) && place-- == 0)
					return true;
		}
	return false;
}

/* ---- reading settings --------------------------------------------------- */

/* Empty, or white space as JSON has it.  A file of NULs, as a crash may leave
 * one, is not: it is refused. */
static bool
settings_blank(struct buf *text)
{
	return strspn(buf_str(text), " \t\r\n") == text->len;
}

/* Parses settings that can hold hooks.  *comment is the line of the first
 * comment; 0: there is none. */
static cJSON *
parse_settings(const struct buf *text, unsigned *comment, struct buf *why)
{
	struct json_error e;
	cJSON *root = json_parse(text->data, text->len, false, &e);
	const cJSON *hooks, *event;

	*comment = 0;
	if (root == NULL) {
		root = json_parse(text->data, text->len, true, NULL);
		*comment = e.line;
	}
	hooks = json_member(root, "hooks");
	if (root == NULL)
		buf_printf(why, "line %u: %s", e.line, e.reason);
	else if (!cJSON_IsObject(root))
		buf_adds(why, "it is no JSON object");
	else if (hooks != NULL && !cJSON_IsObject(hooks))
		buf_adds(why, "'hooks' is no JSON object");
	cJSON_ArrayForEach(event, hooks)
		if (!cJSON_IsArray(event) && why->len == 0)
			buf_printf(why, "'hooks.%s' is no list", event->string);
	if (why->len == 0)
		return root;
	json_free(root);
	return NULL;
}

/* Opens settings for editing.  -1 with the reason. */
static int
open_settings(struct jsonedit *e, struct buf *text, struct buf *why)
{
	unsigned comment;
	cJSON *root = parse_settings(text, &comment, why);

	if (root != NULL && comment > 0)
		buf_printf(why, "line %u: a comment, which may lose the place "
		    "that it belongs to", comment);
	json_free(root);
	return why->len > 0 ? -1 : jsonedit_init(e, text);
}

/* Adds the path in a plugin that init wrote, if there is one. */
static void
plugin_list(struct buf *text, char ***programs)
{
	static const char before[] = "const program = ";
	const char *from = strstr(buf_str(text), before);
	cJSON *value = NULL;

	if (from != NULL && ownfile_origin(text) != OWNFILE_FOREIGN) {
		from += sizeof(before) - 1;
		value = json_parse(from, strcspn(from, "\r\n"), false, NULL);
	}
	if (cJSON_IsString(value))
		*programs = argv_add(*programs, value->valuestring);
	json_free(value);
}

int
agenthooks_list(const struct agenthooks *h, struct buf *settings,
    char ***programs, bool *own, struct buf *why)
{
	struct spot s = SPOT_INIT;
	unsigned comment;
	cJSON *root;
	size_t i;

	*programs = NULL;
	*own = false;
	if (h->plugin != NULL) {
		plugin_list(settings, programs);
		*own = *programs != NULL;
		return 0;
	}
	if (settings_blank(settings))
		return 0;
	root = parse_settings(settings, &comment, why);
	if (root == NULL)
		return -1;
	for (i = 0; spot_find(&s, root, i); i++) {
		*programs = argv_add(*programs, buf_str(&s.program));
		*own = *own || !s.options;
	}
	buf_release(&s.program);
	json_free(root);
	if (comment > 0)
		buf_printf(why, "line %u: a comment", comment);
	return comment > 0;
}

/* ---- adding ------------------------------------------------------------- */

/* Fills in the form of an entry; removes members without a value. */
static void
form_fill(cJSON *tree, const struct template_value *values, size_t n)
{
	struct buf text = BUF_INIT, missing = BUF_INIT;
	cJSON *child = tree->child, *next;

	for (; child != NULL; child = next) {
		next = child->next;
		if (!cJSON_IsString(child)) {
			form_fill(child, values, n);
			continue;
		}
		buf_reset(&text);
		buf_reset(&missing);
		template_expand(&text, child->valuestring,
		    strlen(child->valuestring), values, n, &missing);
		if (missing.len > 0)
			cJSON_Delete(cJSON_DetachItemViaPointer(tree, child));
		else
			cJSON_SetValuestring(child, buf_str(&text));
	}
	buf_release(&text);
	buf_release(&missing);
}

/* Adds a hook that runs command.  event is a member of "register"; its text is
 * the matcher. */
static void
add_entry(struct jsonedit *e, const cJSON *form, const char *hook,
    const cJSON *event, const char *command)
{
	const char *matcher = event->valuestring;
	const struct template_value values[] = {
		{ "command", command, strlen(command) },
		{ "hook", hook, strlen(hook) },
		{ "matcher", matcher, strlen(matcher) },
	};
	cJSON *entry = cJSON_Duplicate(form, true);
	cJSON *object = json_new_object(), *list = cJSON_CreateArray();
	const cJSON *hooks;

	form_fill(entry, values, matcher[0] != '\0' ? 3 : 2);
	if (json_member(e->root, "hooks") == NULL)
		jsonedit_append(e, e->root, "hooks", object);
	hooks = json_member(e->root, "hooks");
	if (json_member(hooks, event->string) == NULL)
		jsonedit_append(e, hooks, event->string, list);
	hooks = json_member(e->root, "hooks");
	jsonedit_append(e, json_member(hooks, event->string), NULL, entry);
	json_free(object);
	json_free(list);
	json_free(entry);
}

/* Sets the program of hooks that run another paneward, and keeps their options.
 * A hook with options keeps its program, too, if that exists: the user may want
 * it. */
static void
move_hooks(struct jsonedit *e, const char *program)
{
	struct buf old = BUF_INIT, line = BUF_INIT;
	struct spot s = SPOT_INIT;
	const cJSON *command;
	cJSON *value;
	size_t i;

	for (i = 0; spot_find(&s, e->root, i); i++) {
		if (strcmp(buf_str(&s.program), program) == 0 || (s.options &&
		    access(buf_str(&s.program), X_OK) == 0))
			continue;
		command = json_member(s.object, "command");
		buf_reset(&line);
		add_program(&line, program);
		buf_adds(&line, first_word(command->valuestring, &old));
		value = cJSON_CreateString(buf_str(&line));
		jsonedit_replace(e, command, value);
		json_free(value);
	}
	buf_release(&s.program);
	buf_release(&old);
	buf_release(&line);
}

static void
add_hook(struct jsonedit *e, const cJSON *form, const char *hook,
    const cJSON *event, const char *program)
{
	struct buf command = BUF_INIT;
	struct spot s = SPOT_INIT;
	bool there = false;
	size_t i;

	for (i = 0; !there && spot_find(&s, e->root, i); i++)
		there = strcmp(s.hook, hook) == 0 &&
		    strcmp(s.event->string, event->string) == 0;
	add_program(&command, program);
	buf_printf(&command, " hook %s", hook);
	if (!there)
		add_entry(e, form, hook, event, buf_str(&command));
	buf_release(&s.program);
	buf_release(&command);
}

int
agenthooks_add(const struct agenthooks *h, struct buf *settings,
    const char *program, unsigned parts, struct buf *why)
{
	const cJSON *entry = json_member(h->data, "entry"), *member;
	const cJSON *registered = json_member(h->data, "register");
	struct jsonedit e;
	size_t i;

	if (settings_blank(settings)) {
		buf_reset(settings);
		buf_adds(settings, "{}\n");
	}
	if (open_settings(&e, settings, why) == -1)
		return -1;
	/* Other members that the settings need, such as a version. */
	cJSON_ArrayForEach(member, json_member(h->data, "base"))
		if (json_member(e.root, member->string) == NULL)
			jsonedit_append(&e, e.root, member->string, member);
	move_hooks(&e, program);
	for (i = 0; i < HOOK_KINDS; i++)
		if ((hook_kinds[i].part & ~parts) == 0)
			cJSON_ArrayForEach(member, json_member(registered,
			    hook_kinds[i].name))
				add_hook(&e, entry, hook_kinds[i].name, member,
				    program);
	jsonedit_release(&e);
	return 0;
}

/* ---- taking out --------------------------------------------------------- */

/* What to remove with a hook: the entry, the event, the hooks, if nothing else
 * is in it and the user did not have it before, empty or not. */
static const cJSON *
spot_around(const struct spot *s, const cJSON *root, const cJSON *before)
{
	const cJSON *hooks = json_member(root, "hooks"), *cut = s->object;
	const cJSON *had = json_member(before, "hooks");

	if (cut != s->entry &&
	    cJSON_GetArraySize(json_member(s->entry, "hooks")) == 1)
		cut = s->entry;
	if (cut == s->entry && cJSON_GetArraySize(s->event) == 1 &&
	    json_member(had, s->event->string) == NULL)
		cut = s->event;
	if (cut == s->event && cJSON_GetArraySize(hooks) == 1 && had == NULL)
		cut = hooks;
	return cut;
}

/* Removes all of ours, also a version that only we added, unless the user has
 * hooks by now that may need it.  -1 with the reason; 1: nothing is left. */
static int
cut_ours(const struct agenthooks *h, struct buf *settings, const cJSON *before,
    struct buf *why)
{
	struct spot s = SPOT_INIT;
	const cJSON *member, *ours;
	struct jsonedit e;
	size_t i = 0;
	int ret;

	if (open_settings(&e, settings, why) == -1)
		return -1;
	while (spot_find(&s, e.root, i)) {
		if (s.options)
			i++;
		else
			jsonedit_remove(&e, spot_around(&s, e.root, before));
	}
	if (json_member(e.root, "hooks") == NULL ||
	    json_member(before, "hooks") != NULL)
		cJSON_ArrayForEach(member, json_member(h->data, "base")) {
			ours = json_member(e.root, member->string);
			if (json_member(before, member->string) == NULL &&
			    cJSON_Compare(ours, member, true))
				jsonedit_remove(&e, ours);
		}
	ret = e.root->child == NULL;
	buf_release(&s.program);
	jsonedit_release(&e);
	return ret;
}

/* If the user changed nothing, the settings now equal, byte for byte, what
 * before becomes when our hooks are added and removed again. */
int
agenthooks_remove(const struct agenthooks *h, struct buf *settings,
    const char *program, const struct buf *before, struct buf *why)
{
	struct buf again = BUF_INIT, error = BUF_INIT;
	cJSON *was = NULL;              /* NULL: not known */
	size_t len = settings->len;
	int ret;

	if (settings_blank(settings))
		return 0;
	if (before != NULL) {
		buf_add(&again, before->data, before->len);
		was = settings_blank(&again) ? json_new_object() :
		    json_parse(again.data, again.len, false, NULL);
	}
	ret = cut_ours(h, settings, was, why);
	if (settings->len < len && was != NULL &&
	    agenthooks_add(h, &again, program, agenthooks_parts(h),
	    &error) == 0 && cut_ours(h, &again, was, &error) != -1 &&
	    buf_same(&again, settings)) {
		buf_reset(settings);
		buf_add(settings, before->data, before->len);
	} else if (settings->len < len && before == NULL && ret == 1) {
		buf_reset(settings);
	}
	json_free(was);
	buf_release(&again);
	buf_release(&error);
	return ret == -1 ? -1 : 0;
}

/* ---- plugins ------------------------------------------------------------ */

int
agenthooks_plugin(const struct agenthooks *h, struct buf *out,
    const char *program, struct buf *why)
{
	struct buf text = BUF_INIT, word = BUF_INIT;
	cJSON *quoted = cJSON_CreateString(program);
	struct template_value value = { .name = "program" };
	int ret = ownfile_template(&text, "templates/plugins", h->plugin, why);

	json_print(&word, quoted);
	value.value = buf_str(&word);
	value.len = word.len;
	if (ret == 0 && (ret = template_expand(out, text.data, text.len,
	    &value, 1, NULL)) == -1)
		buf_printf(why, "'%s' is too large", h->plugin);
	json_free(quoted);
	buf_release(&text);
	buf_release(&word);
	return ret;
}
