#include "agent/ourhooks.h"

#include "agent/backend.h"
#include "data/datafile.h"
#include "data/template.h"
#include "os/file.h"

const struct ourhook_kind ourhook_kinds[] = {
	{ "record", 0 }, { "inbox", OURHOOK_INBOX }, { "loop", OURHOOK_LOOP },
	{ .name = NULL }
};

/* Characters without a meaning to the shell. */
static const char ourhook_safe[] = "abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

void
ourhook_add_program(struct buf *line, const char *program)
{
	if (program[strspn(program, ourhook_safe)] == '\0')
		buf_adds(line, program);
	else
		template_quote(line, program, strlen(program));
}

const char *
ourhook_word(const char *line, struct buf *word)
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
		} else if ((n = strspn(p, ourhook_safe)) > 0) {
			buf_add(word, p, n);
			p += n;
		} else {
			return NULL;
		}
	}
	return p;
}

/* Does a word of the command end with one of these files?  NULL: is it
 * ours? */
static bool
is_hook(struct ourhook *s, const struct json *object, const struct json *files)
{
	static const char between[] = " hook ";
	const char *command = json_text(object, "command"), *p, *base;
	const struct json *file;
	size_t len, i;

	s->object = object;
	if (files == NULL) {
		buf_reset(&s->program);
		p = ourhook_word(command != NULL ? command : "", &s->program);
		base = strrchr(buf_str(&s->program), '/');
		if (p == NULL || base == NULL ||
		    strcmp(base, "/paneward") != 0 ||
		    strncmp(p, between, sizeof(between) - 1) != 0)
			return false;
		p += sizeof(between) - 1;
		len = strcspn(p, " ");
		s->options = p[len] != '\0';
		for (i = 0; (s->name = ourhook_kinds[i].name) != NULL; i++)
			if (strlen(s->name) == len &&
			    strncmp(s->name, p, len) == 0)
				return true;
		return false;
	}
	for (p = command; p != NULL && *p != '\0'; p += *p != '\0') {
		len = strcspn(p, "/ \t;'\"");
		json_each(file, files)
			if (len == strlen(file->text) && p[len] != '/' &&
			    memcmp(p, file->text, len) == 0)
				return true;
		p += len;
	}
	return false;
}

bool
ourhook_find(struct ourhook *s, const struct json *root, size_t place,
    const struct json *files)
{
	const struct json *list, *object;

	json_each(s->event, json_member(root, "hooks"))
		json_each(s->entry, s->event) {
			if (is_hook(s, s->entry, files) && place-- == 0)
				return true;
			list = json_member(s->entry, "hooks");
			json_each(object, list)
				if (json_is(list, JSON_LIST) &&
				    is_hook(s, object, files) && place-- == 0)
					return true;
		}
	return false;
}

bool
ourhooks_blank(struct buf *text)
{
	return strspn(buf_str(text), " \t\r\n") == text->len;
}

struct json *
ourhooks_parse(const struct buf *text, unsigned *comment, struct buf *why)
{
	struct text_error e;
	struct json *root = json_parse(text->data, text->len, false, &e);
	const struct json *hooks, *event;

	*comment = 0;
	if (root == NULL) {
		root = json_parse(text->data, text->len, true, NULL);
		*comment = e.line;
	}
	hooks = json_member(root, "hooks");
	if (root == NULL)
		buf_printf(why, "line %u: %s", e.line, e.reason);
	else if (!json_is(root, JSON_OBJECT))
		buf_adds(why, "it is no JSON object");
	else if (hooks != NULL && !json_is(hooks, JSON_OBJECT))
		buf_adds(why, "'hooks' is no JSON object");
	json_each(event, hooks)
		if (!json_is(event, JSON_LIST) && why->len == 0)
			buf_printf(why, "'hooks.%s' is no list", event->key);
	if (why->len == 0)
		return root;
	json_free(root);
	return NULL;
}

int
ourhooks_list(const struct dialect *d, struct buf *settings,
    char ***programs, bool *own, struct buf *why)
{
	static const char before[] = "const program = ";
	struct ourhook s = OURHOOK_INIT;
	unsigned comment;
	const char *from;
	struct json *root;
	size_t i;

	*programs = NULL;
	*own = false;
	if (json_member(d->hooks, "plugin") != NULL) {
		from = strstr(buf_str(settings), before);
		if (from == NULL || ownfile_origin(settings) == OWNFILE_FOREIGN)
			return 0;
		from += sizeof(before) - 1;
		root = json_parse(from, strcspn(from, "\r\n"), false, NULL);
		*own = json_is(root, JSON_TEXT);
		if (*own)
			*programs = argv_add(NULL, root->text);
		json_free(root);
		return 0;
	}
	if (ourhooks_blank(settings))
		return 0;
	root = ourhooks_parse(settings, &comment, why);
	if (root == NULL)
		return -1;
	for (i = 0; ourhook_find(&s, root, i, NULL); i++) {
		*programs = argv_add(*programs, buf_str(&s.program));
		*own = *own || !s.options;
	}
	buf_release(&s.program);
	json_free(root);
	if (comment > 0)
		buf_printf(why, "line %u: a comment", comment);
	return comment > 0;
}

