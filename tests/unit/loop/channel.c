#include "loop/loop.h"

#include "unit/children.h"

enum { NOON = 1772366400 };             /* 2026-03-01 12:00:00 UTC */

static struct channel answer;
static struct buf why;

static void
write_day(const char *day, const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "temp/th-channel/2026-%s.md", day);
	scratch_write(name, text);
}

/* At noon, of a loop that began and read so many seconds before; -1: never. */
static void
look(int64_t began, int64_t read)
{
	buf_release(&answer.news);
	answer = (struct channel){ .now = NOON, .started = NOON - began,
	    .last_read = read == -1 ? -1 : NOON - read };
	buf_reset(&why);
	channel_read(&answer, scratch, &why);
}

/* Does a section with this line stop a loop that began before it? */
static bool
stops(const char *line)
{
	char text[128];

	snprintf(text, sizeof(text),
	    "## 11:30 somebody\n%s\n## 11:31 later\n", line);
	write_day("03-01", text);
	look(3600, -1);
	return answer.stop;
}

/* Is this line a heading, so that what is below it is new? */
static bool
begins(const char *line)
{
	char text[128];

	snprintf(text, sizeof(text), "## 10:00 old\n%s\nwords\n", line);
	write_day("03-01", text);
	look(7200, 3600);
	return answer.news.len > 0 &&
	    strcmp(buf_str(&answer.news) + strlen(line), "\nwords\n") == 0;
}

TEST(a_line_that_is_only_the_word_stops) {
	says(true, stops, WORDS("stop", "STOP", "  Stop\t", "- stop", "* stop",
	    "+ stop", "12. stop", "1) stop ", "stop\r"));
	says(false, stops, WORDS("stop it", "nonstop", "stopp", "sto", "-stop",
	    "- - stop", "1 stop", "stop.", "# stop", ""));
}

TEST(a_heading_has_a_time_and_perhaps_a_date) {
	says(true, begins, WORDS("## 11:30", "## 11:30 who",
	    "## 11:30:59\twho", "##  11:30", "## 2026-03-01 11:30",
	    "## 2026-03-01  11:30:00 who"));
	says(false, begins, WORDS("# 11:30", "### 11:30", "##11:30",
	    "## 24:00", "## 11:60", "## 11:30pm", "## 11:3", "## 1:30",
	    "## 2026-13-01 11:30", "## 2026-03-00 11:30", "## 2026-03-01",
	    " ## 11:30", "## at 11:30"));
}

/* tests/vectors/th-loop has the other stops. */
TEST(a_stop_of_another_day_or_of_the_minute_of_the_beginning) {
	write_day("02-28", "## 10:00\nstop\n");
	write_day("03-01", "no heading here\n");
	look(86400, 43260);
	ok(answer.stop);
	is_text(answer.stop_day, "2026-02-28");
	/* It is not the last word, but old. */
	write_day("03-01", "## 11:59\nstop\n## 12:00\ngo on\n");
	look(30, -1);
	ok(!answer.stop);
}

TEST(only_the_days_that_are_asked_for_are_read) {
	write_day("02-27", "two days ago\n");
	write_day("02-28", "yesterday\n");
	write_day("03-02", "tomorrow\n");
	scratch_write("temp/th-channel/2026-03-01.md.bak", "no day\n");
	write_day("03-01", "today\n");
	look(86400, -1);
	is_text(buf_str(&answer.news), "yesterday\ntoday\n");
	look(NOON + 1, -1);
	is_text(buf_str(&answer.news), "today\n");
}

/* What comes later in the minute of the last time is told twice rather than
 * never; times that are still to come hide nothing. */
TEST(what_came_since_the_last_time_is_new) {
	static const struct {
		const char *text;
		int64_t began, read;
		const char *news;
	} rows[] = {
		{ "## 11:59\nwords\n## 13:00\nlater\n", -86400, -86400,
		    "## 13:00\nlater\n" },
		{ "## 11:59 old\nwords\n## 12:00 late\nmore\n", 3600, 1,
		    "## 12:00 late\nmore\n" },
		{ "## 11:59 old\nwords\n## 12:00 late\nmore\n", 3600, 30,
		    "## 11:59 old\nwords\n## 12:00 late\nmore\n" },
		{ "## 11:59:29 old\nwords\n## 11:59:31 late\nmore\n", 3600, 30,
		    "## 11:59:31 late\nmore\n" },
		/* A byte order mark hides no heading. */
		{ "\xef\xbb\xbf## 11:30\nwords\n## 10:00\n", 7200, 3600,
		    "## 11:30\nwords\n" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_day("03-01", rows[i].text);
		look(rows[i].began, rows[i].read);
		is_text(buf_str(&answer.news), rows[i].news);
	}
	write_day("03-01", rows[0].text);
	look(-86400, -1);
	ok(answer.news.len > 0);
}

TEST(of_a_large_file_whole_sections_at_its_end_are_read) {
	static const char end[] = "\nstop\n## 11:30\nthe end\n";
	static char text[CHANNEL_FILE + 1000];

	memset(text, 'x', sizeof(text));
	memcpy(text, "stop\n", 5);
	memcpy(text + sizeof(text) - sizeof(end), end, sizeof(end));
	write_day("03-01", text);
	look(7200, -1);
	is_text(buf_str(&answer.news), end + 6);
	ok(!answer.stop);
}

BEFORE_TESTS {
	setenv("TZ", "UTC", 1);
}

AFTER_TESTS {
	buf_release(&answer.news);
	buf_release(&why);
}
