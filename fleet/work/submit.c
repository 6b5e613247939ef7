/*
 * submit.c - puts issues into the fleet's backlog, and takes them from their
 * hosts.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argv.h"
#include "base/msg.h"
#include "fleet/commands.h"
#include "fleet/wire/open.h"
#include "fleet/work/order.h"
#include "os/file.h"
#include "project/startlist.h"
#include "run/queued.h"

enum {
	OPTION_FROM = OPTION_LONG, OPTION_PROMPT_FILE, OPTION_REPOSITORY,
	OPTION_BASE, OPTION_AGAIN, OPTION_DONE,
	SUBMIT_PROMPT = 100 << 10       /* bytes, as start takes */
};

static const struct command_option submit_options[] = {
	{ OPTION_FROM, "from", "FILE", "submit what a list names, a line an "
	    "issue" },
	{ 'p', "prompt", "TEXT", "what the agent is to do" },
	{ OPTION_PROMPT_FILE, "prompt-file", "FILE", "the same, from a file" },
	{ 'b', "backend", "NAME", "the kind of agent" },
	{ OPTION_BASE, "base", "COMMIT", "what the new work tree begins with" },
	{ 'l', "label", "NAME", "only for hosts that have this label" },
	{ OPTION_REPOSITORY, "repository", "NAME", "of another repository than "
	    "the one here" },
	{ OPTION_AGAIN, "again", NULL, "also what is done, or could not be "
	    "started" },
	CONTEXT_OPTION,
	{ 0 }
};

struct submit {
	const struct command *command;
	struct link *link;
	const char  *host;
	const char  *from, *backend, *base;
	struct buf   prompt, repository;
	char       **labels;
	bool         again;
	struct order *orders;
	size_t       n;
};

/* ---- what is wanted ------------------------------------------------------ */

static void
submit_prompt_file(struct buf *prompt, const char *path)
{
	buf_reset(prompt);
	if (file_read(AT_FDCWD, path, 0, prompt, SUBMIT_PROMPT + 1) == -1)
		fatal("cannot read the prompt '%s'", path);
}

/* The value of an option "--NAME=VALUE"; NULL: it is another one. */
static const char *
submit_value(const char *word, const char *name)
{
	size_t len = strlen(name);

	return strncmp(word, "--", 2) == 0 &&
	    strncmp(word + 2, name, len) == 0 && word[2 + len] == '=' ?
	    word + 3 + len : NULL;
}

static void
submit_add(struct submit *s, const struct startlist_item *item)
{
	struct order *o = &s->orders[s->n++];
	char *const *word = item->options;      /* of a line of the list */
	struct buf file = BUF_INIT;
	const char *prompt, *base, *v;
	cJSON *labels;
	char **label;

	*o = (struct order){ .json = json_new_object() };
	snprintf(o->issue, sizeof(o->issue), "%s", item->issue);
	order_set(o, "issue", o->issue);
	order_set(o, "repository", buf_str(&s->repository));
	order_set(o, "prompt", s->prompt.len > 0 ? buf_str(&s->prompt) : NULL);
	order_set(o, "backend", s->backend);
	order_set(o, "base", s->base);
	order_set(o, "by", s->host);
	labels = cJSON_AddArrayToObject(o->json, "labels");
	for (label = s->labels; label != NULL && *label != NULL; label++)
		cJSON_AddItemToArray(labels, cJSON_CreateString(*label));
	if (item->command != NULL)
		fatal_usage("a command cannot be given to another host");
	for (; word != NULL && *word != NULL; word++) {
		if ((v = submit_value(*word, "prompt")) != NULL)
			order_set(o, "prompt", v);
		else if ((v = submit_value(*word, "backend")) != NULL)
			order_set(o, "backend", v);
		else if ((v = submit_value(*word, "base")) != NULL)
			order_set(o, "base", v);
		else if ((v = submit_value(*word, "prompt-file")) != NULL) {
			submit_prompt_file(&file, v);
			order_set(o, "prompt", buf_str(&file));
		} else if (strcmp(*word, "--new-worktree") != 0) {
			fatal_usage("'%.*s' cannot be given to another host",
			    (int)strcspn(*word, "="), *word);
		}
	}
	buf_release(&file);
	prompt = order_text(o, "prompt");
	base = order_text(o, "base");
	if (prompt != NULL && strlen(prompt) > SUBMIT_PROMPT)
		fatal_usage("issue '%s': the prompt is longer than %d bytes",
		    o->issue, SUBMIT_PROMPT);
	if (prompt != NULL && prompt[0] == '-')
		fatal_usage("issue '%s': the prompt begins with '-'", o->issue);
	if (base != NULL && base[0] == '-')
		fatal_usage("issue '%s': '%s' is not a commit", o->issue, base);
}

