/*
 * work.c - takes issues of the fleet's backlog and starts their agents here;
 * see holding.h.
 *
 * One loop waits for everything: orders of the server, status records, starts
 * under way, and the time of the next renewal.  Nothing is kept but the lease
 * files: a worker that was killed finds its issues by them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "fleet/commands.h"
#include "fleet/holding.h"
#include "fleet/offers.h"
#include "fleet/open.h"
#include "fleet/repository.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/trap.h"
#include "run/handoffstate.h"
#include "run/queued.h"

enum {
	OPTION_ONCE = OPTION_LONG,
	WORK_LOCK = 5000,               /* ms for a worker that just ends */
	WORK_START = 2 * 3600 * 1000,   /* ms: a checkout may be long */
	WORK_AGAIN = 1000,              /* ms after a failure */
	WORK_ORDERS = 1                 /* tag of what follows the backlog */
};

static const char work_lock[] = ".fleet-work";

struct work {
	struct context context;         /* of the current directory */
	const struct fleetrules *rules;
	struct link   *link;
	struct notify *notify;
	int            trap;
	size_t         most;
	bool           once, told, over;
	struct place  *places;
	size_t         nplaces;
	struct leases  leases;
	struct offers  offers;
	struct holding *holdings;
	unsigned       connects;        /* the connection that is in use */
	bool           ready;           /* the backlog is known, */
	msec           made;            /* the one made then is followed */
	bool           look;            /* a record may have changed */
	msec           due;             /* the next renewals */
};

/* ---- places -------------------------------------------------------------- */

static void
work_place(struct work *w, const char *directory)
{
	struct place *p = &w->places[w->nplaces++];
	struct buf why = BUF_INIT;

	*p = (struct place){ .lock = LOCK_INIT };
	if (context_find(&p->context, directory, &why) != EXIT_DONE)
		fatalx("cannot work in '%s': %s", directory, buf_str(&why));
	p->context.dir.path = statusdir_path(NULL, &p->context.config,
	    &p->context.project);
	context_make(&p->context);
	context_check(&p->context, true);
	repository_of(&p->repository, &p->context.project);
	if (lock_await(&p->lock, p->context.dir.state_fd, work_lock,
	    WORK_LOCK) != 1)
		fatalx("process %ld works for the fleet in '%s' already",
		    (long)p->lock.holder, directory);
	notify_watch(w->notify, p->context.dir.state_fd, NOTIFY_DIRECTORY);
}

static struct place *
work_place_of(struct work *w, const char *repository)
{
	size_t i;

	for (i = 0; i < w->nplaces; i++)
		if (strcmp(buf_str(&w->places[i].repository), repository) == 0)
			return &w->places[i];
	return NULL;
}

static struct holding *
work_holding(const struct work *w, const char *key)
{
	struct holding *h = w->holdings;

	while (h != NULL && strcmp(buf_str(&h->key), key) != 0)
		h = h->next;
	return h;
}

static void
work_add(struct work *w, const struct holding *h)
{
	struct holding *new = xmalloc(sizeof(*new));

	*new = *h;
	new->next = w->holdings;
	w->holdings = new;
}

/* ---- starting ------------------------------------------------------------- */

/* The work tree that an earlier run of the issue has left here; NULL. */
static const char *
start_tree(const struct order *o, const char *host)
{
	const cJSON *one;
	const char *at, *tree, *found = NULL;

	cJSON_ArrayForEach(one, json_member(o->json, "before")) {
		at = json_text(one, "host");
		tree = json_text(one, "tree");
		if (at != NULL && strcmp(at, host) == 0 && tree != NULL &&
		    access(tree, F_OK) == 0)
			found = tree;
	}
	return found;
}

static char **
start_argv(const struct holding *h, const char *host, bool prompt)
{
	const struct order *o = &h->order;
	const char *backend = order_text(o, "backend");
	const char *base = order_text(o, "base");
	const char *tree = start_tree(o, host);
	char **argv = argv_own(NULL, proc_beside("paneward"));

	argv = argv_add_all(argv, WORDS("start", o->issue, "--status-dir",
	    h->place->context.dir.path));
	if (tree != NULL)
		argv = argv_own(argv, xasprintf("--worktree=%s", tree));
	else if (h->place->context.project.git_dir != NULL)
		argv = argv_add(argv, "--new-worktree");
	if (tree == NULL && base != NULL && base[0] != '-')
		argv = argv_own(argv, xasprintf("--base=%s", base));
	if (backend != NULL)
		argv = argv_own(argv, xasprintf("--backend=%s", backend));
	if (prompt)
		argv = argv_add(argv, "--prompt-file=/dev/stdin");
	return argv;
}

