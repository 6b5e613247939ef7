#include "mail/mail.h"

#include "hook/hook.h"
#include "run/journal.h"

enum { JOURNAL_PATIENCE = 200 };        /* ms for its lock; a sync takes few */

enum exit_status
mail_open(struct mail *m, const char *from, bool look, struct buf *why)
{
	const char *root = getenv("__STOP_HOOK_SCRIPT_DIR");
	bool said = root != NULL && root[0] != '\0';
	enum exit_status status = context_find(&m->context, said ? "." : from,
	    why);

	m->root = said ? root : m->context.project.root;
	if (status == EXIT_DONE && !said && !look &&
	    !project_fit(&m->context.project, why)) {
		context_close(&m->context);
		status = EXIT_USAGE;
	}
	return status;
}

/*
 * False with the trouble, and what becomes of the notice.
 */
static bool
mail_journal(struct mail *m, const struct journal_inbox *event, bool make,
    const char *otherwise)
{
	struct statusdir *dir = &m->context.dir;
	struct buf why = BUF_INIT;

	/* A message makes no project where a start may not. */
	make = make && (m->status_dir != NULL || m->context.project.unfit ==
	    NULL || m->context.config.status_dir != NULL);
	if (dir->state_fd == -1) {
		statusdir_close(dir);
		if (statusdir_open(dir, statusdir_path(m->status_dir,
		    &m->context.config, &m->context.project), make,
		    &why) == 0 && dir->state_fd == -1)
			buf_printf(&why, "there is no journal in '%s'",
			    dir->path);
		if (dir->narrowed)
			buf_printf(hook_more(&m->trouble), "status directory "
			    "'%s': the group could write to it; its mode is "
			    "700 now", dir->path);
	}
	if (dir->state_fd != -1 && journal_add_inbox(dir->state_fd,
	    dir->path, event, m->patience > 0 ? m->patience :
	    JOURNAL_PATIENCE, m->sync) == -1)
		buf_printf(&why, "cannot write to the journal in '%s': %s",
		    dir->path, errno == EWOULDBLOCK ?
		    "another process holds its lock" : strerror(errno));
	if (why.len == 0)
		return true;
	buf_printf(hook_more(&m->trouble), "%s; %s", buf_str(&why), otherwise);
	buf_release(&why);
	return false;
}

static bool
mail_pushed_out(void *context, const char *entry, size_t len)
{
	struct mail *m = context;
	return mail_journal(m, &(struct journal_inbox){ m->target,
	    "newer notices displaced it", entry, len }, true,
	    "the oldest notices stay");
}

enum inbox_result
mail_add(struct mail *m, const char *target, const struct inbox_notice *notice,
    struct buf *why)
{
	struct inbox_change change = { .dir = inbox_open(m->root, true, why),
	    .target = target, .patience = m->patience, .sync = m->sync,
	    .notice = notice, .gone = mail_pushed_out, .context = m };
	enum inbox_result result;

	if (change.dir == -1)
		return INBOX_FAILED;
	m->target = target;
	result = inbox_change(&change, why);
	close(change.dir);
	return result;
}

void
mail_lost(struct mail *m, const char *target,
    const struct inbox_notice *notice, const char *reason)
{
	struct buf entry = BUF_INIT;

	inboxedit_entry(&entry, notice, "\n");
	mail_journal(m, &(struct journal_inbox){ target, reason, entry.data,
	    entry.len }, m->patience > 0, "the notice is lost");
	buf_release(&entry);
}
