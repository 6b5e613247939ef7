#include "notice/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/issue.h"
#include "os/file.h"

enum { MARK_MOST = 32768 };             /* bytes of the file that are read */

void
noticemark_read(struct noticemark *m, int state_fd, const char *issue,
    const char *episode)
{
	char name[ISSUE_FILE];
	struct buf text = BUF_INIT;
	size_t begin = strlen(episode) + 1;
	const char *line, *end;
	struct stat st;
	int len;

	*m = (struct noticemark)NOTICEMARK_INIT;
	issue_file(name, issue, "notice");
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text, MARK_MOST) == 0 &&
	    fstatat(state_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		m->since = file_mtime(&st);
	else
		buf_reset(&text);
	/* A last line without a line feed was cut short. */
	for (line = buf_str(&text); (end = strchr(line, '\n')) != NULL;
	    line = end + 1) {
		if (strncmp(line, episode, begin - 1) != 0 ||
		    line[begin - 1] != ' ')
			continue;
		line += begin;
		len = (int)(end - line);
		buf_printf(&m->lines, "%.*s\n", len, line);
		/* Without a way it is what the try came to. */
		if (memchr(line, ' ', (size_t)len) == NULL &&
		    len < (int)sizeof(m->word))
			snprintf(m->word, sizeof(m->word), "%.*s", len, line);
	}
	buf_str(&m->lines);             /* for readers of a const one */
	buf_release(&text);
}

/* Is there such a line? */
static bool
lines_have(const char *lines, const char *line, size_t len)
{
	for (; *lines != '\0'; lines = strchr(lines, '\n') + 1)
		if (strncmp(lines, line, len) == 0 && lines[len] == '\n')
			return true;
	return false;
}

bool
noticemark_has(const struct noticemark *m, const char *word, const char *way)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "%s %s", word, way);

	return m->lines.len > 0 && lines_have(m->lines.data, line, (size_t)len);
}

int
noticemark_begin(int state_fd, const char *issue, const char *episode,
    const char *word, const struct noticemark *before)
{
	bool known = before != NULL && before->lines.len > 0;
	struct buf text = BUF_INIT, kept = BUF_INIT;
	char name[ISSUE_FILE];
	const char *line;
	size_t len;
	int ret;

	/* The known results of the ways, each line once. */
	for (line = known ? before->lines.data : ""; *line != '\0';
	    line += len + 1) {
		len = strcspn(line, "\n");
		if (memchr(line, ' ', len) == NULL ||
		    lines_have(buf_str(&kept), line, len))
			continue;
		buf_add(&kept, line, len + 1);
		buf_printf(&text, "%s %.*s\n", episode, (int)len, line);
	}
	buf_release(&kept);
	buf_printf(&text, "%s %s\n", episode, word);
	/* The notice does not wait for a sync: if power fails before it is
	 * sent, it is due all the same. */
	ret = (known ? file_replace : file_swap)(state_fd,
	    issue_file(name, issue, "notice"), text.data, text.len, 0600);
	buf_release(&text);
	return ret;
}

int
noticemark_add(int state_fd, const char *issue, const char *episode,
    const char *word, const char *way)
{
	struct buf line = BUF_INIT;
	char name[ISSUE_FILE];
	struct stat st;
	int fd, ret;

	fd = file_open_own(state_fd, issue_file(name, issue, "notice"),
	    O_WRONLY | O_APPEND, &st);
	if (fd == -1)                   /* without a file there is no run */
		return errno == ENOENT ? 0 : -1;
	buf_printf(&line, "%s %s%s%s\n", episode, word, way ? " " : "",
	    way ? way : "");
	ret = file_write(fd, line.data, line.len);
	if (ret == 0)
		ret = fsync(fd);
	file_close(fd);
	buf_release(&line);
	return ret;
}