/* A file without a name that holds the prompt; -1 with errno. */
static int
start_prompt(const char *prompt)
{
	char name[] = "/tmp/paneward-prompt.XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC);

	if (fd == -1)
		return -1;
	unlink(name);
	if (file_write(fd, prompt, strlen(prompt)) == -1 ||
	    lseek(fd, 0, SEEK_SET) == -1) {
		file_close(fd);
		return -1;
	}
	return fd;
}

static void
work_start(struct work *w, struct holding *h)
{
	const char *prompt = order_text(&h->order, "prompt");
	int in = prompt != NULL ? start_prompt(prompt) : 0;
	char **argv = start_argv(h, w->rules->host, prompt != NULL);

	if (in == -1)
		buf_printf(&h->start.errors, "cannot write the prompt: %s",
		    strerror(errno));
	if (in == -1 || spawn_begin(&h->start, &(struct spawn_how){
	    .argv = (const char *const *)argv, .in = in,
	    .cwd = h->place->context.project.root, .limit = WORK_START }) ==
	    -1)
		h->start.status = SPAWN_FAILED;
	if (in > 0)
		close(in);
	h->starting = true;
	argv_free(argv);
}

/* ---- issues that end ------------------------------------------------------ */

/* What becomes of the order. */
struct change {
	const char *host, *run, *tree, *why;
	const char *handoff, *state;
	uint64_t token;
};

static void
change_started(struct order *o, const void *context)
{
	const struct change *c = context;

	order_started(o, c->run, c->tree);
}

static void
change_failed(struct order *o, const void *context)
{
	const struct change *c = context;

	order_free(o);
	order_fail(o, c->host, c->why);
}

static void
change_ended(struct order *o, const void *context)
{
	const struct change *c = context;

	if (c->handoff != NULL)
		order_handoff(o, c->host, c->token, c->run, c->handoff);
	order_set(o, "state", c->state);
}

/* Changes the order, and gives the lease back; true: that is done. */
static bool
work_end(struct work *w, struct holding *h, holding_change *change,
    const struct change *to)
{
	struct buf why = BUF_INIT;
	bool done = holding_write(h, w->link, change, to, &why) == 0;

	if (done) {
		holding_give_back(h, w->link);
		lease_remove(h->place->context.dir.state_fd, h->order.issue);
		h->gone = true;
	}
	buf_release(&why);
	return done;
}

static void
work_fail(struct work *w, struct holding *h, const char *text)
{
	warnx("issue '%s': %s", h->order.issue, text);
	work_end(w, h, change_failed, &(struct change){
	    .host = w->rules->host, .why = text });
}

/* Has the issue a run that is at work? */
static bool
work_runs(const struct holding *h)
{
	struct status r;
	bool runs = status_read(&r, h->place->context.dir.state_fd,
	    h->order.issue) == 1 && queued_holds(&r);

	status_release(&r);
	return runs;
}

/* The last line of what start said, without its name. */
static void
work_start_failed(struct work *w, struct holding *h)
{
	struct buf *said = &h->start.errors;
	const char *line, *colon;

	/* The start of a worker that was killed has gone on. */
	if (work_runs(h))
		return;
	buf_chomp(said);
	line = strrchr(buf_str(said), '\n');
	line = line != NULL ? line + 1 : buf_str(said);
	colon = strncmp(line, "paneward: ", 10) == 0 ? line + 10 : line;
	work_fail(w, h, colon[0] != '\0' ? colon : "it cannot be started");
}

/* The order gets the run of its record, unless it has it. */
static void
work_started(struct work *w, struct holding *h, const struct status *r)
{
	const char *known = order_part(&h->order, "work", "run");
	struct buf why = BUF_INIT;

	if (strcmp(h->run, r->run) != 0) {
		memcpy(h->run, r->run, sizeof(h->run));
		printf("%s: started (run %s)\n", h->order.issue, h->run);
	}
	/* If that fails, the next look tries it again. */
	if (!h->lapsed && (known == NULL || strcmp(known, r->run) != 0))
		holding_write(h, w->link, change_started, &(struct change){
		    .run = r->run, .tree = r->worktree }, &why);
	buf_release(&why);
}

/* What a record says of the hand-off; NULL: nothing that lasts. */
static const char *
work_handoff_word(const struct status *r)
{
	switch (r->handoff.state) {
	case HANDOFF_DONE: return "done";
	case HANDOFF_FAILED: return "failed";
	case HANDOFF_REFUSED: return "refused";
	default: return NULL;
	}
}

