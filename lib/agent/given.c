/*
 * given.c - backends of a file that is not installed, read as every command
 * reads them.
 */
#include "agent/backend.h"
#include "agent/dialect.h"
#include "os/file.h"

char **
backends_give(struct backends *all, const char *path, struct buf *text,
    struct buf *error)
{
	const char *slash = strrchr(path, '/');
	struct strict s = { .error = error, .from = path };
	const struct json *list, *one;
	char **names = NULL, **p, *end;
	struct json *root;
	struct dialect d;

	if (file_read(AT_FDCWD, path, 0, text, BACKEND_MAX + 1) == -1 ||
	    (text->len > BACKEND_MAX && (errno = EFBIG) != 0)) {
		buf_printf(error, "cannot read '%s': %s", path,
		    strerror(errno));
		return NULL;
	}
	errno = 0;
	root = strict_parse(&s, text);
	list = json_member(root, "backends");
	json_each(one, json_is(list, JSON_OBJECT) ? list : NULL) {
		names = argv_add(names, one->key);
		backend_give(one->key, path, text, one->open, one->to);
	}
	if (list == NULL && root != NULL) {
		names = argv_add(NULL, slash != NULL ? slash + 1 : path);
		end = strrchr(names[0], '.');
		if (end != NULL && strcmp(end, ".json") == 0)
			*end = '\0';
		backend_give(names[0], path, text, 0, text->len);
	} else if (root != NULL && (names == NULL || json_size(root) > 1)) {
		buf_printf(error, "'%s' is no bundle: it has 'backends' alone, "
		    "an object of them by name", path);
	}
	json_free(root);
	for (p = names; p != NULL && *p != NULL && error->len == 0; p++)
		if (**p == '\0' || **p == '-' || !text_only(*p, "_-"))
			buf_printf(error, "cannot use '%s': '%s' is no name of "
			    "a backend: letters, digits, '-' and '_'", path,
			    *p);
		else if (backends_get(all, *p, error) != NULL &&
		    dialect_read(&d, *p, error) != -1)
			dialect_release(&d);
	return error->len == 0 ? names : NULL;
}
