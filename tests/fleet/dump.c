/*
 * dump.c - prints what a stream has: subject, id, and data, with tabs between.
 *
 *	dump STREAM SUBJECT
 */
#include <stdio.h>

#include "base/msg.h"
#include "fleet/open.h"

static void
dump_message(void *context, const struct link_message *m)
{
	(void)context;
	if (!m->gone)
		printf("%s\t%s\t%s\n", m->subject, m->id != NULL ? m->id : "",
		    m->data);
}

int
main(int argc, char **argv)
{
	struct context context;
	struct buf why = BUF_INIT;
	struct link *l;

	if (argc != 3)
		fatal_usage("dump STREAM SUBJECT");
	l = fleet_open(&context, NULL, false);
	if (link_each(l, argv[1], argv[2], LINK_ALL, false, dump_message, NULL,
	    &why) == -1)
		fatalx("%s", buf_str(&why));
	link_close(l);
	buf_release(&why);
	return EXIT_DONE;
}