static bool
work_complete(const struct status *r)
{
	return r->verdict.state == STATE_COMPLETE &&
	    (r->handoff.state == HANDOFF_NONE ||
	    r->handoff.state == HANDOFF_DONE);
}

/* Its hand-off failed, which a person has to see. */
static void
work_handoff(struct work *w, struct holding *h, const struct status *r)
{
	const char *word = work_handoff_word(r);
	const char *known = order_part(&h->order, "handoff", "state");
	struct buf why = BUF_INIT;

	if (word != NULL && known != NULL && strcmp(known, word) != 0)
		holding_write(h, w->link, change_ended, &(struct change){
		    .host = w->rules->host, .run = h->run,
		    .token = h->lease.token, .handoff = word }, &why);
	buf_release(&why);
}

/* What its record says now. */
static void
work_look_at(struct work *w, struct holding *h)
{
	struct status r;
	int there = status_read(&r, h->place->context.dir.state_fd,
	    h->order.issue);

	if (there == 1)
		work_started(w, h, &r);
	h->works = there == 1 ? queued_holds(&r) : there == -1;
	if (there == 0)
		work_fail(w, h, "its run was forgotten here");
	else if (work_complete(&r) && work_end(w, h, change_ended,
	    &(struct change){ .host = w->rules->host, .run = r.run,
	    .token = h->lease.token, .state = "done",
	    .handoff = work_handoff_word(&r) }))
		printf("%s: done\n", h->order.issue);
	else if (there == 1)
		work_handoff(w, h, &r);
	/* Work without a lease goes on only if it is complete. */
	if (there == 1 && h->lapsed && !handoff_open(&r.handoff) &&
	    !order_handing(&h->order))
		h->gone = true;
	status_release(&r);
	fflush(stdout);
}

static void
work_drop(struct work *w)
{
	struct holding **link = &w->holdings, *h;

	while ((h = *link) != NULL) {
		if (!h->gone) {
			link = &h->next;
			continue;
		}
		*link = h->next;
		holding_release(h);
		free(h);
	}
}

static void
work_look(struct work *w)
{
	struct holding *h;

	w->look = false;
	for (h = w->holdings; h != NULL; h = h->next)
		if (!h->starting)
			work_look_at(w, h);
	work_drop(w);
}

static void
work_step(struct work *w, msec now)
{
	struct holding *h;

	for (h = w->holdings; h != NULL; h = h->next) {
		if (!h->starting || (h->start.pid != 0 &&
		    !spawn_step(&h->start, now)))
			continue;
		h->starting = false;
		w->look = true;
		if (h->start.status != 0)
			work_start_failed(w, h);
	}
	work_drop(w);
}

/* ---- renewing ------------------------------------------------------------- */

static void
work_renew_one(struct work *w, struct holding *h)
{
	struct buf why = BUF_INIT;
	bool before = h->lapsed;

	if (holding_renew(h, w->link, &w->leases, &why) == 0) {
		if (before)
			warnx("issue '%s': this host has its lease again",
			    h->order.issue);
	} else if (h->gone) {
		warnx("issue '%s' is no longer this host's: %s",
		    h->order.issue, buf_str(&why));
	} else {
		w->due = clock_sooner(w->due, clock_now() + WORK_AGAIN);
	}
	buf_release(&why);
}

/* It may have passed while the server was away. */
static void
work_lapse(struct work *w)
{
	struct holding *h;

	for (h = w->holdings; h != NULL; h = h->next) {
		if (h->lapsed || !lease_past(&h->lease, lease_now()))
			continue;
		h->lapsed = true;
		w->look = true;
		warnx("the lease of issue '%s' is over: its agent ends, and "
		    "another host may take it", h->order.issue);
	}
}

static void
work_renew(struct work *w)
{
	struct holding *h;

	w->due = clock_now() + w->leases.lasts / 3;
	for (h = w->holdings; h != NULL && link_up(w->link); h = h->next)
		work_renew_one(w, h);
	work_drop(w);
}

/* ---- taking --------------------------------------------------------------- */

static size_t
work_busy(const struct work *w)
{
	const struct holding *h = w->holdings;
	size_t n = 0;

	for (; h != NULL; h = h->next)
		n += h->starting || h->works;
	return n;
}

/* Tries one; false: the server does not answer. */
static bool
work_take(struct work *w, struct offer *o, struct place *p)
{
	struct buf why = BUF_INIT;
	struct holding h;
	enum holding_end end = holding_take(&h, w->link, &w->leases, p, o->key,
	    &why);

	o->later = clock_now() + w->leases.lasts / 3;
	if (end == HOLDING_DONE) {
		work_add(w, &h);
		work_start(w, w->holdings);
	} else {
		holding_release(&h);
	}
	if (end == HOLDING_FAILED)
		warnx("cannot take '%s': %s", o->key, buf_str(&why));
	buf_release(&why);
	return end != HOLDING_FAILED;
}

