#include "notice/notice.h"

#include "unit/children.h"

/* tests/system/notify-ways.sh and hostile.sh escape it for each reader. */
TEST(it_says_who_where_what_and_how_to_get_there) {
	static const struct {
		const char *issue, *state, *backend, *project, *message;
		bool urgent;
		const char *title, *body;
	} rows[] = {
		{ "42", "asking", "claude", "shop", "May I?", true,
		    "paneward 42 asking (claude in shop)",
		    "May I? | paneward attach 42" },
		{ "7", "complete", NULL, "shop", "", false,
		    "paneward 7 complete (shop)", "paneward attach 7" },
		{ "7", "gone", "pi", NULL, NULL, true, "paneward 7 gone (pi)",
		    "paneward attach 7" },
		{ "7", "gone", NULL, NULL, NULL, true, "paneward 7 gone",
		    "paneward attach 7" },
		/* What an agent wrote is data. */
		{ "1", "error", "pi", "a\033\n", "x\033]0;\a\r\xff"
		    "\xe2\x80\xae", true,
		    "paneward 1 error (pi in a\\x1b\\x0a)",
		    "x\\x1b]0;\\x07\\x0d\\xff\\u202e | paneward attach 1" },
		{ "1", "error", "p\033i\nurl = x", NULL, NULL, true,
		    "paneward 1 error (p\\x1bi\\x0aurl = x)",
		    "paneward attach 1" },
	};
	struct noticetext t;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		noticetext_init(&t, rows[i].issue, rows[i].issue,
		    rows[i].state, rows[i].backend, rows[i].project,
		    rows[i].message, NULL);
		ROW("%s", rows[i].title);
		is_text(t.title, rows[i].title);
		is_text(t.body, rows[i].body);
		ok(t.urgent == rows[i].urgent);
		free(t.title);
		free(t.body);
	}
}

TEST(a_long_message_leaves_room_for_the_way_there) {
	static struct buf text;
	struct noticetext t;
	int i;

	for (i = 0; i < 700; i++)
		buf_adds(&text, "\xe6\xbc\xa2");
	noticetext_init(&t, "1", "1", "error", "pi", buf_str(&text),
	    buf_str(&text), "port it");
	ok(strlen(t.body) < 300 && strlen(t.title) < 100);
	contains(t.body, "\xe6\xbc\xa2\xe2\x80\xa6 - port it | paneward attach 1");
	contains(t.title, "\xe2\x80\xa6)");
	free(t.title);
	free(t.body);
}
