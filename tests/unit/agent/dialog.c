#include "agent/signs.h"

#include <glob.h>

#include "agent/backend.h"
#include "base/alloc.h"
#include "os/file.h"
#include "scratch.h"

static struct backend b;
static struct dialog d;
static struct dialog_reply r;
static struct buf why, screen;

/* The dialog of a screen in tests/, read by the rules of a backend of ours. */
static bool
show(const char *backend, const char *file)
{
	char *path = xasprintf("tests/%s", file);
	struct buf error = BUF_INIT;

	dialog_release(&d);
	backend_release(&b);
	buf_reset(&screen);
	is_number(backend_read(&b, backend, &error), 0);
	is_text(buf_str(&error), "");
	buf_release(&error);
	ok(file_read(AT_FDCWD, path, FILE_TRUSTED, &screen, 1 << 20) == 0);
	free(path);
	return dialog_read(&d, &b.signs, buf_str(&screen), screen.len);
}

/* The key that an answer means, and behind '+' the text; else why not. */
static const char *
key(const char *word)
{
	static char said[300];

	buf_reset(&why);
	if (dialog_choose(&d, word, &r, &why) == -1)
		return buf_str(&why);
	/* Steps of the highlight come first. */
	snprintf(said, sizeof(said), "%.*s%s%s%s", d.moves ? (int)labs(
	    (long)r.number - 1 - (long)d.marked) : 0, r.number > d.marked ?
	    "vvvvvvvvv" : "^^^^^^^^^", r.key, r.text ? "+" : "",
	    r.text ? r.text : "");
	return said;
}

