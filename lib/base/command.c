#include "base/command.h"

#include <assert.h>
#include <ctype.h>
#include <getopt.h>

#include "base/argv.h"
#include "base/buf.h"
#include "base/issue.h"
#include "base/msg.h"
#include "base/since.h"
#include "base/state.h"

enum { KEY_NONE = 1 << 16 };

static const struct command_option help_option = {
	'h', "help", NULL, "show this and do nothing"
};

/* The option behind o, or the first; NULL behind the last. */
static const struct command_option *
option_next(const struct command *c, const struct command_option *o)
{
	if (o == &help_option)
		return NULL;
	o = o == NULL ? c->options : o + 1;
	return o != NULL && o->name != NULL ? o : &help_option;
}

static size_t
command_distance(const char *a, const char *b)
{
	enum { MOST = 32 };
	size_t rows[3][MOST], i, j, best, lb = strlen(b);
	size_t *row = rows[0], *last, *before;

	assert(lb < MOST);
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; a[i - 1] != '\0'; i++) {
		before = rows[(i + 1) % 3];
		last = row;
		row = rows[i % 3];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			best = last[j - 1] + (a[i - 1] != b[j - 1]);
			if (best > last[j] + 1)
				best = last[j] + 1;
			if (best > row[j - 1] + 1)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && best > before[j - 2] + 1)
				best = before[j - 2] + 1;
			row[j] = best;
		}
	}
	return row[lb];
}

void
command_nearer(const char **nearest, const char *typed, const char *word)
{
	size_t least = *nearest ? command_distance(typed, *nearest) : 3;

	if (command_distance(typed, word) < least)
		*nearest = word;
}

static _Noreturn void
unknown_long(const struct command *c, const char *typed)
{
	const struct command_option *o = NULL;
	size_t len = strcspn(typed + 2, "=");
	char *name = xstrndup(typed + 2, len);
	const char *nearest = NULL;
	struct buf several = BUF_INIT;

	while ((o = option_next(c, o)) != NULL) {
		if (strncmp(o->name, name, len) == 0)
			buf_printf(&several, "%s'--%s'", several.len ? ", " :
			    "", o->name);
		command_nearer(&nearest, name, o->name);
	}
	if (several.len > 0)
		command_usage(c, "'--%s' may be any of %s", name,
		    buf_str(&several));
	if (nearest != NULL)
		command_usage(c, "unknown option '--%s'; did you mean '--%s'?",
		    name, nearest);
	command_usage(c, "unknown option '--%s'", name);
}

static void
command_count(const struct command *c, int n, char *const *arguments)
{
	const char *takes = c->arguments != NULL ? c->arguments : "", *p;
	int least = 0, most = 0;

	if (strstr(takes, "--") != NULL || strstr(takes, " | ") != NULL)
		return;
	for (p = takes; *p != '\0'; p += *p == ' ', most++) {
		least += *p != '[';
		p += strcspn(p, " ");
	}
	if (n < least)
		command_usage(c, "needs %s", takes);
	if (n > most && most == 0)
		command_usage(c, "takes no argument, and '%s' is one",
		    arguments[0]);
	if (n > most && strstr(takes, "...") == NULL)
		command_usage(c, "takes %s, and '%s' is one more%s", takes,
		    arguments[most], strstr(takes, "TEXT") != NULL ?
		    "; put a text in quotes" : "");
}

/* A row without a key has one by its place. */
static int
option_key(const struct command *c, const struct command_option *o)
{
	return o->key != 0 ? o->key : KEY_NONE + (int)(o - c->options);
}

static void
print_wrapped(const char *text, int column)
{
	enum { EDGE = 79 };
	int at = column, len;

	for (; *text != '\0'; text += len) {
		while (*text == ' ')
			text++;
		len = (int)strcspn(text, " ");
		if (at > column && at + 1 + len > EDGE) {
			printf("\n%*s", column, "");
			at = column;
		}
		at += printf("%s%.*s", at > column ? " " : "", len, text);
	}
	putchar('\n');
}

static void
command_help(const struct command *c)
{
	enum { LEFT = 26 };
	const struct command_option *o = NULL;
	char letter[] = "-?,", *rest;
	int width;

	if (c->examples != NULL)
		printf("Examples:\n%s\n", c->examples);
	printf("Usage: ");
	rest = xasprintf("%s %s [options]%s%s", msg_name(), c->name,
	    c->arguments ? " " : "", c->arguments ? c->arguments : "");
	print_wrapped(rest, 7);
	free(rest);
	if (c->summary != NULL)
		printf("%s\n", c->summary);
	printf("\nOptions:\n");
	while ((o = option_next(c, o)) != NULL) {
		letter[1] = (char)o->key;
		width = printf("  %3s --%s%s%s",
		    option_letter(o) ? letter : "", o->name,
		    o->argument && !option_optional(o) ? " " : "",
		    o->argument ? o->argument : "");
		if (width > LEFT) {
			putchar('\n');
			width = 0;
		}
		printf("%*s", LEFT + 2 - width, "");
		print_wrapped(o->help, LEFT + 2);
	}
}

