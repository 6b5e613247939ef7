#include "hook/mail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hook/hook.h"
#include "run/journal.h"

enum { JOURNAL_PATIENCE = 200 };        /* ms for its lock, while an agent
					   waits: a sync of others takes few */

enum exit_status
mail_open(struct mail *m, struct buf *why)
{
	const char *root = getenv("__STOP_HOOK_SCRIPT_DIR");

	m->dir = (struct statusdir)STATUSDIR_INIT;
	m->trouble = (struct buf)BUF_INIT;
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
	statusdir_close(&m->dir);
	buf_release(&m->trouble);
	config_release(&m->config);
	project_release(&m->project);
}

/* otherwise: what becomes of the notice if this fails. */
static bool
mail_journal(struct mail *m, const struct journal_inbox *event, bool make,
    const char *otherwise)
{
	struct buf why = BUF_INIT;

	if (m->dir.state_fd == -1) {
		statusdir_close(&m->dir);
		if (statusdir_open(&m->dir, statusdir_path(m->status_dir,
		    &m->config, &m->project), make, &why) == 0 &&
		    m->dir.state_fd == -1)
			buf_printf(&why, "there is no journal in '%s'",
			    m->dir.path);
		if (m->dir.narrowed)
			buf_printf(hook_more(&m->trouble), "status directory "
			    "'%s': the group could write to it; its mode is "
			    "700 now", m->dir.path);
	}
	if (m->dir.state_fd != -1 && journal_add_inbox(m->dir.state_fd,
	    m->dir.path, event, m->patience > 0 ? m->patience :
	    JOURNAL_PATIENCE, m->sync) == -1)
		buf_printf(&why, "cannot write to the journal in '%s': %s",
		    m->dir.path, errno == EWOULDBLOCK ?
		    "another process holds its lock" : strerror(errno));
	if (why.len == 0)
		return true;
	buf_printf(hook_more(&m->trouble), "%s; %s", buf_str(&why), otherwise);
	buf_release(&why);
	return false;
}

struct pushed {
	struct mail *mail;
	const char *target;
};

static bool
mail_pushed_out(void *context, const char *entry, size_t len)
{
	const struct pushed *p = context;
	const struct journal_inbox event = { p->target,
	    "newer notices have pushed it out", entry, len };

	return mail_journal(p->mail, &event, true, "the oldest notices stay");
}

enum inbox_result
mail_add(struct mail *m, const char *target, const struct inbox_notice *notice,
    struct buf *why)
{
	struct pushed pushed = { m, target };
	struct inbox_change change = { .dir = inbox_open(m->root, true, why),
	    .target = target, .patience = m->patience, .sync = m->sync,
	    .notice = notice, .gone = mail_pushed_out, .context = &pushed };
	enum inbox_result result;

	if (change.dir == -1)
		return INBOX_FAILED;
	result = inbox_change(&change, why);
	close(change.dir);
	return result;
}

void
mail_lost(struct mail *m, const char *target,
    const struct inbox_notice *notice, const char *reason)
{
	struct buf entry = BUF_INIT;
	struct journal_inbox event = { .target = target, .detail = reason };

	inboxtext_entry(&entry, notice, "\n");
	event.entry = entry.data;
	event.len = entry.len;
	mail_journal(m, &event, m->patience > 0, "the notice is lost");
	buf_release(&entry);
}
