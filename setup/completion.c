/*
 * completion.c - what makes the tab key know paneward, for three shells.
 *
 * A script is printed once, at installation: everything in it comes from the
 * tables of commands and options.  Offered are commands, then the options of
 * the one typed, then the words of a choice ("complete|error"), and otherwise
 * the names of files.  Issues, panes and backends change, so for them the script
 * calls this command again.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/state.h"
#include "data/datafile.h"
#include "paneward.h"
#include "project/noticeway.h"
#include "queue/queue.h"

/* A command that is not hidden. */
struct offered {
	const struct command *command;
	char       *word;               /* the first one of its name */
	const char *verb;               /* the second, as in "loop run"; NULL */
	bool        first;              /* no command before has this word */
};

/* Commands that share their first word stand together.  The last entry has no
 * command. */
static struct offered *
entries_make(void)
{
	struct offered *list = NULL;
	const struct command *c;
	const char *blank;
	size_t i, n = 0;

	for (i = 0; (c = command_at(i)) != NULL; i++) {
		list = xreallocarray(list, n + 2, sizeof(*list));
		if (c->summary == NULL)
			continue;
		blank = strchr(c->name, ' ');
		list[n] = (struct offered){ .command = c,
		    .word = xstrndup(c->name, strcspn(c->name, " ")),
		    .verb = blank != NULL ? blank + 1 : NULL };
		list[n].first = n == 0 ||
		    strcmp(list[n - 1].word, list[n].word) != 0;
		n++;
	}
	list[n] = (struct offered){ .command = NULL };
	return list;
}

/* The verbs of a first word, with a blank between them. */
static void
print_verbs(const struct offered *first)
{
	const struct offered *e;

	printf("%s", first->verb);
	for (e = first + 1; e->command != NULL && !e->first; e++)
		printf(" %s", e->verb);
}

/*
 * Prints the words of a choice, with a blank between them, between two texts.
 * In the tables it is written word|word, and comes first; a verb that takes
 * more words has " | " behind them.  False if there is none.
 */
static bool
print_choice(const char *before, const char *synopsis, const char *after)
{
	const char *p = synopsis != NULL ? synopsis : "";
	size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz-|");

	if (len == 0 || (p[len] != '\0' && p[len] != ' ') ||
	    (memchr(p, '|', len) == NULL && strstr(p, " | ") == NULL))
		return false;
	fputs(before, stdout);
	for (;;) {
		for (; *p != ' ' && *p != '\0'; p++)
			putchar(*p == '|' ? ' ' : *p);
		p = strstr(p, " | ");
		if (p == NULL)
			break;
		putchar(' ');
		p += 3;
	}
	fputs(after, stdout);
	return true;
}

/* The kind of words that an option or an argument takes, which the script asks
 * this command for; NULL: another.  An issue that is to be started is new. */
static const char *
words_named(const char *name)
{
	static const struct { const char *name, *words; } kinds[] = {
		{ "backend", "backends" }, { "exit-on", "states" },
		{ "issue", "issues" }, { "pane", "panes" },
		{ "until", "states" }, { "[WAY...]", "ways" },
		{ "TEMPLATE", "templates" },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(name, kinds[i].name) == 0)
			return kinds[i].words;
	return NULL;
}

static const char *
words_of(const struct command *c)
{
	const char *synopsis = c->arguments != NULL ? c->arguments : "";

	if (words_named(synopsis) != NULL)
		return words_named(synopsis);
	if (*synopsis == '[')
		synopsis++;
	if (strncmp(synopsis, "ISSUE", 5) != 0 ||
	    strstr(synopsis, "[-- COMMAND") != NULL)
		return NULL;
	if (strstr(synopsis, "HOST:") != NULL)
		return synopsis == c->arguments ? "places" : "histories";
	if (strstr(synopsis, "yes|no") != NULL)
		return "answers";
	return strstr(synopsis, "%PANE...") != NULL ? "agents" :
	    strstr(synopsis, "%PANE") != NULL ? "targets" : "issues";
}

/*
 * Prints text inside single quotes, special characters behind a backslash.  A
 * quote in the text ends the quotes, stands escaped, and opens them again,
 * which all three shells understand.
 */
static void
print_quoted(const char *text, const char *special)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\'", stdout);         /* and itself, below */
		else if (strchr(special, *text) != NULL)
			putchar('\\');
		putchar(*text);
	}
}

