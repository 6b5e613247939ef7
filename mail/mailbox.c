/*
 * mailbox.c - the command that writes messages into inboxes, shows them, and
 * marks them as read.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "data/json.h"
#include "mail/mail.h"
#include "marker/defang.h"
#include "paneward.h"
#include "project/statusdir.h"
#include "run/self.h"

enum {
	OPTION_JSON = 'j', OPTION_SYNC = OPTION_LONG, OPTION_JOURNAL,
	OPTION_DIR, OPTION_TARGETS
};

static const struct command_option options[] = {
	{ OPTION_JSON, "json", NULL, "list, read: a JSON object per entry" },
	{ OPTION_JOURNAL, "journal", NULL, "write: journal what could not be "
	    "written" },
	{ OPTION_TARGETS, "targets", "NAME,...", "write: to several inboxes, "
	    "without TARGET" },
	{ OPTION_SYNC, "sync", NULL, "write, read, ack: wait for the disk" },
	{ OPTION_DIR, "status-dir", "DIR", "the status directory; its "
	    "journal keeps old notices" },
	{ 0 }
};

/* What the command was called with. */
struct call {
	const struct command *command;
	struct mail mail;
	struct self own;                /* in whose pane we show them */
	bool   json, journal;
	const char *target;             /* the inbox, or NULL */
	char **targets;                 /* of write: one, or several */
	int    dir;                     /* the open folder of the inboxes; 0:
					   not opened, since write does */
	int    argc;                    /* words behind the target */
	char **argv;
};

static void
mailbox_take_name(void *context, const char *name)
{
	static const char suffix[] = ".yaml";
	size_t len = strlen(name), tail = sizeof(suffix) - 1;
	char ***names = context;

	if (len > tail && name[0] != '.' &&
	    strcmp(name + len - tail, suffix) == 0)
		*names = argv_own(*names, xstrndup(name, len - tail));
}

/* Names the existing inboxes if one is missing.  Text in a pane must not be
 * taken for a report. */
static int
failed(const struct call *c, enum inbox_result result, struct buf *why)
{
	bool name = result == INBOX_MISSING;
	struct buf out = BUF_INIT;
	char **names = NULL;
	size_t i;

	if (name && c->dir > 0)
		name = statusdir_names(c->dir, mailbox_take_name,
		    &names) == 0;
	argv_sort(names);
	for (i = 0; names != NULL && names[i] != NULL; i++)
		buf_printf(why, "%s %s", i > 0 ? "," : "; there are",
		    names[i]);
	if (name && names == NULL)
		buf_adds(why, "; there is none yet, 'paneward inbox write' "
		    "makes one");
	argv_free(names);
	defang_add(&out, buf_str(why), why->len, c->own.record.marker,
	    DEFANG_BLANK);
	warnx("inbox %s", buf_str(&out));
	buf_release(&out);
	buf_release(why);
	return result == INBOX_MISSING || result == INBOX_REFUSED ? EXIT_NO :
	    EXIT_COULD_NOT;
}

/* ---- writing ------------------------------------------------------------ */

/* A word behind the content; what is missing or empty is other. */
static const char *
word_or(const struct call *c, int i, const char *other)
{
	return c->argc > i && c->argv[i][0] != '\0' ? c->argv[i] : other;
}

/* An inbox that fails does not keep the message from the others. */
static int
run_write(struct call *c)
{
	const struct inbox_notice notice = { .content = c->argv[0],
	    .type = word_or(c, 1, "wake_up"),
	    .from = word_or(c, 2, "unknown"), .request = word_or(c, 3, NULL),
	    .subtask = word_or(c, 4, NULL) };
	struct buf why = BUF_INIT;
	int status, worst = EXIT_DONE;
	enum inbox_result result;
	char **target;

	if (notice.content[0] == '\0')
		command_usage(c->command, "the content is empty");
	c->mail.patience = INBOX_PATIENCE;
	for (target = c->targets; *target != NULL; target++) {
		result = mail_add(&c->mail, *target, &notice, &why);
		if (result != INBOX_OK && c->journal)
			mail_lost(&c->mail, *target, &notice, buf_str(&why));
		if (c->mail.trouble.len > 0)
			warnx("inbox %s: %s", *target,
			    buf_str(&c->mail.trouble));
		buf_reset(&c->mail.trouble);
		status = result == INBOX_OK ? EXIT_DONE :
		    failed(c, result, &why);
		if (status > worst)
			worst = status;
	}
	return worst;
}