/* All recordings that show a dialog, its question, choices and keys. */
static const struct {
	const char *backend, *screen, *asks, *what, *command;
	size_t n;
	const char *yes, *no;
} recorded[] = {
	{ "claude", "recordings/claude-s-permission.permission"
	    ".capture.txt", "permission", "it asks for permission: "
	    "Bash command rm -rf build && touch x", NULL, 3, "1", "3" },
	{ "claude", "recordings/claude-s-permission.capture.txt",
	    "permission", "it asks for permission: "
	    "Bash command rm -rf build && touch x", NULL, 3, "1", "3" },
	{ "claude", "recordings/claude-s-permission.capture-joined.txt",
	    "permission", "it asks for permission: "
	    "Bash command rm -rf build && touch x", NULL, 3, "1", "3" },
	{ "claude", "corpus/cases/claude-2.1.330-permission/capture.txt",
	    "permission", "it asks for permission: touch ran; until "
	    "[ -e go ]; do sleep 0.1; done", "touch ran; until "
	    "[ -e go ]; do sleep 0.1; done", 4, "1", "4" },
	{ "claude", "recordings/claude-r-untrusted.trust.capture.txt",
	    "trust", "it asks whether to trust this folder", NULL, 2,
	    "1", "2" },
	{ "claude", "corpus/cases/claude-2.1.330-trust/capture.txt",
	    "trust", "it asks whether to trust this folder", NULL, 2,
	    "vEnter", "Enter" },
	{ "pi", "corpus/cases/pi-0.87.1-trust/capture.txt", "trust",
	    "it asks whether to trust this folder: /home/u/dev/b/pi/proj",
	    NULL, 5, "Enter", "vvvEnter" },
	{ "claude", "corpus/cases/claude-2.1.197-limit-dialog/capture.txt",
	    "limit", "it is held by a usage limit", NULL, 2,
	    "none of its choices means 'yes'", "1" },
	{ "claude", "corpus/cases/claude-2.1.330-limit-dialog/capture.txt",
	    "limit", "it is held by a usage limit", NULL, 3,
	    "none of its choices means 'yes'", "1" },
	{ "claude", "corpus/cases/claude-2.1.330-question/capture.txt",
	    "question", "it asks a question: Which way is it?", NULL,
	    4, "none of its choices means 'yes'",
	    "none of its choices means 'no'" },
	{ "claude", "corpus/cases/claude-2.1.330-login/capture.txt",
	    NULL, "it asks for a login", NULL, 0,
	    "it is not known how it is answered",
	    "it is not known how it is answered" },
	{ "claude", "corpus/cases/claude-2.1.332-approval/capture.txt",
	    "permission",
	    "it asks for permission: git push --force origin main",
	    "git push --force origin main", 4, "1", "4" },
	{ "claude", "corpus/cases/claude-2.1.332-several/capture.txt",
	    "question", "it asks a question: Which sizes?", NULL, 3, "Tab",
	    "none of its choices means 'no'" },
	{ "claude", "corpus/cases/claude-2.1.197-several/capture.txt",
	    "question", "it asks a question: Which sizes?", NULL, 3, "Tab",
	    "none of its choices means 'no'" },
	{ "claude", "corpus/cases/claude-2.1.332-review/capture.txt",
	    "question", "it asks whether to send the answers: ● Which sizes? "
	    "→ Small", NULL, 2, "1", "2" },
	{ "claude", "corpus/cases/claude-2.1.197-review/capture.txt",
	    "question", "it asks whether to send the answers: ● Which sizes? "
	    "→ Small Ready to submit your answers?", NULL, 2, "1", "2" },
	{ "claude", "corpus/cases/claude-2.1.332-choose/capture.txt",
	    "question", "it asks a question: Choose one.", NULL, 4,
	    "none of its choices means 'yes'",
	    "none of its choices means 'no'" },
	{ "claude", "corpus/cases/claude-2.1.332-mcp/capture.txt",
	    "permission", "it asks for permission: demo — Deploy Tool: (MCP) "
	    "target: \"production\"", NULL, 3, "1", "3" },
	{ "claude", "corpus/cases/claude-2.1.332-search/capture.txt",
	    "permission", "it asks for permission: Claude wants to search "
	    "the web for: how to Web Search(\"how to\")", NULL, 3, "1", "3" },
	{ "claude", "corpus/cases/claude-2.1.332-fetch/capture.txt",
	    "permission", "it asks for permission: Claude wants to fetch "
	    "content from example.com url: https://example.com/x "
	    "prompt: look", NULL, 3, "1", "3" },
	{ "claude", "corpus/cases/claude-2.1.197-fetch/capture.txt",
	    "permission", "it asks for permission: Fetch url: "
	    "\"https://example.com/x\", prompt: \"look\"", NULL, 3, "1",
	    "3" },
	{ "claude", "corpus/cases/claude-2.1.332-file/capture.txt",
	    "permission", "it asks for permission: Create file "
	    "../../../etc/zz/a.txt", NULL, 3, "1", "3" },
	{ "claude", "corpus/cases/claude-2.1.332-plan/capture.txt",
	    "question", "it asks to approve its plan: Plan Do it.", NULL, 3,
	    "2", "Escape" },
	{ "claude", "corpus/cases/claude-2.1.332-plan-narrow/capture.txt",
	    "question", "it asks to approve its plan: Plan Do it.", NULL, 3,
	    "2", "Escape" },
	{ "claude", "corpus/cases/claude-2.1.197-plan/capture.txt",
	    "question", "it asks to approve its plan: Plan Do it.", NULL, 3,
	    "2", "Escape" },
	{ "claude", "corpus/cases/claude-2.1.330-exit-plan/capture.txt",
	    "question", "it asks to approve its plan: Exit plan mode?", NULL,
	    2, "1", "2" },
	{ "claude", "corpus/cases/claude-2.1.330-auto-mode/capture.txt",
	    "trust", "it asks for its permission mode: Make auto mode "
	    "your default permission mode?", NULL, 2, "Enter", "vEnter" },
	{ "codex", "corpus/cases/codex-0.171.0-edit/capture.txt",
	    "permission", "it asks for permission to edit: "
	    "/tmp/pw.tnTjfG/project/q-1-1.txt Destination: "
	    "/tmp/pw.tnTjfG/project/sub/q.txt", NULL, 3, "1", "3" },
	{ "gemini", "corpus/cases/gemini-0.61.0-edit/capture.txt",
	    "permission", "it asks for permission: WriteFile Writing to "
	    "q-1-3.txt", NULL, 4, "1", "4" },
	{ "gemini", "corpus/cases/gemini-0.61.0-fetch/capture.txt",
	    "permission", "it asks for permission: WebFetch Processing URLs "
	    "and instructions from prompt: \"see " "https://example.com/x\"",
	    NULL, 3, "1", "3" },
	{ "gemini", "corpus/cases/gemini-0.61.0-warned/capture.txt",
	    "permission", "it asks for permission: touch q-1-1",
	    "touch q-1-1", 3, "1", "3" },
	{ "codex", "corpus/cases/codex-0.169.0-permission/capture.txt",
	    "permission", "it asks for permission: touch ran; until "
	    "[ -e go ]; do sleep 0.1; done", "touch ran; until "
	    "[ -e go ]; do sleep 0.1; done", 3, "1", "3" },
	{ "codex", "corpus/cases/codex-0.169.0-trust/capture.txt",
	    "trust", "it asks whether to trust this folder", NULL, 2,
	    "1", "none of its choices means 'no'" },
	{ "codex", "corpus/cases/codex-0.169.0-login/capture.txt",
	    NULL, "it asks for a login", NULL, 0,
	    "it is not known how it is answered",
	    "it is not known how it is answered" },
	{ "gemini", "corpus/cases/gemini-0.61.0-permission/capture.txt",
	    "permission", "it asks for permission: touch begun; until "
	    "test -e go; do sleep 0.2; done", "touch begun; until "
	    "test -e go; do sleep 0.2; done", 3, "1", "3" },
	{ "gemini", "corpus/cases/gemini-0.61.0-trust/capture.txt",
	    "trust", "it asks whether to trust this folder", NULL, 3,
	    "1", "3" },
	{ "gemini", "corpus/cases/gemini-0.61.0-question/capture.txt",
	    "question", "it asks a question: Which colour do you like?",
	    NULL, 3, "none of its choices means 'yes'",
	    "none of its choices means 'no'" },
	{ "gemini", "corpus/cases/gemini-0.61.0-limited/capture.txt",
	    "limit", "it is held by a usage limit", NULL, 2, "1", "2" },
	{ "gemini", "corpus/cases/gemini-0.61.0-login/capture.txt",
	    NULL, "it asks for a login", NULL, 0,
	    "it is not known how it is answered",
	    "it is not known how it is answered" },
	{ "opencode", "recordings/opencode-s-permission.permission"
	    ".capture.txt", "permission", "it asks for permission: "
	    "Shell command $ touch /tmp/demo/issue-42/x && ls",
	    "touch /tmp/demo/issue-42/x && ls", 0, "Enter", "Escape" },
	{ "opencode", "recordings/opencode-s-permission.capture.txt",
	    "permission", "it asks for permission: "
	    "Shell command $ touch /tmp/demo/issue-42/x && ls",
	    "touch /tmp/demo/issue-42/x && ls", 0, "Enter", "Escape" },
	{ "opencode", "recordings/opencode-s-permission.capture-joined.txt",
	    "permission", "it asks for permission: "
	    "Shell command $ touch /tmp/demo/issue-42/x && ls",
	    "touch /tmp/demo/issue-42/x && ls", 0, "Enter", "Escape" },
	{ "opencode",
	    "corpus/cases/opencode-1.18.33-permission/capture.txt",
	    "permission", "it asks for permission: Shell command $ "
	    "touch ran; until [ -e go ]; do sleep 0.1; done",
	    "touch ran; until [ -e go ]; do sleep 0.1; done", 0,
	    "Enter", "Escape" },
	{ "opencode",
	    "corpus/cases/opencode-1.18.33-question/capture.txt",
	    "question", "it asks a question: Which way is it?", NULL,
	    3, "none of its choices means 'yes'",
	    "none of its choices means 'no'" },
};

