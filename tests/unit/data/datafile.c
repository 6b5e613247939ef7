#include "data/datafile.h"

#include <errno.h>

#include "scratch.h"
#include "unit/fixture.h"

/* The file of that name below the scratch folder, or why there is none. */
static const char *
found(const char *name)
{
	static char shown[4096];
	char *path = datafile_find("agents", name);

	snprintf(shown, sizeof(shown), "%s", path != NULL ? path +
	    strlen(scratch) + 1 : errno == ENOENT ? "none" : strerror(errno));
	free(path);
	return shown;
}

TEST(the_users_configuration_is_looked_at_or_that_in_the_home_directory) {
	setenv("XDG_CONFIG_HOME", scratch_path("xdg"), 1);
	ROWS(found, "a.md => xdg/paneward/agents/a.md", "b.md => none");
	setenv("XDG_CONFIG_HOME", "", 1);
	ROWS(found, "b.md => .config/paneward/agents/b.md");
	ok(chdir(scratch) == 0);
	setenv("XDG_CONFIG_HOME", "xdg", 1);            /* is ignored */
	ROWS(found, "a.md => none");
	unsetenv("XDG_CONFIG_HOME");
	ROWS(found, "b.md => .config/paneward/agents/b.md");
}

TEST(only_files_are_found_and_a_name_leads_nowhere_else) {
	char *folder = datafile_path("agents/folder", true);

	ROWS(found, "folder => none", " => none", ". => none", ".. => none",
	    ".hidden => none", "../agents/b.md => none", "x/b.md => none");
	ok(folder != NULL);
	free(folder);
	ok(datafile_path("agents/nothing", true) == NULL && errno == ENOENT);
}

/* The folder of this very program stands for that of paneward. */
TEST(a_checkout_is_looked_at_also_without_a_home) {
	char self[4096], *name, *path;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	unsetenv("HOME");
	ROWS(found, "b.md => none");
	if (len <= 0)
		return;                 /* only an installed one is found */
	self[len] = '\0';
	name = strrchr(self, '/') + 1;
	path = datafile_find(".", name);
	is_text(path != NULL ? strrchr(path, '/') + 1 : NULL, name);
	free(path);
}

BEFORE_TESTS {
	setenv("HOME", scratch, 1);
	scratch_write("xdg/paneward/agents/a.md", "");
	scratch_write(".config/paneward/agents/b.md", "");
	scratch_write(".config/paneward/agents/.hidden", "");
	scratch_folder(".config/paneward/agents/folder");
}
