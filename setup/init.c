/*
 * init.c - gives an agent's settings our hooks, or takes them out; the same for
 * tmux's configuration (tmuxconf.c) and another tool's (takeover.c), and for
 * backends (backends.c).
 *
 * Only our part of a file changes.  The difference is shown, the original
 * backed up once.  A file that is no JSON, has comments, lies behind a link or
 * belongs to another user is refused, and the text to paste is printed.
 */
#include "setup/setup.h"

#include "project/project.h"

#define SKILL_NAME "reload"
#define FLAG(member) FLAG_AT(struct init, member)
#define TEXT(member) TEXT_AT(struct init, member)

struct init {
	const char *agent;
	bool        loop, inbox, replace, reload, user, print, remove;
	const char *key, *next_key, *sidebar_key;       /* of tmux */
	const char *from;               /* another tool */
	const char *backends, *sum;     /* a file, its sum */
	bool        yes;
	const char *backend;            /* a new one */
	unsigned    parts;              /* enum ourhook_part */
	bool        keys;               /* one of them is given */

	struct agenthooks hooks;
	const char *program;
	struct userfile settings;       /* or the plugin */
	bool        kept;               /* its backup is there; */
	struct buf  original;           /* the text of that */
	struct userfile skill;          /* path NULL: not wanted */
};

static const struct command_option options[] = {
	{ 0, "loop", NULL, "also the hook of loop start", FLAG(loop) },
	{ 0, "inbox", NULL, "also the hook that delivers messages",
	    FLAG(inbox) },
	{ 0, "replace", NULL, "with --inbox: in place of the hook of "
	    "multi-agent-shogun", FLAG(replace) },
	{ 0, "reload", NULL, "also the skill that tells it how to restart "
	    "itself", FLAG(reload) },
	{ 0, "user", NULL, "your own settings, for every project", FLAG(user) },
	{ 0, "key", "KEY", "of tmux, behind its prefix: it opens top",
	    TEXT(key) },
	{ 0, "next-key", "KEY", "the same for next", TEXT(next_key) },
	{ 0, "sidebar", "KEY", "it opens and closes top at the left of a "
	    "window", TEXT(sidebar_key) },
	{ 0, "from", "TOOL", "make .paneward.json from the configuration of "
	    "pi-issue-runner", TEXT(from) },
	{ 0, "backends", "FILE", "install a backend, or a bundle of them, for "
	    "yourself", TEXT(backends) },
	{ 0, "sha256", "SUM", "with --backends: only a file with that sum",
	    TEXT(sum) },
	{ 0, "yes", NULL, "with --backends: do not ask", FLAG(yes) },
	{ 0, "backend", "NAME", "write a first backend of an agent that is not "
	    "known", TEXT(backend) },
	{ 0, "print", NULL, "only show the difference", FLAG(print) },
	{ 0, "remove", NULL, "remove what init added", FLAG(remove) },
	{ 0 }
};

static char *
find_root(void)
{
	struct buf why = BUF_INIT;
	struct project p;

	if (project_find(&p, ".", &why) == -1)
		fatalx("%s", buf_str(&why));
	if (p.refused != NULL)
		fatal_usage("%s", p.refused);
	return p.root;
}

/* ---- refusing ----------------------------------------------------------- */

/* Adds what a person can insert by hand. */
static void
make_text(const struct init *i, const struct userfile *f, struct buf *out)
{
	struct buf text = BUF_INIT, word = BUF_INIT, why = BUF_INIT;
	struct template_value value = { .name = "program" };

	if (f == &i->skill) {
		ownfile_template(out, "templates/skills/" SKILL_NAME, f->name,
		    &why);
	} else if (i->hooks.plugin == NULL) {
		agenthooks_add(&i->hooks, out, i->program, i->parts, &why);
	} else if (ownfile_template(&text, "templates/plugins",
	    i->hooks.plugin, &why) == 0) {
		json_give(&word, json_new_text(i->program));
		value.value = buf_str(&word) + 1;       /* without quotes */
		value.len = word.len - 2;
		if (template_expand(out, text.data, text.len, &value, 1,
		    NULL) == -1)
			buf_printf(&why, "'%s' is too large", i->hooks.plugin);
	}
	if (why.len > 0)
		fatalx("%s", buf_str(&why));
}

