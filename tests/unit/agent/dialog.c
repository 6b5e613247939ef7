#include "agent/signs.h"

#include <fnmatch.h>

#include "base/alloc.h"
#include "recorded.h"

static struct backend b;
static struct dialog d;
static struct dialog_reply r;
static struct buf why, screen;

/* The file of a recorded screen, by the name of a case or in tests/. */
static const char *
path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), strchr(name, '/') != NULL ?
	    "tests/%s.txt" : "tests/corpus/cases/%s/capture.txt", name);
	return path;
}

/* Its dialog, read by the rules of a backend of ours. */
static bool
show(const char *path)
{
	dialog_release(&d);
	recorded_screen(path, &b, &screen);
	return dialog_read(&d, &b.signs, buf_str(&screen),
	    buf_str(&screen));
}

static void
shows(const char *name)
{
	ok(show(path_of(name)));
}

/* The key that an answer means, and behind '+' the text; else why not. */
static const char *
key(const char *word)
{
	static const char *const steps[][2] = { { "Down", "vvvvvvvvv" },
	    { "Up", "^^^^^^^^^" }, { "Right", ">>>>>>>>>" },
	    { "Left", "<<<<<<<<<" } };
	static char said[300];
	const char *step = NULL;
	size_t i = 0;

	buf_reset(&why);
	if (dialog_choose(&d, word, &r, &why) == -1)
		return buf_str(&why);
	/* Steps of the highlight come first. */
	if (d.moves && r.number > 0)
		step = dialog_step(&d, d.marked, r.number - 1);
	while (step != NULL && strcmp(steps[i][0], step) != 0)
		i++;
	snprintf(said, sizeof(said), "%.*s%s%s%s%s", step == NULL ? 0 :
	    (int)labs((long)r.number - 1 - (long)d.marked), steps[i][1], r.key,
	    r.text ? "+" : "",
	    r.text ? r.text : "", r.marks ? " marks" : "");
	return said;
}

/* The recordings that show a dialog; those of cases are in their case.json, as
 * "dialog".  Each tells what it asks for, the number of choices, the keys of yes
 * and no (-: none of its choices; ?: it is not known), its question, {its
 * command}. */
static const char *const recorded[] = {
	"claude-s-permission.* => permission 3 1 3: it asks for permission: "
	    "Bash command rm -rf build && touch x",
	"claude-r-untrusted.trust.* => trust 2 1 2: it asks whether to trust "
	    "this folder",
	"opencode-s-permission.* => permission 0 - -: it asks for "
	    "permission: Shell command $ {touch /tmp/demo/issue-42/x && ls}",
};

static const char *
short_key(const char *word)
{
	const char *is = key(word);

	return strncmp(is, "none of its choices means", 25) == 0 ? "-" :
	    strcmp(is, "its keys are not known") == 0 ? "?" : is;
}

/* The dialog in the words of the rows. */
static const char *
told(void)
{
	static char got[1024];
	int n = snprintf(got, sizeof(got), "%s %zu %s ",
	    d.rules->asks != NULL ? d.rules->asks : "nothing", d.n,
	    short_key("yes"));
	const char *at;

	n += snprintf(got + n, 200, "%s: %s", short_key("no"), d.what);
	if (d.command == NULL)
		return got;
	at = strstr(d.what, d.command);
	ok(at != NULL && at[strlen(d.command)] == '\0');
	snprintf(got + n - strlen(d.command), 300, "{%s}", d.command);
	return got;
}

/* What is wanted of a recording, by its name or its case. */
static const char *
wanted(const char *path)
{
	static struct json *about;
	const char *at = strrchr(path, '/') + 1, *arrow;
	char pattern[64], *file = xasprintf("%.*scase.json", (int)(at - path),
	    path);
	struct buf text = BUF_INIT;
	size_t i;

	json_free(about);
	about = file_read(AT_FDCWD, file, 0, &text, 4096) == 0 ?
	    json_parse(text.data, text.len, false, NULL) : NULL;
	buf_release(&text);
	free(file);
	for (i = 0; about == NULL && i < COUNT(recorded); i++) {
		arrow = strstr(recorded[i], " => ");
		snprintf(pattern, sizeof(pattern), "%.*s",
		    (int)(arrow - recorded[i]), recorded[i]);
		if (fnmatch(pattern, at, 0) == 0)
			return arrow + 4;
	}
	return json_text(about, "dialog") != NULL ?
	    json_text(about, "dialog") : "none";
}

