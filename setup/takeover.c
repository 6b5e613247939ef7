#include "setup/setup.h"

#include "data/yaml.h"
#include "project/config.h"

static const char FOLDER[] = "templates/from";

struct translation {
	const struct json *rules;
	const struct buf *text;         /* of the file */
	struct json *config;            /* what it becomes */
	struct buf  *notes;
	struct buf   scripts;           /* quoted for a shell */
	size_t       at, lines;         /* lines before a place in the text */
};

/* Sets keys of ours, in whose texts the value may stand. */
static void
take_keys(struct translation *t, const struct json *keys, const char *value)
{
	const struct template_value values[] = {
		{ "value", value, strlen(value) },
		{ "scripts", buf_str(&t->scripts), t->scripts.len },
	};
	struct buf text = BUF_INIT;
	const struct json *key;

	json_each(key, keys) {
		buf_reset(&text);
		template_expand(&text, key->text, strlen(key->text), values, 2,
		    NULL);
		json_drop(t->config, key->key);
		json_add_text(t->config, key->key, buf_str(&text));
	}
	buf_release(&text);
}

/* A key without a value sets nothing.  Paths go to a list of ours. */
static void
translate_key(struct translation *t, const struct yaml_node *node,
    const char *name)
{
	const struct json *keys = json_member(t->rules, "keys"), *key,
	    *rule = json_member(keys, name), *to = json_member(rule, "to"),
	    *only = json_member(rule, "only"), *one = NULL;
	bool paths = to != NULL && json_is(to->child, JSON_LIST);
	bool text = node->kind == YAML_TEXT && strlen(node->text) == node->len;
	bool inside = node->kind == YAML_LIST;
	struct buf said = BUF_INIT;
	const struct yaml_node *n;
	struct json *ours;

	if (node->key == NULL || yaml_is_null(node) || (text && node->len == 0))
		return;
	json_each(one, only)
		if (text && strcmp(one->text, node->text) == 0)
			break;
	for (n = node->first; inside && n != NULL; n = n->next)
		inside = n->kind == YAML_TEXT && strlen(n->text) == n->len &&
		    config_inside(n->text);
	if (rule == NULL)
		buf_adds(&said, "not known");
	else if (json_is(rule, JSON_TEXT))
		buf_adds(&said, rule->text);
	else if (!paths && !text)
		buf_adds(&said, "not taken over; it is no text");
	else if (paths ? !inside : only != NULL && one == NULL)
		buf_adds(&said, json_text(rule, "else"));
	else if (!paths)
		take_keys(t, to, node->text);
	else {
		ours = json_member(t->config, to->child->key);
		if (ours == NULL)
			ours = json_add_list(t->config, to->child->key);
		for (n = node->first; n != NULL; n = n->next)
			json_append(ours, json_new_text(n->text));
	}
	if (said.len == 0)
		json_each(key, to)
			buf_printf(&said, "%s'%s'", said.len > 0 ? " and " :
			    "becomes ", key->key);
	/* Keys come in the order of their places. */
	for (; t->at < node->key_from; t->at++)
		t->lines += t->text->data[t->at] == '\n';
	buf_printf(t->notes, "%s:%zu: ", json_text(t->rules, "file"),
	    t->lines + 1);
	msg_escape(t->notes, name, strlen(name));
	buf_printf(t->notes, ": %s\n", said.len > 0 ? buf_str(&said) :
	    "needs no key");
	buf_release(&said);
}

int
takeover_translate(const struct json *rules, const struct buf *text,
    const char *scripts, struct buf *config, struct buf *notes,
    struct buf *why)
{
	struct translation t = { .rules = rules, .text = text,
	    .config = json_new_object(), .notes = notes };
	const struct yaml_node *section = NULL, *node;
	const struct json *keys = json_member(rules, "keys"), *key;
	struct text_error error;
	struct yaml yaml;
	const char *before = "{\n\t";
	char *name;

	template_quote(&t.scripts, scripts, strlen(scripts));
	take_keys(&t, json_member(rules, "always"), "");
	if (yaml_load(&yaml, text->data, text->len, &error) == -1)
		buf_printf(why, "line %u: %s", error.line, error.reason);
	else if (yaml.root != NULL && yaml.root->kind != YAML_MAP)
		buf_adds(why, "it is no mapping");
	else if (yaml.root != NULL)
		section = yaml.root->first;
	for (; section != NULL; section = section->next) {
		if (section->key == NULL)
			continue;
		if (section->kind != YAML_MAP ||
		    json_member(keys, section->key) != NULL)
			translate_key(&t, section, section->key);
		else
			for (node = section->first; node != NULL;
			    node = node->next) {
				name = xasprintf("%s.%s", section->key,
				    node->key != NULL ? node->key : "");
				translate_key(&t, node, name);
				free(name);
			}
	}
	json_each(key, t.config) {     /* one a line */
		buf_printf(config, "%s\"%s\": ", before, key->key);
		json_print(config, key);
		before = ",\n\t";
	}
	buf_adds(config, "\n}\n");
	yaml_release(&yaml);
	json_free(t.config);
	buf_release(&t.scripts);
	return why->len > 0 ? -1 : 0;
}

enum exit_status
takeover_run(const char *tool, char *root, bool print)
{
	struct buf text = BUF_INIT, why = BUF_INIT, notes = BUF_INIT;
	char *name = xasprintf("%s.json", tool), **known, **p;
	char *path = datafile_find(FOLDER, name);
	char *scripts = datafile_path("scripts", true);
	const char *theirs;
	enum ownfile_origin origin;
	struct strict s = { .error = &why, .from = path };
	struct userfile f;
	struct json *rules;

	if (path == NULL) {
		known = datafile_names(FOLDER, ".json");
		for (p = known; p != NULL && *p != NULL; p++)
			buf_printf(&text, "%s%s", p != known ? ", " : "", *p);
		fatal_usage("init: '%s' is no tool whose configuration is "
		    "known here (%s)", tool, buf_str(&text));
	}
	if (ownfile_template(&text, FOLDER, name, &why) == -1 ||
	    (rules = strict_parse(&s, &text)) == NULL)
		fatalx("%s", buf_str(&why));
	theirs = json_text(rules, "file");
	buf_reset(&text);

	if (scripts == NULL)
		fatal("cannot find the folder 'scripts' of paneward");
	userfile_init(&f, root, xstrdup(""), ".paneward.json");
	if (userfile_read(&f, &why) == -1)
		fatal_usage("'%s' is left as it is: %s", f.path, buf_str(&why));
	/* Theirs lies in the folder of the new one. */
	if (userfile_text(&f, theirs, &text, &why) == 0)
		fatal_usage("init: there is no '%s' in '%s'", theirs, f.root);
	if (why.len > 0)
		fatal_usage("init: cannot take over %s", buf_str(&why));
	if (takeover_translate(rules, &text, scripts, &f.after, &notes,
	    &why) == -1)
		fatal_usage("init: cannot take over '%s': %s", theirs,
		    buf_str(&why));
	buf_adds(&f.after, "// ");
	ownfile_sign(&f.after);
	f.stays = true;
	origin = ownfile_origin(&f.before);
	if (f.there && !buf_same(&f.before, &f.after) &&
	    origin != OWNFILE_OURS) {
		buf_add(&f.after, notes.data, notes.len);
		userfile_refuse(&f, origin == OWNFILE_FOREIGN ?
		    "paneward init did not write it" :
		    "it was changed since paneward init wrote it", &f.after,
		    NULL);
	}
	printf("%s", buf_str(&notes));
	return userfile_change(&f, 1, "", NULL, print);
}
