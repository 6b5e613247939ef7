/*
 * noticerun.c - notify-run: one try of a notice, in a process of its own.
 *
 * Standard input has the ways and the record, each a line of JSON; the
 * environment is a notify command's.
 */
#include <time.h>

#include "notice/notice.h"
#include "paneward.h"
#include "queue/paneevents.h"
#include "tmux/sockets.h"

enum { INPUT_MOST = 1 << 20 };

struct noticerun {
	const char *issue, *episode;
	struct statusdir dir;
	struct noticeways ways;
	struct buf line;
	struct status record;
	struct tmux_listing listing;
	struct noticemark mark;
};

/* A sent notice is repeated until a client shows the pane, or it is gone. */
static bool
run_seen(const struct noticerun *n)
{
	const struct tmux_pane *pane = listing_ref(&n->listing,
	    &n->record.place);
	bool again = strcmp(n->mark.word, "again") == 0;
	int dir = n->dir.state_fd;
	char episode[SEEN_EPISODE];

	if (pane == NULL)
		return again && (n->listing.server != 0 ||
		    n->record.verdict.state == STATE_GONE);
	if (!listing_looked_at(&n->listing, pane, (int64_t)time(NULL)) &&
	    !(again && listing_shown(&n->listing, pane)))
		return false;
	seen_episode(episode, &n->record);
	if (seen_read(dir, n->issue, episode) == SEEN_NOT &&
	    seen_write(dir, n->issue, episode, SEEN_ONCE) == -1)
		warn("cannot record in '%s' that issue '%s' was seen",
		    n->dir.path, n->issue);
	return true;
}

static void
noticerun_mark(const struct noticerun *n, const char *word, const char *way)
{
	if (noticemark_add(n->dir.state_fd, n->issue, n->episode, word,
	    way) == -1)
		warn("cannot record the end of a notice for issue '%s' in '%s'",
		    n->issue, n->dir.path);
}

/* True once the way has sent it.  A failure is reported once an episode. */
static bool
send_by(const struct noticerun *n, const struct notice_out *o,
    const struct noticeway *w)
{
	static const char *const words[] = {
		[NOTICESEND_DONE] = "sent", [NOTICESEND_LATER] = "later",
		[NOTICESEND_FAILED] = "failed",
	};
	struct buf said = BUF_INIT;
	enum noticesend result;

	if (noticemark_has(&n->mark, "sent", w->id))
		return true;
	result = noticesend_by(o, w, &said);
	noticerun_mark(n, words[result], w->id);
	if (result != NOTICESEND_FAILED ||
	    noticemark_has(&n->mark, "failed", w->id))
		buf_reset(&said);
	else if (w->kind == NOTICEWAY_COMMAND)
		warnx("the command of notify for issue '%s' %s", n->issue,
		    buf_str(&said));
	else
		warnx("cannot send the notice for issue '%s' by %s: %s",
		    n->issue, noticeway_name(w->kind), buf_str(&said));
	buf_release(&said);
	return result == NOTICESEND_DONE;
}

static int
noticerun_main(const struct command *c, int argc, char **argv)
{
	struct noticerun n = { .issue = n.record.issue,
	    .episode = getenv("PANEWARD_EPISODE"), .dir = STATUSDIR_INIT };
	const char *path = getenv("PANEWARD_STATUS_DIR");
	const char *socket = getenv("PANEWARD_SOCKET");
	struct buf text = BUF_INIT, why = BUF_INIT;
	const char *state = getenv("PANEWARD_STATE");
	const char *target = getenv("PANEWARD_ISSUE");
	char *root = xrealpath(".");
	struct noticetext says;
	struct notice_out out = { .text = &says, .record = &n.line,
	    .listing = &n.listing };
	enum noticeway_kind kind;
	const char *line;
	struct json *o;
	bool seen, sent;
	size_t i;

	command_option(c, argc, argv, NULL);
	if (path != NULL && n.episode != NULL)
		file_drain(STDIN_FILENO, &text, INPUT_MOST);
	line = memchr(buf_str(&text), '\n', text.len);
	if (line != NULL)
		buf_adds(&n.line, line + 1);
	o = json_parse(buf_str(&n.line), n.line.len, false, NULL);
	if (line == NULL || noticeways_parse(&n.ways, text.data,
	    (size_t)(line - text.data)) == -1 ||
	    status_take(&n.record, o) == -1)
		command_usage(c, "is run by paneward itself");
	if (n.record.name == NULL)
		context_statusdir(&n.dir, path);
	else
		n.dir = paneevents_dir(false);
	noticemark_read(&n.mark, n.dir.state_fd, n.issue, n.episode);
	out.socket = socket != NULL && socket[0] != '\0' ? socket :
	    tmux_socket();
	tmux_ask(out.socket, TMUX_BRIEF, NULL, &n.listing, &why);
	seen = run_seen(&n);
	noticetext_init(&says, n.record.name ? n.record.name : n.issue,
	    target ? target : n.issue, state ? state : "unknown",
	    n.record.backend, root != NULL ? strrchr(root, '/') + 1 : NULL,
	    getenv("PANEWARD_MESSAGE"), n.record.task);
	sent = !seen;
	for (kind = 0; !seen && kind < NOTICEWAY_KINDS; kind++)
		for (i = 0; i < n.ways.n; i++)
			if (n.ways.way[i].kind == kind)
				sent &= send_by(&n, &out, &n.ways.way[i]);
	noticerun_mark(&n, seen ? "seen" : sent ? "sent" : "failed", NULL);
	return seen || sent ? EXIT_DONE : EXIT_NO;
}

const struct command noticerun_command = {
	.name = "notify-run",
	.run = noticerun_main,
};
