#include "agent/transcript.h"

#include <fnmatch.h>
#include <glob.h>

#include "os/file.h"

enum {
	FAMILY = 32,                    /* processes */
	PROCESS_MAX = 64 << 10,         /* bytes */
	INDEX_MAX = 16 << 20,
	PROCESS_SLACK = 2000            /* ms */
};

/* Fills in the value for <<name>>, or its first N bytes for <<name:N>>. */
static void
add_filled_pattern(struct buf *out, const char *pattern, const char *name,
    const char *value)
{
	char *open = xasprintf("<<%s", name);
	const char *at = strstr(pattern, open);
	size_t cut = strlen(value), skip = strlen(open);

	free(open);
	if (at == NULL) {
		buf_adds(out, pattern);
		return;
	}
	buf_add(out, pattern, (size_t)(at - pattern));
	at += skip;
	if (at[0] == ':' && strtoul(at + 1, NULL, 10) < cut)
		cut = strtoul(at + 1, NULL, 10);
	buf_add(out, value, cut);
	at = strstr(at, ">>");
	buf_adds(out, at != NULL ? at + 2 : "");
}

static char *
files_pattern(const char *folder, const char *files, const char *name,
    const char *value)
{
	struct buf out = BUF_INIT;

	for (; *folder != '\0'; folder++) {
		if (strchr("*?[\\", *folder) != NULL)
			buf_addc(&out, '\\');
		buf_addc(&out, *folder);
	}
	buf_addc(&out, '/');
	add_filled_pattern(&out, files, name, value);
	return buf_steal(&out);
}

/* A plain id stands for itself in a pattern. */
static bool
session_plain(const char *session)
{
	return session != NULL && session[0] != '\0' &&
	    text_only(session, "_-");
}

/* NULL: there is no path, or there are several.  The last part of a session
 * counts: all are in one folder. */
static char *
only_path(char **paths, bool parts)
{
	char *path;
	size_t i = 0, same = 0;

	if (paths != NULL)
		same = (parts ? (size_t)(strrchr(paths[0], '/') - paths[0]) :
		    strlen(paths[0])) + 1;
	while (paths != NULL && paths[i] != NULL &&
	    strncmp(paths[i], paths[0], same) == 0)
		i++;
	path = i > 0 && paths[i] == NULL ? xstrdup(paths[i - 1]) : NULL;
	argv_free(paths);
	return path;
}

msec
transcript_time(const struct json *from, const char *path)
{
	const struct json *time = path != NULL ? json_follow(from, path) : NULL;

	if (json_is(time, JSON_NUMBER))
		return (msec)time->number;
	return json_is(time, JSON_TEXT) ? clock_parse(time->text) : -1;
}

/* An older file is of an earlier process.  *content is NULL while it is being
 * written. */
static bool
read_process(const struct transcript_place *p, const char *folder, pid_t pid,
    struct json **content)
{
	struct buf path = BUF_INIT, text = BUF_INIT;
	struct proc process;
	char number[24];
	struct json *o = NULL;
	bool there;

	snprintf(number, sizeof(number), "%ld", (long)pid);
	buf_printf(&path, "%s/", folder);
	add_filled_pattern(&path, p->process, "pid", number);
	there = file_read(AT_FDCWD, buf_str(&path), FILE_NOFOLLOW |
	    FILE_TRUSTED, &text, PROCESS_MAX) == 0;
	if (there)
		o = json_parse(buf_str(&text), text.len, false, NULL);
	buf_release(&path);
	buf_release(&text);
	if (o != NULL && p->process_time != NULL &&
	    (proc_read(&process, pid) == -1 || transcript_time(o,
	    p->process_time) < process.began - PROCESS_SLACK)) {
		json_free(o);
		o = NULL;
		there = false;
	}
	*content = o;
	return there;
}

/* The file of the process in which the session went on replaces the agent's;
 * until exactly one claims it, there is none. */