/* A turn that failed is no dialog. */
TEST(each_recorded_dialog_has_its_question_choices_and_keys_and_no_other) {
	static const char *const places[] = { "tests/recordings/*capture*.txt",
	    "tests/corpus/screens/*.txt", "tests/corpus/cases/*/capture.txt" };
	glob_t found = { .gl_pathc = 0 };
	size_t i;
	bool dialog;

	for (i = 0; i < COUNT(places); i++)
		is_number(glob(places[i], i > 0 ? GLOB_APPEND : 0, NULL,
		    &found), 0);
	for (i = 0; i < found.gl_pathc; i++) {
		dialog = show(found.gl_pathv[i]) &&
		    strstr(d.what, "failed") == NULL;
		is_text(dialog ? told() : "none", wanted(found.gl_pathv[i]));
	}
	globfree(&found);
}

TEST(a_limit_can_be_answered_and_a_turn_that_failed_can_not) {
	shows("claude-2.1.330-failed");
	ok(!dialog_answerable(&d));
	is_text(key("1"), "its keys are not known");
	shows("gemini-0.61.0-limited");
	ok(d.limit);
	shows("claude-2.1.330-limit-dialog");
	ok(d.limit);
	is_text(key("yes"), "none of its choices means 'yes'");
	shows("gemini-0.61.0-permission");
	ok(!d.limit);
}

/* The key of "SCREEN: ANSWER", "refused" for what is no text. */
static const char *
answered(const char *row)
{
	const char *answer = strstr(row, ": ") + 2, *is;
	char screen_[64];

	snprintf(screen_, sizeof(screen_), "%.*s", (int)(answer - 2 - row),
	    row);
	shows(screen_);
	is = key(answer);
	return strncmp(is, "a text ", 7) == 0 ? "refused" : is;
}

TEST(an_answer_is_a_key_of_its_dialog) {
#define ASKS "claude-2.1.330-question: "
#define SIZES "claude-2.1.332-several: "
#define OLDER "claude-2.1.197-several: "
#define TAKES " => choice 3 takes a text: give the text"
	/* A choice is named by its number or its text. */
	ROWS(answered, ASKS "4 => 4", ASKS "that => 2", ASKS "3" TAKES,
	    ASKS "5 => it has no choice 5", ASKS "0 => it has no choice 0",
	    "claude-2.1.330-permission: rm => it has no choice 'rm', and takes "
	    "no text",
	    /* Its box is no part of its text, and its digit marks it. */
	    SIZES "large => 2 marks", OLDER "large => 2 marks",
	    SIZES "1,3 => it has no box '3'", SIZES "1,4 => it has no box '4'",
	    SIZES "0, => it has no box '0'", SIZES ", => it has no box ''",
	    ASKS "1,2 => 3+1,2",
	    SIZES "3" TAKES, OLDER "3" TAKES, SIZES "yes => Tab",
	    OLDER "yes => Tab",
	    /* A text goes behind the key of the choice that takes one. */
	    ASKS "the blue one => 3+the blue one",
	    "gemini-0.61.0-question: \u00fcber => 3+\u00fcber",
	    "opencode-1.18.33-question: blue => 3+blue",
	    ASKS " => refused", ASKS "  => refused", ASKS "a\nb => refused",
	    ASKS "a\tb => refused", ASKS "\033[A => refused",
	    ASKS "a\033 => refused", ASKS "a\xff => refused",
	    ASKS "/exit => refused", ASKS "!ls => refused",
	    ASKS "#x => refused", ASKS "@file => refused");
	ok(dialog_takes_text(&d, 2) && !dialog_takes_text(&d, 1));
	shows("claude-2.1.330-permission");
	is_text(dialog_meaning(&d, 0), "yes");
	is_text(dialog_meaning(&d, 1), NULL);
}

/* ---- screens that a client might show ------------------------------------ */

static void
shows_text(const char *client, const char *text)
{
	ROW("%s: %.*s", client, (int)strcspn(text, "\n"), text);
	dialog_release(&d);
	recorded_backend(&b, client);
	ok(dialog_read(&d, &b.signs, text, text));
}

