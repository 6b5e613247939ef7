#include "loop/loop.h"

#include <stdlib.h>

#include "scratch.h"
#include "tap.h"

enum { NOON = 1772366400 };             /* 2026-03-01 12:00:00 UTC */

static struct channel answer;
static struct buf why;

/* Looks at the channel in the scratch folder, at noon. */
static void
look(int64_t started, int64_t last_read)
{
	buf_release(&answer.news);
	answer = (struct channel){ .now = NOON, .started = started,
	    .last_read = last_read };
	buf_reset(&why);
	channel_read(&answer, scratch, &why);
}

static void
write_today(const char *text)
{
	scratch_write("temp/th-channel/2026-03-01.md", text);
}

/* Does a section with this line stop a loop that began before it? */
static bool
stops(const char *line)
{
	struct buf text = BUF_INIT;

	buf_printf(&text, "## 11:30 somebody\n%s\n## 11:31 later\n", line);
	write_today(buf_str(&text));
	buf_release(&text);
	look(NOON - 3600, -1);
	return answer.stop;
}

/* Is this line a heading, so that what is below it is new? */
static bool
begins(const char *line)
{
	struct buf text = BUF_INIT;
	bool found;

	buf_printf(&text, "## 10:00 old\n%s\nwords\n", line);
	write_today(buf_str(&text));
	buf_release(&text);
	look(NOON - 7200, NOON - 3600);
	found = answer.news.len > 0 &&
	    strcmp(buf_str(&answer.news) + strlen(line), "\nwords\n") == 0;
	return found;
}

TEST(no_channel_is_no_trouble) {
	look(NOON, -1);
	ok(!answer.stop && answer.news.len == 0 && why.len == 0);
}

TEST(a_line_that_is_only_the_word_stops) {
	static const char *const words[] = { "stop", "STOP", "  Stop\t",
	    "- stop", "* stop", "+ stop", "12. stop", "1) stop ", "stop\r" };
	static const char *const others[] = { "stop it", "nonstop", "stopp",
	    "sto", "-stop", "- - stop", "1 stop", "stop.", "# stop", "" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		ok(stops(words[i]));
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ok(!stops(others[i]));
}

TEST(a_heading_has_a_time_and_perhaps_a_date) {
	static const char *const headings[] = { "## 11:30", "## 11:30 who",
	    "## 11:30:59\twho", "##  11:30", "## 2026-03-01 11:30",
	    "## 2026-03-01  11:30:00 who" };
	static const char *const others[] = { "# 11:30", "### 11:30", "##11:30",
	    "## 24:00", "## 11:60", "## 11:30pm", "## 11:3", "## 1:30",
	    "## 2026-13-01 11:30", "## 2026-03-00 11:30", "## 2026-03-01",
	    " ## 11:30", "## at 11:30" };
	size_t i;

	for (i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		ok(begins(headings[i]));
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ok(!begins(others[i]));
}

TEST(the_last_section_stops_however_old_it_is) {
	scratch_write("temp/th-channel/2026-02-28.md", "## 10:00\nstop\n");
	write_today("no heading here\n");
	look(NOON - 86400, NOON - 43260);
	ok(answer.stop);
	is_text(answer.stop_day, "2026-02-28");
	write_today("## 09:00\ngo on\n");
	look(NOON - 86400, NOON - 43260);
	ok(!answer.stop);
}

TEST(only_the_days_that_are_asked_for_are_read) {
	scratch_write("temp/th-channel/2026-02-27.md", "two days ago\n");
	scratch_write("temp/th-channel/2026-02-28.md", "yesterday\n");
	scratch_write("temp/th-channel/2026-03-02.md", "tomorrow\n");
	scratch_write("temp/th-channel/2026-03-01.md.bak", "no day\n");
	write_today("today\n");
	look(NOON - 86400, -1);
	is_text(buf_str(&answer.news), "yesterday\ntoday\n");
	look(-1, -1);
	is_text(buf_str(&answer.news), "today\n");
}

TEST(times_that_are_still_to_come_hide_nothing) {
	write_today("## 11:59\nwords\n## 13:00\nlater\n");
	look(NOON + 86400, -1);
	ok(answer.news.len > 0);
	look(NOON + 86400, NOON + 86400);
	is_text(buf_str(&answer.news), "## 13:00\nlater\n");
}

/* Told twice rather than never. */
TEST(what_comes_later_in_the_minute_of_the_last_time_is_new) {
	write_today("## 11:59 old\nwords\n## 12:00 late\nmore\n");
	look(NOON - 3600, NOON - 1);
	is_text(buf_str(&answer.news), "## 12:00 late\nmore\n");
	look(NOON - 3600, NOON - 30);
	is_text(buf_str(&answer.news),
	    "## 11:59 old\nwords\n## 12:00 late\nmore\n");
	write_today("## 11:59:29 old\nwords\n## 11:59:31 late\nmore\n");
	look(NOON - 3600, NOON - 30);
	is_text(buf_str(&answer.news), "## 11:59:31 late\nmore\n");
}

/* What was the last word is not, once there is a newer one. */
TEST(a_stop_of_the_minute_of_the_beginning_is_old) {
	write_today("## 11:59\nstop\n## 12:00\ngo on\n");
	look(NOON - 30, -1);
	ok(!answer.stop);
}

TEST(a_byte_order_mark_hides_no_heading) {
	write_today("\xef\xbb\xbf## 11:30\nwords\n## 10:00\n");
	look(NOON - 7200, NOON - 3600);
	is_text(buf_str(&answer.news), "## 11:30\nwords\n");
}

TEST(of_a_large_file_whole_sections_at_its_end_are_read) {
	static const char end[] = "## 11:30\nthe end\n";
	size_t len = CHANNEL_FILE + 1000;
	char *text = malloc(len + sizeof(end));

	memset(text, 'x', len);
	memcpy(text, "stop\n", 5);
	memcpy(text + len - 6, "\nstop\n", 6);
	memcpy(text + len, end, sizeof(end));
	write_today(text);
	free(text);
	look(NOON - 7200, -1);
	is_text(buf_str(&answer.news), end);
	ok(!answer.stop);
}

BEFORE_TESTS {
	setenv("TZ", "UTC", 1);
}

AFTER_TESTS {
	buf_release(&answer.news);
	buf_release(&why);
}
