#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "data/datafile.h"

/* A folder of this test's own, with room for both of the user's places. */
static char home[] = "/tmp/datafile.XXXXXX";

static char *
in_home(const char *path)
{
	return xasprintf("%s/%s", home, path);
}

static void
make(const char *path, bool directory)
{
	char *full = in_home(path);
	int fd;

	if (directory)
		ok(mkdir(full, 0700) == 0);
	else {
		fd = open(full, O_WRONLY | O_CREAT, 0600);
		ok(fd != -1);
		close(fd);
	}
	free(full);
}

static void
finds(const char *name, const char *want)
{
	char *found = datafile_find("agents", name);
	char *path = in_home(want);

	is_text(found, path);
	free(found);
	free(path);
}

static void
finds_nothing(const char *name)
{
	char *found;

	errno = 0;
	found = datafile_find("agents", name);
	ok(found == NULL);
	is_number(errno, ENOENT);
	free(found);
}

TEST(the_users_configuration_is_looked_at) {
	char *config = in_home("xdg");

	setenv("XDG_CONFIG_HOME", config, 1);
	finds("a.md", "xdg/paneward/agents/a.md");
	finds_nothing("b.md");
	free(config);
}

TEST(without_one_it_is_in_the_home_directory) {
	unsetenv("XDG_CONFIG_HOME");
	finds("b.md", ".config/paneward/agents/b.md");
	setenv("XDG_CONFIG_HOME", "", 1);
	finds("b.md", ".config/paneward/agents/b.md");
}

TEST(a_relative_configuration_is_ignored) {
	ok(chdir(home) == 0);
	setenv("XDG_CONFIG_HOME", "xdg", 1);
	finds_nothing("a.md");
}

TEST(only_files_are_found) {
	unsetenv("XDG_CONFIG_HOME");
	finds_nothing("folder");
}

TEST(a_name_leads_nowhere_else) {
	finds_nothing("");
	finds_nothing(".");
	finds_nothing("..");
	finds_nothing(".hidden");
	finds_nothing("../agents/b.md");
	finds_nothing("x/b.md");
}

TEST(a_path_may_be_that_of_a_folder) {
	char *found = datafile_path("agents/folder", true);

	ok(found != NULL);
	free(found);
	found = datafile_path("agents/nothing", true);
	ok(found == NULL && errno == ENOENT);
}

TEST(no_home_is_no_harm) {
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	finds_nothing("b.md");
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
	ok(found != NULL);
	if (found != NULL)
		is_text(strrchr(found, '/') + 1, name);
	free(found);
}

static void
make_home(void)
{
	ok(mkdtemp(home) != NULL);
	setenv("HOME", home, 1);
	make("xdg", true);
	make("xdg/paneward", true);
	make("xdg/paneward/agents", true);
	make("xdg/paneward/agents/a.md", false);
	make(".config", true);
	make(".config/paneward", true);
	make(".config/paneward/agents", true);
	make(".config/paneward/agents/b.md", false);
	make(".config/paneward/agents/folder", true);
}

static void
remove_home(void)
{
	static const char *const made[] = {
		"xdg/paneward/agents/a.md", "xdg/paneward/agents",
		"xdg/paneward", "xdg", ".config/paneward/agents/folder",
		".config/paneward/agents/b.md", ".config/paneward/agents",
		".config/paneward", ".config", ""
	};
	char *path;
	size_t i;

	for (i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		path = in_home(made[i]);
		if (remove(path) == -1)
			printf("# %s is still there\n", path);
		free(path);
	}
}

BEFORE_TESTS {
	make_home();
}

AFTER_TESTS {
	remove_home();
}