TEST(choices_without_numbers_are_reached_by_the_highlight) {
	static const char trust[] =
	    " Accessing workspace:\n\n /tmp/x\n\n   not a choice\n\n %s Maybe\n"
	    " %s No, exit\n %s Yes, I trust this folder\n\n"
	    " Enter to confirm \u00b7 Esc to cancel\n";
	static const char nothing[] = "none of its choices means 'yes'",
	    none[] = "it has no choice 1", here[] = "\u276f";
	static const struct {
		const char *maybe, *no, *yes, *for_yes, *for_1;
	} shown[] = {
		{ here, " ", " ", "vvEnter", "Enter" },
		{ " ", here, " ", "vEnter", "^Enter" },
		{ " ", " ", here, "Enter", "^^Enter" },
		{ " ", " ", " ", nothing, none },
		{ " ", here, here, nothing, none },
	};
	char rest[DIALOG_ID + 1] = "", *text;
	size_t i;

	for (i = 0; i < COUNT(shown); i++) {
		text = xasprintf(trust, shown[i].maybe, shown[i].no,
		    shown[i].yes);
		shows_text("claude", text);
		free(text);
		is_number(d.first, 0);
		is_text(key("yes"), shown[i].for_yes);
		is_text(key("1"), shown[i].for_1);
		if (i == 0)
			memcpy(rest, d.rest, sizeof(rest));
		if (shown[i].for_1 != none)
			is_text(d.rest, rest);
	}
}

/* A dialog of Claude Code, and of an older one with numbers. */
static const char *
claude_asks(const char *text)
{
	const char *plain = replaced(replaced(replaced(text, "1. ", ""), "2. ",
	    ""), "3. ", "");
	char with[300];

	shows_text("claude", text);
	snprintf(with, sizeof(with), "%s", told());
	shows_text("claude", plain);
	is_text(told(), with);
	return told();
}

#define CONFIRM "\n\n  Enter to confirm \u00b7 Esc to cancel\n => "

TEST(what_claude_asks_at_its_start_is_known) {
	ROWS(claude_asks, "  New MCP server found in this project: thing\n"
	    "  MCP servers may execute code.\n\n"
	    "    1. Use this MCP server\n"
	    "    2. Use this and all future MCP servers in this project\n"
	    "  \u276f 3. Continue without using this MCP server" CONFIRM
	    "trust 3 ^^Enter Enter: it asks whether to use an MCP server: "
	    "thing",
	    "  WARNING: Claude Code running in Bypass Permissions mode\n\n"
	    "  In Bypass Permissions mode, Claude Code will not ask.\n\n"
	    "  \u276f 1. No, exit\n    2. Yes, I accept" CONFIRM
	    "trust 2 vEnter Enter: it asks whether to do everything without a "
	    "permission",
	    "  Detected a custom API key in your environment\n\n"
	    "  ANTHROPIC_API_KEY: sk-ant-...-more\n\n"
	    "  Do you want to use this API key?\n\n    1. Yes\n"
	    "  \u276f 2. No (recommended)" CONFIRM
	    "trust 2 ^Enter Enter: it asks whether to use the API key of its "
	    "environment");
}

TEST(it_is_known_where_what_is_asked_and_the_choices_stand) {
	shows_text("claude", "\u25cf above\n"
	    "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\n"
	    " Bash command\n\n   make test\n   what it is for\n\n"
	    " Do you want to proceed?\n \u276f 1. Yes\n   2. No\n\n"
	    " Esc to cancel\n");
	is_number(d.first, 1);
	is_number(d.asked_row, 2);
	is_number(d.asked_stop, 5);
	is_number(d.rows[0], 8);
	is_number(d.rows[1], 9);
	shows("codex-0.169.0-trust");
	is_number(d.asked_stop, 0);
	/* Choices that a command shows are none. */
	shows_text("claude",
	    "────────────\n Bash command\n\n   cat <<E\n   1. No\n   2. Yes\n"
	    "   E\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n"
	    " Esc to cancel\n");
	is_number(d.n, 2);
	is_text(d.choices[0], "Yes");
	is_text(key("yes"), "1");
	is_number(d.first, 0);
}