int
command_option(const struct command *c, int argc, char **argv, void *set)
{
	struct buf letters = BUF_INIT;
	struct option *rows = NULL;
	const struct command_option *o = NULL;
	int key, which;
	size_t n = 0;
	char name[64];
	void *at;

	buf_addc(&letters, ':');
	while ((o = option_next(c, o)) != NULL) {
		*ARRAY_ADD(rows, n) = (struct option){ .name = o->name,
		    .val = option_key(c, o),
		    .has_arg = o->argument == NULL ? no_argument :
		    option_optional(o) ? optional_argument :
		    required_argument };
		if (option_letter(o))
			buf_printf(&letters, "%c%s", o->key,
			    o->argument ? ":" : "");
	}
	*ARRAY_ADD(rows, n) = (struct option){ .name = NULL };
	opterr = 0;
	key = getopt_long(argc, argv, buf_str(&letters), rows, NULL);
	free(rows);
	buf_release(&letters);
	/* optopt is a known option's key, an unknown letter, or zero for an
	 * unknown name. */
	which = key == '?' || key == ':' ? optopt : key;
	while ((o = option_next(c, o)) != NULL && option_key(c, o) != which)
		continue;
	if (key == ':')
		command_usage(c, "option '--%s' needs an argument (%s)",
		    o->name, o->argument);
	if (key == '?' && optopt == 0)
		unknown_long(c, argv[optind - 1]);
	if (key == '?' && o != NULL)
		command_usage(c, "option '--%s' takes no argument", o->name);
	if (key == '?')
		command_usage(c, "unknown option '-%c'", optopt);
	if (o != NULL && o->argument != NULL && optarg != NULL &&
	    optarg[0] == '\0' && strcmp(o->argument, "DIR") == 0)
		command_usage(c, "option '--%s' needs a directory, and '' is "
		    "none", o->name);
	if (key == help_option.key) {
		command_help(c);
		exit(EXIT_DONE);
	}
	if (key == -1)
		command_count(c, argc - optind, argv + optind);
	if (o == NULL || o->kind == OPTION_OTHER)
		return key;
	at = (char *)set + o->at;
	if (o->kind == OPTION_FLAG) {
		*(bool *)at = true;
	} else if (o->kind == OPTION_TEXT) {
		*(const char **)at = optarg;
	} else if (o->kind == OPTION_LIST) {
		*(char ***)at = argv_add(*(char ***)at, optarg);
	} else {
		snprintf(name, sizeof(name), "--%s", o->name);
		*(long *)at = command_number(c, name, optarg,
		    strcmp(o->argument, "SEC") == 0, o->least, o->most);
	}
	return command_option(c, argc, argv, set);
}

void
command_usage(const struct command *c, const char *format, ...)
{
	va_list ap;
	char text[512];

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	fatal_usage("%s: %s (see '%s %s --help')", c->name, text, msg_name(),
	    c->name);
}

long
command_number(const struct command *c, const char *option,
    const char *argument, bool seconds, long min, long max)
{
	const char *digits = argument + (*argument == '-');
	bool whole;
	msec span;
	char *end;
	long n;

	errno = 0;
	n = strtol(argument, &end, 10);
	whole = isdigit((unsigned char)*digits) && *end == '\0' && errno == 0;
	if (seconds && since_span(argument, &span)) {
		n = (long)(span / 1000);
		whole = true;
	}
	if (!whole || n < min || n > max)
		command_usage(c, "%s '%s' is not a whole number from %ld "
		    "to %ld%s", option, argument, min, max,
		    seconds ? SINCE_UNITS : "");
	return n;
}

unsigned
command_states(const struct command *c, const char *option, const char *list)
{
	struct buf known = BUF_INIT;
	unsigned states = 0;
	enum state state;
	const char *p;
	size_t len;
	int i;

	for (p = list;; p += len + 1) {
		len = strcspn(p, ",");
		state = state_of(p, len);
		if (state == STATE_NONE || state == STATE_QUEUED)
			break;
		states |= 1u << state;
		if (p[len] == '\0')
			return states;
	}
	for (i = STATE_NONE + 1; i < STATE_QUEUED; i++)
		buf_printf(&known, "%s%s", known.len > 0 ? ", " : "",
		    state_name((enum state)i));
	command_usage(c, "%s '%s': '%.*s' is not a state: %s", option, list,
	    (int)len, p, buf_str(&known));
}

bool
command_pane(const char *word)
{
	const char *id = word + strspn(word, "0123456789");
	const char *colon = strchr(word, ':');

	return (colon != NULL && strchr(colon, '.') != NULL) ||
	    (*id == '%' && id[1] != '\0' &&
	    id[1 + strspn(id + 1, "0123456789")] == '\0');
}

const char *
command_agent(const struct command *c, const char *argument)
{
	return command_pane(argument) ? argument : command_issue(c, argument);
}

const char *
command_issue(const struct command *c, const char *argument)
{
	const char *id = strchr(argument, '%');

	if (command_pane(argument))
		command_usage(c, "'%s' is a pane, and an issue is needed: "
		    "'paneward watch NAME --pane %s' makes it one", argument,
		    id != NULL ? id : "%ID");
	if (!issue_valid(argument))
		command_usage(c, "'%s' is not an issue: letters, digits, '_' "
		    "and '-', at most %d, the first a letter or digit",
		    argument, ISSUE_MAX);
	return argument;
}
