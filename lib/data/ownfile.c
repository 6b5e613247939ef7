#include "data/ownfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/datafile.h"
#include "os/file.h"

enum { TEMPLATE_MAX = 1 << 20 };

static const char mark[] =
    "<!-- paneward init wrote this file, and may write it again: ";

int
ownfile_template(struct buf *text, const char *folder, const char *name,
    struct buf *why)
{
	char *path = datafile_find(folder, name);
	int ret = path == NULL ? -1 :
	    file_read(AT_FDCWD, path, 0, text, TEMPLATE_MAX);

	if (ret == -1)
		buf_printf(why, "cannot read '%s/%s': %s", folder, name,
		    strerror(errno));
	free(path);
	return ret;
}

/* A forged sum would gain nothing. */
void
ownfile_sign(struct buf *text)
{
	uint64_t sum = text_hash(text->data, text->len);

	buf_printf(text, "%s%016" PRIx64 " -->\n", mark, sum);
}

enum ownfile_origin
ownfile_origin(const struct buf *text)
{
	const char *at = text->len == 0 ? NULL : memmem(text->data, text->len,
	    mark, sizeof(mark) - 1);
	struct buf want = BUF_INIT;
	bool ours;

	if (at == NULL)
		return OWNFILE_FOREIGN;
	buf_add(&want, text->data, (size_t)(at - text->data));
	ownfile_sign(&want);
	ours = buf_same(text, &want);
	buf_release(&want);
	return ours ? OWNFILE_OURS : OWNFILE_CHANGED;
}
