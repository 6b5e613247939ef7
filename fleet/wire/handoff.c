/*
 * handoff.c - the command that orders another host to hand off its issue, and
 * waits for the result.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/issue.h"
#include "base/msg.h"
#include "data/json.h"
#include "fleet/commands.h"
#include "fleet/wire/open.h"
#include "fleet/wire/outbox.h"
#include "fleet/wire/store.h"

/* Prints the result of the order with that id; -1: it is another one's. */
static int
ordered_result(const char *host, const char *id, const struct link_message *m)
{
	cJSON *o = json_parse(m->data, m->len, false, NULL);
	const cJSON *data = json_member(o, "data");
	const char *order = json_text(data, "order");
	const char *message = json_text(data, "message");
	struct buf shown = BUF_INIT;
	int exit = -1;

	if (order != NULL && strcmp(order, id) == 0) {
		exit = (int)json_number(data, "exit", EXIT_COULD_NOT) & 255;
		message = message != NULL ? message : "";
		msg_escape(&shown, message, strlen(message));
		printf("%s: %s\n", host, buf_str(&shown));
	}
	buf_release(&shown);
	json_free(o);
	return exit;
}

static int
fleet_handoff_run(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct buf value = BUF_INIT, line = BUF_INIT, why = BUF_INIT;
	const char *project = NULL, *issue, *colon, *us;
	char *host, *results, *subject, id[RUN_ID_LEN + 1];
	struct link_message *m;
	struct link *l;
	uint64_t revision, sequence;
	bool again;
	msec time;
	int exit = -1;

	while (command_option(c, argc, argv, NULL) != -1)
		project = optarg;
	if (argc - optind != 1)
		command_usage(c, "takes one issue of a host, HOST:ISSUE");
	colon = strchr(argv[optind], ':');
	if (colon == NULL)
		command_usage(c, "'%s' names no host", argv[optind]);
	host = xstrndup(argv[optind], (size_t)(colon - argv[optind]));
	issue = command_issue(c, colon + 1);
	if (!fleet_name_valid(host))
		command_usage(c, "'%s' is no name of a host", host);

	/* An order for a host that is away would be done at a time that
	 * surprises. */
	l = fleet_open(&context, NULL, false);
	switch (store_get(l, STORE_HOSTS, host, &value, &revision, &time,
	    &why)) {
	case 0:
		fatalx("host '%s' is not there", host);
	case -1:
		fatalx("cannot ask for host '%s': %s", host, buf_str(&why));
	}
	buf_release(&value);

	us = link_rules(l)->host;
	results = result_subject(host, us);
	subject = request_subject(us, host);
	if (run_id_make(id) == -1)
		fatal("cannot make an id");
	request_line(&line, REQUEST_TYPE, id, us, issue,
	    (const struct request_data[]){ { "project", project },
	    { NULL, NULL } }, -1);
	if (link_follow(l, 0, store_stream(STORE_EVENTS), results, LINK_NEW,
	    &why) == -1 || store_publish(l, &(struct store_event){ subject, id,
	    line.data, line.len }, &sequence, &again, &why) != 1)
		fatalx("cannot order the hand-off: %s", buf_str(&why));
	free(results);
	free(subject);
	buf_release(&line);
	while (exit == -1) {
		m = link_next(l);
		if (m == NULL) {
			loop_await(link_fd(l), POLLIN, CLOCK_NEVER);
			continue;
		}
		exit = ordered_result(host, id, m);
		link_message_free(m);
	}
	link_close(l);
	free(host);
	return exit;
}

const struct command fleet_handoff_command = {
	.name = "handoff",
	.summary = "Order another host to hand off its issue",
	.arguments = "HOST:ISSUE",
	.examples =
	"  paneward-fleet handoff desk:42\n"
	"  paneward-fleet handoff desk:42 --project ~/src/shop\n",
	.options = (const struct command_option[]){
		{ 'p', "project", "PROJECT", "the folder of its project "
		    "there, or the path" },
		{ 0 }
	},
	.run = fleet_handoff_run,
};
