/*
 * backlog.c - the fleet's backlog for a person, who sees it, puts issues into
 * it, and takes them from their hosts.
 */

#include "fleet/work/work.h"
#include "project/startlist.h"
#include "run/queued.h"

enum {
	BACKLOG_STATE = 15,             /* characters of a column */
	BACKLOG_HOST = 16,
	BACKLOG_TITLE = 60,             /* bytes of a prompt */
	BACKLOG_MOST = 500,             /* and of other texts */
	SUBMIT_PROMPT = 100 << 10       /* bytes, as start takes */
};

/* ---- showing ------------------------------------------------------------- */

struct backlog {
	struct order *v;
	size_t n;
	char **leases;                  /* keys */
	bool   json;
};

static void
backlog_take(void *context, const struct link_message *m)
{
	struct backlog *b = context;
	struct order o;

	if (order_take_message(&o, m))
		*ARRAY_ADD(b->v, b->n) = o;
}

static void
backlog_lease(void *context, const struct link_message *m)
{
	struct backlog *b = context;

	if (!m->gone)
		b->leases = argv_add(b->leases, m->subject +
		    strlen(stores[STORE_LEASES].prefix));
}

static int
backlog_order(const void *a, const void *b)
{
	uint64_t x = order_number(a), y = order_number(b);

	return x < y ? -1 : x > y;
}

/* A column of so many characters: the first line of another host's text, cut
 * after so many bytes. */
static void
backlog_column(struct buf *line, const char *text, int width, size_t most)
{
	struct buf shown = BUF_INIT;
	size_t len = strcspn(text, "\n");

	msg_escape(&shown, text, len < most ? len : most);
	buf_printf(line, " %-*s", width, buf_str(&shown));
}

static void
backlog_print(const struct backlog *b, const struct order *o)
{
	const char *handing = order_part(o, "handoff", "state"), *state;
	const char *host = order_part(o, handing != NULL ? "handoff" : "work",
	    "host"), *text = json_text(o->json, "prompt");
	const struct json *failed = json_member(o->json, "failed");
	struct buf line = BUF_INIT, key = BUF_INIT;
	struct json *out;

	order_key(&key, json_text(o->json, "repository"), o->issue);
	if (order_over(o))
		state = json_text(o->json, "state");
	else if (handing != NULL)
		state = strcmp(handing, "begun") == 0 ? "handing-off" :
		    "hand-off-failed";
	else if (host == NULL)
		state = failed != NULL ? "failed" : "waiting";
	else
		state = argv_has(b->leases, buf_str(&key)) ? "working" : "lost";
	if (b->json) {
		out = json_copy(NULL, o->json);
		order_set(out, "state", state);
		json_drop(out, "submitted");
		json_add_time(out, "submitted",
		    json_number(o->json, "submitted", o->time));
		json_add_time(out, "since", o->time);
		json_puts(out);
		return;
	}
	if (strcmp(state, "failed") == 0)
		text = json_text(json_at(failed, json_size(failed) - 1), "why");
	buf_printf(&line, "%-12s", o->issue);
	backlog_column(&line, state, BACKLOG_STATE, BACKLOG_MOST);
	backlog_column(&line, host != NULL ? host : "-", BACKLOG_HOST,
	    BACKLOG_MOST);
	buf_printf(&line, " since %.16s ", CLOCK_WORDS(o->time));
	backlog_column(&line, json_text(o->json, "repository"), 0,
	    BACKLOG_MOST);
	if (text != NULL) {
		buf_addc(&line, ' ');
		backlog_column(&line, text, 0, BACKLOG_TITLE);
	}
	puts(buf_str(&line));
}

