#include "agent/signs.h"

#include <stdlib.h>

#include "recorded.h"

/* 2026-12-01T12:00:00Z */
static const msec noon = 1796126400000;

static struct signs s;
static char *told;

/* Reads the signs of a place; "" or why they are refused. */
static const char *
read_signs(enum sign_place place, const char *text)
{
	static const char *const keys[] = { "announces", "title", "screen" };
	const struct strict_row rows[] = {
		{ keys[place], signs_take, .least = place },
		{ .key = NULL }
	};
	struct buf file = BUF_INIT, error = BUF_INIT;

	signs_release(&s);
	buf_adds(&file, quoted(text));
	strict_file(&(struct strict){ .from = "f", .error = &error }, &file,
	    rows, &s);
	buf_release(&file);
	free(told);
	return told = buf_steal(&error);
}

static struct sign_match
find(const char *text)
{
	return signs_find(&s, SIGN_SCREEN, text, strlen(text), noon);
}

TEST(a_sign_is_a_pattern_or_one_and_what_it_means) {
	struct sign_match m;

	is_text(read_signs(SIGN_SCREEN, "{ 'screen': {\n'busy': ['abc'],"
	    "'asking': [{ 'pattern': 'd', 'what': 'asks' },\n"
	    "{ 'pattern': 'e' }] } }"), "");
	is_number(s.n, 3);
	m = find("xabcx");
	ok(m.sign->kind == SIGN_BUSY && m.sign->number == 1);
	is_text(m.sign->what, "busy");
	is_text(find("d").sign->what, "asks");
	is_text(find("e").sign->what, "it asks something");
	is_number(find("e").sign->number, 2);
	ok(find("xyz").sign == NULL && find("").sign == NULL);
	/* Places are looked at apart. */
	is_text(read_signs(SIGN_TITLE, "{ 'title': { 'busy': ['b'] } }"), "");
	ok(find("b").sign == NULL);
	ok(signs_find(&s, SIGN_TITLE, "b", 1, noon).sign != NULL);
}

TEST(a_question_comes_before_a_limit_and_that_before_work) {
	is_text(read_signs(SIGN_SCREEN, "{ 'screen': { 'ready': ['r'], "
	    "'busy': ['b'], 'asking': ['w'], 'limited': ['l', "
	    "{ 'pattern': 'd', 'asks': 'limit' }] } }"), "");
	is_number(find("rblw").sign->kind, SIGN_ASKING);
	is_number(find("rbl").sign->kind, SIGN_LIMITED);
	is_number(find("rb").sign->kind, SIGN_BUSY);
	is_number(find("r").sign->kind, SIGN_READY);
	/* One that asks comes before a question. */
	is_number(find("wld").sign->kind, SIGN_LIMITED);
	is_number(find("wld").sign->number, 2);
}

TEST(what_is_asked_is_told_on_one_line) {
	struct sign_match m;
	char text[3000] = "? ";

	is_text(read_signs(SIGN_SCREEN, "{ 'screen': { 'asking': "
	    "['(?s)\\\\? (?<asked>.*)'] } }"), "");
	is_text(find("? run \n\n \342\224\203  rm -rf\tx \342\224\202 ").asked,
	    "run rm -rf x");
	is_text(find("? a\033[1mb").asked, "a [1mb");
	memset(text + 2, 'x', sizeof(text) - 3);
	m = find(text);
	is_number(strlen(m.asked), 100);
}

TEST(a_limit_tells_when_it_ends) {
	struct sign_match m;

	is_text(read_signs(SIGN_SCREEN, "{ 'screen': { 'limited': "
	    "['limit(?: until (?<reset>.+))?'] } }"), "");
	m = find("limit until 35s");
	ok(m.reset == noon + 35000);
	is_text(m.until, "35s");
	m = find("limit until some day");
	ok(m.reset == 0);
	is_text(m.until, "some day");
	m = find("limit");
	ok(m.sign != NULL && m.reset == 0 && m.until[0] == '\0');
}

