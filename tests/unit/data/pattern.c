#include "data/pattern.h"

#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "tap.h"
#include "unit/fixture.h"

static struct pattern *
compiled(const char *text)
{
	char error[200] = "";
	struct pattern *pattern = pattern_new(text, false, error, sizeof(error));

	is_text(error, "");
	return pattern;
}

/* Does a pattern match in a subject? */
static bool
matches(const char *text, const char *subject, size_t len)
{
	struct pattern *pattern = compiled(text);
	bool found = pattern_match(pattern, subject, len);

	pattern_free(pattern);
	return found;
}

/* "PATTERN in SUBJECT": what the group called issue holds; "yes": it has no
 * part in the match; "no": there is none. */
static const char *
found(const char *row)
{
	static char part[100];
	const char *subject = strstr(row, " in ") + 4;
	char *text = xstrndup(row, (size_t)(subject - 4 - row));
	struct pattern *pattern = compiled(text);
	size_t len = strlen(subject), start, size;
	bool matched = pattern_match(pattern, subject, len);

	snprintf(part, sizeof(part), "%s", matched ? "yes" : "no");
	if (matched && pattern_group(pattern, "issue", &start, &size))
		snprintf(part, sizeof(part), "%.*s", (int)size,
		    subject + start);
	pattern_free(pattern);
	free(text);
	return part;
}

static bool
refused(const char *text, const char *want)
{
	char error[200] = "";
	struct pattern *pattern = pattern_new(text, false, error, sizeof(error));

	if (strstr(error, want) == NULL)
		is_text(error, want);
	pattern_free(pattern);
	return pattern == NULL;
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

TEST(a_pattern_matches_anywhere_in_a_subject_of_any_bytes) {
	ROWS(found, "esc to [a-z]+ in (3s, esc to interrupt) => yes",
	    "^$ in  => yes", "^esc in press esc => no",
	    "(?m)^esc in press\nesc => yes", "a.b in a\nb => no",
	    "a.b in a\rb => yes", "b in a\xff\xfe" "b\xc3" " => yes",
	    "a.*b in a\xff" "b => no", "^\xc3\xa9$ in \xc3\xa9" " => yes",
	    "a.c in \xed\xa0\x80" "a\xc3\xa9" "c => yes");
	ok(!matches("interrupt", "esc to interrupt", 10));
	ok(matches("a\\x00b", "xa\0b", 4));
	ok(matches("", NULL, 0));
}

TEST(a_pattern_that_does_not_compile_is_refused_with_its_place) {
	char small[8];

	ok(refused("(issue-[0-9]+", "at offset 13"));
	ok(refused("[a", "at offset 2"));
	/* 0, and 1 after PCRE2 10.47. */
	ok(refused("*", "at offset "));
	ok(refused("\\C", "offset"));
	ok(refused("\xff", "UTF-8"));
	ok(refused("(?<issue>a)(?<issue>b)", "offset"));
	ok(pattern_new("(", false, small, sizeof(small)) == NULL);
	is_number(strlen(small), sizeof(small) - 1);
}

TEST(a_pattern_too_long_or_too_deep_is_refused) {
	char *text = filled("a", PATTERN_MAX + 1);

	ok(!matches(text + 1, "", 0));
	ok(refused(text, "longer than 4096 bytes"));
	free(text);
	text = filled("(", 1000);
	ok(refused(text, "nested"));
	free(text);
	ok(refused("(?:(?:a{1000}){1000}){1000}", "too large"));
}

TEST(groups_are_found_by_name_if_they_took_part) {
	ROWS(found, "(?:^|-)issue-(?<issue>[0-9]+)(?:-|$) in issue-42 => 42",
	    "(?:^|-)issue-(?<issue>[0-9]+)(?:-|$) in web-issue-7-login => 7",
	    "(?:^|-)issue-(?<issue>[0-9]+)(?:-|$) in tissue-42 => no",
	    "(?:^|-)issue-(?<issue>[0-9]+)(?:-|$) in issue-42x => no",
	    "x(issue) in xissue => yes", "a|(?<issue>b) in a => yes",
	    "a|(?<issue>b) in b => b", "a(?<issue>) in a => ",
	    "(?J)(?<issue>a)|x(?<issue>b) in xb => b",
	    "(?|(?<issue>a)|(?<issue>b)) in b => b",
	    "-(?<issue>.)- in \xff\xff-\xc3\xa9- => \xc3\xa9");
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

	for (i = 0; i < COUNT(patterns); i++) {
		ROW("%s", patterns[i]);
		began = seconds();
		ok(!matches(patterns[i], subject, 1 << 18));
		ok(seconds() - began <= 20);
	}
	free(subject);
}

TEST(ordinary_patterns_stay_far_from_the_limits) {
	char *text = filled("The quick brown fox jumps over it.\n", 1 << 17);
	char *subject = xasprintf("%s(12s, esc to interrupt)", text);
	size_t len = strlen(subject);

	ok(matches("\\(\\d+s.*esc to (?:interrupt|cancel)\\)", subject, len));
	ok(matches("(?i)fox.*(?:permission|INTERRUPT\\))|ESC to", subject,
	    len));
	ok(matches("(?:\\w+ ){3,9}[0-9]|[(][0-9]+s", subject, len));
	free(subject);
	free(text);
}

TEST(a_pattern_may_be_compiled_at_its_first_use) {
	struct pattern *used = pattern_new("(?<n>b+)", false, NULL, 0);
	struct pattern *wrong = pattern_new("(", false, NULL, 0);
	size_t start, size;

	ok(!pattern_group(used, NULL, &start, &size));
	ok(pattern_match(used, "abbc", 4));
	ok(pattern_group(used, "n", &start, &size) && start == 1 && size == 2);
	ok(!pattern_match(used, "a", 1));
	ok(!pattern_group(used, "n", &start, &size));
	ok(pattern_has_group(used, "n") && !pattern_has_group(used, "nn"));
	ok(!pattern_match(wrong, "(", 1) && !pattern_match(wrong, "(", 1));
	pattern_free(used);
	pattern_free(wrong);
}
