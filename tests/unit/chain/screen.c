#include "agent/signs.h"
#include "chain/sources.h"
#include "data/shell.h"

#include "scratch.h"

/* 2026-12-01T12:00:00Z */
static const msec noon = 1796126400000;

static const char SIGNS[] =
    "{ \"announces\": { \"osc\": 7501, \"busy\": [\"^working$\"], "
    "\"ready\": [\"^idle$\"] },"
    "\"title\": { \"busy\": [\"^!\"], \"ready\": [\"^-\"] },"
    "\"screen\": { \"asking\": [{ \"pattern\": \"may I (?<asked>.*)\", "
    "\"what\": \"it asks\" }], \"busy\": [\"spin\"], \"ready\": [\"^>\"], "
    "\"limited\": [\"limit(?: until (?<reset>\\\\N+))?\"] } }";

static struct signs signs;
static struct screen s;
static struct screen_evidence e;

static void
read_signs(void)
{
	static const struct strict_row rows[] = {
		{ "announces", signs_take, .least = SIGN_ANNOUNCED },
		{ "title",     signs_take, .least = SIGN_TITLE },
		{ "screen",    signs_take, .least = SIGN_SCREEN },
		{ .key = NULL }
	};
	struct buf file = BUF_INIT, error = BUF_INIT;
	int ret;

	buf_adds(&file, SIGNS);
	ret = strict_file(&(struct strict){ .from = "f", .error = &error },
	    &file, rows, &signs);
	is_number(ret, 0);
	is_text(buf_str(&error), "");
	buf_release(&file);
	buf_release(&error);
}

static void
begin(void)
{
	screen_release(&s);
	s = (struct screen){ .signs = &signs };
}

static void
show(const char *text)
{
	screen_capture(&s, text, strlen(text), noon);
}

/* "asking it asks: to go", and "by its title" if no capture decided; "none" */
static const char *
said_at(msec wall)
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
said(void)
{
	return said_at(noon);
}

/* On a new screen: "print BYTES", "title TEXT", "show CAPTURE", "front
 * PROGRAM", "doubts", "sure"; other words are what is said. */
static void
play(const char *const *step)
{
	const char *with;

	begin();
	for (; *step != NULL; step++) {
		ROW("%s", *step);
		with = strchr(*step, ' ');
		with = with != NULL ? with + 1 : "";
		if (strncmp(*step, "print ", 6) == 0)
			screen_print(&s, with, strlen(with));
		else if (strncmp(*step, "title ", 6) == 0)
			screen_title(&s, with);
		else if (strncmp(*step, "show ", 5) == 0)
			show(with);
		else if (strncmp(*step, "front ", 6) == 0)
			s.shell_in_front = shell_known(with);
		else if (strcmp(*step, "doubts") == 0)
			ok(screen_doubts(&s));
		else if (strcmp(*step, "sure") == 0)
			ok(!screen_doubts(&s));
		else
			is_text(said(), *step);
	}
	ROW("%s", "");
}

#define PLAY(...) play((const char *const[]){ __VA_ARGS__, NULL })
#define BUSY  "print \033]0;! x\a"
#define READY "print \033]0;- x\a"

TEST(without_signs_nothing_is_said) {
	screen_release(&s);
	s = (struct screen){ .signs = NULL };
	screen_print(&s, "\033]0;! x\a", 8);
	screen_title(&s, "! x");
	show("spin");
	is_text(said(), "none");
	ok(!screen_doubts(&s));
}

TEST(without_its_own_word_the_text_decides) {
	PLAY("none", "show spin", "working busy", "sure",
	    "show >", "waiting at its prompt", "doubts",
	    "show may I go\n>", "asking it asks: go",
	    "show limit", "limited a usage limit holds it",
	    "show limit until some day",
	    "limited a usage limit holds it until some day",
	    "show what", "none", "sure");
}

TEST(a_title_and_what_it_announces_tell_more_than_a_text) {
	PLAY("show may I go", BUSY, "working busy, by its title",
	    "show >", "working busy, by its title",
	    /* A dialog stops the agent, whatever spins in the title. */
	    "show may I go", "asking it asks: go", "print \033]0;! 2\a",
	    "asking it asks: go", "show limit",
	    "limited a usage limit holds it");
	PLAY("show spin", BUSY, "sure", READY, "none", "doubts",
	    "show may I go", "asking it asks: go", "doubts",
	    "show >", "waiting at its prompt");
	ok(e.text == noon);
	/* No capture is possible. */
	PLAY(READY, "waiting at its prompt, by its title");
	/* There are clients whose title never changes. */
	PLAY(READY, "show spin", "working busy", "sure", "show what",
	    "waiting at its prompt, by its title", "doubts");
	PLAY("print \033]7501;state=idle\a\033]0;! x\a", "show >",
	    "waiting at its prompt",
	    "print \033]7501;state=working\a", "show may I go",
	    "working busy, by its title",
	    "print \033]7501;state=clear\a", "show >",
	    "working busy, by its title", "title ", "show >",
	    "waiting at its prompt");
	PLAY(BUSY, "show spin", "front -bash", "none", "sure",
	    "front node", "working busy, by its title");
}

