#include "mail/mail.h"
#include "project/config.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "tap.h"

static struct inboxrules *
rules(const char *text, struct buf *why)
{
	struct json *o = json_parse(text, strlen(text), false, NULL);
	struct inboxrules *r = NULL;

	inboxrules_take(&(struct strict){ .error = why, .keys = { "inbox" },
	    .depth = 1 }, &r, o);
	json_free(o);
	return r;
}

/* What a message is; "-": nothing. */
static const char *
judged(const char *with, const char *message)
{
	struct buf why = BUF_INIT;
	struct inboxrules *r = with ? rules(with, &why) : NULL;
	enum inbox_kind kind;
	bool found = mailjudge(r, message, strlen(message), &kind);

	inboxrules_free(r);
	buf_release(&why);
	return found ? inbox_kind_name(kind) : "-";
}

/* What is wrong with rules; "": nothing. */
static const char *
wrong(const char *text)
{
	static struct buf why = BUF_INIT;

	buf_reset(&why);
	inboxrules_free(rules(text, &why));
	return buf_str(&why);
}

TEST(words_have_to_stand_on_one_line_in_their_order) {
	is_text(judged(NULL, "The REPORT was Updated"), "report_completed");
	is_text(judged(NULL, "report\nupdated"), "-");
	is_text(judged(NULL, "updated the report"), "-");
	is_text(judged(NULL, "updated\nno report\nreport: not updated"),
	    "report_completed");
	is_text(judged(NULL, "roju_reportsを更新"), "report_completed");
}

TEST(completion_comes_before_errors) {
	is_text(judged(NULL, "abort\ntask completed"), "report_completed");
	is_text(judged(NULL, "abort\r\n"), "error_report");
	is_text(judged(NULL, ""), "-");
}

TEST(patterns_of_more_than_words_are_asked_of_every_line) {
	static const char own[] = "{\"patterns\": {\"report_completed\": "
	    "[\"^(all )?done$\", \"a.?b\", \"no+\", \"x\"]}}";

	is_text(judged(own, "well\nAll done\nbye"), "report_completed");
	is_text(judged(own, "all done, nearly"), "-");
	is_text(judged(own, "ALL DONE\r\nbye"), "report_completed");
	is_text(judged(own, "-A-B-"), "report_completed");
	is_text(judged(own, "Nooo"), "report_completed");
	is_text(judged(own, "X"), "report_completed");
	is_text(judged(own, "task completed"), "-");
	is_text(judged(own, "failed, so stop"), "error_report");
	is_text(judged("{\"patterns\": {\"error_report\": []}}", "abort"), "-");
}

/* As pcre2 knows letters: also those beyond ASCII that one of ASCII is
 * another case of. */
TEST(the_case_of_no_letter_matters) {
	static const char own[] = "{\"patterns\": {\"report_completed\": "
	    "[\"\u0413\u041e\u0422\u041e\u0412\u041e\", "
	    "\"\u00c9t\u00c9 fini\", \"\uff24\uff4f\uff2e\uff25\", "
	    "\"\xf0\x90\x90\x80x\", \"\ua640bc\", \"\u5b8c\u4e86 asks\"]}}";

	is_text(judged(own, "\n- \xd0\xb3\xd0\xbe\xd1\x82\xd0\xbe\xd0\xb2"
	    "\xd0\xbe!"), "report_completed");
	is_text(judged(own, "\xc3\xa9T\xc3\xa9 FINI"), "report_completed");
	is_text(judged(own, "\xc3\xa9 FINI"), "-");
	is_text(judged(own, "\xef\xbd\x84\xef\xbd\x8f\xef\xbd\x8e"
	    "\xef\xbd\x85"), "report_completed");
	is_text(judged(own, "\xf0\x90\x90\xa8X"), "report_completed");
	is_text(judged(own, "\xea\x99\x81""BC"), "report_completed");
	is_text(judged(own, "\xe5\xae\x8c\xe4\xba\x86 A\xc5\xbf\xe2\x84\xaa"
	    "S"), "report_completed");
	is_text(judged(own, "\xe5\xae\x8c\xe4\xba\x86 ass"), "-");
	is_text(judged(NULL, "Ta\xc5\xbf\xe2\x84\xaa COMPLETED"),
	    "report_completed");
	is_text(judged(NULL, "roju_report\xc5\xbf: \xe6\x9b\xb4\xe6\x96\xb0"),
	    "report_completed");
}

