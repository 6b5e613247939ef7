/*
 * newbackend.c - a first backend of an agent that paneward does not know, by
 * what a pane shows of it.
 */
#include "setup/setup.h"

#include "agent/agentprocess.h"
#include "data/shell.h"
#include "os/userfolder.h"
#include "tmux/servers.h"

/* Searches the panes for a program of that name, and adds what a comment says of
 * it.  Returns the packages of npm of its words. */
static struct json *
newbackend_see(const char *name, struct buf *seen)
{
	struct backends one = { .complete = true };
	struct agentprocess a = { .backend = NULL };
	struct json *packages = json_new_list();
	struct servers all = SERVERS_INIT;
	char **words, *path, *package;
	const char *title = NULL;
	const struct tmux_pane *p, *end;
	struct tmux_server *s;

	backends_stranger(&one, name)->stranger = false;        /* in any mode */
	if (servers_add_all(&all, NULL) == -1)
		warn("cannot look for all tmux servers");
	servers_ask(&all, false);
	for (s = all.first; s != NULL; s = s->next) {
		if (s->result != TMUX_OK && s->result != TMUX_NO_SERVER)
			warnx("%s", buf_str(&s->why));
		for (p = s->listing.panes, end = p + s->listing.npanes;
		    p < end && a.backend == NULL; p++)
			if (!p->dead &&
			    agentprocess_look(&a, &one, p->pid) == 1)
				title = p->title;
	}
	buf_adds(seen, title != NULL ? "It ran in a pane titled " :
	    "It was seen in no pane");
	if (title != NULL)
		json_give(seen, json_new_text(title));
	words = a.backend != NULL ? proc_words(a.pid) : NULL;
	for (; words != NULL && *words != NULL; words++) {
		path = xrealpath(*words);
		package = path != NULL ? agentprocess_package(path) : NULL;
		if (package != NULL)
			json_append(packages, json_new_text(package));
	}
	return packages;
}

void
newbackend_run(const char *name, bool print)
{
	char *config = userfolder_config(), *root, *folder;
	struct buf why = BUF_INIT, seen = BUF_INIT, packages = BUF_INIT;
	struct backends all = { .complete = false };
	struct buf template = BUF_INIT;
	const struct backend *b;
	struct userfile f;

	if (name[0] == '\0' || name[0] == '-' || !text_only(name, "_-") ||
	    shell_known(name))
		fatal_usage("init: '%s' cannot be a backend: it is a shell, or "
		    "has more than letters, digits, '-' and '_'", name);
	if (config == NULL)
		fatal_usage("init: --backend needs HOME to be an absolute "
		    "path");
	root = userfile_root(xasprintf("%s/" BACKEND_FOLDER, config), &folder);
	userfile_init(&f, root, folder, xasprintf("%s.json", name));
	if (userfile_read(&f, &why) == -1 || f.there)
		userfile_refuse(&f, f.there ? "it is there already" :
		    buf_str(&why), NULL, "change it by hand, or remove it "
		    "first");
	backends_all(&all, &why);
	if (agentprocess_kind(&all, name, NULL, &b) == AGENTPROCESS_OTHER)
		b = backends_get(&all, name, &why);
	if (b != NULL && !b->stranger)
		fatal_usage("init: paneward knows '%s' already, by '%s'; to "
		    "change that, copy it into '%s/" BACKEND_FOLDER "'", name,
		    b->file, config);
	buf_reset(&why);
	json_give(&packages, newbackend_see(name, &seen));
	if (ownfile_template(&template, "templates", "backend.json", &why) == -1)
		fatalx("%s", buf_str(&why));
	template_expand(&f.after, template.data, template.len,
	    (const struct template_value[]){ { "name", name, strlen(name) },
	    { "seen", buf_str(&seen), seen.len },
	    { "packages", buf_str(&packages), packages.len } }, 3, NULL);
	f.stays = true;
	userfile_change(&f, print);
}