/* ---- bash ---------------------------------------------------------------- */

static const char bash_begin[] =
    "# bash completion for paneward, made by 'paneward completion bash'\n"
    "\n"
    "_paneward()\n"
    "{\n"
    "\tlocal word=${COMP_WORDS[COMP_CWORD]}\n"
    "\tlocal before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "\tlocal options='--help --version' words=\n"
    "\n"
    "\tcase \"$COMP_CWORD:${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n"
    "\t1:* | 2:'help '*) words='";

static const char bash_end[] =
    "\tesac\n"
    "\t[[ $word != -* ]] || words=$options\n"
    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "}\n"
    "\n"
    "complete -o default -F _paneward paneward\n";

static void
bash_command(const struct offered *e)
{
	const struct command_option *o;

	printf("\t*:'%s%s\n\t\toptions='", e->command->name,
	    e->verb != NULL ? "')" : " '*)");
	for (o = e->command->options; o->name != NULL; o++)
		printf("--%s ", o->name);
	printf("--help' words=");
	if (words_of(e->command) != NULL)
		printf("$(paneward completion %s 2>/dev/null)",
		    words_of(e->command));
	else
		print_choice("'", e->command->arguments, "'");
	printf("\n\t\tcase $before in\n");
	for (o = e->command->options; o->name != NULL; o++) {
		if (o->argument == NULL || option_optional(o))
			continue;
		printf("\t\t--%s", o->name);
		if (option_letter(o))
			printf(" | -%c", o->key);
		printf(") options= words=");
		if (words_named(o->name) != NULL)
			printf("$(paneward completion %s 2>/dev/null)",
			    words_named(o->name));
		else
			print_choice("'", o->argument, "'");
		printf(" ;;\n");
	}
	printf("\t\tesac ;;\n");
}

static void
print_bash(const struct offered *list)
{
	const struct offered *e;

	fputs(bash_begin, stdout);
	for (e = list; e->command != NULL; e++)
		if (e->first)
			printf("%s ", e->word);
	printf("'\n\t\t[[ $COMP_CWORD = 2 ]] || "
	    "words+='help version --help --version' ;;\n");
	for (e = list; e->command != NULL; e++) {
		if (e->first && e->verb != NULL) {
			printf("\t2:'%s '*) options=--help words='", e->word);
			print_verbs(e);
			printf("' ;;\n");
		}
		bash_command(e);
	}
	fputs(bash_end, stdout);
}

/* ---- zsh ----------------------------------------------------------------- */

static const char zsh_begin[] =
    "#compdef paneward\n"
    "# zsh completion for paneward, made by 'paneward completion zsh'\n"
    "\n"
    "_paneward()\n"
    "{\n"
    "\tlocal command\n"
    "\tlocal -a commands verbs\n"
    "\n"
    "\tcommands=(\n";

static const char zsh_end[] =
    "\thelp) _describe -t commands command commands ;;\n"
    "\t*) _files ;;\n"
    "\tesac\n"
    "}\n"
    "\n"
    "if [[ $funcstack[1] == _paneward ]]; then\n"
    "\t_paneward \"$@\"\n"
    "else\n"
    "\tcompdef _paneward paneward\n"
    "fi\n";

/* Offers the words of an array, or consumes the one that was typed. */
static void
zsh_choose(const char *what)
{
	printf("\tif (( CURRENT == 2 )); then\n"
	    "\t\t_describe -t %ss %s %ss\n"
	    "\t\treturn\n"
	    "\tfi\n"
	    "\tcommand=\"${command:+$command }$words[2]\"\n"
	    "\tshift words\n"
	    "\t(( CURRENT-- ))\n", what, what, what);
}

