/*
 * fixture.h - what the unit tests of several files build.
 */
#ifndef PANEWARD_FIXTURE_H
#define PANEWARD_FIXTURE_H

#include <string.h>

#include "base/buf.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The text with another one in the place of each from, in one of a few buffers. */
static inline const char *
replaced(const char *text, const char *from, const char *to)
{
	static struct buf all[8];
	static unsigned next;
	struct buf *out = &all[next++ % COUNT(all)];

	for (buf_reset(out); *text != '\0'; text++)
		if (strncmp(text, from, strlen(from)) == 0) {
			buf_adds(out, to);
			text += strlen(from) - 1;
		} else {
			buf_addc(out, *text);
		}
	return buf_str(out);
}

#define quoted(text) replaced((text), "'", "\"")       /* JSON, legibly */

/* Of the text before each " => " that function gives what follows it. */
#define ROWS(gives, ...) \
	rows_give((gives), (const char *const[]){ __VA_ARGS__, NULL })

static inline void
rows_give(const char *(*gives)(const char *), const char *const *row)
{
	struct buf text = BUF_INIT;
	const char *want;

	for (; *row != NULL; row++) {
		ROW("%.200s", *row);
		want = strstr(*row, " => ");
		buf_reset(&text);
		buf_add(&text, *row, (size_t)(want - *row));
		is_text(gives(buf_str(&text)), want + 4);
	}
	ROW("%s", "");
	buf_release(&text);
}

/* The words with a '|' behind each; "-" for no list. */
static inline const char *
joined(char *const *words)
{
	static struct buf out;

	buf_reset(&out);
	for (; words != NULL && *words != NULL; words++)
		buf_printf(&out, "%s|", *words);
	return words == NULL ? "-" : buf_str(&out);
}

#ifdef PANEWARD_SCRATCH_H

#include <sys/socket.h>
#include <sys/un.h>

/* Runs a line of a shell in the scratch folder. */
static inline void
run(const char *line)
{
	struct buf text = BUF_INIT;

	buf_printf(&text, "{ cd %s && %s; } >/dev/null 2>&1", scratch, line);
	if (system(buf_str(&text)) != 0)
		is_text("failed", line);
	buf_release(&text);
}

/* A script of that name is found before all other programs; it runs in the
 * scratch folder. */
static inline void
fake_program(const char *name, const char *script)
{
	static bool found;
	struct buf text = BUF_INIT;
	const char *file;

	buf_printf(&text, "bin/%s", name);
	file = scratch_path(buf_str(&text));
	buf_reset(&text);
	buf_printf(&text, "#!/bin/sh\ncd \"${0%%/*}/..\"\n%s", script);
	scratch_write(file + strlen(scratch) + 1, buf_str(&text));
	is_number(chmod(file, 0700), 0);
	buf_reset(&text);
	buf_printf(&text, "%s:%s", scratch_path("bin"), getenv("PATH"));
	if (!found)
		setenv("PATH", buf_str(&text), 1);
	found = true;
	buf_release(&text);
}

/* A socket at which nobody answers is the only one of the user's tmux. */
static inline char *
fake_socket(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char tmux[200];

	fcntl(fd, F_SETFD, FD_CLOEXEC);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/socket", scratch);
	is_number(bind(fd, (struct sockaddr *)&at, sizeof(at)) |
	    listen(fd, 1), 0);
	snprintf(tmux, sizeof(tmux), "%s,1,0", at.sun_path);
	setenv("TMUX", tmux, 1);
	setenv("TMUX_TMPDIR", scratch, 1);
	return strdup(at.sun_path);
}

#endif
#endif