TEST(signs_are_read_strictly_and_a_mistake_has_its_line) {
#define SCREEN(text) SIGN_SCREEN, "{ 'screen': { " text " } }"
#define ANNOUNCES(text) SIGN_ANNOUNCED, "{ 'announces': { " text " } }"
#define ASKING(text) SCREEN("'asking': [{ 'pattern': 'x', " text " }]")
#define NO_KEY(key) { ASKING("'no_key': " key), \
	"1: 'screen.asking.no_key' is not the name of a key" }
	static const struct {
		enum sign_place place;
		const char *text, *why;         /* behind "'f' line " */
	} rows[] = {
		{ ANNOUNCES(""), "1: 'announces' has no 'osc'" },
		{ ANNOUNCES("\n'osc': 1.5"), "2: 'announces.osc' is not a "
		    "whole number from 1 to 99999" },
		{ ANNOUNCES("'osc': 1, 'app': 2"),
		    "1: 'announces.app' is not a text" },
		{ SIGN_SCREEN, "{ 'screen': 7 }",
		    "1: 'screen' is not an object" },
		{ SCREEN("\n'bussy': []"),
		    "2: unknown key 'screen.bussy' (did you mean 'busy'?)" },
		{ SIGN_TITLE, "{ 'title': { 'osc': 7 } }",
		    "1: unknown key 'title.osc'" },
		{ SCREEN("'busy': 'x'"),
		    "1: 'screen.busy' is not a list of patterns" },
		{ SCREEN("'busy': [1]"), "1: 'screen.busy' is not a list of "
		    "patterns, each a text or an object with a pattern" },
		{ SCREEN("'busy': [{ 'pattern': 'x', 'why': 'y' }]"),
		    "1: unknown key 'screen.busy.why' (did you mean 'what'?)" },
		{ SCREEN("'busy': [{ 'what': 'y' }]"),
		    "1: 'screen.busy' has no 'pattern'" },
		{ ASKING("'yes_key': 'y;x'"),
		    "1: 'screen.asking.yes_key' is not the name of a key" },
		/* It becomes a word of a command of tmux. */
		NO_KEY("'a b'"), NO_KEY("'$(x)'"), NO_KEY("'#{x}'"),
		NO_KEY("'\\n'"), NO_KEY("3"), NO_KEY("null"),
		{ ASKING("'no_key': ''"),
		    "1: 'screen.asking.no_key' is empty" },
		{ ASKING("'yes': '('"), "1: 'screen.asking.yes': pattern '(' "
		    "does not compile: missing closing parenthesis at offset "
		    "1" },
		{ ASKING("'own': 3"), "1: 'screen.asking.own' is not a text" },
		{ ASKING("'asks': ''"), "1: 'screen.asking.asks' is empty" },
		{ ASKING("'highlight': '^> (?<text>.+)$'"), "1: "
		    "'screen.asking.highlight' lacks the group (?<mark>...) "
		    "or (?<text>...)" },
		{ ASKING("'choice': '^(?<text>.+)$'"), "1: "
		    "'screen.asking.choice' lacks the group (?<key>...) or "
		    "(?<text>...)" },
		{ ASKING("'highlight': '^(?<mark>>)'"), "1: "
		    "'screen.asking.highlight' lacks the group (?<mark>...) "
		    "or (?<text>...)" },
		{ SCREEN("'choice': '(?<key>x)'"), "1: 'screen.choice' lacks "
		    "the group (?<key>...) or (?<text>...)" },
		{ SCREEN("\n\n'busy': ['fine', '(']"), "3: 'screen.busy': "
		    "pattern '(' does not compile: missing closing parenthesis "
		    "at offset 1" },
	};
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].why);
		why = read_signs(rows[i].place, rows[i].text);
		ok(strncmp(why, "'f' line ", 9) == 0);
		is_text(why + 9, rows[i].why);
	}
	ok(find("fine").sign != NULL);
	is_text(read_signs(ANNOUNCES("'osc': 7501, 'app': 'codex', "
	    "'busy': ['^working$']")), "");
	is_number(s.osc, 7501);
	is_text(s.app, "codex");
}

AFTER_TESTS {
	signs_release(&s);
	free(told);
}
