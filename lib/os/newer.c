#include "os/newer.h"

#include "os/file.h"
#include "os/proc.h"

enum {
	LOOK = 1000,                    /* ms between two looks */
	RESTED = 5000,
	ANSWER = 10000                  /* for --version */
};

#define newer_warn(n, act, ...) do { \
	if (!(n)->quiet) \
		act(__VA_ARGS__); \
} while (0)

static bool
newer_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size && file_mtime(a) == file_mtime(b);
}

void
newer_open(struct newer *n, const char *name, struct loop *loop)
{
	*n = (struct newer){ .path = proc_lasting(name), .loop = loop,
	    .check = SPAWN_INIT };
	if (n->path[0] != '/' || stat(n->path, &n->ours) == -1) {
		free(n->path);
		n->path = NULL;
	}
}

/* A version is shown and journaled: a word of harmless characters. */
static bool
newer_answered(struct newer *n)
{
	struct buf *answer = &n->check.output;

	buf_chomp(answer);
	return n->check.status == 0 && strncmp(buf_str(answer), "paneward",
	    8) == 0 && memchr(answer->data, ' ', answer->len) != NULL &&
	    text_only(buf_str(answer), " .+~_-");
}

static void
newer_checked(void *context, msec now)
{
	struct newer *n = context;
	struct spawn *c = &n->check;
	char why[64];

	(void)now;
	if (c->pid != 0)
		return;
	n->due = 0;
	if (newer_answered(n)) {
		buf_set(&n->version, c->output.data, c->output.len);
		return;
	}
	if (c->status == SPAWN_TIMEOUT)
		snprintf(why, sizeof(why), "no answer in %d s", ANSWER / 1000);
	else if (c->status == 0)
		snprintf(why, sizeof(why), "another program's answer");
	else
		snprintf(why, sizeof(why), c->status > SPAWN_SIGNAL ?
		    "killed by signal %d" : "exit status %d",
		    c->status % SPAWN_SIGNAL);
	newer_warn(n, warnx, "cannot go on as the new '%s': its --version "
	    "gives %s; going on as version %s, install it again", n->path, why,
	    VERSION);
}

static void
newer_missing(struct newer *n, msec now)
{
	if (n->gone == 0)
		n->gone = now;
	if (n->warned || now - n->gone < RESTED)
		return;
	n->warned = true;
	newer_warn(n, warnx, "'%s' was removed: going on as version %s, which "
	    "can begin no hand-off and send no notice until it is installed "
	    "again", n->path, VERSION);
}

bool
newer_look(struct newer *n, msec now)
{
	struct stat st;

	if (n->path == NULL || now < n->due || n->check.pid != 0)
		return false;
	n->due = now + LOOK;
	if (stat(n->path, &st) == -1) {
		if (file_missing(errno))
			newer_missing(n, now);
		return false;
	}
	n->gone = 0;
	n->warned = false;
	if (newer_same(&st, &n->tried))
		return n->version.len > 0;
	if (newer_same(&st, &n->ours) || llabs(clock_wall() -
	    (msec)st.st_ctime * 1000) < RESTED)
		return false;
	buf_reset(&n->version);
	if (spawn_begin(&n->check, &(struct spawn_how){ .argv = WORDS(n->path,
	    "--version"), .limit = ANSWER, .most = 128 }) == -1)
		return false;
	n->tried = st;
	spawn_follow(&n->check, n->loop, newer_checked, n);
	return false;
}

void
newer_become(struct newer *n, const char *const *words)
{
	char **argv = argv_add_all(argv_add(NULL, n->path), words);

	newer_warn(n, warnx, "going on as %s, which replaced version %s",
	    buf_str(&n->version), VERSION);
	fflush(NULL);
	spawn_become((const char *const *)argv);
	newer_warn(n, warn, "going on as version %s: cannot run the new '%s'",
	    VERSION, n->path);
	argv_free(argv);
	buf_reset(&n->version);
}
