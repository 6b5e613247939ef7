#include "base/issue.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/text.h"

bool
issue_valid(const char *s)
{
	return issue_valid_n(s, strnlen(s, ISSUE_MAX + 1));
}

bool
issue_valid_n(const char *s, size_t len)
{
	size_t i;

	if (len == 0 || len > ISSUE_MAX || !text_alnum(s[0]))
		return false;
	for (i = 1; i < len; i++)
		if (!text_alnum(s[i]) && s[i] != '_' && s[i] != '-')
			return false;
	return true;
}

bool
issue_in_name(const char *name, const char *before, const char *behind,
    char issue[ISSUE_MAX + 1])
{
	size_t head = strlen(before), tail = strlen(behind), len = strlen(name);

	if (len <= head + tail || strncmp(name, before, head) != 0 ||
	    strcmp(name + len - tail, behind) != 0 ||
	    !issue_valid_n(name + head, len - head - tail))
		return false;
	memcpy(issue, name + head, len - head - tail);
	issue[len - head - tail] = '\0';
	return true;
}

const char *
issue_file(char name[ISSUE_FILE], const char *issue, const char *kind)
{
	size_t len = strlen(issue), size = strlen(kind) + 1;

	assert(len + 1 + size <= ISSUE_FILE);
	memcpy(name, issue, len);
	name[len] = '.';
	memcpy(name + len + 1, kind, size);
	return name;
}

int
run_id_make(char id[RUN_ID_LEN + 1])
{
	unsigned char b[16];
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd == -1 ? -1 : read(fd, b, sizeof(b));

	if (fd != -1)
		close(fd);
	if (n != sizeof(b))
		return -1;
	b[6] = (b[6] & 0x0f) | 0x40;            /* version 4 (RFC 9562) */
	b[8] = (b[8] & 0x3f) | 0x80;
	snprintf(id, RUN_ID_LEN + 1, "%02x%02x%02x%02x-%02x%02x-%02x%02x-"
	    "%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4],
	    b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
	    b[15]);
	return 0;
}

bool
run_id_valid(const char *s)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };
	size_t i;

	for (i = 0; i < 5; i++) {
		if ((i > 0 && *s++ != '-') ||
		    strspn(s, "0123456789abcdef") != groups[i])
			return false;
		s += groups[i];
	}
	return *s == '\0';
}
