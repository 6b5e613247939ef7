#include "setup/agenthooks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/text.h"
#include "os/file.h"
#include "run/statusdir.h"
#include "setup/jsonedit.h"
#include "text/datafile.h"
#include "text/template.h"

static const char plugin_folder[] = "templates/plugins";

/* ---- what is registered where ------------------------------------------- */

static const char program_name[] = "/paneward";
static const char *const hook_names[] = { "record", "inbox", "loop" };

/* What a hook is registered with; 0: always. */
static unsigned
part_of(const char *hook)
{
	return strcmp(hook, "inbox") == 0 ? AGENTHOOKS_INBOX :
	    strcmp(hook, "loop") == 0 ? AGENTHOOKS_LOOP : 0;
}

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
	h->comments = json_bool(o, "comments", false);
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
	unsigned parts = 0;
	const cJSON *hook;

	cJSON_ArrayForEach(hook, json_member(h->data, "register"))
		parts |= part_of(hook->string);
	return parts;
}

/* ---- commands ----------------------------------------------------------- */

/* What a shell takes as it stands. */
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

static char *
make_command(const char *program, const char *hook)
{
	struct buf line = BUF_INIT;

	add_program(&line, program);
	buf_printf(&line, " hook %s", hook);
	return buf_steal(&line);
}

/* The first word of a shell line, as template_quote() writes one or without
 * quotes; behind it, or NULL where that is not what it begins with. */
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

/* Which hook of ours does a command run?  NULL: none. */
static const char *
hook_of(const char *command, char **program, bool *options)
{
	static const char between[] = " hook ";
	struct buf word = BUF_INIT;
	const char *rest = first_word(command, &word), *base, *hook = NULL;
	size_t i, n;

	base = strrchr(buf_str(&word), '/');
	if (rest != NULL && base != NULL &&
	    strcmp(base, program_name) == 0 &&
	    strncmp(rest, between, sizeof(between) - 1) == 0) {
		rest += sizeof(between) - 1;
		n = strcspn(rest, " ");
		for (i = 0; i < sizeof(hook_names) / sizeof(hook_names[0]); i++)
			if (strlen(hook_names[i]) == n &&
			    strncmp(hook_names[i], rest, n) == 0)
				hook = hook_names[i];
		*options = rest[n] != '\0';
	}
	if (hook != NULL)
		*program = buf_steal(&word);
	buf_release(&word);
	return hook;
}

/* ---- where ours are ----------------------------------------------------- */

/* One hook of ours. */
struct spot {
	const cJSON *event;             /* the list of the event's entries, */
	const cJSON *entry;             /* one of them, */
	const cJSON *object;            /* and the hook in it, or itself */
	const char  *hook;
	char        *program;
	bool         options;
};

struct spots {
	struct spot *v;
	size_t       n;
};

static void
spots_release(struct spots *all)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		free(all->v[i].program);
	free(all->v);
	*all = (struct spots){ NULL, 0 };
}

static void
try_spot(struct spots *all, const cJSON *event, const cJSON *entry,
    const cJSON *object)
{
	const char *command = json_text(object, "command");
	struct spot s = { event, entry, object, NULL, NULL, false };

	if (command == NULL)
		return;
	s.hook = hook_of(command, &s.program, &s.options);
	if (s.hook == NULL)
		return;
	all->v = xreallocarray(all->v, all->n + 1, sizeof(*all->v));
	all->v[all->n++] = s;
}

static void
find_spots(struct spots *all, const cJSON *root)
{
	const cJSON *hooks = json_member(root, "hooks");
	const cJSON *event, *entry, *list, *object;

	*all = (struct spots){ NULL, 0 };
	cJSON_ArrayForEach(event, hooks)
		cJSON_ArrayForEach(entry, event) {
			try_spot(all, event, entry, entry);
			list = json_member(entry, "hooks");
			cJSON_ArrayForEach(object, list)
				if (cJSON_IsArray(list))
					try_spot(all, event, entry, object);
		}
}

/* ---- reading settings --------------------------------------------------- */

