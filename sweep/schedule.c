#include "sweep/schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "os/file.h"
#include "os/proc.h"
#include "text/datafile.h"
#include "text/template.h"

enum { TEMPLATE_MAX = 1 << 20 };

/* Characters that mean the same to cron, sh, systemd and XML. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@+=:,./-";

static const struct format {
	const char *what, *template;
	const char *before, *between, *behind;  /* a variable's name, value */
	bool        home;               /* is it needed? */
	size_t      most;               /* bytes of a line; 0: any number */
} formats[] = {
	/* Many crons cut a longer line off silently. */
	[SCHEDULE_CRON] = { "a crontab", "sweep.cron", "", "=", "",
	    false, SCHEDULE_LINE_MAX },
	[SCHEDULE_SYSTEMD] = { "units for systemd", "sweep.systemd", "",
	    "=", "", false, 0 },
	[SCHEDULE_LAUNCHD] = { "a unit for launchd", "sweep.plist",
	    "<key>", "</key> <string>", "</string>", true, 0 },
};

const char *
schedule_template(enum schedule_kind kind)
{
	return formats[kind].template;
}

/* ---- what cannot be written ---------------------------------------------- */

static int
schedule_refuse(struct buf *error, const struct format *f, const char *what,
    const char *text, const char *why)
{
	buf_printf(error, "cannot print %s: %s '%s' %s", f->what, what, text,
	    why);
	return -1;
}

static int
check_plain(const struct format *f, const char *what, const char *text,
    struct buf *error)
{
	if (text[strspn(text, plain)] == '\0')
		return 0;
	return schedule_refuse(error, f, what, text, "has a character that is "
	    "not in [A-Za-z0-9_@+=:,./-]; rename it");
}

static int
check_schedule(const struct format *f, const struct schedule *s,
    struct buf *error)
{
	char *const *v;

	if (check_plain(f, "the program", s->program, error) == -1 ||
	    check_plain(f, "the project", s->root, error) == -1)
		return -1;
	for (v = s->env; *v != NULL; v++)
		if (check_plain(f, "the variable", *v, error) == -1)
			return -1;
	if (!f->home)
		return 0;
	if (s->home == NULL || s->home[0] != '/')
		return schedule_refuse(error, f, "HOME", s->home ? s->home :
		    "", "is not an absolute path");
	return check_plain(f, "HOME", s->home, error);
}

/* A line of the text, but no comment. */
static int
check_lines(const struct format *f, struct buf *text, struct buf *error)
{
	const char *line = buf_str(text);
	size_t len;

	for (; *line != '\0'; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (f->most == 0 || len <= f->most || line[0] == '#')
			continue;
		buf_printf(error, "cannot print %s: a line of it would have "
		    "%zu bytes, and cron may read no more than %zu of them; "
		    "run this command with a shorter PATH", f->what, len,
		    f->most);
		return -1;
	}
	return 0;
}

/* ---- filling in ---------------------------------------------------------- */

/* The same on every machine, and another one for another path. */
static uint32_t
path_hash(const char *path)
{
	uint32_t hash = 0x811c9dc5;     /* FNV-1a */

	for (; *path != '\0'; path++)
		hash = (hash ^ (unsigned char)*path) * 0x01000193;
	return hash;
}

/* A comment of XML ends at "--", hence the single ones. */
static void
add_project_name(struct buf *out, const char *root)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *p = strrchr(root, '/') + 1;

	for (; *p != '\0' && out->len < 48; p++) {
		if (strchr(safe, *p) != NULL)
			buf_addc(out, *p);
		else if (out->len > 0 && out->data[out->len - 1] != '-')
			buf_addc(out, '-');
	}
	if (out->len == 0)
		buf_adds(out, "project");
	else if (out->data[out->len - 1] == '-')
		out->len--;
	buf_printf(out, "-%08" PRIx32, path_hash(root));
}

static void
add_environment(struct buf *out, const struct format *f, char *const *env)
{
	char *const *v;
	char *name;

	for (v = env; *v != NULL; v++) {
		name = xstrndup(*v, strcspn(*v, "="));
		if (v != env)
			buf_addc(out, ' ');
		buf_printf(out, "%s%s%s%s%s", f->before, name, f->between,
		    *v + strlen(name) + 1, f->behind);
		free(name);
	}
}

