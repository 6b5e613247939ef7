/*
 * loopcommand.c - the commands `loop start`, `loop stop` and `loop status`.
 * They write and read the state of the loop inside one agent session, which
 * the agent's own hook drives (loop/loop.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/msg.h"
#include "base/utf8.h"
#include "data/json.h"
#include "hook/hook.h"
#include "loop/loop.h"
#include "marker/defang.h"
#include "paneward.h"

enum {
	OPTION_AGENT = 'a', OPTION_DURATION = 'd', OPTION_JSON = 'j',
	OPTION_MAX = 'm', OPTION_PROMPT = 'p',
	MAX_TURNS = 1000000,
	MAX_SECONDS = 31536000,
	PROMPT_MAX = 16 << 10,          /* bytes */
	SHOWN_PROMPT = 60               /* characters of it, for people */
};

/* ---- what the three share ------------------------------------------------ */

struct session {
	const struct command *command;
	const char *agent;              /* NULL: the one without a name */
	const char *prompt;             /* NULL: the channel */
	long max, duration;
	bool json;
	char *root;                     /* where the agent's hook will look */
	enum loopfile_result opened;
	struct loopfile file;
	struct buf why;
};

#define AGENT_OPTION { OPTION_AGENT, "agent", "NAME", \
	"whose loop, where agents share a folder (TH_LOOP_AGENT)" }

static const char *
agent_of(const struct command *command, const char *what, const char *name)
{
	if (!loopfile_agent_valid(name))
		command_usage(command, "%s '%s' is not the name of an agent: "
		    "letters, digits, '_' and '-', at most %d", what, name,
		    LOOPFILE_AGENT);
	return name;
}

/* Reads the options, of which each command's table has only its own, and opens
 * the loop. */
static void
open_session(struct session *s, const struct command *command, int argc,
    char **argv)
{
	const char *name = getenv("TH_LOOP_AGENT"), *folder = hook_folder();
	const char *p;
	int key;

	*s = (struct session){ .command = command, .max = 10 };
	while ((key = command_option(command, argc, argv, NULL)) != -1)
		switch (key) {
		case OPTION_MAX:
			s->max = command_number(command, "--max", optarg, 1,
			    MAX_TURNS);
			break;
		case OPTION_DURATION:
			s->duration = command_number(command, "--duration",
			    optarg, 0, MAX_SECONDS);
			break;
		case OPTION_PROMPT: s->prompt = optarg; break;
		case OPTION_AGENT:
			s->agent = agent_of(command, "--agent", optarg);
			break;
		case OPTION_JSON: s->json = true; break;
		}
	if (optind < argc)
		command_usage(command, "takes no argument, and '%s' is one",
		    argv[optind]);
	p = s->prompt != NULL ? s->prompt : "";
	if (strlen(p) > PROMPT_MAX)
		command_usage(command, "the prompt has more than %d KiB",
		    PROMPT_MAX >> 10);
	if (!defang_clean(p, strlen(p), NULL))
		command_usage(command, "the prompt holds a finished marker, "
		    "which would be taken for a report; write it in words");
	for (; *p != '\0'; p++)
		if (((unsigned char)*p < ' ' && *p != '\n' && *p != '\t') ||
		    *p == 0x7f)
			command_usage(command, "the prompt holds a control "
			    "character");
	if (s->agent == NULL && name != NULL && name[0] != '\0')
		s->agent = agent_of(command, "TH_LOOP_AGENT", name);
	s->root = folder[0] == '/' ? xstrdup(folder) : xrealpath(".");
	if (s->root == NULL)
		fatal("cannot find the current directory");
	s->opened = loopfile_open(&s->file, s->root, s->agent, &s->why);
}

static int
close_session(struct session *s, int status)
{
	loopfile_close(&s->file);
	buf_release(&s->why);
	free(s->root);
	return status;
}

/* There is none, or none that can be used. */
static int
refuse(struct session *s)
{
	const char *name = s->command->name;

	if (s->opened == LOOPFILE_MISSING)
		warnx("%s: there is no loop in '%s': '%s' is missing; "
		    "this is about a loop inside a session, not about 'loop "
		    "run', which Ctrl+C or a SIGTERM ends", name, s->root,
		    s->file.path);
	else
		warnx("%s: in '%s': %s%s", name, s->root,
		    buf_str(&s->why), s->opened == LOOPFILE_MALFORMED ?
		    "; correct or remove it" : "");
	return close_session(s, s->opened == LOOPFILE_FAILED ?
	    EXIT_COULD_NOT : EXIT_NO);
}