TEST(each_recorded_dialog_has_its_question_choices_and_keys) {
	size_t i;

	for (i = 0; i < sizeof(recorded) / sizeof(*recorded); i++) {
		if (!show(recorded[i].backend, recorded[i].screen)) {
			is_text("no dialog", recorded[i].screen);
			continue;
		}
		is_text(d.rules->asks, recorded[i].asks);
		is_text(d.what, recorded[i].what);
		is_text(d.command, recorded[i].command);
		is_number(d.n, recorded[i].n);
		is_text(key("yes"), recorded[i].yes);
		is_text(key("no"), recorded[i].no);
	}
}

static bool
listed(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(recorded) / sizeof(*recorded); i++)
		if (strcmp(recorded[i].screen, name) == 0)
			return true;
	return false;
}

/* A turn that failed is no dialog. */
static const char *
dialog_or_none(const char *path)
{
	const char *name = path + strlen("tests/"), *file;
	char backend[16];

	file = strstr(name, "cases/") != NULL ? name + strlen("corpus/cases/") :
	    strrchr(name, '/') + 1;
	snprintf(backend, sizeof(backend), "%.*s", (int)strcspn(file, "-"),
	    file);
	return show(backend, name) && strstr(d.what, "failed") == NULL ?
	    name : "none";
}

