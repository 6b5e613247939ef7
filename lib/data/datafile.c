#include "data/datafile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/userfolder.h"

/* Order is policy: the user's before ours, a checkout's before the
 * installed. */
static char **
data_places(void)
{
	const char *self = proc_program(), *slash = strrchr(self, '/');
	char *user = userfolder_config(), **places = NULL;

	if (user != NULL)
		places = argv_own(places, user);
	/* PREFIX/share/paneward of the running PREFIX/bin/paneward. */
	if (slash != NULL) {
		places = argv_own(places, xstrndup(self, (size_t)(slash -
		    self)));
		places = argv_own(places, proc_beside("../share/paneward"));
	}
	return argv_add(places, DATADIR);
}

/* In the first place that has it, not counting folders unless wanted. */
static char *
place_path(const char *name, bool folders)
{
	char **places = data_places(), *path = NULL;
	int there = 0, error = ENOENT;
	struct stat st;
	size_t i;

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
	char *path, *below;

	if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL) {
		errno = ENOENT;
		return NULL;
	}
	below = xasprintf("%s/%s", folder, name);
	path = place_path(below, false);
	free(below);
	return path;
}

char *
datafile_path(const char *path)
{
	return place_path(path, true);
}

char **
datafile_names(const char *folder, const char *suffix)
{
	char **places = data_places(), **names = NULL, *path, *name;
	const struct dirent *entry;
	size_t tail = strlen(suffix), len, i;
	DIR *dir;

	for (i = 0; places[i] != NULL; i++) {
		path = xasprintf("%s/%s", places[i], folder);
		dir = opendir(path);
		while (dir != NULL && (entry = readdir(dir)) != NULL) {
			len = strlen(entry->d_name);
			if (entry->d_name[0] == '.' || len <= tail ||
			    strcmp(entry->d_name + len - tail, suffix) != 0)
				continue;
			name = xstrndup(entry->d_name, len - tail);
			if (!argv_has(names, name))
				names = argv_add(names, name);
			free(name);
		}
		if (dir != NULL)
			closedir(dir);
		free(path);
	}
	argv_free(places);
	argv_sort(names);
	return names;
}
