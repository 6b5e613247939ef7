/*
 * mailbox.c - the command that writes messages into inboxes, shows them, and
 * marks them as read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/msg.h"
#include "hook/commands.h"
#include "hook/inboxfile.h"
#include "hook/mail.h"
#include "marker/defang.h"
#include "run/mailrules.h"
#include "run/self.h"
#include "run/statusdir.h"
#include "text/json.h"

enum {
	OPTION_JSON = 'j', OPTION_SYNC = OPTION_LONG, OPTION_JOURNAL,
	OPTION_DIR
};

static const struct command_option options[] = {
	{ OPTION_JSON, "json", NULL, "list, read: a JSON object per entry" },
	{ OPTION_JOURNAL, "journal", NULL, "write: journal what could not be "
	    "written" },
	{ OPTION_SYNC, "sync", NULL, "write, read, ack: wait for the disk" },
	{ OPTION_DIR, "status-dir", "DIR", "the status directory, whose "
	    "journal gets what is pushed out" },
	{ 0 }
};

/* What the command was called with. */
struct call {
	const struct command *command;
	struct mail mail;
	struct self own;              /* in whose pane we show them */
	bool   json, journal;
	int    argc;                    /* words behind the verb */
	char **argv;
};

/* What is shown in a pane must not be taken for a report. */
static int
failed(const struct call *c, enum inbox_result result, struct buf *why)
{
	struct buf out = BUF_INIT;

	defang_add(&out, buf_str(why), why->len, c->own.record.marker,
	    DEFANG_BLANK);
	warnx("inbox %s", buf_str(&out));
	buf_release(&out);
	buf_release(why);
	return result == INBOX_MISSING || result == INBOX_REFUSED ? EXIT_NO :
	    EXIT_COULD_NOT;
}

static const char *
target_of(const struct call *c)
{
	if (!inboxrules_target_valid(c->argv[0]))
		command_usage(c->command, "'%s' cannot be the name of an "
		    "inbox: no '/', no leading dot, at most %d bytes",
		    c->argv[0], INBOX_TARGET);
	return c->argv[0];
}

/* ---- writing ------------------------------------------------------------ */

static int
run_write(struct call *c)
{
	const char *target, *type = c->argc > 2 ? c->argv[2] : "";
	const char *from = c->argc > 3 ? c->argv[3] : "";
	struct buf trouble = BUF_INIT, why = BUF_INIT;
	struct inbox_notice notice;
	enum inbox_result result;

	if (c->argc < 2 || c->argc > 4)
		command_usage(c->command, "write takes TARGET CONTENT [TYPE] "
		    "[FROM]");
	target = target_of(c);
	notice = (struct inbox_notice){ c->argv[1],
	    type[0] != '\0' ? type : "wake_up",
	    from[0] != '\0' ? from : "unknown" };
	if (notice.content[0] == '\0')
		command_usage(c->command, "the content is empty");
	result = mail_add(&c->mail, target, &notice, INBOX_PATIENCE, &trouble,
	    &why);
	if (result != INBOX_OK && c->journal)
		mail_lost(&c->mail, target, &notice, buf_str(&why),
		    INBOX_PATIENCE, &trouble);
	if (trouble.len > 0)
		warnx("inbox %s: %s", target, buf_str(&trouble));
	return result == INBOX_OK ? EXIT_DONE : failed(c, result, &why);
}

/* ---- showing ------------------------------------------------------------ */

static cJSON *
value_of(const struct yaml_node *node)
{
	const struct yaml_node *m;
	char *name, *text;
	cJSON *o;

	if (node->kind == YAML_TEXT || node->kind == YAML_ALIAS) {
		text = xstrndup(node->text, node->len);
		o = cJSON_CreateString(text);
		free(text);
		return o;
	}
	o = node->kind == YAML_LIST ? cJSON_CreateArray() :
	    cJSON_CreateObject();
	for (m = node->first; m != NULL; m = m->next) {
		if (node->kind == YAML_LIST) {
			cJSON_AddItemToArray(o, value_of(m));
		} else if (m->key != NULL) {
			name = xstrndup(m->key, m->key_len);
			cJSON_AddItemToObject(o, name, value_of(m));
			free(name);
		}
	}
	return o;
}

