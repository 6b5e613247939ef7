/*
 * command.c ends the program where it refuses something, so most of these
 * tests run it in a child of their own and look at what it left.
 */
#include "base/command.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/argv.h"
#include "base/msg.h"
#include "tap.h"

enum { KEY_STATUS_DIR = OPTION_LONG, KEY_STEAL_PIPE };

static const struct command_option options[] = {
	{ 'o', "output", "FILE", "write to this file" },
	{ 'j', "json", NULL, "as JSON" },
	{ KEY_STATUS_DIR, "status-dir", "DIR", "where the signals are" },
	{ KEY_STEAL_PIPE, "steal-pipe", NULL, "whoever it belongs to" },
	{ 0, NULL, NULL, NULL }
};

static const struct command plough = {
	.name = "plough",
	.summary = "turn a field over",
	.arguments = "FIELD...",
	.examples = "  paneward plough 42\n",
	.options = options,
};

static const struct command_option none[] = { { 0, NULL, NULL, NULL } };

static const struct command bare = { .name = "bare", .options = none };

enum { WORDS = 8 };

/* What a command line came to. */
struct outcome {
	int  status;
	char text[2048];
};

/* Runs in the child; prints each key with its argument, then what is left. */
static void
parse(const struct command *c, char **argv)
{
	int key, argc = 0;

	while (argv[argc] != NULL)
		argc++;
	while ((key = command_option(c, argc, argv, NULL)) != -1) {
		if (key < OPTION_LONG)
			printf("%c", key);
		else
			printf("%d", key - OPTION_LONG);
		printf("%s%s ", optarg ? "=" : "", optarg ? optarg : "");
	}
	printf(":");
	for (; optind < argc; optind++)
		printf(" %s", argv[optind]);
}

static void
read_back(FILE *file, char *text, size_t size)
{
	rewind(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	fclose(file);
}

/* The child's results, or where it was refused its message. */
static struct outcome
outcome_of(void (*child)(void *), void *given)
{
	struct outcome o = { -1, "" };
	FILE *out = tmpfile(), *err = tmpfile();
	int status;
	pid_t pid;

	fflush(stdout);
	if (out == NULL || err == NULL || (pid = fork()) == -1)
		return o;
	if (pid == 0) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		child(given);
		exit(EXIT_DONE);
	}
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
		o.status = WEXITSTATUS(status);
	read_back(o.status == EXIT_DONE ? out : err, o.text, sizeof(o.text));
	fclose(o.status == EXIT_DONE ? err : out);
	return o;
}

static void
parse_plough(void *argv)
{
	parse(&plough, argv);
}

/* The outcome of `paneward plough WORD...`; the words end with NULL. */
__attribute__((sentinel)) static struct outcome
typed(const char *word, ...)
{
	char *argv[WORDS + 1] = { NULL }, copy[WORDS][64];
	va_list ap;
	int n = 0;

	va_start(ap, word);
	snprintf(copy[n], sizeof(copy[n]), "plough");
	argv[n] = copy[n];
	for (n = 1; word != NULL && n < WORDS; n++) {
		snprintf(copy[n], sizeof(copy[n]), "%s", word);
		argv[n] = copy[n];
		word = va_arg(ap, const char *);
	}
	va_end(ap);
	return outcome_of(parse_plough, argv);
}

static void
is_parsed(struct outcome o, const char *want)
{
	is_number(o.status, EXIT_DONE);
	is_text(o.text, want);
}

static void
is_refused(struct outcome o, const char *why)
{
	char want[512];

	snprintf(want, sizeof(want), "paneward: plough: %s "
	    "(see 'paneward plough --help')\n", why);
	is_number(o.status, EXIT_USAGE);
	is_text(o.text, want);
}

TEST(options_are_known_by_name_and_by_letter) {
	is_parsed(typed("--json", "7", NULL), "j : 7");
	is_parsed(typed("-j", "7", NULL), "j : 7");
	is_parsed(typed("--output", "f", NULL), "o=f :");
	is_parsed(typed("--output=f", NULL), "o=f :");
	is_parsed(typed("-o", "f", NULL), "o=f :");
	is_parsed(typed("-of", NULL), "o=f :");
	is_parsed(typed("--output=", "--steal-pipe", NULL), "o= 1 :");
	is_refused(typed("--status-dir=", "--steal-pipe", NULL),
	    "option '--status-dir' needs a directory, and '' is none");
	is_refused(typed("--status-dir", "", NULL),
	    "option '--status-dir' needs a directory, and '' is none");
}

TEST(letters_may_stand_together) {
	is_parsed(typed("-jjof", NULL), "j j o=f :");
	is_parsed(typed("-jo", "f", "7", NULL), "j o=f : 7");
}

TEST(options_may_stand_behind_arguments) {
	is_parsed(typed("7", "--json", "8", NULL), "j : 7 8");
}