TEST(a_limit_ends_and_does_not_begin_again) {
	msec reset;

	PLAY("show limit until some day",
	    "limited a usage limit holds it until some day");
	ok(e.reset == 0);
	PLAY("show limit until 5 minutes",
	    "limited a usage limit holds it");
	ok(e.reset == noon + 300000);
	is_text(said_at(noon + 300000 + RESET_GRACE - 1),
	    "limited a usage limit holds it");
	is_text(said_at(noon + 300000 + RESET_GRACE),
	    "asking its limit ended, but it does not continue");
	/* It may be shown for longer than it lasts, */
	PLAY("show limit until 3:00", "limited a usage limit holds it");
	reset = e.reset;
	ok(reset > noon);
	screen_capture(&s, "limit until 3:00", 16, reset + 3600000);
	is_text(said_at(reset + 3600000),
	    "asking its limit ended, but it does not continue");
	/* but a waiting time does begin again. */
	show("limit until 35s");
	screen_capture(&s, "limit until 35s", 15, noon + 60000);
	said_at(noon + 60000);
	ok(e.reset == noon + 95000);
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

TEST(everything_that_was_seen_is_described) {
	struct buf out = BUF_INIT;

	begin();
	screen_describe(&s, &out);
	is_text(buf_str(&out), "nothing to be seen");
	buf_reset(&out);
	PLAY("print \033]7501;state=odd\a\033]0;! x  \a", "show what",
	    "front sh");
	screen_describe(&s, &out);
	is_text(buf_str(&out), "announces 'odd': no sign; title '! x': busy; "
	    "text: no sign; a shell is in front of it");
	buf_release(&out);
}

TEST(the_last_whole_title_and_state_of_the_app_count) {
#define BYTES(text) text, sizeof(text) - 1
#define TITLE(bytes, want) { BYTES(bytes), NULL, want, "none" }
#define STATE(bytes, app, want) { BYTES(bytes), app, "none", want }
	static const struct {
		const char *bytes;
		size_t len;
		const char *app, *title, *state;
	} rows[] = {
		TITLE("\033]0;one\axx\033]2;two\033\\yy", "two"),
		TITLE("\033]2;two\033\\\033]0;one\a", "one"),
		TITLE("\033]0;\342\234\263 x\a", "\342\234\263 x"),
		TITLE("\033]0;one\a\033]0;\a", ""), TITLE("no title", "none"),
		TITLE("", "none"),
		/* Other sequences are none, */
		TITLE("\033]1;icon\a\033]8;;http://x\a\033]133;A\a", "none"),
		TITLE("\033]20;x\a\033]02;y\a", "y"),
		TITLE("\033];x\a\033]x;y\a\033]0 ;z\a", "none"),
		TITLE("\033]4294967296;x\a", "none"),
		/* nor are those that are cut or broken. */
		TITLE("\033]0;one\a\033]0;two", "one"),
		TITLE("\033]0;one\a\033]0;two\033", "one"),
		TITLE("\033]0;one\a\033]", "one"),
		TITLE("\033]0;one\a\033]0;tw\no\a", "one"),
		TITLE("\033]0;one\a\033]0;tw\0o\a", "one"),
		TITLE("\033]0;tw\033]0;one\a", "one"),
		STATE("\033]7501;state=idle:app=codex\033\\"
		    "\033]7501;state=working:app=codex\033\\", "codex",
		    "working"),
		STATE("\033]7501;app=codex:state=done\a", "codex", "done"),
		STATE("\033]7501;state=\a", NULL, ""),
		STATE("\033]7502;state=idle:app=codex\a", "codex", "none"),
		STATE("\033]7501;state=idle:app=codex\a\033]7501;state=done:"
		    "app=codexx\a\033]7501;state=done\a\033]7501;app=codex:"
		    "mystate=done\a", "codex", "idle"),
		STATE("\033]7501;state=idle:app=codex\a"
		    "\033]7501;state=done:app=other\a", NULL, "done"),
		/* A title announces nothing. */
		TITLE("\033]0;state=busy\a", "state=busy"),
	};
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	struct signs any = { .osc = 7501 };
	size_t i;

	for (i = 0; i < n; i++) {
		ROW("row %zu", i);
		screen_release(&s);
		any.app = (char *)(uintptr_t)rows[i].app;
		any.osc = i < n - 1 ? 7501 : 0;
		s = (struct screen){ .signs = &any };
		buf_adds(&s.title, "none");
		buf_adds(&s.announced, "none");
		screen_print(&s, rows[i].bytes, rows[i].len);
		is_text(buf_str(&s.title), rows[i].title);
		is_text(buf_str(&s.announced), rows[i].state);
	}
}

BEFORE_TESTS {
	read_signs();
}

AFTER_TESTS {
	screen_release(&s);
	signs_release(&signs);
}
