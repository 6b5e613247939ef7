#include "fleet/wire/wire.h"

#include <string.h>
#include <sys/stat.h>

#include "scratch.h"

static struct fleetrules rules = { .host = (char[]){ "desk" },
    .ca = (char[]){ "/f/ca.pem" }, .cert = (char[]){ "/f/desk.pem" },
    .key = (char[]){ "/f/desk.key" } };

static struct buf out;

static const char *
explained(const char *text)
{
	buf_reset(&out);
	refusal_explain(&out, text, &rules);
	return buf_str(&out);
}

TEST(a_text_that_is_not_known_stays_without_its_place_in_the_source) {
	is_text(explained("(conn.c:12): the moon is full"),
	    "the moon is full");
	is_text(explained("wrong last sequence: 7"), "wrong last sequence: 7");
	is_text(explained("(a.b)"), "(a.b)");
}

TEST(the_file_to_look_at_is_named) {
	ok(strstr(explained("(conn.c:1909): Expected 'PONG', got ''"),
	    "'/f/desk.pem'") != NULL);
	ok(strstr(explained("(conn.c:733): SSL handshake error: 20:unable to "
	    "get local issuer certificate"), "'/f/ca.pem'") != NULL);
	ok(strstr(explained("(opts.c:502): Error loading private key "
	    "'/f/desk.key': key values mismatch"),
	    "not the key of 'cert': '/f/desk.key'") != NULL);
}

TEST(the_first_meaning_counts) {
	ok(strstr(explained("Permissions Violation for Subscription to "
	    "\"_INBOX_x.y\""), "another host than 'desk'") != NULL);
	is_text(explained("Permissions Violation for Publish to \"a.b\""),
	    "Permissions Violation for Publish to \"a.b\": the server's "
	    "configuration is not what 'paneward-fleet print-server' prints "
	    "for this host");
}

TEST(a_lost_connection_is_no_riddle) {
	static const char *const texts[] = { "Connection Disconnected",
	    "Connection Closed", "Stale Connection", "Missed Server Heartbeat",
	    "No server available for connection" };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		is_text(explained(texts[i]), "no server answers there");
	is_text(explained("No responders available for request"), "the server "
	    "has not given this host its store yet: let it reload once more");
}

TEST(a_key_is_for_its_owner_alone) {
	struct fleetrules r = { .host = rules.host };

	scratch_write("key", "secret");
	r.key = (char *)(uintptr_t)scratch_path("key");
	ok(fchmodat(scratch_fd, "key", 0600, 0) == 0);
	buf_reset(&out);
	ok(refusal_files(&out, &r));
	ok(fchmodat(scratch_fd, "key", 0640, 0) == 0);
	ok(!refusal_files(&out, &r));
	ok(strstr(buf_str(&out), "(mode 640)") != NULL);
	ok(strstr(buf_str(&out), "secret") == NULL);
}

TEST(files_that_are_not_named_are_not_missed) {
	struct fleetrules none = { .host = rules.host };

	buf_reset(&out);
	ok(refusal_files(&out, &none));
	ok(!refusal_files(&out, &rules));
	is_text(buf_str(&out),
	    "cannot read '/f/ca.pem': No such file or directory");
}

AFTER_TESTS {
	buf_release(&out);
}
