#include "fleet/wire/open.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/msg.h"

struct link *
fleet_open(struct context *context, const char *dir, bool stay)
{
	const struct fleetrules *rules;
	struct buf why = BUF_INIT;
	struct link *l;

	context_open(context, dir, false);
	rules = context->config.fleet;
	if (rules == NULL)
		fatal_usage("no fleet is configured: set 'fleet' in your "
		    "config.json (see paneward-fleet(1))");
	l = link_open(rules, stay, &why);
	if (l == NULL)
		fatalx("cannot connect to '%s': %s", rules->servers[0],
		    buf_str(&why));
	buf_release(&why);
	return l;
}

enum exit_status
fleet_close(struct context *context, struct link *l, bool good)
{
	link_close(l);
	context_close(context);
	return good ? EXIT_DONE : EXIT_COULD_NOT;
}

int
fleet_input(const char *text, size_t len)
{
	FILE *f = tmpfile();
	int fd = -1;

	if (f == NULL)
		return -1;
	if (fwrite(text, 1, len, f) == len && fflush(f) == 0)
		fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
	fclose(f);
	if (fd != -1)
		lseek(fd, 0, SEEK_SET);
	return fd;
}
