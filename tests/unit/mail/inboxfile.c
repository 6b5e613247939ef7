#include "mail/mail.h"

#include "unit/children.h"

static const struct inbox_notice notice = { .content = "hello", .type = "t",
    .from = "f" };
static const char foreign[] = "- subtask_id: foreign\n  read: false\n";

/* What is written without the lock while an inbox is changed, how often. */
static const char *stranger;
static unsigned times;

static bool
gone(void *context, const char *entry, size_t len)
{
	(void)context, (void)entry, (void)len;
	if (times > 0) {
		times--;
		scratch_add("a.yaml", stranger);
	}
	return true;
}

static bool
wanted(void *context, const struct yaml_node *entry)
{
	gone(context, NULL, 0);
	return yaml_is_text(yaml_member(entry, "subtask_id"), "own");
}

/* Adds the notice, or marks an entry. */
static enum inbox_result
change(bool adds, msec patience)
{
	struct inbox_change c = { .dir = scratch_fd, .target = "a",
	    .patience = patience, .notice = adds ? &notice : NULL,
	    .gone = adds ? gone : NULL, .wanted = adds ? NULL : wanted };
	struct buf why = BUF_INIT;
	enum inbox_result result = inbox_change(&c, &why);

	ok((why.len > 0) == (result != INBOX_OK));
	buf_release(&why);
	return result;
}

static unsigned
count(const char *what)
{
	const char *p = scratch_text("a.yaml");
	unsigned n = 0;

	for (; p != NULL && (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

/* A new notice pushes an old one out of this inbox; and a stranger to it. */
static void
begin(const char *text, unsigned often)
{
	unsigned i;

	scratch_write("a.yaml", "reports:\n- subtask_id: own\n  read: false\n");
	for (i = 0; i < INBOX_NOTICES; i++)
		scratch_add("a.yaml", "- subtask_id: stophook_notification\n"
		    "  summary: old\n  read: false\n");
	stranger = text;
	times = often;
}

TEST(what_comes_without_the_lock_stays) {
	begin(foreign, 1);
	is_number(change(true, 1000), INBOX_OK);
	ok(times == 0 && count("foreign") == 1 && count("hello") == 1);
	is_number(count("stophook"), INBOX_NOTICES);
	begin(foreign, 1);
	is_number(change(false, 1000), INBOX_OK);
	ok(count("foreign") == 1 && count("read: true") == 1);
}

/* tests/cases/stop-hook.t has a lock that is held. */
TEST(who_has_no_patience_and_what_never_rests_is_given_up) {
	begin(foreign, 1);
	is_number(change(true, 0), INBOX_BUSY);
	ok(count("foreign") == 1 && count("hello") == 0);
	ok(!scratch_there(".a.yaml.tmp"));
	begin("# more\n", 100000);
	is_number(change(true, 100), INBOX_BUSY);
	ok(times < 100000 - 1 && count("hello") == 0);
	ok(count("# more") == 100000 - times && !scratch_there(".a.yaml.tmp"));
}

TEST(what_is_no_yaml_does_not_pass_for_empty) {
	static const char nul[] = "a: 1\n\0\nb: [{read: false}]\n";
	static char large[YAML_MAX + 1];
	static const struct {
		const char *bytes;
		size_t len;
		enum inbox_result result;
	} rows[] = {
		{ nul, 5, INBOX_OK }, { nul, sizeof(nul) - 1, INBOX_REFUSED },
		{ large, YAML_MAX, INBOX_OK },
		{ large, YAML_MAX + 1, INBOX_REFUSED },
	};
	static struct buf why;
	struct inbox inbox;
	size_t i;

	memset(large, '#', sizeof(large));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%zu bytes", rows[i].len);
		scratch_put("a.yaml", O_TRUNC, rows[i].bytes, rows[i].len);
		is_number(inbox_load(&inbox, scratch_fd, "a", true, &why),
		    rows[i].result);
		if (rows[i].result == INBOX_OK)
			inbox_release(&inbox);
	}
}
