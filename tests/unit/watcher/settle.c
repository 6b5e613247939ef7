#include "watcher/track.h"

#include "base/exitstatus.h"
#include "tap.h"

static const unsigned ENDS = 1u << STATE_COMPLETE | 1u << STATE_DEAD;

static int
exit_of(enum state state, enum handoff_state handoff)
{
	struct status s = { .verdict.state = state, .handoff.state = handoff };

	return settle_exit(&s, ENDS);
}

TEST(only_the_states_that_were_asked_for_settle) {
	is_number(exit_of(STATE_WORKING, HANDOFF_NONE), -1);
	is_number(exit_of(STATE_ERROR, HANDOFF_NONE), -1);
	is_number(exit_of(STATE_DEAD, HANDOFF_NONE), EXIT_ENDED);
}

TEST(a_completion_is_settled_with_its_hand_off) {
	is_number(exit_of(STATE_COMPLETE, HANDOFF_NONE), EXIT_DONE);
	is_number(exit_of(STATE_COMPLETE, HANDOFF_PENDING), -1);
	is_number(exit_of(STATE_COMPLETE, HANDOFF_RUNNING), -1);
	is_number(exit_of(STATE_COMPLETE, HANDOFF_DONE), EXIT_DONE);
	is_number(exit_of(STATE_COMPLETE, HANDOFF_REFUSED), EXIT_HANDOFF);
	is_number(exit_of(STATE_COMPLETE, HANDOFF_FAILED), EXIT_HANDOFF);
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
