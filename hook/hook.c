/*
 * hook.c - the command that agents' hooks run.
 *
 * Agents read exit status 2 as "block", and wait for a hook for ever.  So the
 * input has a size and a time, trouble ends with status 0, and the answer is
 * written in one piece or not at all.
 */
#include "hook/hook.h"

#include "marker/defang.h"
#include "os/loop.h"
#include "paneward.h"

/* ms until its end; bytes, which fill a page with a NUL */
enum { INPUT_TIME = 1000, PIECE = (4 << 10) - 1 };

static const struct hook {
	const char *name;
	int       (*run)(struct hook_call *);
	size_t      most;               /* bytes of input */
	bool        without;            /* runs without input */
} hooks[] = {
	{ "record", hook_record, 1 << 20, false },
	{ "inbox",  hook_inbox,  4 << 20, true },
	{ "loop",   hook_loop,   1 << 20, false },
};

struct buf *
hook_more(struct buf *why)
{
	if (why->len > 0)
		buf_adds(why, "; ");
	return why;
}

void
hook_collect(struct buf *all, struct buf *why)
{
	if (why->len > 0)
		buf_adds(hook_more(all), buf_str(why));
	buf_release(why);
}

bool
hook_kept_going(const struct hook_call *c)
{
	const char *text = json_text(c->input, "stop_hook_active");

	return json_true(c->input, "stop_hook_active") ||
	    (text != NULL && strcmp(text, "true") == 0);
}

bool
hook_block(struct hook_call *c, const struct self *own, const struct buf *text)
{
	const char *marker = own->record.marker;
	struct buf reason = BUF_INIT;

	defang_add(&reason, text->data, text->len, marker, DEFANG_BLANK);
	if (own->unsure)
		buf_adds(hook_more(&c->why), "the agent is not kept going");
	else if (!defang_clean(buf_str(&reason), reason.len, marker))
		buf_adds(hook_more(&c->why), "the reason holds the run's own "
		    "marker");
	else
		c->answer = json_new_object();
	if (c->answer == NULL)
		return false;
	json_add_texts(c->answer, "decision", "block", "reason",
	    buf_str(&reason));
	return true;
}

const char *
hook_folder(void)
{
	const char *said = getenv("CLAUDE_PROJECT_DIR");

	return said != NULL && said[0] == '/' ? said : ".";
}

/* Exit returns memory faster than free() does. */
static int
hook_run(const struct command *command, int argc, char **argv)
{
	struct hook_call c = { .why = BUF_INIT };
	size_t i, n = sizeof(hooks) / sizeof(hooks[0]);
	msec until = clock_now() + INPUT_TIME;
	struct buf text = BUF_INIT, answer = BUF_INIT;
	struct text_error error;
	size_t most, size;
	int ret = -1;
	struct json *o;
	ssize_t got = -1;

	msg_fatal_status(EXIT_DONE);
	command_option(command, argc, argv, &c);
	for (i = 0; i < n && strcmp(hooks[i].name, argv[optind]) != 0; i++)
		continue;
	if (i == n)
		command_usage(command, "takes record, inbox or loop");
	most = hooks[i].most;
	while (got != 0 && text.len <= most && c.why.len == 0) {
		if (!loop_await(STDIN_FILENO, POLLIN, until)) {
			if (clock_now() >= until)       /* else a signal */
				buf_adds(&c.why, "the input does not end");
			continue;
		}
		/* Unused room costs nothing; moving read bytes does. */
		size = (text.len < PIECE ? PIECE : most + 1) - text.len;
		got = read(STDIN_FILENO, buf_room(&text, size), size);
		if (got == -1 && errno != EINTR && errno != EAGAIN)
			buf_printf(&c.why, "cannot read the input: %s",
			    strerror(errno));
		text.len += got > 0 ? (size_t)got : 0;
	}
	if (text.len > most)
		buf_printf(&c.why, "the input has more than %zu bytes", most);
	if (c.why.len == 0) {
		o = json_parse(buf_str(&text), text.len, false, &error);
		if (o == NULL)
			buf_printf(&c.why, "the input is no JSON: line %u: "
			    "%s", error.line, error.reason);
		else if (json_is(o, JSON_OBJECT))
			c.input = o;
		else
			buf_adds(&c.why, "the input is no JSON object");
		if (c.input != NULL || hooks[i].without)
			ret = hooks[i].run(&c);
	}
	if (ret == 0 && c.answer != NULL) {
		json_give(&answer, c.answer);
		buf_addc(&answer, '\n');
	}
	if (c.why.len > 0)
		warnx("hook %s: %s", hooks[i].name, buf_str(&c.why));
	if (file_write(STDOUT_FILENO, answer.data, answer.len) == -1)
		warn("hook %s: cannot write the answer", hooks[i].name);
	return EXIT_DONE;
}

const struct command hook_command = {
	.name = "hook",
	.summary = "Run by an agent's own hooks",
	.arguments = "record|inbox|loop",
	.examples =
	"  paneward hook record     for each event; it is read from standard input\n"
	"  paneward hook inbox      when the agent wants to stop: is there mail?\n",
	.options = (const struct command_option[]){
		{ 0, "context", "FILE", "record: print it when a session "
		    "starts", TEXT_AT(struct hook_call, context) },
		{ 0, "save", "FILE", "record: copy it before the session is "
		    "compacted", TEXT_AT(struct hook_call, save) },
		{ 0 }
	},
	.run = hook_run,
};
