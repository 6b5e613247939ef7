#include "project/schedule.h"

#include <inttypes.h>

#include "data/datafile.h"
#include "data/template.h"
#include "os/file.h"
#include "os/proc.h"

enum { TEMPLATE_MAX = 1 << 20 };

#define SYSTEMD "a unit for systemd"
#define LAUNCHD "a unit for launchd"

/* cron, sh, systemd and XML agree on these. */
static const char harmless[] = "_@+=:,./-";

static const struct format {
	const char *what, *template;
	bool        home, xml;          /* needs HOME */
} formats[] = {
	[SCHEDULE_CRON] = { "a crontab", "sweep.cron" },
	[SCHEDULE_SYSTEMD] = { "units for systemd", "sweep.systemd" },
	[SCHEDULE_LAUNCHD] = { LAUNCHD, "sweep.plist", true, true },
	[SCHEDULE_WATCH_SYSTEMD] = { SYSTEMD, "watch.systemd", true },
	[SCHEDULE_WATCH_LAUNCHD] = { LAUNCHD, "watch.plist", true, true },
	[SCHEDULE_WATCH_TMUX] = { "a line for tmux", "watch.tmux" },
	[SCHEDULE_REVIVE_SYSTEMD] = { SYSTEMD, "revive.systemd", true },
	[SCHEDULE_REVIVE_LAUNCHD] = { LAUNCHD, "revive.plist", true, true },
	[SCHEDULE_FLEET_SYSTEMD] = { SYSTEMD, "fleet.systemd", true },
	[SCHEDULE_FLEET_LAUNCHD] = { LAUNCHD, "fleet.plist", true, true },
};

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
	return text_only(text, harmless) ? 0 : schedule_refuse(error, f, what,
	    text, "has a character that is not in [A-Za-z0-9_@+=:,./-]; "
	    "rename it");
}

int
schedule_fill(struct buf *out, enum schedule_kind kind, const char *text,
    size_t len, const struct schedule *s, struct buf *error)
{
	const struct format *f = &formats[kind];
	struct buf env = BUF_INIT, name = BUF_INIT, unknown = BUF_INIT;
	const char *home = s->home ? s->home : "", *line, *p;
	uint32_t hash = 0x811c9dc5;     /* FNV-1a */
	char *const *v;
	int ret = -1, size;
	size_t length;

	if (check_plain(f, "the program", s->program, error) == -1 ||
	    check_plain(f, "the project", s->root, error) == -1)
		return -1;
	for (v = s->env; *v != NULL; v++) {
		if (check_plain(f, "the variable", *v, error) == -1)
			goto out;
		size = (int)strcspn(*v, "=");
		buf_printf(&env, f->xml ? "%s<key>%.*s</key> <string>%s"
		    "</string>" : "%s%.*s=%s", env.len ? " " : "", size, *v,
		    *v + size + 1);
	}
	if (f->home && (home[0] == '/' ? check_plain(f, "HOME", home, error) :
	    schedule_refuse(error, f, "HOME", home, "is not an absolute "
	    "path")) == -1)
		goto out;
	/* The hash is the same everywhere.  "--" would end an XML comment. */
	for (p = strrchr(s->root, '/') + 1; *p != '\0' && name.len < 48; p++)
		if (text_alnum(*p) || *p == '_')
			buf_addc(&name, *p);
		else if (name.len > 0 && name.data[name.len - 1] != '-')
			buf_addc(&name, '-');
	if (name.len == 0)
		buf_adds(&name, "project");
	else if (name.data[name.len - 1] == '-')
		name.len--;
	for (p = s->root; *p != '\0'; p++)
		hash = (hash ^ (unsigned char)*p) * 0x01000193;
	buf_printf(&name, "-%08" PRIx32, hash);
	ret = template_expand(out, text, len, (const struct template_value[]){
		{ "project", s->root, strlen(s->root) },
		{ "program", s->program, strlen(s->program) },
		{ "environment", buf_str(&env), env.len },
		{ "home", home, strlen(home) },
		{ "name", buf_str(&name), name.len } }, 5, &unknown);
	if (ret == -1)
		ret = schedule_refuse(error, f, "template", f->template,
		    strerror(errno));
	else if (unknown.len > 0)
		ret = schedule_refuse(error, f, "template", f->template,
		    "asks for an unknown name");
	/* Many crons cut a longer line silently. */
	for (line = buf_str(out); ret == 0 && kind == SCHEDULE_CRON &&
	    *line != '\0'; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		if (length <= SCHEDULE_LINE_MAX || line[0] == '#')
			continue;
		buf_printf(error, "cannot print %s: a line of it would have "
		    "%zu bytes, and cron may read no more than %d of them; "
		    "run this command with a shorter PATH", f->what, length,
		    (int)SCHEDULE_LINE_MAX);
		ret = -1;
	}
out:
	buf_release(&env);
	buf_release(&name);
	buf_release(&unknown);
	return ret;
}

char **
schedule_environment(void)
{
	static const struct {
		const char *name;
		bool        relative;   /* else ignored */
	} carried[] = {
		{ "TMUX_TMPDIR", true },
		{ "XDG_CONFIG_HOME", false },
		{ "XDG_STATE_HOME", false },
		{ "PANEWARD_STATUS_DIR", true },
	};
	const char *value = getenv("PATH");
	char *path = xstrdup(value ? value : ""), *rest = path, *folder;
	char *here = xrealpath("."), **folders = NULL, **env;
	struct buf out = BUF_INIT;
	size_t i;

	/* A relative folder of PATH would change. */
	while ((folder = strsep(&rest, ":")) != NULL)
		if (folder[0] == '/' && text_only(folder, harmless) &&
		    !argv_has(folders, folder)) {
			folders = argv_add(folders, folder);
			buf_printf(&out, ":%s", folder);
		}
	free(path);
	argv_free(folders);
	if (out.len == 0)
		buf_adds(&out, ":/usr/local/bin:/usr/bin:/bin");
	env = argv_own(NULL, xasprintf("PATH=%s", buf_str(&out) + 1));
	buf_release(&out);
	for (i = 0; i < sizeof(carried) / sizeof(carried[0]); i++) {
		value = getenv(carried[i].name);
		if (value == NULL || value[0] == '\0' ||
		    (value[0] != '/' && !carried[i].relative))
			continue;
		path = project_join(here != NULL ? here : ".", value);
		env = argv_own(env, xasprintf("%s=%s", carried[i].name, path));
		free(path);
	}
	free(here);
	return env;
}

void
schedule_print(enum schedule_kind kind, const struct project *project)
{
	const char *name = formats[kind].template;
	char **env = schedule_environment();
	char *path = datafile_find("templates", name);
	const char *home = getenv("HOME");
	const struct schedule s = { .program = proc_lasting(NULL), .home = home,
	    .root = project ? project->root : home ? home : "/", .env = env };
	struct buf text = BUF_INIT, out = BUF_INIT, error = BUF_INIT;

	if (path == NULL || file_read(AT_FDCWD, path, 0, &text,
	    TEMPLATE_MAX) == -1)
		fatal("cannot read the template '%s'", path ? path : name);
	if (schedule_fill(&out, kind, text.data, text.len, &s, &error) == -1)
		fatalx("%s", buf_str(&error));
	if (file_write(STDOUT_FILENO, out.data, out.len) == -1)
		fatal("cannot write to standard output");
}
