#include "backend/transcriptfile.h"

#include <errno.h>

#include "base/alloc.h"
#include "scratch.h"

static struct transcript_place place;

/* The path in the folder that a lead finds; NULL: none. */
static const char *
found_by(const struct transcript_lead *lead)
{
	static char shown[4096];
	struct transcript_found f;
	size_t len = strlen(scratch);
	bool found;

	transcript_find(&f, &place, lead);
	found = f.path != NULL && strncmp(f.path, scratch, len) == 0;
	if (found)
		snprintf(shown, sizeof(shown), "%s", f.path + len + 1);
	transcript_found_release(&f);
	return found ? shown : NULL;
}

static const char *
session_file(const char *session)
{
	return found_by(&(struct transcript_lead){ .session = session,
	    .run = "0" });
}

static void
a_session_leads_to_the_one_file_of_its_name(void)
{
	is_text(session_file("one"), "t/a/one.jsonl");
	is_text(session_file("none"), NULL);
	is_text(session_file("twice"), NULL);
	is_text(session_file("run"), "t/a/run.jsonl");
}

static void
a_session_is_no_pattern_and_no_path(void)
{
	is_text(session_file("on?"), NULL);
	is_text(session_file("*"), NULL);
	is_text(session_file("../a/one"), NULL);
}

static void
without_a_file_of_the_session_that_of_the_run_counts(void)
{
	is_text(found_by(&(struct transcript_lead){ .run = "run" }),
	    "t/a/run.jsonl");
	is_text(found_by(&(struct transcript_lead){ .session = "none",
	    .run = "run", .known = "/x" }), NULL);
}

static void
a_part_of_the_session_can_be_the_name(void)
{
	free(place.files);
	place.files = xstrdup("*/x-<<session:4>>.jsonl");
	is_text(session_file("abcdefgh"), "t/b/x-abcd.jsonl");
	is_text(session_file("abc"), NULL);
	free(place.files);
	place.files = xstrdup("*/<<session>>.jsonl");
}

static void
a_link_is_not_followed(void)
{
	ok(symlinkat("one.jsonl", scratch_fd, "t/a/link.jsonl") == 0);
	is_text(session_file("link"), NULL);
	ok(symlinkat("a", scratch_fd, "t/c") == 0);
	is_text(session_file("one"), "t/a/one.jsonl");
}

static void
the_file_that_was_known_is_not_searched_for(void)
{
	struct transcript_lead lead = { .session = "twice", .run = "run",
	    .known = scratch_path("t/b/twice.jsonl") };

	is_text(found_by(&lead), "t/b/twice.jsonl");
	lead.session = "one";
	is_text(found_by(&lead), "t/a/one.jsonl");
}

static void
a_hook_of_the_session_tells_the_path(void)
{
	struct transcript_lead lead = { .session = "told", .run = "run",
	    .told = scratch_path("t/a/other.jsonl"), .told_session = "told" };

	is_text(found_by(&lead), "t/a/other.jsonl");
	lead.told_session = "one";
	is_text(found_by(&lead), "t/a/run.jsonl");
	lead.told_session = "told";
	lead.told = scratch_path("outside.jsonl");
	is_text(found_by(&lead), "t/a/run.jsonl");
	lead.told = scratch_path("t/a/link.jsonl");
	is_text(found_by(&lead), "t/a/run.jsonl");
}

static int
why_not_opened(const char *name)
{
	int fd = transcript_open(scratch_path(name));

	if (fd == -1)
		return errno;
	close(fd);
	return 0;
}

static void
only_a_file_on_a_straight_path_is_opened(void)
{
	is_number(why_not_opened("t/a/one.jsonl"), 0);
	is_number(why_not_opened("t/a/gone.jsonl"), ENOENT);
	is_number(why_not_opened("t/a/link.jsonl"), EBADMSG);
	is_number(why_not_opened("t/c/one.jsonl"), EBADMSG);
	is_number(why_not_opened("t/a"), EBADMSG);
	ok(mkfifo(scratch_path("t/a/fifo.jsonl"), 0600) == 0);
	is_number(why_not_opened("t/a/fifo.jsonl"), EBADMSG);
}

static void
a_time_is_a_text_or_a_number_at_a_path(void)
{
	static const char text[] = "{\"a\":{\"t\":\"1970-01-01T00:00:01Z\","
	    "\"n\":1500,\"b\":true}}";
	cJSON *o = json_parse(text, strlen(text), false, NULL);

	is_number(transcript_time(o, "a.t"), 1000);
	is_number(transcript_time(o, "a.n"), 1500);
	is_number(transcript_time(o, "a.b"), -1);
	is_number(transcript_time(o, "x"), -1);
	is_number(transcript_time(o, NULL), -1);
	json_free(o);
}

int
main(void)
{
	scratch_begin();
	scratch_home();
	scratch_write("t/a/one.jsonl", "");
	scratch_write("t/a/run.jsonl", "");
	scratch_write("t/a/other.jsonl", "");
	scratch_write("t/a/twice.jsonl", "");
	scratch_write("t/b/twice.jsonl", "");
	scratch_write("t/b/x-abcd.jsonl", "");
	scratch_write("outside.jsonl", "");
	place.folder = xstrdup("t");
	place.files = xstrdup("*/<<session>>.jsonl");
	TEST(a_session_leads_to_the_one_file_of_its_name);
	TEST(a_session_is_no_pattern_and_no_path);
	TEST(without_a_file_of_the_session_that_of_the_run_counts);
	TEST(a_part_of_the_session_can_be_the_name);
	TEST(a_link_is_not_followed);
	TEST(the_file_that_was_known_is_not_searched_for);
	TEST(a_hook_of_the_session_tells_the_path);
	TEST(only_a_file_on_a_straight_path_is_opened);
	TEST(a_time_is_a_text_or_a_number_at_a_path);
	free(place.folder);
	free(place.files);
	scratch_end();
	return tap_done();
}
