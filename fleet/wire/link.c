#include "fleet/wire/link.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/exitstatus.h"
#include "os/compat.h"
#include "os/loop.h"
#include "os/proc.h"

enum {
	AGAIN = 1000,                   /* ms between tries to connect, */
	JITTER = 500,                   /* and so much more at most */
	GIVEN_UP = 2000,                /* until the process begins anew */
	PING = 20000,                   /* ms between looks at a silent link */
	BUFFER = 16 << 10,              /* bytes for reading; nats.c has 32 K */
	REFUSAL = 256,
	KEPT = 512,
	FOLLOWED = 16
};

struct followed {
	natsSubscription *sub;          /* NULL: a free place */
	struct link *link;
	int     tag;
};

struct link {
	const struct fleetrules *rules;
	natsOptions    *options;
	natsConnection *nats;
	jsCtx          *js;
	struct followed followed[FOLLOWED];
	struct link_inbox inbox;
	int             end[2];         /* one that ends when we close */
	pthread_t       looker;         /* for a server that vanished, */
	bool            looks;          /* if it runs */
	unsigned        known;          /* bits, */
	unsigned        known_at;       /* of this connection */

	pthread_mutex_t lock;           /* of what nats.c's threads set: */
	unsigned        connects;
	char            refusal[REFUSAL];
	char            kept[KEPT];
};

/* ---- nats.c's threads ---------------------------------------------------- */

static void
link_failed(natsConnection *nats, natsSubscription *sub, natsStatus status,
    void *context)
{
	struct link *l = context;
	const char *text = NULL;

	(void)sub;
	if (natsConnection_GetLastError(nats, &text) != status ||
	    text == NULL || text[0] == '\0')
		text = natsStatus_GetText(status);
	pthread_mutex_lock(&l->lock);
	snprintf(l->refusal, sizeof(l->refusal), "%s", text);
	pthread_mutex_unlock(&l->lock);
}

static void
link_connected(natsConnection *nats, void *context)
{
	struct link *l = context;

	(void)nats;
	pthread_mutex_lock(&l->lock);
	l->connects++;
	pthread_mutex_unlock(&l->lock);
	inbox_wake(&l->inbox);
}

static void
link_lost(natsConnection *nats, void *context)
{
	struct link *l = context;

	(void)nats;
	inbox_wake(&l->inbox);
}

static void
link_came(natsConnection *nats, natsSubscription *sub, natsMsg *m,
    void *context)
{
	struct followed *f = context;

	(void)nats;
	(void)sub;
	inbox_put(&f->link->inbox, inbox_message(m, f->tag));
	natsMsg_Destroy(m);
}

/* The variable that has what link_keep() is given. */
static const char kept_name[] = "PANEWARD_FLEET_KEPT";
static char **restart_argv;
static char *restart_kept;

void
link_restarts(char **argv)
{
	const char *kept = getenv(kept_name);

	restart_argv = argv;
	restart_kept = kept != NULL ? xstrdup(kept) : NULL;
	unsetenv(kept_name);
}

const char *
link_kept(void)
{
	return restart_kept;
}

void
link_keep(struct link *l, const char *text)
{
	pthread_mutex_lock(&l->lock);
	snprintf(l->kept, sizeof(l->kept), "%s", text);
	pthread_mutex_unlock(&l->lock);
}

static void
link_given_up(natsConnection *nats, void *context)
{
	struct link *l = context;

	(void)nats;
	if (restart_argv == NULL || loop_await(l->end[0], 0, clock_now() +
	    GIVEN_UP))
		return;
	pthread_mutex_lock(&l->lock);
	if (l->kept[0] != '\0')
		setenv(kept_name, l->kept, true);
	execvp(proc_program(), restart_argv);
	_exit(EXIT_COULD_NOT);
}

/* ---- a server that vanished ---------------------------------------------- */

