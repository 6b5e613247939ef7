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
	struct json *o;
	struct inboxrules *r = NULL;

	buf_reset(&why);
	if (text == NULL)
		return NULL;
	text = quoted(text);
	o = json_parse(text, strlen(text), false, NULL);
	inboxrules_take(&(struct strict){ .error = &why, .keys = { "inbox" },
	    .depth = 1 }, &r, o);
	json_free(o);
	return r;
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
	inboxrules_free(r);
}

TEST(patterns_are_words_in_their_order_or_asked_of_every_line) {
	static const char own[] = "{'patterns': {'report_completed': "
	    "['^(all )?done$', 'a.?b', 'no+', 'x']}}";

	is_text(inbox_kind_name(INBOX_COMPLETED), "report_completed");
	is_text(inbox_kind_name(INBOX_ERROR), "error_report");
	judged(NULL, INBOX_COMPLETED, WORDS("The REPORT was Updated",
	    "updated\nno report\nreport: not updated",
	    "roju_reportsを更新"));
	judged(NULL, INBOX_ERROR, WORDS("abort\r\n"));
	judged(NULL, INBOX_KINDS, WORDS("report\nupdated",
	    "updated the report"));
	judged(own, INBOX_COMPLETED, WORDS("well\nAll done\nbye",
	    "ALL DONE\r\nbye", "-A-B-", "Nooo", "X"));
	judged(own, INBOX_ERROR, WORDS("failed, so stop"));
	judged(own, INBOX_KINDS, WORDS("all done, nearly", "task completed"));
	judged("{'patterns': {'error_report': []}}", INBOX_KINDS,
	    WORDS("abort"));
}

TEST(the_case_of_no_letter_matters) {
	static const char own[] = "{'patterns': {'report_completed': "
	    "['\u0413\u041e\u0422\u041e\u0412\u041e', '\u00c9t\u00c9 fini', "
	    "'\uff24\uff4f\uff2e\uff25', '\xf0\x90\x90\x80x', '\ua640bc', "
	    "'\u5b8c\u4e86 asks']}}";

	judged(own, INBOX_COMPLETED, WORDS("\u00e9T\u00e9 FINI", "\ua641BC",
	    "\uff44\uff4f\uff4e\uff45", "\xf0\x90\x90\xa8X",
	    "\u5b8c\u4e86 A\u017f\u212aS",
	    "\n- \u0433\u043e\u0442\u043e\u0432\u043e!"));
	judged(own, INBOX_KINDS, WORDS("\u00e9 FINI", "\u5b8c\u4e86 ass"));
	judged(NULL, INBOX_COMPLETED, WORDS("Ta\u017f\u212a COMPLETED",
	    "roju_report\u017f: \u66f4\u65b0"));
}

TEST(roles_are_the_default_ones_unless_given) {
	struct inboxrules *r = rules("{'roles': {'a': 'approve', "
	    "'b': {'unread': ['x', 'y']}}}");
	const struct inbox_role *b = inboxrules_role(r, "b");

	ok(inboxrules_role(NULL, "shogun")->approve);
	is_text(inboxrules_role(NULL, "ashigaru8")->assigned[0], "ashigaru8");
	ok(inboxrules_role(NULL, "ashigaru9") == NULL);
	ok(inboxrules_role(NULL, "") == NULL);
	ok(inboxrules_role(r, "shogun") == NULL);
	ok(inboxrules_role(r, "a")->approve);
	is_text(b->unread[1], "y");
	ok(b->unread[2] == NULL && b->assigned == NULL && !b->approve);
	inboxrules_free(r);
}

static const char *
refusal(const char *text)
{
	char *at;

	inboxrules_free(rules(text));
	at = strstr(buf_str(&why), " at offset");
	if (at != NULL)
		*at = '\0';
	return buf_str(&why);
}

TEST(what_is_wrong_is_named) {
	ROWS(refusal, "{} => ",
	    "{'roles': []} => 'inbox.roles' is not an object",
	    "{'roles': {'a': 1}} => 'inbox.roles.a' is neither 'approve' nor "
	    "an object",
	    "{'roles': {'a': {'unread': ['b', '../c']}}} => "
	    "'inbox.roles.a.unread' is not a list of inboxes",
	    "{'roles': {'a': {'assigned': 'b'}}} => 'inbox.roles.a.assigned' "
	    "is not a list of inboxes",
	    "{'patterns': {'error_report': [1]}} => "
	    "'inbox.patterns.error_report' is not a list of texts",
	    "{'patterns': {'error_report': ['']}} => "
	    "'inbox.patterns.error_report': '': it is empty",
	    "{'patterns': {'error_report': ['a(']}} => "
	    "'inbox.patterns.error_report': 'a(': missing closing parenthesis",
	    "{'notify_to': 'a/b'} => 'inbox.notify_to' is not an inbox",
	    "{'texts': ['a']} => 'inbox.texts' is not an object",
	    "{'texts': {'title': 'a'}} => unknown key 'inbox.texts.title'",
	    "{'texts': {'more': ''}} => 'inbox.texts.more' is empty",
	    "{'texts': {'more': '<<count>> of <<agent>>'}} => "
	    "'inbox.texts.more' cannot be told 'agent'");
}

/* With these rules, of two things for x in f. */
static const char *
told(const char *with, unsigned which)
{
	static struct buf out = BUF_INIT;
	struct inboxrules *r = rules(with);

	buf_reset(&out);
	inboxrules_tell(r, &out, which, &(struct inbox_telling){ "x", "f", 2 });
	inboxrules_free(r);
	return buf_str(&out);
}

TEST(what_is_told_is_in_the_words_that_are_given) {
	static const char own[] = "{'notify_to': 'y', 'texts': "
	    "{'error_report': 'see <<notify_to>>, <<agent>>', "
	    "'reason': '<<count>> in <<files>>'}}";

	is_text(inboxrules_notify_to(NULL), "roju_reports");
	is_text(told(NULL, INBOX_COMPLETED),
	    "x、タスク完了検出。roju_reports確認されたし。");
	is_text(told(own, INBOX_COMPLETED),
	    "x、タスク完了検出。y確認されたし。");
	is_text(told(own, INBOX_ERROR), "see y, x");
	is_text(told(own, INBOX_REASON), "2 in f");
	is_text(told(own, INBOX_MORE), "他2件");
}
