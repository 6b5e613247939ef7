#include "agent/signs.h"

#include "quoted.h"
#include "scratch.h"

static struct sign h;
static struct buf error;

/* Reads an object; "" or why it is refused. */
static const char *
read_rules(const char *text)
{
	struct buf file = BUF_INIT;

	sign_release(&h);
	buf_reset(&error);
	buf_adds(&file, quoted(text));
	strict_file(&(struct strict){ .from = "f", .error = &error }, &file,
	    sign_keys, &h);
	buf_release(&file);
	return buf_str(&error);
}

TEST(each_key_is_read) {
	is_text(read_rules("{ 'asks': 'trust', 'yes': '^Y', "
	    "'no': '^N', 'own': '^O', 'shows': 's', "
	    "'field': 'f', 'yes_key': 'Enter', 'no_key': 'C-c', 'highlight': "
	    "'^(?<mark>[> ]) (?<text>.+)$' }"), "");
	is_text(h.asks, "trust");
	ok(pattern_match(h.yes, "Yes", 3) && !pattern_match(h.yes, "No", 2));
	ok(pattern_match(h.no, "No", 2) && pattern_match(h.own, "Other", 5));
	ok(pattern_has_group(h.highlight, "mark"));
	is_text(h.yes_key, "Enter");
	is_text(h.no_key, "C-c");
	is_text(read_rules("{ }"), "");
	ok(h.asks == NULL && h.yes == NULL);
}

TEST(rules_are_read_strictly) {
	static const struct { const char *rules, *why; } rows[] = {
		{ "{ 'highlight': '^> (?<text>.+)$' }",
		    "lacks the group (?<mark>...) or (?<text>...)" },
		{ "{ 'choice': '^(?<text>.+)$' }",
		    "lacks the group (?<key>...) or (?<text>...)" },
		{ "{ 'highlight': '^(?<mark>>)' }", "lacks the group" },
		{ "{ 'yes': '(' }",
		    "'f' line 1: 'yes': pattern '(' does not compile: " },
		{ "{ 'own': 3 }", "'own'" },
		{ "{ 'asks': '' }", "'f' line 1: 'asks' is empty" },
		/* It becomes a word of a command of tmux. */
		{ "{ 'yes_key': 'a;b' }",
		    "'f' line 1: 'yes_key' is not the name of a key" },
		{ "{ 'no_key': 'a b' }", "'no_key'" },
		{ "{ 'no_key': '$(x)' }", "'no_key'" },
		{ "{ 'no_key': '#{x}' }", "'no_key'" },
		{ "{ 'no_key': '\\n' }", "'no_key'" },
		{ "{ 'no_key': '' }", "'no_key'" },
		{ "{ 'no_key': 3 }", "'no_key'" },
		{ "{ 'no_key': null }", "'no_key'" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ROW("%s", rows[i].rules);
		if (strstr(read_rules(rows[i].rules), rows[i].why) == NULL)
			is_text(buf_str(&error), rows[i].why);
	}
}

AFTER_TESTS {
	sign_release(&h);
	buf_release(&error);
}
