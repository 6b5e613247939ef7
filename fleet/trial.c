#include "fleet/trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { TRIAL_TIME = 2000 };             /* ms for an answer */

/* Has the server refused that subject by now? */
static bool
trial_refused(struct link *l, const char *subject)
{
	natsConnection *nats = link_nats(l);
	struct buf dropped = BUF_INIT;
	const char *text = NULL;
	bool refused;

	natsConnection_GetLastError(nats, &text);
	refused = text != NULL && strstr(text, subject) != NULL;
	/* It is no reason of a later call. */
	link_why(l, NATS_OK, &dropped);
	buf_release(&dropped);
	return refused;
}

static enum trial
trial_end(struct link *l, const char *subject, natsSubscription *answers)
{
	natsMsg *m = NULL;
	natsStatus s = natsConnection_FlushTimeout(link_nats(l), TRIAL_TIME);

	if (s != NATS_OK)
		return TRIAL_UNKNOWN;
	if (trial_refused(l, subject))
		return TRIAL_REFUSED;
	if (answers != NULL)
		s = natsSubscription_NextMsg(&m, answers, TRIAL_TIME);
	natsMsg_Destroy(m);
	return s == NATS_OK || s == NATS_NO_RESPONDERS ? TRIAL_ALLOWED :
	    TRIAL_UNKNOWN;
}

static enum trial
trial_send(struct link *l, const char *subject, const char *header,
    const char *value)
{
	char *inbox = xasprintf("_INBOX_%s.trial", link_rules(l)->host);
	natsSubscription *answers = NULL;
	enum trial end = TRIAL_UNKNOWN;
	natsMsg *m = NULL;
	natsStatus s = natsConnection_SubscribeSync(&answers, link_nats(l),
	    inbox);

	if (s == NATS_OK)
		s = natsMsg_Create(&m, subject, inbox, NULL, 0);
	if (s == NATS_OK && header != NULL)
		s = natsMsgHeader_Set(m, header, value);
	if (s == NATS_OK)
		s = natsConnection_PublishMsg(link_nats(l), m);
	if (s == NATS_OK)
		end = trial_end(l, subject, answers);
	natsMsg_Destroy(m);
	natsSubscription_Destroy(answers);
	free(inbox);
	return end;
}

enum trial
trial_store(struct link *l, const char *subject)
{
	return trial_send(l, subject, "Nats-Expected-Stream",
	    "PANEWARD-trial-that-no-stream-meets");
}

enum trial
trial_request(struct link *l, const char *subject)
{
	return trial_send(l, subject, NULL, NULL);
}

enum trial
trial_listen(struct link *l, const char *subject)
{
	natsSubscription *sub = NULL;
	enum trial end = TRIAL_UNKNOWN;

	if (natsConnection_SubscribeSync(&sub, link_nats(l), subject) ==
	    NATS_OK)
		end = trial_end(l, subject, NULL);
	natsSubscription_Destroy(sub);
	return end;
}

enum trial
trial_connect(const struct fleetrules *rules)
{
	struct buf why = BUF_INIT;
	struct link *l = link_open(rules, false, &why);
	enum trial end = l != NULL ? TRIAL_ALLOWED : TRIAL_REFUSED;

	link_close(l);
	buf_release(&why);
	return end;
}

/* What the server makes for us bears the moment when it did. */
int
trial_time(struct link *l, const char *stream, msec *time, msec *off,
    struct buf *why)
{
	jsConsumerInfo *info = NULL;
	natsSubscription *sub = NULL;
	msec before = clock_now();
	jsSubOptions o;
	natsStatus s = jsSubOptions_Init(&o);

	o.Stream = stream;
	o.Ordered = true;
	o.Config.DeliverPolicy = js_DeliverNew;
	o.Config.HeadersOnly = true;
	if (s == NATS_OK)
		s = js_SubscribeSync(&sub, link_js(l), ">", NULL, &o, NULL);
	*off = (clock_now() - before) / 2;
	if (s == NATS_OK)
		s = natsSubscription_GetConsumerInfo(&info, sub, NULL, NULL);
	if (s == NATS_OK)
		*time = info->Created / 1000000;
	else
		link_why(l, s, why);
	jsConsumerInfo_Destroy(info);
	natsSubscription_Destroy(sub);
	return s == NATS_OK ? 0 : -1;
}