static void
follow_moved(struct transcript_found *f, const struct transcript_place *p,
    const char *folder)
{
	const char *to = p->moved != NULL && p->moved_to != NULL ?
	    json_text_of(json_follow(f->process, p->moved)) : NULL;
	const char *before = strstr(p->process, "<<"), *text;
	struct json *o, *found = NULL;
	char *pattern;
	bool many = false;
	glob_t g;
	size_t i;

	if (to == NULL || before == NULL)
		return;
	pattern = files_pattern(folder, p->process, "pid", "*");
	if (glob(pattern, GLOB_NOSORT, NULL, &g) != 0)
		g.gl_pathc = 0;
	for (i = 0; i < g.gl_pathc; i++) {
		text = g.gl_pathv[i] + strlen(folder) + 1 +
		    (before - p->process);
		read_process(p, folder, (pid_t)strtol(text, NULL, 10), &o);
		text = json_text_of(json_follow(o, p->moved_to));
		if (text == NULL || strcmp(text, to) != 0) {
			json_free(o);
			continue;
		}
		many |= found != NULL;
		json_free(found);
		found = o;
	}
	if (g.gl_pathc > 0)
		globfree(&g);
	free(pattern);
	json_free(f->process);
	f->process = many ? NULL : found;
	if (many)
		json_free(found);
	f->moved = true;
}

static char *
search_session(const struct transcript_place *p, const char *folder,
    const char *session, const char *known)
{
	char *pattern, **found = NULL, *real;
	glob_t g;
	size_t i;

	if (!session_plain(session))
		return NULL;
	pattern = files_pattern(folder, p->files, "session", session);
	if (known != NULL && !p->parts &&
	    fnmatch(pattern, known, FNM_PATHNAME) == 0) {
		found = argv_add(NULL, known);
	} else if (glob(pattern, 0, NULL, &g) == 0) {
		for (i = 0; i < g.gl_pathc; i++) {
			real = xrealpath(g.gl_pathv[i]);
			if (real != NULL && strcmp(real, g.gl_pathv[i]) == 0)
				found = argv_own(found, real);
			else
				free(real);
		}
		globfree(&g);
	}
	free(pattern);
	return only_path(found, p->parts);
}

char **
transcript_parts(const struct transcript_place *p, const char *path)
{
	const char *base = p->parts && p->files != NULL ?
	    strrchr(p->files, '/') : NULL, *slash = strrchr(path, '/');
	char *folder, *pattern, **parts = NULL;
	glob_t g = { .gl_pathc = 0 };
	size_t i;

	if (base != NULL && slash != NULL) {
		folder = xstrndup(path, (size_t)(slash - path));
		pattern = files_pattern(folder, base + 1, "session", "*");
		glob(pattern, 0, NULL, &g);
		free(pattern);
		free(folder);
	}
	for (i = 0; i < g.gl_pathc; i++)
		parts = argv_add(parts, g.gl_pathv[i]);
	globfree(&g);
	return parts != NULL ? parts : argv_add(NULL, path);
}

/* The time of an entry, else of its session's first line; or -1. */
static msec
index_time(const struct transcript_place *p, const char *folder,
    const struct json *entry, const char *session)
{
	msec time = transcript_time(entry, p->index_time);
	char *path = time == -1 ? search_session(p, folder, session, NULL) :
	    NULL;
	int fd = path != NULL ? transcript_open(path) : -1;
	struct buf text = BUF_INIT;
	struct json *first;

	if (fd != -1 && file_read_open(fd, 0, &text, PROCESS_MAX) == 0) {
		first = json_parse(buf_str(&text), strcspn(buf_str(&text),
		    "\n"), false, NULL);
		time = transcript_time(first, p->index_time);
		json_free(first);
	}
	file_close(fd);
	buf_release(&text);
	free(path);
	return time;
}

/* Is an entry of the process, or of the folder that it began in? */
static bool
index_ours(const struct transcript_place *p, const struct json *entry,
    const char *here, const pid_t *family, size_t n)
{
	const struct json *owner = json_follow(entry, p->index_process != NULL ?
	    p->index_process : p->index_folder);
	size_t i = 0;

	if (p->index_process == NULL)
		return here != NULL && json_is(owner, JSON_TEXT) &&
		    strcmp(owner->text, here) == 0;
	while (i < n && !(json_is(owner, JSON_NUMBER) &&
	    owner->number == (double)family[i]))
		i++;
	return i < n;
}

/* The only session of the process, or the only one that began in its folder
 * since it did.  The newest entries are the last. */