TEST(a_command_of_several_lines_is_told_to_no_rule) {
	static const char *const screens[][2] = {
		{ "claude",
		    "────────────\n Bash command\n what it is for\n╌╌╌╌╌╌╌╌╌╌\n"
		    " make test\n rm -r x\n╌╌╌╌╌╌╌╌╌╌\n"
		    " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n"
		    " Esc to cancel\n" },
		/* It cannot end earlier than it does. */
		{ "claude",
		    "────────────\n Bash command\n what it is for\n╌╌╌╌╌╌╌╌╌╌\n"
		    " make test\n╌╌╌╌╌╌╌╌╌╌\n Do you want to proceed?\n"
		    " rm -r x\n╌╌╌╌╌╌╌╌╌╌\n Do you want to proceed?\n"
		    " ❯ 1. Yes\n   2. No\n\n Esc to cancel\n" },
		{ "opencode",
		    "  ┃\n  ┃  △ Permission required\n  ┃    # Shell command\n"
		    "  ┃\n  ┃  $ make test\n  ┃\n"
		    "  ┃   Allow once   Allow always   Reject\n  ┃  rm -r x\n"
		    "  ┃\n"
		    "  ┃   Allow once   Allow always   Reject    enter confirm\n"
		    "  ┃\n" },
		{ "codex", "  Would you like to run the following command?\n\n"
		    "  $ make test\n    rm -r x\n\n› 1. Yes, proceed (y)\n"
		    "  2. No, and tell Codex what to do differently (esc)\n\n"
		    "  Press enter to confirm or esc to cancel\n" },
	};
	size_t i;

	for (i = 0; i < COUNT(screens); i++) {
		shows_text(screens[i][0], screens[i][1]);
		is_text(d.command, NULL);
	}
}

/* OpenCode shows a column on the right of a wide screen. */
TEST(what_stands_beside_a_dialog_is_none_of_it) {
	struct buf wide = BUF_INIT;

	buf_printf(&wide, "  \u2503%160s\n  \u2503  Please work on it.%140s\n"
	    "  \u2503\n%170s\n  \u2503\n  \u2503  Which way is it?%140s\n"
	    "  \u2503\n  \u2503  1. This%150s\n  \u2503     the first one\n"
	    "  \u2503  2. That\n  \u2503  3. Type your own answer\n"
	    "  \u2503%160s\n  \u2503  \u2191\u2193 select  enter submit  "
	    "esc dismiss\n  \u2503%160s\n\n", "{\"title\":\"a test\"}",
	    "false}", "0% used", "$0.00 spent", "LSP", "/home/me/project",
	    "\u2022 OpenCode");
	shows_text("opencode", buf_str(&wide));
	is_text(told(), "question 3 - -: it asks a question: Which way is it?");
	is_text(d.choices[0], "This");
	is_text(key("that"), "2");
	buf_release(&wide);
}

/* ---- prompts ------------------------------------------------------------- */

#define PROMPTS "tests/corpus/prompts/"

static struct buf colored, rows;

/* The prompt of a recorded screen in which OLD became NEW. */
static struct prompt
show_with(const char *path, const char *old, const char *new)
{
	struct buf text = BUF_INIT;
	const char *p;

	recorded_screen(path, &b, &text);
	buf_reset(&colored);
	buf_adds(&colored, replaced(buf_str(&text), old, new));
	buf_release(&text);
	buf_reset(&rows);
	for (p = buf_str(&colored); *p != '\0'; p++)
		if (*p == '\033')
			p += strcspn(p, "m");
		else
			buf_addc(&rows, *p);
	return prompt_read(&b.signs, buf_str(&rows), buf_str(&colored));
}

/* The dialog of such a screen. */
static void
shows_colored(const char *path, const char *old, const char *new)
{
	struct prompt p = show_with(path, old, new);

	dialog_release(&d);
	ok(!p.ready && dialog_read(&d, &b.signs, buf_str(&rows),
	    buf_str(&colored)));
}

#define ROW_ON(choice) "tests/corpus/dialogs/opencode-1.18.33-" choice ".txt"

