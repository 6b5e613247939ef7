/*
 * completion.c - what makes the tab key know paneward, for three shells.
 *
 * A script is printed once, at installation: everything in it comes from the
 * tables of commands and options.  Offered are commands, then the options of
 * the one typed, then the words of a choice ("complete|error") and otherwise
 * the names of files.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/msg.h"
#include "paneward.h"
#include "setup/commands.h"

/* The next command that is not hidden, from a place of the table on. */
static const struct command *
next_command(size_t *place)
{
	const struct command *c;

	do
		c = command_at((*place)++);
	while (c != NULL && c->summary == NULL);
	return c;
}

/* The second word of a name as "loop run"; NULL: there is none. */
static const char *
verb_of(const struct command *c)
{
	const char *blank = strchr(c->name, ' ');

	return blank != NULL ? blank + 1 : NULL;
}

/* How long the first word is. */
static int
word_len(const struct command *c)
{
	return (int)strcspn(c->name, " ");
}

/* Commands that share their first word stand together. */
static bool
option_same(const struct command *a, const struct command *b)
{
	return a != NULL && word_len(a) == word_len(b) &&
	    strncmp(a->name, b->name, (size_t)word_len(a)) == 0;
}

/* The next command with another first word than the last one. */
static const struct command *
next_word(size_t *place)
{
	const struct command *last = NULL, *c;

	if (*place > 0)
		last = command_at(*place - 1);
	do
		c = next_command(place);
	while (c != NULL && option_same(last, c));
	return c;
}

/* The verbs of a first word, with a blank between them. */
static void
print_verbs(const struct command *first)
{
	const struct command *c;
	size_t i = 0;

	while ((c = next_command(&i)) != NULL)
		if (option_same(first, c))
			printf("%s%s", c == first ? "" : " ", verb_of(c));
}

/* A choice is written word|word in the tables, and comes first. */
static size_t
choice_len(const char *synopsis)
{
	size_t len;

	if (synopsis == NULL)
		return 0;
	len = strspn(synopsis, "abcdefghijklmnopqrstuvwxyz-|");
	if (synopsis[len] != '\0' && synopsis[len] != ' ')
		return 0;
	return memchr(synopsis, '|', len) != NULL ? len : 0;
}

/* Its words, with a blank between them. */
static void
print_choice(const char *synopsis)
{
	size_t i, len = choice_len(synopsis);

	for (i = 0; i < len; i++)
		putchar(synopsis[i] == '|' ? ' ' : synopsis[i]);
}

static bool
has_letter(const struct command_option *o)
{
	return o->key < OPTION_LONG;
}

/*
 * Text inside of single quotes, special characters behind a backslash.  A
 * quote in the text ends the quotes, stands escaped, and opens them again,
 * which all three shells understand.
 */
static void
print_quoted(const char *text, const char *special)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'') {
			fputs("'\\''", stdout);
			continue;
		}
		if (strchr(special, *text) != NULL)
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
    "\tcase \"$COMP_CWORD:${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n";

static const char bash_end[] =
    "\tesac\n"
    "\t[[ $word != -* ]] || words=$options\n"
    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "}\n"
    "\n"
    "complete -o default -F _paneward paneward\n";

static void
bash_option(const struct command_option *o)
{
	if (o->argument == NULL)
		return;
	printf("\t\t--%s", o->name);
	if (has_letter(o))
		printf(" | -%c", o->key);
	printf(") options= words='");
	print_choice(o->argument);
	printf("' ;;\n");
}

static void
bash_command(const struct command *c)
{
	const struct command_option *o;

	if (verb_of(c) != NULL)
		printf("\t*:'%s')\n\t\toptions='", c->name);
	else
		printf("\t*:'%s '*)\n\t\toptions='", c->name);
	for (o = c->options; o->name != NULL; o++)
		printf("--%s ", o->name);
	printf("--help' words='");
	print_choice(c->arguments);
	printf("'\n\t\tcase $before in\n");
	for (o = c->options; o->name != NULL; o++)
		bash_option(o);
	printf("\t\tesac ;;\n");
}

