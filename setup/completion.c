/*
 * completion.c - what makes the tab key know paneward, for three shells.
 *
 * A script is printed once, at installation: everything in it comes from the
 * tables of commands and options.  Offered are commands, then the options of
 * the one typed, then the words of a choice ("complete|error"), and otherwise
 * the names of files.  Issues and panes change, so for them the script calls
 * this command again.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/command.h"
#include "base/msg.h"
#include "paneward.h"
#include "queue/queue.h"
#include "setup/commands.h"

/* A command that is not hidden. */
struct entry {
	const struct command *command;
	char       *word;               /* the first one of its name */
	const char *verb;               /* the second, as in "loop run"; NULL */
	bool        first;              /* no command before has this word */
};

/* Commands that share their first word stand together.  The last entry has no
 * command. */
static struct entry *
entries_make(void)
{
	struct entry *list = NULL;
	const struct command *c;
	const char *blank;
	size_t i, n = 0;

	for (i = 0; (c = command_at(i)) != NULL; i++) {
		list = xreallocarray(list, n + 2, sizeof(*list));
		if (c->summary == NULL)
			continue;
		blank = strchr(c->name, ' ');
		list[n] = (struct entry){ .command = c,
		    .word = xstrndup(c->name, strcspn(c->name, " ")),
		    .verb = blank != NULL ? blank + 1 : NULL };
		list[n].first = n == 0 ||
		    strcmp(list[n - 1].word, list[n].word) != 0;
		n++;
	}
	list[n] = (struct entry){ .command = NULL };
	return list;
}

/* The verbs of a first word, with a blank between them. */
static void
print_verbs(const struct entry *first)
{
	const struct entry *e;

	printf("%s", first->verb);
	for (e = first + 1; e->command != NULL && !e->first; e++)
		printf(" %s", e->verb);
}

/*
 * Prints the words of a choice, with a blank between them, between two texts.
 * In the tables it is written word|word, and comes first.  False if there is
 * none.
 */
static bool
print_choice(const char *before, const char *synopsis, const char *after)
{
	size_t i, len = synopsis == NULL ? 0 :
	    strspn(synopsis, "abcdefghijklmnopqrstuvwxyz-|");

	if (len == 0 || (synopsis[len] != '\0' && synopsis[len] != ' ') ||
	    memchr(synopsis, '|', len) == NULL)
		return false;
	fputs(before, stdout);
	for (i = 0; i < len; i++)
		putchar(synopsis[i] == '|' ? ' ' : synopsis[i]);
	fputs(after, stdout);
	return true;
}

/* The kind of words that a command takes, as words[] below names it; NULL:
 * another.  An issue that is to be started is new. */
static const char *
words_of(const struct command *c)
{
	const char *synopsis = c->arguments != NULL ? c->arguments : "";

	if (*synopsis == '[')
		synopsis++;
	if (strncmp(synopsis, "ISSUE", 5) != 0 ||
	    strstr(synopsis, "[-- ") != NULL)
		return NULL;
	if (strstr(synopsis, "HOST:") != NULL)
		return strstr(synopsis, "%PANE") != NULL ? "places" :
		    "histories";
	if (strstr(synopsis, "yes|no") != NULL)
		return "answers";
	return strstr(synopsis, "%PANE") != NULL ? "agents" : "issues";
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
    "\t1:*) words='";

static const char bash_end[] =
    "\tesac\n"
    "\t[[ $word != -* ]] || words=$options\n"
    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "}\n"
    "\n"
    "complete -o default -F _paneward paneward\n";

static void
bash_command(const struct entry *e)
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
		if (o->key < OPTION_LONG)
			printf(" | -%c", o->key);
		printf(") options= words='");
		print_choice("", o->argument, "");
		printf("' ;;\n");
	}
	printf("\t\tesac ;;\n");
}

static void
print_bash(const struct entry *list)
{
	const struct entry *e;

	fputs(bash_begin, stdout);
	for (e = list; e->command != NULL; e++)
		if (e->first)
			printf("%s ", e->word);
	printf("help version --help --version' ;;\n");
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
		if (o->key < OPTION_LONG)
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
			if (!print_choice("(", o->argument, ")") &&
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
print_zsh(const struct entry *list)
{
	const struct entry *e;

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
fish_command(const struct entry *e)
{
	const struct command *c = e->command;
	const struct command_option *o;

	if (e->verb != NULL)
		printf("complete -c paneward -n '__paneward_next %s' -f "
		    "-a %s -d '", e->word, e->verb);
	else
		printf("complete -c paneward -n __paneward_next -f -a %s -d '",
		    e->word);
	print_quoted(c->summary, "\\");
	printf("'\n");
	for (o = c->options; o->name != NULL; o++) {
		printf("complete -c paneward -n '__paneward_command %s' -l %s",
		    c->name, o->name);
		if (o->key < OPTION_LONG)
			printf(" -s %c", o->key);
		if (o->argument != NULL && !option_optional(o))
			printf(" -r");
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
print_fish(const struct entry *list)
{
	const struct entry *e;

	fputs(fish_begin, stdout);
	for (e = list; e->command != NULL; e++) {
		if (e->first && e->verb != NULL)
			printf("complete -c paneward -n __paneward_next -f "
			    "-a %s\n", e->word);
		fish_command(e);
	}
}

/* ---- words --------------------------------------------------------------- */

/* What begins the words of hosts of a fleet, each once. */
static void
print_hosts(struct row *const *rows, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		if (rows[i]->host == NULL || rows[i]->problem != NULL)
			continue;
		for (k = 0; k < i && (rows[k]->host == NULL ||
		    strcmp(rows[k]->host, rows[i]->host) != 0); k++)
			continue;
		if (k == i)
			printf("%s:\n", rows[i]->host);
	}
}

/* Prints a word for each row: issues, and with all set those of every project,
 * and the panes of agents without one; with hosts set also what begins those of
 * other hosts. */
static void
print_words(bool all, bool hosts)
{
	struct row *const *rows;
	struct context context;
	struct queue *q;
	size_t n, i;

	context_open(&context, NULL, false);
	q = queue_new(&(struct queue_how){ .context = &context, .all = all,
	    .panes = all, .names = true,
	    .hosts = hosts && context.config.fleet != NULL });
	queue_look(q);
	rows = queue_rows(q, &n);
	for (i = 0; i < n; i++)
		if (rows[i]->host == NULL && rows[i]->problem == NULL)
			printf("%s\n", rows[i]->pane ?
			    rows[i]->status.place.pane : row_name(rows[i]));
	print_hosts(rows, n);
	for (i = 0; hosts && all && context.config.hosts[i] != NULL; i++)
		printf("%s:\n", context.config.hosts[i]);
	queue_free(q);
	context_close(&context);
}

static const struct {
	const char *name;
	bool        all, hosts;
	const char *more;
} words[] = {
	{ "issues", false, false, "" },
	{ "agents", true, false, "" },
	{ "answers", true, false, "yes\nno\n" },
	{ "places", true, true, "" },
	{ "histories", false, true, "" },
};

/* ---- the command --------------------------------------------------------- */

static const struct {
	const char *name;
	void      (*print)(const struct entry *);
} shells[] = {
	{ "bash", print_bash },
	{ "zsh",  print_zsh  },
	{ "fish", print_fish },
};

static int
completion_run(const struct command *c, int argc, char **argv)
{
	size_t i;

	while (command_option(c, argc, argv) != -1)
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
			print_words(words[i].all, words[i].hosts);
			fputs(words[i].more, stdout);
			return EXIT_DONE;
		}
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
