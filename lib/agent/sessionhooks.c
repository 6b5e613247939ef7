#include "agent/sessionhooks.h"

#include <stdlib.h>
#include <string.h>

#include "agent/backend.h"
#include "agent/dialect.h"
#include "agent/ourhooks.h"
#include "base/argv.h"
#include "base/msg.h"
#include "data/datafile.h"
#include "data/json.h"
#include "data/template.h"

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

static int
session_add(const struct dialect *d, char ***argv, struct buf *why)
{
	const cJSON *session = json_member(d->hooks, "session");
	const char *variable = json_text(session, "variable"), *before;
	const char *list_name = json_text(session, "list");
	const char *name = json_text(session, "file");
	char *file = datafile_path(name);
	struct buf ignored = BUF_INIT, text = BUF_INIT;
	cJSON *object, *list, *entry;
	struct backend b;
	bool there = false;
	int ret = 0;

	if (file == NULL) {
		buf_printf(why, "'%s' is not installed", name);
		return -1;
	}
	/* It becomes one of a list in the JSON of a variable. */
	if (variable != NULL) {
		before = getenv(variable);
		object = before == NULL || before[0] == '\0' ?
		    json_new_object() : json_parse(before, strlen(before),
		    true, NULL);
		list = cJSON_GetObjectItemCaseSensitive(object, list_name);
		if (list == NULL && cJSON_IsObject(object))
			list = cJSON_AddArrayToObject(object, list_name);
		if (!cJSON_IsArray(list))
			list = NULL;
		cJSON_ArrayForEach(entry, list)
			there = there || (cJSON_IsString(entry) &&
			    strcmp(entry->valuestring, file) == 0);
		if (list == NULL) {
			ret = -1;
			buf_printf(why, "%s is set to what cannot be added to",
			    variable);
		} else if (!there) {
			cJSON_AddItemToArray(list, cJSON_CreateString(file));
			json_print(&text, object);
			setenv(variable, buf_str(&text), 1);
		}
		json_free(object);
	}
	/* Is it the program of the backend?  A dialect is read without that. */
	if (ret == 0 && backend_read(&b, d->agent, &ignored) == 0) {
		if (backend_is(b.command, (*argv)[0]))
			session_words(argv, json_member(session, "words"),
			    file);
		backend_release(&b);
	}
	buf_release(&ignored);
	buf_release(&text);
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
