/*
 * dump.c - prints what a stream has: subject, id, and data, with tabs between.
 *
 *	dump STREAM SUBJECT
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
static void
dump_await(struct link *l, const char *stream)
{
	struct store_look look;
	struct buf why = BUF_INIT;
	enum store which;

	for (which = 0; which < STORES; which++)
		if (strcmp(stores[which].stream, stream) == 0 &&
		    store_look(l, which, &look, &why) != 1)
			fatalx("stream '%s' is not there", stream);
	buf_release(&why);
}

int
main(int argc, char **argv)
{
	struct context context;
	struct buf why = BUF_INIT;
	struct link *l;

	/* The library may wait for ever; who asks tries again. */
	alarm(30);
	if (argc != 3)
		fatal_usage("dump STREAM SUBJECT");
	l = fleet_open(&context, NULL, false);
	dump_await(l, argv[1]);
	if (link_each(l, argv[1], argv[2], LINK_ALL, 0, dump_message, NULL,
	    &why) == -1)
		fatalx("%s", buf_str(&why));
	link_close(l);
	buf_release(&why);
	return EXIT_DONE;
}
