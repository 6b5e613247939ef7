/*
 * notify.c - sends a test, or a notice for another host's row, by each way.
 */
#include "notice/notice.h"
#include "paneward.h"
#include "tmux/servers.h"
#include "tmux/sockets.h"

/* bytes; ms for tmux */
enum { ROW_MOST = 256 << 10, ANSWER = 2000 };

struct notify_call {
	bool test, json;
	const char *host, *status_dir;
};

static const struct command_option options[] = {
	{ 0, "test", NULL, "send a notice by each way now",
	    FLAG_AT(struct notify_call, test) },
	JSON_AT(struct notify_call, json, "one JSON object per line"),
	{ 0, "row", "HOST", "send that of a row of HOST, a line of "
	    "'status --json' on standard input",
	    TEXT_AT(struct notify_call, host) },
	CONTEXT_OPTION_AT(struct notify_call, status_dir),
	{ 0 }
};

struct subject {
	const struct status *record;
	/* name: for attach; host: NULL: this one */
	const char *name, *project, *host;
};

static int
notify_send(struct context *c, const struct subject *x, const char *socket,
    const struct tmux_listing *listing, char *const *names, bool json)
{
	char **env = jobenv_environment(c, x->record, true);
	const struct noticeways *ways = &c->config.notify;
	enum exit_status status = EXIT_DONE;
	struct noticetext text;
	struct buf record = BUF_INIT, said = BUF_INIT, shown = BUF_INIT;
	const struct noticeway *w = ways->way;
	struct json *o;
	bool sent;
	struct notice_out out = { .text = &text, .record = &record,
	    .socket = socket, .listing = listing };

	status_print(&record, x->record);
	buf_addc(&record, '\n');
	if (x->host != NULL)
		env = argv_own(env, xasprintf("PANEWARD_HOST=%s", x->host));
	noticetext_init(&text, x->name, x->name, jobenv_state(x->record),
	    x->record->backend, x->project, x->record->notice ==
	    NOTICE_HANDOFF ? x->record->handoff.message :
	    x->record->verdict.message, x->record->task);
	out.env = (const char *const *)env;
	for (; w < ways->way + ways->n; w++) {
		if (names[0] != NULL &&
		    !argv_has(names, noticeway_name(w->kind)))
			continue;
		buf_reset(&said);
		buf_reset(&shown);
		sent = noticeway_check(w, &said) == 0 &&
		    noticesend_by(&out, w, &said) == NOTICESEND_DONE;
		if (!sent)
			status = EXIT_NO;
		msg_escape(&shown, buf_str(&said), said.len);
		if (json) {
			o = json_new_object();
			json_add_texts(o, "way", noticeway_name(w->kind),
			    sent ? "what" : "reason", buf_str(&shown));
			json_add_bool(o, "sent", sent);
			json_puts(o);
			continue;
		}
		printf("%s: %s%s%s\n", noticeway_name(w->kind), sent ? "" :
		    "not sent: ", buf_str(&shown), !sent ||
		    w->kind > NOTICEWAY_DESKTOP ? "" :
		    w->kind == NOTICEWAY_BELL ? "; did you hear it?" :
		    "; did you see it?");
		fflush(stdout);
	}
	return status;
}

static int
notify_row(const struct command *c, struct context *context, const char *host,
    bool json)
{
	struct servers all = { .limit = ANSWER };
	const struct tmux_server *server, *s;
	char *name, *none[] = { NULL };
	struct buf text = BUF_INIT;
	struct row r;
	msec latest = 0;
	size_t i;

	file_drain(STDIN_FILENO, &text, ROW_MOST);
	buf_chomp(&text);
	if (!row_parse(&r, buf_str(&text), text.len))
		command_usage(c, "standard input is no row of 'status --json'");
	r.status.notice = r.rank == ROW_HANDOFF ? NOTICE_HANDOFF : NOTICE_STATE;
	if (!notice_wanted(&r.status, r.status.notice, &context->config))
		return EXIT_DONE;
	name = xasprintf("%s:%s", host, row_name(&r));
	servers_add_all(&all, context->config.sockets);
	servers_ask(&all, false);
	/* A person used this server last. */
	server = all.first;
	for (s = all.first; s != NULL; s = s->next)
		for (i = 0; i < s->listing.nclients; i++)
			if (s->listing.clients[i].activity > latest) {
				latest = s->listing.clients[i].activity;
				server = s;
			}
	return notify_send(context, &(struct subject){ .record = &r.status,
	    .name = name, .project = row_project(&r), .host = host },
	    server != NULL ? server->socket : "", server != NULL ?
	    &server->listing : &(struct tmux_listing){ 0 }, none, json);
}

static int
notify_main(const struct command *c, int argc, char **argv)
{
	static const char message[] = "This is a test; nothing happened.";
	struct notify_call call = { .test = false };
	char *socket = tmux_socket();
	struct tmux_listing listing;
	struct buf why = BUF_INIT;
	struct context context;
	struct noticeways *ways = &context.config.notify;
	enum noticeway_kind kind;
	const char *near;
	char **name;
	struct status r;
	size_t i;

	command_option(c, argc, argv, &call);
	if (!call.test && call.host == NULL)
		command_usage(c, "only watch and sweep send notices; to try "
		    "them: paneward notify --test");
	if (call.host != NULL && (!hostname_valid(call.host) || optind < argc))
		command_usage(c, "--row takes the name of a host, and goes "
		    "without a way");
	context_open(&context, call.status_dir, false);
	if (call.host != NULL)
		return notify_row(c, &context, call.host, call.json);
	for (name = argv + optind; *name != NULL; name++) {
		kind = noticeway_named(*name, &near);
		if (kind == NOTICEWAY_KINDS)
			command_usage(c, near ? "'%s' is no way of a notice; "
			    "did you mean '%s'?" : "'%s' is no way of a notice",
			    *name, near);
		for (i = 0; i < ways->n && ways->way[i].kind != kind; i++)
			continue;
		/* A way without an address can be tried unconfigured. */
		if (i == ways->n && kind > NOTICEWAY_DESKTOP)
			fatal_usage("cannot try '%s': 'notify' in the "
			    "configuration has none", *name);
		if (i == ways->n)
			noticeways_add(ways,
			    (struct noticeway){ .kind = kind });
	}
	if (ways->n == 0)
		fatal_usage("no way is configured; name one, as in 'paneward "
		    "notify --test osc', or set 'notify' in the configuration");
	/* A command gets a real run's record. */
	status_init(&r, "test");
	r.verdict.state = STATE_ASKING;
	r.notice = NOTICE_STATE;
	verdict_why(&r.verdict, "paneward notify --test");
	verdict_message(&r.verdict, message, sizeof(message) - 1);
	tmux_list(socket, &listing, &why);
	return notify_send(&context, &(struct subject){ .record = &r, .name =
	    r.issue, .project = strrchr(context.project.root, '/') + 1 },
	    socket, &listing, argv + optind, call.json);
}

const struct command notify_command = {
	.name = "notify",
	.summary = "Try how notices are sent",
	.arguments = "[WAY...]",
	.examples =
	"  paneward notify --test\n"
	"  paneward notify --test osc bell\n",
	.options = options,
	.run = notify_main,
};
