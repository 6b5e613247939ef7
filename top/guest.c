#include "top/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/compat.h"
#include "os/file.h"
#include "os/spawn.h"
#include "project/usercommand.h"
#include "top/canvas.h"

static void
guest_failed(const char *const *argv, int status, int messages,
    struct buf *why)
{
	char text[1024];
	ssize_t n;

	if (status == -1) {
		buf_printf(why, "cannot run '%s': %s", argv[0],
		    strerror(errno));
		return;
	}
	/* What it left running may hold the other end open. */
	fcntl(messages, F_SETFL, O_NONBLOCK);
	n = read(messages, text, sizeof(text));
	if (n > 0)
		buf_add(why, text, (size_t)n);
	else
		buf_printf(why, "'%s' ended with status %d", argv[0], status);
	buf_chomp(why);
}

int
guest_run(const char *const *argv, int in, struct buf *why)
{
	int messages[2] = { -1, -1 }, status = -1;

	if (pipe2(messages, O_CLOEXEC) == 0) {
		canvas_lend();
		status = spawn_front(argv, in, messages[1]);
		canvas_regain();
	}
	if (status != 0)
		guest_failed(argv, status, messages[0], why);
	file_close(messages[0]);
	file_close(messages[1]);
	return status == 0 ? 0 : -1;
}

/* Many people have F in LESS, with which less ends at once if the text fits on
 * the screen, and the list would hide it; as it would behind cat, which means
 * none. */
static char **
guest_pager(void)
{
	const char *named = getenv("PAGER");
	char **words, **all;

	if (named != NULL && strcmp(named, "cat") == 0)
		unsetenv("PAGER");
	words = usercommand_pager("R");
	all = argv_own(argv_add(NULL, "env"), xasprintf("LESS=%s -+F",
	    getenv("LESS")));
	all = argv_add_all(all, (const char *const *)words);
	argv_free(words);
	return all;
}

int
guest_page(const char *const *argv, const char *cwd, struct buf *why)
{
	char **words = guest_pager();
	int output[2] = { -1, -1 }, ret = -1;

	if (pipe2(output, O_CLOEXEC) == 0)
		ret = spawn_detached(&(struct spawn_how){ .argv = argv,
		    .cwd = cwd }, -1, output[1]);
	file_close(output[1]);
	if (ret == 0)
		ret = guest_run((const char *const *)words, output[0], why);
	else
		buf_printf(why, "cannot run '%s': %s", argv[0],
		    strerror(errno));
	file_close(output[0]);
	argv_free(words);
	return ret;
}