static void
submit_collect(struct submit *s, char *const *issues, size_t n)
{
	struct startlist list = { 0 };
	struct startlist_item item = { .place = NULL };
	enum exit_status status = EXIT_DONE;
	struct buf why = BUF_INIT;
	size_t i;

	if (s->from != NULL)
		status = startlist_read(&list, s->from, QUEUED_MOST, &why);
	if (status != EXIT_DONE)
		msg_fatal(status, 0, "%s", buf_str(&why));
	s->orders = calloc(list.n + n, sizeof(*s->orders));
	if (s->orders == NULL)
		fatal("no memory");
	for (i = 0; i < list.n; i++) {
		msg_at(list.v[i].place);
		submit_add(s, &list.v[i]);
	}
	msg_at(NULL);
	for (i = 0; i < n; i++) {
		command_issue(s->command, issues[i]);
		item.issue = issues[i];
		submit_add(s, &item);
	}
	startlist_release(&list);
}

/* ---- the backlog --------------------------------------------------------- */

/* May it take the place of what is there? */
static bool
submit_replaces(const struct submit *s, const struct order *old,
    struct buf *why)
{
	const char *host = order_part(old, "work", "host");

	if (old->json == NULL)
		return true;
	if (order_over(old))
		buf_printf(why, "it is %s", order_text(old, "state"));
	else if (order_handing(old))
		buf_printf(why, "host '%s' hands it off",
		    order_part(old, "handoff", "host"));
	else if (host != NULL)
		buf_printf(why, "host '%s' works on it", host);
	else
		buf_adds(why, "it waits in the backlog");
	if (order_handing(old) && !order_over(old))
		return false;
	return s->again && (host == NULL || order_over(old));
}

/* Finds what is there of each, and ends the program if one cannot be
 * submitted: nothing was written by then. */
static void
submit_look(struct submit *s)
{
	struct buf why = BUF_INIT, key = BUF_INIT;
	struct order old;
	size_t i;

	for (i = 0; i < s->n; i++) {
		buf_reset(&key);
		buf_reset(&why);
		order_key(&key, buf_str(&s->repository), s->orders[i].issue);
		if (order_get(s->link, buf_str(&key), &old, &why) == -1)
			fatalx("cannot read the backlog: %s", buf_str(&why));
		if (!submit_replaces(s, &old, &why))
			fatalx("cannot submit issue '%s': %s%s",
			    s->orders[i].issue, buf_str(&why),
			    s->again || order_handing(&old) ? "" :
			    " (see --again)");
		s->orders[i].revision = old.revision;
		order_release(&old);
	}
	buf_release(&why);
	buf_release(&key);
}

