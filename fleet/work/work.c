/*
 * work.c - takes issues of the fleet's backlog and starts their agents here.
 *
 * One loop waits for everything.  The lease files are the whole state: the next
 * worker finds the issues of a killed one by them.
 *
 * A call of the server may take long.  So due leases wait for one issue at
 * most.
 */
#include "fleet/work/work.h"
#include "os/newer.h"
#include "run/queued.h"

enum {
	WORK_AGAIN = 1000,              /* ms after a failure */
	PLACE_LOCK = 5000,              /* ms for a worker that just ends */
	START_LIMIT = 2 * 3600 * 1000,  /* ms: a checkout may be long */
	START_SHOWN = 400               /* bytes of why it failed */
};

struct work {
	struct link   *link;
	struct fleetloop wait;
	long           most;            /* agents at once */
	bool           once, told;
	struct place  *places;
	size_t         nplaces;
	struct offers  offers;
	struct holding *holdings;
	unsigned       connects;
	bool           ready;           /* the backlog is known */
	bool           found;           /* the issues of a worker before us */
	msec           made, lasts;     /* the backlog; a lease */
	bool           look;            /* a record may have changed */
};

/* ---- its state ----------------------------------------------------------- */

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

	while (h != NULL && (h->gone || strcmp(buf_str(&h->key), key) != 0))
		h = h->next;
	return h;
}

/* Also ends a start that still runs. */
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

/* ---- its start ----------------------------------------------------------- */

/* Runs `paneward start`; a failure here counts as its failure. */
static void
starting_begin(struct holding *h, const char *host)
{
	const struct order *o = &h->order;
	const char *backend = json_text(o->json, "backend");
	const char *base = json_text(o->json, "base"), *there, *tree = NULL;
	const char *prompt = json_text(o->json, "prompt");
	char **argv = argv_own(NULL, proc_beside("paneward"));
	int in = prompt != NULL ? fleet_input(prompt) : 0;
	const struct json *one;

	/* The work tree that an earlier run of the issue has left here. */
	json_each(one, json_member(o->json, "before")) {
		there = json_text(one, "tree");
		if (order_text_is(one, "host", host) && there != NULL &&
		    access(there, F_OK) == 0)
			tree = there;
	}
	argv = argv_add_all(argv, WORDS("start", o->issue, "--status-dir",
	    h->place->context.dir.path, "--handoff=default"));
	if (tree != NULL)
		argv = argv_own(argv, xasprintf("--worktree=%s", tree));
	else if (h->place->context.project.git_dir != NULL)
		argv = argv_add(argv, "--new-worktree");
	if (tree == NULL && base != NULL && base[0] != '-')
		argv = argv_own(argv, xasprintf("--base=%s", base));
	if (backend != NULL)
		argv = argv_own(argv, xasprintf("--backend=%s", backend));
	if (prompt != NULL)
		argv = argv_add(argv, "--prompt-file=/dev/stdin");
	if (in == -1)
		buf_printf(&h->start.errors, "cannot write the prompt: %s",
		    strerror(errno));
	if (in == -1 || spawn_begin(&h->start, &(struct spawn_how){
	    .argv = (const char *const *)argv, .in = in,
	    .cwd = h->place->context.project.root, .limit = START_LIMIT }) ==
	    -1)
		h->start.status = SPAWN_FAILED;
	if (in > 0)
		close(in);
	h->starting = true;
	argv_free(argv);
}

/* True also if the record cannot be read. */
static bool
starting_runs(const struct holding *h)
{
	struct status r;
	int got = status_read(&r, h->place->context.dir.state_fd,
	    h->order.issue);
	bool runs = got == 1 ? queued_lives(&r) : got == -1 &&
	    !file_refused(errno);

	status_release(&r);
	return runs;
}

/* ---- renewing ------------------------------------------------------------ */

static void
work_renew(struct work *w, struct holding *h)
{
	bool before = h->lapsed;

	h->due = clock_now() + WORK_AGAIN;
	if (holding_renew(h, w->link) == 0 && before)
		warnx("issue '%s': this host has its lease again",
		    h->order.issue);
}

static void
work_lapse(struct work *w)
{
	struct holding *h;

	for (h = w->holdings; h != NULL; h = h->next) {
		if (h->gone || !holding_lapse(h))
			continue;
		w->look = true;
		warnx("the lease of issue '%s' is over: its agent ends, and "
		    "another host may take it", h->order.issue);
	}
}

/* Renews due leases.  A lapsed one waits for outcome_look(): its agent ends. */
static void
work_keep(struct work *w)
{
	struct holding *h;

	for (h = w->holdings; h != NULL && link_up(w->link); h = h->next) {
		if (h->gone || clock_now() < h->due)
			continue;
		if (h->lapsed)
			w->look = true;
		else
			work_renew(w, h);
	}
	work_lapse(w);
}

