#include "hook/mail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "run/journal.h"
#include "run/statusdir.h"

enum { JOURNAL_PATIENCE = 200 };        /* ms for its lock, while an agent
					   waits: a sync of others takes few */

enum exit_status
mail_open(struct mail *m, struct buf *why)
{
	const char *root = getenv("__STOP_HOOK_SCRIPT_DIR");

	if (project_find(&m->project, ".") == -1) {
		buf_printf(why, "cannot find the project around the current "
		    "directory: %s", strerror(errno));
		return EXIT_COULD_NOT;
	}
	if (config_read(&m->config, &m->project, why) == -1) {
		project_release(&m->project);
		return EXIT_USAGE;
	}
	m->root = root != NULL && root[0] != '\0' ? root : m->project.root;
	return EXIT_DONE;
}

void
mail_close(struct mail *m)
{
	config_release(&m->config);
	project_release(&m->project);
}

/* The journal, for notices that are not in their inbox. */
struct journal {
	const struct mail *mail;
	const char *target;
	const char *detail;             /* why they are not */
	const char *otherwise;          /* what becomes of them without it */
	msec patience;                  /* for its lock */
	bool make;                      /* the status directory */
	struct statusdir dir;
	struct buf *trouble;
};

/* Where more trouble is added. */
static struct buf *
more(struct journal *j)
{
	if (j->trouble->len > 0)
		buf_adds(j->trouble, "; ");
	return j->trouble;
}

static int
mail_open_dir(struct journal *j)
{
	const struct mail *m = j->mail;
	struct buf why = BUF_INIT;
	bool narrowed = false;
	int ret;

	if (j->dir.state_fd != -1)
		return 0;
	ret = statusdir_open(&j->dir, statusdir_path(m->status_dir,
	    &m->config, &m->project), j->make, &why, &narrowed);
	if (ret == 0 && j->dir.state_fd == -1) {
		buf_printf(&why, "there is no journal in '%s'", j->dir.path);
		ret = -1;
	}
	if (ret == -1)
		buf_printf(more(j), "%s; %s", buf_str(&why), j->otherwise);
	else if (narrowed)
		buf_printf(more(j), "status directory '%s': the group could "
		    "write to it; its mode is 700 now", j->dir.path);
	buf_release(&why);
	return ret;
}

static bool
add_event(void *context, const char *entry, size_t len)
{
	struct journal *j = context;
	const struct journal_inbox event = { j->target, j->detail, entry,
	    len };
	int saved;

	if (mail_open_dir(j) == -1)
		return false;
	if (journal_add_inbox(j->dir.state_fd, j->dir.path, &event, j->patience,
	    j->mail->sync) == 0)
		return true;
	saved = errno;
	buf_printf(more(j), "cannot write to the journal in '%s': %s; %s",
	    j->dir.path, saved == EWOULDBLOCK ?
	    "another process holds its lock" : strerror(saved), j->otherwise);
	return false;
}

enum inbox_result
mail_add(struct mail *m, const char *target, const struct inbox_notice *notice,
    msec patience, struct buf *trouble, struct buf *why)
{
	struct journal j = { .mail = m, .target = target,
	    .detail = "newer notices have pushed it out",
	    .otherwise = "the oldest notices stay",
	    .patience = patience > 0 ? patience : JOURNAL_PATIENCE,
	    .make = true, .dir = STATUSDIR_INIT, .trouble = trouble };
	const struct inbox_how how = { .patience = patience, .sync = m->sync,
	    .gone = add_event, .context = &j };
	enum inbox_result result = INBOX_FAILED;
	int dir = inbox_open(m->root, true, why);

	if (dir != -1) {
		result = inbox_add(dir, target, notice, &how, why);
		close(dir);
	}
	statusdir_close(&j.dir);
	return result;
}

void
mail_lost(struct mail *m, const char *target,
    const struct inbox_notice *notice, const char *reason, msec patience,
    struct buf *trouble)
{
	struct journal j = { .mail = m, .target = target, .detail = reason,
	    .otherwise = "the notice is lost",
	    .patience = patience > 0 ? patience : JOURNAL_PATIENCE,
	    .make = patience > 0, .dir = STATUSDIR_INIT,
	    .trouble = trouble };
	struct buf entry = BUF_INIT;

	inboxtext_entry(&entry, notice);
	add_event(&j, entry.data, entry.len);
	buf_release(&entry);
	statusdir_close(&j.dir);
}
