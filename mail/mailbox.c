/*
 * mailbox.c - the command that writes, shows and marks messages.
 */
#include <limits.h>

#include "mail/mail.h"
#include "marker/defang.h"
#include "paneward.h"
#include "run/self.h"

struct call {
	const struct command *command;
	struct mail mail;
	struct self own;
	bool   json, journal;
	char **targets;                 /* the inboxes, or NULL */
	int    dir;                     /* of the inboxes, or -1 */
	char **argv;                    /* words behind the target */
	bool   all;                     /* all entries are marked */
	int    status;                  /* the worst so far */
	char **ids, **marked;           /* entries to mark, and those found */
};

static const struct command_option options[] = {
	JSON_AT(struct call, json, "list, read: a JSON object per entry"),
	{ 0, "journal", NULL, "write: journal what could not be written",
	    FLAG_AT(struct call, journal) },
	{ OPTION_LONG, "targets", "NAME,...", "write: to several inboxes, "
	    "without TARGET" },
	{ 0, "sync", NULL, "write, read, ack: wait for the disk",
	    FLAG_AT(struct call, mail.sync) },
	{ 0, "status-dir", "DIR", "the status directory; its journal keeps "
	    "old notices", TEXT_AT(struct call, mail.status_dir) },
	{ 0 }
};

/* Sorted.  NULL with errno; 0: there is none. */
static char **
mailbox_names(const struct call *c)
{
	char **all = statusdir_names(c->dir), **p, **names = NULL, *dot;

	if (all == NULL)
		return NULL;
	for (p = all; *p != NULL; p++) {
		dot = strrchr(*p, '.');
		if (dot != NULL && (*p)[0] != '.' && strcmp(dot, ".yaml") == 0)
			names = argv_own(names, xstrndup(*p, (size_t)(dot -
			    *p)));
	}
	argv_sort(names);
	errno = 0;
	return names;
}

/* Names the inboxes, if one is missing.  The pane must not show a marker. */
static void
failed(struct call *c, enum inbox_result result, struct buf *why)
{
	int status = result == INBOX_MISSING || result == INBOX_REFUSED ?
	    EXIT_NO : EXIT_COULD_NOT;
	bool name = result == INBOX_MISSING;
	struct buf out = BUF_INIT;
	char **names = NULL;
	size_t i;

	c->status = status > c->status ? status : c->status;
	if (name && c->dir != -1) {
		names = mailbox_names(c);
		name = names != NULL || errno == 0;
	}
	for (i = 0; names != NULL && names[i] != NULL; i++)
		buf_printf(why, "%s %s", i > 0 ? "," : "; there are", names[i]);
	if (name && names == NULL)
		buf_adds(why, "; there is none yet, 'paneward inbox write' "
		    "makes one");
	defang_add(&out, buf_str(why), why->len, c->own.record.marker,
	    DEFANG_BLANK);
	warnx("inbox %s", buf_str(&out));
	buf_release(why);
}

static void
run_write(struct call *c)
{
	const char *words[] = { NULL, "wake_up", "unknown", NULL, NULL };
	struct inbox_notice notice;
	struct buf why = BUF_INIT;
	enum inbox_result result;
	char **target;
	int i;

	for (i = 0; c->argv[i] != NULL; i++)
		if (i == 0 || c->argv[i][0] != '\0')
			words[i] = c->argv[i];
	notice = (struct inbox_notice){ .content = words[0], .type = words[1],
	    .from = words[2], .request = words[3], .subtask = words[4] };
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
		if (result != INBOX_OK)
			failed(c, result, &why);
	}
	if (c->dir == -1 && c->status == EXIT_DONE)
		warnx("new inboxes in '%s'", c->mail.root);
}

/* ---- showing ------------------------------------------------------------ */

static struct json *
add_node(struct json *to, const char *key, const struct yaml_node *node)
{
	static const enum json_type types[] = {
		[YAML_TEXT] = JSON_TEXT, [YAML_ALIAS] = JSON_TEXT,
		[YAML_LIST] = JSON_LIST, [YAML_MAP] = JSON_OBJECT,
	};
	enum json_type type = types[node->kind];
	const struct yaml_node *m;

	to = json_add(to, key, type, type == JSON_TEXT ? node->text : NULL, 0);
	for (m = node->first; m != NULL; m = m->next)
		if (node->kind == YAML_LIST || m->key != NULL)
			add_node(to, m->key, m);
	return to;
}

