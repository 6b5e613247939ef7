#include "mail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "statusdir.h"
#include "xalloc.h"

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

/* The notices that leave an inbox, on their way to the journal. */
struct leaving {
	const struct mail *mail;
	const char *target;
	struct statusdir dir;
	struct buf *trouble;
};

static int
open_dir(struct leaving *l)
{
	const struct mail *m = l->mail;
	bool narrowed;

	if (l->dir.own != -1)
		return 0;
	return statusdir_open(&l->dir, statusdir_path(m->status_dir,
	    &m->config, &m->project), true, l->trouble, &narrowed);
}

static bool
journal_gone(void *context, const char *entry, size_t len)
{
	struct leaving *l = context;

	if (open_dir(l) == -1)
		return false;
	if (journal_add_gone(l->dir.own, l->dir.path, l->target, entry, len,
	    l->mail->sync) == 0)
		return true;
	buf_printf(l->trouble, "cannot write to the journal in '%s': %s; the "
	    "oldest notices stay", l->dir.path, strerror(errno));
	return false;
}

enum inbox_result
mail_add(struct mail *m, const char *target, const struct inbox_notice *notice,
    msec patience, struct buf *trouble, struct buf *why)
{
	struct leaving l = { .mail = m, .target = target,
	    .dir = STATUSDIR_INIT, .trouble = trouble };
	const struct inbox_how how = { .patience = patience, .sync = m->sync,
	    .gone = journal_gone, .context = &l };
	enum inbox_result result = INBOX_FAILED;
	int dir = inbox_open(m->root, true, why);

	if (dir != -1) {
		result = inbox_add(dir, target, notice, &how, why);
		close(dir);
	}
	statusdir_close(&l.dir);
	return result;
}