static int
submit_run(const struct command *c, int argc, char **argv)
{
	struct submit s = { .command = c };
	const char *repository = NULL, *status_dir = NULL;
	struct context context;
	struct buf why = BUF_INIT, name = BUF_INIT;
	enum store_end end;
	bool good = true;
	struct order *o;
	int key;

	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		switch (key) {
		case OPTION_FROM: s.from = optarg; break;
		case 'p':
			buf_reset(&s.prompt);
			buf_adds(&s.prompt, optarg);
			break;
		case OPTION_PROMPT_FILE:
			submit_prompt_file(&s.prompt, optarg);
			break;
		case 'b': s.backend = optarg; break;
		case OPTION_REPOSITORY: repository = optarg; break;
		case OPTION_BASE: s.base = optarg; break;
		case 'l':
			if (!fleet_name_valid(optarg))
				command_usage(c, "'%s' is not a label",
				    optarg);
			s.labels = argv_add(s.labels, optarg);
			break;
		case OPTION_AGAIN: s.again = true; break;
		default: status_dir = optarg;
		}
	}
	if ((s.from != NULL) == (optind < argc))
		command_usage(c, "takes issues, or --from");
	s.link = fleet_open(&context, status_dir, false);
	s.host = link_rules(s.link)->host;
	if (repository != NULL && repository[0] != '\0')
		buf_adds(&s.repository, repository);
	else
		repository_of(&s.repository, &context.project);
	submit_collect(&s, argv + optind, (size_t)(argc - optind));
	if (store_open(s.link, STORE_BACKLOG, NULL, &why) == -1)
		fatalx("cannot open the backlog: %s", buf_str(&why));
	submit_look(&s);
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
	return fleet_close(&context, s.link, good);
}

const struct command fleet_submit_command = {
	.name = "submit",
	.summary = "Put issues into the fleet's backlog",
	.arguments = "ISSUE...",
	.examples =
	"  paneward-fleet submit 42 --prompt \"Please work on issue 42.\"\n"
	"  paneward-fleet submit --from issues.txt --label gpu\n",
	.options = submit_options,
	.run = submit_run,
};

/* ---- a person takes an issue from its host, or marks it as done ---------- */

static bool
release_issue(struct link *l, const char *repository, bool done,
    const char *issue)
{
	struct buf key = BUF_INIT, why = BUF_INIT;
	enum store_end end = STORE_TAKEN;
	struct order o;
	int there, tries;

	order_key(&key, repository, issue);
	for (tries = 0; end == STORE_TAKEN && tries < ORDER_TRIES; tries++) {
		buf_reset(&why);
		there = order_get(l, buf_str(&key), &o, &why);
		if (there == 0)
			buf_adds(&why, "it is not in the backlog");
		if (there == 1 && !done) {
			order_free(&o);
			order_set(&o, "failed", NULL);
		}
		if (there == 1)
			order_set(&o, "state", done ? "done" : NULL);
		end = there == 1 ? order_put(l, buf_str(&key), &o, &why) :
		    STORE_FAILED;
		order_release(&o);
	}
	if (end != STORE_DONE)
		warnx("cannot release issue '%s': %s", issue, buf_str(&why));
	buf_release(&key);
	buf_release(&why);
	return end == STORE_DONE;
}

static int
release_run(const struct command *c, int argc, char **argv)
{
	const char *repository = NULL;
	bool done = false, good = true;
	struct buf here = BUF_INIT;
	struct context context;
	struct link *l;
	int key;

	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		if (key == OPTION_DONE)
			done = true;
		else
			repository = optarg;
	}
	if (optind == argc)
		command_usage(c, "takes an issue");
	l = fleet_open(&context, NULL, false);
	if (repository == NULL) {
		repository_of(&here, &context.project);
		repository = buf_str(&here);
	}
	for (; optind < argc; optind++)
		good &= release_issue(l, repository, done,
		    command_issue(c, argv[optind]));
	buf_release(&here);
	return fleet_close(&context, l, good);
}

const struct command fleet_release_command = {
	.name = "release",
	.summary = "Take an issue from its host, or mark it as done",
	.arguments = "ISSUE...",
	.options = (const struct command_option[]){
		{ OPTION_DONE, "done", NULL, "it is done: no host takes it" },
		{ OPTION_REPOSITORY, "repository", "NAME", "of another "
		    "repository than the one here" },
		{ 0 } },
	.run = release_run,
};