static int
write_session(struct session *s, int written)
{
	if (written == 0)
		return close_session(s, EXIT_DONE);
	warn("%s: cannot write '%s' in '%s'", s->command->name,
	    s->file.path, s->root);
	return close_session(s, EXIT_COULD_NOT);
}

/* ---- start --------------------------------------------------------------- */

/* Warns of what would end the loop early, while a person is at the terminal. */
static void
warn_of_channel(const struct session *s)
{
	int64_t now = clock_wall() / 1000;
	const struct channel_question question = { now, now, -1 };
	struct channel channel = CHANNEL_INIT;
	struct buf why = BUF_INIT;

	channel_read(&channel, s->root, &question, &why);
	if (why.len > 0)
		warnx("loop start: %s", buf_str(&why));
	if (channel.stop)
		warnx("loop start: '%s/%s/%s.md' says 'stop', which ends the "
		    "loop at the first turn; begin a new section below it",
		    s->root, CHANNEL_FOLDER, channel.stop_day);
	channel_release(&channel);
	buf_release(&why);
}

static int
loopstart_run(const struct command *command, int argc, char **argv)
{
	struct buf shown = BUF_INIT;
	struct session s;
	struct loopstate *state = &s.file.state;
	int written;
	bool new;

	open_session(&s, command, argc, argv);
	new = s.opened == LOOPFILE_MISSING;
	if (s.opened != LOOPFILE_OK && !new)
		return refuse(&s);
	if (new) {
		buf_adds(&state->text, "---\n---\n");
		loopstate_parse(state, &s.why);
	} else if (loopstate_is(state, "active")) {
		warnx("loop start: a loop is active in '%s' already; end it "
		    "with 'paneward loop stop'", s.root);
		return close_session(&s, EXIT_NO);
	}
	/* It has no last reading; comments and text of an old one stay. */
	loopstate_set_word(state, LOOPSTATE_STATUS, "active");
	loopstate_set_number(state, LOOPSTATE_STARTED, clock_wall() / 1000);
	loopstate_set_number(state, LOOPSTATE_MAX_TURNS, s.max);
	loopstate_set_number(state, LOOPSTATE_ITERATION, 0);
	loopstate_set_number(state, LOOPSTATE_DURATION, s.duration);
	loopstate_set_text(state, LOOPSTATE_PROMPT, s.prompt ? s.prompt : "");
	loopstate_remove(state, LOOPSTATE_LAST_READ);
	written = loopfile_write(&s.file, s.root);
	if (written == -1 && errno == ESTALE && new) {
		warnx("loop start: another loop was started in '%s' just "
		    "now", s.root);
		return close_session(&s, EXIT_NO);
	}
	if (written == 0) {
		/* An agent that runs in another folder does not find it. */
		msg_escape(&shown, s.root, strlen(s.root));
		printf("the loop is that of an agent in '%s'\n",
		    buf_str(&shown));
		buf_release(&shown);
		warn_of_channel(&s);
	}
	return write_session(&s, written);
}

static const struct command_option start_options[] = {
	{ OPTION_MAX, "max", "N", "at most N turns; default: 10" },
	{ OPTION_DURATION, "duration", "SEC", "begin no turn later than "
	    "this" },
	{ OPTION_PROMPT, "prompt", "TEXT", "the prompt of each turn; default: "
	    "what is new in the channel" },
	AGENT_OPTION,
	{ 0 }
};

const struct command loopstart_command = {
	.name = "loop start",
	.summary = "Keep an agent going inside its session, turn after turn",
	.examples =
	"  paneward init claude --loop      once, so that the agent has the hook\n"
	"  paneward loop start              ten turns, with what the channel says\n"
	"  paneward loop start -m 5 -p 'Go on with the next item of TODO.md.'\n",
	.options = start_options,
	.run = loopstart_run,
};

/* ---- stop ---------------------------------------------------------------- */

