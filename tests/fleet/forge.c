/*
 * forge.c - what a host can make the server write on its behalf.
 *
 *	forge reply SUBJECT TEXT     stores TEXT as a row of our own, and asks the
 *	                             server to answer with it to SUBJECT
 *	forge deliver SUBJECT TEXT   the same, by a consumer that delivers there
 *	forge send SUBJECT TEXT      publishes it ourselves
 *	forge rollup SUBJECT all     stores a message that replaces all others
 *
 * It exits with 0 if the server took the request; whether SUBJECT got the text
 * is for the caller to see.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "fleet/wire/wire.h"

enum { LIMIT = 2000 };                  /* ms for an answer */

/* Stores the text as a row of ours: its key, for free().  Without the headers of
 * store.c, which would come along. */
static char *
forge_row(struct link *l, const char *text)
{
	char *key = xasprintf("%s.forged", l->rules->host);
	char *subject = xasprintf("%s%s", stores[STORE_ROWS].prefix, key);
	natsMsg *m = NULL;
	natsStatus s = natsConnection_RequestString(&m, l->nats, subject,
	    text, LIMIT);

	if (s != NATS_OK)
		fatalx("cannot store the text: %s", natsStatus_GetText(s));
	natsMsg_Destroy(m);
	free(subject);
	return key;
}

static natsStatus
forge_reply(struct link *l, const char *subject, const char *text)
{
	char *key = forge_row(l, text);
	char *request = xasprintf("{\"last_by_subj\":\"%s%s\"}",
	    stores[STORE_ROWS].prefix, key);
	char *api = xasprintf("$JS.API.DIRECT.GET.%s",
	    stores[STORE_ROWS].stream);
	natsStatus s = natsConnection_PublishRequest(l->nats, api,
	    subject, request, (int)strlen(request));

	if (s == NATS_OK)
		s = natsConnection_FlushTimeout(l->nats, LIMIT);
	free(api);
	free(request);
	free(key);
	return s;
}

/* Takes the message over.  The server's answer is no error. */
static natsStatus
forge_ask(struct link *l, natsMsg *request)
{
	natsMsg *answer = NULL;
	natsStatus s = natsConnection_RequestMsg(&answer, l->nats,
	    request, LIMIT);

	if (s == NATS_OK && strstr(natsMsg_GetData(answer), "\"error\"") != NULL) {
		warnx("%s", natsMsg_GetData(answer));
		s = NATS_ERR;
	}
	natsMsg_Destroy(answer);
	natsMsg_Destroy(request);
	return s;
}

static natsStatus
forge_deliver(struct link *l, const char *subject, const char *text)
{
	const char *stream = stores[STORE_ROWS].stream;
	char *key = forge_row(l, text);
	char *api = xasprintf("$JS.API.CONSUMER.CREATE.%s", stream);
	char *request = xasprintf("{\"stream_name\":\"%s\",\"config\":{"
	    "\"deliver_policy\":\"all\",\"ack_policy\":\"none\","
	    "\"filter_subject\":\"%s%s\",\"deliver_subject\":\"%s\"}}",
	    stream, stores[STORE_ROWS].prefix, key, subject);
	natsMsg *m = NULL;
	natsStatus s = natsMsg_Create(&m, api, NULL, request,
	    (int)strlen(request));

	if (s == NATS_OK)
		s = forge_ask(l, m);
	free(request);
	free(api);
	free(key);
	return s;
}

static natsStatus
forge_send(struct link *l, const char *subject, const char *text)
{
	natsStatus s = natsConnection_PublishString(l->nats, subject,
	    text);

	return s == NATS_OK ? natsConnection_FlushTimeout(l->nats, LIMIT) :
	    s;
}

/* The text is the header's value: "all" or "sub". */
static natsStatus
forge_rollup(struct link *l, const char *subject, const char *text)
{
	natsMsg *m = NULL;
	natsStatus s = natsMsg_Create(&m, subject, NULL, NULL, 0);

	if (s == NATS_OK)
		s = natsMsgHeader_Set(m, "Nats-Rollup", text);
	return s == NATS_OK ? forge_ask(l, m) : s;
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

static const struct way {
	const char *name;
	natsStatus (*forge)(struct link *, const char *subject,
	    const char *text);
} ways[] = {
	{ "reply",   forge_reply },
	{ "deliver", forge_deliver },
	{ "send",    forge_send },
	{ "rollup",  forge_rollup },
	{ NULL,      NULL }
};

int
main(int argc, char **argv)
{
	const struct way *w = ways;
	struct context context;
	struct link *l;
	natsStatus s;

	while (argc == 4 && w->name != NULL && strcmp(w->name, argv[1]) != 0)
		w++;
	if (argc != 4 || w->name == NULL)
		fatal_usage("forge reply|deliver|send|rollup SUBJECT TEXT");
	l = fleet_open(&context, NULL, false);
	s = w->forge(l, argv[2], argv[3]);
	if (s == NATS_OK)
		s = forge_settle(l);
	if (s != NATS_OK)
		warnx("%s", natsStatus_GetText(s));
	link_close(l);
	return s == NATS_OK ? EXIT_DONE : EXIT_NO;
}
