#include "agent/signs.h"

#include "recorded.h"

/* 2026-12-01T12:00:00Z */
static const msec noon = 1796126400000;

static struct backend b;

static const char *
reads(const char *text)
{
	return recorded_mine(&b, text);
}

static struct sign_match
find(const char *text)
{
	return signs_find(&b.signs, SIGN_SCREEN, text, strlen(text), noon);
}

#define SCREEN(text) "{ 'screen': { " text " } }"

TEST(a_sign_is_a_pattern_or_one_and_what_it_means) {
	struct sign_match m;

	is_text(reads(SCREEN("'busy': ['abc'], 'asking': [{ 'pattern': 'd', "
	    "'what': 'asks' },\n{ 'pattern': 'e' }]")), "");
	is_number(b.signs.n, 3);
	m = find("xabcx");
	ok(m.sign->kind == SIGN_BUSY && m.sign->number == 1);
	is_text(m.sign->what, "busy");
	is_text(find("d").sign->what, "asks");
	is_text(find("e").sign->what, "it asks something");
	is_number(find("e").sign->number, 2);
	ok(find("xyz").sign == NULL && find("").sign == NULL);
	/* Places are looked at apart. */
	is_text(reads("{ 'title': { 'busy': ['b'] } }"), "");
	ok(find("b").sign == NULL);
	ok(signs_find(&b.signs, SIGN_TITLE, "b", 1, noon).sign != NULL);
}

TEST(a_question_comes_before_a_limit_and_that_before_work) {
	is_text(reads(SCREEN("'ready': ['r'], 'busy': ['b'], 'asking': ['w'], "
	    "'limited': ['l', { 'pattern': 'd', 'asks': 'limit' }]")), "");
	is_number(find("rblw").sign->kind, SIGN_ASKING);
	is_number(find("rbl").sign->kind, SIGN_LIMITED);
	is_number(find("rb").sign->kind, SIGN_BUSY);
	is_number(find("r").sign->kind, SIGN_READY);
	/* One that asks comes before a question. */
	is_number(find("wld").sign->kind, SIGN_LIMITED);
	is_number(find("wld").sign->number, 2);
}

TEST(a_sign_tells_on_one_line_what_is_asked_and_when_a_limit_ends) {
	struct sign_match m;
	char text[3000] = "? ";

	is_text(reads(SCREEN("'asking': ['(?s)\\\\? (?<asked>.*)'], "
	    "'limited': ['limit(?: until (?<reset>.+))?']")), "");
	is_text(find("? run \n\n \342\224\203  rm -rf\tx \342\224\202 ").asked,
	    "run rm -rf x");
	is_text(find("? a\033[1mb").asked, "a [1mb");
	memset(text + 2, 'x', sizeof(text) - 3);
	m = find(text);
	is_number(strlen(m.asked), 100);
	m = find("limit until 35s");
	ok(m.reset == noon + 35000);
	is_text(m.until, "35s");
	m = find("limit until some day");
	ok(m.reset == 0);
	is_text(m.until, "some day");
	m = find("limit");
	ok(m.sign != NULL && m.reset == 0 && m.until[0] == '\0');
}

#define ANNOUNCES(text) "{ 'announces': { " text " } }"
#define ASKING(text) SCREEN("'asking': [{ 'pattern': 'x', " text " }]")
#define NO_KEY(key) ASKING("'no_key': " key) \
	" => 1: 'screen.asking.no_key' is not the name of a key"
#define LACKS(at, one) " => 1: '" at "' lacks the group (?<" one ">...) or " \
	"(?<text>...)"
#define BROKEN "pattern '(' does not compile: missing closing parenthesis " \
	"at offset 1"

/* strict.c shows the usual. */
TEST(signs_are_read_strictly_and_a_mistake_has_its_line) {
	ROWS(reads, ANNOUNCES("") " => 1: 'announces' has no 'osc'",
	    ANNOUNCES("\n'osc': 1.5") " => 2: 'announces.osc' is not a whole "
	    "number from 1 to 99999",
	    SCREEN("\n'bussy': []")
	    " => 2: unknown key 'screen.bussy' (did you mean 'busy'?)",
	    "{ 'title': { 'osc': 7 } } => 1: unknown key 'title.osc'",
	    SCREEN("'busy': 'x'")
	    " => 1: 'screen.busy' is not a list of patterns",
	    SCREEN("'busy': [1]") " => 1: 'screen.busy' is not a list of "
	    "patterns, each a text or an object with a pattern",
	    SCREEN("'busy': [{ 'what': 'y' }]")
	    " => 1: 'screen.busy' has no 'pattern'",
	    /* It becomes a word of a command of tmux. */
	    NO_KEY("'a b'"), NO_KEY("'$(x)'"), NO_KEY("'#{x}'"),
	    NO_KEY("'y;x'"), NO_KEY("'\\n'"), NO_KEY("3"), NO_KEY("null"),
	    ASKING("'yes': '('") " => 1: 'screen.asking.yes': " BROKEN,
	    ASKING("'highlight': '^> (?<text>.+)$'")
	    LACKS("screen.asking.highlight", "mark"),
	    ASKING("'highlight': '^(?<mark>>)'")
	    LACKS("screen.asking.highlight", "mark"),
	    ASKING("'choice': '^(?<text>.+)$'")
	    LACKS("screen.asking.choice", "key"),
	    SCREEN("'choice': '(?<key>x)'") LACKS("screen.choice", "key"),
	    SCREEN("\n\n'busy': ['fine', '(']") " => 3: 'screen.busy': " BROKEN,
	    ANNOUNCES("'osc': 7501, 'app': 'codex', 'busy': ['^working$']")
	    " => ");
	is_number(b.signs.osc, 7501);
	is_text(b.signs.app, "codex");
}
