#include "chain/sources.h"
#include "data/shell.h"

#include "story.h"
#include "unit/agent/recorded.h"

/* 2026-12-01T12:00:00Z */
static const msec noon = 1796126400000;

static const char SIGNS[] =
    "{ 'announces': { 'osc': 7501, 'busy': ['^working$'], "
    "'ready': ['^idle$'] },"
    "'title': { 'busy': ['^!'], 'ready': ['^-'] },"
    "'screen': { 'asking': [{ 'pattern': 'may I (?<asked>.*)', "
    "'what': 'it asks' }], 'busy': ['spin'], 'ready': ['^>'], "
    "'limited': ['limit(?: until (?<reset>\\\\N+))?'] } }";

static struct backend mine;
static struct screen s;
static struct screen_evidence e;
static msec wall;

static void
begin(void)
{
	screen_release(&s);
	s = (struct screen){ .signs = &mine.signs };
	wall = noon;
}

static void
show(const char *text)
{
	screen_capture(&s, text, strlen(text), wall);
}

/* "asking it asks: to go", and "by its title" if no capture decided; "none" */
static const char *
said(void)
{
	static char line[1024];
	bool any = screen_tell(&s, &e, false, wall);

	ok(any == (e.state != STATE_NONE));
	snprintf(line, sizeof(line), "%s%s%s%s%s%s", state_name(e.state),
	    any ? " " : "", e.what, e.asked && e.asked[0] ? ": " : "",
	    e.asked ? e.asked : "", any && e.text == 0 ? ", by its title" : "");
	return line;
}

static const char *
described(void)
{
	static struct buf out;

	buf_reset(&out);
	screen_describe(&s, &out);
	return buf_str(&out);
}

/* "print BYTES", "title TEXT", "show CAPTURE", "front PROGRAM"; "at MS" and
 * "until MS" behind noon it is, and is a limit; "doubts", "sure", "seen WORDS";
 * other words are what is said. */
static bool
step(const char *word)
{
	const char *with = strchr(word, ' ');

	with = with != NULL ? with + 1 : "";
	if (strncmp(word, "print ", 6) == 0)
		screen_print(&s, with, strlen(with));
	else if (strncmp(word, "title ", 6) == 0)
		screen_title(&s, with);
	else if (strncmp(word, "show ", 5) == 0)
		show(with);
	else if (strncmp(word, "front ", 6) == 0)
		s.shell_in_front = shell_known(with);
	else if (strncmp(word, "at ", 3) == 0)
		wall = noon + atoll(with);
	else if (strncmp(word, "until ", 6) == 0)
		is_number(e.reset - noon, atoll(with));
	else if (strncmp(word, "seen ", 5) == 0)
		is_text(described(), with);
	else if (strcmp(word, "doubts") == 0)
		ok(screen_doubts(&s));
	else if (strcmp(word, "sure") == 0)
		ok(!screen_doubts(&s));
	else
		is_text(said(), word);
	return true;
}

TEST(without_signs_nothing_is_said) {
	screen_release(&s);
	s = (struct screen){ .signs = NULL };
	screen_print(&s, "\033]0;! x\a", 8);
	screen_title(&s, "! x");
	show("spin");
	is_text(said(), "none");
	ok(!screen_doubts(&s));
}

TEST(a_title_what_it_announces_and_its_text_tell_a_state) {
#define BUSY  "print \033]0;! x\a"
#define READY "print \033]0;- x\a"
#define LIMIT "limited a usage limit holds it"
#define OVER  "asking its limit ended, but it does not continue"
	static const struct story stories[] = {
		{ "without a word of its own the text decides",
		    { "none", "seen nothing to be seen", "show spin",
			"working busy", "sure", "show >",
			"waiting at its prompt", "doubts",
			"show may I go\n>", "asking it asks: go",
			"show limit", LIMIT, "show limit until some day",
			LIMIT " until some day", "show what", "none",
			"sure" } },
		{ "a dialog stops the agent, whatever spins in the title",
		    { "show may I go", BUSY, "working busy, by its title",
			"show >", "working busy, by its title",
			"show may I go", "asking it asks: go",
			"print \033]0;! 2\a", "asking it asks: go",
			"show limit", LIMIT } },
		{ "a text from before its word says nothing",
		    { "show spin", BUSY, "sure", READY, "none", "doubts",
			"show may I go", "asking it asks: go", "doubts",
			"show >", "waiting at its prompt" } },
		{ "no capture is possible",
		    { READY, "waiting at its prompt, by its title" } },
		{ "there are clients whose title never changes",
		    { READY, "show spin", "working busy", "sure", "show what",
			"waiting at its prompt, by its title", "doubts" } },
		{ "what it announces is believed before its title",
		    { "print \033]7501;state=idle\a\033]0;! x\a", "show >",
			"waiting at its prompt",
			"print \033]7501;state=working\a", "show may I go",
			"working busy, by its title",
			"print \033]7501;state=clear\a", "show >",
			"working busy, by its title", "title ", "show >",
			"waiting at its prompt" } },
		{ "a shell is no agent", { BUSY, "show spin", "front -bash",
			"none", "sure", "front node",
			"working busy, by its title" } },
		{ "all that is seen is described",
		    { "print \033]7501;state=odd\a\033]0;! x  \a",
			"show what", "front sh", "seen announces 'odd': no "
			"sign; title '! x': busy; text: no sign; a shell is in "
			"front of it" } },
		{ "a limit ends", { "show limit until 5 minutes", LIMIT,
			"until 300000", "at 359999", LIMIT, "at 360000",
			OVER } },
		{ "it may be shown for longer than it lasts",
		    { "show limit until 3:00", LIMIT, "until 54000000",
			"at 57600000", "show limit until 3:00", OVER } },
		{ "a waiting time does begin again",
		    { "show limit until 35s", LIMIT, "at 60000",
			"show limit until 35s", LIMIT, "until 95000" } },
	};

	TELL(stories, begin, step);
}