/*
 * nats.c waits without a limit for the server's part of a TLS handshake.  If
 * the server's host loses power or network just then, the process waits until
 * its end.  TCP itself can ask whether the other end is there; so a thread sets
 * all TCP sockets of this process to do that, also while another thread waits
 * for a handshake.
 */
enum {
	LOOK = 10000,                   /* ms between looks at the sockets */
	SILENT = 30,                    /* s without a byte, until TCP asks; a
					   link that works has more to say */
	ASK_AGAIN = 5,                  /* s */
	ASKS = 3,                       /* without an answer: it is over */
	DESCRIPTORS = 1024
};

static void
socket_set(int fd, int level, int option, int value)
{
	/* A socket of another kind refuses it. */
	setsockopt(fd, level, option, &value, sizeof(value));
}

static void *
vanished_look(void *context)
{
	const struct link *l = context;
	socklen_t len;
	int fd, on;

	while (!loop_await(l->end[0], POLLIN, clock_now() + LOOK))
		for (fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++) {
			len = sizeof(on);
			if (getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on,
			    &len) == -1 || on)
				continue;
#ifdef TCP_KEEPIDLE
			socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, SILENT);
			socket_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, ASK_AGAIN);
			socket_set(fd, IPPROTO_TCP, TCP_KEEPCNT, ASKS);
#endif
			socket_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
		}
	return NULL;
}

/* ---- connecting ---------------------------------------------------------- */

/* The names of answers begin with the host, so that a server can keep others
 * from them. */
static natsStatus
options_set(natsOptions *o, struct link *l, bool stay)
{
	const struct fleetrules *r = l->rules;
	char *inbox = xasprintf("_INBOX_%s", r->host);
	natsStatus s = natsOptions_SetServers(o,
	    (const char **)(uintptr_t)r->servers, (int)argv_count(r->servers));

	NATS_THEN(s, natsOptions_SetName(o, r->host));
	NATS_THEN(s, natsOptions_SetCustomInboxPrefix(o, inbox));
	NATS_THEN(s, natsOptions_SetTimeout(o, LINK_LIMIT));
	NATS_THEN(s, natsOptions_SetIOBufSize(o, BUFFER));
	NATS_THEN(s, natsOptions_SetFailRequestsOnDisconnect(o, true));
	NATS_THEN(s, natsOptions_SetErrorHandler(o, link_failed, l));
	if (r->ca != NULL) {
		NATS_THEN(s, natsOptions_SetSecure(o, true));
		NATS_THEN(s, natsOptions_LoadCATrustedCertificates(o, r->ca));
	}
	if (r->ca != NULL && r->cert != NULL)
		NATS_THEN(s, natsOptions_LoadCertificatesChain(o, r->cert,
		    r->key));
	if (stay) {
		NATS_THEN(s, natsOptions_SetMaxReconnect(o, -1));
		NATS_THEN(s, natsOptions_SetReconnectWait(o, AGAIN));
		NATS_THEN(s, natsOptions_SetReconnectJitter(o, JITTER,
		    JITTER));
		NATS_THEN(s, natsOptions_SetPingInterval(o, PING));
		NATS_THEN(s, natsOptions_SetRetryOnFailedConnect(o, true,
		    link_connected, l));
		NATS_THEN(s, natsOptions_SetReconnectedCB(o, link_connected,
		    l));
		NATS_THEN(s, natsOptions_SetDisconnectedCB(o, link_lost, l));
		NATS_THEN(s, natsOptions_SetClosedCB(o, link_given_up, l));
	}
	free(inbox);
	return s;
}

/* The server drops what is listened to no more.  natsSubscription_Unsubscribe()
 * would ask it to, and wait: that races with a reset by nats.c, which reads a name
 * that it has just freed. */
static void
followed_end(struct followed *f)
{
	natsSubscription_Destroy(f->sub);
	f->sub = NULL;
}