bool
ourhooks_named_folder(const struct dialect *d, const char **folder,
    struct buf *why)
{
	const char *variable = json_text(d->hooks, "user_variable");

	*folder = variable ? getenv(variable) : NULL;
	if (*folder == NULL || **folder == '/')
		return true;
	buf_printf(why, "%s is '%s', which is no absolute path", variable,
	    *folder);
	return false;
}

static bool
installed_in(const struct dialect *d, const char *root, const char *folder)
{
	char *path = xasprintf("%s/%s/%s", root, folder,
	    json_text(d->hooks, "file")), **programs = NULL, **p;
	struct buf text = BUF_INIT, why = BUF_INIT;
	bool own, runs = false;

	if (file_read(AT_FDCWD, path, 0, &text, OURHOOKS_MAX) == 0 &&
	    ourhooks_list(d, &text, &programs, &own, &why) <= d->comments)
		for (p = programs; p != NULL && *p != NULL; p++)
			runs = runs || access(*p, X_OK) == 0;
	argv_free(programs);
	buf_release(&text);
	buf_release(&why);
	free(path);
	return runs;
}

bool
ourhooks_installed(const struct dialect *d, const char *cwd)
{
	const char *named, *home = getenv("HOME");
	struct buf why = BUF_INIT;
	bool valid = ourhooks_named_folder(d, &named, &why);

	buf_release(&why);
	return installed_in(d, cwd, json_text(d->hooks, "folder")) ||
	    (valid && named != NULL && installed_in(d, named, ".")) ||
	    (named == NULL && home != NULL &&
	    installed_in(d, home, json_text(d->hooks, "user_folder")));
}

/* ---- session hooks ------------------------------------------------------- */

int
sessionhooks_add(const char *backend, const char *cwd, char ***argv,
    struct buf *why)
{
	const char *variable, *before, *list_name, *name;
	struct buf ignored = BUF_INIT, text = BUF_INIT;
	struct json *object, *list, *entry;
	const struct json *session;
	char *file = NULL, **words, **longer;
	struct dialect d;
	struct backend b;
	int ret = backend == NULL ? 0 : dialect_read(&d, backend, why);

	if (ret != 1)
		return ret;
	ret = 0;
	session = json_member(d.hooks, "session");
	if (session == NULL || ourhooks_installed(&d, cwd))
		goto out;
	name = json_text(session, "file");
	file = datafile_path(name, true);
	if (file == NULL) {
		buf_printf(why, "'%s' is not installed", name);
		ret = -1;
		goto out;
	}
	/* The file joins a list in the JSON of a variable. */
	variable = json_text(session, "variable");
	if (variable != NULL) {
		list_name = json_text(session, "list");
		before = getenv(variable);
		object = before == NULL || before[0] == '\0' ?
		    json_new_object() :
		    json_parse(before, strlen(before), true, NULL);
		list = json_member(object, list_name);
		if (list == NULL && json_is(object, JSON_OBJECT))
			list = json_add_list(object, list_name);
		if (!json_is(list, JSON_LIST)) {
			buf_printf(why, "%s has a value that cannot be "
			    "extended", variable);
			ret = -1;
		}
		json_each(entry, ret == 0 ? list : NULL)
			if (json_is(entry, JSON_TEXT) &&
			    strcmp(entry->text, file) == 0)
				break;
		if (ret == 0 && entry == NULL) {
			json_append(list, json_new_text(file));
			json_print(&text, object);
			setenv(variable, buf_str(&text), 1);
		}
		json_free(object);
	}
	/* A dialect does not name the program that takes the words. */
	words = strict_list(json_member(session, "words"));
	if (ret == 0 && words != NULL &&
	    backend_read(&b, d.agent, &ignored) == 0) {
		longer = backend_fill(argv_add(NULL, (*argv)[0]), words, "file",
		    file);
		if (backend_is(b.command, (*argv)[0]) &&
		    !argv_has(*argv, longer[argv_count(longer) - 1])) {
			longer = argv_add_all(longer,
			    (const char *const *)*argv + 1);
			argv_free(*argv);
			*argv = longer;
		} else {
			argv_free(longer);
		}
		backend_release(&b);
	}
	argv_free(words);
out:
	buf_release(&ignored);
	buf_release(&text);
	free(file);
	dialect_release(&d);
	return ret;
}

void
sessionhooks_launch(struct launch *l, const char *backend)
{
	struct buf why = BUF_INIT;

	if (sessionhooks_add(backend, l->cwd, &l->argv, &why) == -1)
		warnx("no hooks for this session: %s", buf_str(&why));
	buf_release(&why);
}
