/*
 * notify.c - paneward notify --test: one notice by each way, now, and what
 * became of it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argv.h"
#include "base/command.h"
#include "base/msg.h"
#include "handoff/commands.h"
#include "handoff/jobenv.h"
#include "handoff/noticesend.h"
#include "project/context.h"
#include "run/status.h"
#include "tmux/tmux.h"

enum { OPTION_TEST = OPTION_LONG };

static const struct command_option options[] = {
	{ OPTION_TEST, "test", NULL, "send a notice by each way now" },
	CONTEXT_OPTION,
	{ 0 }
};

/* What only the person in front of it can tell. */
static const char *const questions[NOTICEWAY_KINDS] = {
	[NOTICEWAY_BELL]    = "; did you hear it?",
	[NOTICEWAY_TMUX]    = "; did you see it?",
	[NOTICEWAY_OSC]     = "; did you see it?",
	[NOTICEWAY_DESKTOP] = "; did you see it?",
	[NOTICEWAY_NTFY]    = "",
	[NOTICEWAY_WEBHOOK] = "",
	[NOTICEWAY_COMMAND] = "",
};

/* Is the way named, or none? */
static bool
notify_wanted(char *const *names, enum noticeway_kind kind)
{
	return names[0] == NULL || argv_has(names, noticeway_name(kind));
}

/* A way that is a word can be tried before it is configured; the others have to
 * be. */
static void
add_named(const struct command *c, struct noticeways *ways, char *const *names)
{
	enum noticeway_kind kind;
	size_t i;

	for (; *names != NULL; names++) {
		kind = noticeway_named(*names);
		if (kind == NOTICEWAY_KINDS)
			command_usage(c, "'%s' is no way of a notice", *names);
		for (i = 0; i < ways->n && ways->way[i].kind != kind; i++)
			continue;
		if (i < ways->n)
			continue;
		if (kind > NOTICEWAY_DESKTOP)
			fatal_usage("cannot try '%s': 'notify' in the "
			    "configuration has none", *names);
		noticeways_add_word(ways, kind);
	}
}

/* True if it was sent. */
static bool
notify_try(const struct notice_out *o, const struct noticeway *w)
{
	struct buf said = BUF_INIT, shown = BUF_INIT;
	bool sent = noticeway_check(w, &said) == 0 &&
	    noticesend_by(o, w, &said) == NOTICESEND_DONE;

	msg_escape(&shown, buf_str(&said), said.len);
	printf("%s: %s%s%s\n", noticeway_name(w->kind), sent ? "" :
	    "not sent: ", buf_str(&shown), sent ? questions[w->kind] : "");
	fflush(stdout);
	buf_release(&said);
	buf_release(&shown);
	return sent;
}

static int
notify_all(const struct notice_out *o, const struct noticeways *ways,
    char *const *names)
{
	enum exit_status status = EXIT_DONE;
	size_t i;

	for (i = 0; i < ways->n; i++)
		if (notify_wanted(names, ways->way[i].kind) &&
		    !notify_try(o, &ways->way[i]))
			status = EXIT_NO;
	return status;
}

/* A run that there is not: a command gets what it gets of a real one. */
static void
notify_record(struct status *r)
{
	static const char message[] = "This is a test; nothing happened.";

	status_init(r, "test");
	r->verdict.state = STATE_ASKING;
	r->notice = NOTICE_STATE;
	verdict_why(&r->verdict, "paneward notify --test");
	verdict_message(&r->verdict, message, sizeof(message) - 1);
}

static int
notify_test(struct context *c, char *const *names)
{
	struct noticetext text;
	struct tmux_listing listing = { 0 };
	struct buf record = BUF_INIT, why = BUF_INIT;
	char *socket = tmux_socket(), **env;
	struct status r;
	int status;

	notify_record(&r);
	status_print(&record, &r);
	buf_addc(&record, '\n');
	env = jobenv_environment(c, &r, true);
	tmux_list(socket, &listing, &why);
	noticetext_init(&text, r.issue, state_name(r.verdict.state), NULL,
	    strrchr(c->project.root, '/') + 1, r.verdict.message);
	status = notify_all(&(struct notice_out){ .text = &text, .record =
	    &record, .issue = r.issue, .socket = socket, .listing = &listing,
	    .env = (const char *const *)env }, &c->config.notify, names);
	noticetext_release(&text);
	listing_release(&listing);
	argv_free(env);
	free(socket);
	buf_release(&record);
	buf_release(&why);
	status_release(&r);
	return status;
}

static int
notify_main(const struct command *c, int argc, char **argv)
{
	const char *status_dir = NULL;
	struct context context;
	bool test = false;
	int key, status;

	while ((key = command_option(c, argc, argv)) != -1)
		if (key == OPTION_TEST)
			test = true;
		else
			status_dir = optarg;
	if (!test)
		command_usage(c, "notices are sent by watch and sweep; --test "
		    "tries how");
	context_open(&context, status_dir, false);
	add_named(c, &context.config.notify, argv + optind);
	if (context.config.notify.n == 0)
		fatal_usage("no way is configured; name one, as 'osc', or see "
		    "'notify' in the configuration");
	status = notify_test(&context, argv + optind);
	context_close(&context);
	return status;
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
