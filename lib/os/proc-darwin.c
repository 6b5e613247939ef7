/*
 * proc-darwin.c - processes by sysctl(3) and libproc, for macOS.
 */
#include "os/proc.h"

#include <libproc.h>
#include <sys/sysctl.h>
#include <unistd.h>

enum { WORDS_MAX = 1 << 20, OPEN_MOST = 256 };  /* bytes, descriptors */
enum { SPARE = 32 };                    /* processes that begin meanwhile */

int
proc_read(struct proc *p, pid_t pid)
{
	int name[] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, pid };
	struct kinfo_proc k;
	const struct timeval *start = &k.kp_proc.p_starttime;
	const struct eproc *e = &k.kp_eproc;
	size_t size = sizeof(k);

	if (pid > 0 && sysctl(name, 4, &k, &size, NULL, 0) == -1)
		return -1;
	if (pid <= 0 || size < sizeof(k)) {
		errno = ESRCH;
		return -1;
	}
	*p = (struct proc){ .pid = k.kp_proc.p_pid, .parent = e->e_ppid,
	    .group = e->e_pgid,
	    .foreground = e->e_tpgid > 0 ? e->e_tpgid : -1,
	    .start = (uint64_t)start->tv_sec * 1000000 +
	        (uint64_t)start->tv_usec,
	    .began = (msec)start->tv_sec * 1000 + start->tv_usec / 1000,
	    /* NOTE_EXIT comes before SZOMB. */
	    .zombie = k.kp_proc.p_stat == SZOMB ||
	        (k.kp_proc.p_flag & P_WEXIT) != 0,
	    .stopped = k.kp_proc.p_stat == SSTOP };
	if (e->e_tdev != NODEV)
		snprintf(p->terminal, sizeof(p->terminal), "%d",
		    (int)e->e_tdev);
	snprintf(p->name, sizeof(p->name), "%.15s", k.kp_proc.p_comm);
	return 0;
}

bool
proc_ended(pid_t pid)
{
	return !proc_alive(pid, 0);
}

/* The text is the number of words, the path, NULs, the words, the environment,
 * an empty text, others. */
char **
proc_texts(pid_t pid, bool environment)
{
	int name[] = { CTL_KERN, KERN_PROCARGS2, pid }, words = 0;
	size_t size = WORDS_MAX, at = sizeof(words);
	char *text = xmalloc(WORDS_MAX + 1), **texts = NULL;

	if (pid <= 0 || sysctl(name, 3, text, &size, NULL, 0) == -1 ||
	    size < at)
		size = 0;
	text[size] = '\0';
	if (size > 0) {
		memcpy(&words, text, sizeof(words));
		at += strlen(text + at);
		while (at < size && text[at] == '\0')
			at++;
	}
	for (; at < size && (words > 0 || (environment && text[at] != '\0'));
	    words--) {
		if ((words <= 0) == environment)
			texts = argv_add(texts, text + at);
		at += strlen(text + at) + 1;
	}
	free(text);
	return texts;
}

/* For free(). */
static struct kinfo_proc *
list_kinfo(int what, pid_t of, size_t *n)
{
	int name[] = { CTL_KERN, KERN_PROC, what, of };
	struct kinfo_proc *all;
	size_t size = 0;

	if (sysctl(name, 4, NULL, &size, NULL, 0) == -1)
		size = 0;
	size += SPARE * sizeof(*all);
	all = xmalloc(size);
	if (sysctl(name, 4, all, &size, NULL, 0) == -1)
		size = 0;
	*n = size / sizeof(*all);
	return all;
}

size_t
proc_children(pid_t pid, pid_t *pids, size_t n, size_t most)
{
	size_t count, i;
	struct kinfo_proc *all = list_kinfo(KERN_PROC_ALL, 0, &count);

	for (i = 0; i < count && n < most; i++)
		if (all[i].kp_eproc.e_ppid == pid)
			pids[n++] = all[i].kp_proc.p_pid;
	free(all);
	return n;
}

size_t
proc_group(pid_t group, pid_t *pids, size_t most)
{
	size_t n, i;
	struct kinfo_proc *all = list_kinfo(KERN_PROC_PGRP, group, &n);

	for (i = 0; i < n && i < most; i++)
		pids[i] = all[i].kp_proc.p_pid;
	free(all);
	return i;
}

char *
proc_open_file(pid_t pid, unsigned *fd)
{
	struct vnode_fdinfowithpath file;

	for (; *fd < OPEN_MOST; (*fd)++)
		if (proc_pidfdinfo(pid, (int)*fd, PROC_PIDFDVNODEPATHINFO,
		    &file, sizeof(file)) == (int)sizeof(file) &&
		    file.pvip.vip_path[0] == '/')
			return xstrndup(file.pvip.vip_path,
			    sizeof(file.pvip.vip_path) - 1);
	return NULL;
}

void
proc_boot(char id[PROC_BOOT])
{
	size_t size = PROC_BOOT;

	if (sysctlbyname("kern.bootsessionuuid", id, &size, NULL, 0) == -1)
		memcpy(id, PROC_BOOT_UNKNOWN, sizeof(PROC_BOOT_UNKNOWN));
	id[PROC_BOOT - 1] = '\0';
}

char *
proc_own_path(void)
{
	char path[PROC_PIDPATHINFO_MAXSIZE];
	int len = proc_pidpath(getpid(), path, sizeof(path));

	return len > 0 ? xstrndup(path, (size_t)len) : NULL;
}
