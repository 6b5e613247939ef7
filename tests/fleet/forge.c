/*
 * forge.c - sends the server a message of this host, whatever it is.
 *
 *	forge send SUBJECT TEXT [REPLY]     the answer goes to REPLY
 *	forge ask SUBJECT TEXT [ROLLUP]     "all": it replaces all other messages
 *
 * It exits with 0 if the server took the message, and answered no error to an
 * ask; whether a forged subject got the text is for the caller to see.
 */
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "fleet/wire/wire.h"

enum { LIMIT = 2000 };                  /* ms for an answer */

static natsStatus
forge_send(struct link *l, natsMsg *m)
{
	natsStatus s = natsConnection_PublishMsg(l->nats, m);

	return s == NATS_OK ? natsConnection_FlushTimeout(l->nats, LIMIT) :
	    s;
}

static natsStatus
forge_ask(struct link *l, natsMsg *m)
{
	natsMsg *answer = NULL;
	natsStatus s = natsConnection_RequestMsg(&answer, l->nats, m, LIMIT);

	if (s == NATS_OK && strstr(natsMsg_GetData(answer), "\"error\"") != NULL) {
		warnx("%s", natsMsg_GetData(answer));
		s = NATS_ERR;
	}
	natsMsg_Destroy(answer);
	return s;
}

/* Answers of the server come in the order of what was asked: when this has come,
 * so has what was forged. */
static natsStatus
forge_settle(struct link *l)
{
	static const char *const api[] = {
		"$JS.API.DIRECT.GET.KV_PANEWARD_HOSTS",
		"$JS.API.STREAM.INFO.PANEWARD",
	};
	natsStatus s = NATS_OK;
	natsMsg *m = NULL;
	size_t i;

	for (i = 0; s == NATS_OK && i < 2; i++) {
		s = natsConnection_RequestString(&m, l->nats, api[i],
		    i == 0 ? "{\"seq\":1}" : "", LIMIT);
		natsMsg_Destroy(m);
		m = NULL;
	}
	return s;
}

int
main(int argc, char **argv)
{
	bool asks = argc > 1 && strcmp(argv[1], "ask") == 0;
	const char *more = argc == 5 ? argv[4] : NULL;
	struct link *l;
	natsMsg *m = NULL;
	natsStatus s;

	if (argc < 4 || argc > 5)
		fatal_usage("forge send|ask SUBJECT TEXT [REPLY|ROLLUP]");
	l = fleet_open(NULL, false);
	s = natsMsg_Create(&m, argv[2], asks ? NULL : more, argv[3],
	    (int)strlen(argv[3]));
	if (s == NATS_OK && asks && more != NULL)
		s = natsMsgHeader_Set(m, "Nats-Rollup", more);
	if (s == NATS_OK)
		s = asks ? forge_ask(l, m) : forge_send(l, m);
	natsMsg_Destroy(m);
	if (s == NATS_OK)
		s = forge_settle(l);
	if (s != NATS_OK)
		warnx("%s", natsStatus_GetText(s));
	link_close(l);
	return s == NATS_OK ? EXIT_DONE : EXIT_NO;
}
