#include "base/hostname.h"

#include <string.h>

#include "tap.h"

static void
names_and_users_are_hosts(void)
{
	ok(hostname_valid("box"));
	ok(hostname_valid("me@build-7.example.org"));
	ok(hostname_valid("127.0.0.1"));
	ok(hostname_valid("under_score"));
}

static void
what_ssh_or_a_shell_could_obey_is_none(void)
{
	static const char *const bad[] = { "", "-oProxyCommand=x", "a b", "a;b",
	    "$(x)", "a/b", "a:22", "a\nb", "`x`", "\xc3\xa9", "a#b", "'a'" };
	char large[HOSTNAME_MAX + 2];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(!hostname_valid(bad[i]));
	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	ok(!hostname_valid(large));
	ok(hostname_valid(large + 1));
}

int
main(void)
{
	TEST(names_and_users_are_hosts);
	TEST(what_ssh_or_a_shell_could_obey_is_none);
	return tap_done();
}