/* ---- showing ------------------------------------------------------------ */

static cJSON *
value_of(const struct yaml_node *node)
{
	const struct yaml_node *m;
	cJSON *o;

	if (node->kind == YAML_TEXT || node->kind == YAML_ALIAS)
		return cJSON_CreateString(node->text);
	o = node->kind == YAML_LIST ? cJSON_CreateArray() :
	    cJSON_CreateObject();
	for (m = node->first; m != NULL; m = m->next)
		if (node->kind == YAML_LIST)
			cJSON_AddItemToArray(o, value_of(m));
		else if (m->key != NULL)
			cJSON_AddItemToObject(o, m->key, value_of(m));
	return o;
}

static void
print_defanged(const struct call *c, struct buf *line, enum defang_how how)
{
	struct buf out = BUF_INIT;

	defang_add(&out, buf_str(line), line->len, c->own.record.marker,
	    how);
	puts(buf_str(&out));
	buf_release(&out);
	buf_release(line);
}

static void
mailbox_print_json(const struct call *c, const char *target,
    const struct yaml_node *list, const struct yaml_node *entry)
{
	char id[INBOX_ID];
	struct buf line = BUF_INIT;
	cJSON *o = json_new_object();

	inbox_id(id, entry);
	json_add_text(o, "inbox", target);
	json_add_text(o, "list", list->key != NULL ? list->key : "");
	json_add_text(o, "id", id);
	json_add_bool(o, "unread", inbox_unread(entry));
	cJSON_AddItemToObject(o, "entry", value_of(entry));
	json_print(&line, o);
	print_defanged(c, &line, DEFANG_JSON);
	json_free(o);
}

static void
add_member(struct buf *line, const struct yaml_node *entry, const char *key)
{
	const struct yaml_node *text = yaml_member(entry, key);

	buf_addc(line, ' ');
	if (text != NULL && text->kind == YAML_TEXT && text->len > 0)
		msg_escape(line, text->text, text->len);
	else
		buf_addc(line, '-');
}

static void
mailbox_print_line(const struct call *c, const struct yaml_node *entry)
{
	const struct yaml_node *about = inbox_about(entry);
	struct buf line = BUF_INIT, text = BUF_INIT;
	char id[INBOX_ID];
	cJSON *o;

	inbox_id(id, entry);
	buf_printf(&line, "%s %-6s", id, inbox_unread(entry) ? "unread" :
	    yaml_member(entry, "read") ? "read" : "-");
	add_member(&line, entry, "reported_at");
	add_member(&line, entry, "worker");
	add_member(&line, entry, yaml_member(entry, "type") ? "type" :
	    "status");
	if (about != NULL) {
		buf_add(&text, about->text, about->len);
	} else {
		/* All of it: what is marked as read must have been shown. */
		o = value_of(entry);
		json_print(&text, o);
		json_free(o);
	}
	buf_addc(&line, ' ');
	msg_escape(&line, buf_str(&text), text.len);
	buf_release(&text);
	print_defanged(c, &line, DEFANG_TEXT);
}

/* Ids of entries. */
struct ids {
	struct {
		char id[INBOX_ID];
		bool found;
	} *v;
	size_t n;
	bool   all;                     /* whatever the id is */
};

static void
ids_add(struct ids *ids, const char *id)
{
	ids->v = xreallocarray(ids->v, ids->n + 1, sizeof(*ids->v));
	snprintf(ids->v[ids->n].id, INBOX_ID, "%s", id);
	ids->v[ids->n++].found = false;
}

enum show { SHOW_COUNTS, SHOW_ENTRIES, SHOW_UNREAD };

/* The ids of what is unread and shown are added, unless ids is NULL. */
static int
show_box(const struct call *c, const char *target, enum show show,
    struct ids *ids)
{
	struct yaml_node *list = NULL, *entry = NULL;
	struct buf why = BUF_INIT, line = BUF_INIT;
	size_t n = 0, unread = 0;
	struct inbox inbox;
	char id[INBOX_ID];
	enum inbox_result result = inbox_load(&inbox, c->dir, target, false,
	    &why);

