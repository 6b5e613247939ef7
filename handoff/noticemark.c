#include "handoff/noticemark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/issue.h"
#include "os/file.h"

enum { MARK_MOST = 32768 };             /* bytes of the file that are read */

/* Takes a line of the episode; one without a way is what the try came to. */
static void
mark_line(struct noticemark *m, const char *line, size_t len)
{
	if (memchr(line, ' ', len) == NULL && len < sizeof(m->word)) {
		memcpy(m->word, line, len);
		m->word[len] = '\0';
	}
	buf_add(&m->lines, line, len);
	buf_addc(&m->lines, '\n');
}

/* A last line without a line feed was cut short. */
static void
mark_lines(struct noticemark *m, const char *text, const char *episode)
{
	size_t len = strlen(episode);
	const char *end;

	for (; (end = strchr(text, '\n')) != NULL; text = end + 1)
		if (strncmp(text, episode, len) == 0 && text[len] == ' ')
			mark_line(m, text + len + 1,
			    (size_t)(end - text) - len - 1);
}

void
noticemark_read(struct noticemark *m, int state_fd, const char *issue,
    const char *episode)
{
	char name[ISSUE_FILE];
	struct buf text = BUF_INIT;
	struct stat st;

	*m = (struct noticemark)NOTICEMARK_INIT;
	issue_file(name, issue, "notice");
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text, MARK_MOST) == 0 &&
	    fstatat(state_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		mark_lines(m, buf_str(&text), episode);
		m->since = file_mtime(&st);
	}
	buf_str(&m->lines);             /* for readers of a const one */
	buf_release(&text);
}

void
noticemark_release(struct noticemark *m)
{
	buf_release(&m->lines);
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

/* Adds what is known of the ways, each line once. */
static void
keep_lines(struct buf *text, const struct noticemark *m, const char *episode)
{
	struct buf kept = BUF_INIT;
	const char *line, *end;

	for (line = m->lines.len ? m->lines.data : ""; *line != '\0';
	    line = end + 1) {
		size_t len = strcspn(line, "\n");

		end = line + len;
		if (memchr(line, ' ', len) == NULL ||
		    lines_have(buf_str(&kept), line, len))
			continue;
		buf_add(&kept, line, len + 1);
		buf_printf(text, "%s %.*s\n", episode, (int)len, line);
	}
	buf_release(&kept);
}

int
noticemark_begin(int state_fd, const char *issue, const char *episode,
    const char *word, const struct noticemark *before)
{
	bool known = before != NULL && before->lines.len > 0;
	struct buf text = BUF_INIT;
	char name[ISSUE_FILE];
	int ret;

	if (known)
		keep_lines(&text, before, episode);
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
