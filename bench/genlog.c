/*
 * genlog MEGABYTES [SEED] - what an agent's pane prints, on standard output,
 * the same for the same seed: spinners painted over and over, coloured diffs,
 * prose, code blocks, boxes, titles.  No marker is in it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

/* xorshift64* (Vigna): good enough, and the same everywhere. */
static unsigned
random_below(unsigned n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (unsigned)((state * 0x2545f4914f6cdd1dULL) >> 33) % n;
}

static int
print_words(unsigned least, unsigned most)
{
	static const char *const words[] = {
		"the", "a", "of", "and", "to", "pane", "window", "signal",
		"issue", "branch", "commit", "function", "pointer", "value",
		"test", "fails", "passes", "because", "buffer", "lock",
		"`read()`", "src/main.c", "lib/queue.py", "ERROR", "warning:",
		"完了", "確認した", "naïve", "→",
	};
	unsigned n = least + random_below(most - least + 1);
	int len = 0;

	while (n-- > 0)
		len += printf("%s%s", words[random_below(sizeof(words) /
		    sizeof(words[0]))], n > 0 ? " " : "");
	return len;
}

static int
print_spinner(void)
{
	static const char *const frames[] = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴" };

	return printf("\r\033[2K\033[38;5;174m%s\033[39m Working \033[2m(%us, "
	    "esc to interrupt)\033[22m", frames[random_below(6)],
	    random_below(900));
}

static int
print_prose(void)
{
	return print_words(8, 22) + printf(".\r\n");
}

static int
print_diff(void)
{
	unsigned added = random_below(2);
	int len;

	len = printf("\033[%dm%6u %c  ", added ? 32 : 31, random_below(4000),
	    added ? '+' : '-');
	len += print_words(4, 11);
	return len + printf("\033[39m\r\n");
}

static int
print_call(void)
{
	int len;

	len = printf("\033[1m● Bash\033[22m(");
	len += print_words(2, 6);
	len += printf(")\r\n  \033[2m⎿\033[22m  ");
	len += print_words(3, 9);
	return len + printf("\r\n");
}

static int
print_code(void)
{
	return printf("\r\n```c\r\n#include <stdio.h>\r\nint n = %u;\r\n```\r\n",
	    random_below(100000));
}

static int
print_box(void)
{
	int len;

	len = printf("\033[90m│\033[39m ");
	len += print_words(9, 9);
	return len + printf(" \033[90m│\033[39m\r\n");
}

static int
print_title(void)
{
	return printf("\033]0;✳ task %u\007\033[?25l\033[?25h",
	    random_below(100));
}

static int
print_heading(void)
{
	int len;

	len = printf("%s ", random_below(2) ? "##" : "###");
	len += print_words(2, 5);
	return len + printf(" (#%u)\r\n", random_below(1000));
}

/* How often, of a hundred. */
static const struct {
	unsigned share;
	int    (*print)(void);
} kinds[] = {
	{ 30, print_spinner },
	{ 28, print_prose },
	{ 24, print_diff },
	{ 5, print_call },
	{ 3, print_code },
	{ 4, print_box },
	{ 4, print_title },
	{ 2, print_heading },
};

static int
print_one(void)
{
	unsigned at = random_below(100), i = 0;

	while (at >= kinds[i].share)
		at -= kinds[i++].share;
	return kinds[i].print();
}

int
main(int argc, char **argv)
{
	long long left = (argc > 1 ? atoll(argv[1]) : 1) * 1024 * 1024;

	state = 0x9e3779b97f4a7c15ULL + (argc > 2 ? strtoull(argv[2], NULL, 10)
	    : 1);
	while (left > 0)
		left -= print_one();
	return fflush(stdout) == EOF;
}
