#include "mail/mail.h"

#include "base/utf8.h"
#include "unit/children.h"
#include "unit/fixture.h"

static const struct inbox_notice notice = { .content = "hi", .type = "t",
    .from = "f" };

static struct inbox
inbox_of(const char *text)
{
	struct inbox inbox = { BUF_INIT, YAML_INIT };
	struct text_error error;

	buf_adds(&inbox.text, text);
	if (yaml_load(&inbox.yaml, buf_str(&inbox.text), inbox.text.len,
	    &error) == -1)
		abort();
	return inbox;
}

static void
inbox_done(struct inbox *inbox)
{
	yaml_release(&inbox->yaml);
	buf_release(&inbox->text);
}

/* The new text, without the time, or why there is none. */
static const char *
added(const char *text)
{
	static struct buf out = BUF_INIT;
	struct inbox inbox = inbox_of(text);
	const char *wrong;
	char *time;

	buf_reset(&out);
	wrong = inboxedit_add(&inbox, &notice, true, &out);
	inbox_done(&inbox);
	if (wrong != NULL)
		return wrong;
	time = strstr(strstr(buf_str(&out), "reported_at: "), "\"") + 1;
	memmove(time, time + 24, strlen(time + 24) + 1);
	return out.data;
}

#define BLOCK(indent, end) \
	indent "- subtask_id: stophook_notification" end \
	indent "  worker: \"f\"" end \
	indent "  status: notification" end \
	indent "  reported_at: \"\"" end \
	indent "  summary: \"hi\"" end \
	indent "  type: \"t\"" end \
	indent "  read: false" end

#define FLOW "{subtask_id: stophook_notification, worker: \"f\", " \
	"status: notification, reported_at: \"\", summary: \"hi\", " \
	"type: \"t\", read: false}"

#define BOM "\xef\xbb\xbf"
#define LIST "reports:\n" BLOCK("  ", "\n")
#define WRONG "this change would change more than the entry; " \
	"write the YAML more simply"

TEST(a_notice_is_added_as_the_inbox_is_written) {
	static const struct {
		const char *text, *added;
	} rows[] = {
		/* A list is continued as it is written. */
		{ "reports:\n- a: 1\n", "reports:\n- a: 1\n" BLOCK("", "\n") },
		{ "reports:\n   - a: 1 # x\n   # y\nz: 1", "reports:\n"
		    "   - a: 1 # x\n" BLOCK("   ", "\n") "   # y\nz: 1" },
		{ "reports:\r\n  - a: 1",
		    "reports:\r\n  - a: 1\r\n" BLOCK("  ", "\r\n") },
		{ "reports:\n  - a: |\n      b\n\nz: 1\n", "reports:\n"
		    "  - a: |\n      b\n\n" BLOCK("  ", "\n") "z: 1\n" },
		{ "reports: [{a: 1}]\n", "reports: [{a: 1}, " FLOW "]\n" },
		{ "{reports: [1, 2 ], b: 1}",
		    "{reports: [1, 2, " FLOW " ], b: 1}" },
		/* It is begun where there is none. */
		{ "", LIST }, { "# a\n", "# a\n" LIST },
		{ "reports:\n", LIST },
		{ "reports: [ ] # x\nb: 1\n",
		    "reports:  # x\n" BLOCK("  ", "\n") "b: 1\n" },
		{ "reports: ~\n", "reports: \n" BLOCK("  ", "\n") },
		{ "b: 1\n", "b: 1\n" LIST },
		{ "---\nb: 1\n...\n", "---\nb: 1\n" LIST "...\n" },
		{ "{}", "{reports: [" FLOW "]}" },
		/* A byte order mark is no column. */
		{ BOM "tasks: []\n", BOM "tasks: []\n" LIST },
		{ BOM "x: 1", BOM "x: 1\n" LIST },
		{ BOM "log:\r\n - a: 1\r\n", BOM "log:\r\n - a: 1\r\n"
		    "reports:\r\n" BLOCK("  ", "\r\n") },
		{ BOM "reports:\n", BOM LIST }, { BOM, BOM LIST },
		/* A block text at the end is ended: it is the one text that a
		 * line feed behind it changes. */
		{ "reports:\n- a: |\n    b",
		    "reports:\n- a: |\n    b\n" BLOCK("", "\n") },
		{ "reports:\r\n- a: >+\r\n    b",
		    "reports:\r\n- a: >+\r\n    b\r\n" BLOCK("", "\r\n") },
		{ "reports:\n- b: 1\nz: |\n  b",
		    "reports:\n- b: 1\n" BLOCK("", "\n") "z: |\n  b" },
		{ "z: |\n b", "z: |\n b\n" LIST },
		{ "? reports\n: - a\n",
		    "? reports\n: - a\n" BLOCK("  ", "\n") },
		/* What is something else is refused. */
		{ "text", "it is not a mapping" },
		{ "reports: &x []",
		    "its list 'reports' has an anchor or a tag" },
		{ "---\n...\n",
		    "it ends with '...' before anything can be added" },
		{ "reports:\n- x\n  \t\nz: 1\n", WRONG },
		{ "reports:\r  - a\n", WRONG },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("'%s'", rows[i].text);
		is_text(added(rows[i].text), rows[i].added);
	}
}

