#include "project/config.h"

#include <ctype.h>

#include "data/pattern.h"

struct answerrule {
	char *asks, *text, *answer;
	struct pattern *pattern;        /* matches a whole text */
	char **words;                   /* of the pattern's text */
};

/* A pattern must name these, in any case, also in words with '-' or '_'. */
static const char *const dangerous[] = {
	/* delete or overwrite */
	"rm", "rmdir", "rmtree", "unlink", "shred", "truncate", "dd", "mkfs",
	"wipefs", "fdisk", "parted", "delete", "del", "d", "drop", "destroy",
	"purge", "prune", "gc", "expire", "clean", "erase", "wipe", "mv", "cp",
	"ln", "tee", "reset", "restore", "checkout", "revert", "rebase",
	"stash", "amend", "remove", "autoremove", "uninstall", "rmi",
	"userdel", "groupdel",
	/* send */
	"push", "publish", "unpublish", "deploy", "release", "upload", "send",
	"curl", "wget", "scp", "rsync", "ssh", "nc", "mail",
	/* force */
	"force", "f", "yes", "hard", "sudo", "doas", "su", "chmod", "chown",
	"kill", "pkill", "killall", "shutdown", "reboot", "halt", "poweroff",
	/* run what is not shown */
	"eval", "exec", "xargs", "sh", "bash", "zsh", "dash", "fish", "env",
	"nohup", "source", "python", "python3", "perl", "ruby", "node", "npx",
	"php", "lua", "awk", "c", "e",
};

/* A pattern names a special one behind a backslash or in brackets. */
static const char joining[] = ";&|<>`$(){}*?\\\"'~!";

static const struct strict_row rule_rows[] = {
	{ "asks", strict_filled, .at = offsetof(struct answerrule, asks) },
	{ "pattern", strict_filled, .at = offsetof(struct answerrule, text) },
	{ "answer", strict_filled, .at = offsetof(struct answerrule, answer) },
	{ .key = NULL }
};

void
answerrules_release(struct answerrules *rules)
{
	struct answerrule *r;

	while (rules->n > 0) {
		r = &rules->v[--rules->n];
		strict_release(rule_rows, r);
		pattern_free(r->pattern);
		argv_free(r->words);
	}
	free(rules->v);
	rules->v = NULL;
}

static char **
words_in(const char *text)
{
	char **words = NULL, *copy = xstrdup(text), *rest = copy, *p;

	for (p = copy; *p != '\0'; p++)
		*p = text_alnum(*p) ? (char)tolower((unsigned char)*p) : ' ';
	while ((p = strsep(&rest, " ")) != NULL)
		if (*p != '\0')
			words = argv_add(words, p);
	free(copy);
	return words;
}

int
answerrules_take(struct strict *s, void *field, const struct json *list)
{
	struct answerrules *rules = field;
	struct answerrule *r;
	char why[160], *whole;
	const struct json *value;

	if (!json_is(list, JSON_LIST))
		return strict_refuse(s, list, " is not a list of rules");
	answerrules_release(rules);
	json_each(value, list) {
		r = ARRAY_ADD(rules->v, rules->n);
		*r = (struct answerrule){ .asks = NULL };
		if (strict_read(s, rule_rows, r, value) == -1)
			return -1;
		if (r->asks == NULL || r->text == NULL || r->answer == NULL)
			return strict_refuse(s, value, " has a rule without "
			    "asks, pattern or answer");
		if (strcmp(r->asks, "permission") != 0 &&
		    strcmp(r->asks, "question") != 0)
			return strict_refuse(s, value, ": asks is 'permission' "
			    "or 'question', not '%s'", r->asks);
		whole = xasprintf("\\A(?:%s)\\z", r->text);
		r->pattern = pattern_new(whole, false, why, sizeof(why));
		free(whole);
		if (r->pattern == NULL)
			return strict_refuse(s, value, ": pattern '%s' does "
			    "not compile: %s", r->text, why);
		r->words = words_in(r->text);
	}
	return 0;
}

static bool
names_dangers(const struct answerrule *r, const char *text)
{
	char escaped[] = "\\?", bracketed[] = "[?]";
	char **words = words_in(text);
	bool named = true;
	size_t i;

	for (i = 0; i < sizeof(dangerous) / sizeof(*dangerous); i++)
		named = named && (!argv_has(words, dangerous[i]) ||
		    argv_has(r->words, dangerous[i]));
	argv_free(words);
	for (; *text != '\0' && named; text++) {
		escaped[1] = bracketed[1] = *text;
		named = strchr(joining, *text) == NULL ||
		    strstr(r->text, escaped) != NULL ||
		    strstr(r->text, bracketed) != NULL ||
		    (strchr("$|(){}*?\\", *text) == NULL &&
		    strchr(r->text, *text) != NULL);
	}
	return named;
}

const char *
answerrules_find(const struct answerrules *rules, const char *asks,
    const char *text)
{
	const struct answerrule *r;

	for (r = rules->v; r < rules->v + rules->n; r++)
		if (strcmp(r->asks, asks) == 0 &&
		    pattern_match(r->pattern, text, strlen(text)) &&
		    (strcmp(asks, "permission") != 0 || names_dangers(r, text)))
			return r->answer;
	return NULL;
}
