#include "tmux/listing.h"

#include <limits.h>

#include "base/base.h"

struct listing_text {
	char        key;
	size_t      at;
	const char *format;
};

#define PANE(name) offsetof(struct tmux_pane, name)
#define CLIENT(name) offsetof(struct tmux_client, name)

/* Only TMUX_MARKED has the last two. */
static const struct listing_text pane_texts[] = {
	{ 's', PANE(session_name), "#{session_name}" },
	{ 'w', PANE(window_name),  "#{window_name}" },
	{ 'd', PANE(path),         "#{pane_current_path}" },
	{ 'i', PANE(issue),        "#{@paneward_issue}" },
	{ 'r', PANE(run),          "#{@paneward_run}" },
	{ 'o', PANE(dir),          "#{@paneward_dir}" },
	{ 't', PANE(title),        "#{pane_title}" },
	{ 'f', PANE(command),      "#{pane_current_command}" },
	{ 'g', PANE(index),        "#{pane_index}" },
	{ 'm', PANE(mark),         "#{@paneward_state}" },
	{ 'q', PANE(queue),        "#{PANEWARD_QUEUE}" },
	{ .key = '\0' }
};

/* Before 3.2, tmux lacks client_termtype and client_flags. */
static const struct listing_text client_texts[] = {
	{ 'y', CLIENT(tty),        "#{client_tty}" },
	{ 'x', CLIENT(termtype),   "#{client_termtype}" },
	{ 'n', CLIENT(termname),   "#{client_termname}" },
	{ .key = '\0' }
};

static void
listing_texts(void *thing, const struct listing_text *t, bool over)
{
	char **text;

	for (; t->key != '\0'; t++) {
		text = (void *)((char *)thing + t->at);
		if (over)
			free(*text);
		else if (*text == NULL)
			*text = xstrdup("");
	}
}

/* A text may have several lines, so each begins behind a token. */
static char *
listing_lines(const char *token, const char *numbers,
    const struct listing_text *t, char before)
{
	struct buf format = BUF_INIT;

	buf_printf(&format, "%s %s", token, numbers);
	for (; t->key != before; t++)
		buf_printf(&format, "\n%s %c %s", token, t->key, t->format);
	return buf_steal(&format);
}

char *
listing_clients(const char *token)
{
	return listing_lines(token, "k #{window_id} #{pane_id}"
	    " #{client_activity} #{client_control_mode} #{window_zoomed_flag}"
	    " #{focus-events} ,#{client_flags}", client_texts, '\0');
}

char *
listing_format(const char *token, enum tmux_lists lists)
{
	if (lists != TMUX_BRIEF)
		return listing_lines(token, "p #{pane_id} #{session_id}"
		    " #{window_id} #{pane_pid} #{pane_dead} #{pane_pipe}"
		    " #{window_activity}"
		    " #{pane_dead_status},#{pane_dead_signal}", pane_texts,
		    lists == TMUX_MARKED ? '\0' : 'm');
	return xasprintf(
	    "%1$s p #{pane_id} - #{window_id} #{pane_pid} #{pane_dead} 0"
	    " #{window_activity} ,\n"
	    "%1$s s #{session_name}\n%1$s w #{window_name}"
	    "#{?@paneward_issue,\n%1$s i #{@paneward_issue}"
	    "\n%1$s o #{@paneward_dir},}", token);
}

/* "next-3.5" and "openbsd-7.4" are new enough. */
bool
tmux_version_old(const char *version)
{
	return version[0] >= '0' && version[0] <= '9' &&
	    strtol(version, NULL, 10) < 3;
}

static int
end_number(const char *digits)
{
	long n = digits[0] >= '0' && digits[0] <= '9' ?
	    strtol(digits, NULL, 10) : -1;

	return n < INT_MAX ? (int)n : -1;
}

/* Lists a pane once: two sessions may share its window. */
static struct tmux_pane *
listing_add_pane(struct tmux_listing *l, const char *line)
{
	struct tmux_pane p = { .id = "" }, *last;
	char end[64], *comma;
	long long activity;
	int dead, pipe;

	if (sscanf(line, "%23s %23s %23s %d %d %d %lld %63s", p.id, p.session,
	    p.window, &p.pid, &dead, &pipe, &activity, end) != 8 ||
	    listing_pane(l, p.id) != NULL)
		return NULL;
	p.dead = dead != 0;
	p.pipe = pipe != 0;
	p.activity = activity;
	/* "1," is a status, ",9" a signal; "," while it runs. */
	comma = strchr(end, ',');
	p.dead_status = end_number(end);
	p.dead_signal = end_number(comma != NULL ? comma + 1 : "");
	p.number = strtol(p.id + 1, NULL, 10);
	/* A window's panes are adjacent. */
	last = l->npanes > 0 ? &l->panes[l->npanes - 1] : NULL;
	if (last != NULL && strcmp(p.window, last->window) == 0)
		p.shared = last->shared = true;
	*ARRAY_ADD(l->panes, l->npanes) = p;
	return &l->panes[l->npanes - 1];
}