/* Can hooks be in these settings? */
static bool
check_settings(const cJSON *root, struct buf *why)
{
	const cJSON *hooks = json_member(root, "hooks"), *event;

	if (!cJSON_IsObject(root))
		buf_adds(why, "it is no JSON object");
	else if (hooks != NULL && !cJSON_IsObject(hooks))
		buf_adds(why, "'hooks' is no JSON object");
	else
		cJSON_ArrayForEach(event, hooks)
			if (!cJSON_IsArray(event) && why->len == 0)
				buf_printf(why, "'hooks.%s' is no list",
				    event->string);
	return why->len == 0;
}

/* The settings for reading.  Of comments *comment is the first one's line, 0:
 * there is none. */
static cJSON *
parse_any(const struct buf *text, unsigned *comment, struct buf *why)
{
	struct json_error e;
	cJSON *root = json_parse(text->data, text->len, false, &e);

	*comment = 0;
	if (root == NULL) {
		root = json_parse(text->data, text->len, true, NULL);
		*comment = e.line;
	}
	if (root == NULL)
		buf_printf(why, "line %u: %s", e.line, e.reason);
	else if (check_settings(root, why))
		return root;
	json_free(root);
	return NULL;
}

/* The settings for changing.  -1 with the reason. */
static int
open_settings(struct jsonedit *e, struct buf *text, struct buf *why)
{
	unsigned comment;
	cJSON *root = parse_any(text, &comment, why);

	if (root != NULL && comment > 0)
		buf_printf(why, "line %u: a comment, which may lose the place "
		    "that it belongs to", comment);
	json_free(root);
	return why->len > 0 ? -1 : jsonedit_init(e, text, NULL);
}

int
agenthooks_list(const struct buf *settings,
    void (*take)(void *, const char *program, bool options), void *context,
    struct buf *why)
{
	unsigned comment;
	struct spots all;
	cJSON *root;
	size_t i;

	if (text_empty(settings->data, settings->len))
		return 0;
	root = parse_any(settings, &comment, why);
	if (root == NULL)
		return -1;
	find_spots(&all, root);
	for (i = 0; i < all.n; i++)
		take(context, all.v[i].program, all.v[i].options);
	spots_release(&all);
	json_free(root);
	if (comment > 0)
		buf_printf(why, "line %u: a comment", comment);
	return comment > 0;
}

/* ---- adding ------------------------------------------------------------- */

struct filling {
	const char *command, *hook, *matcher;   /* matcher may be NULL */
};

/* The text with its names filled in; NULL where one has no value. */
static char *
fill_text(const char *text, const struct filling *f)
{
	const struct template_value values[] = {
		{ "command", f->command, strlen(f->command) },
		{ "hook", f->hook, strlen(f->hook) },
		{ "matcher", f->matcher ? f->matcher : "",
		    f->matcher ? strlen(f->matcher) : 0 },
	};
	struct buf out = BUF_INIT;

	if (f->matcher == NULL && strcmp(text, "<<matcher>>") == 0)
		return NULL;
	template_expand(&out, text, strlen(text), values,
	    sizeof(values) / sizeof(values[0]), NULL);
	return buf_steal(&out);
}

/* The form of an entry becomes one; members without a value go. */
static void
form_fill(cJSON *tree, const struct filling *f)
{
	cJSON *child = tree->child, *next;
	char *text;

	for (; child != NULL; child = next) {
		next = child->next;
		if (!cJSON_IsString(child)) {
			form_fill(child, f);
			continue;
		}
		text = fill_text(child->valuestring, f);
		if (text == NULL)
			cJSON_Delete(cJSON_DetachItemViaPointer(tree, child));
		else
			cJSON_SetValuestring(child, text);
		free(text);
	}
}

static void
add_entry(struct jsonedit *e, const cJSON *form, const char *hook,
    const cJSON *event, const char *command)
{
	const struct filling f = { command, hook,
	    event->valuestring[0] ? event->valuestring : NULL };
	cJSON *entry = cJSON_Duplicate(form, true);
	cJSON *object = json_new_object(), *list = cJSON_CreateArray();
	const cJSON *hooks;

	if (json_member(e->root, "hooks") == NULL)
		jsonedit_append(e, e->root, "hooks", object);
	hooks = json_member(e->root, "hooks");
	if (json_member(hooks, event->string) == NULL)
		jsonedit_append(e, hooks, event->string, list);
	form_fill(entry, &f);
	hooks = json_member(e->root, "hooks");
	jsonedit_append(e, json_member(hooks, event->string), NULL, entry);
	json_free(object);
	json_free(list);
	json_free(entry);
}

