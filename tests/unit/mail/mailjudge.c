#include "mail/mail.h"

#include "unit/children.h"

enum { NOTHING = INBOX_KINDS };

/* What the default patterns, or one of completion, find in a message. */
TEST(a_pattern_is_found_within_a_line_in_any_case) {
	static const struct {
		const char *pattern, *message;
		unsigned kind;
	} rows[] = {
		/* tests/cases/stop-hook.t tries each of the default ones. */
		{ NULL, "Task Completed", INBOX_COMPLETED },
		{ NULL, "", NOTHING },
		{ "one.*two", "x\none\nONE and Two\r\n", 0 },
		{ "one.*two", "two one", NOTHING },
		{ "two$", "one two\r\nthree", 0 }, { "REPORT", "a report", 0 },
		{ "\xe5\xa0\xb1\xe5\x91\x8aYAML",
		    "\xe5\xa0\xb1\xe5\x91\x8ayaml", 0 },
		/* A Kelvin sign, a long s, letters beyond ASCII. */
		{ "ok", "o\xe2\x84\xaa", 0 }, { "stop", "\xc5\xbftop", 0 },
		{ "\xc3\xa4rger", "\xc3\x84RGER", 0 },
		/* More than words is tried on every line. */
		{ "colou?r", "x\nthe color", 0 }, { "a|b", "x\nb", 0 },
		{ ".", "x", 0 },
	};
	static struct buf why, text;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *message = rows[i].message;
		struct inboxrules *rules = NULL;
		enum inbox_kind kind;
		struct json *o;

		ROW("'%s'", message);
		buf_reset(&text);
		buf_printf(&text, "{\"patterns\": {\"report_completed\": "
		    "[\"%s\"], \"error_report\": []}}",
		    rows[i].pattern ? rows[i].pattern : "");
		o = json_parse(buf_str(&text), text.len, false, NULL);
		if (rows[i].pattern != NULL)
			inboxrules_take(&(struct strict){ .error = &why },
			    &rules, o);
		is_text(buf_str(&why), "");
		json_free(o);
		if (!mailjudge(rules, message, strlen(message), &kind))
			kind = (enum inbox_kind)NOTHING;
		is_number(kind, rows[i].kind);
		inboxrules_free(rules);
	}
}
