#include "agent/transcript.h"

#include "os/compat.h"
#include "scratch.h"
#include "unit/fixture.h"

/* transcripts.sh and transcripts-wrong.sh show the usual. */
TEST(one_file_is_found_by_the_session_its_hook_or_the_run) {
	static char folder[] = "t", names[] = "*/<<session>>.jsonl";
	static struct transcript_place place = { .folder = folder,
	    .files = names };
	static const struct {
		struct transcript_lead lead;    /* paths below the scratch */
		const char *file;               /* NULL: none, or several */
	} rows[] = {
		{ { .session = "one" }, "t/a/one.jsonl" },
		{ { .session = "run" }, "t/a/run.jsonl" },
		{ { .session = "on?" }, NULL }, { { .session = "*" }, NULL },
		{ { .session = "../a/one" }, NULL },
		{ { .run = "run" }, "t/a/run.jsonl" },
		{ { .session = "none", .run = "run", .known = "x" }, NULL },
		/* The one that was known is not searched for. */
		{ { .session = "twice" }, NULL },
		{ { .session = "twice", .known = "t/b/twice.jsonl" },
		    "t/b/twice.jsonl" },
		{ { .session = "one", .known = "t/b/twice.jsonl" },
		    "t/a/one.jsonl" },
		/* A hook of the session tells the path. */
		{ { .session = "told", .run = "run", .told = "t/a/other.jsonl",
		    .told_session = "told" }, "t/a/other.jsonl" },
		{ { .session = "told", .run = "run", .told = "t/a/other.jsonl",
		    .told_session = "one" }, "t/a/run.jsonl" },
		{ { .session = "told", .run = "run", .told = "outside.jsonl",
		    .told_session = "told" }, "t/a/run.jsonl" },
		{ { .session = "told", .run = "run", .told = "t/a/link.jsonl",
		    .told_session = "told" }, "t/a/run.jsonl" },
	};
	struct transcript_lead lead;
	struct transcript_found f;
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		lead = rows[i].lead;
		ROW("row %zu", i);
		if (lead.run == NULL)
			lead.run = "0";
		if (lead.known != NULL)
			lead.known = scratch_path(lead.known);
		if (lead.told != NULL)
			lead.told = scratch_path(lead.told);
		transcript_find(&f, &place, &lead);
		is_text(f.path != NULL ? f.path + strlen(scratch) + 1 : NULL,
		    rows[i].file);
		transcript_found_release(&f);
	}
}

static pid_t agent;                     /* its variables are ours */

/* The session by files of processes, "KIND SESSION", with the id within. */
static const char *
kept(const char *row)
{
	static char folder[] = "t", names[] = "*/<<session>>.jsonl",
	    files[] = "active/*", id[] = "pid", at[] = "at", of[] = "id", got[64];
	struct transcript_place place = { .folder = folder, .files = names,
	    .process = files, .process_id = id, .process_time = at,
	    .session = of };
	struct transcript_lead lead = { .agent = agent, .run = "0" };
	struct transcript_found f;
	char kind[16], session[16], *line;
	int n;

	for (; sscanf(row, "%15s %15s%n", kind, session, &n) == 2; row += n) {
		line = xasprintf("{\"id\":\"%s\",\"pid\":%d,"
		    "\"at\":\"20%s-01-01T00:00:00Z\"}\n", session,
		    strcmp(kind, "other") == 0 ? 1 : (int)agent,
		    strcmp(kind, "old") == 0 ? "01" : "90");
		scratch_write(strcmp(kind, "ours") == 0 ? "t/active/b" :
		    "t/active/a", line);
		free(line);
	}
	transcript_find(&f, &place, &lead);
	snprintf(got, sizeof(got), "%s", f.session != NULL ? f.session : "");
	transcript_found_release(&f);
	return got;
}

TEST(a_file_may_have_the_id_of_its_process_within) {
	ROWS(kept, "other twice => ", "old one => ", "other twice ours one => one",
	    "old run ours one => one", "ours ../one => ");
	kill(agent, SIGKILL);
	waitpid(agent, NULL, 0);
}

BEFORE_TESTS {
	static const char *const files[] = { "t/a/one.jsonl", "t/a/run.jsonl",
	    "t/a/other.jsonl", "t/a/twice.jsonl", "t/b/twice.jsonl",
	    "outside.jsonl" };
	int begun[2];
	size_t i;

	scratch_home();
	ok(pipe2(begun, O_CLOEXEC) == 0);
	agent = fork();
	if (agent == 0)
		execlp("sleep", "sleep", "100", (char *)NULL);
	close(begun[1]);
	is_number(read(begun[0], &i, 1), 0);
	for (i = 0; i < COUNT(files); i++)
		scratch_write(files[i], "");
	ok(symlinkat("one.jsonl", scratch_fd, "t/a/link.jsonl") == 0);
}
