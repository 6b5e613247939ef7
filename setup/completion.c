/*
 * completion.c - prints a script by which the tab key knows paneward.
 *
 * The script is made of a template of the shell and the tables of commands and
 * options.  For issues, panes and backends, which change, it calls this
 * command.
 *
 * A template has %command(...%) for each shown command, %option(...%) for each
 * of its options, %NAME(...%) if that value is not empty, %!NAME(...%) if it
 * is.
 */
#include "setup/setup.h"

#include "queue/queue.h"

/* The kind of words that the script asks for; NULL: none.  An issue to be
 * started is new. */
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

/* The words of a choice, "a|b" or "a ... | b ...", with blanks between; or
 * NULL. */
static char *
choice_of(const char *synopsis)
{
	const char *p = synopsis != NULL ? synopsis : "";
	size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz-|");
	struct buf words = BUF_INIT;

	if (len == 0 || (p[len] != '\0' && p[len] != ' ') ||
	    (memchr(p, '|', len) == NULL && strstr(p, " | ") == NULL))
		return NULL;
	for (; p != NULL; p = strstr(p, " | ")) {
		p += strspn(p, " |");
		if (words.len > 0)
			buf_addc(&words, ' ');
		for (; *p != ' ' && *p != '\0'; p++)
			buf_addc(&words, *p == '|' ? ' ' : *p);
	}
	return buf_steal(&words);
}

/* The text for single quotes of all three shells, special characters behind a
 * backslash. */
static char *
quoted(const char *text, const char *special)
{
	struct buf out = BUF_INIT;

	for (; *text != '\0'; text++) {
		if (*text == '\'')
			buf_adds(&out, "'\\'");
		else if (strchr(special, *text) != NULL)
			buf_addc(&out, '\\');
		buf_addc(&out, *text);
	}
	return buf_steal(&out);
}

struct script {
	const struct command *command;
	struct values values;           /* live as long as the program */
	struct buf out;
};

/* The first command with a first word has all verbs of that. */
static void
script_command(struct script *s, const struct command *c, size_t place)
{
	/* The first row that a synopsis holds decides. */
	static const struct { const char *holds, *words; } asks[] = {
		{ "[-- COMMAND", "" }, { "HOST:ISSUE]", "histories" },
		{ "HOST:", "places" }, { "yes|no", "answers" },
		{ "%PANE...", "agents" }, { "%PANE", "targets" },
		{ "", "issues" },
	};
	size_t i, len = strcspn(c->name, " ");
	const char *word = xstrndup(c->name, len);
	const char *synopsis = c->arguments != NULL ? c->arguments : "";
	const char *ask = words_named(synopsis);
	bool verb = c->name[len] != '\0', first = true;
	struct values *v = &s->values;
	struct buf verbs = BUF_INIT;
	const struct command *other;

	for (i = 0; verb && (other = commands[i].command) != NULL; i++) {
		if (other->summary == NULL ||
		    strncmp(other->name, c->name, len + 1) != 0)
			continue;
		first = first && i >= place;
		buf_printf(&verbs, "%s%s", verbs.len > 0 ? " " : "",
		    other->name + len + 1);
	}
	for (i = 0; ask == NULL && i < sizeof(asks) / sizeof(asks[0]); i++)
		if (strncmp(synopsis + (*synopsis == '['), "ISSUE", 5) == 0 &&
		    strstr(synopsis, asks[i].holds) != NULL)
			ask = asks[i].words;
	s->command = c;
	values_set(v, "first", first ? word : NULL);
	values_set(v, "word", word);
	values_set(v, "verb", verb ? c->name + len + 1 : NULL);
	values_set(v, "verbs", first ? buf_str(&verbs) : NULL);
	values_set(v, "name", c->name);
	values_set(v, "summary", quoted(c->summary, "\\"));
	values_set(v, "ask", ask);
	values_set(v, "choice", choice_of(c->arguments));
}

static void
script_option(struct script *s, const struct command_option *o)
{
	const char *ask = words_named(o->name);
	char *choice = ask == NULL ? choice_of(o->argument) : NULL;
	const char *required = option_optional(o) ? NULL : o->argument;
	struct values *v = &s->values;

	values_set(v, "long", o->name);
	values_set(v, "letter", option_letter(o) ? xasprintf("%c", o->key) :
	    NULL);
	values_set(v, "help", quoted(o->help, "\\"));
	values_set(v, "description", quoted(o->help, "\\[]:"));
	values_set(v, "argument", o->argument == NULL ? NULL :
	    quoted(o->argument, "\\:"));
	values_set(v, "required", required);
	values_set(v, "optional", required == NULL ? o->argument : NULL);
	values_set(v, "option_ask", ask);
	values_set(v, "option_choice", choice);
	values_set(v, "file", ask == NULL && choice == NULL ? required : NULL);
}

