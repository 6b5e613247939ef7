#include "agent/signs.h"

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
	buf_adds(&file, text);
	strict_file(&(struct strict){ .from = "f", .error = &error }, &file,
	    sign_keys, &h);
	buf_release(&file);
	return buf_str(&error);
}

TEST(each_key_is_read) {
	is_text(read_rules("{ \"asks\": \"trust\", \"yes\": \"^Y\", "
	    "\"no\": \"^N\", \"own\": \"^O\", \"shows\": \"s\", "
	    "\"field\": \"f\", \"yes_key\": \"Enter\", "
	    "\"no_key\": \"C-c\" }"), "");
	is_text(h.asks, "trust");
	ok(pattern_match(h.yes, "Yes", 3));
	ok(pattern_match(h.no, "No", 2));
	ok(pattern_match(h.own, "Other", 5));
	ok(!pattern_match(h.yes, "No", 2));
	is_text(h.yes_key, "Enter");
	is_text(h.no_key, "C-c");
	is_text(read_rules("{ }"), "");
	is_text(h.asks, NULL);
	ok(h.yes == NULL);
}

TEST(a_highlight_has_a_mark_and_a_text) {
	is_text(read_rules("{ \"highlight\": "
	    "\"^(?<mark>[> ]) (?<text>.+)$\" }"), "");
	ok(pattern_has_group(h.highlight, "mark"));
	ok(strstr(read_rules("{ \"highlight\": \"^> (?<text>.+)$\" }"),
	    "lacks the group (?<mark>...) or (?<text>...)") != NULL);
	ok(strstr(read_rules("{ \"choice\": \"^(?<text>.+)$\" }"),
	    "lacks the group (?<key>...) or (?<text>...)") != NULL);
	ok(strstr(read_rules("{ \"highlight\": \"^(?<mark>>)\" }"),
	    "lacks the group") != NULL);
}

/* It becomes a word of a command of tmux. */
TEST(a_key_is_letters_digits_and_dashes) {
	static const char *const bad[] = { "\"a b\"", "\"a;b\"", "\"$(x)\"",
	    "\"#{x}\"", "\"\\n\"", "\"\"", "3", "null" };
	char text[80];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "{ \"no_key\": %s }", bad[i]);
		ok(strstr(read_rules(text), "'no_key'") != NULL);
	}
	is_text(read_rules("{ \"yes_key\": \"a;b\" }"),
	    "'f' line 1: 'yes_key' is not the name of a key");
}

TEST(a_pattern_has_to_compile) {
	ok(strncmp(read_rules("{ \"yes\": \"(\" }"), "'f' line 1: 'yes': "
	    "pattern '(' does not compile: ", 45) == 0);
	ok(read_rules("{ \"own\": 3 }")[0] != '\0');
	is_text(read_rules("{ \"asks\": \"\" }"), "'f' line 1: 'asks' is empty");
}

AFTER_TESTS {
	sign_release(&h);
	buf_release(&error);
}