/* The hook runs another program from now on, with the same options. */
static void
change_program(struct jsonedit *e, const struct spot *s, const char *program)
{
	const cJSON *command = json_member(s->object, "command");
	struct buf old = BUF_INIT, line = BUF_INIT;
	cJSON *value;

	add_program(&line, program);
	buf_adds(&line, first_word(command->valuestring, &old));
	value = cJSON_CreateString(buf_str(&line));
	jsonedit_replace(e, command, value);
	json_free(value);
	buf_release(&old);
	buf_release(&line);
}

/* A paneward has moved: changes the first hook that runs it where it was;
 * false if there is none.  The user's own may run another one that exists. */
static bool
move_one(struct jsonedit *e, const char *program)
{
	const struct spot *s;
	struct spots all;
	bool moved = false;
	size_t i;

	find_spots(&all, e->root);
	for (i = 0; i < all.n && !moved; i++) {
		s = &all.v[i];
		moved = strcmp(s->program, program) != 0 &&
		    (!s->options || access(s->program, X_OK) == -1);
		if (moved)
			change_program(e, s, program);
	}
	spots_release(&all);
	return moved;
}

static void
add_hook(struct jsonedit *e, const cJSON *form, const char *hook,
    const cJSON *event, const char *program)
{
	char *command = make_command(program, hook);
	struct spots all;
	bool there = false;
	size_t i;

	find_spots(&all, e->root);
	for (i = 0; i < all.n && !there; i++)
		there = strcmp(all.v[i].hook, hook) == 0 &&
		    strcmp(all.v[i].event->string, event->string) == 0;
	if (!there)
		add_entry(e, form, hook, event, command);
	spots_release(&all);
	free(command);
}

int
agenthooks_add(const struct agenthooks *h, struct buf *settings,
    const char *program, unsigned parts, struct buf *why)
{
	const cJSON *entry = json_member(h->data, "entry"), *member, *hook;
	struct jsonedit e;

	if (text_empty(settings->data, settings->len)) {
		buf_reset(settings);
		buf_adds(settings, "{}\n");
	}
	if (open_settings(&e, settings, why) == -1)
		return -1;
	/* What the settings hold beside hooks, such as a version. */
	cJSON_ArrayForEach(member, json_member(h->data, "base"))
		if (json_member(e.root, member->string) == NULL)
			jsonedit_append(&e, e.root, member->string, member);
	while (move_one(&e, program))
		continue;
	cJSON_ArrayForEach(hook, json_member(h->data, "register"))
		if ((part_of(hook->string) & ~parts) == 0)
			cJSON_ArrayForEach(member, hook)
				add_hook(&e, entry, hook->string, member,
				    program);
	jsonedit_release(&e);
	return 0;
}

/* ---- taking out --------------------------------------------------------- */

/*
 * Takes out one hook of ours, and what it leaves empty: its entry, its event,
 * the hooks, unless the user had one of them before, empty or not.
 */
static void
cut_spot(struct jsonedit *e, const struct spot *s, const cJSON *before)
{
	const cJSON *hooks = json_member(e->root, "hooks");
	const cJSON *had = json_member(before, "hooks"), *cut = s->object;

	if (cut != s->entry &&
	    cJSON_GetArraySize(json_member(s->entry, "hooks")) == 1)
		cut = s->entry;
	if (cut == s->entry && json_member(had, s->event->string) == NULL &&
	    cJSON_GetArraySize(s->event) == 1)
		cut = s->event;
	if (cut == s->event && had == NULL && cJSON_GetArraySize(hooks) == 1)
		cut = hooks;
	jsonedit_remove(e, cut);
}

/* Takes out the last of ours; false if there is none any more. */
static bool
cut_last(struct jsonedit *e, const cJSON *before)
{
	struct spots all;
	size_t i;

	find_spots(&all, e->root);
	for (i = all.n; i > 0 && all.v[i - 1].options; i--)
		continue;
	if (i > 0)
		cut_spot(e, &all.v[i - 1], before);
	spots_release(&all);
	return i > 0;
}

/* Takes out all of ours, also a version that only we had put there, unless the
 * user has hooks by now that may need it. */
