#include "fleet/wire/wire.h"

#include <string.h>

#include "tap.h"

static struct greeting g;

static bool
parsed(const char *line)
{
	return greeting_parse(line, strlen(line), &g);
}

TEST(what_the_server_is_is_read) {
	ok(parsed("INFO {\"version\":\"2.9.10\",\"jetstream\":true,"
	    "\"tls_required\":true,\"tls_verify\":true,\"xkey\":[1]} \r\n"));
	is_text(g.version, "2.9.10");
	ok(g.jetstream);
	ok(parsed("INFO {\"version\":\"2.12.1\"}"));
	ok(!g.jetstream);
}

TEST(another_service_is_none) {
	ok(!parsed("SSH-2.0-OpenSSH_9.2\r\n"));
	ok(!parsed("INFO {}"));
	ok(!parsed("INFO {\"version\":"));
	ok(!parsed(""));
}

TEST(versions_are_compared_as_numbers) {
	parsed("INFO {\"version\":\"2.9.10\"}");
	ok(!g.recent);
	parsed("INFO {\"version\":\"2.12.0-beta\"}");
	ok(g.recent);
	parsed("INFO {\"version\":\"3.0\"}");
	ok(g.recent);
	parsed("INFO {\"version\":\"new\"}");
	ok(!g.recent);
}
