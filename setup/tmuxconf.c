#include "setup/setup.h"

static const char begin[] = "# >>> paneward (removed by 'paneward init tmux "
    "--remove') >>>";
static const char end[] = "# <<< paneward <<<";

/* Before 3.2 tmux has neither popups nor run-shell -C. */
static const char top_lines[] =
	"if-shell -F '#{m:3.[01],#{=3:version}}' {\n"
	"  bind-key '%1$s' new-window -n paneward '%2$s top'\n"
	"} {\n"
	"  bind-key '%1$s' run-shell -C 'display-popup -E -w 90%% -h 80%% "
	"\"%2$s top --client #{client_tty}\"'\n"
	"}\n";
static const char next_line[] =
	"bind-key '%1$s' run-shell -b '%2$s next --client #{client_tty} || "
	"true'\n";
/* In one line the pane is marked only if it was opened.  What the shell gets is
 * ids of panes. */
static const char sidebar_lines[] =
	"bind-key '%1$s' if-shell -F '#{P:#{@paneward_sidebar}}' {\n"
	"  run-shell -b 'for pane in #{P:#{?@paneward_sidebar,#{pane_id} ,}}; "
	"do tmux kill-pane -t \"$pane\"; done'\n"
	"} {\n"
	"  split-window -hbfd -l 32 '%2$s top --sidebar' ; "
	"set-option -p -t '{top-left}' @paneward_sidebar 1\n"
	"}\n";

int
tmuxconf_lines(const struct tmuxconf *c, struct buf *lines, struct buf *why)
{
	const char *const keys[] = { c->key, c->next_key,
	    c->sidebar_key };
	bool bound = false;
	size_t i;

	/* Only characters that mean nothing to tmux and no shell. */
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		bound |= keys[i] != NULL;
		if (why->len == 0 && keys[i] != NULL && (keys[i][0] == '\0' ||
		    !text_only(keys[i], "-./?,:!@^&*_+=<>|~[]%")))
			buf_printf(why, "'%s' is no key that can be bound here",
			    keys[i]);
	}
	if (why->len == 0 && bound && !text_only(c->program, "/._-+"))
		buf_printf(why, "the path of paneward, '%s', has another "
		    "character than A-Z, a-z, 0-9, '/', '.', '_', '-' and '+', "
		    "so that no key can run it", c->program);
	if (why->len > 0 ||
	    ownfile_template(lines, "templates", "tmux.conf", why) == -1)
		return -1;
	if (c->key != NULL)
		buf_printf(lines, top_lines, c->key, c->program);
	if (c->next_key != NULL)
		buf_printf(lines, next_line, c->next_key, c->program);
	if (c->sidebar_key != NULL)
		buf_printf(lines, sidebar_lines, c->sidebar_key, c->program);
	return 0;
}

/* The line at or behind from, or NULL. */
static char *
find_line(char *from, char *text, const char *line)
{
	size_t len = strlen(line);
	char *at = from;

	while ((at = strstr(at, line)) != NULL) {
		if ((at == text || at[-1] == '\n') && (at[len] == '\0' ||
		    at[len] == '\n' || strncmp(at + len, "\r\n", 2) == 0))
			return at;
		at += len;
	}
	return NULL;
}

/* The block has no last line feed if the text had none, so that the line feed
 * between them is known to be ours. */
int
tmuxconf_edit(struct buf *text, bool there, const struct buf *lines,
    struct buf *why)
{
	bool nul = strlen(buf_str(text)) != text->len, found, open;
	char *all = text->data, *first = find_line(all, all, begin);
	char *last = find_line(first != NULL ? first : all, all, end);
	size_t start = text->len, after = start;
	struct buf out = BUF_INIT;

	found = first != NULL && last != NULL;
	if (nul)
		buf_adds(why, "it has a NUL byte");
	else if ((first == NULL) != (last == NULL) || (found &&
	    (find_line(first + 1, all, begin) != NULL ||
	    find_line(last + 1, all, end) != NULL)))
		buf_adds(why, "the marks of its block are not one pair");
	if (why->len > 0)
		return -1;
	if (!found && lines == NULL)
		return 0;
	if (found) {
		last += sizeof(end) - 1;
		last += *last == '\r';
		last += *last == '\n';
		start = (size_t)(first - all);
		after = (size_t)(last - all);
	}
	open = found ? all[after - 1] != '\n' :
	    there && (start == 0 || all[start - 1] != '\n');
	if (found && open && start > 0)
		start--;
	buf_add(&out, text->data, start);
	if (lines != NULL) {
		buf_printf(&out, "%s%s\n", open ? "\n" : "", begin);
		buf_add(&out, lines->data, lines->len);
		buf_printf(&out, "%s%s", end, open ? "" : "\n");
	}
	buf_add(&out, text->data + after, text->len - after);
	buf_release(text);
	*text = out;
	return 0;
}

enum exit_status
tmuxconf_change(const struct tmuxconf *c)
{
	const char *home = getenv("HOME");
	const struct { const char *root, *folder, *name; } places[] = {
		{ home, "", ".tmux.conf" },
		{ getenv("XDG_CONFIG_HOME"), "tmux", "tmux.conf" },
		{ home, ".config/tmux", "tmux.conf" },
		{ home, "", ".tmux.conf" },
	};
	struct buf lines = BUF_INIT, why = BUF_INIT, note = BUF_INIT;
	struct userfile f;
	struct stat st;
	size_t i;

	if (!c->remove && tmuxconf_lines(c, &lines, &why) == -1)
		fatal_usage("init: %s", buf_str(&why));
	/* The first that tmux reads, or the one that is made. */
	if (home == NULL || home[0] != '/')
		fatal_usage("init: tmux needs HOME to be an absolute path");
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].root == NULL || places[i].root[0] != '/')
			continue;
		userfile_init(&f, xstrdup(places[i].root),
		    xstrdup(places[i].folder), places[i].name);
		if (lstat(f.path, &st) == 0)
			break;
	}
	if (userfile_read(&f, &why) != -1) {
		buf_add(&f.after, f.before.data, f.before.len);
		tmuxconf_edit(&f.after, f.there, c->remove ? NULL : &lines,
		    &why);
	}
	if (why.len > 0)
		userfile_refuse(&f, buf_str(&why), c->remove ? NULL : &lines,
		    "take out by hand what names paneward");
	f.stays = !c->remove || f.after.len > 0 || (f.there &&
	    (f.before.len == 0 || f.before.data[0] != begin[0]));
	if (c->remove) {
		buf_adds(&note, "\nA tmux server that runs keeps what it has "
		    "loaded until it ends.\n");
	} else {
		buf_adds(&note, "\nLoad it: tmux source-file '");
		msg_escape(&note, f.path, strlen(f.path));
		buf_adds(&note, "'\n'paneward watch --everywhere' and "
		    "'paneward top' set what it shows.\n");
	}
	return userfile_change(&f, 1, buf_str(&note), NULL, c->print);
}
