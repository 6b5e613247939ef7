/*
 * handoff.c - the command that orders another host to hand off its issue, and
 * waits for the result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/issue.h"
#include "base/msg.h"
#include "fleet/commands.h"
#include "fleet/open.h"
#include "fleet/request.h"
#include "fleet/store.h"
#include "os/loop.h"
#include "text/json.h"

enum { OPTION_PROJECT = 'p' };

static const struct command_option options[] = {
	{ OPTION_PROJECT, "project", "PROJECT", "the folder of its project "
	    "there, or the path" },
	{ 0 }
};

struct ordered {
	char       *host;
	const char *issue, *project;
	char        id[RUN_ID_LEN + 1];
	struct link *link;
};

/* -1: it is another one's. */
static int
ordered_result(const struct ordered *x, const struct link_message *m)
{
	cJSON *o = json_parse(m->data, m->len, false, NULL);
	const cJSON *data = json_member(o, "data");
	const char *order = json_text(data, "order");
	const char *message = json_text(data, "message");
	struct buf shown = BUF_INIT;
	int exit = -1;

	if (order != NULL && strcmp(order, x->id) == 0) {
		exit = (int)json_number(data, "exit", EXIT_COULD_NOT) & 255;
		message = message != NULL ? message : "";
		msg_escape(&shown, message, strlen(message));
		printf("%s: %s\n", x->host, buf_str(&shown));
	}
	buf_release(&shown);
	json_free(o);
	return exit;
}

static int
ordered_wait(struct ordered *x)
{
	struct link_message *m;
	int exit = -1;

	while (exit == -1) {
		while (exit == -1 && (m = link_next(x->link)) != NULL) {
			exit = ordered_result(x, m);
			link_message_free(m);
		}
		if (exit == -1)
			loop_await(link_fd(x->link), POLLIN, CLOCK_NEVER);
	}
	return exit;
}

static int
fleet_handoff_run(const struct command *c, int argc, char **argv)
{
	struct ordered x = { .project = NULL };
	struct context context;
	struct buf value = BUF_INIT, line = BUF_INIT, why = BUF_INIT;
	const char *colon, *us;
	char *results, *subject;
	uint64_t revision, sequence;
	bool again;
	msec time;
	int exit;

	while (command_option(c, argc, argv) != -1)
		x.project = optarg;
	if (argc - optind != 1)
		command_usage(c, "takes one issue of a host, HOST:ISSUE");
	colon = strchr(argv[optind], ':');
	if (colon == NULL)
		command_usage(c, "'%s' names no host", argv[optind]);
	x.host = xstrndup(argv[optind], (size_t)(colon - argv[optind]));
	x.issue = command_issue(c, colon + 1);
	if (!fleet_name_valid(x.host))
		command_usage(c, "'%s' is no name of a host", x.host);

	/* An order for a host that is away would be done at a time that
	 * surprises. */
	x.link = fleet_open(&context, NULL, false);
	switch (store_get(x.link, STORE_HOSTS, x.host, &value, &revision,
	    &time, &why)) {
	case 0:
		fatalx("host '%s' is not there", x.host);
	case -1:
		fatalx("cannot ask for host '%s': %s", x.host,
		    buf_str(&why));
	}
	buf_release(&value);

	us = link_rules(x.link)->host;
	results = result_subject(x.host, us);
	subject = request_subject(us, x.host);
	if (run_id_make(x.id) == -1)
		fatal("cannot make an id");
	request_line(&line, REQUEST_TYPE, x.id, us, x.issue,
	    (const struct request_data[]){ { "project", x.project },
	    { NULL, NULL } }, -1);
	if (link_follow(x.link, 0, store_stream(STORE_EVENTS), results,
	    LINK_NEW, &why) == -1 || store_publish(x.link,
	    &(struct store_event){ subject, x.id, line.data, line.len },
	    &sequence, &again, &why) != 1)
		fatalx("cannot order the hand-off: %s", buf_str(&why));
	free(results);
	free(subject);
	buf_release(&line);
	exit = ordered_wait(&x);
	link_close(x.link);
	free(x.host);
	return exit;
}

const struct command fleet_handoff_command = {
	.name = "handoff",
	.summary = "Order another host to hand off its issue",
	.arguments = "HOST:ISSUE",
	.examples =
	"  paneward-fleet handoff desk:42\n"
	"  paneward-fleet handoff desk:42 --project ~/src/shop\n",
	.options = options,
	.run = fleet_handoff_run,
};
