#include "queue/target.h"

#include <signal.h>

#include "base/command.h"
#include "queue/paneevents.h"
#include "tmux/sockets.h"

static void
target_missing(const struct context *context, const char *name, struct buf *why)
{
	const char *reason = strstr(name, ":bg.") != NULL ? "no client has "
	    "that session in its background" : "none of your tmux servers has "
	    "that pane";
	struct servers all = SERVERS_INIT;
	struct tmux_server *s;
	struct server_pane at = { .server = NULL };
	char *place, *end;
	long server = strtol(name, &end, 10);

	buf_printf(why, "no agent is known by the name '%s'", name);
	if (!command_pane(name))
		return;
	if (servers_add_all(&all, context->config.sockets) == -1)
		reason = "not all tmux servers can be found";
	servers_ask(&all, false);
	for (s = all.first; s != NULL; s = s->next)
		if (s->result != TMUX_OK && s->result != TMUX_NO_SERVER)
			reason = buf_str(&s->why);
	while (servers_next(&all, &at)) {
		place = server_pane_name(&at);
		if (strcmp(name, place) == 0 || (strcmp(end, at.pane->id) ==
		    0 && (end == name || server == at.server->listing.server)))
			reason = "no agent that paneward knows runs in that "
			    "pane";
		free(place);
	}
	if (server > 0 && *end == '%' && kill((pid_t)server, 0) == -1 &&
	    errno == EPERM)
		reason = "that tmux server is another user's";
	buf_printf(why, ": %s", reason);
	servers_release(&all);
}

struct row *
target_row(const struct queue *q, const struct context *context,
    const char *name, struct buf *why)
{
	struct row *r, *first[2] = { NULL }, *found;
	/* $TMUX is "socket,pid,number". */
	const char *tmux = getenv("TMUX");
	const char *comma = tmux != NULL ? strchr(tmux, ',') : NULL;
	long ours = comma != NULL ? strtol(comma + 1, NULL, 10) : 0;
	const struct pane_ref *place;
	struct buf words = BUF_INIT;
	char word[JUMP_WORD], one[JUMP_WORD] = "";
	size_t i, count[2] = { 0 };
	bool named, far;

	for (i = 0; i < q->nrows; i++) {
		r = q->rows[i];
		place = &r->status.place;
		jump_word(word, r);
		named = strcmp(name, row_name(r)) == 0 ||
		    strcmp(name, word) == 0 ||
		    (r->where != NULL && strcmp(name, r->where) == 0) ||
		    (place->pane[0] != '\0' && strcmp(name, place->pane) == 0);
		if (!named || r->host != NULL || r->problem != NULL)
			continue;
		/* An ended issue's pane may have a row, too. */
		if (strchr(one, '%') != NULL && strcmp(one, word) == 0)
			continue;
		memcpy(one, word, sizeof(one));
		far = name[0] == '%' || r->directory == NULL ?
		    place->server == 0 || place->server != ours :
		    strcmp(r->directory, context->dir.path) != 0;
		if (count[far]++ == 0)
			first[far] = r;
		buf_printf(&words, "%s%s%s%s%s", words.len > 0 ? ", " : "",
		    word, r->project ? " (" : "", r->project ? r->project : "",
		    r->project ? ")" : "");
	}
	far = count[false] == 0;
	found = count[far] == 1 ? first[far] : NULL;
	if (count[far] == 0)
		target_missing(context, name, why);
	else if (found == NULL)
		buf_printf(why, "'%s' names several: %s", name,
		    buf_str(&words));
	buf_release(&words);
	return found;
}

struct row *
target_find(const struct queue *q, const struct context *c, const char *name,
    enum exit_status *status, struct buf *why)
{
	struct row *r = target_row(q, c, name, why);

	*status = r != NULL ? EXIT_DONE : EXIT_NO;
	/* Without its record another project's issue would be taken. */
	if (q->trouble == 0 || (r != NULL && (r->pane ||
	    strcmp(r->directory, c->dir.path) == 0)))
		return r;
	buf_reset(why);
	buf_printf(why, "not all agents can be read: %s",
	    msg_reason(q->trouble));
	*status = EXIT_COULD_NOT;
	return NULL;
}

