#include "fleet/wire/beat.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/fields.h"
#include "fleet/wire/store.h"
#include "os/file.h"
#include "os/userfolder.h"
#include "tmux/servers.h"

enum {
	ANSWER = 1000,                  /* ms for tmux */
	UNANSWERED = 60000              /* ms until it is asked again */
};

/* ---- who we are ---------------------------------------------------------- */

static const char id_file[] = "fleet-id";

int
beat_open(struct beat *b)
{
	int state = userfolder_state(NULL, true), ret = 0;
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
	} else if (getrandom(bytes, sizeof(bytes), 0) == sizeof(bytes)) {
		for (i = 0; i < sizeof(bytes); i++)
			snprintf(b->id + 2 * i, 3, "%02x", bytes[i]);
		ret = file_replace(state, id_file, b->id, strlen(b->id), 0600);
	} else {
		ret = -1;
	}
	buf_release(&text);
	file_close(state);
	return ret;
}

/* ---- who is here --------------------------------------------------------- */

static msec
desk_latest(const struct servers *s)
{
	const struct tmux_server *at;
	const struct tmux_listing *l;
	msec latest = 0;
	size_t k;

	for (at = s->first; at != NULL; at = at->next) {
		l = &at->listing;
		for (k = 0; k < l->nclients; k++)
			if (!l->clients[k].control &&
			    l->clients[k].activity * 1000 > latest)
				latest = l->clients[k].activity * 1000;
	}
	return latest;
}

/* When a client was used last; 0: none is attached. */
static msec
desk_used(struct beat *b, msec now)
{
	struct servers all = SERVERS_INIT, some = { .limit = ANSWER };
	const struct tmux_server *s;
	struct stat st;
	msec latest;

	if (now < b->asked)
		return 0;
	servers_add_all(&all, b->sockets);
	/* tmux makes the socket of a server with a client executable. */
	for (s = all.first; s != NULL; s = s->next)
		if (stat(s->socket, &st) == 0 && (st.st_mode & S_IXUSR) != 0)
			servers_add(&some, s->socket);
	servers_ask(&some, true);
	for (s = some.first; s != NULL; s = s->next)
		if (s->result != TMUX_OK && s->result != TMUX_NO_SERVER)
			b->asked = now + UNANSWERED;
	latest = desk_latest(&some);
	servers_release(&some);
	servers_release(&all);
	return latest;
}

/* ---- the value ----------------------------------------------------------- */

static void
value_make(struct beat *b, struct buf *value)
{
	msec wall = clock_wall(), latest = desk_used(b, clock_now());
	const struct passwd *user = getpwuid(geteuid());
	cJSON *o = json_new_object();
	char address[256] = "";

	gethostname(address, sizeof(address) - 1);
	json_add_text(o, "host", b->host);
	json_add_text(o, "id", b->id);
	json_add_text(o, "version", VERSION);
	json_add_text(o, "user", user != NULL ? user->pw_name : "");
	json_add_text(o, "address", address);
	json_add_time(o, "began", b->began);
	json_add_number(o, "working", b->working);
	json_add_number(o, "skipped", b->skipped);
	b->used = latest == 0 ? -1 : wall > latest ? wall - latest : 0;
	if (b->used != -1)
		json_add_number(o, "desk", (double)b->used);
	json_print(value, o);
	json_free(o);
}

struct beatvalue {
	char *id, *address, *user;
	msec  began;
};

#define VALUE(member) FIELD_AT(struct beatvalue, member)

static const struct field value_fields[] = {
	{ "id", FIELD_TEXT, VALUE(id), .required = true },
	{ "address", FIELD_TEXT, VALUE(address) },
	{ "user", FIELD_TEXT, VALUE(user) },
	{ "began", FIELD_TIME, VALUE(began) },
	{ 0 }
};

/* ---- the key ------------------------------------------------------------- */

/* Whose is the key?  Ours may be of a process before us, but not after us. */
static enum beat_end
key_look(struct beat *b, struct link *l, struct buf *why)
{
	struct buf value = BUF_INIT;
	struct beatvalue v = { 0 };
	enum beat_end end = BEAT_DONE;
	char since[CLOCK_TEXT];
	msec stored;
	int got = store_get(l, STORE_HOSTS, b->host, &value, &b->revision,
	    &stored, why);

	if (got == -1) {
		end = BEAT_FAILED;
	} else if (got == 1 && fields_parse(value_fields, &v, buf_str(&value),
	    value.len) == 0 && (strcmp(v.id, b->id) != 0 ||
	    (b->ours && v.began != b->began))) {
		clock_format(since, v.began);
		if (strcmp(v.id, b->id) == 0)
			buf_printf(why, "another process of this user of '%s' "
			    "is the agent since %s", v.address ? v.address :
			    "?", since);
		else
			buf_printf(why, "the name '%s' is that of '%s' (user "
			    "'%s') since %s; give each host of the fleet a "
			    "'host' of its own", b->host, v.address ?
			    v.address : "?", v.user ? v.user : "?", since);
		end = BEAT_OTHER;
	}
	fields_release(value_fields, &v);
	buf_release(&value);
	return end;
}

enum beat_end
beat_send(struct beat *b, struct link *l, struct buf *why)
{
	enum beat_end end = b->revision == 0 ? key_look(b, l, why) : BEAT_DONE;
	struct buf value = BUF_INIT;
	enum store_end put;

	if (end != BEAT_DONE)
		return end;
	value_make(b, &value);
	put = store_put(l, STORE_HOSTS, b->host, &value, &b->revision, why);
	if (put == STORE_TAKEN && (end = key_look(b, l, why)) == BEAT_DONE)
		put = store_put(l, STORE_HOSTS, b->host, &value, &b->revision,
		    why);
	buf_release(&value);
	if (end != BEAT_DONE)
		return end;
	b->ours |= put == STORE_DONE;
	if (put == STORE_DONE)
		return BEAT_DONE;
	b->revision = 0;
	if (why->len == 0)
		buf_adds(why, "its key changes");
	return BEAT_FAILED;
}

void
beat_end(struct beat *b, struct link *l)
{
	struct buf why = BUF_INIT;

	if (b->ours && b->revision != 0)
		store_delete(l, STORE_HOSTS, b->host, b->revision, &why);
	buf_release(&why);
}
