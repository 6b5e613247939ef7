#include "setup/agenthooks.h"

#include <assert.h>
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

enum { DEEPEST = 6 };           /* "hooks", event, entry, "hooks", hook, key */

/* One hook of ours, and the place of its object. */
struct spot {
	const char *event;              /* borrowed from the tree */
	const char *hook;
	char       *program;
	bool        options;
	bool        alone;              /* no other hook is in its entry */
	size_t      places[DEEPEST];
	size_t      depth;              /* 3, or 5 with a list in the entry */
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

/* At which place of an object is the member?  -1: at none. */
static long
place_of(const cJSON *object, const char *name)
{
	const cJSON *member;
	long place = 0;

	cJSON_ArrayForEach(member, object) {
		if (strcmp(member->string, name) == 0)
			return place;
		place++;
	}
	return -1;
}

static void
try_spot(struct spots *all, const struct spot *at, const cJSON *object)
{
	const char *command = json_text(object, "command");
	struct spot s = *at;

	if (command == NULL)
		return;
	s.hook = hook_of(command, &s.program, &s.options);
	if (s.hook == NULL)
		return;
	all->v = xreallocarray(all->v, all->n + 1, sizeof(*all->v));
	all->v[all->n++] = s;
}

static void
try_entry(struct spots *all, const struct spot *at, const cJSON *entry)
{
	const cJSON *list = json_member(entry, "hooks"), *object;
	struct spot s = *at;

	s.alone = true;
	try_spot(all, &s, entry);
	if (!cJSON_IsObject(entry) || !cJSON_IsArray(list))
		return;
	s.alone = cJSON_GetArraySize(list) == 1;
	s.depth = at->depth + 2;
	s.places[at->depth] = (size_t)place_of(entry, "hooks");
	s.places[at->depth + 1] = 0;
	cJSON_ArrayForEach(object, list) {
		try_spot(all, &s, object);
		s.places[at->depth + 1]++;
	}
}

static void
find_spots(struct spots *all, const cJSON *root)
{
	const cJSON *hooks = json_member(root, "hooks"), *event, *entry;
	struct spot s = { .depth = 3 };

	if (!cJSON_IsObject(hooks))
		return;
	s.places[0] = (size_t)place_of(root, "hooks");
	cJSON_ArrayForEach(event, hooks) {
		s.event = event->string;
		s.places[2] = 0;
		if (cJSON_IsArray(event))
			cJSON_ArrayForEach(entry, event) {
				try_entry(all, &s, entry);
				s.places[2]++;
			}
		s.places[1]++;
	}
}

/* ---- reading settings --------------------------------------------------- */

/* The settings, if they are such that hooks can be in them.  Of comments
 * *comment is the first one's line, 0: there is none. */
static cJSON *
parse_any(const struct buf *text, unsigned *comment, struct buf *why)
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
	else
		cJSON_ArrayForEach(event, hooks)
			if (!cJSON_IsArray(event) && why->len == 0)
				buf_printf(why, "'hooks.%s' is no list",
				    event->string);
	if (why->len == 0)
		return root;
	json_free(root);
	return NULL;
}

/* The same, if they can be changed. */
static cJSON *
parse_settings(const struct buf *text, struct buf *why)
{
	unsigned comment;
	cJSON *root = parse_any(text, &comment, why);

	if (root == NULL || comment == 0)
		return root;
	buf_printf(why, "line %u: a comment, which may lose the place that it "
	    "belongs to", comment);
	json_free(root);
	return NULL;
}