static struct tmux_client *
listing_add_client(struct tmux_listing *l, const char *text)
{
	struct tmux_client c = { .control = false };
	int control, zoomed, focus_events;
	long long activity;
	char flags[192];

	if (sscanf(text, "%23s %23s %lld %d %d %d %190s", c.window, c.pane,
	    &activity, &control, &zoomed, &focus_events, flags) != 7)
		return NULL;
	c.activity = activity;
	c.control = control;
	c.zoomed = zoomed;
	memcpy(flags + strlen(flags), ",", 2);
	c.suspended = strstr(flags, ",suspended,") != NULL;
	/* Without the option, tmux does not update the flag. */
	c.unfocused = focus_events && strstr(flags, ",attached,") != NULL &&
	    strstr(flags, ",focused,") == NULL;
	*ARRAY_ADD(l->clients, l->nclients) = c;
	return &l->clients[l->nclients - 1];
}

static const char *
next_mark(const char *p, const char *end, const char *token)
{
	const char *at = p;

	while ((at = memmem(at, (size_t)(end - at), token, TMUX_TOKEN)) !=
	    NULL && ((at != p && at[-1] != '\n') ||
	    end - at <= TMUX_TOKEN + 2))
		at += TMUX_TOKEN;
	return at != NULL ? at : end;
}

/* A value ends at the line feed before the next mark. */
void
listing_parse(struct tmux_listing *l, const char *answer, size_t len,
    const char *token)
{
	const char *end, *mark, *value, *behind;
	const struct listing_text *t = NULL, *row;
	struct tmux_capture c;
	char line[256], version[32], key, **text;
	void *thing = NULL;             /* the last pane or client */
	long long start;
	size_t size, i;
	int pid;

	if (len == 0)
		return;
	end = answer + len;
	mark = next_mark(answer, end, token);
	while (mark != end) {
		key = mark[TMUX_TOKEN + 1];
		value = mark + TMUX_TOKEN + 3;
		mark = next_mark(value, end, token);
		size = (size_t)(mark - value);
		if (size > 0 && value[size - 1] == '\n')
			size--;
		if (strchr("pkv", key) != NULL)
			snprintf(line, sizeof(line), "%.*s", (int)size, value);
		if (key != 'c' && key != 'k' && t != client_texts)
			l->hash = l->hash * 31 + text_hash(value, size);
		if (key == 'p' || key == 'k') {
			t = key == 'p' ? pane_texts : client_texts;
			thing = key == 'p' ? (void *)listing_add_pane(l, line) :
			    listing_add_client(l, line);
		} else if (key == 'v' && sscanf(line, "%d %lld %31s", &pid,
		    &start, version) == 3) {
			l->server = pid;
			l->server_start = start;
			memcpy(l->version, version, sizeof(l->version));
		} else if (key == 'c' && (behind = memchr(value, '\n', size)) !=
		    NULL) {
			snprintf(c.pane, sizeof(c.pane), "%.*s",
			    (int)(behind - value), value);
			c.len = (size_t)(value + size - behind) - 1;
			c.text = xmalloc(c.len + 1);
			memcpy(c.text, behind + 1, c.len);
			c.text[c.len] = '\0';
			*ARRAY_ADD(l->captures, l->ncaptures) = c;
		}
		for (row = t; thing != NULL && row->key != '\0'; row++) {
			text = (void *)((char *)thing + row->at);
			if (row->key == key && *text == NULL)
				*text = xstrndup(value, size);
		}
	}
	for (i = 0; i < l->npanes; i++)
		listing_texts(&l->panes[i], pane_texts, false);
	for (i = 0; i < l->nclients; i++)
		listing_texts(&l->clients[i], client_texts, false);
}

void
listing_release(struct tmux_listing *l)
{
	size_t i;

	for (i = 0; i < l->npanes; i++)
		listing_texts(&l->panes[i], pane_texts, true);
	for (i = 0; i < l->nclients; i++)
		listing_texts(&l->clients[i], client_texts, true);
	for (i = 0; i < l->ncaptures; i++)
		free(l->captures[i].text);
	free(l->panes);
	free(l->clients);
	free(l->captures);
	*l = (struct tmux_listing){ 0 };
}

const struct tmux_pane *
listing_pane(const struct tmux_listing *l, const char *id)
{
	long number = id[0] == '%' ? strtol(id + 1, NULL, 10) : -1;
	size_t i;

	for (i = 0; i < l->npanes; i++)
		if (l->panes[i].number == number)
			return &l->panes[i];
	return NULL;
}

const struct tmux_pane *
listing_ref(const struct tmux_listing *l, const struct pane_ref *p)
{
	const struct tmux_pane *pane = listing_pane(l, p->pane);

	return pane != NULL && pane->pid == p->pane_pid && server_same(l, p) ?
	    pane : NULL;
}

const struct tmux_capture *
listing_capture(const struct tmux_listing *l, const char *id)
{
	size_t i;

	for (i = 0; i < l->ncaptures; i++)
		if (strcmp(l->captures[i].pane, id) == 0)
			return &l->captures[i];
	return NULL;
}

bool
listing_looked_at(const struct tmux_listing *l, const struct tmux_pane *p,
    int64_t now)
{
	const struct tmux_client *c = l->clients, *end = c + l->nclients;

	for (; c < end; c++)
		if (!c->control && !c->suspended &&
		    strcmp(c->window, p->window) == 0 &&
		    (!c->zoomed || strcmp(c->pane, p->id) == 0) &&
		    (now == -1 || (!c->unfocused &&
		    c->activity >= now - LISTING_IN_USE)))
			return true;
	return false;
}
