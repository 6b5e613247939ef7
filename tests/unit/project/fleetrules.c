#include "project/config.h"

#include <string.h>

#include "tap.h"

static void
names_are_tokens(void)
{
	char long_name[FLEET_HOST_MAX + 2];

	ok(fleet_name_valid("desk"));
	ok(fleet_name_valid("Desk_2-b"));
	ok(!fleet_name_valid(""));
	ok(!fleet_name_valid("a.b"));
	ok(!fleet_name_valid("*"));
	ok(!fleet_name_valid("a b"));
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	ok(!fleet_name_valid(long_name));
}

int
main(void)
{
	TEST(names_are_tokens);
	return tap_done();
}
