#include "fleet/repository.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/argv.h"
#include "os/spawn.h"

enum { REPOSITORY_LIMIT = 10000 };      /* ms for git */

/* Host and path of "scheme://user@host:port/path" or "user@host:path"; a path
 * of this machine has no host. */
static const char *
address_split(const char *address, size_t *host)
{
	const char *from = strstr(address, "://"), *end, *at, *colon;

	*host = 0;
	if (from == NULL && (address[0] == '/' || address[0] == '.'))
		return address;
	from = from != NULL ? from + 3 : address;
	end = from + strcspn(from, "/");
	colon = memchr(from, ':', (size_t)(end - from));
	if (from == address && colon == NULL)
		return address;
	at = memchr(from, '@', (size_t)(end - from));
	if (at != NULL)
		from = at + 1;
	*host = strcspn(from, ":/");
	return from;
}

void
repository_normal(struct buf *out, const char *address)
{
	size_t host, len, i;
	const char *from = address_split(address, &host);
	const char *path = from + host;

	for (i = 0; i < host; i++)
		buf_addc(out, from[i] >= 'A' && from[i] <= 'Z' ?
		    (char)(from[i] + 'a' - 'A') : from[i]);
	/* A port. */
	if (host > 0 && strstr(address, "://") != NULL && *path == ':')
		path += strcspn(path, "/");
	if (host > 0) {
		path += strspn(path, ":/");
		buf_addc(out, '/');
	}
	len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len > 4 && strncmp(path + len - 4, ".git", 4) == 0)
		len -= 4;
	while (len > 1 && path[len - 1] == '/')
		len--;
	buf_add(out, path, len);
}

void
repository_of(struct buf *out, const struct project *p)
{
	struct spawn s = SPAWN_INIT;
	const char *name = strrchr(p->root, '/');

	if (p->git_dir != NULL && spawn_run(&s, &(struct spawn_how){
	    .argv = WORDS("git", "config", "--get", "remote.origin.url"),
	    .cwd = p->root, .limit = REPOSITORY_LIMIT }) == 0)
		buf_chomp(&s.output);
	else
		buf_reset(&s.output);
	if (s.output.len > 0)
		repository_normal(out, buf_str(&s.output));
	else
		buf_adds(out, name != NULL && name[1] != '\0' ? name + 1 :
		    p->root);
	spawn_release(&s);
}
