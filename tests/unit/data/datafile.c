#include "data/datafile.h"

#include <errno.h>

#include "scratch.h"

/* The name finds that file in the scratch folder; NULL: none. */
static void
finds(const char *name, const char *want)
{
	char *found;

	ROW("%s", name);
	errno = 0;
	found = datafile_find("agents", name);
	is_text(found, want != NULL ? scratch_path(want) : NULL);
	is_number(found == NULL ? errno : 0, want == NULL ? ENOENT : 0);
	free(found);
}

TEST(the_users_configuration_is_looked_at_or_that_in_the_home_directory) {
	setenv("XDG_CONFIG_HOME", scratch_path("xdg"), 1);
	finds("a.md", "xdg/paneward/agents/a.md");
	finds("b.md", NULL);
	setenv("XDG_CONFIG_HOME", "", 1);
	finds("b.md", ".config/paneward/agents/b.md");
	ok(chdir(scratch) == 0);
	setenv("XDG_CONFIG_HOME", "xdg", 1);            /* is ignored */
	finds("a.md", NULL);
	unsetenv("XDG_CONFIG_HOME");
	finds("b.md", ".config/paneward/agents/b.md");
}

TEST(only_files_are_found_and_a_name_leads_nowhere_else) {
	finds("folder", NULL);
	finds("", NULL);
	finds(".", NULL);
	finds("..", NULL);
	finds(".hidden", NULL);
	finds("../agents/b.md", NULL);
	finds("x/b.md", NULL);
}

TEST(a_path_may_be_that_of_a_folder) {
	char *found = datafile_path("agents/folder", true);

	ok(found != NULL);
	free(found);
	ok(datafile_path("agents/nothing", true) == NULL && errno == ENOENT);
}

TEST(no_home_is_no_harm) {
	unsetenv("HOME");
	finds("b.md", NULL);
}

/* The folder of this very program stands for that of paneward. */
TEST(a_checkout_is_looked_at) {
	char self[4096], *name, *found;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return;                 /* only an installed one is found */
	self[len] = '\0';
	name = strrchr(self, '/') + 1;
	found = datafile_find(".", name);
	is_text(found != NULL ? strrchr(found, '/') + 1 : NULL, name);
	free(found);
}

BEFORE_TESTS {
	setenv("HOME", scratch, 1);
	scratch_write("xdg/paneward/agents/a.md", "");
	scratch_write(".config/paneward/agents/b.md", "");
	scratch_write(".config/paneward/agents/.hidden", "");
	scratch_folder(".config/paneward/agents/folder");
}