TEST(no_other_recording_shows_one) {
	static const char *const places[] = { "tests/recordings/*capture*.txt",
	    "tests/corpus/screens/*.txt", "tests/corpus/cases/*/capture.txt" };
	glob_t found = { .gl_pathc = 0 };
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++)
		is_number(glob(places[i], i > 0 ? GLOB_APPEND : 0, NULL,
		    &found), 0);
	for (i = 0; i < found.gl_pathc; i++)
		is_text(dialog_or_none(found.gl_pathv[i]),
		    listed(found.gl_pathv[i] + strlen("tests/")) ?
		    found.gl_pathv[i] + strlen("tests/") : "none");
	globfree(&found);
}

TEST(a_failed_turn_is_no_dialog_that_can_be_answered) {
	static const char *const failed[][2] = {
		{ "claude", "corpus/cases/claude-2.1.330-failed/capture.txt" },
		{ "codex", "corpus/cases/codex-0.169.0-failed/capture.txt" },
		{ "gemini", "corpus/cases/gemini-0.61.0-failed/capture.txt" },
		{ "opencode",
		    "corpus/cases/opencode-1.18.33-failed/capture.txt" },
		{ "pi", "corpus/cases/pi-0.73.1-failed/capture.txt" },
	};
	size_t i;

	for (i = 0; i < sizeof(failed) / sizeof(*failed); i++) {
		if (!show(failed[i][0], failed[i][1])) {
			is_text("no dialog", failed[i][1]);
			continue;
		}
		ok(!dialog_answerable(&d));
		is_text(key("1"), "it is not known how it is answered");
	}
}

TEST(a_screen_without_one_shows_none) {
	ok(!show("claude", "corpus/cases/claude-2.1.330-answer/capture.txt"));
	ok(!show("codex", "corpus/cases/codex-0.169.0-tool/capture.txt"));
	ok(!show("pi", "corpus/cases/pi-0.73.1-answer/capture.txt"));
}

TEST(a_choice_is_named_by_its_number_or_its_text) {
	show("claude", "corpus/cases/claude-2.1.330-question/capture.txt");
	is_text(key("2"), "2");
	is_text(key("that"), "2");
	is_text(key("5"), "it has no choice 5");
	is_text(key("0"), "it has no choice 0");
	is_text(key("3"), "choice 3 takes a text: give the text");
	is_text(d.choices[3], "Chat about this");
	show("claude", "corpus/cases/claude-2.1.330-permission/capture.txt");
	is_text(key("rm"), "it has no choice 'rm', and takes no text");
	is_text(dialog_meaning(&d, 0), "yes");
	is_text(dialog_meaning(&d, 1), NULL);
}

