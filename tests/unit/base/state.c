#include "base/state.h"

#include "base/exitstatus.h"
#include "tap.h"

TEST(other_words_are_no_state) {
	is_text(state_name(STATE_NONE), "none");
	ok(state_of("", 0) == STATE_NONE && state_of("none", 4) == STATE_NONE);
	ok(state_of("Dead", 4) == STATE_NONE);
	ok(state_of("dead", 3) == STATE_NONE);
	is_number(state_of("deadly", 6), STATE_NONE);
	is_number(state_of("deadly", 4), STATE_DEAD);
}

TEST(a_state_has_a_name_a_status_and_perhaps_an_end) {
	static const struct {
		const char *name;
		bool        reported, ended;
		int         exit;
	} all[] = {
		{ "working",  false, false, EXIT_DONE },
		{ "asking",   false, false, EXIT_WAITING },
		{ "waiting",  false, false, EXIT_WAITING },
		{ "limited",  false, false, EXIT_DONE },
		{ "stalled",  false, false, EXIT_DONE },
		{ "complete", true,  true,  EXIT_DONE },
		{ "error",    true,  false, EXIT_NO },
		{ "dead",     false, true,  EXIT_ENDED },
		{ "gone",     false, true,  EXIT_ENDED },
		{ "unknown",  false, false, EXIT_DONE },
		{ "queued",   false, false, EXIT_TIMEOUT },
	};
	enum state state;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		state = state_of(all[i].name, strlen(all[i].name));
		ROW("%s", all[i].name);
		is_text(state_name(state), all[i].name);
		ok(state_reported(state) == all[i].reported);
		ok(state_ended(state) == all[i].ended);
		is_number(state_exit(state), all[i].exit);
	}
	ok(state_exit(STATE_NONE) == EXIT_TIMEOUT && i == STATE_COUNT - 1);
}
