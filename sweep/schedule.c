#include "sweep/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/msg.h"
#include "text/template.h"

/* ---- crontab ------------------------------------------------------------- */

/*
 * One word for sh.  Cron comes first: most make "%" of "\%" wherever it
 * stands, and a bare '%' ends the line; some also make one backslash of two,
 * and some do nothing of that.  So a '%' stands outside the quotes, where the
 * backslash is the shell's if cron leaves it there, and no backslash of the
 * text is next to another or to a '%'.
 */
static void
add_cron_word(struct buf *out, const char *text)
{
	buf_addc(out, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '%' || *text == '\'')
			buf_printf(out, "'\\%c'", *text);
		else if (*text == '\\')
			buf_adds(out, text[1] == '\\' ? "\\''" : "\\");
		else
			buf_addc(out, *text);
	}
	buf_addc(out, '\'');
}

static void
add_cron_variable(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s=", name);
	add_cron_word(out, value);
}

/* ---- systemd ------------------------------------------------------------- */

/* Text between double quotes.  '%' begins a specifier everywhere, '$' a
 * variable only among the arguments of a command. */
static void
add_systemd_text(struct buf *out, const char *text, bool argument)
{
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			buf_addc(out, '\\');
		else if (*text == '%' || (*text == '$' && argument))
			buf_addc(out, *text);
		buf_addc(out, *text);
	}
}

/* Taken as it stands but for specifiers; a blank at its end would be cut off,
 * and a backslash there joins the next line. */
static void
add_systemd_path(struct buf *out, const char *path)
{
	size_t len = strlen(path);

	for (; *path != '\0'; path++) {
		if (*path == '%')
			buf_addc(out, '%');
		buf_addc(out, *path);
	}
	if (len > 1 && strchr(" \\", path[-1]) != NULL)
		buf_addc(out, '/');
}

/* systemd itself runs no program with a quote or a backslash in its path; the
 * shell does. */
static void
add_systemd_command(struct buf *out, const char *program)
{
	bool argument = strpbrk(program, "'\"\\") != NULL;

	if (argument)
		buf_adds(out, "/bin/sh -c 'exec \"$$0\" \"$$@\"' ");
	buf_addc(out, '"');
	add_systemd_text(out, program, argument);
	buf_addc(out, '"');
}

static void
add_systemd_variable(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "\"%s=", name);
	add_systemd_text(out, value, false);
	buf_addc(out, '"');
}

/* ---- launchd ------------------------------------------------------------- */

static void
add_xml(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		switch (*text) {
		case '&': buf_adds(out, "&amp;"); break;
		case '<': buf_adds(out, "&lt;"); break;
		case '>': buf_adds(out, "&gt;"); break;
		default: buf_addc(out, *text);
		}
	}
}

static void
add_xml_variable(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "<key>%s</key>\n\t\t<string>", name);
	add_xml(out, value);
	buf_adds(out, "</string>");
}

/* ---- the formats --------------------------------------------------------- */

static const struct format {
	const char *what, *template;
	void      (*directory)(struct buf *, const char *path);
	void      (*command)(struct buf *, const char *program);
	void      (*variable)(struct buf *, const char *name,
	    const char *value);
	const char *between;            /* variables */
	bool        home;               /* is it needed? */
	size_t      most;               /* bytes of a line; 0: any number */
} formats[] = {
	/* Many crons cut a longer line off without a word. */
	[UNITS_CRON] = { "a crontab", "sweep.cron", add_cron_word,
	    add_cron_word, add_cron_variable, " ", false, UNITS_LINE_MAX },
	[UNITS_SYSTEMD] = { "units for systemd", "sweep.systemd",
	    add_systemd_path, add_systemd_command, add_systemd_variable, " ",
	    false, 0 },
	[UNITS_LAUNCHD] = { "a unit for launchd", "sweep.plist", add_xml,
	    add_xml, add_xml_variable, "\n\t\t", true, 0 },
};

const char *
units_template(enum units_kind kind)
{
	return formats[kind].template;
}

/* ---- what cannot be written ---------------------------------------------- */

static int
refuse(struct buf *error, const struct format *f, const char *what,
    const char *text, const char *why)
{
	buf_printf(error, "cannot print %s: %s '%s' %s", f->what, what, text,
	    why);
	return -1;
}