/* Its box is no part of its text, and its digit marks it only. */
TEST(a_choice_with_a_box_is_marked) {
	static const char *const screens[] = {
		"corpus/cases/claude-2.1.332-several/capture.txt",
		"corpus/cases/claude-2.1.197-several/capture.txt" };
	size_t i;

	for (i = 0; i < 2; i++) {
		show("claude", screens[i]);
		is_text(key("large"), "2");
		ok(r.marks);
		is_text(d.choices[0], "[✔] Small");
		is_text(key("3"), "choice 3 takes a text: give the text");
		is_text(key("yes"), "Tab");
		ok(!r.marks);
	}
}

TEST(a_text_goes_behind_the_key_of_the_choice_that_takes_one) {
	static const char *const questions[][2] = {
		{ "claude", "corpus/cases/claude-2.1.330-question/capture.txt" },
		{ "gemini", "corpus/cases/gemini-0.61.0-question/capture.txt" },
		{ "opencode",
		    "corpus/cases/opencode-1.18.33-question/capture.txt" },
	};
	size_t i;

	for (i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		show(questions[i][0], questions[i][1]);
		is_text(key("the blue one"), "3+the blue one");
		ok(dialog_takes_text(&d, 2));
	}
}

TEST(a_text_is_one_line_and_no_command) {
	static const char *const bad[] = { "", " ", "a\nb", "a\tb", "\033[A",
	    "a\033", "a\xff", "/exit", "!ls", "#x", "@file" };
	size_t i;

	show("claude", "corpus/cases/claude-2.1.330-question/capture.txt");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(strncmp(key(bad[i]), "a text ", 7) == 0);
	is_text(key("\u00fcber"), "3+\u00fcber");
}

/* Reads a screen that claude or another one might show. */
static bool
read_screen(const char *backend, const char *text)
{
	struct buf error = BUF_INIT;

	dialog_release(&d);
	backend_release(&b);
	backend_read(&b, backend, &error);
	return dialog_read(&d, &b.signs, text, strlen(text));
}

/* The next prompt stands behind the choice that means no. */
TEST(the_dialog_of_a_limit_is_one) {
	ok(read_screen("claude",
	    "❯ Please work on the issue.\n"
	    "  ⎿  You've hit your limit · resets 12:57am (UTC)\n\n"
	    "✻ Baked for 0s\n\n"
	    "❯ /rate-limit-options\n\n"
	    "────────────\n"
	    "  What do you want to do?\n\n"
	    "  ❯ 1. Stop and wait for limit to reset\n"
	    "    2. Upgrade your plan\n\n"
	    "  Enter to confirm · Esc to cancel\n"));
	ok(d.limit);
	is_text(d.rules->asks, "limit");
	is_number(d.first, 7);
	is_text(key("no"), "1");
	is_text(key("yes"), "none of its choices means 'yes'");
	ok(show("gemini", "corpus/cases/gemini-0.61.0-limited/capture.txt"));
	ok(d.limit);
	ok(show("gemini", "corpus/cases/gemini-0.61.0-permission/capture.txt"));
	ok(!d.limit);
}