TEST(two_dashes_end_the_options) {
	is_parsed(typed("7", "-j", "--", "sh", "-c", "-j", NULL),
	    "j : 7 sh -c -j");
	is_parsed(typed("--", "--help", NULL), ": --help");
	is_parsed(typed("-o", "--", "-", NULL), "o=-- : -");
}

TEST(a_name_may_be_cut_short_where_that_is_clear) {
	is_parsed(typed("--out=f", NULL), "o=f :");
	is_parsed(typed("--ste", NULL), "1 :");
	is_refused(typed("--st", NULL),
	    "'--st' may be any of '--status-dir', '--steal-pipe'");
	is_refused(typed("--st=x", NULL),
	    "'--st' may be any of '--status-dir', '--steal-pipe'");
}

TEST(an_unknown_name_is_refused_with_the_nearest_one) {
	is_refused(typed("--jsno", NULL),
	    "unknown option '--jsno'; did you mean '--json'?");
	is_refused(typed("--ouptut=f", NULL),
	    "unknown option '--ouptut'; did you mean '--output'?");
	is_refused(typed("--harrow", NULL), "unknown option '--harrow'");
	is_refused(typed("7", "8", "--harrow=9", "10", NULL),
	    "unknown option '--harrow'");
}

TEST(an_unknown_letter_is_refused_wherever_it_stands) {
	is_refused(typed("-x", NULL), "unknown option '-x'");
	is_refused(typed("-jxj", NULL), "unknown option '-x'");
	is_refused(typed("--json", "7", "-xj", NULL), "unknown option '-x'");
	is_refused(typed("-?", NULL), "unknown option '-?'");
	is_refused(typed("-:", NULL), "unknown option '-:'");
	is_refused(typed("-\n", NULL), "unknown option '-\\x0a'");
	is_refused(typed("-\xc3\xa9", NULL), "unknown option '-\\xc3'");
}

TEST(a_missing_argument_is_named) {
	is_refused(typed("--output", NULL),
	    "option '--output' needs an argument (FILE)");
	is_refused(typed("-jo", NULL),
	    "option '--output' needs an argument (FILE)");
	is_refused(typed("--status", NULL),
	    "option '--status-dir' needs an argument (DIR)");
}

TEST(a_value_for_an_option_without_one_is_refused) {
	is_refused(typed("--json=1", NULL),
	    "option '--json' takes no argument");
	is_refused(typed("--steal-pipe=1", NULL),
	    "option '--steal-pipe' takes no argument");
	is_refused(typed("--help=1", NULL),
	    "option '--help' takes no argument");
}

TEST(help_shows_examples_then_every_option) {
	static const char want[] =
	    "Examples:\n"
	    "  paneward plough 42\n"
	    "\n"
	    "Usage: paneward plough [options] FIELD...\n"
	    "turn a field over\n"
	    "\n"
	    "Options:\n"
	    "  -o, --output FILE         write to this file\n"
	    "  -j, --json                as JSON\n"
	    "      --status-dir DIR      where the signals are\n"
	    "      --steal-pipe          whoever it belongs to\n"
	    "  -h, --help                show this and do nothing\n";

	is_parsed(typed("--help", NULL), want);
	is_parsed(typed("-h", NULL), want);
	is_parsed(typed("-h", "--harrow", NULL), want);
}

static void
show_bare(void *nothing)
{
	(void)nothing;
	command_help(&bare);
}

TEST(a_command_of_few_words_has_help) {
	is_parsed(outcome_of(show_bare, NULL),
	    "Usage: paneward bare [options]\n"
	    "\n"
	    "Options:\n"
	    "  -h, --help                show this and do nothing\n");
}

static void
number(void *text)
{
	printf("%ld", command_number(&plough, "--depth", text, false, -5, 100));
}

static void
seconds(void *text)
{
	printf("%ld", command_number(&plough, "--time", text, true, 0, 7200));
}

TEST(seconds_may_have_a_unit) {
	static struct { char text[8]; const char *number; } all[] = {
		{ "90", "90" }, { "90s", "90" }, { "10m", "600" },
		{ "2h", "7200" }, { "0w", "0" },
	};
	static char wrong[][8] = { "3h", "1y", "m", "-1s", "1.5h", "1 m" };
	char why[160];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		is_parsed(outcome_of(seconds, all[i].text),
		    all[i].number);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(why, sizeof(why), "--time '%s' is not a whole number "
		    "from 0 to 7200 (seconds, or with a unit: 90s, 10m, 2h)",
		    wrong[i]);
		is_refused(outcome_of(seconds, wrong[i]), why);
	}
}

static void
is_number_refused(const char *text)
{
	char why[160], copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	snprintf(why, sizeof(why),
	    "--depth '%s' is not a whole number from -5 to 100", text);
	is_refused(outcome_of(number, copy), why);
}