	if (result != INBOX_OK)
		return failed(c, result, &why);
	for (; inbox_next(&inbox, &list, &entry); n++) {
		unread += inbox_unread(entry);
		if (show == SHOW_COUNTS ||
		    (show == SHOW_UNREAD && !inbox_unread(entry)))
			continue;
		if (c->json)
			mailbox_print_json(c, target, list, entry);
		else
			mailbox_print_line(c, entry);
		inbox_id(id, entry);
		if (ids != NULL)
			ids_add(ids, id);
	}
	inbox_release(&inbox);
	if (show == SHOW_COUNTS) {
		msg_escape(&line, target, strlen(target));
		buf_printf(&line, " %zu entries, %zu unread", n, unread);
		print_defanged(c, &line, DEFANG_TEXT);
	}
	return EXIT_DONE;
}

/* Finds the run in whose pane we are, for its own marker. */
static void
find_own(struct call *c)
{
	struct buf why = BUF_INIT;

	self_find(&c->own, SELF_OPTIONS, c->mail.context.project.root,
	    &why);
	if (why.len > 0)
		warnx("inbox: %s", buf_str(&why));
	buf_release(&why);
}

/* Lists one inbox, or all of the folder: the entries of each, or their number.
 * The worst exit status counts. */
static int
run_list(struct call *c)
{
	char **names = NULL;
	int status, worst = EXIT_DONE;
	size_t i;

	find_own(c);
	if (c->target != NULL)
		return show_box(c, c->target, SHOW_ENTRIES, NULL);
	if (statusdir_names(c->dir, mailbox_take_name, &names) == -1)
		fatal("cannot read '%s/queue/inbox'", c->mail.root);
	argv_sort(names);
	for (i = 0; names != NULL && names[i] != NULL; i++) {
		status = show_box(c, names[i], c->json ? SHOW_ENTRIES :
		    SHOW_COUNTS, NULL);
		if (status > worst)
			worst = status;
	}
	argv_free(names);
	return worst;
}

/* ---- marking ------------------------------------------------------------ */

static bool
is_wanted(void *context, const struct yaml_node *entry)
{
	struct ids *ids = context;
	char id[INBOX_ID];
	bool wanted = ids->all;
	size_t i;

	inbox_id(id, entry);
	for (i = 0; i < ids->n; i++)
		if (strcmp(ids->v[i].id, id) == 0)
			wanted = ids->v[i].found = true;
	return wanted;
}

static int
mailbox_mark(const struct call *c, struct ids *ids)
{
	struct inbox_change change = { .dir = c->dir, .target = c->target,
	    .patience = INBOX_PATIENCE, .sync = c->mail.sync,
	    .wanted = is_wanted, .context = ids };
	struct buf why = BUF_INIT;
	enum inbox_result result = inbox_change(&change, &why);

	return result == INBOX_OK ? EXIT_DONE : failed(c, result, &why);
}

/* What is marked is what was shown: others may come in between. */
static int
run_read(struct call *c)
{
	struct ids ids = { .all = false };
	int status;

	find_own(c);
	status = show_box(c, c->target, SHOW_UNREAD, &ids);
	/* What could not be shown has not been read. */
	if (fflush(stdout) == EOF || ferror(stdout))
		fatal("cannot write to standard output");
	return status == EXIT_DONE && ids.n > 0 ? mailbox_mark(c, &ids) :
	    status;
}

static int
run_ack(struct call *c)
{
	struct ids ids = { .all = c->argc == 0 };
	int status, i;

	for (i = 0; i < c->argc; i++) {
		if (strlen(c->argv[i]) != INBOX_ID - 1)
			command_usage(c->command, "'%s' is no id; see "
			    "'inbox list %s'", c->argv[i], c->target);
		ids_add(&ids, c->argv[i]);
	}
	status = mailbox_mark(c, &ids);
	if (status != EXIT_DONE)
		return status;
	for (i = 0; i < c->argc; i++)
		if (!ids.v[i].found) {
			warnx("inbox %s: no unread entry '%s'", c->target,
			    ids.v[i].id);
			status = EXIT_NO;
		}
	return status;
}

/* ---- the command -------------------------------------------------------- */

static const struct verb {
	const char *name;
	int       (*run)(struct call *);
	int         least, most;        /* words behind it */
	const char *takes;
} verbs[] = {
	{ "write", run_write, 2, 6, "TARGET CONTENT [TYPE] [FROM] [REQUEST] "
	    "[SUBTASK]" },
	{ "list", run_list, 0, 1, "one inbox, or none" },
	{ "read", run_read, 1, 1, "one inbox" },
	{ "ack", run_ack, 1, INT_MAX, "an inbox, and ids of its entries" },
};

