#include "reload/note.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "os/file.h"
#include "run/events.h"
#include "text/json.h"

enum { HISTORY_MAX = 256 << 10 };       /* bytes of it that are looked at */

/* Step by step, so that no link is followed on the way. */
static int
open_folder(const char *path)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), next, saved;
	char *copy = xstrdup(path), *at = copy, *name;

	while (fd != -1 && (name = strsep(&at, "/")) != NULL) {
		if (name[0] == '\0')
			continue;
		next = openat(fd, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		saved = errno;
		close(fd);
		errno = saved;
		fd = next;
	}
	saved = errno;
	free(copy);
	errno = saved;
	return fd;
}

/* ---- the note ------------------------------------------------------------ */

void
note_release(struct note *n)
{
	buf_release(&n->text);
	*n = (struct note){ 0 };
}

/* Control bytes would act on the terminal that shows the prompt; those of C1
 * are two bytes in UTF-8. */
static void
clean(struct buf *text)
{
	size_t from, to = 0;

	for (from = 0; from < text->len; from++) {
		unsigned char c = (unsigned char)text->data[from];
		unsigned char next = from + 1 < text->len ?
		    (unsigned char)text->data[from + 1] : 0;

		if (c == 0xc2 && next >= 0x80 && next < 0xa0)
			from++;
		else if ((c >= ' ' && c != 0x7f) || c == '\n' || c == '\t')
			text->data[to++] = (char)c;
	}
	text->len = to;
}

/* NULL, or what is wrong with the file. */
static const char *
read_open(struct note *n, int fd)
{
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st) == -1)
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "it is not a regular file";
	if (st.st_nlink != 1 || st.st_uid != geteuid())
		return "it has another name too, or another owner";
	if (st.st_size > NOTE_MAX)
		return "it is longer than 100 KiB";
	n->dev = st.st_dev;
	n->ino = st.st_ino;
	n->written = (msec)st.st_mtim.tv_sec * 1000 +
	    st.st_mtim.tv_nsec / 1000000;
	do {
		char *room = buf_room(&n->text, 8192);

		got = read(fd, room, 8192);
		if (got > 0)
			n->text.len += (size_t)got;
	} while ((got > 0 && n->text.len <= NOTE_MAX) ||
	    (got == -1 && errno == EINTR));
	if (got == -1)
		return strerror(errno);
	if (n->text.len > NOTE_MAX)
		return "it is longer than 100 KiB";
	if (memchr(buf_str(&n->text), '\0', n->text.len) != NULL)
		return "it holds a NUL byte";
	return NULL;
}

int
note_read(struct note *n, const char *folder, const char *file,
    struct buf *why)
{
	const char *wrong;
	int dir, fd = -1;

	*n = (struct note){ 0 };
	dir = open_folder(folder);
	if (dir != -1)
		fd = openat(dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
		    O_NOCTTY | O_CLOEXEC);
	if (fd == -1) {
		wrong = errno == ELOOP || errno == EMLINK ? "it is a link" :
		    errno == ENOENT ? NULL : strerror(errno);
		if (dir != -1)
			close(dir);
		if (wrong == NULL)
			return 0;
	} else {
		wrong = read_open(n, fd);
		close(fd);
		close(dir);
	}
	if (wrong != NULL) {
		buf_printf(why, "cannot use the hand-off file '%s/%s': %s",
		    folder, file, wrong);
		note_release(n);
		return -1;
	}
	clean(&n->text);
	return 1;
}

bool
note_stale(const struct note *n, msec agent_began, msec asked)
{
	return n->written < agent_began || n->written + NOTE_FRESH < asked;
}

static char *
name_of(msec wall, int attempt)
{
	time_t t = (time_t)(wall / 1000);
	char date[32], more[16] = "";
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", &tm);
	if (attempt > 0)
		snprintf(more, sizeof(more), "-%d", attempt);
	return xasprintf("handoff-%s%s.md", date, more);
}

