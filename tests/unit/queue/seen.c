#include "queue/seen.h"

#include "scratch.h"

static void
only_this_episode_was_seen(void)
{
	is_number(seen_read(scratch_fd, "42", "run 7"), SEEN_NOT);
	is_number(seen_write(scratch_fd, "42", "run 7", SEEN_ONCE), 0);
	is_number(seen_read(scratch_fd, "42", "run 7"), SEEN_ONCE);
	is_number(seen_read(scratch_fd, "42", "run 8"), SEEN_NOT);
	is_number(seen_read(scratch_fd, "43", "run 7"), SEEN_NOT);
	is_number(seen_write(scratch_fd, "42", "run 7", SEEN_FORGOTTEN), 0);
	is_number(seen_read(scratch_fd, "42", "run 7"), SEEN_FORGOTTEN);
}

static void
a_file_with_other_words_is_none(void)
{
	scratch_write("42.seen", "run 7 maybe\n");
	is_number(seen_read(scratch_fd, "42", "run 7"), SEEN_NOT);
	scratch_write("42.seen", "");
	is_number(seen_read(scratch_fd, "42", "run 7"), SEEN_NOT);
}

int
main(void)
{
	scratch_begin();
	TEST(only_this_episode_was_seen);
	TEST(a_file_with_other_words_is_none);
	scratch_end();
	return tap_done();
}
