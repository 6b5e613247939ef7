/*
 * For any text: each node is at its span, an added notice is the last one and
 * all that has changed, and marking leaves nothing unread.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "mail/mail.h"
#include "os/file.h"

static int dir = -1;
static char path[] = "/tmp/paneward-fuzz-XXXXXX";

static void
remove_folder(void)
{
	static const char *const names[] = { "a.yaml", "a.yaml.lock",
	    ".a.yaml.tmp" };
	size_t i;

	for (i = 0; i < 3; i++)
		unlinkat(dir, names[i], 0);
	rmdir(path);
}

static void
make_folder(void)
{
	if (dir != -1)
		return;
	if (mkdtemp(path) == NULL)
		abort();
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	atexit(remove_folder);
}

static void
check_places(const struct yaml_node *node, const char *text, size_t len)
{
	const struct yaml_node *m;
	size_t at = node->from;

	assert(node->from <= node->to && node->to <= len);
	if (node->kind == YAML_TEXT && node->plain && !node->marked &&
	    node->len > 0)
		assert(text[node->from] == node->text[0]);
	/* A mapping may be a pair without brackets: [a: b]. */
	if (node->flow && !node->marked && node->kind == YAML_LIST)
		assert(text[node->from] == '[' && text[node->to - 1] == ']');
	for (m = node->first; m != NULL; m = m->next) {
		assert(m->from >= at && m->to <= node->to);
		check_places(m, text, len);
		at = m->to;
	}
}

static size_t
count(const struct inbox *inbox, size_t *unread)
{
	struct yaml_node *list = NULL, *entry = NULL;
	size_t n = 0;

	*unread = 0;
	while (inbox_next(inbox, &list, &entry)) {
		n++;
		*unread += inbox_unread(entry);
	}
	return n;
}

static bool
any(void *unused, const struct yaml_node *entry)
{
	(void)unused, (void)entry;
	return true;
}

/* Reads the changed text anew: it says what it said, and the notice. */
static void
check_added(struct inbox *inbox, const struct inbox_notice *notice)
{
	struct yaml_node *root = inbox->yaml.root, *list, *was;
	struct buf out = BUF_INIT;
	struct yaml_error error;
	struct yaml new;

	was = yaml_member(root, "reports");
	if (inboxedit_add(inbox, notice, true, &out) == NULL) {
		assert(yaml_load(&new, out.data, out.len, &error) == 0);
		list = yaml_member(new.root, "reports");
		assert(yaml_is_text(yaml_member(yaml_last(list), "summary"),
		    notice->content));
		yaml_last(list)->gone = true;
		list->gone = list->first->gone;
		if (was != NULL)
			was->gone = was->first == NULL;
		assert(yaml_is_null(root) || yaml_same(root, new.root));
		yaml_release(&new);
	}
	buf_release(&out);
}

static void
check(const char *text, size_t len)
{
	const struct inbox_notice notice = { .content = "c\n\x01", .type = "t",
	    .from = "f" };
	struct inbox_change add = { .target = "a", .notice = &notice };
	struct inbox_change mark = { .target = "a", .wanted = any };
	struct inbox before = { BUF_INIT, YAML_INIT }, after;
	struct buf why = BUF_INIT;
	enum inbox_result result;
	size_t was, is, unread;
	int fd;

	make_folder();
	add.dir = mark.dir = dir;
	fd = openat(dir, "a.yaml", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert(fd != -1 && file_write(fd, text, len) == 0);
	close(fd);
	result = inbox_load(&before, dir, "a", false, &why);
	was = result == INBOX_OK ? count(&before, &unread) : 0;
	if (result == INBOX_OK && before.yaml.root != NULL)
		check_places(before.yaml.root, text, len);
	if (inbox_change(&add, &why) == INBOX_OK) {
		assert(result == INBOX_OK);
		assert(inbox_load(&after, dir, "a", false, &why) == INBOX_OK);
		is = count(&after, &unread);
		assert(is == was + 1 || was >= INBOX_NOTICES);
		inbox_release(&after);
	}
	if (inbox_change(&mark, &why) == INBOX_OK) {
		assert(inbox_load(&after, dir, "a", false, &why) == INBOX_OK);
		count(&after, &unread);
		assert(unread == 0);
		inbox_release(&after);
	}
	if (result == INBOX_OK)
		check_added(&before, &notice);
	inbox_release(&before);
	buf_release(&why);
}
