#include "mail/mail.h"
#include "project/config.h"

#include "base/argv.h"
#include "tap.h"
#include "unit/fixture.h"

static struct buf why;                  /* of the last rules() */

/* '\'' stands for '"'. */
static struct inboxrules *
rules(const char *text)
{
	static struct inboxrules r;
	struct json *o;

	buf_reset(&why);
	text = quoted(text);
	o = json_parse(text, strlen(text), false, NULL);
	inboxrules_take(&(struct strict){ .error = &why, .keys = { "inbox" },
	    .depth = 1 }, &r, o);
	json_free(o);
	return &r;
}

/* By these rules each message is of that kind; INBOX_KINDS: of none. */
static void
judged(const char *with, enum inbox_kind want, const char *const *message)
{
	struct inboxrules *r = rules(with);
	enum inbox_kind kind;

	for (; *message != NULL; message++) {
		ROW("%s", *message);
		is_number(mailjudge(r, *message, strlen(*message), &kind) ?
		    kind : INBOX_KINDS, want);
	}
}

/* tests/system/inbox.sh has roles and words of one's own. */
TEST(patterns_of_a_kind_are_the_default_ones_unless_given) {
	static const char own[] = "{'patterns': {'report_completed': "
	    "['^(all )?done$', '\uff24\uff4f\uff2e\uff25', "
	    "'\xf0\x90\x90\x80x', '\u5b8c\u4e86 asks']}}";

	judged("{}", INBOX_COMPLETED, WORDS("The REPORT was Updated",
	    "updated\nno report\nreport: not updated",
	    "roju_report\u017fを更新"));
	judged("{}", INBOX_KINDS, WORDS("updated the report"));
	judged(own, INBOX_COMPLETED, WORDS("ALL DONE\r\nbye",
	    "\uff44\uff4f\uff4e\uff45", "\xf0\x90\x90\xa8X",
	    "\u5b8c\u4e86 A\u017f\u212aS"));
	judged(own, INBOX_ERROR, WORDS("failed, so stop"));
	judged(own, INBOX_KINDS, WORDS("all done, nearly", "task completed"));
	judged("{'patterns': {'error_report': []}}", INBOX_KINDS,
	    WORDS("abort"));
}

#define COMPLETED(pattern, ...) judged("{'patterns': {'report_completed': " \
	"['" pattern "']}}", INBOX_COMPLETED, WORDS(__VA_ARGS__))

/* More than words is tried on every line. */
TEST(a_pattern_is_found_within_a_line_in_any_case) {
	COMPLETED("one.*two", "x\none\nONE and Two\r\n");
	COMPLETED("two$", "one two\r\nthree");
	COMPLETED("\u5831\u544aYAML", "\u5831\u544ayaml");
	COMPLETED("\u00e4rger", "\u00c4RGER");
	COMPLETED("colou?r", "x\nthe color");
	COMPLETED("a|b", "x\nb");
	COMPLETED(".", "x");
	judged("{'patterns': {'report_completed': ['one.*two']}}", INBOX_KINDS,
	    WORDS("two one", "one\ntwo", ""));
}

static const char *
refusal(const char *text)
{
	rules(text);
	return buf_str(&why);
}

TEST(what_is_wrong_is_named) {
	ROWS(refusal, "{} => ",
	    "{'roles': {'a': 1}} => 'inbox.roles.a' is neither 'approve' nor "
	    "an object",
	    "{'roles': {'a': {'unread': ['b', '../c']}}} => "
	    "'inbox.roles.a.unread' is not a list of inboxes",
	    "{'patterns': {'error_report': ['']}} => "
	    "'inbox.patterns.error_report': '': it is empty",
	    "{'patterns': {'error_report': ['a(']}} => "
	    "'inbox.patterns.error_report': 'a(': missing closing parenthesis "
	    "at offset 6",
	    "{'notify_to': 'a/b'} => 'inbox.notify_to' is not an inbox",
	    "{'texts': {'more': '<<count>> of <<agent>>'}} => "
	    "'inbox.texts.more' cannot be told 'agent'");
}