static void
zsh_command(const struct command *c)
{
	const struct command_option *o;

	printf("\t'%s')\n\t\t_arguments -s", c->name);
	for (o = c->options; o->name != NULL; o++) {
		printf(" \\\n\t\t\t");
		if (option_letter(o))
			printf("'(-%c --%s)'{-%c,--%s}", o->key, o->name,
			    o->key, o->name);
		else
			printf("--%s%s", o->name,
			    option_optional(o) ? "=-" : "");
		printf("'[");
		print_quoted(o->help, "\\[]:");
		printf("]");
		if (o->argument != NULL) {
			printf(option_optional(o) ? "::" : ":");
			print_quoted(o->argument, "\\:");
			printf(":");
			if (words_named(o->name) != NULL)
				printf("{compadd -- $(paneward completion %s "
				    "2>/dev/null)}", words_named(o->name));
			else if (!print_choice("(", o->argument, ")") &&
			    !option_optional(o))
				printf("_files");
		}
		printf("'");
	}
	printf(" \\\n\t\t\t'(- *)'{-h,--help}'[show help]'");
	print_choice(" \\\n\t\t\t'1:choice:(", c->arguments, ")'");
	if (words_of(c) != NULL)
		printf(" \\\n\t\t\t'*:%s:{compadd -- $(paneward completion "
		    "%s 2>/dev/null)}' ;;\n", words_of(c), words_of(c));
	else
		printf(" \\\n\t\t\t'*:file:_files' ;;\n");
}

static void
print_zsh(const struct offered *list)
{
	const struct offered *e;

	fputs(zsh_begin, stdout);
	for (e = list; e->command != NULL; e++) {
		if (!e->first)
			continue;
		printf("\t\t'%s:", e->word);
		print_quoted(e->command->summary, "\\");
		printf("'\n");
	}
	printf("\t\thelp version\n\t)\n");
	zsh_choose("command");
	for (e = list; e->command != NULL; e++) {
		if (!e->first || e->verb == NULL)
			continue;
		printf("\tif [[ $command == %s ]]; then\n\tverbs=(", e->word);
		print_verbs(e);
		printf(")\n");
		zsh_choose("verb");
		printf("\tfi\n");
	}
	printf("\tcase $command in\n");
	for (e = list; e->command != NULL; e++)
		zsh_command(e->command);
	fputs(zsh_end, stdout);
}

/* ---- fish ---------------------------------------------------------------- */

static const char fish_begin[] =
    "# fish completion for paneward, made by 'paneward completion fish'\n"
    "\n"
    "function __paneward_command\n"
    "\tset -l words (commandline -opc)\n"
    "\tset -e words[1]\n"
    "\tstring match -q -- \"$argv *\" \"$words \"\n"
    "end\n"
    "\n"
    "function __paneward_next\n"
    "\tset -l words (commandline -opc)\n"
    "\tset -e words[1]\n"
    "\ttest \"$words\" = \"$argv\"\n"
    "end\n"
    "\n"
    "complete -c paneward -n __paneward_next -l help -l version -f "
    "-a 'help version'\n";

static void
fish_command(const struct offered *e)
{
	const struct command *c = e->command;
	const struct command_option *o;

	if (e->verb != NULL)
		printf("complete -c paneward -n '__paneward_next %s' -f "
		    "-a %s -d '", e->word, e->verb);
	else
		printf("complete -c paneward -n '__paneward_next; or "
		    "__paneward_next help' -f -a %s -d '", e->word);
	print_quoted(c->summary, "\\");
	printf("'\n");
	for (o = c->options; o->name != NULL; o++) {
		printf("complete -c paneward -n '__paneward_command %s' -l %s",
		    c->name, o->name);
		if (option_letter(o))
			printf(" -s %c", o->key);
		if (o->argument != NULL && !option_optional(o))
			printf(" -r");
		if (words_named(o->name) != NULL)
			printf(" -f -a '(paneward completion %s 2>/dev/null)'",
			    words_named(o->name));
		else
			print_choice(" -f -a '", o->argument, "'");
		printf(" -d '");
		print_quoted(o->help, "\\");
		printf("'\n");
	}
	if (words_of(c) != NULL)
		printf("complete -c paneward -n '__paneward_command %s' -f "
		    "-a '(paneward completion %s 2>/dev/null)'\n", c->name,
		    words_of(c));
	else if (print_choice("complete -c paneward -a '", c->arguments, "'"))
		printf(" -n '__paneward_command %s'\n", c->name);
}

static void
print_fish(const struct offered *list)
{
	const struct offered *e;

	fputs(fish_begin, stdout);
	for (e = list; e->command != NULL; e++) {
		if (e->first && e->verb != NULL)
			printf("complete -c paneward -n __paneward_next -f "
			    "-a %s\n", e->word);
		fish_command(e);
	}
}

/* ---- words --------------------------------------------------------------- */

