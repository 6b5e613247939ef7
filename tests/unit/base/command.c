/*
 * command.c ends the program where it refuses something, so these tests run it
 * in a child, and look at what it left.
 */
#include "base/command.h"

#include <stdint.h>

#include "base/msg.h"
#include "unit/children.h"
#include "unit/fixture.h"

enum { KEY_STATUS_DIR = OPTION_LONG, KEY_STEAL_PIPE, WORDS_MAX = 16 };

static const struct command_option options[] = {
	{ 'o', "output", "FILE", "write to this file" },
	{ 'j', "json", NULL, "as JSON" },
	{ KEY_STATUS_DIR, "status-dir", "DIR", "where the signals are" },
	{ KEY_STEAL_PIPE, "steal-pipe", NULL, "whoever it belongs to" },
	{ 0, NULL, NULL, NULL }
};

static const struct command plough = {
	.name = "plough", .arguments = "[WORD...]",
	.options = options,
};

static void (*act)(void *);             /* of the child, with a text */

/* Its output, or behind a '!' why it is refused. */
static const char *
said(const char *text)
{
	static char refusal[2048];
	int status = status_of(act, (void *)(uintptr_t)text);
	const char *error = scratch_text("err");

	if (status == EXIT_DONE && error[0] == '\0')
		return scratch_text("out");
	is_number(status, EXIT_USAGE);
	snprintf(refusal, sizeof(refusal), "!%s", replaced(replaced(error,
	    "paneward: plough: ", ""), " (see 'paneward plough --help')\n",
	    ""));
	return refusal;
}

#define ACTS(does, ...) (act = (does), ROWS(said, __VA_ARGS__))