/* Has a look at one of a host's failed in this round?  The leases of a host
 * that is gone end together. */
static bool
work_host_lives(const struct work *w, const struct offer *o, msec now)
{
	const struct offer *other = w->offers.v;

	for (; o->host != NULL && other < o; other++)
		if (other->host != NULL && other->later > now &&
		    strcmp(other->host, o->host) == 0)
			return true;
	return false;
}

/* True: it could be taken now. */
static bool
work_free(struct work *w, const struct offer *o, struct place **p, msec now)
{
	return o->later <= now && work_holding(w, o->key) == NULL &&
	    (*p = work_place_of(w, o->repository)) != NULL &&
	    !work_host_lives(w, o, now);
}

static void
work_choose(struct work *w)
{
	struct place *p;
	size_t i;

	for (i = 0; i < w->offers.n && work_busy(w) < w->most; i++)
		if (work_free(w, &w->offers.v[i], &p, clock_now()) &&
		    !work_take(w, &w->offers.v[i], p))
			return;
}

/* When may the next one be tried? */
static msec
work_choose_due(struct work *w)
{
	msec due = CLOCK_NEVER;
	size_t i;

	if (!w->ready || work_busy(w) >= w->most)
		return due;
	for (i = 0; i < w->offers.n; i++)
		if (work_holding(w, w->offers.v[i].key) == NULL &&
		    work_place_of(w, w->offers.v[i].repository) != NULL)
			due = clock_sooner(due, w->offers.v[i].later);
	return due;
}

/* ---- the server ----------------------------------------------------------- */

static void
work_offer(void *context, const struct link_message *m)
{
	struct work *w = context;

	offers_take(&w->offers, m, w->rules);
}

/* What follows a backlog goes on by itself, until there is another one. */
static int
work_follow(struct work *w, const char *subject, struct buf *why)
{
	msec made;

	if (store_open(w->link, STORE_BACKLOG, &made, why) == -1)
		return -1;
	if (w->made == made)
		return 0;
	link_unfollow(w->link, WORK_ORDERS);
	w->made = 0;
	if (link_follow(w->link, WORK_ORDERS, store_stream(STORE_BACKLOG),
	    subject, LINK_NEW, why) == -1)
		return -1;
	w->made = made;
	return 0;
}

static bool
work_open(struct work *w, struct buf *why)
{
	char subject[64];

	snprintf(subject, sizeof(subject), "%s>",
	    store_prefix(STORE_BACKLOG));
	offers_release(&w->offers);
	if (work_follow(w, subject, why) == -1 ||
	    store_open(w->link, STORE_LEASES, &w->leases.made, why) == -1 ||
	    link_each(w->link, store_stream(STORE_BACKLOG), subject, LINK_LAST,
	    false, work_offer, w, why) == -1)
		return false;
	w->leases.lasts = store_lasts(w->link, STORE_LEASES, why);
	return w->leases.lasts > 0;
}

/* Issues that have a lease file. */
struct found {
	struct work  *work;
	struct place *place;
	char        **issues;
};

static void
found_take(void *context, const char *name)
{
	struct found *f = context;
	char issue[ISSUE_MAX + 1];

	if (issue_in_name(name, "", ".lease", issue))
		f->issues = argv_add(f->issues, issue);
}

/* The worker before may have been killed before its start was over. */
static void
work_go_on(struct work *w, struct holding *h)
{
	if (h->lapsed || order_handing(&h->order) ||
	    order_part(&h->order, "work", "run") != NULL)
		return;
	h->run[0] = '\0';
	if (!work_runs(h))
		work_start(w, h);
}

static void
work_find(struct work *w, struct place *p)
{
	struct found f = { .work = w, .place = p };
	struct buf why = BUF_INIT;
	struct holding h;
	char **issue;

	statusdir_names(p->context.dir.state_fd, found_take, &f);
	for (issue = f.issues; issue != NULL && *issue != NULL; issue++) {
		if (holding_find(&h, w->link, p, *issue, &why) &&
		    work_holding(w, buf_str(&h.key)) == NULL) {
			work_add(w, &h);
			work_go_on(w, w->holdings);
		} else {
			holding_release(&h);
		}
	}
	argv_free(f.issues);
	buf_release(&why);
}

