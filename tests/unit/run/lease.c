#include "run/lease.h"

#include <errno.h>
#include <sys/stat.h>

#include "scratch.h"

static const struct lease sample = { .token = 17, .revision = UINT64_MAX,
    .deadline = 123456, .over = 999999, .boot = "abcd-ef" };

TEST(a_lease_ends_a_fifth_sooner_for_us_or_with_its_boot) {
	struct lease l = { 0 };

	lease_renew(&l, 1000, 10000);
	is_number(l.over, 11000);
	is_number(l.deadline, 9000);
	ok(!lease_past(&l, 8999));
	ok(lease_past(&l, 9000));
	/* One of another boot is over. */
	lease_renew(&l, lease_now(), 10000);
	ok(!lease_past(&l, lease_now()));
	snprintf(l.boot, sizeof(l.boot), "another");
	ok(lease_past(&l, lease_now()));
}

TEST(what_was_written_is_read) {
	struct stat before, after;
	struct lease l;

	is_number(lease_read(&l, scratch_fd, "7"), 0);
	ok(lease_write(&sample, scratch_fd, "7") == 0);
	is_number(lease_read(&l, scratch_fd, "7"), 1);
	ok(l.token == 17 && l.revision == UINT64_MAX);
	ok(l.deadline == 123456 && l.over == 999999);
	is_text(l.boot, "abcd-ef");
	/* A renewal takes the same place. */
	l = sample;
	ok(stat(scratch_path("7.lease"), &before) == 0);
	l.deadline = INT64_MAX;
	ok(lease_write(&l, scratch_fd, "7") == 0);
	ok(stat(scratch_path("7.lease"), &after) == 0);
	ok(before.st_ino == after.st_ino && before.st_size == after.st_size);
	is_number(lease_read(&l, scratch_fd, "7"), 1);
	ok(l.deadline == INT64_MAX);
}

TEST(what_is_damaged_is_no_lease) {
	struct lease l;

	scratch_write("8.lease", "token x");
	errno = 0;
	ok(lease_read(&l, scratch_fd, "8") == -1 && errno == EBADMSG);
}