static void
print_defanged(const struct call *c, struct buf *line,
    enum defang_how how)
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
	char id[INBOX_ID], *name = xstrndup(list->key ? list->key : "",
	    list->key_len);
	struct buf line = BUF_INIT;
	cJSON *o = json_new_object();

	inbox_id(id, entry);
	json_add_text(o, "inbox", target);
	json_add_text(o, "list", name);
	json_add_text(o, "id", id);
	json_add_bool(o, "unread", inbox_unread(entry));
	cJSON_AddItemToObject(o, "entry", value_of(entry));
	json_print(&line, o);
	print_defanged(c, &line, DEFANG_JSON);
	json_free(o);
	free(name);
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

/* What an entry is about; where no member of ours says it, all of it: what is
 * marked as read must have been shown. */
static void
add_about(struct buf *line, const struct yaml_node *entry)
{
	const struct yaml_node *about = inbox_about(entry);
	struct buf text = BUF_INIT;
	cJSON *o;

	if (about != NULL) {
		buf_add(&text, about->text, about->len);
	} else {
		o = value_of(entry);
		json_print(&text, o);
		json_free(o);
	}
	buf_addc(line, ' ');
	msg_escape(line, buf_str(&text), text.len);
	buf_release(&text);
}

static void
mailbox_print_line(const struct call *c, const struct yaml_node *entry)
{
	struct buf line = BUF_INIT;
	char id[INBOX_ID];

	inbox_id(id, entry);
	buf_printf(&line, "%s %-6s", id, inbox_unread(entry) ? "unread" :
	    yaml_member(entry, "read") ? "read" : "-");
	add_member(&line, entry, "reported_at");
	add_member(&line, entry, "worker");
	add_member(&line, entry, yaml_member(entry, "type") ? "type" :
	    "status");
	add_about(&line, entry);
	print_defanged(c, &line, DEFANG_TEXT);
}

static void
print_entry(const struct call *c, const char *target,
    const struct yaml_node *list, const struct yaml_node *entry)
{
	if (c->json)
		mailbox_print_json(c, target, list, entry);
	else
		mailbox_print_line(c, entry);
}

/* The run in whose pane we are: its own marker is in no record that cannot be
 * read. */
static void
find_own(struct call *c)
{
	struct buf why = BUF_INIT;

	self_find(&c->own, SELF_OPTIONS, c->mail.project.root, NULL, &why);
	if (why.len > 0)
		warnx("inbox: %s", buf_str(&why));
	buf_release(&why);
}

static int
mailbox_folder(const struct call *c, struct buf *why)
{
	int dir = inbox_open(c->mail.root, false, why);

	if (dir == -1 && errno != ENOENT)
		fatalx("%s", buf_str(why));
	return dir;
}

static int
list_entries(const struct call *c, int dir, const char *target)
{
	struct yaml_node *list = NULL, *entry = NULL;
	struct buf why = BUF_INIT;
	struct inbox inbox;
	enum inbox_result result = inbox_load(&inbox, dir, target, &why);

	if (result != INBOX_OK)
		return failed(c, result, &why);
	while (inbox_next(&inbox, &list, &entry))
		print_entry(c, target, list, entry);
	inbox_release(&inbox);
	return EXIT_DONE;
}

static int
count_entries(const struct call *c, int dir, const char *target)
{
	struct yaml_node *list = NULL, *entry = NULL;
	struct buf why = BUF_INIT, line = BUF_INIT;
	size_t n = 0, unread = 0;
	struct inbox inbox;
	enum inbox_result result = inbox_load(&inbox, dir, target, &why);

	if (result != INBOX_OK)
		return failed(c, result, &why);
	while (inbox_next(&inbox, &list, &entry)) {
		n++;
		unread += inbox_unread(entry);
	}
	inbox_release(&inbox);
	msg_escape(&line, target, strlen(target));
	buf_printf(&line, " %zu entries, %zu unread", n, unread);
	print_defanged(c, &line, DEFANG_TEXT);
	return EXIT_DONE;
}

