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
print(const char *bytes)
{
	screen_print(&s, bytes, strlen(bytes));
}

static void
show(const char *text)
{
	screen_capture(&s, text, strlen(text), noon);
}

/* "asking it asks: to go", "none" */
static const char *
said_at(msec wall)
{
	static char line[1024];
	bool any = screen_tell(&s, &e, false, wall);

	ok(any == (e.state != STATE_NONE));
	snprintf(line, sizeof(line), "%s%s%s%s%s", state_name(e.state),
	    any ? " " : "", e.what, e.asked && e.asked[0] ? ": " : "",
	    e.asked ? e.asked : "");
	return line;
}

static const char *
said(void)
{
	return said_at(noon);
}

TEST(without_signs_nothing_is_said) {
	screen_release(&s);
	s = (struct screen){ .signs = NULL };
	print("\033]0;! x\a");
	screen_title(&s, "! x");
	show("spin");
	is_text(said(), "none");
	ok(!screen_doubts(&s));
}

TEST(without_its_own_word_the_text_decides) {
	begin();
	is_text(said(), "none");
	show("spin");
	is_text(said(), "working it is busy");
	show(">");
	is_text(said(), "waiting it waits for a prompt");
	show("may I go\n>");
	is_text(said(), "asking it asks: go");
	show("what");
	is_text(said(), "none");
}

TEST(a_title_tells_at_once_that_it_is_busy) {
	begin();
	show("may I go");
	print("\033]0;! x\a");
	is_text(said(), "working it is busy");
	show(">");
	is_text(said(), "working it is busy");
	/* A dialog stops the agent, whatever spins in the title. */
	show("may I go");
	is_text(said(), "asking it asks: go");
	show("limit");
	is_text(said(), "limited it is held by a usage limit");
}

TEST(that_it_waits_is_said_with_a_text_of_now) {
	begin();
	show("spin");
	print("\033]0;! x\a");
	ok(!screen_doubts(&s));
	print("\033]0;- x\a");
	is_text(said(), "none");
	ok(screen_doubts(&s));
	show("may I go");
	is_text(said(), "asking it asks: go");
	ok(screen_doubts(&s));
	show(">");
	is_text(said(), "waiting it waits for a prompt");
	ok(e.text == noon);
	/* No capture is possible. */
	begin();
	print("\033]0;- x\a");
	is_text(said(), "waiting it waits for a prompt");
	ok(e.text == 0);
}

/* There are clients whose title never changes. */
TEST(a_title_that_is_ready_never_beats_a_text_that_is_busy) {
	begin();
	print("\033]0;- x\a");
	show("spin");
	is_text(said(), "working it is busy");
	ok(!screen_doubts(&s));
	show("what");
	is_text(said(), "waiting it waits for a prompt");
	ok(e.text == 0);
	ok(screen_doubts(&s));
}

TEST(what_it_announces_comes_before_its_title) {
	begin();
	print("\033]7501;state=idle\a\033]0;! x\a");
	show(">");
	is_text(said(), "waiting it waits for a prompt");
	print("\033]7501;state=working\a");
	show("may I go");
	is_text(said(), "working it is busy");
	print("\033]7501;state=clear\a");
	show(">");
	is_text(said(), "working it is busy");  /* the title */
	screen_title(&s, "");
	show(">");
	is_text(said(), "waiting it waits for a prompt");
}

TEST(a_title_that_spins_is_still_the_same_word) {
	begin();
	print("\033]0;! 1\a");
	show("may I go");
	print("\033]0;! 2\a");
	is_text(said(), "asking it asks: go");
}

TEST(a_text_is_doubted_when_the_pane_moves_on) {
	begin();
	show(">");
	ok(screen_doubts(&s));
	show("spin");
	ok(!screen_doubts(&s));
}

TEST(a_limit_ends) {
	begin();
	show("limit until 5 minutes");
	is_text(said(), "limited it is held by a usage limit");
	ok(e.reset == noon + 300000);
	is_text(said_at(noon + 300000 + RESET_GRACE),
	    "asking its limit has ended, and it does not go on");
	show("limit until some day");
	is_text(said(), "limited it is held by a usage limit until some day");
	ok(e.reset == 0);
	show("limit");
	is_text(said(), "limited it is held by a usage limit");
}