void
target_open(struct target_agent *t, struct context *c, const char *act,
    const char *name, const char *status_dir)
{
	struct buf why = BUF_INIT;
	struct context own;
	struct queue *q;
	struct row *r;

	*t = (struct target_agent){ .issue = name };
	context_open(c, status_dir, false);
	if (name == NULL || !command_pane(name))
		return;
	q = queue_new(&(struct queue_how){ .context = c, .all = true,
	    .panes = true });
	queue_look(q);
	r = target_row(q, c, name, &why);
	if (r == NULL)
		fatal_no("cannot %s '%s': %s; 'paneward status --all' lists "
		    "the agents", act, name, buf_str(&why));
	t->issue = xstrdup(r->status.issue);
	if (r->pane) {
		t->pane = xstrdup(row_name(r));
		t->record = r->status;
		status_init(&r->status, "");
		statusdir_close(&c->dir);
		c->dir = paneevents_dir(false);
	} else if (context_at(&own, r->directory, &why) == EXIT_DONE) {
		context_close(c);
		*c = own;
	} else {
		fatalx("cannot %s '%s': %s", act, name, buf_str(&why));
	}
	queue_free(q);
}

/* Our pane, if a client shows it.  A popup may have another TMUX_PANE. */
static const struct tmux_pane *
jump_pane(const struct tmux_listing *l)
{
	const char *id = getenv("TMUX_PANE");
	const struct tmux_pane *p = id == NULL ? NULL : listing_pane(l, id);
	struct proc us = { .parent = getpid() };
	bool left = false;
	size_t i;

	/* The server is the parent of our pane's process, or of a popup's. */
	while (us.parent != l->server && !left)
		left = us.parent <= 1 || proc_read(&us, us.parent) == -1;
	if (p == NULL || (!left && us.pid != p->pid))
		return NULL;
	for (i = 0; i < l->nclients; i++)
		if (strcmp(l->clients[i].window, p->window) == 0)
			return p;
	return NULL;
}

static const struct tmux_client *
jump_client(const struct tmux_listing *l, const char *tty)
{
	const struct tmux_client *c, *found = NULL;

	for (c = l->clients; c < l->clients + l->nclients; c++) {
		if (c->control || (tty != NULL && strcmp(c->tty, tty) != 0))
			continue;
		if (found != NULL)
			return NULL;
		found = c;
	}
	return found;
}

int
jump_open(struct jump *j, const char *client, struct buf *why)
{
	const char *tmux = getenv("TMUX");
	const struct tmux_client *c;
	const struct tmux_pane *p;

	*j = (struct jump){ .client = client };
	if (tmux == NULL || tmux[0] != '/') {
		buf_adds(why, client == NULL ? "" : "--client names a client "
		    "of tmux, and this is not in tmux");
		return client != NULL ? -1 : 0;
	}
	j->socket = tmux_socket();
	if (tmux_list(j->socket, &j->listing, why) != TMUX_OK)
		return -1;
	p = client == NULL ? jump_pane(&j->listing) : NULL;
	c = p == NULL ? jump_client(&j->listing, client) : NULL;
	j->named = client != NULL && c != NULL;
	if (c != NULL)
		j->client = c->tty;
	if (p != NULL || c != NULL)
		snprintf(j->here, sizeof(j->here), "%ld%s",
		    (long)j->listing.server, p != NULL ? p->id : c->pane);
	else if (client != NULL)
		buf_printf(why, "no client of the tmux server at '%s' has the "
		    "terminal '%s'", j->socket, client);
	else if (j->listing.nclients == 0)
		buf_printf(why, "no client is attached to the tmux server at "
		    "'%s'", j->socket);
	else
		buf_adds(why, "tmux has several clients and this is no pane: "
		    "name the client with --client, in a key binding "
		    "--client '#{client_tty}'");
	return p != NULL || c != NULL ? 0 : -1;
}

void
jump_tell(const struct jump *j, const char *text)
{
	struct buf why = BUF_INIT;

	if (j->named)
		tmux_message(j->socket, jump_client(&j->listing, j->client),
		    text, &why);
	buf_release(&why);
}

static bool
jump_on_terminal(struct buf *why)
{
	if (isatty(STDIN_FILENO))
		return true;
	buf_adds(why, "this is not in tmux, and standard input is no terminal");
	return false;
}

void
jump_word(char word[JUMP_WORD], const struct row *r)
{
	pane_ref_name(word, &r->status.place);
	if (word[0] == '\0')
		snprintf(word, JUMP_WORD, "%s", row_session(r) ? row_name(r) :
		    r->status.issue);
}

