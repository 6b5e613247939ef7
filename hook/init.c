/*
 * init.c - paneward init: an agent's settings get our hooks, or lose them.
 *
 * The file is the user's.  It is read whole, changed where our hooks are and
 * nowhere else, shown, kept once as it was, written beside and renamed.  What
 * cannot be changed so is refused, with the text that a person can paste: no
 * JSON, comments, a link anywhere below the project, somebody else's file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agenthooks.h"
#include "argv.h"
#include "command.h"
#include "commands.h"
#include "file.h"
#include "linediff.h"
#include "msg.h"
#include "proc.h"
#include "project.h"
#include "utf8.h"
#include "xalloc.h"

enum { OPTION_LOOP = OPTION_LONG, OPTION_INBOX, OPTION_USER, OPTION_PRINT,
    OPTION_REMOVE };

struct init {
	const char *agent;
	unsigned    parts;              /* enum agenthooks_part */
	bool        user, print, remove;

	struct agenthooks hooks;
	char       *program;
	char       *root, *folder;      /* the folder is below the root */
	char       *path, *kept;        /* the file, and as it was before */

	int         fd;                 /* of the folder; -1: not there */
	bool        there, was_kept;
	mode_t      mode;               /* of the file */
	struct buf  before, original;   /* the file, and what is in kept */
	struct buf  after;
};

/* ---- where the file is -------------------------------------------------- */

static char *
project_root(void)
{
	struct project p;
	char *root;

	if (project_find(&p, ".") == -1)
		fatal("cannot find the project around the current directory");
	root = xstrdup(p.root);
	project_release(&p);
	return root;
}

/* The user's own settings: in the folder that a variable of the agent names,
 * else in the home folder. */
static void
find_user_place(struct init *i)
{
	const char *own = i->hooks.user_variable ?
	    getenv(i->hooks.user_variable) : NULL;
	const char *home = getenv("HOME");

	if (own != NULL && own[0] == '/') {
		i->root = xstrdup(own);
		i->folder = xstrdup("");
	} else if (home != NULL && home[0] == '/') {
		i->root = xstrdup(home);
		i->folder = xstrdup(i->hooks.user_folder);
	} else {
		fatal_usage("init: --user needs HOME to be an absolute path");
	}
}

static void
find_place(struct init *i)
{
	if (i->user) {
		find_user_place(i);
	} else {
		i->root = project_root();
		i->folder = xstrdup(i->hooks.folder);
	}
	i->path = xasprintf("%s/%s%s%s", i->root, i->folder,
	    i->folder[0] ? "/" : "", i->hooks.file);
	i->kept = xasprintf("%s.paneward-backup", i->hooks.file);
}

static void
find_program(struct init *i)
{
	const char *p;
	size_t size;

	i->program = proc_program();
	if (i->program == NULL)
		fatal("cannot find the path of paneward itself");
	for (p = i->program; *p != '\0'; p += size)
		if ((size = utf8_decode(p, strlen(p), NULL)) == 0)
			fatal_usage("init: the path of paneward itself, '%s', "
			    "is not UTF-8, which settings have to be",
			    i->program);
}

/* ---- refusing ----------------------------------------------------------- */

/* What a person can put there by hand. */
static void
make_text(const struct init *i, struct buf *out)
{
	struct buf why = BUF_INIT;

	if ((i->hooks.plugin != NULL ?
	    agenthooks_plugin(&i->hooks, out, i->program, &why) :
	    agenthooks_add(&i->hooks, out, i->program, i->parts, &why)) == -1)
		fatalx("%s", buf_str(&why));
	buf_release(&why);
}

