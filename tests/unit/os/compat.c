/*
 * What compat.h makes for systems that lack it is here on every system.
 */
#include "os/compat.h"

#include "tap.h"

TEST(a_pipe_has_the_flags_it_is_given) {
	int ends[4], i, on;

	ok(compat_pipe2(ends, 0) == 0);
	ok(compat_pipe2(ends + 2, O_CLOEXEC | O_NONBLOCK) == 0);
	for (i = 0; i < 4; i++) {
		on = i / 2;
		is_number(fcntl(ends[i], F_GETFD), on * FD_CLOEXEC);
		is_number(fcntl(ends[i], F_GETFL) & O_NONBLOCK,
		    on * O_NONBLOCK);
		close(ends[i]);
	}
}

TEST(the_last_byte_of_a_kind_is_found) {
	static const char text[] = "a\xff" "b\xff" "c";

	ok(compat_memrchr(text, '\xff', 5) == text + 3);
	ok(compat_memrchr(text, '\xff', 3) == text + 1);
	ok(compat_memrchr(text, 'a', 5) == text);
	ok(compat_memrchr(text, 'c', 4) == NULL);
	ok(compat_memrchr(text, 'a', 0) == NULL);
}
