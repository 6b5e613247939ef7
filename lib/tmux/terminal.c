#include "tmux/tmux.h"

enum { TITLE_MOST = 100, BODY_MOST = 330 };     /* bytes of a sequence of 512 */
enum { ROOM = 1000 };                   /* ms */

/* The terminal's name, or TERM, holds the word; others get OSC 9. */
static const struct { const char *word; int osc; } knows[] = {
	{ "kitty",   99 },
	{ "ghostty", 777 },
	{ "wezterm", 777 },
	{ "foot",    777 },
	{ "rxvt",    777 },
	{ "konsole", 777 },
};

bool
terminal_there(const struct tmux_client *c)
{
	return !c->control && !c->suspended && c->tty[0] != '\0';
}

bool
terminal_nested(const struct tmux_client *c)
{
	return strncmp(c->termname, "tmux", 4) == 0 ||
	    strncmp(c->termname, "screen", 6) == 0;
}

void
terminal_text(struct buf *out, const char *text, size_t most)
{
	size_t len = strlen(text), from = out->len, size;
	unsigned long c;

	for (; len > 0; text += size, len -= size) {
		size = utf8_decode(text, len, &c);
		if (out->len - from + size > most)
			return;
		if (size == 0 || utf8_harmful(c))
			buf_addc(out, ' ');
		else
			buf_add(out, text, size);
		size += size == 0;
	}
}

int
terminal_notice(struct buf *out, const struct tmux_client *c,
    const char *title, const char *body)
{
	bool nested = terminal_nested(c);
	struct buf plain = BUF_INIT;
	int osc = 9;
	size_t i;

	/* Behind an outer tmux the terminal is unknown. */
	for (i = 0; osc == 9 && i < sizeof(knows) / sizeof(knows[0]); i++)
		if (strcasestr(c->termtype, knows[i].word) != NULL ||
		    strcasestr(c->termname, knows[i].word) != NULL)
			osc = knows[i].osc;
	buf_adds(&plain, osc == 99 ? "\033]99;i=paneward:d=0;" :
	    osc == 777 ? "\033]777;notify;" : "\033]9;");
	i = plain.len;
	terminal_text(&plain, title, TITLE_MOST);
	for (; i < plain.len; i++)      /* in 777, ';' ends the title */
		if (plain.data[i] == ';')
			plain.data[i] = ',';
	buf_adds(&plain, osc == 99 ? "\033\\\033]99;i=paneward:p=body;" :
	    osc == 777 ? ";" : ": ");
	terminal_text(&plain, body, BODY_MOST);
	buf_adds(&plain, osc == 99 ? "\033\\" : "\a");
	buf_adds(out, nested ? "\033Ptmux;" : "");
	for (i = 0; i < plain.len; i++) {
		if (nested && plain.data[i] == '\033')
			buf_addc(out, '\033');
		buf_addc(out, plain.data[i]);
	}
	buf_adds(out, nested ? "\033\\" : "");
	buf_release(&plain);
	return osc;
}

int
terminal_write(const char *tty, const void *bytes, size_t len)
{
	msec until = clock_now() + ROOM;
	const char *from = bytes;
	struct stat st;
	ssize_t n;
	int fd = -1;

	errno = ENOTTY;
	if (strncmp(tty, "/dev/", 5) == 0 && strstr(tty, "/..") == NULL)
		fd = open(tty, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC |
		    O_NOFOLLOW);
	if (fd == -1)
		return -1;
	if (fstat(fd, &st) == -1 || !S_ISCHR(st.st_mode) ||
	    st.st_uid != getuid() || !isatty(fd)) {
		close(fd);
		errno = ENOTTY;
		return -1;
	}
	while (len > 0) {
		n = write(fd, from, len);
		if (n > 0) {
			from += n;
			len -= (size_t)n;
		} else if ((n == -1 && errno != EAGAIN && errno != EINTR) ||
		    clock_now() >= until) {
			break;
		} else {
			loop_await(fd, POLLOUT, until);
		}
	}
	file_close(fd);
	return len == 0 ? 0 : -1;
}
