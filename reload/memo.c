#include "reload/memo.h"

#include <time.h>

enum { HISTORY_MAX = 256 << 10 };       /* bytes */

int
memo_read(struct memo *m, const char *folder, const char *file, struct buf *why)
{
	int dir = file_folder("/", folder, false), fd = -1, err;
	const char *wrong = NULL;
	unsigned char c, next;
	size_t from, to = 0;

	*m = (struct memo){ 0 };
	if (dir != -1)
		fd = file_open_own(dir, file, O_RDONLY, &m->seen);
	err = errno;
	if (fd == -1)
		wrong = err == ELOOP || err == EMLINK ? "it is a link" :
		    err == EBADMSG ? "it is no regular file, or has another "
		    "name or owner" : strerror(err);
	else if (file_read_open(fd, 0, &m->text, MEMO_MAX + 1) == -1)
		wrong = strerror(errno);
	else if (m->text.len > MEMO_MAX)
		wrong = "it is longer than 100 KiB";
	else if (memchr(buf_str(&m->text), '\0', m->text.len) != NULL)
		wrong = "it holds a NUL byte";
	file_close(fd);
	file_close(dir);
	if (fd == -1 && err == ENOENT)
		return 0;
	if (wrong != NULL) {
		buf_printf(why, "cannot use the memo '%s/%s': %s", folder, file,
		    wrong);
		buf_release(&m->text);
		return -1;
	}
	m->written = file_mtime(&m->seen);
	/* Control characters would act on the terminal; those of C1 have two
	 * bytes. */
	for (from = 0; from < m->text.len; from++) {
		c = (unsigned char)m->text.data[from];
		next = (unsigned char)m->text.data[from + 1];
		if (c == 0xc2 && next >= 0x80 && next < 0xa0)
			from++;
		else if ((c >= ' ' && c != 0x7f) || c == '\n' || c == '\t')
			m->text.data[to++] = (char)c;
	}
	m->text.len = to;
	return 1;
}

bool
memo_stale(const struct memo *m, msec agent_began, msec asked)
{
	return m->written < agent_began || m->written + MEMO_FRESH < asked;
}

int
memo_put_away(const struct memo *m, const char *folder, const char *file,
    msec wall, char **name)
{
	int dir = file_folder("/", folder, false), ret = 0, attempt = 0;
	char date[32], more[16] = "";
	time_t t = (time_t)(wall / 1000);
	struct stat st;
	struct tm tm;

	*name = NULL;
	if (dir == -1)
		return -1;
	if (fstatat(dir, file, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    st.st_dev != m->seen.st_dev || st.st_ino != m->seen.st_ino ||
	    file_mtime(&st) != m->written)
		goto out;               /* another memo, for the next time */
	gmtime_r(&t, &tm);
	strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", &tm);
	do {
		free(*name);
		*name = xasprintf("handoff-%s%s.md", date, more);
		snprintf(more, sizeof(more), "-%d", ++attempt);
	} while (fstatat(dir, *name, &st, AT_SYMLINK_NOFOLLOW) == 0);
	ret = renameat(dir, file, dir, *name);
out:
	file_close(dir);
	if (ret == -1) {
		free(*name);
		*name = NULL;
	}
	return ret;
}

char *
memo_folder(const char *cwd, const char *root)
{
	size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);
	char *at = xstrdup(cwd), *claude, *folder = NULL;
	struct stat st;

	while (folder == NULL && strncmp(at, root, len) == 0 &&
	    at[len] == '/' && at[len + 1] != '\0') {
		claude = xasprintf("%s/.claude", at);
		if (lstat(claude, &st) == 0)
			folder = xasprintf("%s/%s", at, MEMO_FOLDER);
		free(claude);
		*strrchr(at, '/') = '\0';
	}
	free(at);
	return folder != NULL ? folder : xasprintf("%.*s/%s", (int)len, root,
	    MEMO_FOLDER);
}

/* The newest lines of the history name the open sessions. */
char *
memo_session(const char *folder, unsigned *open)
{
	int dir = file_folder("/", folder, false);
	char *id = NULL, *text, *rest, *line, **begun = NULL, **word;
	struct buf read = BUF_INIT;

	*open = 0;
	if (dir == -1)
		return NULL;
	if (file_read(dir, "session_id", FILE_NOFOLLOW, &read,
	    EVENT_SESSION_MAX) == -1)
		goto out;
	*open = 1;
	id = xstrndup(buf_str(&read), strcspn(buf_str(&read), " \r\n"));
	buf_reset(&read);
	if (file_read(dir, "session_history.jsonl", FILE_NOFOLLOW | FILE_TAIL,
	    &read, HISTORY_MAX) == -1)
		buf_reset(&read);
	rest = text = buf_steal(&read);
	while ((line = strsep(&rest, "\n")) != NULL) {
		struct json *o = json_parse(line, strlen(line), false, NULL);
		const char *of = json_text(o, "session_id");
		const char *event = json_text(o, "event");
		bool known = of != NULL && argv_has(begun, of);

		if (of != NULL && event != NULL && !known &&
		    strcmp(event, "session_start") == 0)
			begun = argv_add(begun, of);
		if (event != NULL && known && strcmp(event, "session_end") == 0)
			for (word = begun; *word != NULL; word++)
				if (strcmp(*word, of) == 0)
					(*word)[0] = '\0';
		json_free(o);
	}
	for (word = begun; word != NULL && *word != NULL; word++)
		*open += (*word)[0] != '\0' && strcmp(*word, id) != 0;
	argv_free(begun);
	free(text);
	if (id[0] == '\0' || *open > 1) {
		free(id);
		id = NULL;
	}
out:
	buf_release(&read);
	close(dir);
	return id;
}

void
memo_prompt(struct buf *out, const char *reason, const struct memo *m)
{
	buf_adds(out, "You have been restarted in this pane, as you asked");
	if (reason != NULL)
		buf_printf(out, " (%s)", reason);
	buf_adds(out, "; this is the same conversation. ");
	if (m == NULL || m->text.len == 0) {
		buf_adds(out, "Go on where you left off.");
		return;
	}
	buf_adds(out, "Go on by what you left for yourself:\n\n");
	buf_add(out, m->text.data, m->text.len);
	buf_chomp(out);
}

bool
memo_marked(const struct buf *prompt, const char *issue, const char *custom)
{
	struct marker_set set;

	if (marker_set_init(&set, issue, NULL, custom) == -1)
		marker_set_init(&set, issue, NULL, NULL);
	return marker_set_in(&set, prompt->data, prompt->len);
}
