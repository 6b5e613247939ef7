#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "argv.h"
#include "file.h"
#include "statusdir.h"
#include "xalloc.h"

enum { LAUNCH_MAX = 4 << 20, NAME_MAX_OWN = ISSUE_MAX + 16 };

static void
own_name(char name[NAME_MAX_OWN], const char *issue, const char *kind)
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

int
launch_write(const struct launch *l, int own, const char *issue)
{
	struct buf text = BUF_INIT;
	char name[NAME_MAX_OWN];
	char **word;
	int ret, saved;

	add_word(&text, l->run);
	add_word(&text, l->status_dir);
	add_word(&text, l->cwd);
	add_word(&text, l->program);
	for (word = l->argv; *word != NULL; word++)
		add_word(&text, *word);
	own_name(name, issue, "launch");
	ret = file_replace(own, name, text.data, text.len, 0600);
	saved = errno;
	buf_release(&text);
	errno = saved;
	return ret;
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

int
launch_take(struct launch *l, int own, const char *issue)
{
	struct buf text = BUF_INIT;
	char name[NAME_MAX_OWN], **words;
	int i, ret = -1;

	*l = (struct launch){ 0 };
	own_name(name, issue, "launch");
	if (file_read(own, name, FILE_NOFOLLOW, &text, LAUNCH_MAX) == -1)
		goto out;
	errno = EBADMSG;
	if (text.len == 0 || text.data[text.len - 1] != '\0')
		goto out;
	words = split_words(&text);
	if (argv_count(words) >= 5 && run_id_valid(words[0])) {
		memcpy(l->run, words[0], sizeof(l->run));
		free(words[0]);
		l->status_dir = words[1];
		l->cwd = words[2];
		l->program = words[3];
		for (i = 4; (words[i - 4] = words[i]) != NULL; i++)
			continue;
		l->argv = words;
		unlinkat(own, name, 0);
		ret = 0;
	} else {
		argv_free(words);
	}
out:
	buf_release(&text);
	return ret;
}

void
launch_remove(int own, const char *issue)
{
	char name[NAME_MAX_OWN];

	own_name(name, issue, "launch");
	unlinkat(own, name, 0);
}

int
launched_write(const struct launched *l, int own, const char *issue,
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
	own_name(name, issue, "agent");
	return file_replace(own, name, text, (size_t)n, 0600);
}

int
launched_read(struct launched *l, int own, const char *issue, const char *run)
{
	struct buf text = BUF_INIT;
	char name[NAME_MAX_OWN], id[RUN_ID_LEN + 1], how[8] = "";
	unsigned long long start;
	long pid;
	int value, words, ret;

	*l = (struct launched){ .exit_code = -1, .exit_signal = -1 };
	own_name(name, issue, "agent");
	if (file_read(own, name, FILE_NOFOLLOW, &text, 256) == -1) {
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
