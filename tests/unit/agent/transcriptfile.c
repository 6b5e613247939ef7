#include "agent/transcript.h"

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

TEST(a_session_leads_to_the_one_file_of_its_name) {
	is_text(session_file("one"), "t/a/one.jsonl");
	is_text(session_file("none"), NULL);
	is_text(session_file("twice"), NULL);
	is_text(session_file("run"), "t/a/run.jsonl");
}

TEST(a_session_is_no_pattern_and_no_path) {
	is_text(session_file("on?"), NULL);
	is_text(session_file("*"), NULL);
	is_text(session_file("../a/one"), NULL);
}

TEST(without_a_file_of_the_session_that_of_the_run_counts) {
	is_text(found_by(&(struct transcript_lead){ .run = "run" }),
	    "t/a/run.jsonl");
	is_text(found_by(&(struct transcript_lead){ .session = "none",
	    .run = "run", .known = "/x" }), NULL);
}

TEST(a_part_of_the_session_can_be_the_name) {
	free(place.files);
	place.files = xstrdup("*/x-<<session:4>>.jsonl");
	is_text(session_file("abcdefgh"), "t/b/x-abcd.jsonl");
	is_text(session_file("abc"), NULL);
	free(place.files);
	place.files = xstrdup("*/<<session>>.jsonl");
}

TEST(a_link_is_not_followed) {
	ok(symlinkat("one.jsonl", scratch_fd, "t/a/link.jsonl") == 0);
	is_text(session_file("link"), NULL);
	ok(symlinkat("a", scratch_fd, "t/c") == 0);
	is_text(session_file("one"), "t/a/one.jsonl");
}

TEST(the_file_that_was_known_is_not_searched_for) {
	struct transcript_lead lead = { .session = "twice", .run = "run",
	    .known = scratch_path("t/b/twice.jsonl") };

	is_text(found_by(&lead), "t/b/twice.jsonl");
	lead.session = "one";
	is_text(found_by(&lead), "t/a/one.jsonl");
}

TEST(a_hook_of_the_session_tells_the_path) {
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

/* The file of a process that has begun by now, and what it holds. */
static void
write_process(pid_t pid, const char *more)
{
	char name[64], text[256];

	snprintf(name, sizeof(name), "t/s/%ld.json", (long)pid);
	snprintf(text, sizeof(text), "{\"at\": %lld, %s}", (long long)
	    clock_wall(), more);
	scratch_write(name, text);
}

/* A process with our home directory in its environment. */
static pid_t
begin_process(void)
{
	char *home = xasprintf("HOME=%s", scratch), end;
	int ends[2];
	pid_t pid;

	ok(pipe(ends) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0);
	pid = fork();
	if (pid == 0)
		execle("/bin/sleep", "sleep", "60", (char *)NULL,
		    (char *[]){ home, NULL });
	close(ends[1]);
	ok(read(ends[0], &end, 1) == 0);        /* it has begun */
	close(ends[0]);
	free(home);
	return pid;
}

/* The session of the process, if its file names it or another process's. */
static const char *
session_of(pid_t agent, bool *moved)
{
	static char session[64];
	struct transcript_found f;
	bool any;

	transcript_find(&f, &place, &(struct transcript_lead){
	    .agent = agent });
	any = f.session != NULL;
	if (any)
		snprintf(session, sizeof(session), "%s", f.session);
	*moved = f.moved;
	transcript_found_release(&f);
	return any ? session : NULL;
}

TEST(a_session_that_moved_is_that_of_the_one_process_which_has_it) {
	pid_t agent = begin_process();
	bool moved;

	place.process = xstrdup("s/<<pid>>.json");
	place.process_time = xstrdup("at");
	place.session = xstrdup("id");
	place.moved = xstrdup("parked");
	place.moved_to = xstrdup("job");
	write_process(agent, "\"id\": \"one\"");
	write_process(getpid(), "\"id\": \"run\", \"job\": \"j\"");
	is_text(session_of(agent, &moved), "one");
	ok(!moved);
	write_process(agent, "\"id\": \"one\", \"parked\": \"j\"");
	is_text(session_of(agent, &moved), "run");
	ok(moved);
	/* It is not there yet, or no process has it any more. */
	write_process(getpid(), "\"id\": \"run\", \"job\": \"other\"");
	is_text(session_of(agent, &moved), NULL);
	scratch_write("t/s/99999999.json", "{\"id\": \"run\", \"job\": "
	    "\"j\", \"at\": 9999999999999}");
	is_text(session_of(agent, &moved), NULL);
	/* Two are none. */
	write_process(getpid(), "\"id\": \"run\", \"job\": \"j\"");
	write_process(getppid(), "\"id\": \"other\", \"job\": \"j\"");
	is_text(session_of(agent, &moved), NULL);
	ok(moved);
	kill(agent, SIGKILL);
	waitpid(agent, NULL, 0);
	free(place.process);
	free(place.process_time);
	free(place.session);
	free(place.moved);
	free(place.moved_to);
	place = (struct transcript_place){ .folder = place.folder,
	    .files = place.files };
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

TEST(only_a_file_on_a_straight_path_is_opened) {
	is_number(why_not_opened("t/a/one.jsonl"), 0);
	is_number(why_not_opened("t/a/gone.jsonl"), ENOENT);
	is_number(why_not_opened("t/a/link.jsonl"), EBADMSG);
	is_number(why_not_opened("t/c/one.jsonl"), EBADMSG);
	is_number(why_not_opened("t/a"), EBADMSG);
	ok(mkfifo(scratch_path("t/a/fifo.jsonl"), 0600) == 0);
	is_number(why_not_opened("t/a/fifo.jsonl"), EBADMSG);
}

TEST(a_time_is_a_text_or_a_number_at_a_path) {
	static const char text[] = "{\"a\":{\"t\":\"1970-01-01T00:00:01Z\","
	    "\"n\":1500,\"b\":true}}";
	struct json *o = json_parse(text, strlen(text), false, NULL);

	is_number(transcript_time(o, "a.t"), 1000);
	is_number(transcript_time(o, "a.n"), 1500);
	is_number(transcript_time(o, "a.b"), -1);
	is_number(transcript_time(o, "x"), -1);
	is_number(transcript_time(o, NULL), -1);
	json_free(o);
}

BEFORE_TESTS {
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
}

AFTER_TESTS {
	free(place.folder);
	free(place.files);
}
