/*
 * loop.c - the command `loop`: its verbs, and which options each takes.
 */
#include "loop.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "loopfile.h"
#include "msg.h"

enum {
	OPTION_AGENT = 'a', OPTION_DURATION = 'd', OPTION_JSON = 'j',
	OPTION_MAX = 'm', OPTION_PROMPT = 'p',
	MAX_TURNS = 1000000,
	MAX_SECONDS = 31536000
};

static const struct command_option options[] = {
	{ OPTION_MAX, "max", "N", "start: turns, 10 unless told otherwise" },
	{ OPTION_DURATION, "duration", "SEC", "start: no turn is begun later "
	    "than this" },
	{ OPTION_PROMPT, "prompt", "TEXT", "start: what the agent is told each "
	    "time; else what is new in the channel" },
	{ OPTION_AGENT, "agent", "NAME", "whose loop, where agents share a "
	    "folder (TH_LOOP_AGENT)" },
	{ OPTION_JSON, "json", NULL, "status: a JSON object" },
	{ 0 }
};

static const struct verb {
	const char *name;
	const char *takes;              /* the letters of its options */
	int       (*run)(const struct loop_call *);
} verbs[] = {
	{ "start",  "mdpa", loop_start },
	{ "stop",   "a",    loop_stop },
	{ "status", "aj",   loop_status },
};

static const char *
agent_of(const struct command *command, const char *what, const char *name)
{
	if (!loopfile_agent_valid(name))
		command_usage(command, "%s '%s' is not the name of an agent: "
		    "letters, digits, '_' and '-', at most %d", what, name,
		    LOOPFILE_AGENT);
	return name;
}

/* Takes the options; the letters of those that were given go to given. */
static void
take_options(struct loop_call *c, int argc, char **argv, char *given)
{
	size_t n = 0;
	int key;

	while ((key = command_option(c->command, argc, argv)) != -1) {
		switch (key) {
		case OPTION_MAX:
			c->max = command_number(c->command, "--max", optarg, 1,
			    MAX_TURNS);
			break;
		case OPTION_DURATION:
			c->duration = command_number(c->command, "--duration",
			    optarg, 0, MAX_SECONDS);
			break;
		case OPTION_PROMPT: c->prompt = optarg; break;
		case OPTION_AGENT:
			c->agent = agent_of(c->command, "--agent", optarg);
			break;
		case OPTION_JSON: c->json = true; break;
		}
		if (memchr(given, key, n) == NULL)
			given[n++] = (char)key;
	}
	given[n] = '\0';
}

static const struct verb *
verb_of(const struct command *command, int argc, char **argv)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (argc == optind + 1 &&
		    strcmp(verbs[i].name, argv[optind]) == 0)
			return &verbs[i];
	command_usage(command, "takes start, stop or status");
}

static const char *
option_name(char letter)
{
	const struct command_option *o;

	for (o = options; o->key != letter; o++)
		;
	return o->name;
}

static int
loop_run(const struct command *command, int argc, char **argv)
{
	struct loop_call c = { .command = command, .max = 10 };
	char given[sizeof(options) / sizeof(options[0]) + 1];
	const char *name = getenv("TH_LOOP_AGENT");
	const struct verb *verb;
	size_t wrong;

	take_options(&c, argc, argv, given);
	verb = verb_of(command, argc, argv);
	wrong = strspn(given, verb->takes);
	if (given[wrong] != '\0')
		command_usage(command, "%s takes no option '--%s'", verb->name,
		    option_name(given[wrong]));
	if (c.agent == NULL && name != NULL && name[0] != '\0')
		c.agent = agent_of(command, "TH_LOOP_AGENT", name);
	return verb->run(&c);
}

const struct command loop_command = {
	.name = "loop",
	.summary = "keep an agent going, turn after turn",
	.arguments = "start|stop|status",
	.examples =
	"  paneward init claude --loop      once, so that the agent has the hook\n"
	"  paneward loop start              ten turns, with what the channel says\n"
	"  paneward loop start -m 5 -p 'Go on with the next item of TODO.md.'\n"
	"  paneward loop stop               after the turn that is under way\n",
	.options = options,
	.run = loop_run,
};
