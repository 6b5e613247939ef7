#include "run/sigfile.h"

#include "os/compat.h"

const char *
sigfile_name(char name[SIGFILE_NAME], enum sigfile_kind kind, const char *issue)
{
	snprintf(name, SIGFILE_NAME, "signal-%s-%s",
	    kind == SIGFILE_ERROR ? "error" : "complete", issue);
	return name;
}

int
sigfile_read(struct sigfile *s, int dir, uid_t owner, enum sigfile_kind kind,
    const char *issue, const char *run, msec from, struct buf *text)
{
	static const char key[] = "run=";
	const size_t head = sizeof(key) - 1;
	const char *name = SIGFILE_OF(kind, issue), *rest, *end;
	char named[RUN_ID_LEN + 1] = "";
	struct buf content = BUF_INIT;
	size_t len, line, before;
	struct stat st;
	ssize_t n = 0;
	int fd;

	*s = (struct sigfile){ .found = SIGFILE_NONE };
	fd = openat(dir, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd == -1 && errno == ENOENT)
		return 0;
	/* Links, sockets and unreadable files are judged below. */
	if (fd == -1 && errno != ELOOP && errno != ENXIO && errno != EACCES)
		return -1;
	if ((fd == -1 ? fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) :
	    fstat(fd, &st)) == -1) {
		file_close(fd);
		return errno == ENOENT ? 0 : -1;
	}
	s->written = file_mtime(&st);
	s->nsec = st.st_mtim.tv_nsec;
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	s->empty = st.st_size == 0;
	s->refusal = S_ISLNK(st.st_mode) ? "it is a link" :
	    S_ISDIR(st.st_mode) ? "it is a directory" :
	    !S_ISREG(st.st_mode) ? "it is not a regular file" :
	    st.st_nlink != 1 ? "it has another hard link" :
	    st.st_uid != owner ? "it belongs to another user" : NULL;
	if (s->refusal != NULL) {
		s->found = SIGFILE_REFUSED;
	} else {
		n = fd == -1 ? 0 :
		    read(fd, buf_room(&content, SIGFILE_MAX), SIGFILE_MAX);
		if (n == -1)
			text = NULL;
		len = content.len = n > 0 ? (size_t)n : 0;
		rest = buf_str(&content);
		end = memchr(rest, '\n', len);
		line = end != NULL ? (size_t)(end - rest) : len;
		if (line > 0 && rest[line - 1] == '\r')
			line--;
		if (line == head + RUN_ID_LEN && memcmp(rest, key, head) == 0)
			memcpy(named, rest + head, RUN_ID_LEN);
		s->bound = run_id_valid(named);
		if (s->bound) {
			len -= end != NULL ? (size_t)(end + 1 - rest) : len;
			rest = end != NULL ? end + 1 : rest;
		}
		s->found = run != NULL && (s->bound ? strcmp(named, run) != 0 :
		    s->written < from) ? SIGFILE_STALE : SIGFILE_SIGNAL;
		before = text != NULL ? text->len : 0;
		if (text != NULL)
			sigfile_text(text, rest, len, SIGFILE_MAX);
		if (text != NULL && text->len == before &&
		    kind == SIGFILE_ERROR)
			buf_adds(text, "Unknown error");
	}
	file_close(fd);
	buf_release(&content);
	return n == -1 ? -1 : 0;
}

int
sigfile_read_run(struct sigfile *s, const struct statusdir *dir,
    enum sigfile_kind kind, const struct status *r, struct buf *text)
{
	return sigfile_read(s, dir->fd, dir->owner, kind, r->issue,
	    r->run[0] != '\0' ? r->run : NULL,
	    r->started - (r->fresh ? 0 : SIGFILE_SLACK), text);
}

void
sigfile_id(char id[SIGFILE_ID], const struct sigfile *s)
{
	snprintf(id, SIGFILE_ID, "%llx:%llx:%llx.%lx",
	    (unsigned long long)s->dev, (unsigned long long)s->ino,
	    (unsigned long long)s->written, (unsigned long)s->nsec);
}

int
sigfile_remove(const struct sigfile *s, int dir, enum sigfile_kind kind,
    const char *issue)
{
	const char *name = SIGFILE_OF(kind, issue);
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT ? 0 : -1;
	/* A newer text is the same signal. */
	if (st.st_dev != s->dev || st.st_ino != s->ino)
		return 0;
	return unlinkat(dir, name, 0) == -1 ? -1 : fsync(dir);
}

void
sigfile_text(struct buf *out, const char *bytes, size_t len, size_t most)
{
	struct buf lines = BUF_INIT, shown = BUF_INIT;
	struct vt vt = { 0 };
	bool begins = true;
	unsigned long c;
	size_t n, i, size, count = 0;
	const char *p, *end;

	/* Blanks at both ends, and some broken characters, do not count. */
	for (; len > 0 && count <= most; bytes += n) {
		n = len < SIGFILE_MAX ? len : SIGFILE_MAX;
		len -= n;
		vt_add_lines(&vt, bytes, n, &lines);
		if (len == 0)
			buf_add(&lines, vt.line.data, vt.line.len);
		for (i = 0; i < lines.len; i += size) {
			if (begins && lines.data[i] != '\n' && shown.len > 0)
				buf_addc(&shown, ' ');
			begins = lines.data[i] == '\n';
			size = utf8_plain(lines.data + i, lines.len - i);
			buf_add(&shown, lines.data + i, size);
			if (size > 0)
				continue;
			size = utf8_decode(lines.data + i, lines.len - i, &c);
			if (size == 0 || c >= 0xa0)
				buf_add(&shown, lines.data + i,
				    size > 0 ? size : 1);
			else if (c == '\t')
				buf_addc(&shown, ' ');
			size += size == 0;
		}
		buf_reset(&lines);
		if (shown.len <= most)
			continue;
		end = shown.data + shown.len;
		p = text_skip_blanks(shown.data, end);
		while (end > p && text_blank(end[-1]))
			end--;
		for (count = 0; p < end; p++)
			count += (*p & 0xc0) != 0x80;
	}
	utf8_add_shown(out, shown.data, shown.len, most);
	vt_release(&vt);
	buf_release(&shown);
	buf_release(&lines);
}
