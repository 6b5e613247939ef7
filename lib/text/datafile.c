#include "text/datafile.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "os/proc.h"

char *
datafile_user(void)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	/* The XDG specification: ignore relative ones. */
	if (config != NULL && config[0] == '/')
		return xasprintf("%s/paneward", config);
	if (home != NULL && home[0] == '/')
		return xasprintf("%s/.config/paneward", home);
	return NULL;
}

static char *
installed_place(void)
{
	return xstrdup(DATADIR);
}

static char *
program_place(void)
{
	char *path = proc_program();

	if (path != NULL)
		*strrchr(path, '/') = '\0';
	return path;
}

/* PREFIX/share/paneward of the running PREFIX/bin/paneward. */
static char *
beside_place(void)
{
	char *program = program_place(), *path = NULL;

	if (program != NULL)
		path = xasprintf("%s/../share/paneward", program);
	free(program);
	return path;
}

/* Order is policy: the user's before ours, a checkout's before the
 * installed. */
static char *(*const places[])(void) = {
	datafile_user,
	program_place,
	beside_place,
	installed_place,
};

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

char *
datafile_find(const char *folder, const char *name)
{
	char *place, *path;
	size_t i;

	if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL) {
		errno = ENOENT;
		return NULL;
	}
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		place = places[i]();
		if (place == NULL)
			continue;
		path = xasprintf("%s/%s/%s", place, folder, name);
		free(place);
		if (is_file(path))
			return path;
		free(path);
	}
	errno = ENOENT;
	return NULL;
}

void
datafile_names(const char *folder, void (*take)(void *, const char *name),
    void *context)
{
	const struct dirent *entry;
	char *place, *path;
	DIR *dir;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		place = places[i]();
		path = xasprintf("%s/%s", place ? place : "", folder);
		dir = place != NULL ? opendir(path) : NULL;
		while (dir != NULL && (entry = readdir(dir)) != NULL)
			if (entry->d_name[0] != '.')
				take(context, entry->d_name);
		if (dir != NULL)
			closedir(dir);
		free(path);
		free(place);
	}
}
