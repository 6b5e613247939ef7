/*
 * readonly FILE BYTES - reads a file through one page-aligned buffer of that
 * size and discards it: the upper bound for any scan.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	size_t size = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	void *buffer;
	ssize_t n;
	int fd;

	if (size == 0 || posix_memalign(&buffer, 4096, size) != 0) {
		fprintf(stderr, "usage: readonly FILE BYTES\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd == -1) {
		perror(argv[1]);
		return 3;
	}
	while ((n = read(fd, buffer, size)) > 0)
		continue;
	return n == -1 ? 3 : 0;
}
