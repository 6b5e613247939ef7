#include "agent/transcript.h"

#include <fnmatch.h>
#include <glob.h>

#include "os/file.h"

enum {
	FAMILY = 32,                    /* processes */
	PROCESS_MAX = 64 << 10,         /* bytes */
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

/* False: there is no file. */
static bool
read_process(const char *path, struct json **content)
{
	struct buf text = BUF_INIT;
	bool there = file_read(AT_FDCWD, path, FILE_NOFOLLOW | FILE_TRUSTED,
	    &text, PROCESS_MAX) == 0;

	*content = there ? json_parse(buf_str(&text), text.len, false, NULL) :
	    NULL;
	buf_release(&text);
	return there;
}

bool
transcript_file(const struct transcript_place *p, const char *folder,
    pid_t pid, struct json **content)
{
	char *pattern, number[24];
	const struct json *id;
	struct proc process;
	glob_t g = { .gl_pathc = 0 };
	bool there = false;
	size_t i;

	snprintf(number, sizeof(number), "%ld", (long)pid);
	pattern = files_pattern(folder, p->process, "pid", number);
	*content = NULL;
	glob(pattern, GLOB_NOSORT, NULL, &g);
	for (i = 0; i < g.gl_pathc && !there; i++) {
		there = read_process(g.gl_pathv[i], content);
		id = p->process_id == NULL ? NULL :
		    json_follow(*content, p->process_id);
		if ((p->process_id == NULL || (json_is(id, JSON_NUMBER) &&
		    id->number == (double)pid)) && (p->process_time == NULL ||
		    *content == NULL || (proc_read(&process, pid) == 0 &&
		    transcript_time(*content, p->process_time) >=
		    process.began - PROCESS_SLACK)))
			continue;
		json_free(*content);
		*content = NULL;
		there = false;
	}
	globfree(&g);
	free(pattern);
	return there;
}

size_t
transcript_pids(const struct transcript_place *p, const char *folder,
    pid_t **pids)
{
	const char *before = p->process != NULL ? strstr(p->process, "<<") :
	    NULL;
	char *pattern;
	size_t n = 0, i;
	glob_t g;
	int got;

	*pids = NULL;
	errno = 0;
	if (before == NULL)
		return 0;
	pattern = files_pattern(folder, p->process, "pid", "*");
	got = glob(pattern, GLOB_NOSORT | GLOB_ERR, NULL, &g);
	free(pattern);
	if (got != 0) {
		errno = got == GLOB_NOMATCH || errno == ENOENT ? 0 : errno;
		return 0;
	}
	for (i = 0; i < g.gl_pathc; i++)
		*ARRAY_ADD(*pids, n) = (pid_t)strtol(g.gl_pathv[i] +
		    strlen(folder) + 1 + (before - p->process), NULL, 10);
	globfree(&g);
	errno = 0;
	return n;
}

/* The file of the session's process in place of the agent's, if exactly one has
 * the word there.  Returns the process, or 0. */
static pid_t
follow_session(struct transcript_found *f, const struct transcript_place *p,
    const char *folder, const char *path, const char *word)
{
	struct json *o, *found = NULL;
	size_t n, i, many = 0;
	pid_t *pids, pid = 0;
	const char *text;

	n = transcript_pids(p, folder, &pids);
	for (i = 0; i < n; i++) {
		transcript_file(p, folder, pids[i], &o);
		text = json_text_of(json_follow(o, path));
		if (text == NULL || strcmp(text, word) != 0 || many++ > 0) {
			json_free(o);
			continue;
		}
		found = o;
		pid = pids[i];
	}
	free(pids);
	json_free(f->process);
	f->process = many == 1 ? found : NULL;
	if (many > 1)
		json_free(found);
	return many == 1 ? pid : 0;
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

/* The folder itself may be a link. */
char *
transcript_folder(const struct transcript_place *p, pid_t pid)
{
	const char *const names[] = { "HOME", p->variable };
	char *values[] = { NULL, NULL }, *path, *folder;

	proc_variables(pid, names, values, p->variable != NULL ? 2 : 1);
	path = values[1] != NULL && values[1][0] == '/' ? xstrdup(values[1]) :
	    xasprintf("%s/%s", values[0] ? values[0] : "", p->folder);
	folder = xrealpath(path);
	free(path);
	free(values[0]);
	free(values[1]);
	return folder;
}

void
transcript_find(struct transcript_found *f, const struct transcript_place *p,
    const struct transcript_lead *l)
{
	char *folder = transcript_folder(p, l->agent), *path, *pattern;
	char **found = NULL;
	struct transcript_session session;
	pid_t family[FAMILY];
	size_t n = 0, i, len;
	const char *own = l->session != NULL ? l->session : l->run, *to;
	unsigned number;
	int fd = -1;

	*f = (struct transcript_found){ .path = NULL };
	if (folder == NULL)
		return;
	if (l->agent > 0)
		n = proc_family(l->agent, p->shared, family, FAMILY);
	for (i = 0; p->process != NULL && i < n; i++) {
		if (!transcript_file(p, folder, family[i], &f->process))
			continue;
		/* Its child may be the daemon of all sessions. */
		if (i == 0 || p->moved_to == NULL || json_text_of(json_follow(
		    f->process, p->moved_to)) == NULL)
			break;
		json_free(f->process);
		f->process = NULL;
	}
	/* A session may be in another process than its agent's. */
	to = p->moved != NULL && p->moved_to != NULL ?
	    json_text_of(json_follow(f->process, p->moved)) : NULL;
	f->moved = to != NULL;
	if (to != NULL)
		follow_session(f, p, folder, p->moved_to, to);
	else if (f->process == NULL && p->session != NULL && own[0] != '\0')
		f->left_to = follow_session(f, p, folder, p->session, own);
	if (f->left_to != 0 && !transcript_session(p, f->process, &session)) {
		json_free(f->process);
		f->process = NULL;
		f->left_to = 0;
	}
	if (f->process != NULL && p->session != NULL)
		f->session = json_text_of(json_follow(f->process, p->session));
	if (!session_plain(f->session))
		f->session = NULL;
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