TEST(texts_are_quoted_so_that_every_reader_reads_the_same) {
	const struct inbox_notice odd = { .content = "\"\\\n\t\x01\x7f\xc2"
	    "\x85\xff\xe2\x80\xae\xf0\x9f\x98\x80",
	    .type = "###TASK_" "COMPLETE_1###", .from = "" };
	struct inbox inbox = inbox_of("");
	static struct buf out;

	ok(inboxedit_add(&inbox, &odd, true, &out) == NULL);
	contains(buf_str(&out), "summary: \"\\\"\\\\\\n\\t\\x01\\x7f\\x85"
	    "\xef\xbf\xbd\\u202e\xf0\x9f\x98\x80\"\n");
	contains(out.data, "type: \"##\\x23TASK_");
	inbox_done(&inbox);
}

/* A text of the characters from one on; the one behind it. */
static unsigned long
some_characters(struct buf *text, unsigned long c)
{
	for (buf_reset(text); text->len < 2000 && c <= 0x10ffff; c++)
		if (c < 0xd800 || c > 0xdfff)
			utf8_add(text, c);
	return c;
}

TEST(every_character_reads_as_it_was) {
	static struct buf text, out;
	struct inbox_notice all = { .type = "t", .from = "f" };
	struct inbox inbox = inbox_of("reports:\n- a\n"), changed;
	unsigned long c = 1;

	while (c <= 0x10ffff) {
		c = some_characters(&text, c);
		all.content = buf_str(&text);
		buf_reset(&out);
		ok(inboxedit_add(&inbox, &all, false, &out) == NULL);
		changed = inbox_of(buf_str(&out));
		ok(yaml_is_text(yaml_member(changed.yaml.root->first->last,
		    "summary"), all.content));
		inbox_done(&changed);
	}
	inbox_done(&inbox);
}

/* An inbox with so many notices, which have their number for a "$". */
static char *
full(int notices, const char *begin, const char *format, const char *end)
{
	struct buf text = BUF_INIT;
	char number[16];
	int i;

	buf_adds(&text, begin);
	for (i = 1; i <= notices; i++) {
		snprintf(number, sizeof(number), "%d", i);
		buf_adds(&text, replaced(format, "$", number));
	}
	buf_adds(&text, end);
	return buf_steal(&text);
}

/* How many notices go, and how many others and comments stay. */
static void
check_full(char *text, int goes, int stays)
{
	struct inbox inbox = inbox_of(text);
	struct yaml_node *list = NULL, *entry = NULL;
	struct buf out = BUF_INIT;
	const char *p;

	ROW("%.30s", text);
	is_text(inboxedit_add(&inbox, &notice, true, &out), NULL);
	ok(goes == 0 || strstr(buf_str(&out), "n1,") == NULL);
	contains(buf_str(&out), "n50,");
	for (p = out.data; (p = strstr(p, "own")) != NULL; p++)
		stays--;
	while (inbox_next(&inbox, &list, &entry))
		goes -= entry->gone;
	ok(goes == 0 && stays == 0);
	free(text);
	buf_release(&out);
	inbox_done(&inbox);
}

TEST(the_oldest_notices_are_pushed_out_and_nothing_else) {
	static const char block[] = "# own\n- subtask_id: stophook_notification"
	    " # x\n  summary: \"n$,\"\n- own: $\n";
	static const char flow[] = "{subtask_id: stophook_notification, a: "
	    "'n$,'}, {own: $}, ";

	/* Seeds of tests/fuzz/inbox.c have what a text beside them may lose. */
	check_full(full(60, "reports:\n", block, ""), 11, 120);
	check_full(full(50, "reports: [ # x\n", flow, "1 ]"), 1, 50);
	check_full(full(49, "reports:\n", block, "# n50,\n"), 0, 98);
}

TEST(a_notice_about_a_subtask_pushes_out_none) {
	struct inbox_notice other = notice;
	static struct buf out;
	struct inbox inbox;
	char *text = full(50, "reports:\n",
	    "- subtask_id: stophook_notification\n", "");

	inbox = inbox_of(text);
	other.subtask = "s1";
	is_text(inboxedit_add(&inbox, &other, true, &out), NULL);
	ok(strncmp(buf_str(&out), text, strlen(text)) == 0);
	ok(strstr(out.data, "\n- subtask_id: \"s1\"\n") != NULL);
	free(text);
	inbox_done(&inbox);
}

/* The text that an entry is about, or "-". */
static const char *
about(const char *entry)
{
	static char text[128];
	const struct yaml_node *node;
	struct inbox inbox;

	snprintf(text, sizeof(text), "reports:\n- %s\n", entry);
	inbox = inbox_of(text);
	node = inbox_about(inbox.yaml.root->first->first);
	snprintf(text, sizeof(text), "%s", node != NULL ? node->text : "-");
	inbox_done(&inbox);
	return text;
}

TEST(an_entry_is_about_the_first_that_says_anything) {
	ROWS(about, "{subtask_id: s, title: t, description: d, summary: m} => m",
	    "{subtask_id: s, title: t, description: d, summary: ''} => d",
	    "{title: t, description: [d]} => t",
	    "{subtask_id: s, title: \"\\n \"} => s",
	    "{note: n} => -", "summary => -");
}
