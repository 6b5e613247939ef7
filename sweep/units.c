#include "sweep/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argv.h"
#include "os/file.h"
#include "os/proc.h"
#include "text/datafile.h"

enum { TEMPLATE_MAX = 1 << 20 };

static int
read_template(const char *name, struct buf *text, struct buf *error)
{
	char *path = datafile_find("templates", name);
	int ret = path == NULL ? -1 :
	    file_read(AT_FDCWD, path, 0, text, TEMPLATE_MAX);

	if (ret == -1)
		buf_printf(error, "cannot read the template '%s': %s",
		    path ? path : name, strerror(errno));
	free(path);
	return ret;
}

static int
fill(struct buf *out, enum units_kind kind, const struct buf *text,
    const struct project *project, struct buf *error)
{
	char *program = proc_program(), **env = units_environment();
	const struct units u = { .program = program, .root = project->root,
	    .home = getenv("HOME"), .env = env };
	int ret = -1;

	if (program == NULL)
		buf_printf(error, "cannot find the path of paneward itself: %s",
		    strerror(errno));
	else
		ret = units_fill(out, kind, text->data, text->len, &u, error);
	argv_free(env);
	free(program);
	return ret;
}

int
units_print(enum units_kind kind, const struct project *project,
    struct buf *error)
{
	struct buf text = BUF_INIT, out = BUF_INIT;
	int ret = read_template(units_template(kind), &text, error);

	if (ret == 0)
		ret = fill(&out, kind, &text, project, error);
	if (ret == 0 && file_write(STDOUT_FILENO, out.data, out.len) == -1) {
		buf_printf(error, "cannot write to standard output: %s",
		    strerror(errno));
		ret = -1;
	}
	buf_release(&text);
	buf_release(&out);
	return ret;
}
