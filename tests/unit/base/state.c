#include "base/state.h"

#include "tap.h"

/* tests/system/wait.sh has the exit status of each. */
TEST(other_words_are_no_state) {
	ok(state_of("", 0) == STATE_NONE && state_of("none", 4) == STATE_NONE);
	ok(state_of("Dead", 4) == STATE_NONE);
	ok(state_of("dead", 3) == STATE_NONE);
	is_number(state_of("deadly", 6), STATE_NONE);
	is_number(state_of("deadly", 4), STATE_DEAD);
}