static int
backlog_run(const struct command *c, int argc, char **argv)
{
	struct backlog b = { 0 };
	struct buf why = BUF_INIT;
	struct store_look look;
	struct link *l;
	size_t i;

	command_option(c, argc, argv, &b);
	l = fleet_open(NULL, false);
	if (store_open(l, STORE_BACKLOG, &look, &why) == -1 ||
	    store_each(l, STORE_BACKLOG, ">", backlog_take, &b, &why) == -1 ||
	    store_open(l, STORE_LEASES, &look, &why) == -1 ||
	    store_each(l, STORE_LEASES, ">", backlog_lease, &b, &why) == -1)
		fatalx("cannot read the backlog: %s", buf_str(&why));
	if (b.n > 0)
		qsort(b.v, b.n, sizeof(*b.v), backlog_order);
	for (i = 0; i < b.n; i++)
		backlog_print(&b, &b.v[i]);
	link_close(l);
	return EXIT_DONE;
}

const struct command fleet_backlog_command = {
	.name = "backlog",
	.summary = "Show what waits, what is worked on and where, what is done",
	.options = (const struct command_option[]){
		JSON_AT(struct backlog, json, "one object of JSON a line"),
		{ 0 } },
	.run = backlog_run,
};

/* ---- submitting ---------------------------------------------------------- */

enum { OPTION_PROMPT = 'p', OPTION_PROMPT_FILE = OPTION_LONG };

struct submit {
	struct link *link;
	const char  *from, *backend, *base, *named, *status_dir;
	struct buf   prompt, repository;
	char       **labels;
	bool         again;
	struct order *orders;
	size_t       n;
};

static const struct command_option submit_options[] = {
	{ 0, "from", "FILE", "submit what a list names, a line an issue",
	    TEXT_AT(struct submit, from) },
	{ OPTION_PROMPT, "prompt", "TEXT", "what the agent is to do" },
	{ OPTION_PROMPT_FILE, "prompt-file", "FILE", "the same, from a file" },
	{ 'b', "backend", "NAME", "the kind of agent",
	    TEXT_AT(struct submit, backend) },
	{ 0, "base", "COMMIT", "what the new work tree begins with",
	    TEXT_AT(struct submit, base) },
	{ 'l', "label", "NAME", "only for hosts that have this label",
	    LIST_AT(struct submit, labels) },
	{ 0, "repository", "NAME", "of another repository than the one here",
	    TEXT_AT(struct submit, named) },
	{ 0, "again", NULL, "also what is done, or could not be started",
	    FLAG_AT(struct submit, again) },
	CONTEXT_OPTION_AT(struct submit, status_dir),
	{ 0 }
};

static void
submit_prompt_file(struct buf *prompt, const char *path)
{
	buf_reset(prompt);
	if (file_read(AT_FDCWD, path, 0, prompt, SUBMIT_PROMPT + 1) == -1)
		fatal("cannot read the prompt '%s'", path);
}

static void
submit_add(struct submit *s, const struct startlist_item *item)
{
	struct order *o = &s->orders[s->n++];
	char *const *word = item->options;
	const char *prompt, *base;
	struct buf file = BUF_INIT;
	char **label, *name, *value;
	struct json *labels;
	size_t len;

	*o = (struct order){ .json = json_new_object() };
	snprintf(o->issue, sizeof(o->issue), "%s", item->issue);
	json_add_texts(o->json, "issue", o->issue, "repository",
	    buf_str(&s->repository), "prompt", s->prompt.len > 0 ?
	    buf_str(&s->prompt) : NULL, "backend", s->backend, "base", s->base,
	    "by", s->link->rules->host);
	labels = json_add_list(o->json, "labels");
	for (label = s->labels; label != NULL && *label != NULL; label++)
		json_add_text(labels, NULL, *label);
	if (item->command != NULL)
		fatal_usage("a command cannot be given to another host");
	for (; word != NULL && *word != NULL; word++) {
		len = strcspn(*word, "=");
		name = xstrndup(*word + 2, len - 2);
		value = *word + len + 1;
		if (strcmp(name, "prompt-file") == 0) {
			submit_prompt_file(&file, value);
			order_set(o->json, "prompt", buf_str(&file));
		} else if (strcmp(name, "prompt") == 0 ||
		    strcmp(name, "backend") == 0 || strcmp(name, "base") == 0) {
			order_set(o->json, name, value);
		} else if (strcmp(*word, "--new-worktree") != 0) {
			fatal_usage("'--%s' cannot be given to another host",
			    name);
		}
		free(name);
	}
	buf_release(&file);
	prompt = json_text(o->json, "prompt");
	base = json_text(o->json, "base");
	if (prompt != NULL && strlen(prompt) > SUBMIT_PROMPT)
		fatal_usage("issue '%s': the prompt is longer than %d bytes",
		    o->issue, SUBMIT_PROMPT);
	if (prompt != NULL && prompt[0] == '-')
		fatal_usage("issue '%s': the prompt begins with '-'", o->issue);
	if (base != NULL && base[0] == '-')
		fatal_usage("issue '%s': '%s' is not a commit", o->issue, base);
}

