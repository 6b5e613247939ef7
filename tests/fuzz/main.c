/*
 * main.c - a fuzz harness without libFuzzer: each file named on the command
 * line is one input and one TAP line.  A harness aborts if a check fails.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
read_file(const char *path, struct buf *bytes)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (f == NULL)
		return -1;
	while ((n = fread(buf_room(bytes, BUFSIZ), 1, BUFSIZ, f)) > 0)
		bytes->len += n;
	n = ferror(f) != 0;
	fclose(f);
	return n == 0 ? 0 : -1;
}

int
main(int argc, char **argv)
{
	struct buf bytes = BUF_INIT;
	int i, bad = 0;

	for (i = 1; i < argc; i++) {
		buf_reset(&bytes);
		if (read_file(argv[i], &bytes) == -1) {
			bad++;
			printf("not ok %d - %s cannot be read\n", i, argv[i]);
			continue;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)buf_str(&bytes),
		    bytes.len);
		printf("ok %d - %s\n", i, argv[i]);
		fflush(stdout);
	}
	printf("1..%d\n", argc - 1);
	buf_release(&bytes);
	return bad > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