struct names {
	char **v;
	size_t n;
};

static void
mailbox_take_name(void *context, const char *name)
{
	static const char suffix[] = ".yaml";
	size_t len = strlen(name), tail = sizeof(suffix) - 1;
	struct names *names = context;

	if (len <= tail || name[0] == '.' ||
	    strcmp(name + len - tail, suffix) != 0)
		return;
	names->v = xreallocarray(names->v, names->n + 1, sizeof(*names->v));
	names->v[names->n++] = xstrndup(name, len - tail);
}

static int
mailbox_by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All inboxes of the folder: of each its entries, or how many.  The worst of
 * what they end with counts. */
static int
list_all(const struct call *c, int dir)
{
	struct names names = { NULL, 0 };
	int status, worst = EXIT_DONE;
	size_t i;

	if (statusdir_names(dir, mailbox_take_name, &names) == -1)
		fatal("cannot read '%s/queue/inbox'", c->mail.root);
	if (names.n > 0)
		qsort(names.v, names.n, sizeof(*names.v), mailbox_by_name);
	for (i = 0; i < names.n; i++) {
		status = c->json ? list_entries(c, dir, names.v[i]) :
		    count_entries(c, dir, names.v[i]);
		if (status > worst)
			worst = status;
		free(names.v[i]);
	}
	free(names.v);
	return worst;
}

static int
run_list(struct call *c)
{
	const char *target = c->argc > 0 ? target_of(c) : NULL;
	struct buf why = BUF_INIT;
	int dir, status;

	if (c->argc > 1)
		command_usage(c->command, "list takes one inbox, or none");
	dir = mailbox_folder(c, &why);
	if (dir == -1 && target == NULL)
		return EXIT_DONE;       /* no message was ever written */
	if (dir == -1)
		return failed(c, INBOX_MISSING, &why);
	find_own(c);
	status = target ? list_entries(c, dir, target) : list_all(c, dir);
	close(dir);
	return status;
}

/* ---- marking ------------------------------------------------------------ */

/* Ids of entries. */
struct ids {
	char  (*v)[INBOX_ID];
	bool   *found;
	size_t  n;
	bool    all;                    /* whatever the id is */
};

static void
ids_add(struct ids *ids, const char *id)
{
	ids->v = xreallocarray(ids->v, ids->n + 1, sizeof(*ids->v));
	ids->found = xreallocarray(ids->found, ids->n + 1,
	    sizeof(*ids->found));
	snprintf(ids->v[ids->n], INBOX_ID, "%s", id);
	ids->found[ids->n++] = false;
}

static bool
is_wanted(void *context, const struct yaml_node *entry)
{
	struct ids *ids = context;
	char id[INBOX_ID];
	bool wanted = ids->all;
	size_t i;

	inbox_id(id, entry);
	for (i = 0; i < ids->n; i++)
		if (strcmp(ids->v[i], id) == 0)
			wanted = ids->found[i] = true;
	return wanted;
}

static int
mailbox_mark(const struct call *c, int dir, const char *target, struct ids *ids)
{
	const struct inbox_how how = { .patience = INBOX_PATIENCE,
	    .sync = c->mail.sync };
	struct buf why = BUF_INIT;
	size_t marked;
	enum inbox_result result = inbox_mark(dir, target, is_wanted, ids,
	    &how, &marked, &why);

	return result == INBOX_OK ? EXIT_DONE : failed(c, result, &why);
}

/* What is marked is what was shown: others may come in between. */
static int
show_unread(const struct call *c, int dir, const char *target,
    struct ids *ids)
{
	struct yaml_node *list = NULL, *entry = NULL;
	struct buf why = BUF_INIT;
	char id[INBOX_ID];
	struct inbox inbox;
	enum inbox_result result = inbox_load(&inbox, dir, target, &why);

	if (result != INBOX_OK)
		return failed(c, result, &why);
	while (inbox_next(&inbox, &list, &entry))
		if (inbox_unread(entry)) {
			print_entry(c, target, list, entry);
			inbox_id(id, entry);
			ids_add(ids, id);
		}
	inbox_release(&inbox);
	/* What could not be shown has not been read. */
	if (fflush(stdout) == EOF || ferror(stdout))
		fatal("cannot write to standard output");
	return EXIT_DONE;
}