struct link *
link_open(const struct fleetrules *rules, bool stay, struct buf *why)
{
	struct link *l = xcalloc(1, sizeof(*l));
	jsOptions js;
	natsStatus s;

	l->rules = rules;
	pthread_mutex_init(&l->lock, NULL);
	if (inbox_open(&l->inbox) == -1 ||
	    pipe2(l->end, O_CLOEXEC | O_NONBLOCK) == -1) {
		buf_adds(why, strerror(errno));
		free(l);
		return NULL;
	}
	l->looks = pthread_create(&l->looker, NULL, vanished_look, l) == 0;
	if (!refusal_files(why, rules)) {
		link_close(l);
		return NULL;
	}
	s = natsOptions_Create(&l->options);
	NATS_THEN(s, options_set(l->options, l, stay));
	NATS_THEN(s, natsConnection_Connect(&l->nats, l->options));
	if (s == NATS_OK)
		link_connected(l->nats, l);
	if (s == NATS_NOT_YET_CONNECTED)
		s = NATS_OK;
	NATS_THEN(s, jsOptions_Init(&js));
	js.Wait = LINK_LIMIT;
	NATS_THEN(s, natsConnection_JetStream(&l->js, l->nats, &js));
	if (s == NATS_OK)
		return l;
	link_why(l, s, why);
	link_close(l);
	return NULL;
}

void
link_close(struct link *l)
{
	struct followed *f;

	if (l == NULL)
		return;
	close(l->end[1]);
	natsConnection_Close(l->nats);
	/* nats.c waits for ever for what is not destroyed. */
	for (f = l->followed; f < l->followed + FOLLOWED; f++)
		followed_end(f);
	jsCtx_Destroy(l->js);
	natsConnection_Destroy(l->nats);
	natsOptions_Destroy(l->options);
	/* No thread of nats.c calls us after this. */
	nats_CloseAndWait(0);
	if (l->looks)
		pthread_join(l->looker, NULL);
	inbox_close(&l->inbox);
	close(l->end[0]);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* nats.c keeps the reason to itself when it connects in the background. */
int
link_try(struct link *l, struct buf *why)
{
	natsOptions *o = NULL;
	natsConnection *nats = NULL;
	natsStatus s = natsOptions_Create(&o);

	NATS_THEN(s, options_set(o, l, false));
	NATS_THEN(s, natsConnection_Connect(&nats, o));
	if (s != NATS_OK)
		link_why(l, s, why);
	natsConnection_Destroy(nats);
	natsOptions_Destroy(o);
	return s == NATS_OK ? 0 : -1;
}

jsCtx *
link_js(struct link *l)
{
	return l->js;
}

natsConnection *
link_nats(struct link *l)
{
	return l->nats;
}

const struct fleetrules *
link_rules(const struct link *l)
{
	return l->rules;
}

bool
link_up(const struct link *l)
{
	return natsConnection_Status(l->nats) == NATS_CONN_STATUS_CONNECTED;
}

unsigned
link_connects(const struct link *l)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&l->lock;
	unsigned n;

	pthread_mutex_lock(lock);
	n = l->connects;
	pthread_mutex_unlock(lock);
	return n;
}

bool
link_knows(const struct link *l, unsigned bit)
{
	return l->known_at == link_connects(l) && (l->known & bit) != 0;
}

void
link_learn(struct link *l, unsigned bit)
{
	unsigned now = link_connects(l);

	l->known = (l->known_at == now ? l->known : 0) | bit;
	l->known_at = now;
}

void
link_why(struct link *l, natsStatus status, struct buf *why)
{
	natsStatus last = NATS_OK;
	const char *text = nats_GetLastError(&last);

	if (text == NULL || text[0] == '\0' || last != status)
		text = natsStatus_GetText(status);
	pthread_mutex_lock(&l->lock);
	refusal_explain(why, l->refusal[0] != '\0' ? l->refusal : text,
	    l->rules);
	l->refusal[0] = '\0';
	pthread_mutex_unlock(&l->lock);
}