/* ---- taking -------------------------------------------------------------- */

static long
work_busy(const struct work *w)
{
	const struct holding *h = w->holdings;
	long n = 0;

	for (; h != NULL; h = h->next)
		n += !h->gone && (h->starting || h->works);
	return n;
}

static void
work_choose(struct work *w)
{
	enum holding_end end = HOLDING_DONE;
	struct buf why = BUF_INIT;
	struct offer *o, *other;
	struct holding *h;
	struct place *p;
	msec now;

	for (o = w->offers.v; o < w->offers.v + w->offers.n &&
	    end != HOLDING_FAILED && work_busy(w) < w->most; o++) {
		now = clock_now();
		p = work_place_of(w, o->repository);
		if (o->later > now || p == NULL ||
		    work_holding(w, o->key) != NULL)
			continue;
		/* The leases of a gone host end together: after a failed try in
		 * this round, its other issues wait. */
		for (other = w->offers.v; other < o; other++)
			if (o->host != NULL && other->host != NULL &&
			    other->later > now &&
			    strcmp(other->host, o->host) == 0)
				break;
		if (other < o)
			continue;
		work_keep(w);
		work_drop(w);
		h = xmalloc(sizeof(*h));
		end = holding_take(h, w->link, p, o->key, &why);
		o->later = clock_now() + w->lasts / 3;
		h->gone = end != HOLDING_DONE;
		h->next = w->holdings;
		w->holdings = h;
		if (!h->gone)
			starting_begin(h, w->link->rules->host);
		if (end == HOLDING_FAILED)
			warnx("cannot take '%s': %s", o->key, buf_str(&why));
		buf_reset(&why);
	}
	buf_release(&why);
}

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

/* ---- the server ---------------------------------------------------------- */

static void
work_order(void *context, const struct link_message *m)
{
	struct work *w = context;
	struct holding *h;

	work_keep(w);
	offers_take(&w->offers, m, w->link->rules);
	h = work_holding(w, m->subject + strlen(stores[STORE_BACKLOG].prefix));
	if (h == NULL || h->order.revision == m->sequence)
		return;
	h->changed = true;
	w->look = true;
}

static int
work_open(struct work *w, struct buf *why)
{
	struct store_look look;

	offers_release(&w->offers);
	if (store_open(w->link, STORE_LEASES, &look, why) == -1 ||
	    look.lasts <= 0)
		return -1;
	w->lasts = look.lasts;
	work_keep(w);
	if (store_open(w->link, STORE_BACKLOG, &look, why) == -1)
		return -1;
	/* A subscription lasts until there is another backlog, or the link was
	 * made anew. */
	if (w->made != look.made || w->link->sub == NULL) {
		w->made = 0;
		if (link_follow(w->link, STORE_BACKLOG, ">", LINK_NEW,
		    why) == -1)
			return -1;
		w->made = look.made;
	}
	return store_each(w->link, STORE_BACKLOG, ">", work_order, w, why);
}

/* Finds the issues of a worker before us.  -1 after saying why. */
static int
work_find(struct work *w, struct buf *why)
{
	char **names, **p, issue[ISSUE_MAX + 1];
	struct place *place = w->places;
	struct holding *h;
	int ours = 0;

	for (; !w->found && ours != -1 && place < w->places + w->nplaces;
	    place++) {
		names = statusdir_names(place->context.dir.state_fd);
		if (names == NULL && place->context.dir.state_fd != -1) {
			buf_printf(why, "cannot read the status directory "
			    "'%s': %s", place->context.dir.path,
			    strerror(errno));
			ours = -1;
		}
		for (p = names; ours != -1 && p != NULL && *p != NULL; p++) {
			if (!issue_in_name(*p, "", ".lease", issue))
				continue;
			work_keep(w);
			h = xmalloc(sizeof(*h));
			ours = holding_find(h, w->link, place, issue, w->lasts,
			    why);
			if (ours == 0)
				outcome_tidy(h, w->link);
			h->gone = ours != 1 ||
			    work_holding(w, buf_str(&h->key)) != NULL;
			h->next = w->holdings;
			w->holdings = h;
			/* The killed worker may not have started it. */
			if (h->gone || h->lapsed || order_handing(&h->order) ||
			    order_part(&h->order, "work", "run") != NULL)
				continue;
			h->run[0] = '\0';
			if (!starting_runs(h))
				starting_begin(h, w->link->rules->host);
		}
		argv_free(names);
	}
	w->found |= ours != -1;
	return ours == -1 ? -1 : 0;
}

static void
work_connect(struct work *w)
{
	struct buf why = BUF_INIT;
	unsigned connects = w->link->connects;
	struct holding *h;

	if (!link_up(w->link) || (w->ready && w->connects == connects))
		return;
	for (h = w->holdings; h != NULL; h = h->next)
		h->due = 0;
	w->ready = work_open(w, &why) == 0 && work_find(w, &why) == 0;
	if (w->ready) {
		w->connects = connects;
		w->told = false;
		w->look = true;
	} else if (!w->told) {
		warnx("cannot open the fleet's stores, trying again: %s",
		    buf_str(&why));
		w->told = true;
	}
	buf_release(&why);
}

