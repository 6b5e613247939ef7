#include "start/start.h"

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

static char say_id[] = "<<session>>", by_id[] = "-r", by_file[] = "-f",
	latest[] = "-c", file[] = "<<transcript>>", nothing[] = "";
static char *none[] = { NULL }, *id_words[] = { by_id, say_id, NULL },
	*file_words[] = { by_file, file, NULL },
	*latest_words[] = { latest, NULL };

static struct backend backend;
static struct status record;
static struct resume found;
static struct buf why;

static void
resumed_by(char **id, char **transcript, char **last)
{
	static char name[] = "mine";

	backend = (struct backend){ .name = name, .resume = id,
	    .resume_transcript = transcript, .latest = last,
	    .resume_prompt = none, .if_known = none, .command = name };
	status_release(&record);
	launch_release(&found.launch);
	found.backend = &backend;
	buf_reset(&why);
}

static const char *
reason(void)
{
	bool done;

	buf_reset(&why);
	done = resume_session(&found, &record, &why);
	is_number(done, why.len == 0);
	return buf_str(&why);
}

TEST(a_session_is_resumed_by_its_id) {
	resumed_by(id_words, file_words, latest_words);
	is_text(reason(), "the id of its session is not known");
	record.agent.session = xstrdup("s-1");
	is_text(reason(), "");
	is_text(found.session, "s-1");
	ok(found.transcript == NULL);
}

TEST(an_id_is_no_option_and_no_more_than_a_word) {
	static const char *const wrong[] = { "", "-x", "a b", "$(x)", "a/b",
	    "\xc3\xa4" };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		resumed_by(id_words, none, none);
		record.agent.session = xstrdup(wrong[i]);
		is_text(reason(), "the id of its session is not known");
	}
}

TEST(else_by_its_transcript) {
	resumed_by(none, file_words, latest_words);
	record.agent.session = xstrdup("s-1");
	is_text(reason(), "no transcript of its session is known");
	record.transcript.path = xstrdup(scratch_path("t.jsonl"));
	is_text(reason(), "the transcript of its session is gone");
	scratch_write("t.jsonl", nothing);
	is_text(reason(), "");
	is_text(found.transcript, scratch_path("t.jsonl"));
	ok(found.session == NULL);
}

TEST(else_the_last_one_of_its_own_work_tree) {
	resumed_by(none, none, latest_words);
	is_text(reason(), "backend 'mine' resumes only the last session of a "
	    "folder, and the run has no work tree of its own");
	record.worktree = xstrdup(scratch);
	is_text(reason(), "");
	ok(found.session == NULL && found.transcript == NULL);
	resumed_by(none, none, none);
	is_text(reason(), "backend 'mine' does not say how a session is "
	    "resumed");
}

TEST(the_words_of_its_start_come_first) {
	char agent[] = "/x/agent", option[] = "--fast", old[] = "do it",
	    *words[] = { agent, option, old, NULL };
	struct launch l;

	resumed_by(id_words, none, none);
	record.agent.session = xstrdup("s-1");
	is_text(reason(), "");
	found.launch = (struct launch){ .run = "0123abcd-1111-4222-8333-"
	    "444444444444", .program = agent, .cwd = scratch, .argv = words,
	    .base = 2, .status_dir = scratch };
	is_number(backend_launch(&backend, &found.launch, found.session, NULL,
	    NULL, scratch_fd, "7"), 0);
	found.launch = (struct launch){ .base = 0 };
	is_number(launch_take(&l, scratch_fd, "7", NULL), 0);
	is_number(argv_count(l.argv), 4);
	is_text(l.argv[1], "--fast");
	is_text(l.argv[2], "-r");
	is_text(l.argv[3], "s-1");
	is_number(l.base, 2);
	launch_release(&l);
}

TEST(a_run_without_its_command_has_nothing_to_resume) {
	struct statusdir dir = { .state_fd = scratch_fd, .path = scratch };
	struct backends all = { NULL, false };

	resumed_by(id_words, none, none);
	snprintf(record.issue, sizeof(record.issue), "8");
	is_number(resume_find(&found, &all, &record, &dir, &why), false);
	is_text(buf_str(&why), "how its agent was started is not known");
	buf_reset(&why);
	record.adopted = true;
	is_number(resume_find(&found, &all, &record, &dir, &why), false);
	is_text(buf_str(&why), "which agent it was is not known");
}