TEST(a_limit_that_is_shown_longer_than_it_lasts_does_not_begin_again) {
	msec reset;

	begin();
	show("limit until 3:00");
	said();
	reset = e.reset;
	ok(reset > noon);
	screen_capture(&s, "limit until 3:00", 16, reset + 3600000);
	is_text(said_at(reset + 3600000),
	    "asking its limit has ended, and it does not go on");
	/* But a waiting time does. */
	show("limit until 35s");
	screen_capture(&s, "limit until 35s", 15, noon + 60000);
	said_at(noon + 60000);
	ok(e.reset == noon + 95000);
}

TEST(behind_a_shell_nothing_is_said) {
	begin();
	print("\033]0;! x\a");
	show("spin");
	s.shell_in_front = shell_known("-bash");
	is_text(said(), "none");
	ok(!screen_doubts(&s));
	s.shell_in_front = shell_known("node");
	is_text(said(), "working it is busy");
}

TEST(only_the_last_lines_are_looked_at) {
	struct buf text = BUF_INIT;
	int i;

	begin();
	buf_adds(&text, "spin\n");
	for (i = 0; i < SCREEN_LINES - 1; i++)
		buf_adds(&text, "x   \n");
	for (i = 0; i < SCREEN_LINES; i++)
		buf_adds(&text, "\n   \n\n");
	show(buf_str(&text));
	is_text(said(), "working it is busy");
	buf_adds(&text, "x");
	show(buf_str(&text));
	is_text(said(), "none");
	buf_reset(&text);
	buf_adds(&text, "spin\n");
	for (i = 0; i < SCREEN_BYTES; i++)
		buf_addc(&text, 'x');
	buf_adds(&text, "\n>");
	show(buf_str(&text));
	is_text(said(), "waiting it waits for a prompt");
	show("");
	show("\n \n");
	is_text(said(), "none");
	buf_release(&text);
}

/* A log that is read as it grows. */
TEST(the_log_is_looked_at_piece_by_piece) {
	static const char title[] = "\033]0;! x\a";
	const struct log_mark from = { 0 };
	struct marker_set set;
	struct panelog p;
	struct buf log = BUF_INIT;
	size_t i;

	begin();
	show(">");
	marker_set_init(&set, "7", NULL, NULL);
	scratch_write("output-7.log", "");
	panelog_init(&p, scratch_fd, getuid(), "7", &set, &from);
	screen_log(&s, &p, 0);          /* it is not open yet */
	for (i = 0; i < sizeof(title) - 1; i++) {
		is_text(said(), "waiting it waits for a prompt");
		buf_addc(&log, title[i]);
		scratch_write("output-7.log", buf_str(&log));
		panelog_read(&p, NULL);
		screen_log(&s, &p, 0);
	}
	is_text(said(), "working it is busy");
	/* What stands before the run is of another one. */
	begin();
	screen_log(&s, &p, log.len);
	is_text(said(), "none");
	/* And of much only the end. */
	for (i = 0; i < SCREEN_TAIL; i++)
		buf_addc(&log, 'x');
	scratch_write("output-7.log", buf_str(&log));
	panelog_read(&p, NULL);
	begin();
	screen_log(&s, &p, 0);
	is_text(said(), "none");
	panelog_release(&p);
	buf_release(&log);
}

TEST(a_log_that_could_not_be_read_is_read_later) {
	struct panelog p = { .file.fd = scratch_fd, .file.ahead = 8 };

	begin();
	scratch_write("title", "\033]0;! x\a");
	screen_log(&s, &p, 0);          /* a folder cannot be read */
	is_text(said(), "none");
	p.file.fd = openat(scratch_fd, "title", O_RDONLY | O_CLOEXEC);
	screen_log(&s, &p, 0);
	is_text(said(), "working it is busy");
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
	print("\033]7501;state=odd\a\033]0;! x  \a");
	show("what");
	s.shell_in_front = shell_known("sh");
	screen_describe(&s, &out);
	is_text(buf_str(&out), "announces 'odd': no sign; title '! x': busy; "
	    "text: no sign; a shell is in front of it");
	buf_release(&out);
	screen_release(&s);
	signs_release(&signs);
}

