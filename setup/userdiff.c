#include "setup/userfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/file.h"
#include "os/spawn.h"

/* Escapes what a terminal must not be sent, but for tabs and line feeds.  A NUL
 * byte follows the text. */
static void
add_escaped(struct buf *out, const char *text, size_t left)
{
	size_t len;

	for (; left > 0; text += len, left -= len) {
		len = *text == '\0' ? 1 : strcspn(text, "\t\n");
		msg_escape(out, text, len);
		if (len == 0) {
			buf_addc(out, *text);
			len = 1;
		}
	}
}

/* Lines of a difference that begin so; its head has one, too. */
static unsigned
diff_lines(const char *diff, char sign)
{
	const char *p = diff;
	unsigned n = 0;

	for (; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n')
		n += *p == sign;
	return n - 1;
}

/* diff reads the new text as /dev/fd/N, which on some systems shares our offset
 * in the file. */
static void
add_diff(struct buf *out, struct buf *files, const struct userfile *f)
{
	FILE *file = tmpfile();
	const char *before = f->there ? f->path : "/dev/null";
	char *after = file == NULL || !f->stays ? xstrdup("/dev/null") :
	    xasprintf("/dev/fd/%d", fileno(file));
	const char *const argv[] = { "diff", "-a", "-u", "-L", before, "-L",
	    f->stays ? f->path : after, before, after, NULL };
	const struct spawn_how how = { .argv = argv, .limit = 10000 };
	struct spawn s = SPAWN_INIT;

	if (file == NULL ||
	    file_write(fileno(file), f->after.data, f->after.len) == -1 ||
	    lseek(fileno(file), 0, SEEK_SET) == -1)
		fatal("cannot write a temporary file");
	if (spawn_run(&s, &how) == SPAWN_FAILED)
		fatal("cannot run diff");
	if (s.status != 1)
		fatalx("diff cannot compare '%s' with what it is to be: %s",
		    f->path, buf_str(&s.errors));
	buf_adds(files, !f->there ? "new file '" : !f->stays ?
	    "file to be removed: '" : "changes in '");
	msg_escape(files, f->path, strlen(f->path));
	buf_printf(files, "': %u lines added, %u removed\n",
	    diff_lines(buf_str(&s.output), '+'),
	    diff_lines(buf_str(&s.output), '-'));
	add_escaped(out, buf_str(&s.output), s.output.len);
}

void
userdiff_add(struct buf *files, struct buf *out, const struct userfile *f)
{
	if (userfile_changes(f)) {
		add_diff(out, files, f);
		return;
	}
	buf_adds(files, "nothing to change in '");
	msg_escape(files, f->path, strlen(f->path));
	buf_adds(files, "'\n");
}

void
userdiff_print(struct buf *out)
{
	fputs(buf_str(out), stdout);
	if (fflush(stdout) == EOF)
		fatal("cannot write to standard output");
}