TEST(choices_without_numbers_are_reached_by_the_highlight) {
	static const char trust[] =
	    " Accessing workspace:\n\n /tmp/x\n\n"
	    "   not a choice\n\n"
	    " %s Maybe\n"
	    " %s No, exit\n"
	    " %s Yes, I trust this folder\n\n"
	    " Enter to confirm \u00b7 Esc to cancel\n";
	static const struct { const char *maybe, *no, *yes; size_t n;
	    const char *for_yes, *for_1; } shown[] = {
		{ "\u276f", " ", " ", 3, "vvEnter", "Enter" },
		{ " ", "\u276f", " ", 3, "vEnter", "^Enter" },
		{ " ", " ", "\u276f", 3, "Enter", "^^Enter" },
		{ " ", " ", " ", 0, "none of its choices means 'yes'",
		    "it has no choice 1" },
		{ " ", "\u276f", "\u276f", 0,
		    "none of its choices means 'yes'", "it has no choice 1" },
	};
	char rest[DIALOG_ID + 1] = "", *text;
	size_t i;

	for (i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		text = xasprintf(trust, shown[i].maybe, shown[i].no,
		    shown[i].yes);
		ok(read_screen("claude", text));
		free(text);
		is_number(d.first, 0);
		is_number(d.n, shown[i].n);
		is_text(key("yes"), shown[i].for_yes);
		is_text(key("1"), shown[i].for_1);
		if (d.n > 0 && rest[0] != '\0')
			is_text(d.rest, rest);
		if (d.n > 0)
			memcpy(rest, d.rest, sizeof(rest));
	}
}

/* Takes the numbers off the choices. */
static void
drop_numbers(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++)
		if (strncmp(text + 1, ". ", 2) == 0 && *text >= '1' &&
		    *text <= '9')
			text += 2;
		else
			buf_addc(out, *text);
}

/* What Claude Code asks at its start. */
static const struct { const char *screen, *what, *yes, *no; size_t n; } begins[]
    = {
	{ "  New MCP server found in this project: thing\n"
	    "  MCP servers may execute code.\n\n"
	    "    1. Use this MCP server\n"
	    "    2. Use this and all future MCP servers in this project\n"
	    "  \u276f 3. Continue without using this MCP server\n\n"
	    "  Enter to confirm \u00b7 Esc to cancel\n",
	    "it asks whether to use an MCP server: thing",
	    "^^Enter", "Enter", 3 },
	{ "  WARNING: Claude Code running in Bypass Permissions mode\n\n"
	    "  In Bypass Permissions mode, Claude Code will not ask.\n\n"
	    "  \u276f 1. No, exit\n"
	    "    2. Yes, I accept\n\n"
	    "  Enter to confirm \u00b7 Esc to cancel\n",
	    "it asks whether to do everything without a permission",
	    "vEnter", "Enter", 2 },
	{ "  Detected a custom API key in your environment\n\n"
	    "  ANTHROPIC_API_KEY: sk-ant-...-more\n\n"
	    "  Do you want to use this API key?\n\n"
	    "    1. Yes\n"
	    "  \u276f 2. No (recommended)\n\n"
	    "  Enter to confirm \u00b7 Esc to cancel\n",
	    "it asks whether to use the API key of its environment",
	    "^Enter", "Enter", 2 },
};

TEST(numbers_of_older_versions_change_nothing) {
	struct buf text = BUF_INIT;
	size_t i;

	for (i = 0; i < 2 * sizeof(begins) / sizeof(*begins); i++) {
		buf_reset(&text);
		if (i % 2 == 0)
			buf_adds(&text, begins[i / 2].screen);
		else
			drop_numbers(&text, begins[i / 2].screen);
		ok(read_screen("claude", buf_str(&text)));
		is_text(d.what, begins[i / 2].what);
		is_text(d.rules->asks, "trust");
		is_number(d.n, begins[i / 2].n);
		is_text(key("yes"), begins[i / 2].yes);
		is_text(key("no"), begins[i / 2].no);
	}
	buf_release(&text);
}

TEST(it_is_known_where_what_is_asked_and_the_choices_stand) {
	ok(read_screen("claude",
	    "\u25cf above\n"
	    "\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\n"
	    " Bash command\n\n"
	    "   make test\n"
	    "   what it is for\n\n"
	    " Do you want to proceed?\n"
	    " \u276f 1. Yes\n"
	    "   2. No\n\n"
	    " Esc to cancel\n"));
	is_number(d.first, 1);
	is_number(d.asked_row, 2);
	is_number(d.asked_stop, 5);
	is_number(d.rows[0], 8);
	is_number(d.rows[1], 9);
	show("codex", "corpus/cases/codex-0.169.0-trust/capture.txt");
	is_number(d.asked_stop, 0);
}