/* Names that stand in a table or in a folder.  False: not of that kind. */
static bool
print_names(const char *kind)
{
	bool states = strcmp(kind, "states") == 0;
	bool ways = strcmp(kind, "ways") == 0;
	char **names = strcmp(kind, "backends") == 0 ?
	    datafile_names("backends", ".json") :
	    strcmp(kind, "templates") == 0 ?
	    datafile_names("agents", ".md") : NULL;
	int i;

	for (i = 0; names != NULL && names[i] != NULL; i++)
		puts(names[i]);
	for (i = STATE_NONE + 1; states && i < STATE_QUEUED; i++)
		puts(state_name((enum state)i));
	for (i = 0; ways && i < NOTICEWAY_COMMAND; i++)
		puts(noticeway_name((enum noticeway_kind)i));
	return states || ways || names != NULL;
}

enum words_issues { ISSUES_NONE, ISSUES_HERE, ISSUES_ALL };

/* Prints a word for each row: issues, of this project or of all, and the panes
 * of agents without one; with hosts set also what begins those of other
 * hosts. */
static void
print_words(enum words_issues issues, bool panes, bool hosts)
{
	struct row *const *rows;
	struct context context;
	struct queue *q;
	size_t n, i, k;

	context_open(&context, NULL, false);
	q = queue_new(&(struct queue_how){ .context = &context,
	    .all = panes, .panes = panes, .names = true,
	    .hosts = hosts && context.config.fleet != NULL });
	queue_look(q);
	rows = queue_rows(q, &n);
	for (i = 0; i < n; i++)
		if (rows[i]->host == NULL && rows[i]->problem == NULL &&
		    (rows[i]->pane || issues == ISSUES_ALL ||
		    (issues == ISSUES_HERE && strcmp(rows[i]->directory,
		    context.dir.path) == 0)))
			printf("%s\n", rows[i]->pane ?
			    rows[i]->status.place.pane : row_name(rows[i]));
	for (i = 0; i < n; i++) {
		if (rows[i]->host == NULL || rows[i]->problem != NULL)
			continue;
		for (k = 0; k < i && (rows[k]->host == NULL ||
		    strcmp(rows[k]->host, rows[i]->host) != 0); k++)
			continue;
		if (k == i)             /* each once */
			printf("%s:\n", rows[i]->host);
	}
	for (i = 0; hosts && issues == ISSUES_ALL &&
	    context.config.hosts[i] != NULL; i++)
		printf("%s:\n", context.config.hosts[i]);
	queue_free(q);
	context_close(&context);
}

static const struct {
	const char *name;
	enum words_issues issues;
	bool        panes, hosts;
	const char *more;
} words[] = {
	{ "issues", ISSUES_HERE, false, false, "" },
	{ "targets", ISSUES_HERE, true, false, "" },
	{ "agents", ISSUES_ALL, true, false, "" },
	{ "panes", ISSUES_NONE, true, false, "" },
	{ "answers", ISSUES_ALL, true, false, "yes\nno\n" },
	{ "places", ISSUES_ALL, true, true, "" },
	{ "histories", ISSUES_HERE, true, true, "" },
};

/* ---- the command --------------------------------------------------------- */

static const struct {
	const char *name;
	void      (*print)(const struct offered *);
} shells[] = {
	{ "bash", print_bash },
	{ "zsh",  print_zsh  },
	{ "fish", print_fish },
};

static int
completion_run(const struct command *c, int argc, char **argv)
{
	size_t i;

	while (command_option(c, argc, argv, NULL) != -1)
		;
	if (argc - optind != 1)
		command_usage(c, "one shell is to be named: %s", c->arguments);
	for (i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(argv[optind], shells[i].name) == 0) {
			shells[i].print(entries_make());
			return EXIT_DONE;
		}
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(argv[optind], words[i].name) == 0) {
			print_words(words[i].issues, words[i].panes,
			    words[i].hosts);
			fputs(words[i].more, stdout);
			return EXIT_DONE;
		}
	if (print_names(argv[optind]))
		return EXIT_DONE;
	command_usage(c, "'%s' is none of %s", argv[optind], c->arguments);
}

const struct command completion_command = {
	.name = "completion",
	.summary = "Print a completion script for a shell",
	.arguments = "bash|zsh|fish",
	.examples =
	    "  paneward completion bash >~/.local/share/bash-completion/"
	    "completions/paneward\n"
	    "  paneward completion fish >~/.config/fish/completions/"
	    "paneward.fish\n",
	.options = (const struct command_option[]){ { 0 } },
	.run = completion_run,
};
