/*
 * dump.c - prints what a stream has: subject, id, and data, with tabs between.
 *
 *	dump STREAM KEYS
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "fleet/wire/wire.h"

static void
dump_message(void *context, const struct link_message *m)
{
	(void)context;
	if (!m->gone)
		printf("%s\t%s\t%s\n", m->subject, m->id != NULL ? m->id : "",
		    m->data);
}

/* A stream is read when it was made, not before. */
static enum store
dump_await(struct link *l, const char *stream)
{
	struct store_look look;
	enum store which = 0;

	while (which < STORES && strcmp(stores[which].stream, stream) != 0)
		which++;
	if (which == STORES || store_look(l, which, &look, NULL) != 1)
		fatalx("stream '%s' is not there", stream);
	return which;
}

int
main(int argc, char **argv)
{
	struct buf why = BUF_INIT;
	struct link *l;

	/* The library may wait for ever; who asks tries again. */
	alarm(30);
	if (argc != 3)
		fatal_usage("dump STREAM KEYS");
	l = fleet_open(NULL, false);
	if (link_each(l, dump_await(l, argv[1]), argv[2], LINK_ALL, 0,
	    dump_message, NULL, &why) == -1)
		fatalx("%s", buf_str(&why));
	link_close(l);
	buf_release(&why);
	return EXIT_DONE;
}