static int
run_read(struct call *c)
{
	struct ids ids = { .all = false };
	struct buf why = BUF_INIT;
	const char *target;
	int dir, status;

	if (c->argc != 1)
		command_usage(c->command, "read takes one inbox");
	target = target_of(c);
	dir = mailbox_folder(c, &why);
	if (dir == -1)
		return failed(c, INBOX_MISSING, &why);
	find_own(c);
	status = show_unread(c, dir, target, &ids);
	if (status == EXIT_DONE && ids.n > 0)
		status = mailbox_mark(c, dir, target, &ids);
	close(dir);
	return status;
}

static int
run_ack(struct call *c)
{
	struct ids ids = { .all = c->argc == 1 };
	struct buf why = BUF_INIT;
	const char *target;
	int dir, status, i;

	if (c->argc < 1)
		command_usage(c->command, "ack takes an inbox, and ids of its "
		    "entries");
	target = target_of(c);
	for (i = 1; i < c->argc; i++) {
		if (strlen(c->argv[i]) != INBOX_ID - 1)
			command_usage(c->command, "'%s' is no id; see "
			    "'inbox list %s'", c->argv[i], target);
		ids_add(&ids, c->argv[i]);
	}
	dir = mailbox_folder(c, &why);
	if (dir == -1)
		return failed(c, INBOX_MISSING, &why);
	status = mailbox_mark(c, dir, target, &ids);
	close(dir);
	if (status != EXIT_DONE)
		return status;
	for (i = 0; (size_t)i < ids.n; i++)
		if (!ids.found[i]) {
			warnx("inbox %s: no unread entry '%s'", target,
			    ids.v[i]);
			status = EXIT_NO;
		}
	return status;
}

/* ---- the command -------------------------------------------------------- */

static const struct {
	const char *name;
	int       (*run)(struct call *);
} verbs[] = {
	{ "write", run_write },
	{ "list", run_list },
	{ "read", run_read },
	{ "ack", run_ack },
};

/* Behind the target of a message words may begin with '-' and are no
 * options: "- item", "---". */
static int
options_end(int argc, char **argv)
{
	int i, words = 0;

	for (i = 1; i < argc && words < 2; i++) {
		if (strcmp(argv[i], "--status-dir") == 0)
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
	int end = options_end(argc, argv);
	size_t i, n = sizeof(verbs) / sizeof(verbs[0]);
	struct buf why = BUF_INIT;
	enum exit_status status;
	int key;

	while ((key = command_option(command, end, argv)) != -1) {
		switch (key) {
		case OPTION_JSON: c.json = true; break;
		case OPTION_SYNC: c.mail.sync = true; break;
		case OPTION_JOURNAL: c.journal = true; break;
		case OPTION_DIR: c.mail.status_dir = optarg; break;
		}
	}
	for (i = 0; i < n && optind < argc; i++)
		if (strcmp(verbs[i].name, argv[optind]) == 0)
			break;
	if (optind >= argc || i == n)
		command_usage(command, "takes write, list, read or ack");
	c.argc = argc - optind - 1;
	c.argv = argv + optind + 1;
	status = mail_open(&c.mail, &why);
	if (status == EXIT_USAGE)
		fatal_usage("%s", buf_str(&why));
	if (status != EXIT_DONE)
		fatalx("%s", buf_str(&why));
	self_init(&c.own);
	status = (enum exit_status)verbs[i].run(&c);
	self_release(&c.own);
	return status;
}

const struct command inbox_command = {
	.name = "inbox",
	.summary = "Messages between agents: write, list, read, ack",
	.arguments = "write TARGET CONTENT [TYPE] [FROM] | list [TARGET] | "
	    "read TARGET | ack TARGET [ID...]",
	.examples =
	"  paneward inbox write roju_reports \"the tests pass\"\n"
	"  paneward inbox list                  how much lies where\n"
	"  paneward inbox read roju_reports     shows what is unread, and "
	"marks it\n",
	.options = options,
	.run = inbox_run,
};