TEST(roles_are_the_default_ones_unless_given) {
	struct buf why = BUF_INIT;
	struct inboxrules *r = rules("{\"roles\": {\"a\": \"approve\", "
	    "\"b\": {\"unread\": [\"x\", \"y\"]}}}", &why);
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
	buf_release(&why);
}

TEST(what_is_wrong_is_named) {
	is_text(wrong("{}"), "");
	is_text(wrong("[]"), "'inbox' is not an object");
	is_text(wrong("{\"x\": 1}"), "unknown key 'inbox.x'");
	is_text(wrong("{\"roles\": []}"), "'inbox.roles' is not an object");
	is_text(wrong("{\"roles\": {\"a\": 1}}"),
	    "'inbox.roles.a' is neither 'approve' nor an object");
	is_text(wrong("{\"roles\": {\"a\": {\"unread\": [\"b\", \"../c\"]}}}"),
	    "'inbox.roles.a.unread' is not a list of inboxes");
	is_text(wrong("{\"roles\": {\"a\": {\"assigned\": \"b\"}}}"),
	    "'inbox.roles.a.assigned' is not a list of inboxes");
	is_text(wrong("{\"patterns\": {\"error_report\": [1]}}"),
	    "'inbox.patterns.error_report' is not a list of texts");
	is_text(wrong("{\"patterns\": {\"error_report\": [\"\"]}}"),
	    "'inbox.patterns.error_report': '': it is empty");
	ok(strstr(wrong("{\"patterns\": {\"error_report\": [\"a(\"]}}"),
	    "'a(': missing closing parenthesis") != NULL);
	is_text(wrong("{\"notify_to\": \"a/b\"}"),
	    "'inbox.notify_to' is not an inbox");
	is_text(wrong("{\"texts\": [\"a\"]}"), "'inbox.texts' is not an object");
	is_text(wrong("{\"texts\": {\"title\": \"a\"}}"),
	    "unknown key 'inbox.texts.title'");
	is_text(wrong("{\"texts\": {\"more\": \"\"}}"),
	    "'inbox.texts.more' is empty");
	is_text(wrong("{\"texts\": {\"more\": \"<<count>> of <<agent>>\"}}"),
	    "'inbox.texts.more' cannot be told 'agent'");
}

/* With these rules, of two things for x in f. */
static const char *
told(const char *with, unsigned which)
{
	static struct buf out = BUF_INIT;
	struct buf why = BUF_INIT;
	struct inboxrules *r = with ? rules(with, &why) : NULL;

	buf_reset(&out);
	inboxrules_tell(r, &out, which, &(struct inbox_telling){ "x", "f", 2 });
	inboxrules_free(r);
	buf_release(&why);
	return buf_str(&out);
}

TEST(what_is_told_is_in_the_words_that_are_given) {
	static const char own[] = "{\"notify_to\": \"y\", \"texts\": "
	    "{\"error_report\": \"see <<notify_to>>, <<agent>>\", "
	    "\"reason\": \"<<count>> in <<files>>\"}}";

	is_text(inboxrules_notify_to(NULL), "roju_reports");
	is_text(told(NULL, INBOX_COMPLETED),
	    "x、タスク完了検出。roju_reports確認されたし。");
	is_text(told(own, INBOX_COMPLETED),
	    "x、タスク完了検出。y確認されたし。");
	is_text(told(own, INBOX_ERROR), "see y, x");
	is_text(told(own, INBOX_REASON), "2 in f");
	is_text(told(own, INBOX_MORE), "他2件");
}
