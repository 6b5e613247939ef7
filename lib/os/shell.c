#include "os/shell.h"

#include <stddef.h>
#include <string.h>

/* How a shell quotes a word that has special characters. */
enum quoting {
	QUOTING_POSIX,          /* 'it'\''s' */
	QUOTING_FISH,           /* 'it\'s', and a backslash doubled */
	QUOTING_CSH,            /* as POSIX, but ! is history even there */
	QUOTING_NONE            /* no way that is sure */
};

static const struct shell {
	const char  *name;
	enum quoting quoting;
} shells[] = {
	{ "sh", QUOTING_POSIX },    { "bash", QUOTING_POSIX },
	{ "dash", QUOTING_POSIX },  { "zsh", QUOTING_POSIX },
	{ "ash", QUOTING_POSIX },   { "ksh", QUOTING_POSIX },
	{ "mksh", QUOTING_POSIX },  { "oksh", QUOTING_POSIX },
	{ "ksh93", QUOTING_POSIX }, { "yash", QUOTING_POSIX },
	{ "rbash", QUOTING_POSIX }, { "busybox", QUOTING_POSIX },
	{ "fish", QUOTING_FISH },   { "csh", QUOTING_CSH },
	{ "tcsh", QUOTING_CSH },    { "elvish", QUOTING_NONE },
	{ "nu", QUOTING_NONE },     { "pwsh", QUOTING_NONE },
	{ "xonsh", QUOTING_NONE },
};

static const struct shell *
shell_find(const char *name)
{
	size_t i;

	if (name[0] == '-')                     /* as login(1) names it */
		name++;
	for (i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(shells[i].name, name) == 0)
			return &shells[i];
	return NULL;
}

bool
shell_known(const char *name)
{
	return shell_find(name) != NULL;
}

/* Does every shell read it as one plain word? */
static bool
shell_plain(const char *word)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
	    "qrstuvwxyz0123456789_./+:@-";

	return word[0] != '\0' && strspn(word, safe) == strlen(word);
}

static bool
has_control(const char *word)
{
	for (; *word != '\0'; word++)
		if ((unsigned char)*word < ' ' || *word == '\177')
			return true;
	return false;
}

static bool
quote(struct buf *line, enum quoting how, const char *word)
{
	if (has_control(word) || how == QUOTING_NONE ||
	    (how == QUOTING_CSH && strchr(word, '!') != NULL))
		return false;
	buf_addc(line, '\'');
	for (; *word != '\0'; word++) {
		if (how == QUOTING_FISH && (*word == '\'' || *word == '\\'))
			buf_printf(line, "\\%c", *word);
		else if (*word == '\'')
			buf_adds(line, "'\\''");
		else
			buf_addc(line, *word);
	}
	buf_addc(line, '\'');
	return true;
}

bool
shell_line(struct buf *line, const char *name, const char *const *argv)
{
	const struct shell *shell = shell_find(name);
	size_t before = line->len, i;
	bool good = shell != NULL;

	for (i = 0; good && argv[i] != NULL; i++) {
		if (i > 0)
			buf_addc(line, ' ');
		if (shell_plain(argv[i]))
			buf_adds(line, argv[i]);
		else
			good = quote(line, shell->quoting, argv[i]);
	}
	if (good && line->len - before <= SHELL_LINE)
		return true;
	line->len = before;
	return false;
}