/* Expands up to the end of the block; returns what is behind it. */
static const char *
script_expand(struct script *s, const char *text, bool shown)
{
	const struct command_option *o;
	const struct template_value *v;
	const struct command *c;
	const char *body;
	char name[32];
	size_t i, len;
	int head;
	bool not;

	while (*text != '\0' && strncmp(text, "%)", 2) != 0) {
		head = 0;
		sscanf(text, "%%%31[a-z_!](%n", name, &head);
		if (head == 0) {
			len = 1 + strcspn(text + 1, "%");
			if (shown)
				template_expand(&s->out, text, len,
				    s->values.list, s->values.n, NULL);
			text += len;
			continue;
		}
		body = text + head;
		not = name[0] == '!';
		v = values_find(&s->values, name + not);
		text = script_expand(s, body, shown &&
		    (v != NULL && v->len > 0) != not);
		if (shown && strcmp(name, "command") == 0)
			for (i = 0; (c = commands[i].command) != NULL; i++)
				if (c->summary != NULL) {
					script_command(s, c, i);
					script_expand(s, body, true);
				}
		if (shown && strcmp(name, "option") == 0)
			for (o = s->command->options; o != NULL &&
			    o->name != NULL; o++) {
				script_option(s, o);
				script_expand(s, body, true);
			}
	}
	return text + (*text != '\0' ? 2 : 0);
}

/* Issues, of this project or of all, panes of agents without one, and hosts. */
static const struct kind {
	const char *name;
	bool        here, all, panes, hosts, choices;
} kinds[] = {
	{ "issues", .here = true },
	{ "targets", .here = true, .panes = true },
	{ "agents", .all = true, .panes = true },
	{ "panes", .panes = true },
	{ "answers", .all = true, .panes = true, .choices = true },
	{ "places", .all = true, .panes = true, .hosts = true },
	{ "histories", .here = true, .panes = true, .hosts = true },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static char **
row_words(const struct kind *kind)
{
	char **words = NULL, **hosts = NULL, **known, *host;
	struct context context;
	struct queue *q;
	struct row *r;
	size_t i;

	context_open(&context, NULL, false);
	q = queue_new(&(struct queue_how){ .context = &context,
	    .all = kind->panes, .panes = kind->panes, .names = true,
	    .hosts = kind->hosts && context.config.fleet != NULL });
	queue_look(q);
	for (i = 0; i < q->nrows; i++) {
		r = q->rows[i];
		if (r->problem != NULL)
			continue;
		if (r->host == NULL && (r->pane || kind->all || (kind->here &&
		    strcmp(r->directory, context.dir.path) == 0)))
			words = argv_add(words, r->pane && !row_session(r) ?
			    r->status.place.pane : row_name(r));
		host = r->host ? xasprintf("%s:", r->host) : NULL;
		if (host != NULL && !argv_has(hosts, host))
			hosts = argv_own(hosts, host);
	}
	known = context.config.hosts;
	for (; kind->hosts && kind->all && *known != NULL; known++)
		hosts = argv_own(hosts, xasprintf("%s:", *known));
	words = argv_add_all(words, (const char *const *)hosts);
	queue_end(q);
	return kind->choices ? argv_add_all(words, WORDS("yes", "no")) : words;
}

static int
completion_run(const struct command *c, int argc, char **argv)
{
	struct buf text = BUF_INIT, why = BUF_INIT;
	struct script s = { .command = NULL };
	const char *word;
	char **names = NULL;
	size_t i;
	int k;

	command_option(c, argc, argv, NULL);
	word = argv[optind];
	if (strcmp(word, "bash") == 0 || strcmp(word, "zsh") == 0 ||
	    strcmp(word, "fish") == 0) {
		if (ownfile_template(&text, "templates",
		    xasprintf("completion.%s", word), &why) == -1)
			fatalx("%s", buf_str(&why));
		script_expand(&s, buf_str(&text), true);
		fputs(buf_str(&s.out), stdout);
		return EXIT_DONE;
	}
	for (i = 0; i < KINDS && strcmp(word, kinds[i].name) != 0; i++)
		continue;
	if (i < KINDS)
		names = row_words(&kinds[i]);
	else if (strcmp(word, "backends") == 0)
		names = datafile_names("backends", ".json");
	else if (strcmp(word, "templates") == 0)
		names = datafile_names("agents", ".md");
	else if (strcmp(word, "states") == 0)
		for (k = STATE_NONE + 1; k < STATE_QUEUED; k++)
			names = argv_add(names, state_names[k]);
	else if (strcmp(word, "ways") == 0)
		for (k = 0; k < NOTICEWAY_COMMAND; k++)
			names = argv_add(names, noticeway_name(k));
	else
		command_usage(c, "'%s' is none of %s", word, c->arguments);
	for (; names != NULL && *names != NULL; names++)
		puts(*names);
	return EXIT_DONE;
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
	.run = completion_run,
};
