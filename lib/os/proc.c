#include "os/proc.h"

#include "os/file.h"
#include "os/spawn.h"

bool
proc_alive(pid_t pid, uint64_t start)
{
	struct proc p;

	if (proc_read(&p, pid) == -1)
		return errno != ESRCH;
	return !p.zombie && (start == 0 || p.start == start);
}

uint64_t
proc_start(pid_t pid)
{
	struct proc p;

	return proc_read(&p, pid) == 0 ? p.start : 0;
}

void
proc_identify(struct proc_id *id, pid_t pid)
{
	id->pid = pid;
	id->start = proc_start(pid);
	proc_boot(id->boot);
}

bool
proc_id_alive(const struct proc_id *id)
{
	return id->pid != 0 && !proc_boot_over(id->boot) &&
	    proc_alive(id->pid, id->start);
}

void
proc_program_name(pid_t pid, char *name, size_t size)
{
	struct proc p;

	snprintf(name, size, "%s", proc_read(&p, pid) == 0 ? p.name : "");
}

int
proc_open(pid_t pid, uint64_t start)
{
	int fd = -1;

	if (proc_alive(pid, start) && ((fd = proc_ends_open(pid)) == -1 ||
	    proc_alive(pid, start)))
		return fd;
	/* The pid may be reused. */
	file_close(fd);
	errno = ESRCH;
	return -1;
}

bool
proc_in_front(pid_t pid, uint64_t start, pid_t of)
{
	struct proc p, terminal;

	return proc_read(&p, pid) == 0 && !p.zombie &&
	    (start == 0 || p.start == start) &&
	    proc_read(&terminal, of) == 0 && terminal.foreground == p.group;
}

void
proc_variables(pid_t pid, const char *const *names, char **values, size_t n)
{
	char **words = proc_texts(pid, true), **word;
	const char *value;
	size_t i, len;

	for (i = 0; i < n; i++) {
		len = strlen(names[i]);
		value = words == NULL ? getenv(names[i]) : NULL;
		for (word = words; word != NULL && *word != NULL &&
		    value == NULL; word++)
			if (strncmp(*word, names[i], len) == 0 &&
			    (*word)[len] == '=')
				value = *word + len + 1;
		values[i] = value != NULL ? xstrdup(value) : NULL;
	}
	argv_free(words);
}

size_t
proc_family(pid_t pid, const char *without, pid_t *family, size_t most)
{
	size_t n = 1, i;
	char **words;

	family[0] = pid;
	for (i = 0; i < n; i++) {
		words = without != NULL ? proc_words(family[i]) : NULL;
		if (argv_has(words, without))
			family[i--] = family[--n];
		else
			n = proc_children(family[i], family, n, most);
		argv_free(words);
	}
	return n;
}

bool
proc_boot_differs(const char *a, const char *b)
{
	return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0 &&
	    strcmp(a, PROC_BOOT_UNKNOWN) != 0 &&
	    strcmp(b, PROC_BOOT_UNKNOWN) != 0;
}

bool
proc_boot_over(const char *id)
{
	char now[PROC_BOOT];

	proc_boot(now);
	return proc_boot_differs(now, id);
}

const char *
proc_program(void)
{
	static char *path, *other;

	if (path == NULL)
		path = proc_own_path();
	if (path == NULL)
		return "paneward";
	if (access(path, F_OK) == 0 || !file_missing(errno))
		return path;
	if (other == NULL || access(other, F_OK) == -1)
		other = spawn_find("paneward");
	return other != NULL ? other : path;
}

char *
proc_beside(const char *name)
{
	const char *self = proc_program(), *slash = strrchr(self, '/');

	return xasprintf("%.*s%s", slash != NULL ? (int)(slash + 1 - self) : 0,
	    self, name);
}

char *
proc_lasting(const char *name)
{
	char *ours = name != NULL ? proc_beside(name) :
	    xstrdup(proc_program()), *base = strrchr(ours, '/');
	char *link = spawn_find(base != NULL ? base + 1 : ours);
	struct stat st, own;
	bool same = link != NULL && lstat(link, &st) == 0 &&
	    S_ISLNK(st.st_mode) && stat(link, &st) == 0 &&
	    stat(ours, &own) == 0 && st.st_dev == own.st_dev &&
	    st.st_ino == own.st_ino;

	free(same ? ours : link);
	return same ? link : ours;
}