static void
cut_ours(struct jsonedit *e, const cJSON *before, const cJSON *base)
{
	const cJSON *member, *ours;

	while (cut_last(e, before))
		continue;
	if (json_member(e->root, "hooks") != NULL &&
	    json_member(before, "hooks") == NULL)
		return;
	cJSON_ArrayForEach(member, base) {
		ours = json_member(e->root, member->string);
		if (json_member(before, member->string) == NULL &&
		    cJSON_Compare(ours, member, true))
			jsonedit_remove(e, ours);
	}
}

/*
 * Ours are out of the settings: is everything else as it was?  Then they equal,
 * byte for byte, what before becomes when ours are added and removed again.
 */
static bool
only_ours(const struct agenthooks *h, const struct buf *settings,
    const char *program, const struct buf *before, const cJSON *was)
{
	struct buf again = BUF_INIT, why = BUF_INIT;
	struct jsonedit e;
	bool same = false;

	buf_add(&again, before->data, before->len);
	if (agenthooks_add(h, &again, program, agenthooks_parts(h),
	    &why) == 0 && jsonedit_init(&e, &again, NULL) == 0) {
		cut_ours(&e, was, json_member(h->data, "base"));
		jsonedit_release(&e);
		same = again.len == settings->len &&
		    memcmp(again.data, settings->data, again.len) == 0;
	}
	buf_release(&again);
	buf_release(&why);
	return same;
}

/* What the settings were before; NULL: not known. */
static cJSON *
parse_before(const struct buf *before)
{
	if (before == NULL)
		return NULL;
	return text_empty(before->data, before->len) ? json_new_object() :
	    json_parse(before->data, before->len, false, NULL);
}

int
agenthooks_remove(const struct agenthooks *h, struct buf *settings,
    const char *program, const struct buf *before, struct buf *why)
{
	cJSON *was;
	size_t len = settings->len;
	struct jsonedit e;
	bool empty;

	if (text_empty(settings->data, settings->len))
		return 0;
	if (open_settings(&e, settings, why) == -1)
		return -1;
	was = parse_before(before);
	cut_ours(&e, was, json_member(h->data, "base"));
	empty = e.root->child == NULL;
	jsonedit_release(&e);
	if (settings->len < len && was != NULL &&
	    only_ours(h, settings, program, before, was)) {
		buf_reset(settings);
		buf_add(settings, before->data, before->len);
	} else if (settings->len < len && before == NULL && empty) {
		buf_reset(settings);
	}
	json_free(was);
	return 0;
}

/* ---- plugins ------------------------------------------------------------ */

static const char plugin_program[] = "const program = ";

int
agenthooks_plugin(const struct agenthooks *h, struct buf *out,
    const char *program, struct buf *why)
{
	struct buf text = BUF_INIT, word = BUF_INIT;
	struct template_value value = { .name = "program" };
	char *path = NULL;
	cJSON *quoted;
	int ret = 0;

	path = datafile_find(plugin_folder, h->plugin);
	if (path == NULL ||
	    file_read(AT_FDCWD, path, 0, &text, AGENTHOOKS_MAX) == -1) {
		buf_printf(why, "cannot read '%s/%s': %s", plugin_folder,
		    h->plugin, strerror(errno));
		ret = -1;
	}
	if (ret == 0) {
		quoted = cJSON_CreateString(program);
		json_print(&word, quoted);
		json_free(quoted);
		value.value = buf_str(&word);
		value.len = word.len;
		ret = template_expand(out, text.data, text.len, &value, 1,
		    NULL);
		if (ret == -1)
			buf_printf(why, "'%s' is too large", path);
	}
	buf_release(&text);
	buf_release(&word);
	free(path);
	return ret;
}

char *
agenthooks_plugin_program(const struct buf *text)
{
	struct buf copy = BUF_INIT;
	const char *from;
	char *program = NULL;
	cJSON *value = NULL;

	buf_add(&copy, text->data, text->len);
	from = strstr(buf_str(&copy), plugin_program);
	if (from != NULL) {
		from += sizeof(plugin_program) - 1;
		value = json_parse(from, strcspn(from, "\r\n"), false, NULL);
	}
	if (cJSON_IsString(value))
		program = xstrdup(value->valuestring);
	json_free(value);
	buf_release(&copy);
	return program;
}
