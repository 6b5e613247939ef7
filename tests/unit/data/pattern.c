#include "data/pattern.h"

#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "tap.h"

static struct pattern *
compiled(const char *text)
{
	char error[200] = "";
	struct pattern *pattern = pattern_new(text, error, sizeof(error));

	is_text(error, "");
	return pattern;
}

/* Does a pattern match in a subject? */
static bool
matches_n(const char *text, const char *subject, size_t len)
{
	struct pattern *pattern = compiled(text);
	bool found = pattern && pattern_match(pattern, subject, len);

	pattern_free(pattern);
	return found;
}

static bool
matches(const char *text, const char *subject)
{
	return matches_n(text, subject, strlen(subject));
}

/* What the group called issue holds; "(none)" where it has no part.  The
 * caller frees it. */
static char *
group(const char *text, const char *subject)
{
	struct pattern *pattern = compiled(text);
	size_t start, size;
	char *part;

	if (pattern != NULL && pattern_match(pattern, subject,
	    strlen(subject)) && pattern_group(pattern, "issue", &start, &size))
		part = xstrndup(subject + start, size);
	else
		part = xstrdup("(none)");
	pattern_free(pattern);
	return part;
}

#define is_group(text, subject, want) do { \
	char *got_ = group((text), (subject)); \
	is_text(got_, (want)); \
	free(got_); \
} while (0)

static bool
refused(const char *text, const char *want)
{
	char error[200] = "";
	struct pattern *pattern = pattern_new(text, error, sizeof(error));
	bool none = pattern == NULL;

	pattern_free(pattern);
	if (none && strstr(error, want) == NULL)
		is_text(error, want);
	return none;
}

/* Of a processor, so that a busy machine does not count. */
static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *
filled(const char *with, size_t len)
{
	struct buf text = BUF_INIT;

	while (text.len < len)
		buf_adds(&text, with);
	return buf_steal(&text);
}

TEST(a_pattern_matches_anywhere_in_the_subject) {
	ok(matches("esc to [a-z]+", "(3s, esc to interrupt)"));
	ok(matches("^$", ""));
	ok(!matches("^esc", "press esc"));
	ok(matches("(?m)^esc", "press\nesc"));
	ok(!matches("a.b", "a\nb"));
	ok(matches("a.b", "a\rb"));
	ok(!matches_n("interrupt", "esc to interrupt", 10));
}

TEST(a_pattern_that_does_not_compile_is_refused_with_its_place) {
	ok(refused("(issue-[0-9]+", "at offset 13"));
	ok(refused("[a", "at offset 2"));
	/* 0, and 1 after PCRE2 10.47. */
	ok(refused("*", "at offset "));
	ok(refused("\\C", "offset"));
	ok(refused("\xff", "UTF-8"));
	ok(refused("(?<issue>a)(?<issue>b)", "offset"));
}

TEST(a_reason_is_cut_to_the_room_it_has) {
	char error[8];

	ok(pattern_new("(", error, sizeof(error)) == NULL);
	is_number(strlen(error), sizeof(error) - 1);
}

TEST(a_pattern_too_long_or_too_deep_is_refused) {
	char *text = filled("a", PATTERN_MAX);
	struct pattern *pattern = compiled(text);

	ok(pattern != NULL);
	pattern_free(pattern);
	free(text);
	text = filled("a", PATTERN_MAX + 1);
	ok(refused(text, "longer than 4096 bytes"));
	free(text);
	text = filled("(", 1000);
	ok(refused(text, "nested"));
	free(text);
	ok(refused("(?:(?:a{1000}){1000}){1000}", "too large"));
}

TEST(groups_are_found_by_name) {
	static const char usual[] =
	    "(?:^|-)issue-(?<issue>[0-9]+)(?:-|$)";
	struct pattern *pattern = compiled(usual);

	ok(pattern_has_group(pattern, "issue"));
	ok(!pattern_has_group(pattern, "issues"));
	ok(!pattern_has_group(pattern, ""));
	pattern_free(pattern);
	is_group(usual, "issue-42", "42");
	is_group(usual, "web-issue-7-login", "7");
	is_group(usual, "tissue-42", "(none)");
	is_group(usual, "issue-42x", "(none)");
	is_group("x(issue)", "xissue", "(none)");
}

TEST(a_group_that_took_no_part_is_not_found) {
	is_group("a|(?<issue>b)", "a", "(none)");
	is_group("a|(?<issue>b)", "b", "b");
	is_group("a(?<issue>)", "a", "");
	is_group("(?J)(?<issue>a)|x(?<issue>b)", "xb", "b");
	is_group("(?|(?<issue>a)|(?<issue>b))", "b", "b");
}

TEST(a_subject_may_hold_any_bytes) {
	ok(matches("b", "a\xff\xfe" "b\xc3"));
	ok(!matches("a.*b", "a\xff" "b"));
	ok(matches("^\xc3\xa9$", "\xc3\xa9"));
	ok(matches("a.c", "\xed\xa0\x80" "a\xc3\xa9" "c"));
	ok(matches_n("a\\x00b", "xa\0b", 4));
	ok(matches_n("", NULL, 0));
	is_group("-(?<issue>.)-", "\xff\xff-\xc3\xa9-", "\xc3\xa9");
}

/* Each of these would take from minutes to for ever. */
TEST(no_pattern_and_no_text_stops_the_program) {
	static const char *const patterns[] = {
		"(a|a)*[bc]", "(?:a+)+[bc]", "\\w+[@#]", "\\S*+[!?]",
		"a*?a*?a*?[bc]", "(?=(a*))[bc]", "(a*)\\1[bc]",
		"(*sr:a*?)[bc]", "(a(?1)?)*[bc]", "(?:.*){20}[bc]",
	};
	char *subject = filled("a", 1 << 18);
	double began;
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		began = seconds();
		ok(!matches(patterns[i], subject));
		if (seconds() - began > 20)
			is_text("too slow", patterns[i]);
	}
	free(subject);
}

TEST(ordinary_patterns_stay_far_from_the_limits) {
	char *text = filled("The quick brown fox jumps over it.\n", 1 << 17);
	char *subject = xasprintf("%s(12s, esc to interrupt)", text);

	ok(matches("\\(\\d+s.*esc to (?:interrupt|cancel)\\)", subject));
	ok(matches("(?i)fox.*(?:permission|INTERRUPT\\))|ESC to", subject));
	ok(matches("(?:\\w+ ){3,9}[0-9]|[(][0-9]+s", subject));
	free(subject);
	free(text);
}

TEST(a_pattern_may_be_compiled_at_its_first_use) {
	struct pattern *unused = pattern_new("a", NULL, 0), *used = pattern_new(
	    "(?<n>b+)", NULL, 0), *wrong = pattern_new("(", NULL, 0);
	size_t start, size;

	ok(!pattern_group(used, NULL, &start, &size));
	ok(pattern_match(used, "abbc", 4));
	ok(pattern_group(used, "n", &start, &size));
	ok(start == 1 && size == 2);
	ok(!pattern_match(used, "a", 1));
	ok(!pattern_group(used, "n", &start, &size));
	ok(pattern_match(used, "b", 1) && pattern_has_group(used, "n"));
	ok(!pattern_match(wrong, "(", 1) && !pattern_match(wrong, "(", 1));
	pattern_free(unused);
	pattern_free(used);
	pattern_free(wrong);
}