int
schedule_fill(struct buf *out, enum schedule_kind kind, const char *text,
    size_t len, const struct schedule *s, struct buf *error)
{
	const struct format *f = &formats[kind];
	struct buf env = BUF_INIT, name = BUF_INIT, unknown = BUF_INIT;
	const char *home = s->home ? s->home : "";
	int ret;

	if (check_schedule(f, s, error) == -1)
		return -1;
	add_environment(&env, f, s->env);
	add_project_name(&name, s->root);
	ret = template_expand(out, text, len, (const struct template_value[]){
		{ "project", s->root, strlen(s->root) },
		{ "program", s->program, strlen(s->program) },
		{ "environment", buf_str(&env), env.len },
		{ "home", home, strlen(home) },
		{ "name", buf_str(&name), name.len },
	    }, 5, &unknown);
	if (ret == -1)
		ret = schedule_refuse(error, f, "template", f->template,
		    strerror(errno));
	else if (unknown.len > 0)
		ret = schedule_refuse(error, f, "template", f->template,
		    "asks for an unknown name");
	else
		ret = check_lines(f, out, error);
	buf_release(&env);
	buf_release(&name);
	buf_release(&unknown);
	return ret;
}

/* ---- our environment ----------------------------------------------------- */

static bool
path_has(const char *list, const char *entry, size_t len)
{
	size_t size;

	for (; *list != '\0'; list += size + (list[size] == ':')) {
		size = strcspn(list, ":");
		if (size == len && memcmp(list, entry, len) == 0)
			return true;
	}
	return false;
}

/* PATH with each of its absolute folders once, if it can be written: a relative
 * one would mean another folder elsewhere. */
static char *
clean_path(const char *path)
{
	struct buf out = BUF_INIT;
	size_t len;

	for (; *path != '\0'; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		if (path[0] != '/' || strspn(path, plain) < len || path_has(
		    buf_str(&out), path, len))
			continue;
		if (out.len > 0)
			buf_addc(&out, ':');
		buf_add(&out, path, len);
	}
	if (out.len == 0)
		buf_adds(&out, "/usr/local/bin:/usr/bin:/bin");
	return buf_steal(&out);
}

static char *
absolute_here(const char *path)
{
	char *here = path[0] != '/' ? xrealpath(".") : NULL;
	char *whole = here != NULL ? xasprintf("%s/%s", here, path) :
	    xstrdup(path);

	free(here);
	return whole;
}

/* Takes value over. */
static char **
add_variable(char **env, const char *name, char *value)
{
	char *both = xasprintf("%s=%s", name, value);

	env = argv_add(env, both);
	free(both);
	free(value);
	return env;
}

char **
schedule_environment(void)
{
	static const struct {
		const char *name;
		bool        relative;   /* may be; else that is ignored */
	} carried[] = {
		{ "TMUX_TMPDIR", true },
		{ "XDG_CONFIG_HOME", false },
		{ "PANEWARD_STATUS_DIR", true },
	};
	const char *value = getenv("PATH");
	char **env = add_variable(NULL, "PATH", clean_path(value ? value : ""));
	size_t i;

	for (i = 0; i < sizeof(carried) / sizeof(carried[0]); i++) {
		value = getenv(carried[i].name);
		if (value == NULL || value[0] == '\0' ||
		    (value[0] != '/' && !carried[i].relative))
			continue;
		env = add_variable(env, carried[i].name, absolute_here(value));
	}
	return env;
}

/* ---- printing ------------------------------------------------------------ */

static int
schedule_read(const char *name, struct buf *text, struct buf *error)
{
	char *path = datafile_find("templates", name);
	int ret = path == NULL ? -1 :
	    file_read(AT_FDCWD, path, 0, text, TEMPLATE_MAX);

	if (ret == -1)
		buf_printf(error, "cannot read the template '%s': %s",
		    path ? path : name, strerror(errno));
	free(path);
	return ret;
}

int
schedule_print(enum schedule_kind kind, const struct project *project,
    struct buf *error)
{
	char *program = proc_program(), **env = schedule_environment();
	const struct schedule s = { .program = program, .root = project->root,
	    .home = getenv("HOME"), .env = env };
	struct buf text = BUF_INIT, out = BUF_INIT;
	int ret = -1;

	if (program == NULL)
		buf_printf(error, "cannot find the path of paneward itself: %s",
		    strerror(errno));
	else if (schedule_read(formats[kind].template, &text, error) == 0)
		ret = schedule_fill(&out, kind, text.data, text.len, &s, error);
	if (ret == 0 && file_write(STDOUT_FILENO, out.data, out.len) == -1) {
		buf_printf(error, "cannot write to standard output: %s",
		    strerror(errno));
		ret = -1;
	}
	buf_release(&text);
	buf_release(&out);
	argv_free(env);
	free(program);
	return ret;
}
