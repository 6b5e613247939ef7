#include "setup/tmuxconf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/msg.h"
#include "base/text.h"
#include "data/ownfile.h"
#include "setup/userfile.h"

static const char begin[] = "# >>> paneward (removed by 'paneward init tmux "
    "--remove') >>>";
static const char end[] = "# <<< paneward <<<";

/* ---- the lines ----------------------------------------------------------- */

/* tmux has neither popups nor run-shell -C before 3.2, which also expands the
 * client for the command that is run. */
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

/* Has it only characters that mean nothing to tmux and no shell? */
static bool
conf_plain(const char *text, const char *more)
{
	while (text_alnum(*text) || (*text != '\0' && strchr(more, *text)))
		text++;
	return *text == '\0';
}

static bool
conf_key(const char *key, struct buf *why)
{
	if (key == NULL || (key[0] != '\0' &&
	    conf_plain(key, "-./?,:!@^&*_+=<>|~[]%")))
		return true;
	buf_printf(why, "'%s' is no key that can be bound here", key);
	return false;
}

int
tmuxconf_lines(const struct tmuxconf *c, struct buf *lines, struct buf *why)
{
	bool keys = c->key != NULL || c->next_key != NULL;

	if (!conf_key(c->key, why) || !conf_key(c->next_key, why))
		return -1;
	if (keys && !conf_plain(c->program, "/._-+")) {
		buf_printf(why, "the path of paneward, '%s', has another "
		    "character than A-Z, a-z, 0-9, '/', '.', '_', '-' and '+', "
		    "so that no key can run it", c->program);
		return -1;
	}
	if (ownfile_template(lines, "templates", "tmux.conf", why) == -1)
		return -1;
	if (c->key != NULL)
		buf_printf(lines, top_lines, c->key, c->program);
	if (c->next_key != NULL)
		buf_printf(lines, next_line, c->next_key, c->program);
	return 0;
}

/* ---- the block ----------------------------------------------------------- */

/* The line in the text, at or behind from; NULL: there is none. */
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

/* Finds the block, with the end of its last line.  0: there is none, -1: it
 * cannot be told where it is. */
static int
find_block(struct buf *text, size_t *start, size_t *len, struct buf *why)
{
	bool nul = strlen(buf_str(text)) != text->len;
	char *all = text->data, *first, *last;

	if (all == NULL)
		return 0;
	if (nul) {
		buf_adds(why, "it has a NUL byte");
		return -1;
	}
	first = find_line(all, all, begin);
	last = find_line(first != NULL ? first : all, all, end);
	if (first == NULL && last == NULL)
		return 0;
	if (first == NULL || last == NULL ||
	    find_line(first + 1, all, begin) != NULL ||
	    find_line(last + 1, all, end) != NULL) {
		buf_adds(why, "the marks of its block are not one pair");
		return -1;
	}
	last += sizeof(end) - 1;
	last += *last == '\r';
	last += *last == '\n';
	*start = (size_t)(first - all);
	*len = (size_t)(last - first);
	return 1;
}

/* Behind a text without an end of its last line, the block has none either:
 * thus the line feed between them is known to be ours.  Lines end as tmux
 * before 3.6 needs it, whatever those of the user do. */
int
tmuxconf_edit(struct buf *text, bool there, const struct buf *lines,
    struct buf *why)
{
	size_t start = text->len, len = 0, after;
	int found = find_block(text, &start, &len, why);
	struct buf out = BUF_INIT;
	bool open;

	if (found == -1 || (found == 0 && lines == NULL))
		return found;
	after = start + len;
	open = found == 1 ? text->data[after - 1] != '\n' :
	    there && (start == 0 || text->data[start - 1] != '\n');
	if (found == 1 && open && start > 0)
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

/* ---- the file ------------------------------------------------------------ */

static bool
conf_place(struct userfile *f, const char *root, const char *folder,
    const char *name)
{
	struct stat st;

	userfile_init(f, xstrdup(root), xstrdup(folder), name);
	return lstat(f->path, &st) == 0;
}

/* The first of those that tmux reads, or the one that would be made. */
static void
conf_find(struct userfile *f)
{
	const char *home = getenv("HOME"), *xdg = getenv("XDG_CONFIG_HOME");

	if (home == NULL || home[0] != '/')
		fatal_usage("init: tmux needs HOME to be an absolute path");
	if (conf_place(f, home, "", ".tmux.conf"))
		return;
	if (xdg != NULL && xdg[0] == '/' &&
	    conf_place(f, xdg, "tmux", "tmux.conf"))
		return;
	if (conf_place(f, home, ".config/tmux", "tmux.conf"))
		return;
	conf_place(f, home, "", ".tmux.conf");
}

static _Noreturn void
conf_refuse(const struct tmuxconf *c, const struct userfile *f,
    struct buf *lines, const char *why)
{
	if (!c->remove)
		userdiff_print(lines);
	fatal_usage("'%s' is left as it is: %s; %s", f->path, why, c->remove ?
	    "take out by hand what names paneward" :
	    "put in by hand what is printed above");
}

void
tmuxconf_change(const struct tmuxconf *c)
{
	struct buf lines = BUF_INIT, why = BUF_INIT;
	struct buf files = BUF_INIT, out = BUF_INIT;
	struct userfile f;
	bool made;

	if (!c->remove && tmuxconf_lines(c, &lines, &why) == -1)
		fatal_usage("init: %s", buf_str(&why));
	conf_find(&f);
	if (userfile_read(&f, &why) == -1)
		conf_refuse(c, &f, &lines, buf_str(&why));
	buf_add(&f.after, f.before.data, f.before.len);
	if (tmuxconf_edit(&f.after, f.there, c->remove ? NULL : &lines,
	    &why) == -1)
		conf_refuse(c, &f, &lines, buf_str(&why));
	made = f.before.len > 0 && f.before.data[0] == begin[0];
	f.stays = !c->remove || f.after.len > 0 || (f.there && !made);
	userdiff_add(&files, &out, &f);
	if (userfile_changes(&f) && c->remove) {
		buf_adds(&out, "\nA tmux server that runs keeps what it has "
		    "loaded until it ends.\n");
	} else if (userfile_changes(&f)) {
		buf_adds(&out, "\nLoad it: tmux source-file '");
		msg_escape(&out, f.path, strlen(f.path));
		buf_adds(&out, "'\n'paneward watch --everywhere' and "
		    "'paneward top' set what it shows.\n");
	}
	userdiff_print(&files);
	userdiff_print(&out);
	if (!c->print && userfile_changes(&f)) {
		userfile_begin(&f);
		if (f.stays)
			userfile_put(&f, f.name, &f.after);
		else if (!userfile_remove(&f, f.name))
			fatal("cannot remove '%s'", f.path);
		userfile_end(&f);
	}
	buf_release(&lines);
	buf_release(&out);
}
