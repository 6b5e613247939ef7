#include "watcher/track.h"

#include "base/exitstatus.h"
#include "tap.h"

static const unsigned ENDS = 1u << STATE_COMPLETE | 1u << STATE_DEAD;

TEST(a_state_that_was_asked_for_settles_with_its_hand_off) {
	static const struct {
		enum state         state;
		enum handoff_state handoff;
		int                exit;
	} rows[] = {
		{ STATE_WORKING, HANDOFF_NONE, -1 },
		{ STATE_ERROR, HANDOFF_NONE, -1 },
		{ STATE_DEAD, HANDOFF_NONE, EXIT_ENDED },
		{ STATE_COMPLETE, HANDOFF_NONE, EXIT_DONE },
		{ STATE_COMPLETE, HANDOFF_PENDING, -1 },
		{ STATE_COMPLETE, HANDOFF_RUNNING, -1 },
		{ STATE_COMPLETE, HANDOFF_DONE, EXIT_DONE },
		{ STATE_COMPLETE, HANDOFF_REFUSED, EXIT_HANDOFF },
		{ STATE_COMPLETE, HANDOFF_FAILED, EXIT_HANDOFF },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct status s = { .verdict.state = rows[i].state,
		    .handoff.state = rows[i].handoff };

		ROW("row %zu", i);
		is_number(settle_exit(&s, ENDS), rows[i].exit);
	}
}

TEST(the_worst_of_two_exits_counts) {
	is_number(settle_both(EXIT_DONE, EXIT_DONE), EXIT_DONE);
	is_number(settle_both(EXIT_DONE, EXIT_TIMEOUT), EXIT_TIMEOUT);
	is_number(settle_both(EXIT_TIMEOUT, EXIT_WAITING), EXIT_WAITING);
	is_number(settle_both(EXIT_ENDED, EXIT_WAITING), EXIT_ENDED);
	is_number(settle_both(EXIT_NO, EXIT_HANDOFF), EXIT_HANDOFF);
	is_number(settle_both(EXIT_USAGE, EXIT_COULD_NOT), EXIT_COULD_NOT);
}

TEST(words_become_states) {
	is_number(settle_states(NULL, "--until", "dead"), 1u << STATE_DEAD);
	is_number(settle_states(NULL, "--until", "complete,dead"), ENDS);
}
