#include "os/newer.h"

#include "os/compat.h"
#include "os/file.h"
#include "os/proc.h"

/* ms: between two looks, for an installation to end, for --version. */
enum { LOOK = 1000, RESTED = 5000, ANSWER = 10000 };

static bool
newer_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size && file_mtime(a) == file_mtime(b);
}

static void
newer_say(const struct newer *n, const char *what)
{
	if (!n->quiet)
		warnx("'%s' %s; going on as version %s until it is installed "
		    "again", n->path, what, VERSION);
}

void
newer_open(struct newer *n, const char *name, struct loop *loop)
{
	*n = (struct newer){ .path = proc_lasting(name), .loop = loop,
	    .check = SPAWN_INIT };
	if (n->path[0] != '/' || stat(n->path, &n->ours) == -1)
		n->due = CLOCK_NEVER;
}

static void
newer_checked(void *context, msec now)
{
	struct newer *n = context;
	struct spawn *c = &n->check;
	const char *text;

	if (c->pid != 0)
		return;
	n->due = now;
	buf_chomp(&c->output);
	text = buf_str(&c->output);
	if (c->status == SPAWN_TIMEOUT)
		newer_say(n, "is new, but its --version does not answer");
	else if (c->status != 0)
		newer_say(n, "is new, but its --version fails");
	else if (strncmp(text, "paneward", 8) != 0 || strchr(text, ' ') ==
	    NULL || !text_only(text, " .+~_-"))
		newer_say(n, "is new, but its --version is no paneward's");
	else
		buf_set(&n->version, c->output.data, c->output.len);
}

bool
newer_look(struct newer *n, msec now)
{
	struct stat st;

	if (now < n->due || n->check.pid != 0)
		return false;
	n->due = now + LOOK;
	if (stat(n->path, &st) == -1) {
		if (n->gone == 0) {
			n->gone = now;
		} else if (now - n->gone >= RESTED) {
			n->gone = CLOCK_NEVER;
			newer_say(n, "is gone, so no hand-off can begin and no "
			    "notice be sent");
		}
		return false;
	}
	n->gone = 0;
	if (newer_same(&st, &n->tried))
		return n->version.len > 0;
	if (newer_same(&st, &n->ours) || llabs(clock_wall() -
	    (msec)st.st_ctim.tv_sec * 1000) < RESTED)
		return false;
	buf_reset(&n->version);
	if (spawn_begin(&n->check, &(struct spawn_how){ .argv = WORDS(n->path,
	    "--version"), .limit = ANSWER, .most = 128 }) == 0)
		n->tried = st;
	spawn_follow(&n->check, n->loop, newer_checked, n);
	return false;
}

void
newer_become(struct newer *n, const char *const *words)
{
	char **argv = argv_add_all(argv_add(NULL, n->path), words);

	warnx("going on as %s, which replaced version %s",
	    buf_str(&n->version), VERSION);
	fflush(NULL);
	spawn_lower_files();
	execv(n->path, argv);
	newer_say(n, "cannot be run");
	spawn_raise_files();
	argv_free(argv);
	buf_reset(&n->version);
}