static void
print_bash(void)
{
	const struct command *c;
	size_t i = 0;

	fputs(bash_begin, stdout);
	printf("\t1:*) words='");
	while ((c = next_word(&i)) != NULL)
		printf("%.*s ", word_len(c), c->name);
	printf("--help --version' ;;\n");
	for (i = 0; (c = next_word(&i)) != NULL; ) {
		if (verb_of(c) == NULL)
			continue;
		printf("\t2:'%.*s '*) options=--help words='", word_len(c),
		    c->name);
		print_verbs(c);
		printf("' ;;\n");
	}
	for (i = 0; (c = next_command(&i)) != NULL; )
		bash_command(c);
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

static const char zsh_commands[] =
    "\t)\n"
    "\tif (( CURRENT == 2 )); then\n"
    "\t\t_describe -t commands command commands\n"
    "\t\treturn\n"
    "\tfi\n"
    "\tcommand=$words[2]\n"
    "\tshift words\n"
    "\t(( CURRENT-- ))\n";

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

/* Where the first word has verbs, they are its second one. */
static void
zsh_verbs(void)
{
	const struct command *c;
	size_t i = 0;

	while ((c = next_word(&i)) != NULL) {
		if (verb_of(c) == NULL)
			continue;
		printf("\tif [[ $command == %.*s ]]; then\n\t\tverbs=(",
		    word_len(c), c->name);
		print_verbs(c);
		printf(")\n"
		    "\t\tif (( CURRENT == 2 )); then\n"
		    "\t\t\t_describe -t verbs verb verbs\n"
		    "\t\t\treturn\n"
		    "\t\tfi\n"
		    "\t\tcommand=\"$command $words[2]\"\n"
		    "\t\tshift words\n"
		    "\t\t(( CURRENT-- ))\n"
		    "\tfi\n");
	}
	printf("\tcase $command in\n");
}

/* The action of _arguments for what a synopsis describes. */
static void
zsh_action(const char *synopsis)
{
	if (choice_len(synopsis) == 0) {
		printf("_files");
		return;
	}
	printf("(");
	print_choice(synopsis);
	printf(")");
}

static void
zsh_option(const struct command_option *o)
{
	printf(" \\\n\t\t\t");
	if (has_letter(o))
		printf("'(-%c --%s)'{-%c,--%s}", o->key, o->name, o->key,
		    o->name);
	else
		printf("--%s", o->name);
	printf("'[");
	print_quoted(o->help, "\\[]:");
	printf("]");
	if (o->argument != NULL) {
		printf(":");
		print_quoted(o->argument, "\\:");
		printf(":");
		zsh_action(o->argument);
	}
	printf("'");
}

static void
zsh_command(const struct command *c)
{
	const struct command_option *o;

	printf("\t'%s')\n\t\t_arguments -s", c->name);
	for (o = c->options; o->name != NULL; o++)
		zsh_option(o);
	printf(" \\\n\t\t\t'(- *)'{-h,--help}'[show help]'");
	if (choice_len(c->arguments) > 0) {
		printf(" \\\n\t\t\t'1:choice:");
		zsh_action(c->arguments);
		printf("'");
	}
	printf(" \\\n\t\t\t'*:file:_files' ;;\n");
}

static void
print_zsh(void)
{
	const struct command *c;
	size_t i = 0;

	fputs(zsh_begin, stdout);
	while ((c = next_word(&i)) != NULL) {
		printf("\t\t'%.*s:", word_len(c), c->name);
		print_quoted(c->summary, "\\");
		printf("'\n");
	}
	fputs(zsh_commands, stdout);
	zsh_verbs();
	for (i = 0; (c = next_command(&i)) != NULL; )
		zsh_command(c);
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
    "complete -c paneward -n __paneward_next -l help -l version -f\n";

static void
fish_option(const struct command *c, const struct command_option *o)
{
	printf("complete -c paneward -n '__paneward_command %s' -l %s",
	    c->name, o->name);
	if (has_letter(o))
		printf(" -s %c", o->key);
	if (o->argument != NULL)
		printf(" -r");
	if (choice_len(o->argument) > 0) {
		printf(" -f -a '");
		print_choice(o->argument);
		printf("'");
	}
	printf(" -d '");
	print_quoted(o->help, "\\");
	printf("'\n");
}

static void
fish_command(const struct command *c)
{
	const struct command_option *o;

	if (verb_of(c) != NULL)
		printf("complete -c paneward -n '__paneward_next %.*s' -f "
		    "-a %s -d '", word_len(c), c->name, verb_of(c));
	else
		printf("complete -c paneward -n __paneward_next -f -a %s -d '",
		    c->name);
	print_quoted(c->summary, "\\");
	printf("'\n");
	for (o = c->options; o->name != NULL; o++)
		fish_option(c, o);
	if (choice_len(c->arguments) > 0) {
		printf("complete -c paneward -n '__paneward_command %s' -a '",
		    c->name);
		print_choice(c->arguments);
		printf("'\n");
	}
}

static void
print_fish(void)
{
	const struct command *c;
	size_t i = 0;

	fputs(fish_begin, stdout);
	while ((c = next_word(&i)) != NULL)
		if (verb_of(c) != NULL)
			printf("complete -c paneward -n __paneward_next -f "
			    "-a %.*s\n", word_len(c), c->name);
	for (i = 0; (c = next_command(&i)) != NULL; )
		fish_command(c);
}

/* ---- the command --------------------------------------------------------- */

static const struct {
	const char *name;
	void      (*print)(void);
} shells[] = {
	{ "bash", print_bash },
	{ "zsh",  print_zsh  },
	{ "fish", print_fish },
};

static const struct command_option options[] = {
	{ 0, NULL, NULL, NULL }
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
			shells[i].print();
			return EXIT_DONE;
		}
	command_usage(c, "'%s' is none of %s", argv[optind], c->arguments);
}

const struct command completion_command = {
	.name = "completion",
	.summary = "Print what makes a shell complete paneward's words",
	.arguments = "bash|zsh|fish",
	.examples =
	    "  paneward completion bash >~/.local/share/bash-completion/"
	    "completions/paneward\n"
	    "  paneward completion fish >~/.config/fish/completions/"
	    "paneward.fish\n",
	.options = options,
	.run = completion_run,
};
