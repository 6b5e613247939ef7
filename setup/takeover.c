#include "setup/takeover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "setup/userdiff.h"
#include "setup/userfile.h"
#include "text/datafile.h"
#include "text/ownfile.h"
#include "text/template.h"
#include "text/yaml.h"

static const char FOLDER[] = "templates/from";

struct translation {
	const cJSON *rules;
	const struct buf *text;         /* of the file */
	cJSON       *config;            /* what it becomes */
	struct buf  *notes;
	struct buf   scripts;           /* quoted for a shell */
	/* The lines before a place in the text. */
	size_t       at, lines;
};

/* ---- translating --------------------------------------------------------- */

/* Sets keys of ours, in whose texts the value may stand. */
static void
take_keys(struct translation *t, const cJSON *keys, const char *value)
{
	const struct template_value values[] = {
		{ "value", value, strlen(value) },
		{ "scripts", buf_str(&t->scripts), t->scripts.len },
	};
	struct buf text = BUF_INIT;
	const cJSON *key;

	cJSON_ArrayForEach(key, keys) {
		buf_reset(&text);
		template_expand(&text, key->valuestring,
		    strlen(key->valuestring), values, 2, NULL);
		cJSON_DeleteItemFromObjectCaseSensitive(t->config,
		    key->string);
		json_add_text(t->config, key->string, buf_str(&text));
	}
	buf_release(&text);
}

static bool
is_among(const cJSON *list, const char *value)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, list)
		if (strcmp(one->valuestring, value) == 0)
			return true;
	return list == NULL;
}

/* Keys come in the order of their places. */
static size_t
line_of(struct translation *t, const struct yaml_node *node)
{
	for (; t->at < node->key_from; t->at++)
		t->lines += t->text->data[t->at] == '\n';
	return t->lines + 1;
}

static void
note(struct translation *t, const struct yaml_node *node, const char *name,
    const char *said)
{
	buf_printf(t->notes, "%s:%zu: ", json_text(t->rules, "file"),
	    line_of(t, node));
	msg_escape(t->notes, name, strlen(name));
	buf_printf(t->notes, ": %s\n", said);
}

/* What a key of theirs is translated to. */
static void
note_taken(struct translation *t, const struct yaml_node *node,
    const char *name, const cJSON *keys)
{
	struct buf said = BUF_INIT;
	const cJSON *key;

	cJSON_ArrayForEach(key, keys)
		buf_printf(&said, "%s'%s'", said.len > 0 ? " and " :
		    "becomes ", key->string);
	note(t, node, name, said.len > 0 ? buf_str(&said) : "needs no key");
	buf_release(&said);
}

static void
translate_key(struct translation *t, const struct yaml_node *node,
    const char *name, const cJSON *rule)
{
	const cJSON *to = json_member(rule, "to");

	if (rule == NULL)
		note(t, node, name, "not known");
	else if (cJSON_IsString(rule))
		note(t, node, name, rule->valuestring);
	else if (node->kind != YAML_TEXT || strlen(node->text) != node->len)
		note(t, node, name, "not taken over; it is no text");
	else if (!is_among(json_member(rule, "only"), node->text))
		note(t, node, name, json_text(rule, "else"));
	else {
		take_keys(t, to, node->text);
		note_taken(t, node, name, to);
	}
}

/* A key without a value sets nothing. */
static bool
is_unset(const struct yaml_node *node)
{
	return yaml_is_null(node) || (node->kind == YAML_TEXT &&
	    node->len == 0);
}

static void
translate_section(struct translation *t, const struct yaml_node *section)
{
	const cJSON *keys = json_member(t->rules, "keys");
	const cJSON *rule = json_member(keys, section->key);
	const struct yaml_node *node;
	char *name;

	if (rule != NULL || section->kind != YAML_MAP) {
		translate_key(t, section, section->key, rule);
		return;
	}
	for (node = section->first; node != NULL; node = node->next) {
		if (node->key == NULL || is_unset(node))
			continue;
		name = xasprintf("%s.%s", section->key, node->key);
		translate_key(t, node, name, json_member(keys, name));
		free(name);
	}
}

/* One key a line. */
static void
print_config(struct buf *out, const cJSON *config)
{
	const char *before = "{\n\t";
	const cJSON *key;

	cJSON_ArrayForEach(key, config) {
		buf_printf(out, "%s\"%s\": ", before, key->string);
		json_print(out, key);
		before = ",\n\t";
	}
	buf_adds(out, "\n}\n");
}

int
takeover_translate(const cJSON *rules, const struct buf *text,
    const char *scripts, struct buf *config, struct buf *notes,
    struct buf *why)
{
	struct translation t = { .rules = rules, .text = text,
	    .config = json_new_object(), .notes = notes };
	const struct yaml_node *section;
	struct yaml_error error;
	struct yaml yaml;

