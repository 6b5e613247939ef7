#include "queue/row.h"

#include "scratch.h"

#define READ(issue, episode) seen_read(scratch_fd, (issue), (episode))

TEST(only_this_episode_was_seen) {
	is_number(READ("42", "run 7"), SEEN_NOT);
	is_number(seen_write(scratch_fd, "42", "run 7", SEEN_ONCE), 0);
	is_number(READ("42", "run 7"), SEEN_ONCE);
	ok(READ("42", "run 8") == SEEN_NOT && READ("43", "run 7") == SEEN_NOT);
	is_number(seen_write(scratch_fd, "42", "run 7", SEEN_FORGOTTEN), 0);
	is_number(READ("42", "run 7"), SEEN_FORGOTTEN);
	scratch_write("42.seen", "run 7 maybe\n");
	is_number(READ("42", "run 7"), SEEN_NOT);
	scratch_write("42.seen", "");
	is_number(READ("42", "run 7"), SEEN_NOT);
}

TEST(a_hand_off_that_is_refused_later_was_not_seen) {
	char complete[SEEN_EPISODE], refused[SEEN_EPISODE];
	struct status r;

	status_init(&r, "42");
	memcpy(r.run, "0123abcd-1111-4222-8333-444444444444", sizeof(r.run));
	r.verdict.state = STATE_COMPLETE;
	r.since = 1700000000000;
	seen_episode(complete, &r);
	r.handoff.state = HANDOFF_RUNNING;
	seen_episode(refused, &r);
	is_text(refused, complete);
	r.handoff.state = HANDOFF_REFUSED;
	seen_episode(refused, &r);
	ok(strcmp(refused, complete) != 0);
}
