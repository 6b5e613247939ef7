#include "base/hostname.h"

#include <string.h>

#include "base/text.h"

bool
hostname_valid(const char *name)
{
	const char *p = name;

	while (text_alnum(*p) || (*p != '\0' && strchr("._@-", *p) != NULL))
		p++;
	return p > name && *p == '\0' && name[0] != '-' &&
	    p - name <= HOSTNAME_MAX;
}
