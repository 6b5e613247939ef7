#include "mail/mail.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>

#include "base/alloc.h"
#include "scratch.h"

static const struct inbox_notice notice = { .content = "hello", .type = "t",
    .from = "f" };
static const char foreign[] = "- subtask_id: foreign\n  read: false\n";

/* Who writes without the lock while an inbox is changed: what, how often. */
struct stranger {
	const char *text;
	unsigned times;
};

static void
write_without_lock(struct stranger *s)
{
	if (s->times == 0)
		return;
	s->times--;
	scratch_add("a.yaml", s->text);
}

static bool
gone(void *context, const char *entry, size_t len)
{
	(void)entry, (void)len;
	write_without_lock(context);
	return true;
}

static bool
wanted(void *context, const struct yaml_node *entry)
{
	write_without_lock(context);
	return yaml_is_text(yaml_member(entry, "subtask_id"), "own");
}

/* An inbox out of which a new notice pushes an old one. */
static void
fill(void)
{
	unsigned i;

	scratch_write("a.yaml", "reports:\n- subtask_id: own\n"
	    "  read: false\n");
	for (i = 0; i < INBOX_NOTICES; i++)
		scratch_add("a.yaml", "- subtask_id: stophook_notification\n"
		    "  summary: old\n  read: false\n");
}

static enum inbox_result
add(struct stranger *s, msec patience)
{
	struct inbox_change change = { .dir = scratch_fd, .target = "a",
	    .patience = patience, .notice = &notice, .gone = gone,
	    .context = s };
	struct buf why = BUF_INIT;
	enum inbox_result result = inbox_change(&change, &why);

	ok((why.len > 0) == (result != INBOX_OK));
	buf_release(&why);
	return result;
}

static enum inbox_result
mark(struct stranger *s)
{
	struct inbox_change change = { .dir = scratch_fd, .target = "a",
	    .patience = 1000, .wanted = wanted, .context = s };
	struct buf why = BUF_INIT;
	enum inbox_result result = inbox_change(&change, &why);

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

TEST(what_comes_without_the_lock_stays) {
	struct stranger s = { foreign, 1 };

	fill();
	is_number(add(&s, 1000), INBOX_OK);
	is_number(s.times, 0);
	is_number(count("foreign"), 1);
	is_number(count("hello"), 1);
	is_number(count("stophook"), INBOX_NOTICES);
}

TEST(also_where_entries_are_marked) {
	struct stranger s = { foreign, 1 };

	fill();
	is_number(mark(&s), INBOX_OK);
	is_number(count("foreign"), 1);
	is_number(count("read: true"), 1);
}

TEST(who_has_no_patience_is_told) {
	struct stranger s = { foreign, 1 };

	fill();
	is_number(add(&s, 0), INBOX_BUSY);
	is_number(count("foreign"), 1);
	is_number(count("hello"), 0);
	ok(!scratch_there(".a.yaml.tmp"));
}

TEST(what_never_rests_is_given_up) {
	struct stranger s = { "# more\n", 100000 };

	fill();
	is_number(add(&s, 100), INBOX_BUSY);
	ok(s.times < 100000 - 1);
	is_number(count("hello"), 0);
	is_number(count("# more"), 100000 - s.times);
	ok(!scratch_there(".a.yaml.tmp"));
}

TEST(who_holds_the_lock_is_waited_for_so_long) {
	struct stranger none = { "", 0 };
	int fd = openat(scratch_fd, "a.yaml.lock", O_RDONLY | O_CREAT |
	    O_CLOEXEC, 0600);
	sigset_t set;

	fill();
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	ok(flock(fd, LOCK_EX) == 0);
	is_number(add(&none, 0), INBOX_BUSY);
	is_number(add(&none, 50), INBOX_BUSY);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	close(fd);
	is_number(add(&none, 0), INBOX_OK);
}

static enum inbox_result
load_unread(const char *bytes, size_t len)
{
	struct buf why = BUF_INIT;
	struct inbox inbox;
	enum inbox_result result;

	scratch_put("a.yaml", O_TRUNC, bytes, len);
	result = inbox_load(&inbox, scratch_fd, "a", true, &why);
	if (result == INBOX_OK)
		inbox_release(&inbox);
	buf_release(&why);
	return result;
}

TEST(what_is_no_yaml_does_not_pass_for_empty) {
	static const char nul[] = "a: 1\n\0\nb: [{read: false}]\n";
	char *large = xmalloc(YAML_MAX + 1);

	is_number(load_unread(nul, 5), INBOX_OK);
	is_number(load_unread(nul, sizeof(nul) - 1), INBOX_REFUSED);
	memset(large, '#', YAML_MAX + 1);
	is_number(load_unread(large, YAML_MAX), INBOX_OK);
	is_number(load_unread(large, YAML_MAX + 1), INBOX_REFUSED);
	free(large);
}