static int
split(const char *line, char **words)
{
	static char text[256];
	char *word;
	int n = 0;

	snprintf(text, sizeof(text), "plough %s", line);
	for (word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
		words[n++] = word;
	words[n] = NULL;
	return n;
}

/* Prints each key with its argument, then what is left. */
static void
parse(void *line)
{
	char *words[WORDS_MAX];
	int key, n = split(line, words);

	while ((key = command_option(&plough, n, words, NULL)) != -1) {
		printf(key < OPTION_LONG ? "%c" : "%d",
		    key < OPTION_LONG ? key : key - OPTION_LONG);
		printf("%s%s ", optarg ? "=" : "", optarg ? optarg : "");
	}
	printf(":");
	for (; optind < n; optind++)
		printf(" %s", words[optind]);
}

TEST(options_are_parsed_wherever_they_stand) {
	ACTS(parse, "--json 7 => j : 7", "-j 7 => j : 7",
	    "--output f => o=f :", "--output=f => o=f :", "-o f => o=f :",
	    "-of => o=f :", "--output= --steal-pipe => o= 1 :",
	    "--status-dir= --steal-pipe => !option '--status-dir' needs a "
	    "directory, and '' is none",
	    /* Letters together, behind arguments, behind two dashes. */
	    "-jjof => j j o=f :", "-jo f 7 => j o=f : 7",
	    "7 --json 8 => j : 7 8", "7 -j -- sh -c -j => j : 7 sh -c -j",
	    "-- --help => : --help", "-o -- - => o=-- : -",
	    /* A name cut short, where that is clear. */
	    "--out=f => o=f :", "--ste => 1 :",
	    "--st=x => !'--st' may be any of '--status-dir', '--steal-pipe'");
}

/* tests/system/usage.sh has more of them. */
TEST(a_wrong_option_is_refused_by_its_name) {
	ACTS(parse, "--ouptut=f => !unknown option '--ouptut'; did you mean "
	    "'--output'?", "7 8 --harrow=9 10 => !unknown option '--harrow'",
	    "-jxj => !unknown option '-x'",
	    "--json 7 -xj => !unknown option '-x'",
	    "-? => !unknown option '-?'", "-: => !unknown option '-:'",
	    "-\n => !unknown option '-\\x0a'",
	    "-\xc3\xa9 => !unknown option '-\\xc3'",
	    "-jo => !option '--output' needs an argument (FILE)",
	    "--status => !option '--status-dir' needs an argument (DIR)",
	    "--json=1 => !option '--json' takes no argument",
	    "--help=1 => !option '--help' takes no argument");
}

static void
number(void *text)
{
	printf("%ld", command_number(&plough, "--n", text, false, -5, 100));
}

static void
seconds(void *text)
{
	printf("%ld", command_number(&plough, "--n", text, true, 0, 7200));
}

#define NO(text) text " => !--n '" text "' is not a whole number " LIMITS

TEST(a_number_is_whole_and_within_its_limits) {
#define LIMITS "from -5 to 100"
	ACTS(number, "-5 => -5", "100 => 100", "007 => 7", NO("-6"), NO("101"),
	    NO("99999999999999999999999"), NO(""), NO("-"), NO(" 7"),
	    NO("+7"), NO("7s"), NO("7.5"), NO("0x10"));
#undef LIMITS
#define LIMITS "from 0 to 7200 (seconds, or with a unit: 90s, 10m, 2h)"
	ACTS(seconds, "90 => 90", "90s => 90", "10m => 600", "2h => 7200",
	    "0w => 0", NO("3h"), NO("1y"), NO("m"), NO("-1s"), NO("1.5h"),
	    NO("1 m"));
}

static void
agent(void *text)
{
	fputs(command_agent(&plough, text), stdout);
}

TEST(an_agent_is_an_issue_or_a_pane) {
	ACTS(agent, "%5 => %5", "Fix_42-b => Fix_42-b", "../42 => !'../42' is "
	    "not an issue: letters, digits, '_' and '-', at most 64, the "
	    "first a letter or digit");
	says(true, command_pane, WORDS("%5", "4711%5", "api:1.0",
	    "api:my:win.dow.1"));
	says(false, command_pane, WORDS("42", "%", "%5x", "x%5", "desk:42",
	    "10.0.0.7:42", "desk:%5", ""));
}

struct sown {
	bool deep;
	const char *seed;
	long rows;
	char **fields;
};

static const struct command sow = {
	.name = "plough", .arguments = "[WORD...]",
	.options = (const struct command_option[]){
		{ 0, "deep", NULL, "a hand deep", FLAG_AT(struct sown, deep) },
		{ 's', "seed", "NAME", "what", TEXT_AT(struct sown, seed) },
		{ 0, "rows", "N", "many", NUMBER_AT(struct sown, rows, 1, 9) },
		{ 0, "field", "NAME", "where", LIST_AT(struct sown, fields) },
		{ 'x', "other", NULL, "what the command does itself" },
		{ 0 }
	},
};

static void
sow_now(void *line)
{
	char *words[WORDS_MAX];
	struct sown s = { .rows = 2 };
	int key, n = split(line, words);

	while ((key = command_option(&sow, n, words, &s)) != -1)
		printf("%c ", key);
	printf("%d %s %ld", s.deep, s.seed, s.rows);
	for (key = 0; s.fields != NULL && s.fields[key] != NULL; key++)
		printf(" %s", s.fields[key]);
	printf(": %d", n - optind);
	argv_free(s.fields);
}

TEST(an_option_sets_the_member_that_its_row_names) {
	ACTS(sow_now, "--deep -x --field a --rows 7 -s rye --field=b left => "
	    "x 1 rye 7 a b: 1", "-s rye => 0 rye 2: 0",
	    "--rows 10 => !--rows '10' is not a whole number from 1 to 9",
	    "--deep=no => !option '--deep' takes no argument");
}

/* "TYPED WORD [SO FAR]": the nearest one. */
static const char *
nearest(const char *row)
{
	static char typed[32], word[32], best[32];
	const char *found = sscanf(row, "%31s %31s %31s", typed, word, best) ==
	    3 ? best : NULL;

	command_nearer(&found, typed, word);
	return found != NULL ? found : "none";
}

TEST(the_nearest_word_has_the_fewest_changed_added_or_missing_letters) {
	const char *found = NULL;

	ROWS(nearest, "watch watch => watch", "wacht watch => watch",
	    "wath watch => watch", "watchh watch => watch",
	    "kitten sitting => none", "kitten sitten mitte => sitten",
	    "kitten mitte sitten => sitten", "kitten mitten sitten => sitten",
	    "stauts status start => status", "stauts start status => status",
	    "ba abcd => none");
	command_nearer(&found, "", "watch");
	command_nearer(&found, "watch", "");
	ok(found == NULL);
}