/* ---- what comes ---------------------------------------------------------- */

static natsStatus
follow_options(jsSubOptions *o, const char *stream, enum link_from from)
{
	static const jsDeliverPolicy policies[] = {
		[LINK_LAST] = js_DeliverLastPerSubject,
		[LINK_ALL] = js_DeliverAll,
		[LINK_NEW] = js_DeliverNew,
	};
	natsStatus s = jsSubOptions_Init(o);

	o->Stream = stream;
	o->Ordered = true;
	o->Config.DeliverPolicy = policies[from];
	return s;
}

/* With what o says. */
static int
each_of(struct link *l, jsSubOptions *o, const char *subject, link_take *take,
    void *context, struct buf *why)
{
	natsSubscription *sub = NULL;
	natsMsg *last = NULL, *m;
	struct link_message *x;
	uint64_t pending = 1;           /* that come behind the last one */
	jsErrCode code = 0;
	natsStatus s = js_GetLastMsg(&last, l->js, o->Stream, subject, NULL,
	    &code);
	bool any = s == NATS_OK &&
	    natsMsg_GetTime(last) / 1000000 >= o->Config.OptStartTime / 1000000;

	natsMsg_Destroy(last);
	if (code == JSNoMessageFoundErr || (s == NATS_OK && !any))
		return 0;               /* none would come */
	NATS_THEN(s, js_SubscribeSync(&sub, l->js, subject, NULL, o, NULL));
	while (s == NATS_OK && pending > 0) {
		s = natsSubscription_NextMsg(&m, sub, LINK_LIMIT);
		if (s != NATS_OK)
			break;
		x = inbox_message(m, 0);
		natsMsg_Destroy(m);
		pending = x->pending;
		take(context, x);
		link_message_free(x);
	}
	natsSubscription_Destroy(sub);
	if (s != NATS_OK)
		link_why(l, s, why);
	return s == NATS_OK ? 0 : -1;
}

int
link_each(struct link *l, const char *stream, const char *subject,
    enum link_from from, bool bare, link_take *take, void *context,
    struct buf *why)
{
	jsSubOptions o;

	follow_options(&o, stream, from);
	o.Config.HeadersOnly = bare;
	return each_of(l, &o, subject, take, context, why);
}

int
link_each_since(struct link *l, const char *stream, const char *subject,
    msec since, link_take *take, void *context, struct buf *why)
{
	jsSubOptions o;

	follow_options(&o, stream, LINK_ALL);
	if (since > 0) {
		o.Config.DeliverPolicy = js_DeliverByStartTime;
		o.Config.OptStartTime = since * 1000000;
	}
	return each_of(l, &o, subject, take, context, why);
}

int
link_follow(struct link *l, int tag, const char *stream, const char *subject,
    enum link_from from, struct buf *why)
{
	struct followed *f = l->followed;
	jsSubOptions o;
	natsStatus s = follow_options(&o, stream, from);

	while (f < l->followed + FOLLOWED - 1 && f->sub != NULL)
		f++;
	f->link = l;
	f->tag = tag;
	if (f->sub != NULL)
		s = NATS_ERR;
	NATS_THEN(s, js_Subscribe(&f->sub, l->js, subject, link_came, f, NULL,
	    &o, NULL));
	if (s != NATS_OK)
		link_why(l, s, why);
	return s == NATS_OK ? 0 : -1;
}

int
link_began(struct link *l, int tag, uint64_t *messages, msec *time,
    struct buf *why)
{
	struct followed *f = l->followed;
	jsConsumerInfo *info = NULL;
	natsStatus s;

	while (f->sub == NULL || f->tag != tag)
		f++;
	s = natsSubscription_GetConsumerInfo(&info, f->sub, NULL, NULL);
	if (s != NATS_OK) {
		link_why(l, s, why);
		return -1;
	}
	*messages = info->Delivered.Consumer + info->NumPending;
	*time = info->Created / 1000000;
	jsConsumerInfo_Destroy(info);
	return 0;
}

