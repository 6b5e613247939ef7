#include "agent/clientversion.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"

enum { VERSION_TIME = 10000 };           /* ms for a program's answer */

bool
clientversion_begin(struct spawn *s, const struct backend *b)
{
	char *program = b->command != NULL && b->version[0] != NULL ?
	    spawn_find(b->command) : NULL;
	char **argv;

	*s = (struct spawn)SPAWN_INIT;
	if (program == NULL)
		return false;
	argv = argv_add_all(argv_add(NULL, program),
	    (const char *const *)b->version);
	/* One that could not be started says so in clientversion_end(). */
	spawn_begin(s, &(struct spawn_how){
	    .argv = (const char *const *)argv, .cwd = "/",
	    .limit = VERSION_TIME });
	argv_free(argv);
	free(program);
	return true;
}

char *
clientversion_end(struct spawn *s, struct buf *why)
{
	char *version = NULL;

	spawn_finish(s);
	if (s->status == 0)
		version = clientversion_in(buf_str(&s->output));
	if (s->status == SPAWN_TIMEOUT)
		buf_printf(why, "it did not answer within %d seconds",
		    VERSION_TIME / 1000);
	else if (s->status != 0)
		buf_adds(why, "it failed");
	else if (version == NULL)
		buf_adds(why, "it printed none");
	spawn_release(s);
	return version;
}

/* The length of the number with dots, which is 0 for one without. */
static size_t
version_length(const char *p)
{
	size_t len = strspn(p, "0123456789.");

	while (len > 0 && p[len - 1] == '.')
		len--;
	return memchr(p, '.', len) != NULL ? len : 0;
}

char *
clientversion_in(const char *text)
{
	size_t len;

	for (; *text != '\0'; text += len) {
		if (isdigit((unsigned char)*text) && version_length(text) > 0)
			return xstrndup(text, version_length(text));
		len = strspn(text, "0123456789.");
		if (len == 0)
			len = 1;
	}
	return NULL;
}

/* The number at *p, which is moved behind the next dot. */
static unsigned long
version_number(const char **p)
{
	unsigned long number = strtoul(*p, NULL, 10);

	*p += strcspn(*p, ".");
	*p += **p == '.';
	return number;
}

bool
clientversion_newer(const struct backend *b, const char *version)
{
	const char *mine, *other;
	unsigned long x = 0, y = 0;
	char **tried;

	/* Number by number. */
	for (tried = b->tried; *tried != NULL; tried++) {
		mine = version;
		other = *tried;
		for (x = y = 0; x == y && (*mine != '\0' || *other != '\0'); ) {
			x = version_number(&mine);
			y = version_number(&other);
		}
		if (x <= y)
			return false;
	}
	return b->tried[0] != NULL;
}
