#include "chain/transcriptfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "os/file.h"
#include "os/proc.h"

enum { FAMILY = 32, PROCESS_MAX = 64 << 10 };

/* The client's folder, which may be a link of its user's. */
static char *
place_folder(const struct transcript_place *p, pid_t agent)
{
	char *home = NULL, *folder = NULL, *path;

	if (p->variable != NULL)
		folder = proc_variable(agent, p->variable);
	if (folder != NULL && folder[0] == '/')
		return folder;
	free(folder);
	home = proc_variable(agent, "HOME");
	path = home != NULL ? xasprintf("%s/%s", home, p->folder) : NULL;
	free(home);
	return path;
}

/* Replaces <<name>> in a pattern, or <<name:N>> by the first N bytes. */
static char *
place_fill(const char *pattern, const char *name, const char *value)
{
	char *open = xasprintf("<<%s", name);
	const char *at = strstr(pattern, open);
	size_t len = strlen(value), cut = len;
	struct buf out = BUF_INIT;

	buf_add(&out, pattern, at != NULL ? (size_t)(at - pattern) :
	    strlen(pattern));
	if (at != NULL && at[strlen(open)] == ':')
		cut = strtoul(at + strlen(open) + 1, NULL, 10);
	if (at != NULL)
		buf_add(&out, value, cut < len ? cut : len);
	if (at != NULL && (at = strstr(at, ">>")) != NULL)
		buf_adds(&out, at + 2);
	free(open);
	return buf_steal(&out);
}

/* Is it an id, so that it stands for itself in a pattern and in a path? */
static bool
session_plain(const char *session)
{
	return session != NULL && session[0] != '\0' && session[strspn(session,
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789_-")] == '\0';
}

struct search {
	struct buf path;                /* of the folder that is searched */
	char      *found;
	unsigned   n;
};

static void
search_folder(struct search *s, int dir, const char *pattern)
{
	size_t len = strcspn(pattern, "/"), was = s->path.len;
	char *name = xstrndup(pattern, len);
	DIR *d = fdopendir(dir);
	struct dirent *e;
	int fd;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || fnmatch(name, e->d_name, 0) != 0)
			continue;
		buf_printf(&s->path, "/%s", e->d_name);
		if (pattern[len] == '\0') {
			free(s->found);
			s->found = xstrdup(buf_str(&s->path));
			s->n++;
		} else if ((fd = openat(dir, e->d_name, O_RDONLY |
		    O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) != -1) {
			search_folder(s, fd, pattern + len + 1);
		}
		s->path.len = was;
	}
	free(name);
	if (d != NULL)
		closedir(d);
	else
		close(dir);
}

/* The only file of the folder that matches; NULL: none, or several. */
static char *
search_file(const char *folder, const char *pattern)
{
	struct search s = { .path = BUF_INIT };
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return NULL;
	buf_adds(&s.path, folder);
	search_folder(&s, fd, pattern);
	buf_release(&s.path);
	if (s.n != 1) {
		free(s.found);
		s.found = NULL;
	}
	return s.found;
}

/* The only file that matches of those that the process and its children hold
 * open. */
static char *
search_open(const char *folder, const char *pattern, const pid_t *family,
    size_t n)
{
	char *real = realpath(folder, NULL), *found = NULL, *path;
	size_t len = real != NULL ? strlen(real) : 0, i;
	unsigned fd, many = 0;

	for (i = 0; real != NULL && i < n; i++)
		for (fd = 0; (path = proc_open_file(family[i], &fd)) != NULL;
		    fd++) {
			if (strncmp(path, real, len) == 0 &&
			    path[len] == '/' && fnmatch(pattern, path + len + 1,
			    FNM_PATHNAME) == 0 && (found == NULL ||
			    strcmp(found, path) != 0)) {
				free(found);
				found = xstrdup(path);
				many++;
			}
			free(path);
		}
	free(real);
	if (many > 1) {
		free(found);
		found = NULL;
	}
	return found;
}

/* What a client writes of its running process, if it is there. */
static cJSON *
read_process(const char *folder, const char *pattern, const pid_t *family,
    size_t n)
{
	struct buf text = BUF_INIT;
	cJSON *o = NULL;
	char *name, *path, pid[24];
	size_t i;

	for (i = 0; i < n && o == NULL; i++) {
		snprintf(pid, sizeof(pid), "%ld", (long)family[i]);
		name = place_fill(pattern, "pid", pid);
		path = xasprintf("%s/%s", folder, name);
		buf_reset(&text);
		if (file_read(AT_FDCWD, path, FILE_NOFOLLOW, &text,
		    PROCESS_MAX) == 0)
			o = json_parse(buf_str(&text), text.len, false, NULL);
		free(name);
		free(path);
	}
	buf_release(&text);
	return o;
}

void
transcript_find(struct transcript_found *f, const struct transcript_place *p,
    pid_t agent, const char *session)
{
	char *folder = place_folder(p, agent), *pattern;
	pid_t family[FAMILY];
	size_t n = agent > 0 ? proc_family(agent, family, FAMILY) : 0;
	const char *own;

	*f = (struct transcript_found){ NULL, NULL };
	if (folder == NULL)
		return;
	if (p->process != NULL)
		f->process = read_process(folder, p->process, family, n);
	own = f->process != NULL && p->session != NULL ? cJSON_GetStringValue(
	    json_follow(f->process, p->session)) : NULL;
	if (own != NULL)
		session = own;
	if (p->open) {
		pattern = place_fill(p->files, "session", "*");
		f->path = search_open(folder, pattern, family, n);
		free(pattern);
	}
	if (f->path == NULL && session_plain(session)) {
		pattern = place_fill(p->files, "session", session);
		f->path = search_file(folder, pattern);
		free(pattern);
	}
	free(folder);
}

void
transcript_found_release(struct transcript_found *f)
{
	free(f->path);
	json_free(f->process);
}

int
transcript_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd == -1)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !file_foreign(&st))
		return fd;
	close(fd);
	errno = EBADMSG;
	return -1;
}
