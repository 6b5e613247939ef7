#include "agent/transcript.h"

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

/* The session by an index of such lines, "KIND SESSION"; of the process, or of
 * the folder if that is named first. */
static const char *
indexed(const char *row)
{
	static char folder[] = "t", names[] = "*/<<session>>.jsonl",
	    index[] = "index*", id[] = "id", pid[] = "pid", in[] = "in",
	    at[] = "at", got[64];
	bool by_folder = strncmp(row, "in ", 3) == 0;
	struct transcript_place place = { .folder = folder, .files = names,
	    .index = index, .index_session = id, .index_time = at,
	    .index_process = by_folder ? NULL : pid, .index_folder = in };
	struct transcript_lead lead = { .agent = agent, .run = "0" };
	struct transcript_found f;
	char kind[16], session[16], *line;
	bool other;
	int n;

	scratch_write("t/index.jsonl", "");
	for (row += by_folder ? 3 : 0; sscanf(row, "%15s %15s%n", kind, session,
	    &n) == 2; row += n) {
		if (strcmp(kind, "known") == 0) {
			lead.session = "run";
			continue;
		}
		other = strcmp(kind, "other") == 0;
		line = xasprintf("{\"id\":\"%s\",\"pid\":%d,\"in\":\"%s\""
		    "%s}\n", session, other ? 1 : (int)agent,
		    other ? "/there" : scratch, strcmp(kind, "old") == 0 ?
		    ",\"at\":\"2001-01-01T00:00:00Z\"" :
		    strcmp(kind, "timeless") == 0 ? "" :
		    ",\"at\":\"2090-01-01T00:00:00Z\"");
		scratch_add("t/index.jsonl", line);
		free(line);
	}
	transcript_find(&f, &place, &lead);
	snprintf(got, sizeof(got), "%s", f.session != NULL ? f.session : "");
	transcript_found_release(&f);
	return got;
}

TEST(a_session_is_found_by_an_index) {
	ROWS(indexed, "ours one => one", "other twice ours one other run => one",
	    "ours one ours run => ", "ours one ours one => one",
	    "ours run old one => run", "ours ../one => ",
	    "known run ours one => one",
	    "in ours one => one", "in old one other run => ",
	    "in other one ours run => run", "in ours run ours one => ",
	    /* It may be another agent's. */
	    "in known run ours one => ",
	    /* The first line of its file tells when it began. */
	    "in timeless timed => timed", "in timeless one => ",
	    "in timeless none => ");
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
	setenv("PWD", scratch, 1);
	ok(pipe2(begun, O_CLOEXEC) == 0);
	agent = fork();
	if (agent == 0)
		execlp("sleep", "sleep", "100", (char *)NULL);
	close(begun[1]);
	is_number(read(begun[0], &i, 1), 0);
	for (i = 0; i < COUNT(files); i++)
		scratch_write(files[i], "");
	scratch_write("t/a/timed.jsonl", "{\"at\":4000000000000}\nmore\n");
	ok(symlinkat("one.jsonl", scratch_fd, "t/a/link.jsonl") == 0);
}
