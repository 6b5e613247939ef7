#include "data/shell.h"

enum quoting {
	QUOTING_POSIX,          /* 'it'\''s' */
	QUOTING_FISH,           /* 'it\'s', and a backslash doubled */
	QUOTING_CSH,            /* as POSIX, but ! is history even there */
	QUOTING_NONE            /* no safe way is known */
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

	if (name[0] == '-')                     /* by login(1) */
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

bool
shell_line(struct buf *line, const char *name, const char *const *argv)
{
	const struct shell *shell = shell_find(name);
	enum quoting how = shell != NULL ? shell->quoting : QUOTING_NONE;
	size_t before = line->len;
	bool good = shell != NULL;
	const char *p;

	for (; good && *argv != NULL; argv++) {
		if (line->len > before)
			buf_addc(line, ' ');
		/* No shell changes such a word. */
		if (**argv != '\0' && text_only(*argv, "_./+:@-")) {
			buf_adds(line, *argv);
			continue;
		}
		buf_addc(line, '\'');
		good = how != QUOTING_NONE;
		for (p = *argv; good && *p != '\0'; p++) {
			good = (unsigned char)*p >= ' ' && *p != '\177' &&
			    (how != QUOTING_CSH || *p != '!');
			if (how == QUOTING_FISH && (*p == '\'' || *p == '\\'))
				buf_printf(line, "\\%c", *p);
			else if (*p == '\'')
				buf_adds(line, "'\\''");
			else
				buf_addc(line, *p);
		}
		buf_addc(line, '\'');
	}
	good = good && line->len - before <= SHELL_LINE;
	if (!good)
		line->len = before;
	return good;
}