static _Noreturn void
init_refuse(const struct init *i, const struct userfile *f, const char *why)
{
	struct buf text = BUF_INIT;

	if (!i->remove)
		make_text(i, f, &text);
	userfile_refuse(f, why, i->remove ? NULL : &text,
	    "take out by hand what runs 'paneward hook'");
}

/* ---- deciding ----------------------------------------------------------- */

static void
decide_settings(struct init *i)
{
	struct userfile *f = &i->settings;
	struct buf why = BUF_INIT, command = BUF_INIT;
	char **programs;
	bool ours;

	buf_add(&f->after, f->before.data, f->before.len);
	/* Two hooks that deliver messages would both answer. */
	if (!i->remove && (i->parts & OURHOOK_INBOX) &&
	    agenthooks_replaced(&i->hooks, &f->after, &command)) {
		if (!i->replace)
			fatal_usage("'%s' is left as it is: its hook '%s' "
			    "delivers messages already, and both would answer; "
			    "with --replace ours takes its place", f->path,
			    buf_str(&command));
		agenthooks_cut_replaced(&i->hooks, &f->after, &why);
	}
	if (!i->remove && why.len == 0)
		agenthooks_add(&i->hooks, &f->after, i->program, i->parts,
		    &why);
	if (i->remove && f->there)
		agenthooks_remove(&i->hooks, &f->after, i->program,
		    i->kept ? &i->original : NULL, &why);
	if (why.len == 0 && f->after.len > OURHOOKS_MAX)
		buf_printf(&why, "it would have more than %d bytes",
		    OURHOOKS_MAX);
	if (why.len > 0)
		init_refuse(i, f, buf_str(&why));
	/* A replaced hook comes back only with the whole file. */
	buf_reset(&command);
	if (i->remove && i->kept && f->there &&
	    agenthooks_replaced(&i->hooks, &i->original, &command) &&
	    !agenthooks_replaced(&i->hooks, &f->after, &why))
		warnx("'%s' had the hook '%s', and was changed since; if you "
		    "want that hook back, put it in by hand", f->path,
		    buf_str(&command));
	/* An empty file of the user's has nothing of ours. */
	f->stays = !i->remove || f->after.len > 0 ||
	    (f->there && (i->kept || f->before.len == 0));
	/* A backup has no hooks of ours. */
	ourhooks_list(&i->hooks.dialect, &f->before, &programs, &ours, &why);
	if (i->kept && f->there == i->remove)
		f->backing = i->remove ? BACKUP_OVER : BACKUP_STALE;
	else if (!i->remove && f->there && !ours)
		f->backing = BACKUP_MADE;
	else if (i->remove && i->kept)
		/* It may be all that is left of its file. */
		warnx("'%s' is left beside '%s', which is not there; rename it "
		    "or remove it by hand", f->backup, f->path);
}

/* Decides a skill or a plugin, which only init writes. */
static void
decide_own(const struct init *i, struct userfile *f)
{
	enum ownfile_origin origin = ownfile_origin(&f->before);
	bool foreign = f->there && origin == OWNFILE_FOREIGN;
	bool changed = f->there && origin == OWNFILE_CHANGED;

	if (i->remove) {
		f->stays = foreign || changed;
		buf_add(&f->after, f->before.data, f->before.len);
		if (foreign && f == &i->settings)
			init_refuse(i, f, "paneward did not write it");
		if (changed)
			warnx("'%s' is left: it was changed since paneward "
			    "wrote it; remove it by hand", f->path);
		return;
	}
	f->stays = true;
	make_text(i, f, &f->after);
	if (f->there && buf_same(&f->before, &f->after))
		return;
	if (foreign || changed)
		init_refuse(i, f, foreign ? "paneward did not write it" :
		    "it was changed since paneward wrote it");
	if (f == &i->settings)
		buf_adds(&f->after, "// ");
	ownfile_sign(&f->after);
}

