/*
 * release.c - a person's decision about an issue of the fleet's backlog: it
 * leaves its host, or is done.
 */
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/msg.h"
#include "fleet/commands.h"
#include "fleet/open.h"
#include "fleet/order.h"
#include "fleet/repository.h"

enum { OPTION_DONE = OPTION_LONG, OPTION_REPOSITORY };

struct release {
	struct link *link;
	struct buf   repository;
	bool         done;
};

static bool
release_issue(struct release *r, const char *issue)
{
	struct buf key = BUF_INIT, why = BUF_INIT;
	enum store_end end = STORE_TAKEN;
	struct order o;
	int there, tries;

	order_key(&key, buf_str(&r->repository), issue);
	for (tries = 0; end == STORE_TAKEN && tries < ORDER_TRIES; tries++) {
		buf_reset(&why);
		there = order_get(r->link, buf_str(&key), &o, &why);
		if (there == 1) {
			if (!r->done) {
				order_free(&o);
				cJSON_DeleteItemFromObjectCaseSensitive(o.json,
				    "failed");
			}
			order_set(&o, "state", r->done ? "done" : NULL);
			end = order_put(r->link, buf_str(&key), &o, &why);
		} else {
			if (there == 0)
				buf_adds(&why, "it is not in the backlog");
			end = STORE_FAILED;
		}
		order_release(&o);
	}
	if (end != STORE_DONE)
		warnx("cannot release issue '%s': %s", issue, buf_str(&why));
	buf_release(&key);
	buf_release(&why);
	return end == STORE_DONE;
}

static int
release_run(const struct command *c, int argc, char **argv)
{
	struct release r = { .link = NULL };
	const char *repository = NULL;
	struct context context;
	bool good = true;
	int key;

	while ((key = command_option(c, argc, argv)) != -1) {
		if (key == OPTION_DONE)
			r.done = true;
		else
			repository = optarg;
	}
	if (optind == argc)
		command_usage(c, "takes an issue");
	r.link = fleet_open(&context, NULL, false);
	if (repository != NULL)
		buf_adds(&r.repository, repository);
	else
		repository_of(&r.repository, &context.project);
	for (; optind < argc; optind++)
		good &= release_issue(&r, command_issue(c, argv[optind]));
	return fleet_close(&context, r.link, good);
}

const struct command fleet_release_command = {
	.name = "release",
	.summary = "Take an issue from its host, or mark it as done",
	.arguments = "ISSUE...",
	.options = (const struct command_option[]){
		{ OPTION_DONE, "done", NULL, "it is done: no host takes it" },
		{ OPTION_REPOSITORY, "repository", "NAME", "of another "
		    "repository than the one here" },
		{ 0 } },
	.run = release_run,
};