/* A new connection: what the server has may be another thing. */
static void
work_connect(struct work *w)
{
	struct buf why = BUF_INIT;
	unsigned connects = link_connects(w->link);
	bool first = w->connects == 0;
	size_t i;

	if (!link_up(w->link) || (w->ready && w->connects == connects))
		return;
	w->ready = work_open(w, &why);
	if (w->ready) {
		w->connects = connects;
		w->told = false;
		w->due = 0;
		w->look = true;
		for (i = 0; first && i < w->nplaces; i++)
			work_find(w, &w->places[i]);
	} else if (!w->told) {
		warnx("cannot open the fleet's stores, trying again: %s",
		    buf_str(&why));
		w->told = true;
	}
	buf_release(&why);
}

/* ---- the loop -------------------------------------------------------------- */

static void
work_note(void *context, int watch, enum notify_change change,
    const char *name)
{
	struct work *w = context;

	(void)watch;
	(void)change;
	(void)name;
	w->look = true;
}

static msec
work_due(struct work *w, msec now)
{
	struct holding *h;
	msec due = CLOCK_NEVER;

	if (notify_fd(w->notify) == -1)
		due = now + notify_period(w->notify);
	for (h = w->holdings; h != NULL; h = h->next)
		if (h->starting)
			due = clock_sooner(due, spawn_deadline(&h->start,
			    now));
	if (!w->ready || !link_up(w->link))
		return clock_sooner(due, now + WORK_AGAIN);
	return clock_sooner(clock_sooner(due, w->due), work_choose_due(w));
}

static void
work_wait(struct work *w)
{
	struct pollfd *p = xcalloc(3 + 2 * work_busy(w), sizeof(*p));
	msec now = clock_now();
	struct holding *h;
	nfds_t n = 3;

	p[0] = (struct pollfd){ .fd = w->trap, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = link_fd(w->link), .events = POLLIN };
	p[2] = (struct pollfd){ .fd = notify_fd(w->notify), .events = POLLIN };
	for (h = w->holdings; h != NULL; h = h->next)
		if (h->starting)
			n += spawn_poll(&h->start, p + n);
	poll(p, n, clock_until(w->look ? now : work_due(w, now), now));
	w->over = trap_read() != 0;
	free(p);
}

static void
work_turn(struct work *w)
{
	struct link_message *m;

	while ((m = link_next(w->link)) != NULL) {
		offers_take(&w->offers, m, w->rules);
		link_message_free(m);
	}
	notify_read(w->notify, work_note, w);
	work_connect(w);
	work_step(w, clock_now());
	work_lapse(w);
	if (w->ready && link_up(w->link)) {
		/* What lapsed is looked at before it is renewed. */
		w->look |= clock_now() >= w->due;
		if (w->look)
			work_look(w);
		if (clock_now() >= w->due)
			work_renew(w);
		work_choose(w);
		if (w->once && w->holdings == NULL &&
		    work_choose_due(w) == CLOCK_NEVER)
			w->over = true;
	}
	if (!w->over)
		work_wait(w);
}

static void
work_begin(struct work *w, char *const *directories)
{
	size_t n = argv_count(directories);

	w->trap = trap_open();
	if (w->trap == -1)
		fatal("cannot catch signals");
	w->notify = context_notify();
	w->link = fleet_open(&w->context, NULL, true);
	w->rules = link_rules(w->link);
	w->places = xcalloc(n + 1, sizeof(*w->places));
	if (n == 0)
		work_place(w, ".");
	for (; *directories != NULL; directories++)
		work_place(w, *directories);
}

static int
work_run(const struct command *c, int argc, char **argv)
{
	struct work w = { .most = 0 };
	int key;

	while ((key = command_option(c, argc, argv)) != -1) {
		if (key == OPTION_ONCE)
			w.once = true;
		else
			w.most = (size_t)command_number(c, "--at-most",
			    optarg, 1, QUEUED_MOST);
	}
	if (w.most == 0)
		command_usage(c, "takes --at-most");
	work_begin(&w, argv + optind);
	while (!w.over)
		work_turn(&w);
	link_close(w.link);
	return EXIT_DONE;
}

static const struct command_option work_options[] = {
	{ 'n', "at-most", "N", "let N agents work at once" },
	{ OPTION_ONCE, "once", NULL, "end when there is nothing left to do" },
	{ 0 }
};

const struct command fleet_work_command = {
	.name = "work",
	.summary = "Take issues of the backlog, and start their agents here",
	.arguments = "[DIRECTORY...]",
	.examples =
	"  paneward-fleet work --at-most 3\n",
	.options = work_options,
	.run = work_run,
};
