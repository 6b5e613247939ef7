#include "fleet/inbox.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "os/compat.h"

int
inbox_open(struct inbox *b)
{
	*b = (struct inbox){ .pipe = { -1, -1 } };
	b->last = &b->first;
	pthread_mutex_init(&b->lock, NULL);
	return pipe2(b->pipe, O_CLOEXEC | O_NONBLOCK);
}

void
inbox_close(struct inbox *b)
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
inbox_ring(struct inbox *b)
{
	if (!b->woken && write(b->pipe[1], "", 1) == 1)
		b->woken = true;
}

void
inbox_wake(struct inbox *b)
{
	pthread_mutex_lock(&b->lock);
	inbox_ring(b);
	pthread_mutex_unlock(&b->lock);
}

void
inbox_put(struct inbox *b, struct link_message *m)
{
	pthread_mutex_lock(&b->lock);
	*b->last = m;
	b->last = &m->next;
	inbox_ring(b);
	pthread_mutex_unlock(&b->lock);
}

/* ---- by the reader ---------------------------------------------------------- */

int
inbox_fd(const struct inbox *b)
{
	return b->pipe[0];
}

struct link_message *
inbox_next(struct inbox *b)
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