/* ---- sequences for the terminal ------------------------------------------ */

#define BYTES(text) text, sizeof(text) - 1

static struct screen printed;

/* Prints the bytes; what is not found in them stays "none". */
static void
print_bytes(const char *bytes, size_t len, const char *app)
{
	static struct signs any = { .osc = 7501 };

	screen_release(&printed);
	any.app = (char *)(uintptr_t)app;
	printed = (struct screen){ .signs = &any };
	buf_adds(&printed.title, "none");
	buf_adds(&printed.announced, "none");
	screen_print(&printed, bytes, len);
}

static const char *
title(const char *bytes, size_t len)
{
	print_bytes(bytes, len, NULL);
	return buf_str(&printed.title);
}

static const char *
state(const char *bytes, size_t len, const char *app)
{
	print_bytes(bytes, len, app);
	return buf_str(&printed.announced);
}

TEST(the_last_title_counts) {
	is_text(title(BYTES("\033]0;one\axx\033]2;two\033\\yy")), "two");
	is_text(title(BYTES("\033]2;two\033\\\033]0;one\a")), "one");
	is_text(title(BYTES("\033]0;\342\234\263 x\a")), "\342\234\263 x");
	is_text(title(BYTES("\033]0;one\a\033]0;\a")), "");
	is_text(title(BYTES("no title")), "none");
	is_text(title(BYTES("")), "none");
}

TEST(other_sequences_are_no_title) {
	is_text(title(BYTES("\033]1;icon\a\033]8;;http://x\a\033]133;A\a")),
	    "none");
	is_text(title(BYTES("\033]20;x\a\033]02;y\a")), "y");
	is_text(title(BYTES("\033];x\a\033]x;y\a\033]0 ;z\a")), "none");
	is_text(title(BYTES("\033]4294967296;x\a")), "none");
}

TEST(a_title_announces_nothing) {
	static struct signs titles;

	screen_release(&printed);
	printed = (struct screen){ .signs = &titles };
	screen_print(&printed, BYTES("\033]0;state=busy\a"));
	is_text(buf_str(&printed.title), "state=busy");
	is_number(printed.announced.len, 0);
}

TEST(a_sequence_that_is_cut_or_broken_is_none) {
	is_text(title(BYTES("\033]0;one\a\033]0;two")), "one");
	is_text(title(BYTES("\033]0;one\a\033]0;two\033")), "one");
	is_text(title(BYTES("\033]0;one\a\033]")), "one");
	is_text(title(BYTES("\033]0;one\a\033]0;tw\no\a")), "one");
	is_text(title(BYTES("\033]0;one\a\033]0;tw\0o\a")), "one");
	is_text(title(BYTES("\033]0;tw\033]0;one\a")), "one");
}

TEST(the_last_announced_state_counts) {
	is_text(state(BYTES("\033]7501;state=idle:app=codex\033\\"
	    "\033]7501;state=working:app=codex\033\\"), "codex"), "working");
	is_text(state(BYTES("\033]7501;app=codex:state=done\a"), "codex"),
	    "done");
	is_text(state(BYTES("\033]7501;state=\a"), NULL), "");
	is_text(state(BYTES("\033]7502;state=idle:app=codex\a"), "codex"),
	    "none");
}

TEST(what_another_app_announces_is_left_out) {
	is_text(state(BYTES("\033]7501;state=idle:app=codex\a"
	    "\033]7501;state=done:app=codexx\a\033]7501;state=done\a"
	    "\033]7501;app=codex:mystate=done\a"), "codex"), "idle");
	is_text(state(BYTES("\033]7501;state=idle:app=codex\a"
	    "\033]7501;state=done:app=other\a"), NULL), "done");
}

BEFORE_TESTS {
	read_signs();
}

AFTER_TESTS {
	screen_release(&printed);
}