/* Behind the target of a message, or the option that names several, words may
 * begin with '-' and are no options: "- item", "---". */
static int
options_end(int argc, char **argv)
{
	int i, words = 0;

	for (i = 1; i < argc && words < 2; i++) {
		words += strncmp(argv[i], "--targets", 9) == 0;
		if (strcmp(argv[i], "--status-dir") == 0 ||
		    strcmp(argv[i], "--targets") == 0)
			i++;
		else if (argv[i][0] != '-' && words++ == 0 &&
		    strcmp(argv[i], "write") != 0)
			return argc;
	}
	return i < argc ? i : argc;
}

static void
take_target(struct call *c, const char *name)
{
	if (!inboxrules_target_valid(name))
		command_usage(c->command, "'%s' cannot be the name of an "
		    "inbox: no '/', no leading dot, at most %d bytes",
		    name, INBOX_TARGET);
	if (argv_has(c->targets, name))
		command_usage(c->command, "--targets names '%s' twice", name);
	c->targets = argv_add(c->targets, name);
}

/* Names with a comma between each two, and blanks around them. */
static void
take_targets(struct call *c, const char *names)
{
	char *copy = xstrdup(names), *rest = copy, *name, *end;

	while ((name = strsep(&rest, ",")) != NULL) {
		name += strspn(name, " ");
		for (end = name + strlen(name); end > name && end[-1] == ' '; )
			*--end = '\0';
		take_target(c, name);
	}
	free(copy);
}

static int
inbox_run(const struct command *command, int argc, char **argv)
{
	struct call c = { .command = command };
	int end = options_end(argc, argv), key, named;
	struct buf why = BUF_INIT;
	const struct verb *verb = NULL;
	enum exit_status status;
	size_t i;

	while ((key = command_option(command, end, argv, NULL)) != -1) {
		switch (key) {
		case OPTION_JSON: c.json = true; break;
		case OPTION_SYNC: c.mail.sync = true; break;
		case OPTION_JOURNAL: c.journal = true; break;
		case OPTION_DIR: c.mail.status_dir = optarg; break;
		case OPTION_TARGETS: take_targets(&c, optarg); break;
		}
	}
	argc -= optind;
	argv += optind;
	named = c.targets != NULL;
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]) && argc > 0; i++)
		if (strcmp(verbs[i].name, argv[0]) == 0)
			verb = &verbs[i];
	if (verb == NULL)
		command_usage(command, "takes write, list, read or ack");
	if (named && verb->run != run_write)
		command_usage(command, "--targets is for write");
	if (argc - 1 < verb->least - named || argc - 1 > verb->most - named)
		command_usage(command, "%s takes %s", verb->name, named ?
		    "no TARGET with --targets, but CONTENT" : verb->takes);
	if (!named && argv[1] != NULL) {
		c.target = argv[1];
		take_target(&c, c.target);
	}
	c.argc = argc - 2 + named;
	c.argv = argv + 2 - named;
	status = mail_open(&c.mail, ".", &why);
	if (status == EXIT_USAGE)
		fatal_usage("%s", buf_str(&why));
	if (status != EXIT_DONE)
		fatalx("%s", buf_str(&why));
	self_init(&c.own);
	if (verb->run != run_write)
		c.dir = inbox_open(c.mail.root, false, &why);
	if (c.dir == -1 && errno != ENOENT)
		fatalx("%s", buf_str(&why));
	if (c.dir != -1) {
		status = (enum exit_status)verb->run(&c);
	} else if (c.target != NULL) {  /* else no message was ever written */
		buf_reset(&why);
		buf_printf(&why, "'queue/inbox/%s.yaml': there is no such "
		    "inbox in '%s'", c.target, c.mail.root);
		status = (enum exit_status)failed(&c, INBOX_MISSING, &why);
	}
	self_release(&c.own);
	argv_free(c.targets);
	return status;
}

const struct command inbox_command = {
	.name = "inbox",
	.summary = "Messages between agents: write, list, read, ack",
	.arguments = "write TARGET CONTENT [TYPE] [FROM] [REQUEST] [SUBTASK] | "
	    "list [TARGET] | read TARGET | ack TARGET [ID...]",
	.examples =
	"  paneward inbox write roju_reports \"the tests pass\"\n"
	"  paneward inbox list                  how many entries are unread\n"
	"  paneward inbox read roju_reports     prints what is unread, "
	"and marks it\n",
	.options = options,
	.run = inbox_run,
};