static char *
search_index(const struct transcript_place *p, const char *folder,
    const char *here, const pid_t *family, size_t n)
{
	char *pattern = files_pattern(folder, p->index, "session", "*");
	char **ids = NULL;
	const char *id;
	struct buf text = BUF_INIT;
	struct json *entry;
	struct proc process;
	glob_t g = { .gl_pathc = 0 };
	size_t i, from, end;
	bool late = proc_read(&process, family[0]) == 0 &&
	    glob(pattern, 0, NULL, &g) == 0;

	for (i = 0; i < g.gl_pathc && late; i++) {
		buf_reset(&text);
		if (file_read(AT_FDCWD, g.gl_pathv[i], FILE_NOFOLLOW |
		    FILE_TRUSTED, &text, INDEX_MAX) == -1)
			continue;
		for (end = text.len; end > 0 && late; end = from) {
			for (from = end - 1; from > 0 &&
			    text.data[from - 1] != '\n'; from--)
				continue;
			entry = json_parse(text.data + from, end - from, false,
			    NULL);
			id = json_text_of(json_follow(entry, p->index_session));
			if (session_plain(id) &&
			    index_ours(p, entry, here, family, n)) {
				late = index_time(p, folder, entry, id) >=
				    process.began - PROCESS_SLACK;
				ids = late ? argv_add(ids, id) : ids;
				late |= p->index_process != NULL;
			}
			json_free(entry);
		}
	}
	globfree(&g);
	free(pattern);
	buf_release(&text);
	return only_path(ids, false);
}

void
transcript_find(struct transcript_found *f, const struct transcript_place *p,
    const struct transcript_lead *l)
{
	const char *const names[] = { "HOME", "PWD", p->variable };
	char *values[] = { NULL, NULL, NULL }, *path, *folder, *pattern, *here;
	char **found = NULL;
	pid_t family[FAMILY];
	size_t n = 0, i, len;
	const char *own;
	unsigned number;
	int fd = -1;

	*f = (struct transcript_found){ .path = NULL };
	/* The client's own folder may be a link. */
	proc_variables(l->agent, names, values, p->variable != NULL ? 3 : 2);
	path = values[2] != NULL && values[2][0] == '/' ? xstrdup(values[2]) :
	    xasprintf("%s/%s", values[0] ? values[0] : "", p->folder);
	folder = xrealpath(path);
	here = values[1] != NULL ? xrealpath(values[1]) : NULL;
	free(path);
	for (i = 0; i < 3; i++)
		free(values[i]);
	if (folder == NULL) {
		free(here);
		return;
	}
	if (l->agent > 0)
		n = proc_family(l->agent, p->shared, family, FAMILY);
	for (i = 0; p->process != NULL && i < n && !read_process(p, folder,
	    family[i], &f->process); i++)
		continue;
	if (f->process != NULL)
		follow_moved(f, p, folder);
	if (f->process != NULL && p->session != NULL)
		f->session = json_text_of(json_follow(f->process, p->session));
	if (!session_plain(f->session))
		f->session = NULL;
	/* By the folder it may be another agent's, so the first one stays. */
	if (f->session == NULL && p->index != NULL && n > 0 &&
	    (p->index_process != NULL || l->session == NULL))
		f->session = f->indexed = search_index(p, folder, here, family,
		    n);
	if (p->open) {
		pattern = files_pattern(folder, p->files, "session", "*");
		for (i = 0; i < n; i++)
			for (number = 0; (path = proc_open_file(family[i],
			    &number)) != NULL; number++)
				if (fnmatch(pattern, path, FNM_PATHNAME) == 0)
					found = argv_own(found, path);
				else
					free(path);
		f->path = only_path(found, p->parts);
		free(pattern);
	}
	own = f->session != NULL ? f->session : l->session;
	len = strlen(folder);
	if (f->path == NULL && l->told != NULL && own != NULL &&
	    strcmp(own, l->told_session) == 0 &&
	    strncmp(l->told, folder, len) == 0 && l->told[len] == '/')
		fd = transcript_open(l->told);
	if (fd != -1)
		f->path = xstrdup(l->told);
	file_close(fd);
	if (f->path == NULL)
		f->path = search_session(p, folder, own, l->known);
	if (f->path == NULL && f->session == NULL && l->known == NULL)
		f->path = search_session(p, folder, l->run, NULL);
	free(folder);
	free(here);
}

void
transcript_found_release(struct transcript_found *f)
{
	free(f->path);
	free(f->indexed);
	json_free(f->process);
}

int
transcript_open(const char *path)
{
	char *real = xrealpath(path);
	bool straight = real != NULL && strcmp(real, path) == 0;
	struct stat st;
	int fd;

	if (real == NULL)
		return -1;
	free(real);
	fd = !straight ? -1 : open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY | O_CLOEXEC);
	if (fd == -1 && straight)
		return -1;
	if (straight && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    !file_foreign(&st))
		return fd;
	file_close(fd);
	errno = EBADMSG;
	return -1;
}
