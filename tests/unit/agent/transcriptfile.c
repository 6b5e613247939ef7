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

BEFORE_TESTS {
	static const char *const files[] = { "t/a/one.jsonl", "t/a/run.jsonl",
	    "t/a/other.jsonl", "t/a/twice.jsonl", "t/b/twice.jsonl",
	    "outside.jsonl" };
	size_t i;

	scratch_home();
	for (i = 0; i < COUNT(files); i++)
		scratch_write(files[i], "");
	ok(symlinkat("one.jsonl", scratch_fd, "t/a/link.jsonl") == 0);
}