static void
print_defanged(const struct call *c, struct buf *line, enum defang_how how)
{
	struct buf out = BUF_INIT;

	defang_add(&out, buf_str(line), line->len, c->own.record.marker, how);
	puts(buf_str(&out));
	buf_release(&out);
	buf_release(line);
}

static void
show_entry(const struct call *c, const char *target, const char *id,
    const struct yaml_node *list, const struct yaml_node *entry)
{
	const char *keys[] = { "reported_at", "worker",
	    yaml_member(entry, "type") ? "type" : "status" };
	const struct yaml_node *about = inbox_about(entry), *text;
	struct buf line = BUF_INIT, words = BUF_INIT;
	struct json *o;
	size_t i;

	if (c->json) {
		o = json_new_object();
		json_add_texts(o, "inbox", target, "list", list->key != NULL ?
		    list->key : "", "id", id);
		json_add_bool(o, "unread", inbox_unread(entry));
		add_node(o, "entry", entry);
		json_give(&line, o);
	} else {
		buf_printf(&line, "%s %-6s", id, inbox_unread(entry) ?
		    "unread" : yaml_member(entry, "read") ? "read" : "-");
		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			text = inbox_text(entry, keys[i]);
			buf_addc(&line, ' ');
			if (text != NULL)
				msg_escape(&line, text->text, text->len);
			else
				buf_addc(&line, '-');
		}
		/* Entries are marked as read only if all was shown. */
		if (about == NULL)
			json_give(&words, add_node(NULL, NULL, entry));
		else
			buf_add(&words, about->text, about->len);
		buf_addc(&line, ' ');
		msg_escape(&line, buf_str(&words), words.len);
	}
	print_defanged(c, &line, c->json ? DEFANG_JSON : DEFANG_TEXT);
	buf_release(&words);
}

enum show { SHOW_COUNTS, SHOW_ENTRIES, SHOW_UNREAD };

static void
show_box(struct call *c, const char *target, enum show show)
{
	struct yaml_node *list = NULL, *entry = NULL;
	struct buf why = BUF_INIT, line = BUF_INIT;
	size_t n = 0, unread = 0;
	struct inbox inbox;
	char id[INBOX_ID];
	enum inbox_result result = inbox_load(&inbox, c->dir, target, false,
	    &why);

	if (result != INBOX_OK) {
		failed(c, result, &why);
		return;
	}
	for (; inbox_next(&inbox, &list, &entry); n++) {
		unread += inbox_unread(entry);
		if (show == SHOW_COUNTS ||
		    (show == SHOW_UNREAD && !inbox_unread(entry)))
			continue;
		inbox_id(id, entry);
		show_entry(c, target, id, list, entry);
		if (show == SHOW_UNREAD)
			c->ids = argv_add(c->ids, id);
	}
	inbox_release(&inbox);
	if (show == SHOW_COUNTS) {
		msg_escape(&line, target, strlen(target));
		buf_printf(&line, " %zu entries, %zu unread", n, unread);
		print_defanged(c, &line, DEFANG_TEXT);
	}
}

static void
run_list(struct call *c)
{
	char **name = c->targets != NULL ? c->targets : mailbox_names(c);
	enum show show = c->targets != NULL || c->json ? SHOW_ENTRIES :
	    SHOW_COUNTS;

	if (name == NULL && errno != 0)
		fatal("cannot read '%s/queue/inbox'", c->mail.root);
	for (; name != NULL && *name != NULL; name++)
		show_box(c, *name, show);
}

static bool
is_wanted(void *context, const struct yaml_node *entry)
{
	struct call *c = context;
	char id[INBOX_ID];

	inbox_id(id, entry);
	if (c->all || !argv_has_sorted(c->ids, argv_count(c->ids), id))
		return c->all;
	c->marked = argv_add(c->marked, id);
	return true;
}

static void
mailbox_mark(struct call *c)
{
	struct inbox_change change = { .dir = c->dir, .target = *c->targets,
	    .patience = INBOX_PATIENCE, .sync = c->mail.sync,
	    .wanted = is_wanted, .context = c };
	struct buf why = BUF_INIT;
	enum inbox_result result;

	argv_sort(c->ids);
	result = inbox_change(&change, &why);
	if (result != INBOX_OK)
		failed(c, result, &why);
}

