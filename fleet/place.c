#include "fleet/place.h"

#include "base/argv.h"
#include "base/issue.h"
#include "base/msg.h"
#include "fleet/repository.h"

enum { PLACE_LOCK = 5000 };             /* ms for a worker that just ends */

static const char place_lock[] = ".fleet-work";

void
place_open(struct place *p, const char *directory)
{
	struct buf why = BUF_INIT;

	*p = (struct place){ .lock = LOCK_INIT };
	if (context_find(&p->context, directory, &why) != EXIT_DONE)
		fatalx("cannot work in '%s': %s", directory, buf_str(&why));
	p->context.dir.path = statusdir_path(NULL, &p->context.config,
	    &p->context.project);
	context_make(&p->context);
	context_check(&p->context, true);
	repository_of(&p->repository, &p->context.project);
	if (lock_await(&p->lock, p->context.dir.state_fd, place_lock,
	    PLACE_LOCK) != 1)
		fatalx("process %ld works for the fleet in '%s' already",
		    (long)p->lock.holder, directory);
	buf_release(&why);
}

static void
leased_take(void *context, const char *name)
{
	char ***issues = context, issue[ISSUE_MAX + 1];

	if (issue_in_name(name, "", ".lease", issue))
		*issues = argv_add(*issues, issue);
}

char **
place_leased(const struct place *p)
{
	char **issues = NULL;

	statusdir_names(p->context.dir.state_fd, leased_take, &issues);
	return issues;
}