static _Noreturn void refuse(const struct init *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static _Noreturn void
refuse(const struct init *i, const char *format, ...)
{
	struct buf text = BUF_INIT;
	char why[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	if (!i->remove) {
		make_text(i, &text);
		fputs(buf_str(&text), stdout);
		if (fflush(stdout) == EOF)
			fatal("cannot write to standard output");
	}
	fatal_usage("'%s' is left as it is: %s; %s", i->path, why, i->remove ?
	    "take out by hand what runs 'paneward hook'" :
	    "put in by hand what is printed above");
}

/* ---- reading ------------------------------------------------------------ */

/*
 * The next folder on the way to the file, fd being the one before; made if
 * it is to be.  -1 with ENOENT if it is not there.
 */
static int
enter(const struct init *i, int fd, const char *name, bool make)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, next;

	next = openat(fd, name, flags);
	if (next == -1 && errno == ENOENT && make &&
	    (mkdirat(fd, name, 0777) == 0 || errno == EEXIST))
		next = openat(fd, name, flags);
	if (next == -1 && (errno == ELOOP || errno == ENOTDIR))
		refuse(i, "'%s' on the way to it is a link, or no folder",
		    name);
	if (next == -1 && errno != ENOENT)
		fatal("cannot open the folder '%s' on the way to '%s'", name,
		    i->path);
	return next;
}

/* Opens the folder of the file, or leaves fd at -1. */
static void
open_folder(struct init *i, bool make)
{
	char *names = xstrdup(i->folder), *name, *rest = names;
	int next;

	i->fd = open(i->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (i->fd == -1)
		fatal("cannot open '%s'", i->root);
	while (i->fd != -1 && (name = strsep(&rest, "/")) != NULL) {
		if (name[0] == '\0')
			continue;
		next = enter(i, i->fd, name, make);
		close(i->fd);
		i->fd = next;
	}
	free(names);
}

/* 1: read, 0: there is none. */
static int
read_file(const struct init *i, const char *name, struct buf *text,
    struct stat *st)
{
	if (i->fd == -1)
		return 0;
	if (fstatat(i->fd, name, st, AT_SYMLINK_NOFOLLOW) == -1) {
		if (errno != ENOENT)
			fatal("cannot look at '%s'", i->path);
		return 0;
	}
	if (S_ISLNK(st->st_mode))
		refuse(i, "'%s' is a link, and none is followed", name);
	if (!S_ISREG(st->st_mode))
		refuse(i, "'%s' is no regular file", name);
	if (st->st_uid != geteuid())
		refuse(i, "'%s' belongs to another user", name);
	if (st->st_nlink > 1)
		refuse(i, "'%s' has several names (hard links)", name);
	if (file_read(i->fd, name, FILE_NOFOLLOW, text, AGENTHOOKS_MAX + 1)
	    == -1)
		fatal("cannot read '%s'", i->path);
	if (text->len > AGENTHOOKS_MAX)
		refuse(i, "'%s' has more than %d bytes", name, AGENTHOOKS_MAX);
	return 1;
}

static void
read_files(struct init *i)
{
	struct stat st;

	open_folder(i, false);
	i->there = read_file(i, i->hooks.file, &i->before, &st) == 1;
	i->mode = i->there ? st.st_mode & 07777 : 0666;
	i->was_kept = read_file(i, i->kept, &i->original, &st) == 1;
}

/* ---- deciding ----------------------------------------------------------- */

static void
note_hook(void *context, const char *program, bool options)
{
	(void)program;
	if (!options)
		*(bool *)context = true;
}

/* Does the file, as it is, have hooks of ours? */
static bool
has_ours(const struct init *i)
{
	struct buf why = BUF_INIT;
	bool ours = false;

	if (i->hooks.plugin != NULL)
		ours = agenthooks_plugin_ours(&i->before);
	else
		agenthooks_list(&i->before, note_hook, &ours, &why);
	buf_release(&why);
	return ours;
}

static void
decide_plugin(struct init *i)
{
	struct buf why = BUF_INIT;

	if (i->there && !has_ours(i))
		refuse(i, "paneward did not write it");
	if (!i->remove && agenthooks_plugin(&i->hooks, &i->after, i->program,
	    &why) == -1)
		fatalx("%s", buf_str(&why));
	buf_release(&why);
}

static void
decide_settings(struct init *i)
{
	struct buf why = BUF_INIT;
	int ret = 0;

	buf_add(&i->after, buf_str(&i->before), i->before.len);
	if (!i->remove)
		ret = agenthooks_add(&i->hooks, &i->after, i->program,
		    i->parts, &why);
	else if (i->there)
		ret = agenthooks_remove(&i->hooks, &i->after,
		    i->was_kept ? &i->original : NULL, &why);
	if (ret == -1)
		refuse(i, "%s", buf_str(&why));
	buf_release(&why);
}

/* Is the file to be there when we are done? */
static bool
stays(const struct init *i)
{
	return !i->remove || i->after.len > 0 || (i->there && i->was_kept);
}

static bool
changes(const struct init *i)
{
	return i->there != stays(i) || i->before.len != i->after.len ||
	    (i->before.len > 0 &&
	    memcmp(i->before.data, i->after.data, i->after.len) != 0);
}

/* ---- writing ------------------------------------------------------------ */

static void
replace(const struct init *i, const char *name, const struct buf *text)
{
	mode_t mask = i->there ? umask(0) : 0;
	int ret = file_replace(i->fd, name, text->data, text->len, i->mode);

	if (i->there)
		umask(mask);
	if (ret == -1)
		fatal("cannot write '%s' beside '%s'; nothing was changed",
		    name, i->path);
}

/* Nobody else has written to it while we thought. */
static void
check_unchanged(const struct init *i)
{
	struct buf now = BUF_INIT;
	struct stat st;
	bool there = read_file(i, i->hooks.file, &now, &st) == 1;

	if (there != i->there || now.len != i->before.len ||
	    (now.len > 0 && memcmp(now.data, i->before.data, now.len) != 0))
		fatalx("'%s' was changed by somebody else just now; try again",
		    i->path);
	buf_release(&now);
}

static void
write_file(struct init *i)
{
	if (i->fd == -1)
		open_folder(i, true);
	check_unchanged(i);
	if (!i->remove && i->there && !has_ours(i))
		replace(i, i->kept, &i->before);
	replace(i, i->hooks.file, &i->after);
}

/* The folders on the way that nothing is in any more. */
static void
remove_folders(const struct init *i)
{
	char *folder = xstrdup(i->folder), *slash = folder;
	int root = open(i->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (root != -1 && slash != NULL && folder[0] != '\0' &&
	    unlinkat(root, folder, AT_REMOVEDIR) == 0)
		if ((slash = strrchr(folder, '/')) != NULL)
			*slash = '\0';
	if (root != -1)
		close(root);
	free(folder);
}

static void
remove_file(const struct init *i)
{
	check_unchanged(i);
	if (unlinkat(i->fd, i->hooks.file, 0) == -1)
		fatal("cannot remove '%s'", i->path);
}

static void
carry_out(struct init *i)
{
	if (changes(i) && stays(i))
		write_file(i);
	else if (changes(i))
		remove_file(i);
	if (!i->remove || !i->there)
		return;                 /* what was kept may be all there is */
	if (i->was_kept && unlinkat(i->fd, i->kept, 0) == -1)
		warn("cannot remove '%s' beside '%s'", i->kept, i->path);
	if (!stays(i) && !i->user)
		remove_folders(i);
}

/* ---- the command -------------------------------------------------------- */

static void
show(const struct init *i)
{
	struct buf out = BUF_INIT;

	if (changes(i)) {
		linediff(&out, i->path, i->there ? &i->before : NULL,
		    stays(i) ? &i->after : NULL);
		if (!i->remove && i->hooks.note != NULL)
			buf_printf(&out, "\n%s.\n", i->hooks.note);
	} else {
		buf_adds(&out, "nothing to change in '");
		msg_escape(&out, i->path, strlen(i->path));
		buf_adds(&out, "'\n");
	}
	fputs(buf_str(&out), stdout);
	buf_release(&out);
	if (fflush(stdout) == EOF)
		fatal("cannot write to standard output");
}

static void
unknown_agent(const struct command *command, const char *agent)
{
	char **known = agenthooks_agents(), **p;
	struct buf names = BUF_INIT;

	for (p = known; p != NULL && *p != NULL; p++)
		buf_printf(&names, "%s%s", p == known ? "" : ", ", *p);
	command_usage(command, "'%s' is no agent that is known here (%s)",
	    agent, buf_str(&names));
}

static void
read_agent(struct init *i, const struct command *command)
{
	struct buf error = BUF_INIT;
	unsigned offered;

	if (agenthooks_read(&i->hooks, i->agent, &error) == -1) {
		if (errno == ENOENT)
			unknown_agent(command, i->agent);
		fatalx("%s", buf_str(&error));
	}
	buf_release(&error);
	offered = agenthooks_parts(&i->hooks);
	if ((i->parts & ~offered) != 0)
		command_usage(command, "%s has no hook for %s",
		    i->hooks.title, i->parts & ~offered & AGENTHOOKS_LOOP ?
		    "--loop" : "--inbox");
}

static void
read_options(struct init *i, const struct command *command, int argc,
    char **argv)
{
	int key;

	while ((key = command_option(command, argc, argv)) != -1) {
		switch (key) {
		case OPTION_LOOP: i->parts |= AGENTHOOKS_LOOP; break;
		case OPTION_INBOX: i->parts |= AGENTHOOKS_INBOX; break;
		case OPTION_USER: i->user = true; break;
		case OPTION_PRINT: i->print = true; break;
		case OPTION_REMOVE: i->remove = true; break;
		}
	}
	if (argc != optind + 1)
		command_usage(command, "takes an agent");
	if (i->remove && i->print)
		command_usage(command, "takes --print or --remove, not both");
	if (i->remove && i->parts != 0)
		command_usage(command, "--remove takes everything out; it goes "
		    "without --loop and --inbox");
	i->agent = argv[optind];
}

static int
init_run(const struct command *command, int argc, char **argv)
{
	struct init i = { .fd = -1 };

	read_options(&i, command, argc, argv);
	read_agent(&i, command);
	find_program(&i);
	find_place(&i);
	read_files(&i);
	if (i.hooks.plugin != NULL)
		decide_plugin(&i);
	else
		decide_settings(&i);
	show(&i);
	if (!i.print)
		carry_out(&i);
	return EXIT_DONE;
}

const struct command init_command = {
	.name = "init",
	.summary = "Add paneward's hooks to an agent's settings",
	.arguments = "claude|codex|cursor|gemini|opencode|pi",
	.examples =
	"  paneward init claude --print    what would be added, and where\n"
	"  paneward init claude            add it\n"
	"  paneward init claude --remove   take it out again\n"
	"  paneward init codex --loop --inbox\n",
	.options = (const struct command_option[]){
		{ OPTION_LOOP, "loop", NULL, "also the hook of loop start" },
		{ OPTION_INBOX, "inbox", NULL, "also the hook that delivers "
		    "messages" },
		{ OPTION_USER, "user", NULL, "your own settings, for every "
		    "project" },
		{ OPTION_PRINT, "print", NULL, "only show the difference" },
		{ OPTION_REMOVE, "remove", NULL, "take out what init added" },
		{ 0 }
	},
	.run = init_run,
};
