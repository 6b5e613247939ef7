#include "data/shell.h"

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

/* Adds the word in quotes; false, after a part of it, if this shell cannot
 * quote it. */
static bool
quote(struct buf *line, enum quoting how, const char *word)
{
	buf_addc(line, '\'');
	for (; *word != '\0'; word++) {
		if ((unsigned char)*word < ' ' || *word == '\177' ||
		    (how == QUOTING_CSH && *word == '!'))
			return false;
		if (how == QUOTING_FISH && (*word == '\'' || *word == '\\'))
			buf_printf(line, "\\%c", *word);
		else if (*word == '\'')
			buf_adds(line, "'\\''");
		else
			buf_addc(line, *word);
	}
	buf_addc(line, '\'');
	return how != QUOTING_NONE;
}

bool
shell_line(struct buf *line, const char *name, const char *const *argv)
{
	/* Every shell reads a word of these as it stands. */
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
	    "qrstuvwxyz0123456789_./+:@-";
	const struct shell *shell = shell_find(name);
	size_t before = line->len, i;
	bool good = shell != NULL;

	for (i = 0; good && argv[i] != NULL; i++) {
		if (i > 0)
			buf_addc(line, ' ');
		if (argv[i][0] != '\0' &&
		    argv[i][strspn(argv[i], plain)] == '\0')
			buf_adds(line, argv[i]);
		else
			good = quote(line, shell->quoting, argv[i]);
	}
	if (good && line->len - before <= SHELL_LINE)
		return true;
	line->len = before;
	return false;
}
