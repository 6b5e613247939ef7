/*
 * loopcommand.c - the commands for the loop inside a session: `loop start`,
 * `loop stop` and `loop status`.
 */
#include <inttypes.h>

#include "hook/hook.h"
#include "loop/loop.h"
#include "marker/defang.h"
#include "paneward.h"

enum {
	MAX_TURNS = 1000000, MAX_SECONDS = 31536000,
	PROMPT_MAX = 16 << 10, SHOWN_PROMPT = 60
};

struct session {
	const char *name;               /* of the command */
	const char *agent, *prompt;     /* or NULL */
	long max, duration;
	bool json;
	char *root;
	enum loopfile_result opened;
	struct loopfile file;
	struct buf why;
};

#define AGENT_OPTION { 'a', "agent", "NAME", \
	"whose loop, where agents share a folder (TH_LOOP_AGENT)", \
	TEXT_AT(struct session, agent) }

static void
open_session(struct session *s, const struct command *command, int argc,
    char **argv)
{
	const char *folder = hook_folder(), *what, *p;

	*s = (struct session){ .name = command->name, .max = 10 };
	command_option(command, argc, argv, s);
	what = s->agent != NULL ? "--agent" : "TH_LOOP_AGENT";
	if (!loopfile_agent(&s->agent))
		command_usage(command, "%s '%s' is not the name of an agent: "
		    "letters, digits, '_' and '-', at most %d", what, s->agent,
		    LOOPFILE_AGENT);
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
	s->root = folder[0] == '/' ? xstrdup(folder) : xrealpath(".");
	if (s->root == NULL)
		fatal("cannot find the current directory");
	s->opened = loopfile_open(&s->file, s->root, s->agent, &s->why);
}

static int
refuse(struct session *s)
{
	if (s->opened == LOOPFILE_MISSING)
		warnx("%s: there is no loop in '%s': '%s' is missing; this "
		    "command is for a loop inside a session; Ctrl+C or SIGTERM "
		    "ends a 'loop run'", s->name, s->root,
		    s->file.path);
	else
		warnx("%s: in '%s': %s%s", s->name, s->root,
		    buf_str(&s->why), s->opened == LOOPFILE_MALFORMED ?
		    "; correct or remove it" : "");
	return s->opened == LOOPFILE_FAILED ? EXIT_COULD_NOT : EXIT_NO;
}

static int
write_session(struct session *s)
{
	if (loopfile_write(&s->file, s->root) == 0)
		return EXIT_DONE;
	if (errno == ESTALE && s->opened == LOOPFILE_MISSING) {
		warnx("%s: another loop was started in '%s' just now", s->name,
		    s->root);
		return EXIT_NO;
	}
	warn("%s: cannot write '%s' in '%s'", s->name, s->file.path, s->root);
	return EXIT_COULD_NOT;
}

static int
loopstart_run(const struct command *command, int argc, char **argv)
{
	int64_t now = clock_wall() / 1000;
	struct channel channel = { .now = now, .started = now,
	    .last_read = -1 };
	struct buf shown = BUF_INIT;
	struct session s;
	struct loopstate *state = &s.file.state;
	int status;

	open_session(&s, command, argc, argv);
	if (s.opened == LOOPFILE_MISSING) {
		buf_adds(&state->text, "---\n---\n");
		loopstate_parse(state, &s.why);
	} else if (s.opened != LOOPFILE_OK) {
		return refuse(&s);
	} else if (loopstate_active(state)) {
		warnx("loop start: a loop is active in '%s' already; end it "
		    "with 'paneward loop stop'", s.root);
		return EXIT_NO;
	}
	/* Comments and text of an old loop stay. */
	loopstate_set(state, LOOPSTATE_STATUS, "active");
	loopstate_set_number(state, LOOPSTATE_STARTED, now);
	loopstate_set_number(state, LOOPSTATE_MAX_TURNS, s.max);
	loopstate_set_number(state, LOOPSTATE_ITERATION, 0);
	loopstate_set_number(state, LOOPSTATE_DURATION, s.duration);
	loopstate_set_text(state, LOOPSTATE_PROMPT, s.prompt ? s.prompt : "");
	loopstate_set(state, LOOPSTATE_LAST_READ, NULL);
	status = write_session(&s);
	if (status != EXIT_DONE)
		return status;
	/* An agent in another folder does not find it. */
	msg_escape(&shown, s.root, strlen(s.root));
	printf("the loop is that of an agent in '%s'\n", buf_str(&shown));
	/* A stop would end the loop early, while a person looks. */
	buf_reset(&s.why);
	channel_read(&channel, s.root, &s.why);
	if (s.why.len > 0)
		warnx("loop start: %s", buf_str(&s.why));
	if (channel.stop)
		warnx("loop start: '%s/%s/%s.md' says 'stop', which ends the "
		    "loop at the first turn; begin a new section below it",
		    s.root, CHANNEL_FOLDER, channel.stop_day);
	return EXIT_DONE;
}

