#include "mail/mail.h"

#include <string.h>

#include "tap.h"

enum { NOTHING = INBOX_KINDS };

/* What the default patterns, or one of completion, find in a message. */
static unsigned
judged(const char *pattern, const char *message)
{
	struct buf why = BUF_INIT, text = BUF_INIT;
	struct inboxrules *rules = NULL;
	enum inbox_kind kind;
	struct json *o;
	bool found;

	if (pattern != NULL) {
		buf_printf(&text, "{\"patterns\": {\"report_completed\": "
		    "[\"%s\"], \"error_report\": []}}", pattern);
		o = json_parse(buf_str(&text), text.len, false, NULL);
		inboxrules_take(&(struct strict){ .error = &why }, &rules,
		    o);
		is_text(buf_str(&why), "");
		json_free(o);
	}
	found = mailjudge(rules, message, strlen(message), &kind);
	inboxrules_free(rules);
	buf_release(&text);
	buf_release(&why);
	return found ? kind : NOTHING;
}

TEST(completion_counts_before_errors) {
	is_number(judged(NULL, "Task Completed"), INBOX_COMPLETED);
	is_number(judged(NULL, "we abort"), INBOX_ERROR);
	is_number(judged(NULL, "abort\ntask completed"), INBOX_COMPLETED);
	is_number(judged(NULL, "all is quiet"), NOTHING);
	is_number(judged(NULL, ""), NOTHING);
}

TEST(a_pattern_matches_within_a_line) {
	is_number(judged("one.*two", "one\nand two"), NOTHING);
	is_number(judged("one.*two", "x\none\nONE and Two\r\n"), 0);
	is_number(judged("one.*two", "two one"), NOTHING);
	is_number(judged("two$", "one two\r\nthree"), 0);
}

TEST(words_are_found_in_any_case) {
	is_number(judged("REPORT", "a report"), 0);
	is_number(judged("\xe5\xa0\xb1\xe5\x91\x8aYAML",
	    "\xe5\xa0\xb1\xe5\x91\x8ayaml"), 0);
	/* A Kelvin sign, a long s, letters beyond ASCII. */
	is_number(judged("ok", "o\xe2\x84\xaa"), 0);
	is_number(judged("stop", "\xc5\xbftop"), 0);
	is_number(judged("\xc3\xa4rger", "\xc3\x84RGER"), 0);
}

TEST(a_pattern_of_more_than_words_is_tried_on_every_line) {
	is_number(judged("colou?r", "x\nthe color"), 0);
	is_number(judged("a|b", "x\nb"), 0);
	is_number(judged(".", "x"), 0);
}