void
link_unfollow(struct link *l, int tag)
{
	struct followed *f;

	for (f = l->followed; f < l->followed + FOLLOWED; f++)
		if (f->tag == tag)
			followed_end(f);
}

int
link_fd(const struct link *l)
{
	return inbox_fd(&l->inbox);
}

struct link_message *
link_next(struct link *l)
{
	return inbox_next(&l->inbox);
}

/* ---- what comes from other threads --------------------------------------- */

int
inbox_open(struct link_inbox *b)
{
	*b = (struct link_inbox){ .pipe = { -1, -1 } };
	b->last = &b->first;
	pthread_mutex_init(&b->lock, NULL);
	return pipe2(b->pipe, O_CLOEXEC | O_NONBLOCK);
}

void
inbox_close(struct link_inbox *b)
{
	struct link_message *m;

	while ((m = inbox_next(b)) != NULL)
		link_message_free(m);
	close(b->pipe[0]);
	close(b->pipe[1]);
	pthread_mutex_destroy(&b->lock);
}

/* ---- by any thread --------------------------------------------------------- */

/* With the lock held. */
static void
inbox_ring(struct link_inbox *b)
{
	if (!b->woken && write(b->pipe[1], "", 1) == 1)
		b->woken = true;
}

void
inbox_wake(struct link_inbox *b)
{
	pthread_mutex_lock(&b->lock);
	inbox_ring(b);
	pthread_mutex_unlock(&b->lock);
}

void
inbox_put(struct link_inbox *b, struct link_message *m)
{
	pthread_mutex_lock(&b->lock);
	*b->last = m;
	b->last = &m->next;
	inbox_ring(b);
	pthread_mutex_unlock(&b->lock);
}

/* ---- by the reader ---------------------------------------------------------- */

int
inbox_fd(const struct link_inbox *b)
{
	return b->pipe[0];
}

struct link_message *
inbox_next(struct link_inbox *b)
{
	struct link_message *m;
	char bytes[16];

	pthread_mutex_lock(&b->lock);
	while (b->woken && read(b->pipe[0], bytes, sizeof(bytes)) > 0)
		continue;
	b->woken = false;
	m = b->first;
	if (m != NULL)
		b->first = m->next;
	if (b->first == NULL)
		b->last = &b->first;
	pthread_mutex_unlock(&b->lock);
	return m;
}

/* ---- messages ----------------------------------------------------------------- */

static char *
header_of(natsMsg *m, const char *name)
{
	const char *text = NULL;

	return natsMsgHeader_Get(m, name, &text) == NATS_OK && text != NULL ?
	    xstrdup(text) : NULL;
}

struct link_message *
inbox_message(natsMsg *m, int tag)
{
	struct link_message *x = xcalloc(1, sizeof(*x));
	struct buf data = BUF_INIT;
	char *operation = header_of(m, "KV-Operation");
	jsMsgMetaData *meta = NULL;

	*x = (struct link_message){ .tag = tag,
	    .subject = xstrdup(natsMsg_GetSubject(m)),
	    .id = header_of(m, "Nats-Msg-Id"),
	    .len = (size_t)natsMsg_GetDataLength(m),
	    .gone = operation != NULL };
	/* It may hold a NUL: any host sends what it likes. */
	if (x->len > 0)
		buf_add(&data, natsMsg_GetData(m), x->len);
	x->data = buf_steal(&data);
	if (natsMsg_GetMetaData(&meta, m) == NATS_OK) {
		x->sequence = meta->Sequence.Stream;
		x->pending = meta->NumPending;
		x->time = meta->Timestamp / 1000000;
	}
	jsMsgMetaData_Destroy(meta);
	free(operation);
	return x;
}

void
link_message_free(struct link_message *m)
{
	free(m->subject);
	free(m->id);
	free(m->data);
	free(m);
}
