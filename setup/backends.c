/*
 * backends.c - puts backends into the user's own folder, which comes before
 * ours: those of a file, or a first one of an unknown agent.
 */
#include "setup/setup.h"

#include <strings.h>

#include "agent/agentprocess.h"
#include "agent/backend.h"
#include "data/shell.h"
#include "os/userfolder.h"
#include "tmux/servers.h"

static void
ownbackend_init(struct userfile *f, const char *name)
{
	char *config = userfolder_config(), *root, *folder;

	if (config == NULL)
		fatal_usage("init: a backend needs HOME to be an absolute "
		    "path");
	root = userfile_root(xasprintf("%s/" BACKEND_FOLDER, config), &folder);
	userfile_init(f, root, folder, xasprintf("%s.json", name));
}

/* ---- those of a file ----------------------------------------------------- */

enum { SUM_DIGITS = 64, SUM_TIME = 10000 };     /* ms */

static void
sum_check(const char *file, const struct buf *text, const char *sum)
{
	const char *const *argv = spawn_find("sha256sum") != NULL ?
	    WORDS("sha256sum") : WORDS("shasum", "-a", "256");
	struct spawn s = SPAWN_INIT;

	if (spawn_run(&s, &(struct spawn_how){ .argv = argv, .limit = SUM_TIME,
	    .in = userfile_unnamed(text) }) != 0 || s.output.len < SUM_DIGITS)
		fatalx("cannot check the sum of '%s': '%s' failed: %s", file,
		    argv[0], buf_str(&s.errors));
	if (strlen(sum) != SUM_DIGITS ||
	    strncasecmp(buf_str(&s.output), sum, SUM_DIGITS) != 0)
		fatal_usage("init: nothing is installed: the SHA-256 sum of "
		    "'%s' is %.64s, not '%s'", file, buf_str(&s.output), sum);
}

static void
decide_backend(struct userfile *f, const char *name)
{
	struct buf text = BUF_INIT, now = BUF_INIT, why = BUF_INIT;
	char *given;

	ownbackend_init(f, name);
	f->over = datafile_find(BACKEND_FOLDER, f->name);
	if (userfile_read(f, &why) == -1)
		fatal_usage("init: nothing is installed: %s", buf_str(&why));
	if (f->over != NULL && file_read(AT_FDCWD, f->over, 0, &now,
	    BACKEND_MAX) == -1)
		fatal("cannot read '%s'", f->over);
	backend_text(name, BACKEND_MAX, &given, &text, &why);
	buf_adds(&f->after, buf_str(&text) + strspn(buf_str(&text), "\n"));
	if (text.data[text.len - 1] != '\n')
		buf_addc(&f->after, '\n');
	/* A copy of ours would hide a later one. */
	f->stays = f->there || !buf_same(&f->after, &now);
}

/* Every one is read before the first is written. */
enum exit_status
backends_install(const char *file, const char *sum, bool print, bool yes)
{
	struct backends all = { .first = NULL };
	struct userfile *files = NULL;
	struct buf text = BUF_INIT, why = BUF_INIT;
	char **names;
	size_t n = 0;

	if (file_read(AT_FDCWD, file, 0, &text, BACKEND_MAX) == -1)
		fatal("cannot read '%s'", file);
	if (sum != NULL)
		sum_check(file, &text, sum);
	names = backends_give(&all, file, &text, &why);
	if (names == NULL)
		fatal_wrong("init: nothing is installed: %s", buf_str(&why));
	for (; *names != NULL; names++)
		decide_backend(ARRAY_ADD(files, n), *names);
	return userfile_change(files, n, "", yes ? NULL : "Install?", print);
}

/* ---- a first one --------------------------------------------------------- */

/* Searches the panes for a program of that name, and adds what a comment says of
 * it.  Returns the packages of npm of its words. */
static struct json *
newbackend_see(const char *name, struct buf *seen)
{
	struct backends one = { .complete = true };
	struct agentprocess a = { .backend = NULL };
	struct json *packages = json_new_list();
	struct servers all = SERVERS_INIT;
	struct server_pane at = { .server = NULL };
	char **words, *path, *package;
	struct tmux_server *s;

	backends_stranger(&one, name)->stranger = false;        /* in any mode */
	if (servers_add_all(&all, NULL) == -1)
		warn("cannot look for all tmux servers");
	servers_ask(&all, false);
	for (s = all.first; s != NULL; s = s->next)
		if (s->result != TMUX_OK && s->result != TMUX_NO_SERVER)
			warnx("%s", buf_str(&s->why));
	while (a.backend == NULL && servers_next(&all, &at))
		if (!at.pane->dead)
			agentprocess_look(&a, &one, at.pane->pid);
	buf_adds(seen, at.pane != NULL ? "It ran in a pane titled " :
	    "It was seen in no pane");
	if (at.pane != NULL)
		json_give(seen, json_new_text(at.pane->title));
	words = a.backend != NULL ? proc_words(a.pid) : NULL;
	for (; words != NULL && *words != NULL; words++) {
		path = xrealpath(*words);
		package = path != NULL ? agentprocess_package(path) : NULL;
		if (package != NULL)
			json_append(packages, json_new_text(package));
	}
	return packages;
}

enum exit_status
newbackend_run(const char *name, bool print)
{
	struct buf why = BUF_INIT, seen = BUF_INIT, packages = BUF_INIT;
	struct backends all = { .complete = false };
	struct buf template = BUF_INIT;
	const struct backend *b;
	struct userfile f;

	if (name[0] == '\0' || name[0] == '-' || !text_only(name, "_-") ||
	    shell_known(name))
		fatal_usage("init: '%s' cannot be a backend: it is a shell, or "
		    "has more than letters, digits, '-' and '_'", name);
	ownbackend_init(&f, name);
	if (userfile_read(&f, &why) == -1 || f.there)
		userfile_refuse(&f, f.there ? "it is there already" :
		    buf_str(&why), NULL, "change it by hand, or remove it "
		    "first");
	backends_all(&all, &why);
	if (agentprocess_kind(&all, name, NULL, &b) == AGENTPROCESS_OTHER)
		b = backends_get(&all, name, &why);
	if (b != NULL && !b->stranger)
		fatal_usage("init: paneward knows '%s' already, by '%s'; to "
		    "change that, copy it to '%s'", name, b->file, f.path);
	buf_reset(&why);
	json_give(&packages, newbackend_see(name, &seen));
	if (ownfile_template(&template, "templates", "backend.json", &why) == -1)
		fatalx("%s", buf_str(&why));
	template_expand(&f.after, template.data, template.len,
	    (const struct template_value[]){ { "name", name, strlen(name) },
	    { "seen", buf_str(&seen), seen.len },
	    { "packages", buf_str(&packages), packages.len } }, 3, NULL);
	f.stays = true;
	return userfile_change(&f, 1, "", NULL, print);
}
