#include "data/datafile.h"

#include <inttypes.h>

#include "os/file.h"
#include "os/proc.h"
#include "os/userfolder.h"

/* NULL with errno. */
static char **
data_places(void)
{
	const char *self = proc_program(), *slash = strrchr(self, '/');
	char *user, **places = NULL;

	if (slash == NULL)
		return NULL;
	user = userfolder_config();
	if (user != NULL)
		places = argv_own(places, user);
	places = argv_own(places, xstrndup(self, (size_t)(slash - self)));
	places = argv_own(places, proc_beside("../share/paneward"));
	return argv_add(places, DATADIR);
}

char *
datafile_path(const char *name, bool folders)
{
	char **places = data_places(), *path = NULL;
	int there = 0, error = ENOENT;
	struct stat st;
	size_t i;

	if (places == NULL)
		return NULL;
	for (i = 0; there == 0 && places[i] != NULL; i++) {
		free(path);
		path = xasprintf("%s/%s", places[i], name);
		there = file_look(AT_FDCWD, path, 0, &st);
		if (there == -1)
			error = errno;
		if (there == 1 && !S_ISREG(st.st_mode) &&
		    (!folders || !S_ISDIR(st.st_mode)))
			there = 0;
	}
	argv_free(places);
	if (there == 1)
		return path;
	free(path);
	errno = error;
	return NULL;
}

char *
datafile_find(const char *folder, const char *name)
{
	char *below = xasprintf("%s/%s", folder, name), *path = NULL;

	errno = ENOENT;
	if (name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL)
		path = datafile_path(below, false);
	free(below);
	return path;
}

char **
datafile_names(const char *folder, const char *suffix)
{
	char **places = data_places(), **names = NULL, *path, **there, **p;
	size_t tail = strlen(suffix), len, i;
	int error = 0;

	if (places == NULL)
		return NULL;
	for (i = 0; places[i] != NULL; i++) {
		path = xasprintf("%s/%s", places[i], folder);
		there = file_names(AT_FDCWD, path);
		if (there == NULL && !file_missing(errno))
			error = errno;
		for (p = there; p != NULL && *p != NULL; p++) {
			len = strlen(*p);
			if (**p == '.' || len <= tail ||
			    strcmp(*p + len - tail, suffix) != 0)
				continue;
			(*p)[len - tail] = '\0';
			if (!argv_has(names, *p))
				names = argv_add(names, *p);
		}
		argv_free(there);
		free(path);
	}
	argv_free(places);
	argv_sort(names);
	if (error != 0) {
		argv_free(names);
		names = NULL;
	}
	errno = error;
	return names;
}

enum { TEMPLATE_MAX = 1 << 20 };

static const char mark[] =
    "<!-- paneward init wrote this file, and may write it again: ";

int
ownfile_template(struct buf *text, const char *folder, const char *name,
    struct buf *why)
{
	char *path = datafile_find(folder, name);
	int ret = path == NULL ? -1 :
	    file_read(AT_FDCWD, path, 0, text, TEMPLATE_MAX);

	if (ret == -1)
		buf_printf(why, "cannot read '%s/%s': %s", folder, name,
		    strerror(errno));
	free(path);
	return ret;
}

/* A forged sum would gain nothing. */
void
ownfile_sign(struct buf *text)
{
	uint64_t sum = text_hash(text->data, text->len);

	buf_printf(text, "%s%016" PRIx64 " -->\n", mark, sum);
}

enum ownfile_origin
ownfile_origin(const struct buf *text)
{
	const char *at = text->len == 0 ? NULL : memmem(text->data, text->len,
	    mark, sizeof(mark) - 1);
	struct buf want = BUF_INIT;
	bool ours;

	if (at == NULL)
		return OWNFILE_FOREIGN;
	buf_add(&want, text->data, (size_t)(at - text->data));
	ownfile_sign(&want);
	ours = buf_same(text, &want);
	buf_release(&want);
	return ours ? OWNFILE_OURS : OWNFILE_CHANGED;
}
