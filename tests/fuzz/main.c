/*
 * main.c - a fuzz harness without libFuzzer: each file named on the command
 * line is one input and one TAP line.  A harness aborts if a check fails.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>

#include "os/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
main(int argc, char **argv)
{
	struct buf bytes = BUF_INIT;
	int i, bad = 0;

	for (i = 1; i < argc; i++) {
		buf_reset(&bytes);
		if (file_read(AT_FDCWD, argv[i], 0, &bytes, SIZE_MAX) == -1) {
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
	return bad > 0;
}