/* ---- the command --------------------------------------------------------- */

/* The user's settings lie in the folder that a variable of the agent names,
 * else in the home folder; the skill lies below them. */
static void
init_agent(struct init *i, const struct command *command)
{
	struct buf error = BUF_INIT, names = BUF_INIT;
	const char *home = getenv("HOME"), *named = NULL;
	struct agenthooks *h = &i->hooks;
	const struct ourhook_kind *kind = ourhook_kinds;
	char *root, *folder, **known, **p;

	if (agenthooks_read(h, i->agent, &error) == -1) {
		if (errno != ENOENT)
			fatal_usage("%s", buf_str(&error));
		known = dialect_agents();
		for (p = known; p != NULL && *p != NULL; p++)
			buf_printf(&names, "%s%s", p == known ? "" : ", ", *p);
		command_usage(command, "'%s' is no agent that is known here "
		    "(%s)", i->agent, buf_str(&names));
	}
	for (; kind->name != NULL; kind++)
		if ((kind->part & i->parts) != 0 && json_member(json_member(
		    h->data, "register"), kind->name) == NULL)
			command_usage(command, "%s has no hook for --%s",
			    h->title, kind->name);
	if (i->replace && json_member(h->data, "replaces") == NULL)
		command_usage(command, "no hook is known here that --replace "
		    "could take out of the settings of %s", h->title);
	if (i->keys)
		command_usage(command, "--key, --next-key and --sidebar are "
		    "for tmux");
	if (i->reload && h->skills == NULL)
		command_usage(command, "%s has no skills, as far as is known "
		    "here; --reload is for those that do", h->title);

	if (i->user && !ourhooks_named_folder(&h->dialect, &named, &error))
		fatal_usage("init: %s; make it absolute, or unset it",
		    buf_str(&error));
	if (i->user && named == NULL && (home == NULL || home[0] != '/'))
		fatal_usage("init: --user needs HOME to be an absolute path");
	folder = xstrdup(i->user ? h->user_folder : h->folder);
	root = named != NULL ? userfile_root(named, &folder) :
	    i->user ? xstrdup(home) : find_root();
	if (h->skills != NULL && (i->reload || i->remove))
		userfile_init(&i->skill, xstrdup(root), xasprintf("%s%s%s/"
		    SKILL_NAME, folder, folder[0] ? "/" : "", h->skills),
		    "SKILL.md");
	userfile_init(&i->settings, root, folder, h->file);
	i->settings.backup = xasprintf("%s.paneward-backup", h->file);
}

static void
init_options(struct init *i, const struct command *command, int argc,
    char **argv)
{
	int alone;

	command_option(command, argc, argv, i);
	i->keys = i->key != NULL || i->next_key != NULL ||
	    i->sidebar_key != NULL;
	i->parts = (i->loop ? OURHOOK_LOOP : 0) |
	    (i->inbox ? OURHOOK_INBOX : 0);
	alone = (i->from != NULL) + (i->backends != NULL) +
	    (i->backend != NULL);
	if (argc - optind + alone != 1)
		command_usage(command, alone == 0 ? "takes an agent, or tmux" :
		    "takes an agent, --from, --backends or --backend, not two");
	if (alone && (i->parts != 0 || i->reload || i->user || i->remove ||
	    i->keys))
		command_usage(command, i->backends ? "--backends goes with "
		    "--sha256, --yes and --print alone" :
		    "%s goes with --print alone", i->from ? "--from" :
		    "--backend");
	if (i->backends == NULL && (i->sum != NULL || i->yes))
		command_usage(command, "--sha256 and --yes go with --backends");
	if (i->replace && !i->inbox)
		command_usage(command, "--replace goes with --inbox");
	if (i->remove && i->print)
		command_usage(command, "takes --print or --remove, not both");
	if (i->remove && (i->parts != 0 || i->reload || i->keys))
		command_usage(command, "--remove takes everything out; it goes "
		    "without %s", i->parts != 0 || i->reload ?
		    "--loop, --inbox and --reload" : "--key, --next-key "
		    "and --sidebar");
	i->agent = argv[optind];
}