const struct command loopstart_command = {
	.name = "loop start",
	.summary = "Keep an agent going inside its session, turn after turn",
	.examples =
	"  paneward init claude --loop      once, so that the agent has the hook\n"
	"  paneward loop start              ten turns, with what the channel says\n"
	"  paneward loop start -m 5 -p 'Go on with the next item of TODO.md.'\n",
	.options = (const struct command_option[]){
		{ 'm', "max", "N", "at most N turns; default: 10",
		    NUMBER_AT(struct session, max, 1, MAX_TURNS) },
		{ 'd', "duration", "SEC", "begin no turn later than this",
		    NUMBER_AT(struct session, duration, 0, MAX_SECONDS) },
		{ 'p', "prompt", "TEXT", "the prompt of each turn; default: "
		    "what is new in the channel",
		    TEXT_AT(struct session, prompt) },
		AGENT_OPTION,
		{ 0 }
	},
	.run = loopstart_run,
};

static int
loopstop_run(const struct command *command, int argc, char **argv)
{
	struct session s;

	open_session(&s, command, argc, argv);
	if (s.opened != LOOPFILE_OK)
		return refuse(&s);
	if (!loopstate_active(&s.file.state))
		return EXIT_DONE;
	loopstate_set(&s.file.state, LOOPSTATE_STATUS, "stopped");
	return write_session(&s);
}

const struct command loopstop_command = {
	.name = "loop stop",
	.summary = "End the loop inside a session, after the current turn",
	.examples = "  paneward loop stop\n",
	.options = (const struct command_option[]){ AGENT_OPTION, { 0 } },
	.run = loopstop_run,
};

/* The screen is searched for markers, so texts have none. */
static int
loopstatus_run(const struct command *command, int argc, char **argv)
{
	struct session s;
	struct loopstate *state = &s.file.state;
	const int64_t *number = state->number;
	struct buf *was = &state->values[LOOPSTATE_STATUS].text;
	struct buf status = BUF_INIT, prompt = BUF_INIT, line = BUF_INIT,
	    shown = BUF_INIT;
	struct json *o;
	int key;

	open_session(&s, command, argc, argv);
	if (s.opened == LOOPFILE_OK) {
		buf_printf(&s.why, "'%s': ", s.file.path);
		if (loopstate_numbers(state, &s.why) == -1)
			s.opened = LOOPFILE_MALFORMED;
	}
	if (s.opened != LOOPFILE_OK)
		return refuse(&s);
	loopreason_add(&status, buf_str(was), was->len);
	was = &state->values[LOOPSTATE_PROMPT].text;
	loopreason_add(&prompt, buf_str(was), was->len);
	if (s.json) {
		o = json_new_object();
		json_add_text(o, "status", buf_str(&status));
		for (key = 0; key < LOOPSTATE_NUMBERS; key++)
			if (number[key] != -1 && (key == LOOPSTATE_STARTED ||
			    key == LOOPSTATE_LAST_READ))
				json_add_time(o, loopstate_names[key],
				    number[key] > INT64_MAX / 1000 ? INT64_MAX :
				    number[key] * 1000);
			else if (number[key] != -1)
				json_add_number(o, loopstate_names[key],
				    number[key]);
		json_add_text(o, "prompt", buf_str(&prompt));
		buf_printf(&line, "%s/%s", s.root, s.file.path);
		json_add_text(o, "file", buf_str(&line));
		json_puts(o);
		return EXIT_DONE;
	}
	if (status.len > 0)
		msg_escape(&line, status.data, status.len);
	else
		buf_adds(&line, "without a status");
	buf_printf(&line, "  %" PRId64 " of %" PRId64 " turns",
	    number[LOOPSTATE_ITERATION], number[LOOPSTATE_MAX_TURNS]);
	if (number[LOOPSTATE_DURATION] > 0)
		buf_printf(&line, "  %" PRId64 " of %" PRId64 " s",
		    (int64_t)(clock_wall() / 1000) - number[LOOPSTATE_STARTED],
		    number[LOOPSTATE_DURATION]);
	if (was->len == 0) {
		buf_adds(&line, "  the channel");
	} else {
		utf8_add_shown(&shown, buf_str(&prompt), prompt.len,
		    SHOWN_PROMPT);
		buf_adds(&line, "  \"");
		msg_escape(&line, buf_str(&shown), shown.len);
		buf_printf(&line, "%s\"", shown.len < prompt.len ? "..." : "");
	}
	buf_adds(&line, "  ");
	msg_escape(&line, s.root, strlen(s.root));
	printf("%s/%s\n", buf_str(&line), s.file.path);
	return EXIT_DONE;
}

const struct command loopstatus_command = {
	.name = "loop status",
	.summary = "Show the loop inside a session",
	.examples = "  paneward loop status --json\n",
	.options = (const struct command_option[]){
		AGENT_OPTION,
		JSON_AT(struct session, json, "print a JSON object"),
		{ 0 }
	},
	.run = loopstatus_run,
};
