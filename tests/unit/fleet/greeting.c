#include "fleet/wire/wire.h"

#include <string.h>

#include "tap.h"

static struct greeting g;

static bool
parsed(const char *line)
{
	return greeting_parse(line, strlen(line), &g);
}

static void
what_the_server_is_is_read(void)
{
	ok(parsed("INFO {\"version\":\"2.9.10\",\"jetstream\":true,"
	    "\"tls_required\":true,\"tls_verify\":true,\"xkey\":[1]} \r\n"));
	is_text(g.version, "2.9.10");
	ok(g.jetstream);
	ok(parsed("INFO {\"version\":\"2.12.1\"}"));
	ok(!g.jetstream);
}

static void
another_service_is_none(void)
{
	ok(!parsed("SSH-2.0-OpenSSH_9.2\r\n"));
	ok(!parsed("INFO {}"));
	ok(!parsed("INFO {\"version\":"));
	ok(!parsed(""));
}

static void
versions_are_compared_as_numbers(void)
{
	parsed("INFO {\"version\":\"2.9.10\"}");
	ok(!g.recent);
	parsed("INFO {\"version\":\"2.12.0-beta\"}");
	ok(g.recent);
	parsed("INFO {\"version\":\"3.0\"}");
	ok(g.recent);
	parsed("INFO {\"version\":\"new\"}");
	ok(!g.recent);
}

int
main(void)
{
	TEST(what_the_server_is_is_read);
	TEST(another_service_is_none);
	TEST(versions_are_compared_as_numbers);
	return tap_done();
}
