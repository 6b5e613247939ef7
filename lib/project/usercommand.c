#include "project/config.h"

#include "os/file.h"
#include "os/spawn.h"

static const char shell[] = "/bin/sh";

/* Plain to the shell. */
static const char plain[] = "_./+,@:-";

char **
usercommand_words(const char *const *words, const char *base)
{
	char **copy = argv_add_all(xcalloc(1, sizeof(*copy)), words);
	char *program = copy[0];

	if (program != NULL && base != NULL && strchr(program, '/') != NULL) {
		copy[0] = project_join(base, program);
		free(program);
	}
	return copy;
}

char **
usercommand_parse(const char *text, const char *base)
{
	if (text_only(text, plain))
		return usercommand_words(WORDS(text[0] ? text : NULL), base);
	/* The last word is $0 there. */
	return argv_add_all(NULL, WORDS(shell, "-c", text, "paneward"));
}

int
usercommand_check(char *const *words, const char *before, struct buf *error)
{
	const char *program = words[0];
	struct spawn s = SPAWN_INIT;
	struct stat st;
	char *found;
	int reason = 0, ret = -1;

	if (program == NULL)
		return 0;
	buf_adds(error, before);
	if (argv_count(words) == 4 && strcmp(program, shell) == 0 &&
	    strcmp(words[1], "-c") == 0) {
		found = xstrndup(words[2], strcspn(words[2], " \t\n;&|<>()"));
		/* Only the shell knows builtins, functions and aliases. */
		if (found[0] != '\0' && text_only(found, plain))
			spawn_run(&s, &(struct spawn_how){ .limit = 5000,
			    .argv = WORDS(shell, "-c", "command -v -- \"$1\"",
			    shell, found) });
		if (s.status == 0 || s.status == SPAWN_FAILED)
			ret = 0;
		else
			buf_printf(error, "sh finds no command '%s'", found);
		spawn_release(&s);
	} else if ((found = spawn_find(program)) != NULL) {
		ret = 0;
	} else {
		reason = file_missing(errno) ? 0 : errno;
		if (reason != 0)
			buf_printf(error, "cannot look for '%s': %s", program,
			    strerror(reason));
		else if (strchr(program, '/') == NULL)
			buf_printf(error, "there is no program '%s' in PATH",
			    program);
		else if (stat(program, &st) == -1)
			buf_printf(error, "'%s': %s", program, strerror(errno));
		else
			buf_printf(error, "'%s' is not executable", program);
	}
	free(found);
	if (ret == 0)
		buf_reset(error);
	errno = reason;
	return ret;
}

char **
usercommand_pager(const char *less)
{
	const char *pager = getenv("PAGER");
	char *found = NULL, **words;

	setenv("LESS", less, 0);
	if (pager == NULL || pager[0] == '\0') {
		found = spawn_find("less");
		pager = found != NULL ? found : "more";
	}
	words = usercommand_parse(pager, ".");
	free(found);
	return words;
}
