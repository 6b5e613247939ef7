/*
 * What compat.h makes for systems that lack it is here on every system.
 */
#include "os/compat.h"

#include "tap.h"

static bool
has_flags(int fd, int descriptor, int status)
{
	return fcntl(fd, F_GETFD) == descriptor &&
	    (fcntl(fd, F_GETFL) & O_NONBLOCK) == status;
}

TEST(a_pipe_has_the_flags_it_is_given) {
	int ends[2];
	char byte;

	ok(compat_pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
	ok(has_flags(ends[0], FD_CLOEXEC, O_NONBLOCK));
	ok(has_flags(ends[1], FD_CLOEXEC, O_NONBLOCK));
	ok(write(ends[1], "x", 1) == 1 && read(ends[0], &byte, 1) == 1);
	close(ends[0]);
	close(ends[1]);
	ok(compat_pipe2(ends, 0) == 0);
	ok(has_flags(ends[0], 0, 0) && has_flags(ends[1], 0, 0));
	close(ends[0]);
	close(ends[1]);
}

TEST(the_last_byte_of_a_kind_is_found) {
	static const char text[] = "a\xff" "b\xff" "c";

	ok(compat_memrchr(text, '\xff', 5) == text + 3);
	ok(compat_memrchr(text, '\xff', 3) == text + 1);
	ok(compat_memrchr(text, 'a', 5) == text);
	ok(compat_memrchr(text, 'c', 4) == NULL);
	ok(compat_memrchr(text, 'a', 0) == NULL);
}