static int
loopstop_run(const struct command *command, int argc, char **argv)
{
	struct session s;

	open_session(&s, command, argc, argv);
	if (s.opened != LOOPFILE_OK)
		return refuse(&s);
	if (!loopstate_is(&s.file.state, "active"))
		return close_session(&s, EXIT_DONE);    /* as it should be */
	loopstate_set_word(&s.file.state, LOOPSTATE_STATUS, "stopped");
	return write_session(&s, loopfile_write(&s.file, s.root));
}

static const struct command_option stop_options[] = {
	AGENT_OPTION,
	{ 0 }
};

const struct command loopstop_command = {
	.name = "loop stop",
	.summary = "End the loop inside a session, after the current turn",
	.examples = "  paneward loop stop\n",
	.options = stop_options,
	.run = loopstop_run,
};

/* ---- status -------------------------------------------------------------- */

/* A value as it may stand on the screen, which is searched for markers. */
static char *
defanged(const struct loopstate *s, enum loopstate_key key)
{
	const struct buf *text = &s->values[key].text;
	struct buf out = BUF_INIT;

	loopreason_add(&out, text->data, text->len);
	return buf_steal(&out);
}

static void
print_json(const struct session *s)
{
	const struct loopstate *state = &s->file.state;
	const struct { const char *key; int64_t value; } numbers[] = {
		{ "started", state->started }, { "max", state->max },
		{ "iteration", state->iteration },
		{ "duration", state->duration },
		{ "last_read_timestamp", state->last_read },
	};
	char *word = defanged(state, LOOPSTATE_STATUS);
	char *prompt = defanged(state, LOOPSTATE_PROMPT);
	char *path = xasprintf("%s/%s", s->root, s->file.path);
	cJSON *o = json_new_object();
	size_t i;

	json_add_text(o, "status", word);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].value != -1)
			json_add_number(o, numbers[i].key, numbers[i].value);
	json_add_text(o, "prompt", prompt);
	json_add_text(o, "file", path);
	json_puts(o);
	free(path);
	free(prompt);
	free(word);
}

static void
print_line(const struct session *s)
{
	const struct loopstate *state = &s->file.state;
	char *status = defanged(state, LOOPSTATE_STATUS);
	char *prompt = defanged(state, LOOPSTATE_PROMPT);
	struct buf line = BUF_INIT, shown = BUF_INIT;

	if (status[0] != '\0')
		msg_escape(&line, status, strlen(status));
	else
		buf_adds(&line, "without a status");
	buf_printf(&line, "  %" PRId64 " of %" PRId64 " turns",
	    state->iteration, state->max);
	if (state->duration > 0)
		buf_printf(&line, "  %" PRId64 " of %" PRId64 " s",
		    (int64_t)(clock_wall() / 1000) - state->started,
		    state->duration);
	if (state->values[LOOPSTATE_PROMPT].text.len == 0) {
		buf_adds(&line, "  the channel");
	} else {
		utf8_add_shown(&shown, prompt, strlen(prompt), SHOWN_PROMPT);
		buf_adds(&line, "  \"");
		msg_escape(&line, buf_str(&shown), shown.len);
		buf_printf(&line, "%s\"", shown.len < strlen(prompt) ? "..." :
		    "");
	}
	buf_adds(&line, "  ");
	msg_escape(&line, s->root, strlen(s->root));
	printf("%s/%s\n", buf_str(&line), s->file.path);
	buf_release(&shown);
	buf_release(&line);
	free(prompt);
	free(status);
}

static int
loopstatus_run(const struct command *command, int argc, char **argv)
{
	struct session s;
	struct buf wrong = BUF_INIT;

	open_session(&s, command, argc, argv);
	if (s.opened == LOOPFILE_OK &&
	    loopstate_numbers(&s.file.state, &wrong) == -1) {
		buf_printf(&s.why, "'%s': %s", s.file.path, buf_str(&wrong));
		s.opened = LOOPFILE_MALFORMED;
	}
	buf_release(&wrong);
	if (s.opened != LOOPFILE_OK)
		return refuse(&s);
	if (s.json)
		print_json(&s);
	else
		print_line(&s);
	return close_session(&s, EXIT_DONE);
}

static const struct command_option status_options[] = {
	AGENT_OPTION,
	{ OPTION_JSON, "json", NULL, "print a JSON object" },
	{ 0 }
};

const struct command loopstatus_command = {
	.name = "loop status",
	.summary = "Show the loop inside a session",
	.examples = "  paneward loop status --json\n",
	.options = status_options,
	.run = loopstatus_run,
};