TEST(a_number_is_whole_and_within_its_limits) {
	char least[] = "-5", most[] = "100", zeros[] = "007";

	is_parsed(outcome_of(number, least), "-5");
	is_parsed(outcome_of(number, most), "100");
	is_parsed(outcome_of(number, zeros), "7");
	is_number_refused("-6");
	is_number_refused("101");
	is_number_refused("99999999999999999999999");
	is_number_refused("");
	is_number_refused("-");
	is_number_refused(" 7");
	is_number_refused("+7");
	is_number_refused("7s");
	is_number_refused("7.5");
	is_number_refused("0x10");
}

static void
issue(void *text)
{
	fputs(command_issue(&plough, text), stdout);
}

TEST(an_issue_is_taken_only_where_it_is_one) {
	char good[] = "Fix_42-b", bad[] = "../42";

	is_parsed(outcome_of(issue, good), "Fix_42-b");
	is_refused(outcome_of(issue, bad),
	    "'../42' is not an issue: letters, digits, '_' and '-', "
	    "at most 64, the first a letter or digit");
}

static void
agent(void *text)
{
	fputs(command_agent(&plough, text), stdout);
}

TEST(an_agent_is_an_issue_or_a_pane) {
	static const struct { const char *word; bool pane; } words[] = {
		{ "42", false }, { "%5", true }, { "4711%5", true },
		{ "api:1.0", true }, { "api:my:win.dow.1", true },
		{ "%", false }, { "%5x", false }, { "x%5", false },
		{ "desk:42", false }, { "10.0.0.7:42", false },
		{ "desk:%5", false }, { "", false },
	};
	char good[] = "%5", bad[] = "../42";
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		ok(command_pane(words[i].word) == words[i].pane);
	is_parsed(outcome_of(agent, good), "%5");
	is_refused(outcome_of(agent, bad),
	    "'../42' is not an issue: letters, digits, '_' and '-', "
	    "at most 64, the first a letter or digit");
	is_refused(outcome_of(issue, good), "'%5' is a pane, and an issue is "
	    "needed: 'paneward watch NAME --pane %5' makes it one");
}

static void
is_nearer(const char *typed, const char *word, const char *nearest, bool is)
{
	const char *found = nearest;

	command_nearer(&found, typed, word);
	ok(found == (is ? word : nearest));
}

struct sown {
	bool deep;
	const char *seed;
	long rows;
	char **fields;
};

static const struct command sow = {
	.name = "plough",
	.options = (const struct command_option[]){
		{ 0, "deep", NULL, "a hand deep", FLAG_AT(struct sown, deep) },
		{ 's', "seed", "NAME", "what", TEXT_AT(struct sown, seed) },
		{ 0, "rows", "N", "so many", NUMBER_AT(struct sown, rows, 1, 9) },
		{ 0, "field", "NAME", "where", LIST_AT(struct sown, fields) },
		{ 'x', "other", NULL, "what the command does itself" },
		{ 0 }
	},
};

static void
sow_now(void *words)
{
	char line[80], name[] = "plough", *argv[WORDS * 2] = { name }, *word;
	struct sown s = { .rows = 2 };
	int key, argc = 1;

	snprintf(line, sizeof(line), "%s", (const char *)words);
	for (word = strtok(line, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	while ((key = command_option(&sow, argc, argv, &s)) != -1)
		printf("%c ", key);
	printf("%d %s %ld", s.deep, s.seed, s.rows);
	for (key = 0; s.fields != NULL && s.fields[key] != NULL; key++)
		printf(" %s", s.fields[key]);
	printf(": %d", argc - optind);
	argv_free(s.fields);
}

static struct outcome
sown(const char *words)
{
	return outcome_of(sow_now, (void *)(uintptr_t)words);
}

TEST(an_option_sets_the_member_that_its_row_names) {
	is_parsed(sown("--deep -x --field a --rows 7 -s rye --field=b left"),
	    "x 1 rye 7 a b: 1");
	is_parsed(sown("-s rye"), "0 rye 2: 0");
	is_refused(sown("--rows 10"),
	    "--rows '10' is not a whole number from 1 to 9");
	is_refused(sown("--deep=no"), "option '--deep' takes no argument");
}

TEST(the_nearest_word_has_the_fewest_changed_added_or_missing_letters) {
	is_nearer("watch", "watch", NULL, true);
	is_nearer("wacht", "watch", NULL, true);
	is_nearer("wath", "watch", NULL, true);
	is_nearer("watchh", "watch", NULL, true);
	is_nearer("", "watch", NULL, false);
	is_nearer("watch", "", NULL, false);
	is_nearer("kitten", "sitting", NULL, false);
	is_nearer("kitten", "sitten", "mitte", true);
	is_nearer("kitten", "mitte", "sitten", false);
	is_nearer("kitten", "mitten", "sitten", false);
	is_nearer("stauts", "status", "start", true);
	is_nearer("stauts", "start", "status", false);
	is_nearer("ba", "abcd", NULL, false);
}