/* ---- the loop ------------------------------------------------------------ */

static void
work_note(void *context, int watch, enum notify_change change, const char *name)
{
	struct work *w = context;

	(void)watch, (void)change, (void)name;
	w->look = true;
}

static void
starting_end(struct holding *h)
{
	struct buf shown = BUF_INIT;
	const char *line;

	h->starting = false;
	/* A killed worker's start may have continued. */
	if (h->start.status == 0 || starting_runs(h))
		return;
	line = buf_last_line(&h->start.errors);
	if (strncmp(line, "paneward: ", 10) == 0)
		line += 10;
	utf8_add_shown(&shown, line, strlen(line), START_SHOWN);
	if (shown.len == 0)
		buf_adds(&shown, "it cannot be started");
	h->failed = buf_steal(&shown);
}

static bool
work_turn(struct work *w)
{
	struct holding *h;
	bool served;
	msec due;

	link_read(w->link, work_order, w);
	notify_read(w->wait.notify, work_note, w);
	work_connect(w);
	for (h = w->holdings; h != NULL; h = h->next)
		if (h->starting && h->start.pid == 0) {
			starting_end(h);
			w->look = true;
		}
	work_lapse(w);
	if (w->ready && link_up(w->link)) {
		work_keep(w);
		h = w->look ? w->holdings : NULL;
		for (w->look = false; h != NULL; h = h->next) {
			work_keep(w);
			if (!h->gone)
				outcome_look(h, w->link);
			if (!h->gone && h->lapsed && clock_now() >= h->due)
				work_renew(w, h);
		}
		work_choose(w);
	}
	work_drop(w);
	served = w->ready && link_up(w->link);
	due = !served ? clock_now() + WORK_AGAIN : w->look ? 0 :
	    work_choose_due(w);
	if (w->once && w->holdings == NULL && due == CLOCK_NEVER)
		return true;
	for (h = w->holdings; h != NULL; h = h->next) {
		spawn_follow(&h->start, &w->wait.loop, NULL, NULL);
		due = served ? clock_sooner(due, h->due) : due;
	}
	return fleetloop_round(&w->wait, w->link, due);
}

static int
work_run(const struct command *c, int argc, char **argv)
{
	static char here[] = ".", *alone[] = { here, NULL };
	struct work w = { .most = 0 };
	struct buf why = BUF_INIT;
	char **words = argv;
	struct newer newer;
	struct holding *h;
	struct place *p;

	command_option(c, argc, argv, &w);
	if (w.most == 0)
		command_usage(c, "takes --at-most");
	argv = optind < argc ? argv + optind : alone;
	fleetloop_open(&w.wait);
	newer_open(&newer, NULL, &w.wait.loop);
	w.link = fleet_open(NULL, true);
	w.places = xcalloc(argv_count(argv), sizeof(*w.places));
	for (; *argv != NULL; argv++) {
		p = &w.places[w.nplaces++];
		p->lock = (struct lock)LOCK_INIT;
		if (context_find(&p->context, *argv, &why) != EXIT_DONE)
			fatalx("cannot work in '%s': %s", *argv, buf_str(&why));
		p->context.dir.path = statusdir_path(NULL, &p->context.config,
		    &p->context.project);
		context_make(&p->context);
		context_check(&p->context, true);
		repository_of(&p->repository, &p->context.project);
		if (lock_await(&p->lock, p->context.dir.state_fd,
		    ".fleet-work", PLACE_LOCK) != 1)
			fatalx("process %ld works for the fleet in '%s' "
			    "already", (long)p->lock.holder, *argv);
		notify_watch(w.wait.notify, p->context.dir.state_fd,
		    NOTIFY_DIRECTORY);
	}
	while (!work_turn(&w)) {
		for (h = w.holdings; h != NULL && !h->starting; h = h->next)
			continue;
		if (newer_look(&newer, clock_now()) && h == NULL)
			newer_become(&newer, (const char *const *)words);
	}
	link_close(w.link);
	return EXIT_DONE;
}

const struct command fleet_work_command = {
	.name = "work",
	.summary = "Take issues of the backlog, and start their agents here",
	.arguments = "[DIRECTORY...]",
	.examples =
	"  paneward-fleet work --at-most 3\n",
	.options = (const struct command_option[]){
		{ 'n', "at-most", "N", "let N agents work at once",
		    NUMBER_AT(struct work, most, 1, QUEUED_MOST) },
		{ 0, "once", NULL, "end when there is nothing left to do",
		    FLAG_AT(struct work, once) },
		{ 0 }
	},
	.run = work_run,
};
