#include "start/start.h"

#include "base/alloc.h"
#include "scratch.h"

static char say_id[] = "<<session>>", by_id[] = "-r", latest[] = "-c";
static char *none[] = { NULL }, *id_words[] = { by_id, say_id, NULL },
	*latest_words[] = { latest, NULL };

static struct backend backend;
static struct status record;
static struct resume found;
static struct buf why;

static void
resumed_by(char **id, char **last)
{
	static char name[] = "mine";

	backend = (struct backend){ .name = name, .resume = id,
	    .resume_transcript = none, .latest = last,
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

TEST(an_id_is_no_option_and_no_more_than_a_word) {
	static const char *const wrong[] = { "", "-x", "a b", "$(x)", "a/b",
	    "\xc3\xa4" };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ROW("%s", wrong[i]);
		resumed_by(id_words, none);
		record.agent.session = xstrdup(wrong[i]);
		is_text(reason(), "the id of its session is not known");
	}
}

/* tests/system/revive.sh resumes real ones by an id and by a transcript. */
TEST(without_them_the_last_one_of_its_own_work_tree_is_resumed) {
	resumed_by(none, latest_words);
	is_text(reason(), "backend 'mine' resumes only the last session of a "
	    "folder, and the run has no work tree of its own");
	record.worktree = xstrdup(scratch);
	is_text(reason(), "");
	ok(found.session == NULL && found.transcript == NULL);
	resumed_by(none, none);
	is_text(reason(), "backend 'mine' does not say how a session is "
	    "resumed");
}