/* Only shown entries are marked: others may come in between. */
static void
run_read(struct call *c)
{
	show_box(c, *c->targets, SHOW_UNREAD);
	if (fflush(stdout) == EOF || ferror(stdout))
		fatal("cannot write to standard output");
	if (c->status == EXIT_DONE && c->ids != NULL)
		mailbox_mark(c);
}

static void
run_ack(struct call *c)
{
	int i;

	c->all = c->argv[0] == NULL;
	for (i = 0; c->argv[i] != NULL; i++) {
		if (strlen(c->argv[i]) != INBOX_ID - 1)
			command_usage(c->command, "'%s' is no id; see "
			    "'inbox list %s'", c->argv[i], *c->targets);
		c->ids = argv_add(c->ids, c->argv[i]);
	}
	mailbox_mark(c);
	if (c->status != EXIT_DONE)
		return;
	for (i = 0; c->argv[i] != NULL; i++)
		if (!argv_has(c->marked, c->argv[i])) {
			warnx("inbox %s: no unread entry '%s'", *c->targets,
			    c->argv[i]);
			c->status = EXIT_NO;
		}
}

/* ---- the command -------------------------------------------------------- */

static const struct verb {
	const char *name;
	void      (*run)(struct call *);
	int         least, most;        /* words behind it */
	const char *takes;
} verbs[] = {
	{ "write", run_write, 2, 6, "TARGET CONTENT [TYPE] [FROM] [REQUEST] "
	    "[SUBTASK]" },
	{ "list", run_list, 0, 1, "one inbox, or none" },
	{ "read", run_read, 1, 1, "one inbox" },
	{ "ack", run_ack, 1, INT_MAX, "an inbox, and ids of its entries" },
};

/* Words behind the target or targets may begin with '-': "- item". */
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

static int
inbox_run(const struct command *command, int argc, char **argv)
{
	struct call c = { .command = command };
	int last = options_end(argc, argv), named, status;
	struct buf why = BUF_INIT;
	const struct verb *verb = NULL;
	char *rest, *name, *end, **t;
	bool writes;
	size_t i;

	while (command_option(command, last, argv, &c) != -1)
		for (rest = optarg; (name = strsep(&rest, ",")) != NULL; ) {
			name += strspn(name, " ");
			end = name + strlen(name);
			while (end > name && end[-1] == ' ')
				*--end = '\0';
			c.targets = argv_add(c.targets, name);
		}
	argc -= optind;
	argv += optind;
	named = c.targets != NULL;
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]) && argc > 0; i++)
		if (strcmp(verbs[i].name, argv[0]) == 0)
			verb = &verbs[i];
	if (verb == NULL)
		command_usage(command, "takes write, list, read or ack");
	writes = verb->run == run_write;
	if (named && !writes)
		command_usage(command, "--targets is for write");
	if (argc - 1 < verb->least - named || argc - 1 > verb->most - named)
		command_usage(command, "%s takes %s", verb->name, named ?
		    "no TARGET with --targets, but CONTENT" : verb->takes);
	if (!named && argv[1] != NULL)
		c.targets = argv_add(NULL, argv[1]);
	for (t = c.targets; t != NULL && *t != NULL; t++) {
		if (!inboxrules_target_valid(*t))
			command_usage(command, "'%s' cannot be the name of an "
			    "inbox: no '/', no leading dot, at most %d bytes",
			    *t, INBOX_TARGET);
		if (argv_has(t + 1, *t))
			command_usage(command, "--targets names '%s' twice",
			    *t);
	}
	c.argv = argv + 2 - named;
	status = mail_open(&c.mail, ".", !writes, &why);
	if (status != EXIT_DONE)
		msg_fatal(status, 0, "%s", buf_str(&why));
	c.dir = inbox_open(c.mail.root, false, &why);
	if (c.dir == -1 && errno != ENOENT && !writes)
		fatalx("%s", buf_str(&why));
	buf_reset(&why);
	if (c.dir == -1 && c.targets == NULL)
		return EXIT_DONE;
	if (c.dir == -1 && !writes) {
		buf_printf(&why, "'queue/inbox/%s.yaml': there is no such "
		    "inbox in '%s'", *c.targets, c.mail.root);
		failed(&c, INBOX_MISSING, &why);
		return c.status;
	}
	/* The pane must not show the marker of its run. */
	if (verb->run == run_list || verb->run == run_read)
		self_find(&c.own, SELF_OPTIONS, c.mail.context.project.root,
		    &why);
	if (why.len > 0)
		warnx("inbox: %s", buf_str(&why));
	verb->run(&c);
	return c.status;
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
