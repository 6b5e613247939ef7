#include "run/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "os/proc.h"
#include "run/statusdir.h"

enum { LAUNCH_MAX = 4 << 20, NAME_MAX_OWN = 128 };

static void
launch_name(char name[NAME_MAX_OWN], const char *issue, const char *kind)
{
	snprintf(name, NAME_MAX_OWN, "%s.%s", issue, kind);
}

void
launch_release(struct launch *l)
{
	argv_free(l->argv);
	free(l->program);
	free(l->cwd);
	free(l->status_dir);
	*l = (struct launch){ 0 };
}

/* Words ended by NUL, since a word may hold any other byte. */
static void
add_word(struct buf *text, const char *word)
{
	buf_add(text, word, strlen(word) + 1);
}

static int
write_words(const struct launch *l, int state_fd, const char *issue,
    const char *kind)
{
	struct buf text = BUF_INIT;
	char name[NAME_MAX_OWN], base[24];
	char **word;
	int ret, saved;

	snprintf(base, sizeof(base), "%zu", l->base);
	add_word(&text, l->run);
	add_word(&text, l->status_dir);
	add_word(&text, l->cwd);
	add_word(&text, l->program);
	add_word(&text, base);
	for (word = l->argv; *word != NULL; word++)
		add_word(&text, *word);
	launch_name(name, issue, kind);
	ret = file_replace(state_fd, name, text.data, text.len, 0600);
	saved = errno;
	buf_release(&text);
	errno = saved;
	return ret;
}

int
launch_write(const struct launch *l, int state_fd, const char *issue)
{
	return write_words(l, state_fd, issue, "launch");
}

int
launch_note(const struct launch *l, int state_fd, const char *issue)
{
	return write_words(l, state_fd, issue, "command");
}

/* The words of a text that ends with a NUL, NULL-ended. */
static char **
split_words(const struct buf *text)
{
	size_t i, n = 0, count = 0;
	char **words;

	for (i = 0; i < text->len; i++)
		count += text->data[i] == '\0';
	words = xcalloc(count + 1, sizeof(*words));
	for (i = 0; i < text->len; i += strlen(text->data + i) + 1)
		words[n++] = xstrdup(text->data + i);
	return words;
}

enum { BEFORE_ARGV = 5 };               /* words in the file */

static int
launch_take_words(struct launch *l, char **words)
{
	size_t n = argv_count(words), i;

	if (n <= BEFORE_ARGV || !run_id_valid(words[0]))
		return -1;
	memcpy(l->run, words[0], sizeof(l->run));
	l->status_dir = xstrdup(words[1]);
	l->cwd = xstrdup(words[2]);
	l->program = xstrdup(words[3]);
	l->base = strtoul(words[4], NULL, 10);
	l->argv = xcalloc(n - BEFORE_ARGV + 1, sizeof(*l->argv));
	for (i = BEFORE_ARGV; i < n; i++)
		l->argv[i - BEFORE_ARGV] = xstrdup(words[i]);
	if (l->base > n - BEFORE_ARGV)
		l->base = n - BEFORE_ARGV;
	return 0;
}

static int
read_words(struct launch *l, int state_fd, const char *issue, const char *kind)
{
	struct buf text = BUF_INIT;
	char name[NAME_MAX_OWN], **words;
	int ret = -1, saved;

	*l = (struct launch){ 0 };
	launch_name(name, issue, kind);
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text, LAUNCH_MAX) == -1)
		goto out;
	errno = EBADMSG;
	if (text.len == 0 || text.data[text.len - 1] != '\0')
		goto out;
	words = split_words(&text);
	ret = launch_take_words(l, words);
	argv_free(words);
	if (ret == -1)
		errno = EBADMSG;
out:
	saved = errno;
	buf_release(&text);
	errno = saved;
	return ret;
}

int
launch_take(struct launch *l, int state_fd, const char *issue)
{
	int ret = read_words(l, state_fd, issue, "launch");

	if (ret == 0)
		launch_remove(state_fd, issue);
	return ret;
}

int
launch_noted(struct launch *l, int state_fd, const char *issue, const char *run)
{
	if (read_words(l, state_fd, issue, "command") == -1)
		return errno == ENOENT ? 0 : -1;
	if (strcmp(l->run, run) == 0)
		return 1;
	launch_release(l);
	return 0;
}

void
launch_remove(int state_fd, const char *issue)
{
	char name[NAME_MAX_OWN];

	launch_name(name, issue, "launch");
	unlinkat(state_fd, name, 0);
}

void
launch_environment(const struct launch *l, const char *issue)
{
	char *self = proc_program();

	setenv("PANEWARD_ISSUE", issue, 1);
	setenv("PANEWARD_RUN", l->run, 1);
	setenv("PANEWARD_STATUS_DIR", l->status_dir, 1);
	if (self != NULL)
		setenv("PANEWARD", self, 1);
	free(self);
}

int
launched_write(const struct launched *l, int state_fd, const char *issue,
    const char *run)
{
	char name[NAME_MAX_OWN], text[160], end[32] = "";
	int n;

	if (l->ended && l->exit_code != -1)
		snprintf(end, sizeof(end), " exit %d", l->exit_code);
	else if (l->ended)
		snprintf(end, sizeof(end), " signal %d", l->exit_signal);
	n = snprintf(text, sizeof(text), "%s %ld %llu%s\n", run, (long)l->pid,
	    (unsigned long long)l->start, end);
	launch_name(name, issue, "agent");
	return file_replace(state_fd, name, text, (size_t)n, 0600);
}

int
launched_read(struct launched *l, int state_fd, const char *issue,
    const char *run)
{
	struct buf text = BUF_INIT;
	char name[NAME_MAX_OWN], id[RUN_ID_LEN + 1], how[8] = "";
	unsigned long long start;
	long pid;
	int value, words, ret;

	*l = (struct launched){ .exit_code = -1, .exit_signal = -1 };
	launch_name(name, issue, "agent");
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text, 256) == -1) {
		ret = errno == ENOENT ? 0 : -1;
		goto out;
	}
	words = sscanf(buf_str(&text), "%36s %ld %llu %7s %d", id, &pid,
	    &start, how, &value);
	ret = words >= 3 && strcmp(id, run) == 0;
	if (ret == 0)
		goto out;
	l->pid = (pid_t)pid;
	l->start = start;
	l->ended = words == 5;
	if (l->ended && strcmp(how, "exit") == 0)
		l->exit_code = value;
	else if (l->ended)
		l->exit_signal = value;
out:
	buf_release(&text);
	return ret;
}

void
launched_remove(int state_fd, const char *issue)
{
	char name[NAME_MAX_OWN];

	launch_name(name, issue, "agent");
	unlinkat(state_fd, name, 0);
	launch_name(name, issue, "command");
	unlinkat(state_fd, name, 0);
}
