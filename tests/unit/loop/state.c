#include "loop/engine.h"

#include <errno.h>

#include "unit/children.h"

static const char NAME[] = "loop-42";

static struct loop_state s;

TEST(what_is_written_is_read_again) {
	static const char text[] = "{\"loop\":\"loop-42\",\"v\":1,"
	    "\"issue\":\"42\","
	    "\"backend\":\"shell\",\"session_manager\":\"native\","
	    "\"keyword\":\"DONE\",\"cwd\":\"/p\",\"prompt_file\":\"f\","
	    "\"reason\":\"r\",\"title\":\"t\",\"socket\":\"/s\","
	    "\"report_json\":\"j\",\"report_html\":\"h\","
	    "\"max_iterations\":7,\"max_time\":1,\"idle_timeout\":2,"
	    "\"same_rounds\":3,\"started\":4,\"elapsed\":20,"
	    "\"limited_until\":5,\"done\":1,\"iteration\":2,\"failures\":1,"
	    "\"same\":1,\"run\":\"0123abcd-1111-4222-8333-444444444444\","
	    "\"boot\":\"b\",\"command\":[\"sh\",\"two words\"],\"rounds\":"
	    "[{\"iteration\":1,\"end\":\"limited\",\"began\":1,\"ended\":2,"
	    "\"exit\":1,\"bytes\":9}]}\n";

	scratch_write("loop-42.json", text);
	is_number(loop_state_read(&s, scratch_fd, NAME), 1);
	ok(s.rounds[0].exit_signal == -1 && s.same_rounds == 3);
	is_number(loop_state_write(&s, scratch_fd), 0);
	is_text(scratch_text("loop-42.json"), text);
	loop_state_release(&s);
}

TEST(a_file_of_0_1_is_read) {
	scratch_write("loop-42.json", "{\"loop\":\"loop-42\","
	    "\"backend\":\"claude\",\"session_manager\":\"tmux\","
	    "\"keyword\":\"LOOP_COMPLETE\",\"cwd\":\"/p\","
	    "\"max_iterations\":100,\"max_time\":0,\"idle_timeout\":0,"
	    "\"started\":1,\"elapsed\":2,\"limited_until\":0,\"done\":1,"
	    "\"iteration\":1,\"failures\":0,\"same\":1,\"later\":[1],"
	    "\"rounds\":[{\"iteration\":1,\"end\":\"lost\",\"began\":1,"
	    "\"ended\":3,\"bytes\":0}]}\n");
	ok(loop_state_read(&s, scratch_fd, NAME) == 1 && s.same_rounds == 5);
	is_number(s.rounds[0].end, ROUND_LOST);
	loop_state_release(&s);
}

TEST(another_file_is_not) {
#define LOOP(name, manager, more) "{\"loop\":\"loop-" name "\",\"backend\":" \
	"\"shell\",\"session_manager\":\"" manager "\",\"keyword\":\"a\"," \
	"\"cwd\":\"/\"" more "}"
	static const char *const texts[] = {
		"", "{\"loop\":\"loop-42\",\"backend\":",
		LOOP("43", "tmux", ""), LOOP("42", "screen", ""),
		LOOP("42", "tmux", ",\"run\":\"../x\",\"title\":\"t\""),
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ROW("%s", texts[i]);
		scratch_write("loop-42.json", texts[i]);
		errno = 0;
		ok(loop_state_read(&s, scratch_fd, NAME) == -1 &&
		    errno == EBADMSG);
		loop_state_release(&s);
	}
	unlinkat(scratch_fd, "loop-42.json", 0);
	is_number(loop_state_read(&s, scratch_fd, NAME), 0);
	loop_state_release(&s);
}

TEST(the_last_rounds_are_kept) {
	int i;

	s = (struct loop_state){ 0 };
	for (i = 1; i <= STATE_ROUNDS + 3; i++)
		loop_state_add(&s, &(struct round){ .iteration = i });
	ok(s.nrounds == STATE_ROUNDS && s.rounds[0].iteration == 4);
	loop_state_release(&s);
}

TEST(a_round_has_failed_or_is_repeated) {
	struct round r = { .end = ROUND_EXITED, .exit_code = 0,
	    .exit_signal = -1 };

	ok(!round_failed(&r) && round_counts(&r));
	r.exit_code = 1;
	ok(round_failed(&r));
	r.end = ROUND_LOST;
	ok(round_failed(&r) && round_counts(&r));
	r.end = ROUND_IDLE;
	ok(round_failed(&r) && round_counts(&r));
	r.end = ROUND_INTERRUPTED;
	ok(!round_failed(&r) && !round_counts(&r));
	is_text(round_names[r.end], "interrupted");
}
