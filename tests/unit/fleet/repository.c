#include "fleet/work/work.h"

#include "tap.h"

static const char *
normal(const char *address)
{
	static struct buf out;

	buf_reset(&out);
	repository_normal(&out, address);
	return buf_str(&out);
}

TEST(the_addresses_of_a_repository_are_one_name) {
	static const char *const same[] = {
		"git@git.example:team/app.git",
		"https://git.example/team/app",
		"https://user:word@Git.Example/team/app.git/",
		"ssh://git@git.example:2222/team/app.git",
		"git.example:team/app",
		"git.example:/team/app",
	};
	size_t i;

	for (i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		is_text(normal(same[i]), "git.example/team/app");
}

TEST(a_folder_is_its_path) {
	is_text(normal("/srv/git/app.git"), "/srv/git/app");
	is_text(normal("../app"), "../app");
	is_text(normal("/"), "/");
}