static int
init_run(const struct command *command, int argc, char **argv)
{
	struct init i = { .agent = NULL };
	struct userfile *f = &i.settings;
	struct buf why = BUF_INIT;
	const char *p, *note;

	init_options(&i, command, argc, argv);
	if (i.from != NULL)
		return takeover_run(i.from, find_root(), i.print);
	if (i.backends != NULL)
		return backends_install(i.backends, i.sum, i.print, i.yes);
	if (i.backend != NULL)
		return newbackend_run(i.backend, i.print);
	i.program = proc_lasting(NULL);
	p = strrchr(i.program, '/');
	if (p == NULL || strcmp(p, "/paneward") != 0)
		fatal_usage("init: hooks are known again by the name "
		    "'paneward'; this program is '%s', give it that name",
		    i.program);
	if (!utf8_valid(i.program, strlen(i.program)))
		fatal_usage("init: the path of paneward itself, '%s', is not "
		    "UTF-8, which settings have to be", i.program);
	if (strcmp(i.agent, "tmux") == 0) {
		if (i.parts != 0 || i.reload || i.user)
			command_usage(command, "tmux goes without --loop, "
			    "--inbox, --reload and --user");
		return tmuxconf_change(&(struct tmuxconf){ .program =
		    i.program, .key = i.key, .next_key = i.next_key,
		    .sidebar_key = i.sidebar_key, .print = i.print,
		    .remove = i.remove });
	}
	init_agent(&i, command);
	if (userfile_read(f, &why) != -1 && i.hooks.plugin == NULL)
		i.kept = userfile_text(f, f->backup, &i.original, &why) == 1;
	if (why.len > 0)
		init_refuse(&i, f, buf_str(&why));
	/* A skill behind a link, say, is not ours to remove. */
	if (i.skill.path != NULL && userfile_read(&i.skill, &why) == -1) {
		if (!i.remove)
			init_refuse(&i, &i.skill, buf_str(&why));
		i.skill.path = NULL;
	}
	if (i.hooks.plugin == NULL)
		decide_settings(&i);
	else
		decide_own(&i, f);
	if (i.skill.path != NULL)
		decide_own(&i, &i.skill);
	i.skill.quiet = !i.reload;
	note = json_text(i.hooks.data, "note");
	return userfile_change((struct userfile[]){ *f, i.skill },
	    i.skill.path != NULL ? 2 : 1, !i.remove && note != NULL &&
	    userfile_changes(f) ? xasprintf("\n%s.\n", note) : "", NULL,
	    i.print);
}

const struct command init_command = {
	.name = "init",
	.summary = "Add paneward to an agent's settings, or to tmux",
	.arguments = "claude|codex|copilot|cursor|gemini|kilo|opencode|pi|qwen|"
	    "tmux | --from TOOL | --backends FILE | --backend NAME",
	.examples =
	"  paneward init claude --print    what would be added, and where\n"
	"  paneward init claude            add it\n"
	"  paneward init claude --remove   remove it again\n"
	"  paneward init codex --loop --inbox\n"
	"  paneward init claude --reload   also how to restart itself\n"
	"  paneward init tmux --key a      the queue in tmux's status line, and"
	"\n                                  a key for it\n"
	"  paneward init --from pi-issue-runner\n"
	"                                  .paneward.json from its "
	"configuration\n"
	"  paneward init --backends codex.json\n"
	"                                  a newer file for an agent\n"
	"  paneward init --backend NAME    a first file of an agent that "
	"paneward\n                                  does not know\n",
	.options = options,
	.run = init_run,
};