	template_quote(&t.scripts, scripts, strlen(scripts));
	take_keys(&t, json_member(rules, "always"), "");
	if (yaml_load(&yaml, text->data, text->len, &error) == -1)
		buf_printf(why, "line %u: %s", error.line, error.reason);
	else if (yaml.root != NULL && yaml.root->kind != YAML_MAP)
		buf_adds(why, "it is no mapping");
	else if (yaml.root != NULL)
		for (section = yaml.root->first; section != NULL;
		    section = section->next)
			if (section->key != NULL && !is_unset(section))
				translate_section(&t, section);
	print_config(config, t.config);
	yaml_release(&yaml);
	json_free(t.config);
	buf_release(&t.scripts);
	return why->len > 0 ? -1 : 0;
}

/* ---- the files ----------------------------------------------------------- */

static _Noreturn void
refuse_tool(const char *tool)
{
	char **known = datafile_names(FOLDER, ".json");
	struct buf names = BUF_INIT;
	size_t i;

	for (i = 0; known != NULL && known[i] != NULL; i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", known[i]);
	fatal_usage("init: '%s' is no tool whose configuration is known here "
	    "(%s)", tool, buf_str(&names));
}

static cJSON *
read_rules(const char *tool)
{
	char *name = xasprintf("%s.json", tool);
	char *path = datafile_find(FOLDER, name);
	struct buf text = BUF_INIT, why = BUF_INIT;
	struct json_error error;
	cJSON *rules;

	if (path == NULL)
		refuse_tool(tool);
	if (ownfile_template(&text, FOLDER, name, &why) == -1)
		fatalx("%s", buf_str(&why));
	rules = json_parse(text.data, text.len, true, &error);
	if (rules == NULL)
		fatalx("cannot read '%s': line %u: %s", path, error.line,
		    error.reason);
	buf_release(&text);
	free(name);
	free(path);
	return rules;
}

/* The file of theirs, in the folder of the new one. */
static void
read_theirs(const struct userfile *f, const char *name, struct buf *text)
{
	struct buf why = BUF_INIT;
	int found = userfile_text(f, name, text, &why);

	if (why.len > 0)
		fatal_usage("init: cannot take over %s", buf_str(&why));
	if (found == 0)
		fatal_usage("init: there is no '%s' in '%s'", name, f->root);
}

static char *
find_scripts(void)
{
	char *path = datafile_path("scripts");

	if (path == NULL)
		fatal("cannot find the folder 'scripts' of paneward");
	return path;
}

/* Why the file must stay as it is; NULL: it may be written. */
static const char *
takeover_refusal(const struct userfile *f)
{
	enum ownfile_origin origin = ownfile_origin(&f->before);

	if (!f->there || buf_same(&f->before, &f->after) ||
	    origin == OWNFILE_OURS)
		return NULL;
	return origin == OWNFILE_FOREIGN ? "paneward init did not write it" :
	    "it was changed since paneward init wrote it";
}

static void
takeover_write(struct userfile *f)
{
	userfile_begin(f);
	userfile_put(f, f->name, &f->after);
	userfile_end(f);
}

void
takeover_run(const struct takeover *take)
{
	cJSON *rules = read_rules(take->tool);
	const char *theirs = json_text(rules, "file"), *refused;
	struct buf text = BUF_INIT, out = BUF_INIT, why = BUF_INIT;
	struct buf files = BUF_INIT;
	char *scripts = find_scripts();
	struct userfile f;

	userfile_init(&f, xstrdup(take->root), xstrdup(""), ".paneward.json");
	if (userfile_read(&f, &why) == -1)
		fatal_usage("'%s' is left as it is: %s", f.path,
		    buf_str(&why));
	read_theirs(&f, theirs, &text);
	if (takeover_translate(rules, &text, scripts, &f.after, &files,
	    &why) == -1)
		fatal_usage("init: cannot take over '%s': %s", theirs,
		    buf_str(&why));
	buf_adds(&f.after, "// ");
	ownfile_sign(&f.after);
	f.stays = true;
	refused = takeover_refusal(&f);
	if (refused != NULL)
		userdiff_print(&f.after);
	else
		userdiff_add(&files, &out, &f);
	userdiff_print(&files);
	userdiff_print(&out);
	if (refused != NULL)
		fatal_usage("'%s' is left as it is: %s; put in by hand what is "
		    "printed above", f.path, refused);
	if (!take->print && userfile_changes(&f))
		takeover_write(&f);
	json_free(rules);
	free(scripts);
	buf_release(&text);
}
