#include "setup/skill.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "os/file.h"
#include "text/datafile.h"

enum { SKILL_MAX = 1 << 20 };

static const char mark[] =
    "<!-- paneward init wrote this file, and may write it again: ";

int
skill_read(struct buf *text, const char *name, struct buf *why)
{
	char *folder = xasprintf("templates/skills/%s", name);
	char *path = datafile_find(folder, "SKILL.md");
	int ret = 0;

	if (path == NULL || file_read(AT_FDCWD, path, 0, text, SKILL_MAX) ==
	    -1) {
		buf_printf(why, "cannot read '%s/SKILL.md': %s", folder,
		    strerror(errno));
		ret = -1;
	}
	free(path);
	free(folder);
	return ret;
}

/* FNV-1a: a forged sum would gain nothing. */
static uint64_t
sum(const char *p, size_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	while (len-- > 0)
		h = (h ^ (unsigned char)*p++) * UINT64_C(0x100000001b3);
	return h;
}

static void
add_mark(struct buf *out, const char *text, size_t len)
{
	buf_printf(out, "%s%016" PRIx64 " -->\n", mark, sum(text, len));
}

void
skill_sign(struct buf *text)
{
	add_mark(text, text->data, text->len);
}

enum skill_origin
skill_origin(const struct buf *text)
{
	const char *at = text->len == 0 ? NULL : memmem(text->data, text->len,
	    mark, sizeof(mark) - 1);
	struct buf want = BUF_INIT;
	size_t above;
	bool ours;

	if (at == NULL)
		return SKILL_FOREIGN;
	above = (size_t)(at - text->data);
	add_mark(&want, text->data, above);
	ours = text->len == above + want.len &&
	    memcmp(at, want.data, want.len) == 0;
	buf_release(&want);
	return ours ? SKILL_OURS : SKILL_CHANGED;
}
