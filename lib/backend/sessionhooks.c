#include "backend/sessionhooks.h"

#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/dialect.h"
#include "backend/ourhooks.h"
#include "base/argv.h"
#include "base/msg.h"
#include "text/datafile.h"
#include "text/json.h"
#include "text/template.h"

/* Inserts the words behind the first one, if they are not there. */
static void
session_words(char ***argv, const cJSON *words, const char *file)
{
	const struct template_value value = { "file", file, strlen(file) };
	struct buf text = BUF_INIT;
	char **longer = argv_add(NULL, (*argv)[0]);
	const cJSON *word;

	cJSON_ArrayForEach(word, words) {
		buf_reset(&text);
		template_expand(&text, word->valuestring,
		    strlen(word->valuestring), &value, 1, NULL);
		longer = argv_add(longer, buf_str(&text));
	}
	if (argv_has(*argv, buf_str(&text))) {
		argv_free(longer);
	} else {
		longer = argv_add_all(longer,
		    (const char *const *)*argv + 1);
		argv_free(*argv);
		*argv = longer;
	}
	buf_release(&text);
}

/* The list of that name in an object, which gets one if it has none; NULL: it
 * is no object, or has something else of that name. */
static cJSON *
session_list(cJSON *object, const char *name)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(object, name);

	if (list == NULL && cJSON_IsObject(object))
		list = cJSON_AddArrayToObject(object, name);
	return cJSON_IsArray(list) ? list : NULL;
}

/* Is it the program of the backend?  A dialect is read without that. */
static bool
session_is_of(const char *name, const char *word)
{
	struct buf why = BUF_INIT;
	struct backend b;
	bool is = false;

	if (backend_read(&b, name, &why) == 0) {
		is = backend_is(b.command, word);
		backend_release(&b);
	}
	buf_release(&why);
	return is;
}

/* Adds the file to a list in the JSON of a variable. */
static int
session_variable(const char *variable, const char *name, const char *file,
    struct buf *why)
{
	const char *before = getenv(variable);
	cJSON *object = before == NULL || before[0] == '\0' ?
	    json_new_object() : json_parse(before, strlen(before), true, NULL);
	cJSON *list = session_list(object, name), *entry;
	struct buf text = BUF_INIT;
	bool there = false;

	cJSON_ArrayForEach(entry, list)
		there = there || (cJSON_IsString(entry) &&
		    strcmp(entry->valuestring, file) == 0);
	if (list == NULL) {
		buf_printf(why, "%s is set to what cannot be added to",
		    variable);
	} else if (!there) {
		cJSON_AddItemToArray(list, cJSON_CreateString(file));
		json_print(&text, object);
		setenv(variable, buf_str(&text), 1);
	}
	json_free(object);
	buf_release(&text);
	return list != NULL ? 0 : -1;
}

static int
session_add(const struct dialect *d, char ***argv, struct buf *why)
{
	const cJSON *session = json_member(d->hooks, "session");
	const char *variable = json_text(session, "variable");
	const char *name = json_text(session, "file");
	char *file = datafile_path(name);
	int ret = 0;

	if (file == NULL) {
		buf_printf(why, "'%s' is not installed", name);
		return -1;
	}
	if (variable != NULL)
		ret = session_variable(variable, json_text(session, "list"),
		    file, why);
	if (ret == 0 && session_is_of(d->agent, (*argv)[0]))
		session_words(argv, json_member(session, "words"), file);
	free(file);
	return ret;
}

int
sessionhooks_add(const char *backend, const char *cwd, char ***argv,
    struct buf *why)
{
	struct dialect d;
	int ret = backend == NULL ? 0 : dialect_read(&d, backend, why);

	if (ret != 1)
		return ret;
	ret = json_member(d.hooks, "session") == NULL ||
	    ourhooks_installed(&d, cwd) ? 0 : session_add(&d, argv, why);
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
