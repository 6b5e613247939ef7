/*
 * fuzz.h - included by every harness: check() aborts if something does not hold
 * of a text, which no NUL byte ends, so that a read behind it is noticed.
 */
#ifndef PANEWARD_FUZZ_H
#define PANEWARD_FUZZ_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xmalloc(size > 0 ? size : 1);

	if (size > 0)
		memcpy(text, data, size);
	check(text, size);
	free(text);
	return 0;
}

#endif
