#include "fleet/wire/wire.h"

#include <pwd.h>
#include <sys/random.h>

#include "os/userfolder.h"
#include "tmux/servers.h"

enum {
	ANSWER = 1000,                  /* ms for tmux */
	UNANSWERED = 60000              /* ms until a retry */
};

static const char id_file[] = "fleet-id";

int
beat_open(struct beat *b)
{
	int state = userfolder_state(NULL, true), ret = -1;
	struct buf text = BUF_INIT;
	unsigned char bytes[16];
	size_t i;

	if (state == -1)
		return -1;
	b->began = clock_wall();
	if (file_read(state, id_file, FILE_NOFOLLOW, &text,
	    sizeof(b->id) - 1) == 0 && text.len == sizeof(b->id) - 1 &&
	    strspn(buf_str(&text), "0123456789abcdef") == text.len) {
		memcpy(b->id, buf_str(&text), sizeof(b->id));
		ret = 0;
	} else if (getrandom(bytes, sizeof(bytes), 0) == sizeof(bytes)) {
		for (i = 0; i < sizeof(bytes); i++)
			snprintf(b->id + 2 * i, 3, "%02x", bytes[i]);
		ret = file_replace(state, id_file, b->id, strlen(b->id), 0600);
	}
	buf_release(&text);
	file_close(state);
	return ret;
}

/* Our key may be of a process before us, but not after us. */
static enum beat_end
key_look(struct beat *b, struct link *l, struct buf *why)
{
	const char *host = l->rules->host, *id, *address, *user, *text;
	char since[CLOCK_TEXT];
	struct json *o;
	msec began;

	if (store_get(l, STORE_HOSTS, host, &o, &b->revision, NULL, why) == -1)
		return BEAT_FAILED;
	id = json_text(o, "id");
	address = json_text(o, "address");
	user = json_text(o, "user");
	text = json_text(o, "began");
	began = text != NULL ? clock_parse(text) : 0;
	clock_format(since, began);
	if (id != NULL && strcmp(id, b->id) != 0)
		buf_printf(why, "the name '%s' is that of '%s' (user '%s') "
		    "since %s; give each host of the fleet a 'host' of its own",
		    host, address ? address : "?", user ? user : "?", since);
	else if (id != NULL && b->ours && began != b->began)
		buf_printf(why, "another process of this user of '%s' is the "
		    "agent since %s", address ? address : "?", since);
	json_free(o);
	return why->len > 0 ? BEAT_OTHER : BEAT_DONE;
}

/* 0: no client is attached. */
static msec
desk_used(struct beat *b, const struct link *l, msec now)
{
	struct servers all = SERVERS_INIT, some = { .limit = ANSWER };
	const struct tmux_server *s;
	const struct tmux_client *c;
	struct stat st;
	msec latest = 0;

	if (now < b->asked)
		return 0;
	servers_add_all(&all, l->context->config.sockets);
	/* tmux makes the socket of a server with a client executable. */
	for (s = all.first; s != NULL; s = s->next)
		if (stat(s->socket, &st) == 0 && (st.st_mode & S_IXUSR) != 0)
			servers_add(&some, s->socket);
	servers_ask(&some, true);
	for (s = some.first; s != NULL; s = s->next) {
		if (s->result != TMUX_OK && s->result != TMUX_NO_SERVER)
			b->asked = now + UNANSWERED;
		c = s->listing.clients;
		for (; c < s->listing.clients + s->listing.nclients; c++)
			if (!c->control && c->activity * 1000 > latest)
				latest = c->activity * 1000;
	}
	servers_release(&some);
	servers_release(&all);
	return latest;
}

enum beat_end
beat_send(struct beat *b, struct link *l, struct buf *why)
{
	enum beat_end end = b->revision == 0 ? key_look(b, l, why) : BEAT_DONE;
	const struct passwd *user = getpwuid(geteuid());
	const char *host = l->rules->host;
	enum store_end put;
	struct buf value = BUF_INIT;
	char address[256] = "";
	msec wall, latest;
	struct json *o;

	if (end != BEAT_DONE)
		return end;
	gethostname(address, sizeof(address) - 1);
	wall = clock_wall();
	latest = desk_used(b, l, clock_now());
	b->used = latest == 0 ? -1 : wall > latest ? wall - latest : 0;
	o = json_new_object();
	json_add_texts(o, "host", host, "id", b->id, "version", VERSION,
	    "user", user != NULL ? user->pw_name : "", "address", address);
	json_add_time(o, "began", b->began);
	json_add_number(o, "skipped", b->skipped);
	if (b->used != -1)
		json_add_number(o, "desk", b->used);
	json_give(&value, o);
	put = store_put(l, STORE_HOSTS, host, &value, &b->revision, why);
	if (put == STORE_TAKEN && (end = key_look(b, l, why)) == BEAT_DONE)
		put = store_put(l, STORE_HOSTS, host, &value, &b->revision,
		    why);
	buf_release(&value);
	b->ours |= put == STORE_DONE;
	if (end != BEAT_DONE || put == STORE_DONE)
		return end;
	b->revision = 0;
	if (why->len == 0)
		buf_adds(why, "its key changes");
	return BEAT_FAILED;
}

void
beat_end(struct beat *b, struct link *l)
{
	if (b->ours && b->revision != 0)
		store_put(l, STORE_HOSTS, l->rules->host, NULL, &b->revision,
		    NULL);
}
