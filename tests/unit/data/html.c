#include "data/html.h"

#include "unit/children.h"
#include "unit/fixture.h"

static const msec NOON = 1769860800000;         /* 2026-01-31T12:00:00Z */

static struct buf out;

static const char *
escaped(const char *text)
{
	buf_reset(&out);
	html_add(&out, text);
	return buf_str(&out);
}

TEST(no_text_is_a_tag_ends_an_attribute_moves_or_is_too_long) {
	char text[5000] = "";

	ROWS(escaped, "a<b>&\"c\" => a&lt;b&gt;&amp;&quot;c&quot;",
	    "</style><script> => &lt;/style&gt;&lt;script&gt;",
	    "&lt; => &amp;lt;", "caf\xc3\xa9" " => caf\xc3\xa9",
	    "a\x1b[31m\nb\x7f" " => a\\x1b[31m\\x0ab\\x7f",
	    "\xe2\x80\xae" "evil => \\u202eevil", "\xc2\x9b" " => \\x9b",
	    "\xff" " => \xef\xbf\xbd");
	memset(text, '<', sizeof(text) - 1);
	escaped(text);
	is_number(out.len, 4000);
}

/* "FROM SPAN", in ms since noon: the ticks of a scale, "12:00 12:30 13:00". */
static const char *
ticks(const char *scale)
{
	static char text[512];
	msec from = NOON + atoll(scale), span = atoll(strchr(scale, ' '));
	struct html_scale s = { from, from + span };
	char *to = text, *end;
	const char *p;

	buf_reset(&out);
	html_chart_begin(&out, &s);
	*to = '\0';
	for (p = buf_str(&out); (p = strstr(p, "%\">")) != NULL; p = end) {
		p += strlen("%\">");
		end = strchr(p, '<');
		to += sprintf(to, "%s%.*s", to > text ? " " : "",
		    (int)(end - p), p);
	}
	return text;
}

TEST(a_scale_has_round_times_which_are_local) {
	ROWS(ticks, "0 4000 => 12:00:00 12:00:01 12:00:02 12:00:03 12:00:04",
	    "500 60000 => 12:00:10 12:00:20 12:00:30 12:00:40 12:00:50 "
	    "12:01:00",
	    "0 3600000 => 12:00 12:10 12:20 12:30 12:40 12:50 13:00",
	    "1 86400000 => 15:00 18:00 21:00 00:00 03:00 06:00 09:00 12:00",
	    "0 864000000 => 02 Feb 04 Feb 06 Feb 08 Feb 10 Feb");
	setenv("TZ", "XYZ-5:30", 1);
	tzset();
	ROWS(ticks, "0 3600000 => 17:30 17:40 17:50 18:00 18:10 18:20 18:30",
	    "0 28800000 => 18:00 19:00 20:00 21:00 22:00 23:00 00:00 01:00");
}

static const char *
bar(const char *href, msec from, msec to)
{
	struct html_scale s = { NOON, NOON + 1000 };
	struct html_bar b = { .kind = "asking", .word = "a<b",
	    .href = href, .from = NOON + from, .to = NOON + to };

	buf_reset(&out);
	html_bar_begin(&out, &s, &b);
	html_bar_end(&out, &b);
	return buf_str(&out);
}

TEST(a_bar_has_its_share_of_the_scale) {
	is_text(bar("#e1", 250, 750), "<a href=\"#e1\" class=\"bar asking\" "
	    "style=\"left:25.00%;width:50.00%\"><b>a&lt;b</b>"
	    "<span class=\"tip\"></span></a>");
	is_text(bar(NULL, -250, 9750), "<span tabindex=\"0\" "
	    "class=\"bar asking\" style=\"left:0.00%;width:100.00%\">"
	    "<b>a&lt;b</b><span class=\"tip\"></span></span>");
}

/* tests/system/history.sh has the rest of it. */
TEST(a_page_has_its_title_and_its_style) {
	struct buf why = BUF_INIT;

	scratch_write("paneward/templates/page.css", "p { margin: 0 }\n");
	buf_reset(&out);
	is_number(html_begin(&out, "<x>", &why), 0);
	contains(buf_str(&out), "<title>&lt;x&gt;</title>");
	contains(buf_str(&out), "<style>\np { margin: 0 }\n</style>");
	buf_release(&why);
}

BEFORE_TESTS {
	scratch_home();
	setenv("TZ", "UTC", 1);
	tzset();
}

AFTER_TESTS {
	buf_release(&out);
}
