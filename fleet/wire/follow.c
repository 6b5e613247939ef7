/*
 * follow.c - the rows of the fleet's other hosts, as lines.
 */
#include <unistd.h>

#include "base/argv.h"
#include "base/command.h"
#include "fleet/commands.h"
#include "fleet/wire/farrows.h"
#include "fleet/wire/open.h"

enum { OPTION_HOST = 'H', OPTION_JSON = 'j' };

static const struct command_option options[] = {
	{ OPTION_HOST, "host", "NAME", "only this host; may be given again" },
	{ OPTION_JSON, "json", NULL, "one JSON object per line" },
	{ 0 }
};

static int
follow_run(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct link *link;
	struct farrows *rows;
	struct rowlines *lines;
	struct loop loop = LOOP_INIT;
	struct loop_wait news;
	char **only = NULL;
	bool json = false;
	int key;

	while ((key = command_option(c, argc, argv, NULL)) != -1)
		if (key == OPTION_JSON)
			json = true;
		else if (fleet_name_valid(optarg))
			only = argv_add(only, optarg);
		else
			command_usage(c, "--host '%s' is no name of a host",
			    optarg);
	if (optind < argc)
		command_usage(c, "takes no argument");
	link = fleet_open(&context, NULL, true);
	rows = farrows_new(link, only);
	lines = rowlines_new(json, &loop);
	news = LOOP_WAIT(link_fd(link), NULL, NULL);
	loop_add(&loop, &news);
	farrows_turn(rows, lines, clock_wall(), clock_now());
	while (rowlines_flush(lines, clock_now())) {
		loop_round(&loop, farrows_due(rows));
		farrows_turn(rows, lines, clock_wall(), clock_now());
	}
	rowlines_free(lines);
	farrows_free(rows);
	link_close(link);
	context_close(&context);
	loop_release(&loop);
	argv_free(only);
	return EXIT_DONE;
}

const struct command fleet_follow_command = {
	.name = "follow",
	.summary = "Print the agents of the fleet's other hosts, and each change",
	.examples =
	"  paneward-fleet follow\n"
	"  paneward-fleet follow --host desk --json\n",
	.options = options,
	.run = follow_run,
};