int
agenthooks_list(const struct buf *settings,
    void (*take)(void *, const char *program, bool options), void *context,
    struct buf *why)
{
	struct spots all = { NULL, 0 };
	unsigned comment;
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
fill(cJSON *tree, const struct filling *f)
{
	cJSON *child = tree->child, *next;
	char *text;

	for (; child != NULL; child = next) {
		next = child->next;
		if (!cJSON_IsString(child)) {
			fill(child, f);
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

static struct jsonedit_path
path_to(const size_t *places, size_t depth)
{
	return (struct jsonedit_path){ places, depth };
}

/* Editing a text that was parsed cannot fail. */
static void
append(struct buf *text, const size_t *places, size_t depth, const char *key,
    const cJSON *value)
{
	int ret = jsonedit_append(text, path_to(places, depth), key, value);

	assert(ret == 0);
	(void)ret;
}

/* Makes the member if it is missing; its place. */
static size_t
need_member(struct buf *text, const cJSON *in, const size_t *places,
    size_t depth, const char *name, cJSON *value)
{
	long place = in != NULL ? place_of(in, name) : -1;

	if (place == -1) {
		append(text, places, depth, name, value);
		place = in != NULL ? cJSON_GetArraySize(in) : 0;
	}
	json_free(value);
	return (size_t)place;
}

static void
add_entry(struct buf *text, const cJSON *root, const cJSON *form,
    const char *hook, const cJSON *event, const char *command)
{
	const struct filling f = { command, hook,
	    event->valuestring[0] ? event->valuestring : NULL };
	const cJSON *hooks = json_member(root, "hooks");
	cJSON *entry = cJSON_Duplicate(form, true);
	size_t places[2];

	places[0] = need_member(text, root, NULL, 0, "hooks",
	    json_new_object());
	places[1] = need_member(text, hooks, places, 1, event->string,
	    cJSON_CreateArray());
	fill(entry, &f);
	append(text, places, 2, NULL, entry);
	json_free(entry);
}

/* Another program is run by the hook from now on, with the same options. */
static void
change_program(struct buf *text, const cJSON *root, const struct spot *s,
    const char *program)
{
	const cJSON *object = root;
	struct buf old = BUF_INIT, line = BUF_INIT;
	size_t places[DEEPEST], i;
	cJSON *value;
	int ret;

	memcpy(places, s->places, sizeof(places));
	for (i = 0; i < s->depth; i++)
		object = cJSON_GetArrayItem(object, (int)places[i]);
	places[s->depth] = (size_t)place_of(object, "command");
	add_program(&line, program);
	buf_adds(&line, first_word(json_text(object, "command"), &old));
	value = cJSON_CreateString(buf_str(&line));
	ret = jsonedit_replace(text, path_to(places, s->depth + 1), value);
	assert(ret == 0);
	(void)ret;
	json_free(value);
	buf_release(&old);
	buf_release(&line);
}

/* A paneward that has moved.  The user's hooks may mean another one, as long
 * as it is there. */
static void
move_program(struct buf *text, const cJSON *root, const char *program)
{
	struct spots all = { NULL, 0 };
	const struct spot *s;
	size_t i;

	find_spots(&all, root);
	for (i = 0; i < all.n; i++) {
		s = &all.v[i];
		if (strcmp(s->program, program) != 0 &&
		    (!s->options || access(s->program, X_OK) == -1))
			change_program(text, root, s, program);
	}
	spots_release(&all);
}

static void
add_hook(struct buf *text, const cJSON *root, const cJSON *form,
    const char *hook, const cJSON *event, const char *program)
{
	char *command = make_command(program, hook);
	struct spots all = { NULL, 0 };
	bool there = false;
	size_t i;

	find_spots(&all, root);
	for (i = 0; i < all.n && !there; i++)
		there = strcmp(all.v[i].hook, hook) == 0 &&
		    strcmp(all.v[i].event, event->string) == 0;
	if (!there)
		add_entry(text, root, form, hook, event, command);
	spots_release(&all);
	free(command);
}

/* What the settings hold beside hooks, such as a version. */
static void
add_base(struct buf *text, const cJSON *root, const cJSON *base)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, base)
		if (json_member(root, member->string) == NULL) {
			append(text, NULL, 0, member->string, member);
			return;
		}
}

static bool
has_base(const cJSON *root, const cJSON *base)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, base)
		if (json_member(root, member->string) == NULL)
			return false;
	return true;
}

/* The text is read again after each change of it. */
static cJSON *
parse_again(cJSON *root, const struct buf *text)
{
	json_free(root);
	root = json_parse(text->data, text->len, false, NULL);
	assert(root != NULL);
	return root;
}

int
agenthooks_add(const struct agenthooks *h, struct buf *settings,
    const char *program, unsigned parts, struct buf *why)
{
	const cJSON *base = json_member(h->data, "base"), *hook, *event;
	cJSON *root;

	if (text_empty(settings->data, settings->len)) {
		buf_reset(settings);
		buf_adds(settings, "{}\n");
	}
	root = parse_settings(settings, why);
	if (root == NULL)
		return -1;
	while (!has_base(root, base)) {
		add_base(settings, root, base);
		root = parse_again(root, settings);
	}
	move_program(settings, root, program);
	root = parse_again(root, settings);
	cJSON_ArrayForEach(hook, json_member(h->data, "register")) {
		if ((part_of(hook->string) & ~parts) != 0)
			continue;
		cJSON_ArrayForEach(event, hook) {
			add_hook(settings, root, json_member(h->data, "entry"),
			    hook->string, event, program);
			root = parse_again(root, settings);
		}
	}
	json_free(root);
	return 0;
}

