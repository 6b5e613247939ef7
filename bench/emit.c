/*
 * emit FILE RESULT - writes a file to the terminal as fast as the terminal
 * accepts it, and the seconds to RESULT.  It ends when the terminal has
 * answered a query for its cursor that follows the file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 4096 };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *
read_file(const char *path, size_t *len)
{
	struct stat st;
	size_t size;
	char *text;
	ssize_t n;
	int fd = open(path, O_RDONLY);

	if (fd == -1 || fstat(fd, &st) == -1)
		return NULL;
	size = (size_t)st.st_size;
	text = malloc(size);
	for (*len = 0; text != NULL && *len < size; *len += (size_t)n) {
		n = read(fd, text + *len, size - *len);
		if (n <= 0)
			return NULL;
	}
	close(fd);
	return text;
}

static int
emit(const char *text, size_t len)
{
	size_t at = 0;
	ssize_t n;

	while (at < len) {
		n = write(STDOUT_FILENO, text + at,
		    len - at < PIECE ? len - at : PIECE);
		if (n == -1)
			return -1;
		at += (size_t)n;
	}
	return 0;
}

/* The answer is ESC [ row ; column R. */
static int
wait_for_answer(void)
{
	char c;

	if (emit("\033[6n", 4) == -1)
		return -1;
	do
		if (read(STDIN_FILENO, &c, 1) != 1)
			return -1;
	while (c != 'R');
	return 0;
}

int
main(int argc, char **argv)
{
	struct termios terminal;
	double begin;
	size_t len;
	char *text;
	FILE *f;

	if (argc != 3) {
		fprintf(stderr, "usage: emit FILE RESULT\n");
		return 2;
	}
	text = read_file(argv[1], &len);
	if (text == NULL || tcgetattr(STDIN_FILENO, &terminal) == -1) {
		perror("emit");
		return 3;
	}
	terminal.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	usleep(300000);                 /* the pipe's process begins */
	begin = now();
	if (emit(text, len) == -1 || wait_for_answer() == -1) {
		perror("emit");
		return 3;
	}
	f = fopen(argv[2], "w");
	if (f == NULL || fprintf(f, "%.6f\n", now() - begin) < 0 ||
	    fclose(f) == EOF) {
		perror(argv[2]);
		return 3;
	}
	return 0;
}