TEST(choices_that_a_command_shows_are_none) {
	static const char screen_text[] =
	    "────────────\n"
	    " Bash command\n\n"
	    "   cat <<E\n"
	    "   1. No\n"
	    "   2. Yes\n"
	    "   E\n\n"
	    " Do you want to proceed?\n"
	    " ❯ 1. Yes\n"
	    "   2. No\n\n"
	    " Esc to cancel\n";

	ok(read_screen("claude", screen_text));
	is_number(d.n, 2);
	is_text(d.choices[0], "Yes");
	is_text(key("yes"), "1");
	is_number(d.first, 0);
}

TEST(a_command_of_several_lines_is_told_to_no_rule) {
	ok(read_screen("claude",
	    "────────────\n"
	    " Bash command\n"
	    " what it is for\n"
	    "╌╌╌╌╌╌╌╌╌╌\n"
	    " make test\n"
	    " rm -r x\n"
	    "╌╌╌╌╌╌╌╌╌╌\n"
	    " Do you want to proceed?\n"
	    " ❯ 1. Yes\n"
	    "   2. No\n\n"
	    " Esc to cancel\n"));
	is_text(d.command, NULL);
	/* It cannot end earlier than it does. */
	ok(read_screen("claude",
	    "────────────\n"
	    " Bash command\n"
	    " what it is for\n"
	    "╌╌╌╌╌╌╌╌╌╌\n"
	    " make test\n"
	    "╌╌╌╌╌╌╌╌╌╌\n"
	    " Do you want to proceed?\n"
	    " rm -r x\n"
	    "╌╌╌╌╌╌╌╌╌╌\n"
	    " Do you want to proceed?\n"
	    " ❯ 1. Yes\n"
	    "   2. No\n\n"
	    " Esc to cancel\n"));
	is_text(d.command, NULL);
	ok(read_screen("opencode",
	    "  ┃\n"
	    "  ┃  △ Permission required\n"
	    "  ┃    # Shell command\n"
	    "  ┃\n"
	    "  ┃  $ make test\n"
	    "  ┃\n"
	    "  ┃   Allow once   Allow always   Reject\n"
	    "  ┃  rm -r x\n"
	    "  ┃\n"
	    "  ┃   Allow once   Allow always   Reject    enter confirm\n"
	    "  ┃\n"));
	is_text(d.command, NULL);
	ok(read_screen("codex",
	    "  Would you like to run the following command?\n\n"
	    "  $ make test\n"
	    "    rm -r x\n\n"
	    "› 1. Yes, proceed (y)\n"
	    "  2. No, and tell Codex what to do differently (esc)\n\n"
	    "  Press enter to confirm or esc to cancel\n"));
	is_text(d.command, NULL);
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
	ok(read_screen("opencode", buf_str(&wide)));
	is_text(d.what, "it asks a question: Which way is it?");
	is_number(d.n, 3);
	is_text(d.choices[0], "This");
	is_text(key("that"), "2");
	buf_release(&wide);
}

TEST(another_text_is_another_dialog) {
	char before[DIALOG_ID + 1];

	show("claude", "corpus/cases/claude-2.1.330-permission/capture.txt");
	memcpy(before, d.id, sizeof(before));
	show("claude", "corpus/cases/claude-2.1.330-permission/capture.txt");
	is_text(d.id, before);
	show("claude", "corpus/cases/claude-2.1.330-question/capture.txt");
	ok(strcmp(d.id, before) != 0);
}

BEFORE_TESTS {
	char *here = realpath("backends", NULL);

	setenv("XDG_CONFIG_HOME", scratch, 1);
	ok(mkdirat(scratch_fd, "paneward", 0700) == 0);
	ok(here != NULL && symlink(here, scratch_path("paneward/backends")) ==
	    0);
	free(here);
}

AFTER_TESTS {
	dialog_release(&d);
	backend_release(&b);
	buf_release(&screen);
	buf_release(&why);
}
