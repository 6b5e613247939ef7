#include "tmux/tmux.h"

#include <errno.h>

#include "scratch.h"

static struct tmux_client
terminal(const char *type, const char *name)
{
	return (struct tmux_client){ .termtype = (char *)(uintptr_t)type,
	    .termname = (char *)(uintptr_t)name };
}

TEST(each_terminal_gets_what_it_knows) {
#define OSC_9   "\033]9;paneward 42: b\a"
#define OSC_99  "\033]99;i=paneward:d=0;paneward 42\033\\" \
	"\033]99;i=paneward:p=body;b\033\\"
#define OSC_777 "\033]777;notify;paneward 42;b\a"
#define IN_TMUX "\033Ptmux;\033" OSC_9 "\033\\"
	static const struct { const char *type, *name, *bytes; } all[] = {
		{ "iTerm2 3.5", "xterm", OSC_9 }, { "", "xterm-kitty", OSC_99 },
		{ "kitty(0.36.4)", "xterm", OSC_99 }, { "", "foot", OSC_777 },
		{ "WezTerm 2024", "xterm", OSC_777 },
		{ "", "rxvt-unicode", OSC_777 }, { "", "screen", IN_TMUX },
		{ "tmux 3.3a", "tmux-256color", IN_TMUX },
	};
	struct buf out = BUF_INIT;
	struct tmux_client c;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		ROW("%s %s", all[i].type, all[i].name);
		c = terminal(all[i].type, all[i].name);
		terminal_notice(&out, &c, "paneward 42", "b");
		is_text(buf_str(&out), all[i].bytes);
		buf_reset(&out);
	}
	buf_release(&out);
}

TEST(nothing_of_a_text_is_obeyed_and_a_long_one_is_cut) {
	struct tmux_client c = terminal("ghostty", "");
	struct buf out = BUF_INIT, text = BUF_INIT;
	int i;

	terminal_notice(&out, &c, "a;b\033]0;x\a", "\xc2\x9c\xe2\x80\xae\xff"
	    "\rz\n\x7f;");
	is_text(buf_str(&out), "\033]777;notify;a,b ]0,x ;    z  ;\a");
	buf_reset(&out);
	c = terminal("kitty", "screen");
	for (i = 0; i < 1000; i++)
		buf_adds(&text, "\xe6\xbc\xa2");
	terminal_notice(&out, &c, buf_str(&text), buf_str(&text));
	ok(out.len > 400 && out.len < 512);
	/* between characters */
	ok(strstr(buf_str(&out), "\xa2\033\033\\") != NULL);
	buf_release(&text);
	buf_release(&out);
}

TEST(only_a_terminal_that_is_there_counts) {
	char tty[] = "/dev/pts/7", none[] = "";
	struct tmux_client c = { .tty = tty };

	ok(terminal_there(&c));
	ok(!terminal_there(&(struct tmux_client){ .tty = none }));
	c.control = true;
	ok(!terminal_there(&c));
}

TEST(only_a_terminal_of_ours_is_written_to) {
	static const char *const others[] = { "", "/dev/null", "/dev/none",
	    "/dev/../etc/passwd", "pts/0", "/dev/stdout" };
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		is_number(terminal_write(others[i], "x", 1), -1);
	scratch_write("file", "");
	is_number(terminal_write(scratch_path("file"), "x", 1), -1);
	is_text(scratch_text("file"), "");
}

TEST(a_terminal_that_takes_nothing_is_given_up) {
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), slave;

	ok(fd != -1 && grantpt(fd) == 0 && unlockpt(fd) == 0);
	slave = open(ptsname(fd), O_WRONLY | O_NOCTTY | O_NONBLOCK);
	while (write(slave, "full", 4) > 0)
		continue;
	/* The system may still move some of it on. */
	alarm(60);
	while (terminal_write(ptsname(fd), "\a", 1) == 0)
		continue;
	is_number(errno, EAGAIN);
	alarm(0);
	close(slave);
	close(fd);
}