static void
submit_collect(struct submit *s, const struct command *c, char *const *issues)
{
	struct startlist list = { 0 };
	struct startlist_item item = { .place = NULL };
	enum exit_status status;
	struct buf why = BUF_INIT;
	size_t i;

	if (s->from != NULL && (status = startlist_read(&list, s->from,
	    QUEUED_MOST, &why)) != EXIT_DONE)
		msg_fatal(status, 0, "%s", buf_str(&why));
	s->orders = xcalloc(list.n + argv_count(issues), sizeof(*s->orders));
	for (i = 0; i < list.n; i++) {
		msg_at(list.v[i].place);
		submit_add(s, &list.v[i]);
	}
	msg_at(NULL);
	for (; *issues != NULL; issues++) {
		command_issue(c, *issues);
		item.issue = *issues;
		submit_add(s, &item);
	}
}

static bool
submit_replaces(const struct submit *s, const struct order *old,
    struct buf *why)
{
	const char *host = order_part(old, "work", "host");

	if (old->json == NULL)
		return true;
	if (order_over(old))
		buf_printf(why, "it is %s", json_text(old->json, "state"));
	else if (order_handing(old))
		buf_printf(why, "host '%s' hands it off",
		    order_part(old, "handoff", "host"));
	else if (host != NULL)
		buf_printf(why, "host '%s' works on it", host);
	else
		buf_adds(why, "it waits in the backlog");
	return s->again && (order_over(old) || (!order_handing(old) &&
	    host == NULL));
}

static int
submit_run(const struct command *c, int argc, char **argv)
{
	struct submit s = { .link = NULL };
	struct buf why = BUF_INIT, name = BUF_INIT;
	struct store_look look;
	struct order *o, old;
	enum store_end end;
	bool good = true;
	char **label;
	int key;

	while ((key = command_option(c, argc, argv, &s)) != -1) {
		buf_reset(&s.prompt);
		if (key == OPTION_PROMPT)
			buf_adds(&s.prompt, optarg);
		else
			submit_prompt_file(&s.prompt, optarg);
	}
	for (label = s.labels; label != NULL && *label != NULL; label++)
		if (!fleet_name_valid(*label))
			command_usage(c, "'%s' is not a label", *label);
	if ((s.from != NULL) == (optind < argc))
		command_usage(c, "takes issues, or --from");
	s.link = fleet_open(s.status_dir, false);
	if (s.named != NULL && s.named[0] != '\0')
		buf_adds(&s.repository, s.named);
	else
		repository_of(&s.repository, &s.link->context->project);
	submit_collect(&s, c, argv + optind);
	if (store_open(s.link, STORE_BACKLOG, &look, &why) == -1)
		fatalx("cannot open the backlog: %s", buf_str(&why));
	/* All are checked before the first is written. */
	for (o = s.orders; o < s.orders + s.n; o++) {
		buf_reset(&name);
		buf_reset(&why);
		order_key(&name, buf_str(&s.repository), o->issue);
		if (order_get(s.link, buf_str(&name), &old, &why) == -1)
			fatalx("cannot read the backlog: %s", buf_str(&why));
		if (!submit_replaces(&s, &old, &why))
			fatalx("cannot submit issue '%s': %s%s", o->issue,
			    buf_str(&why), s.again || order_handing(&old) ?
			    "" : " (see --again)");
		o->revision = old.revision;
		order_release(&old);
	}
	for (o = s.orders; o < s.orders + s.n; o++) {
		buf_reset(&name);
		buf_reset(&why);
		order_key(&name, buf_str(&s.repository), o->issue);
		end = order_put(s.link, buf_str(&name), o, &why);
		if (end == STORE_TAKEN)
			warnx("cannot submit issue '%s': another host has just "
			    "changed it", o->issue);
		else if (end == STORE_FAILED)
			warnx("cannot submit issue '%s': %s", o->issue,
			    buf_str(&why));
		else
			printf("%s: submitted\n", o->issue);
		good &= end == STORE_DONE;
	}
	link_close(s.link);
	return good ? EXIT_DONE : EXIT_COULD_NOT;
}

