/*
 * tests/system/revive.sh resumes real sessions.
 */
#include "start/start.h"

#include "base/alloc.h"
#include "scratch.h"

TEST(an_id_is_no_option_and_no_more_than_a_word) {
	static const char *const wrong[] = { "", "-x", "a b", "$(x)", "a/b",
	    "\xc3\xa4" };
	static char name[] = "mine", say_id[] = "<<session>>";
	static char *none[] = { NULL }, *words[] = { say_id, NULL };
	struct backend backend = { .name = name, .resume = words,
	    .resume_transcript = none, .latest = none, .resume_prompt = none,
	    .if_known = none, .command = name };
	struct resume found = { .backend = &backend };
	struct status record = { .issue = "42" };
	struct buf why = BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ROW("%s", wrong[i]);
		record.agent.session = xstrdup(wrong[i]);
		buf_reset(&why);
		ok(!resume_session(&found, &record, &why));
		is_text(buf_str(&why), "the id of its session is not known");
		status_release(&record);
	}
	buf_release(&why);
}