TEST(a_highlight_that_is_a_color_moves_along_a_row_and_down_a_list) {
	struct sign sign = { .place = SIGN_SCREEN, .kind = SIGN_ASKING,
	    .what = (char[]){ "asks" }, .asks = (char[]){ "question" },
	    .pattern = pattern_new("^Go on", true, NULL, 0), .colored = true,
	    .highlight = pattern_new("^(?:\\x1b\\[[\\d;]*m)*?(?<mark>\\x1b\\["
	    "46m)?\\d\\. (?<text>\\N+)(?:\\n   \\N*)*$", true, NULL, 0) };
	const struct signs own = { .all = &sign, .n = 1 };
	static const char list[] = "Go on?\n\033[30m\033[46m1. Yes\n   it does"
	    "\033[39m\033[49m\n\033[37m\033[1m2. No\n\033[39m3. Ask\n\nEnd";

	shows_colored(ROW_ON("once"), "\001", "");
	is_text(told(), "permission 3 Enter >>Enter: it asks for permission: "
	    "Shell command $ {touch refused}");
	shows_colored(ROW_ON("always"), "\001", "");
	is_text(key("yes"), "<Enter");
	is_text(key("allow always"), "Enter");
	shows_colored(ROW_ON("reject"), "\001", "");
	is_text(key("1"), "<<Enter");
	/* Two of them, or none. */
	shows_colored(ROW_ON("once"), "15m   \033[38;5;8mReject",
	    "15m  \033[48;5;1m \033[38;5;8mReject");
	is_text(key("1"), "it has no choice 1");
	dialog_release(&d);
	ok(dialog_read(&d, &b.signs, buf_str(&rows), buf_str(&rows)));
	is_text(key("1"), "it has no choice 1");
	dialog_release(&d);
	ok(dialog_read(&d, &own, "Go on?\n1. Yes\n   it does\n2. No\n3. Ask\n\n"
	    "End", list));
	is_text(key("no"), "none of its choices means 'no'");
	is_text(d.n == 3 ? d.choices[1] : "", "No");
	is_text(key("ask"), "vvEnter");
	is_number(d.rows[2], 4);
	dialog_release(&d);
	pattern_free(sign.pattern);
	pattern_free(sign.highlight);
}

static const struct signs none;

/* In each of them its agent is ready. */
TEST(an_empty_prompt_of_each_client_is_known_and_a_text_in_it) {
	glob_t found = { .gl_pathc = 0 };
	struct prompt p;
	bool empty;
	size_t i;

	is_number(glob(PROMPTS "*.txt", 0, NULL, &found), 0);
	ok(found.gl_pathc >= 12);
	for (i = 0; i < found.gl_pathc; i++) {
		p = show_with(found.gl_pathv[i], "\001", "");
		empty = strstr(found.gl_pathv[i], "-empty") != NULL;
		ok(p.ready && p.empty == empty);
		ok(prompt_holds(&p, &none, buf_str(&rows), "hel lo") == !empty);
	}
	globfree(&found);
}

TEST(a_dialog_work_or_a_text_is_no_empty_prompt) {
	static const char dialog[] = "\u2500\u2500\u2500\u2500\u2500\u2500"
	    "\u2500\u2500\n Do you want to proceed?\n \u276f 1. Yes\n"
	    "   2. No\n\n Esc to cancel\n";
	/* The text of what stands for nothing. */
	struct prompt p = show_with(PROMPTS "gemini-0.61.0-typed.txt", "hello",
	    "Type your message or @path/to/file");

	ok(p.ready && !p.empty);
	ok(!show_with(PROMPTS "opencode-1.18.33-typed.txt", "hello",
	    "                        hello").empty);
	ok(!show_with(PROMPTS "claude-2.1.330-empty.txt", "\u276f\u00a0",
	    "\u276f 1. Yes\n Esc to cancel\n").empty);
	ok(!prompt_read(&b.signs, dialog, dialog).ready);
	ok(!prompt_read(&b.signs, "", "").ready);
}

TEST(a_prompt_holds_a_text_if_nothing_else_is_in_it) {
	static const char *const prompts[] = {
		"> go\n   on\n", "\u276f\u00a0go on\n", "\u2502 > go on   \u2502\n",
		"go on                    tokens: 7\n", "[Pasted #1]\n",
		"> go\n> on\n",
	}, *const others[] = {
		"> \n", "> so go on\n", "> go on!\n", "> g\n", "a [Pasted #1]\n",
		"> go\n- on\n",
	};
	struct prompt p = { .first = 2 };
	struct signs s = { .pasted = pattern_new("\\[Pasted #\\d+\\]", false, NULL, 0) };
	char *shown;
	size_t i;

	for (i = 0; i < sizeof(prompts) / sizeof(prompts[0]); i++) {
		shown = xasprintf("go on\n\n%s", prompts[i]);
		ok(prompt_holds(&p, &s, shown, "go on"));
		free(shown);
		shown = xasprintf("go on\n\n%s", others[i]);
		ok(!prompt_holds(&p, &s, shown, "go on"));
		free(shown);
	}
	ok(!prompt_holds(&p, &s, "go on\n", "go on"));
	pattern_free(s.pasted);
}

BEFORE_TESTS {
	recorded_begin();
}