TEST(only_the_last_lines_are_looked_at) {
	struct buf text = BUF_INIT;
	int i;

	begin();
	buf_adds(&text, "spin\n");
	for (i = 0; i < SCREEN_LINES - 1; i++)
		buf_adds(&text, "x   \n\n   \n");
	show(buf_str(&text));
	is_text(said(), "working busy");
	buf_adds(&text, "x");
	show(buf_str(&text));
	is_text(said(), "none");
	buf_reset(&text);
	buf_adds(&text, "spin\n");
	for (i = 0; i < SCREEN_BYTES; i++)
		buf_addc(&text, 'x');
	buf_adds(&text, "\n>");
	show(buf_str(&text));
	is_text(said(), "waiting at its prompt");
	show("\n \n");
	is_text(said(), "none");
	buf_release(&text);
}

TEST(the_log_is_looked_at_piece_by_piece) {
	static char much[SCREEN_TAIL + 1];
	struct panelog p = { .file.fd = -1 };

	begin();
	show(">");
	screen_log(&s, &p, 0);          /* it is not open yet */
	scratch_write("log", "\033]0;! x\a");
	p.file.fd = openat(scratch_fd, "log", O_RDONLY | O_CLOEXEC);
	while (p.file.ahead < 8) {
		is_text(said(), "waiting at its prompt");
		p.file.ahead++;
		screen_log(&s, &p, 0);
	}
	is_text(said(), "working busy, by its title");
	/* What stands before the run is of another one. */
	begin();
	screen_log(&s, &p, 8);
	is_text(said(), "none");
	/* What cannot be read is read later. */
	begin();
	screen_log(&s, &(struct panelog){ .file.fd = scratch_fd,
	    .file.ahead = 8 }, 0);
	is_text(said(), "none");
	screen_log(&s, &p, 0);
	is_text(said(), "working busy, by its title");
	/* Of much only the end is. */
	memset(much, 'x', sizeof(much) - 1);
	scratch_add("log", much);
	p.file.ahead += SCREEN_TAIL;
	begin();
	screen_log(&s, &p, 0);
	is_text(said(), "none");
	close(p.file.fd);
}

TEST(what_was_written_down_is_recalled) {
	struct verdict v = { .state = STATE_WAITING,
	    .source = "hook", .why = "it asks" };

	ok(!screen_recall(&e, &v));
	verdict_set_source(&v, "screen");
	ok(screen_recall(&e, &v));
	is_number(e.state, STATE_WAITING);
	is_text(e.what, "it asks");
}

/* "TITLE, STATE" of bytes that announce states of "codex". */
static struct signs codex = { .osc = 7501 };

static const char *
printed(const char *bytes, size_t len)
{
	static struct buf got;

	screen_release(&s);
	s = (struct screen){ .signs = &codex };
	buf_adds(&s.title, "none");
	buf_adds(&s.announced, "none");
	screen_print(&s, bytes, len);
	buf_reset(&got);
	buf_printf(&got, "%s, %s", buf_str(&s.title), buf_str(&s.announced));
	return buf_str(&got);
}

static const char *
prints(const char *bytes)
{
	return printed(bytes, strlen(bytes));
}

#define STATE(text) "\033]7501;" text "\a"

TEST(the_last_whole_title_and_state_of_the_app_count) {
	ROWS(prints, "\033]0;one\axx\033]2;two\033\\yy => two, none",
	    "\033]2;two\033\\\033]0;one\a => one, none",
	    "\033]0;\342\234\263 x\a => \342\234\263 x, none",
	    "\033]0;one\a\033]0;\a => , none", "no title => none, none",
	    /* Other sequences are none, */
	    "\033]1;icon\a\033]8;;http://x\a\033]133;A\a => none, none",
	    "\033]20;x\a\033]02;y\a => y, none",
	    "\033];x\a\033]x;y\a\033]0 ;z\a => none, none",
	    "\033]4294967296;x\a => none, none",
	    /* nor are those that are cut or broken. */
	    "\033]0;one\a\033]0;two => one, none",
	    "\033]0;one\a\033]0;two\033 => one, none",
	    "\033]0;one\a\033] => one, none",
	    "\033]0;one\a\033]0;tw\no\a => one, none",
	    "\033]0;tw\033]0;one\a => one, none",
	    STATE("state=") " => none, ",
	    STATE("state=idle:app=codex") STATE("state=done:app=other")
	    " => none, done");
	is_text(printed("\033]0;one\a\033]0;tw\0o\a", 17), "one, none");
	codex.app = (char[]){ "codex" };
	ROWS(prints, "\033]7501;state=idle:app=codex\033\\"
	    "\033]7501;state=working:app=codex\033\\ => none, working",
	    STATE("app=codex:state=done") " => none, done",
	    "\033]7502;state=idle:app=codex\a => none, none",
	    STATE("state=idle:app=codex") STATE("state=done:app=codexx")
	    STATE("state=done") STATE("app=codex:mystate=done")
	    " => none, idle");
	/* A title announces nothing. */
	codex = (struct signs){ .osc = 0 };
	is_text(prints("\033]0;state=busy\a"), "state=busy, none");
}

BEFORE_TESTS {
	is_text(recorded_mine(&mine, SIGNS), "");
}
