#include "data/yaml.h"

#include "tap.h"
#include "unit/fixture.h"

/* "LINE: REASON", or "read". */
static const char *
read_n(const char *text, size_t len)
{
	static char shown[200];
	struct text_error error = { 0, "" };
	struct yaml yaml;
	int ret = yaml_load(&yaml, text, len, &error);

	ok(ret == 0 || yaml.newest == NULL);
	yaml_release(&yaml);
	snprintf(shown, sizeof(shown), "%u: %s", error.line, error.reason);
	return ret == -1 ? shown : "read";
}

static const char *
read_as(const char *text)
{
	return read_n(text, strlen(text));
}

TEST(a_text_is_read_or_refused_with_its_line) {
	char text[2 * YAML_DEPTH + 3] = "";

	ROWS(read_as, "a: 1\nb: 2\na: 3\n => 3: the key 'a' stands twice",
	    "a:\n- {b: 1, b: 2}\n => 2: the key 'b' stands twice",
	    "a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\nh: 1\ni: 1\nj: 1\n"
	    "d: 2\n => 11: the key 'd' stands twice",
	    "? *x\n: 1\n => 1: an alias without its anchor",
	    "a: &x 1\nb: *y\n => 2: an alias without its anchor",
	    "--- a\n--- b\n => 2: more than one document",
	    "a: b\nc: \xff\n => 2: byte 0xff is not text",
	    "a: [1\n => 2: did not find expected ',' or ']'", " => read",
	    "# only\n => read", "a: &x 1\nb: *x\n => read",
	    "? [a]\n: 1\n? [a]\n: 2\n => read",
	    "\xef\xbb\xbf" "a: b\n...\n => read");
	is_text(read_n("a: b\nc: \0\n", 10), "2: byte 0x00 is not text");
	memset(text, '[', YAML_DEPTH + 1);
	memset(text + YAML_DEPTH + 1, ']', YAML_DEPTH + 1);
	is_text(read_as(text), "1: nested too deep");
	is_text(read_n(text + 1, 2 * YAML_DEPTH), "read");
}

/* The bytes of a node, NUL-ended. */
static const char *
bytes(const char *text, const struct yaml_node *node)
{
	static char shown[100];

	snprintf(shown, sizeof(shown), "%.*s", (int)(node->to - node->from),
	    text + node->from);
	return shown;
}

TEST(a_node_knows_the_bytes_it_stands_in) {
	static const char text[] = "\xef\xbb\xbf# \xe6\x97\xa5\n"
	    "\xe6\x9c\xac: 'x\xe6\x97\xa5'  # c\n"
	    "b: [1, {c: d}]\nl:\n  - e: f\n    g: h\n  - i\n";
	struct text_error error;
	struct yaml yaml;

	is_number(yaml_load(&yaml, text, strlen(text), &error), 0);
	is_text(bytes(text, yaml_member(yaml.root, "\xe6\x9c\xac")),
	    "'x\xe6\x97\xa5'");
	is_text(bytes(text, yaml_member(yaml.root, "b")), "[1, {c: d}]");
	is_text(bytes(text, yaml_member(yaml.root, "b")->last), "{c: d}");
	is_text(bytes(text, yaml_member(yaml.root, "l")),
	    "- e: f\n    g: h\n  - i");
	yaml_release(&yaml);
}

/* Longer than the pieces that libyaml gets, which end inside characters. */
TEST(a_long_text_is_read_whole) {
	enum { LEN = 3 * 5000 };
	struct buf text = BUF_INIT;
	struct text_error error;
	const struct yaml_node *a, *b;
	struct yaml yaml;

	buf_adds(&text, "a: ");
	while (text.len < LEN + 3)
		buf_adds(&text, "\xe6\x97\xa5");
	buf_adds(&text, "\nb: c\n");
	is_number(yaml_load(&yaml, buf_str(&text), text.len, &error), 0);
	a = yaml_member(yaml.root, "a");
	b = yaml_member(yaml.root, "b");
	ok(a->len == LEN && memcmp(a->text, text.data + 3, LEN) == 0);
	is_number(b->from, LEN + 7);
	is_text(b->text, "c");
	yaml_release(&yaml);
	buf_release(&text);
}

/* Do two texts say the same? */
static bool
same(const char *a, const char *b, const char *gone)
{
	struct yaml old, new;
	struct text_error error;
	bool same;

	ok(yaml_load(&old, a, strlen(a), &error) == 0 &&
	    yaml_load(&new, b, strlen(b), &error) == 0);
	if (gone != NULL)
		yaml_member(old.root, gone)->gone = true;
	same = yaml_same(old.root, new.root);
	yaml_release(&old);
	yaml_release(&new);
	return same;
}

TEST(texts_are_compared_by_what_they_say) {
	ok(same("a: 1\nb: [x]\n", "{a: 1, b:\n  [ x ]} # c", NULL));
	ok(!same("a: 1\n", "a: '1'\n", NULL));
	ok(!same("a: 1\n", "a: 1\nb: 2\n", NULL));
	ok(!same("a: 1\n", "b: 1\n", NULL));
	ok(same("a: 1\nb: 2\n", "b: 2\n", "a"));
	ok(same("a: 1\nb: 2\n", "a: 1\n", "b"));
	ok(same("a: |\n b", "a: |\n b\n", NULL));
	ok(!same("a: |\n b\n", "a: |\n b", NULL));
	ok(!same("a: \"b\"", "a: \"b\\n\"", NULL));
}

/* Is the value of "a" false?  If it is, the text may have it. */
static bool
a_is_false(const char *text)
{
	struct text_error error;
	struct yaml yaml;
	bool is;

	ok(yaml_load(&yaml, text, strlen(text), &error) == 0);
	is = yaml_is_false(yaml_member(yaml.root, "a"));
	yaml_release(&yaml);
	ok(!is || yaml_may_have_false(text, strlen(text)));
	return is;
}

TEST(a_text_tells_whether_a_value_may_be_false) {
	ok(a_is_false("a: false") && a_is_false("a: NO\r\n"));
	ok(a_is_false("a:\n  Off # so\n") && a_is_false("{\"a\":no}"));
	ok(a_is_false("{b: 1, a: off, c: 2}") && a_is_false("? a\n: False\n"));
	ok(!a_is_false("a: \"\\x6eo\"\n"));
	ok(yaml_may_have_false("say no: true", 12));
	ok(!yaml_may_have_false("a: falsely, note, turnoff: true\n", 32));
	ok(!yaml_may_have_false("", 0) && yaml_may_have_false("a\0b", 3));
}