/* ---- taking out --------------------------------------------------------- */

static void
cut(struct buf *text, const size_t *places, size_t depth)
{
	int ret = jsonedit_remove(text, path_to(places, depth));

	assert(ret == 0);
	(void)ret;
}

/*
 * Takes out one hook of ours, and what it leaves empty: its entry, its event,
 * the hooks, unless the user had one of them before, empty or not.
 */
static void
cut_spot(struct buf *text, const cJSON *root, const struct spot *s,
    const cJSON *before)
{
	const cJSON *hooks = json_member(root, "hooks");
	const cJSON *had = json_member(before, "hooks");
	size_t depth = s->depth > 3 && s->alone ? 3 : s->depth;

	if (depth == 3 && json_member(had, s->event) == NULL &&
	    cJSON_GetArraySize(json_member(hooks, s->event)) == 1)
		depth = 2;
	if (depth == 2 && had == NULL && cJSON_GetArraySize(hooks) == 1)
		depth = 1;
	cut(text, s->places, depth);
}

/* Takes out the last of ours; false if there is none any more. */
static bool
cut_last(struct buf *text, const cJSON *root, const cJSON *before)
{
	struct spots all = { NULL, 0 };
	size_t i;

	find_spots(&all, root);
	for (i = all.n; i > 0 && all.v[i - 1].options; i--)
		continue;
	if (i > 0)
		cut_spot(text, root, &all.v[i - 1], before);
	spots_release(&all);
	return i > 0;
}

/* A version that only we had put there goes too, unless the user has hooks by
 * now that may need it. */
static bool
cut_base(struct buf *text, const cJSON *root, const cJSON *before,
    const cJSON *base)
{
	const cJSON *member;
	size_t place;

	if (json_member(root, "hooks") != NULL &&
	    json_member(before, "hooks") == NULL)
		return false;
	cJSON_ArrayForEach(member, base) {
		if (json_member(before, member->string) != NULL ||
		    !cJSON_Compare(json_member(root, member->string), member,
		    true))
			continue;
		place = (size_t)place_of(root, member->string);
		cut(text, &place, 1);
		return true;
	}
	return false;
}

/* Takes out all of ours; the tree of what is left. */
static cJSON *
cut_ours(struct buf *text, cJSON *root, const cJSON *before, const cJSON *base)
{
	while (cut_last(text, root, before))
		root = parse_again(root, text);
	while (cut_base(text, root, before, base))
		root = parse_again(root, text);
	return root;
}

/*
 * Has nobody but us changed the settings, now that ours are out of them?  Then
 * they are, byte for byte, what before is once ours were put in and taken out.
 */
static bool
only_ours(const struct agenthooks *h, const struct buf *settings,
    const char *program, const struct buf *before, const cJSON *was)
{
	struct buf again = BUF_INIT, why = BUF_INIT;
	bool same = false;

	buf_add(&again, before->data, before->len);
	if (agenthooks_add(h, &again, program, agenthooks_parts(h),
	    &why) == 0) {
		json_free(cut_ours(&again, parse_again(NULL, &again), was,
		    json_member(h->data, "base")));
		same = again.len == settings->len &&
		    memcmp(again.data, settings->data, again.len) == 0;
	}
	buf_release(&again);
	buf_release(&why);
	return same;
}

/* What the settings were before; NULL if that cannot be told. */
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
	cJSON *root, *was = parse_before(before);
	size_t len = settings->len;
	bool some;

	root = text_empty(settings->data, settings->len) ? NULL : parse_settings(settings, why);
	if (root == NULL) {
		json_free(was);
		return why->len > 0 ? -1 : 0;
	}
	root = cut_ours(settings, root, was, json_member(h->data, "base"));
	some = settings->len < len;
	if (some && was != NULL &&
	    only_ours(h, settings, program, before, was)) {
		buf_reset(settings);
		buf_add(settings, before->data, before->len);
	} else if (some && before == NULL && root->child == NULL) {
		buf_reset(settings);
	}
	json_free(root);
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
