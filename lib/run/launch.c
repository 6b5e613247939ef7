#include "run/launch.h"

#include "os/file.h"
#include "os/proc.h"

enum { LAUNCH_MAX = 4 << 20, BEFORE_ARGV = 5 };

void
launch_release(struct launch *l)
{
	argv_free(l->argv);
	free(l->program);
	free(l->cwd);
	free(l->status_dir);
	argv_free(l->setup);
	*l = (struct launch){ 0 };
}

/* Each word ends with a NUL. */
int
launch_write(const struct launch *l, int state_fd, const char *issue,
    const char *kind)
{
	char base[24], **words = NULL, **word;
	struct buf text = BUF_INIT;
	int ret;

	snprintf(base, sizeof(base), "%zu", l->base);
	/* A setup stands first, behind the number of its words. */
	if (l->setup != NULL)
		words = argv_own(NULL, xasprintf("%zu", argv_count(l->setup)));
	words = argv_add_all(words, (const char *const *)l->setup);
	words = argv_add_all(words, WORDS(l->run, l->status_dir, l->cwd,
	    l->program, base));
	words = argv_add_all(words, (const char *const *)l->argv);
	for (word = words; *word != NULL; word++)
		buf_add(&text, *word, strlen(*word) + 1);
	argv_free(words);
	ret = file_replace(state_fd, ISSUE_NAME(issue, kind), text.data,
	    text.len, 0600);
	buf_release(&text);
	return ret;
}

static int
read_words(struct launch *l, int state_fd, const char *issue, const char *kind,
    const char *run)
{
	struct buf text = BUF_INIT;
	char **words = NULL, **first;
	size_t at, n, setup = 0;
	int got = file_read(state_fd, ISSUE_NAME(issue, kind), FILE_NOFOLLOW,
	    &text, LAUNCH_MAX);

	*l = (struct launch){ 0 };
	if (got == 0 && text.len > 0 && text.data[text.len - 1] == '\0')
		for (at = 0; at < text.len; at += strlen(text.data + at) + 1)
			words = argv_add(words, text.data + at);
	n = argv_count(words);
	if (n > 0 && !run_id_valid(words[0]))
		setup = strtoul(words[0], NULL, 10) + 1;
	if (got == 0 && (setup >= n || n - setup <= BEFORE_ARGV ||
	    !run_id_valid(words[setup]))) {
		errno = EBADMSG;
	} else if (got == 0 && run != NULL && strcmp(words[setup], run) != 0) {
		errno = ENOENT;
	} else if (got == 0) {
		first = words + setup;
		memcpy(l->run, first[0], sizeof(l->run));
		l->status_dir = xstrdup(first[1]);
		l->cwd = xstrdup(first[2]);
		l->program = xstrdup(first[3]);
		l->base = strtoul(first[4], NULL, 10);
		l->argv = argv_add_all(NULL,
		    (const char *const *)first + BEFORE_ARGV);
		if (l->base > argv_count(l->argv))
			l->base = argv_count(l->argv);
		for (at = 1; at < setup; at++)
			l->setup = argv_add(l->setup, words[at]);
	}
	argv_free(words);
	buf_release(&text);
	return l->argv != NULL ? 0 : -1;
}

int
launch_take(struct launch *l, int state_fd, const char *issue, const char *run)
{
	int ret = read_words(l, state_fd, issue, LAUNCH_ORDER, run);

	if (ret == 0)
		launch_remove(state_fd, issue);
	return ret;
}

bool
launch_noted(struct launch *l, int state_fd, const char *issue, const char *run)
{
	return read_words(l, state_fd, issue, LAUNCH_COMMAND, run) == 0;
}

void
launch_environment(const struct launch *l, const char *issue)
{
	setenv("PANEWARD_ISSUE", issue, 1);
	setenv("PANEWARD_RUN", l->run, 1);
	setenv("PANEWARD_STATUS_DIR", l->status_dir, 1);
	setenv("PANEWARD", proc_program(), 1);
}

int
launched_write(const struct launched *l, int state_fd, const char *issue,
    const char *run)
{
	char text[160];
	int n = snprintf(text, sizeof(text), "%s %ld %llu", run, (long)l->pid,
	    (unsigned long long)l->start);

	if (l->ended)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %s %d%s",
		    l->exit_code != -1 ? "exit" : "signal", l->exit_code != -1 ?
		    l->exit_code : l->exit_signal, l->lease_over ? " lease" :
		    "");
	text[n++] = '\n';
	return file_replace(state_fd, ISSUE_NAME(issue, "agent"), text,
	    (size_t)n, 0600);
}

int
launched_read(struct launched *l, int state_fd, const char *issue,
    const char *run)
{
	struct buf text = BUF_INIT;
	char id[RUN_ID_LEN + 1], how[8] = "", lease[8] = "";
	unsigned long long start;
	long pid;
	int value, words = 0, got = file_read(state_fd, ISSUE_NAME(issue,
	    "agent"), FILE_NOFOLLOW, &text, 256);

	*l = (struct launched){ .exit_code = -1, .exit_signal = -1 };
	if (got == 0)
		words = sscanf(buf_str(&text), "%36s %ld %llu %7s %d %7s", id,
		    &pid, &start, how, &value, lease);
	buf_release(&text);
	if (words < 3 || strcmp(id, run) != 0)
		return got == 0 || errno == ENOENT ? 0 : -1;
	l->pid = (pid_t)pid;
	l->start = start;
	l->ended = words >= 5;
	l->lease_over = strcmp(lease, "lease") == 0;
	if (l->ended && strcmp(how, "exit") == 0)
		l->exit_code = value;
	else if (l->ended)
		l->exit_signal = value;
	return 1;
}

void
launched_remove(int state_fd, const char *issue)
{
	unlinkat(state_fd, ISSUE_NAME(issue, "agent"), 0);
	unlinkat(state_fd, ISSUE_NAME(issue, LAUNCH_COMMAND), 0);
}
