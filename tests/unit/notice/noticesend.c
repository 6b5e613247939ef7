#include "notice/notice.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static void
release(struct noticetext *t)
{
	free(t->title);
	free(t->body);
}

TEST(it_says_who_where_what_and_how_to_get_there) {
	struct noticetext t;

	noticetext_init(&t, "42", "42", "asking", "claude", "shop", "May I?");
	is_text(t.title, "paneward 42 asking (claude in shop)");
	is_text(t.body, "May I? | paneward attach 42");
	ok(t.urgent);
	release(&t);
	noticetext_init(&t, "7", "7", "complete", NULL, "shop", "");
	is_text(t.title, "paneward 7 complete (shop)");
	is_text(t.body, "paneward attach 7");
	ok(!t.urgent);
	release(&t);
	noticetext_init(&t, "7", "7", "gone", "pi", NULL, NULL);
	is_text(t.title, "paneward 7 gone (pi)");
	release(&t);
	noticetext_init(&t, "7", "7", "gone", NULL, NULL, NULL);
	is_text(t.title, "paneward 7 gone");
	release(&t);
}

TEST(what_an_agent_wrote_is_data) {
	struct noticetext t;

	noticetext_init(&t, "1", "1", "error", "pi", "a\033\n", "x\033]0;\a\r\xff"
	    "\xe2\x80\xae");
	is_text(t.title, "paneward 1 error (pi in a\\x1b\\x0a)");
	is_text(t.body, "x\\x1b]0;\\x07\\x0d\\xff\\u202e | paneward attach 1");
	release(&t);
	noticetext_init(&t, "1", "1", "error", "p\033i\nurl = x", NULL, NULL);
	is_text(t.title, "paneward 1 error (p\\x1bi\\x0aurl = x)");
	release(&t);
}

TEST(a_long_message_leaves_room_for_the_way_there) {
	struct buf text = BUF_INIT;
	struct noticetext t;
	int i;

	for (i = 0; i < 700; i++)
		buf_adds(&text, "\xe6\xbc\xa2");
	noticetext_init(&t, "1", "1", "error", "pi", buf_str(&text), buf_str(&text));
	ok(strlen(t.body) < 300);
	ok(strstr(t.body, "\xe6\xbc\xa2\xe2\x80\xa6 | paneward attach 1") !=
	    NULL);
	ok(strlen(t.title) < 100);
	ok(strstr(t.title, "\xe2\x80\xa6)") != NULL);
	release(&t);
	buf_release(&text);
}

TEST(each_reader_gets_it_escaped) {
	struct buf out = BUF_INIT;

	noticetext_add_markup(&out, "<b>a&b</b> \"c\"");
	is_text(buf_str(&out), "&lt;b&gt;a&amp;b&lt;/b&gt; \"c\"");
	buf_reset(&out);
	noticetext_add_curl(&out, "data-raw", "{\"a\":\"b\\n\"}");
	is_text(buf_str(&out),
	    "data-raw = \"{\\\"a\\\":\\\"b\\\\n\\\"}\"\n");
	buf_reset(&out);
	noticetext_add_curl(&out, "header", "a\nurl = b");
	is_text(buf_str(&out), "header = \"a\\nurl = b\"\n");
	buf_release(&out);
}
