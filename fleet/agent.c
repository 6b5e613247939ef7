/*
 * agent.c - the fleet's process on each host: what happens here is told to the
 * server, once.
 */
#include "base/command.h"
#include "base/msg.h"
#include "fleet/commands.h"
#include "fleet/open.h"
#include "fleet/store.h"

static int
agent_run(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct buf why = BUF_INIT;
	struct link *l;
	enum store which;
	msec made;

	while (command_option(c, argc, argv) != -1)
		continue;
	l = fleet_open(&context, NULL, false);
	for (which = 0; which < STORES; which++)
		if (store_open(l, which, &made, &why) == -1)
			fatalx("%s", buf_str(&why));
	link_close(l);
	return EXIT_DONE;
}

const struct command fleet_agent_command = {
	.name = "agent",
	.summary = "Tell the fleet what happens on this host, and what it has",
	.options = (const struct command_option[]){ { 0 } },
	.run = agent_run,
};