const struct command fleet_submit_command = {
	.name = "submit",
	.summary = "Put issues into the fleet's backlog",
	.arguments = "[ISSUE...]",
	.examples =
	"  paneward-fleet submit 42 --prompt \"Please work on issue 42.\"\n"
	"  paneward-fleet submit --from issues.txt --label gpu\n",
	.options = submit_options,
	.run = submit_run,
};

/* ---- releasing ----------------------------------------------------------- */

struct release {
	const char *repository;
	bool        done;
};

static int
release_run(const struct command *c, int argc, char **argv)
{
	struct release r = { .repository = NULL };
	struct buf here = BUF_INIT, key = BUF_INIT, why = BUF_INIT;
	const char *issue;
	enum exit_status status = EXIT_DONE;
	enum store_end end;
	struct order o;
	struct link *l;
	int there, tries;

	command_option(c, argc, argv, &r);
	l = fleet_open(NULL, false);
	if (r.repository == NULL) {
		repository_of(&here, &l->context->project);
		r.repository = buf_str(&here);
	}
	for (; optind < argc; optind++) {
		issue = command_issue(c, argv[optind]);
		buf_reset(&key);
		order_key(&key, r.repository, issue);
		end = STORE_TAKEN;
		for (tries = 0; end == STORE_TAKEN && tries < ORDER_TRIES;
		    tries++) {
			buf_reset(&why);
			there = order_get(l, buf_str(&key), &o, &why);
			if (there == 0)
				buf_adds(&why, "it is not in the backlog");
			if (there == 1 && !r.done) {
				order_free(&o);
				json_drop(o.json, "failed");
			}
			if (there == 1)
				order_set(o.json, "state", r.done ? "done" :
				    NULL);
			end = there == 1 ? order_put(l, buf_str(&key), &o,
			    &why) : STORE_FAILED;
			order_release(&o);
		}
		if (end == STORE_DONE)
			continue;
		warnx("cannot release issue '%s': %s", issue, buf_str(&why));
		if (status != EXIT_COULD_NOT)
			status = there == 0 ? EXIT_NO : EXIT_COULD_NOT;
	}
	link_close(l);
	return status;
}

const struct command fleet_release_command = {
	.name = "release",
	.summary = "Take an issue from its host, or mark it as done",
	.arguments = "ISSUE...",
	.options = (const struct command_option[]){
		{ 0, "done", NULL, "it is done: no host takes it",
		    FLAG_AT(struct release, done) },
		{ 0, "repository", "NAME", "of another repository than the "
		    "one here", TEXT_AT(struct release, repository) },
		{ 0 } },
	.run = release_run,
};