int
note_put_away(const struct note *n, const char *folder, const char *file,
    msec wall, char **name)
{
	int dir = open_folder(folder), ret = 0, saved, attempt = 0;
	struct stat st;

	*name = NULL;
	if (dir == -1)
		return -1;
	if (fstatat(dir, file, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    st.st_dev != n->dev || st.st_ino != n->ino ||
	    (msec)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000 !=
	    n->written)
		goto out;               /* it is for the next time */
	*name = name_of(wall, attempt);
	while (fstatat(dir, *name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		free(*name);
		*name = name_of(wall, ++attempt);
	}
	ret = renameat(dir, file, dir, *name);
out:
	saved = errno;
	close(dir);
	if (ret == -1) {
		free(*name);
		*name = NULL;
	}
	errno = saved;
	return ret;
}

/* ---- where it is --------------------------------------------------------- */

static bool
below(const char *path, const char *root)
{
	size_t len = strlen(root);

	return strncmp(path, root, len) == 0 &&
	    (path[len] == '/' || path[len] == '\0' || len == 1);
}

char *
note_folder(const char *cwd, const char *root)
{
	char *at = xstrdup(cwd), *claude, *folder = NULL, *slash;
	struct stat st;

	while (folder == NULL && below(at, root) && strcmp(at, root) != 0) {
		claude = xasprintf("%s/.claude", at);
		if (lstat(claude, &st) == 0)
			folder = xasprintf("%s/%s", at, NOTE_FOLDER);
		free(claude);
		slash = strrchr(at, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
	}
	free(at);
	return folder != NULL ? folder : xasprintf("%s/%s",
	    strcmp(root, "/") == 0 ? "" : root, NOTE_FOLDER);
}

/* ---- the session --------------------------------------------------------- */

/* How many sessions but this one have begun and not ended?  As the newest lines
 * tell; the first may be the end of one, and says nothing then. */
static unsigned
count_open(int dir, const char *session)
{
	struct buf history = BUF_INIT;
	char *text, *rest, *line;
	char **open = NULL;
	size_t n = 0, i;
	unsigned others = 0;

	if (file_read(dir, "session_history.jsonl", FILE_NOFOLLOW | FILE_TAIL,
	    &history, HISTORY_MAX) == -1)
		return 0;
	rest = text = buf_steal(&history);
	while ((line = strsep(&rest, "\n")) != NULL) {
		cJSON *o = json_parse(line, strlen(line), false, NULL);
		const char *id = json_text(o, "session_id");
		const char *event = json_text(o, "event");

		for (i = 0; id != NULL && i < n; i++)
			if (strcmp(open[i], id) == 0)
				break;
		if (id != NULL && event != NULL && i == n &&
		    strcmp(event, "session_start") == 0) {
			open = xreallocarray(open, n + 1, sizeof(*open));
			open[n++] = xstrdup(id);
		} else if (id != NULL && event != NULL && i < n &&
		    strcmp(event, "session_end") == 0) {
			free(open[i]);
			open[i] = open[--n];
		}
		json_free(o);
	}
	for (i = 0; i < n; i++) {
		others += strcmp(open[i], session) != 0;
		free(open[i]);
	}
	free(open);
	free(text);
	return others;
}

char *
note_session(const char *folder, unsigned *open)
{
	struct buf text = BUF_INIT;
	char *id = NULL;
	int dir = open_folder(folder);

	*open = 0;
	if (dir == -1)
		return NULL;
	if (file_read(dir, "session_id", FILE_NOFOLLOW, &text,
	    EVENT_SESSION_MAX) == 0) {
		id = xstrndup(buf_str(&text), strcspn(buf_str(&text), " \r\n"));
		*open = 1 + count_open(dir, id);
	}
	if (id != NULL && (id[0] == '\0' || *open > 1)) {
		free(id);
		id = NULL;
	}
	buf_release(&text);
	close(dir);
	return id;
}

/* ---- what the agent is told ---------------------------------------------- */

void
note_prompt(struct buf *out, const char *reason, const struct note *n)
{
	buf_adds(out, "You have been restarted in this pane, as you asked");
	if (reason != NULL)
		buf_printf(out, " (%s)", reason);
	buf_adds(out, "; this is the same conversation. ");
	if (n == NULL || n->text.len == 0) {
		buf_adds(out, "Go on where you left off.");
		return;
	}
	buf_adds(out, "Go on by what you left for yourself:\n\n");
	buf_add(out, n->text.data, n->text.len);
	while (out->len > 0 && out->data[out->len - 1] == '\n')
		out->len--;
}