/* "client:bg.id": a session. */
bool
jump_word_valid(const char *word)
{
	size_t digits = strspn(word, "0123456789");
	const char *colon = strchr(word, ':');

	return issue_valid(word) || (digits < 12 &&
	    tmux_id_valid(word + digits, '%')) || (colon != NULL &&
	    issue_valid_n(word, (size_t)(colon - word)) &&
	    strncmp(colon, ":bg.", 4) == 0 && issue_valid(colon + 4));
}

/* Runs a command in this terminal, or in a new window, which stays if it
 * fails. */
static int
jump_run(const struct jump *j, const char *title, const char *cwd,
    const char *const *argv, struct buf *why)
{
	char **beside;
	struct pane_ref window = { .socket = NULL };
	const struct tmux_pane *here;
	enum tmux_result result;
	char *name = NULL;

	if (j->socket == NULL && jump_on_terminal(why)) {
		spawn_replace(argv);
		buf_printf(why, "cannot run %s: %s", argv[0], strerror(errno));
	}
	if (j->socket == NULL)
		return -1;
	here = listing_pane(&j->listing, strchr(j->here, '%'));
	if (here == NULL)
		return -1;
	beside = argv_add_all(NULL, WORDS("sh", "-c", "\"$@\" || { "
	    "echo \"$0: exit status $?\"; read -r line; }"));
	beside = argv_own(beside, xasprintf("%s %s", argv[0], title));
	beside = argv_add_all(beside, argv);
	result = tmux_open(&(struct tmux_new){ .socket = j->socket,
	    .session = here->session, .window = true, .name = title,
	    .cwd = cwd, .argv = (const char *const *)beside }, &window, &name,
	    why);
	if (result == TMUX_OK)
		result = tmux_switch(j->socket, j->client, window.pane, why);
	pane_ref_release(&window);
	argv_free(beside);
	free(name);
	return result == TMUX_OK ? 0 : -1;
}

/* By the client's own way. */
static int
jump_session(const struct jump *j, struct queue *q, struct row *r,
    struct buf *why)
{
	const struct backend *b = backends_get(queue_backends(q),
	    r->status.backend, why);
	const char *id = r->where != NULL ? strstr(r->where, ":bg.") : NULL;
	char **argv = NULL;
	int ret = -1;

	if (b != NULL && b->command != NULL && id != NULL) {
		argv = backend_fill(argv_add(NULL, b->command), b->attach,
		    "id", id + 4);
		queue_see(q, r, SEEN_ONCE);
		ret = jump_run(j, id + 4, r->status.cwd,
		    (const char *const *)argv, why);
	} else if (b != NULL) {
		buf_adds(why, "its client does not show where it is");
	}
	argv_free(argv);
	return ret;
}

/* ssh joins its words to a line for a shell.  Attaching may end this process,
 * so the row is marked first. */
int
jump_to(const struct jump *j, struct queue *q, struct row *r, struct buf *why)
{
	const struct pane_ref *p = &r->status.place;
	bool same = j->socket != NULL && j->listing.server == p->server, there;
	struct tmux_listing l = { 0 };
	char word[JUMP_WORD];

	if (r->problem == NULL && r->host != NULL) {
		jump_word(word, r);
		if (hostname_valid(r->host) && jump_word_valid(word))
			return jump_run(j, r->host, NULL, WORDS("ssh", "-t",
			    r->host, "paneward", "attach", word), why);
		buf_printf(why, "no pane or issue of a host: '%s', '%s'",
		    r->host, word);
		return -1;
	}
	if (row_session(r) || r->status.agent.background)
		return jump_session(j, q, r, why);
	if (r->problem != NULL || p->socket == NULL || p->pane[0] == '\0') {
		buf_adds(why, r->problem != NULL ? r->problem :
		    "its pane is not known");
		return -1;
	}
	if (!same && tmux_list(p->socket, &l, why) != TMUX_OK)
		return -1;
	there = listing_ref(same ? &j->listing : &l, p) != NULL;
	listing_release(&l);
	if (!there) {
		buf_printf(why, "its pane %s is gone", p->pane);
		return -1;
	}
	if (same ? tmux_switch(j->socket, j->client, p->pane, why) != TMUX_OK :
	    j->socket == NULL && !jump_on_terminal(why))
		return -1;
	queue_see(q, r, SEEN_ONCE);
	if (same)
		return 0;
	if (j->socket != NULL)
		return tmux_move(j->socket, j->client, strchr(j->here, '%'), p,
		    why) == TMUX_OK ? 0 : -1;
	tmux_enter(p, why);
	return -1;
}
