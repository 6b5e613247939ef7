#include "top/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argv.h"
#include "os/compat.h"
#include "os/file.h"
#include "os/spawn.h"
#include "os/usercommand.h"
#include "top/canvas.h"

static char **
pager_words(void)
{
	const char *pager = getenv("PAGER");
	char *less = NULL, **words;

	if (pager == NULL || pager[0] == '\0') {
		less = spawn_find("less");
		pager = less != NULL ? less : "more";
	}
	words = usercommand_parse(pager, ".");
	free(less);
	return words;
}

int
pager_show(const char *const *argv, const char *cwd, struct buf *why)
{
	char **words = pager_words();
	int pipe[2], status = -1;

	if (pipe2(pipe, O_CLOEXEC) == 0) {
		status = spawn_detached(&(struct spawn_how){ .argv = argv,
		    .cwd = cwd }, -1, pipe[1]);
		close(pipe[1]);
		if (status == 0) {
			canvas_lend();
			status = spawn_front((const char *const *)words,
			    pipe[0]);
			canvas_regain();
		}
		file_close(pipe[0]);
	}
	if (status == -1)
		buf_printf(why, "cannot run '%s': %s", argv[0],
		    strerror(errno));
	else if (status == 126 || status == 127)
		buf_printf(why, "cannot run the pager '%s'", words[0]);
	argv_free(words);
	return status == -1 || why->len > 0 ? -1 : 0;
}
