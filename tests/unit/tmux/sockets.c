#include "tmux/tmux.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

static char folder[64];

/* The path of a name in the folder, in one of a few static buffers. */
static const char *
in_folder(const char *name)
{
	char *below = xasprintf("%s/%s", folder, name);
	const char *path = scratch_path(below);

	free(below);
	return path;
}

/* A socket with a listener. */
static int
listener(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", in_folder(name));
	ok(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	ok(listen(fd, 0) == 0);
	return fd;
}

/* The sockets are these names. */
static void
are(const char *const *names)
{
	char **sockets = sockets_of_user();
	size_t i;

	argv_sort(sockets);
	for (i = 0; names[i] != NULL; i++)
		ok(argv_has(sockets, in_folder(names[i])));
	is_number(argv_count(sockets), i);
	argv_free(sockets);
}

TEST(one_with_a_server_is_found_and_others_are_dead) {
	int one, two;

	ok(sockets_of_user() == NULL);  /* without a folder */
	scratch_folder(folder);
	close(listener("ended"));
	ok(socket_dead(in_folder("ended")) && socket_dead(in_folder("never")));
	ok(socket_dead(in_folder("ended/below")));
	are(WORDS(NULL));
	one = listener("default");
	two = listener("two words");
	ok(!socket_dead(in_folder("default")));
	are(WORDS("default", "two words"));
	close(one);
	are(WORDS("two words"));
	close(two);
}

/* Its queue fills, and connect(2) would wait. */
TEST(a_server_that_accepts_nothing_is_not_dead) {
	int fd = listener("stopped"), i;

	for (i = 0; i < 5; i++)
		ok(!socket_dead(in_folder("stopped")));
	are(WORDS("stopped"));
	close(fd);
}

TEST(what_is_no_socket_of_ours_is_left_out) {
	int ours = listener("ours"), theirs = listener("theirs");
	char *file = xasprintf("%s/file", folder);

	scratch_write(file, "");
	ok(mkfifo(in_folder("fifo"), 0600) == 0);
	ok(symlink("ours", in_folder("link")) == 0);
	if (geteuid() == 0)
		ok(chown(in_folder("theirs"), SCRATCH_NOBODY, -1) == 0);
	else
		ok(unlink(in_folder("theirs")) == 0);
	are(WORDS("ours"));
	free(file);
	close(ours);
	close(theirs);
}

TEST(a_folder_that_is_not_private_is_not_read) {
	int fd = listener("mine");

	are(WORDS("mine"));
	ok(chmod(scratch_path(folder), 0707) == 0);
	are(WORDS(NULL));
	ok(chmod(scratch_path(folder), 0700) == 0);
	if (geteuid() == 0) {
		ok(chown(scratch_path(folder), SCRATCH_NOBODY, -1) == 0);
		are(WORDS(NULL));
		ok(chown(scratch_path(folder), 0, -1) == 0);
	}
	are(WORDS("mine"));
	ok(rename(scratch_path(folder), scratch_path("moved")) == 0);
	ok(symlink("moved", scratch_path(folder)) == 0);
	are(WORDS(NULL));
	close(fd);
}

BEFORE_TESTS {
	setenv("TMUX_TMPDIR", scratch, 1);
	snprintf(folder, sizeof(folder), "tmux-%ld", (long)getuid());
}