/* Is it what a person would be shown, byte for byte? */
static bool
plain(const char *text)
{
	struct buf shown = BUF_INIT;
	bool same;

	msg_escape(&shown, text, strlen(text));
	same = strcmp(buf_str(&shown), text) == 0;
	buf_release(&shown);
	return same;
}

static int
check_text(const struct format *f, const char *what, const char *text,
    struct buf *error)
{
	return plain(text) ? 0 : refuse(error, f, what, text, "holds a control "
	    "character or is no UTF-8; change it");
}

static int
check(const struct format *f, const struct units *u, struct buf *error)
{
	char *const *v;

	if (check_text(f, "the program", u->program, error) == -1 ||
	    check_text(f, "the project", u->root, error) == -1)
		return -1;
	for (v = u->env; *v != NULL; v++)
		if (check_text(f, "the variable", *v, error) == -1)
			return -1;
	if (!f->home)
		return 0;
	if (u->home == NULL || u->home[0] != '/')
		return refuse(error, f, "HOME", u->home ? u->home : "",
		    "is not an absolute path");
	return check_text(f, "HOME", u->home, error);
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
add_name(struct buf *out, const char *root)
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
			buf_adds(out, f->between);
		f->variable(out, name, *v + strlen(name) + 1);
		free(name);
	}
}

/* The values, as the format has them. */
struct written {
	struct buf directory, command, environment, home, name;
};

static int
expand(struct buf *out, const struct format *f, const char *text, size_t len,
    const struct units *u, struct written *w, struct buf *error)
{
	const struct template_value values[] = {
		{ "directory", buf_str(&w->directory), w->directory.len },
		{ "command", buf_str(&w->command), w->command.len },
		{ "environment", buf_str(&w->environment), w->environment.len },
		{ "home", buf_str(&w->home), w->home.len },
		{ "name", buf_str(&w->name), w->name.len },
		{ "project", u->root, strlen(u->root) },
		{ "program", u->program, strlen(u->program) },
	};
	struct buf unknown = BUF_INIT;
	int ret = template_expand(out, text, len, values,
	    sizeof(values) / sizeof(values[0]), &unknown);

	if (ret == -1)
		ret = refuse(error, f, "template", f->template,
		    strerror(errno));
	else if (unknown.len > 0)
		ret = refuse(error, f, "template", f->template,
		    "asks for an unknown name");
	buf_release(&unknown);
	return ret;
}

int
units_fill(struct buf *out, enum units_kind kind, const char *text,
    size_t len, const struct units *u, struct buf *error)
{
	const struct format *f = &formats[kind];
	struct written w = { .name = BUF_INIT };
	int ret;

	if (check(f, u, error) == -1)
		return -1;
	f->directory(&w.directory, u->root);
	f->command(&w.command, u->program);
	add_environment(&w.environment, f, u->env);
	if (f->home)
		f->directory(&w.home, u->home);
	add_name(&w.name, u->root);
	ret = expand(out, f, text, len, u, &w, error);
	if (ret == 0)
		ret = check_lines(f, out, error);
	buf_release(&w.directory);
	buf_release(&w.command);
	buf_release(&w.environment);
	buf_release(&w.home);
	buf_release(&w.name);
	return ret;
}

/* ---- our environment ----------------------------------------------------- */

static bool
in_list(const char *list, const char *entry, size_t len)
{
	size_t size;

	for (; *list != '\0'; list += size + (list[size] == ':')) {
		size = strcspn(list, ":");
		if (size == len && memcmp(list, entry, len) == 0)
			return true;
	}
	return false;
}

/* PATH with each of its absolute folders once; what is relative would mean
 * something else elsewhere. */
static char *
clean_path(const char *path)
{
	struct buf out = BUF_INIT;
	size_t len;

	for (; *path != '\0'; path += len + (path[len] == ':')) {
		len = strcspn(path, ":");
		if (path[0] != '/' || in_list(buf_str(&out), path, len))
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
absolute(const char *path)
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
units_environment(void)
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
		env = add_variable(env, carried[i].name, absolute(value));
	}
	return env;
}
