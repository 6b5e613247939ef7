/*
 * scan.c - paneward scan: the marker scanner alone, on a file or a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/command.h"
#include "base/issue.h"
#include "base/msg.h"
#include "marker/marker.h"
#include "marker/markerwindow.h"
#include "run/panelog.h"
#include "text/json.h"
#include "show/commands.h"

enum { READ_SIZE = 64 * 1024, CHUNK_MAX = 1 << 30 };

struct scan {
	const char *issue, *run, *marker;
	const char *name;               /* as the user calls it */
	size_t chunk;                   /* 0: as it comes */
	bool   window, json;
};

enum {
	KEY_ISSUE = 'i', KEY_MARKER = 'm', KEY_JSON = 'j',
	KEY_RUN = OPTION_LONG, KEY_WINDOW, KEY_CHUNK
};

static const struct command_option options[] = {
	{ KEY_ISSUE, "issue", "N", "the issue whose markers count" },
	{ KEY_RUN, "run", "ID", "the run whose bound markers count as well" },
	{ KEY_MARKER, "marker", "TEXT", "the completion marker in use" },
	{ KEY_WINDOW, "window", NULL, "FILE is the tail of something longer" },
	{ KEY_CHUNK, "chunk", "BYTES", "scan so many bytes at a time" },
	{ KEY_JSON, "json", NULL, "one JSON object" },
	{ 0, NULL, NULL, NULL }
};

static size_t
read_some(int fd, const char *name, char *bytes, size_t len)
{
	ssize_t n;

	do
		n = read(fd, bytes, len);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		fatal("cannot read '%s'", name);
	return (size_t)n;
}

/* In pieces of the size asked for, whatever size they come in. */
static void
feed_all(const struct scan *o, int fd, struct marker_scan *scan)
{
	char bytes[READ_SIZE];
	size_t n, i, size;

	while ((n = read_some(fd, o->name, bytes, sizeof(bytes))) > 0)
		for (i = 0; i < n; i += size) {
			size = n - i;
			if (o->chunk > 0 && size > o->chunk)
				size = o->chunk;
			marker_scan_feed(scan, bytes + i, size);
		}
}

static struct marker_hits
scan_stream(const struct scan *o, int fd, const struct marker_set *set,
    struct buf *message)
{
	struct marker_scan *scan = marker_scan_new(set, NULL);
	struct scanfile file = { .scan = scan, .fd = fd };
	struct marker_hits hits;
	struct stat st;

	if (o->chunk == 0 && fd != STDIN_FILENO && fstat(fd, &st) == 0 &&
	    S_ISREG(st.st_mode)) {
		if (scanfile_read(&file, NULL) == -1)
			fatal("cannot read '%s'", o->name);
	} else {
		feed_all(o, fd, scan);
	}
	hits = marker_scan_hits(scan, true);
	if (hits.error > 0)
		marker_scan_message(scan, message);
	marker_scan_free(scan);
	return hits;
}

static void
keep_end(struct buf *text, size_t len)
{
	memmove(text->data, text->data + text->len - len, len);
	text->len = len;
}

static struct marker_hits
scan_window(const struct scan *o, int fd, const struct marker_set *set,
    struct buf *message)
{
	struct buf text = BUF_INIT;
	struct marker_hits hits;
	size_t n;

	while ((n = read_some(fd, o->name, buf_room(&text, READ_SIZE),
	    READ_SIZE)) > 0) {
		text.len += n;
		if (text.len > 2 * MARKER_WINDOW_MAX)
			keep_end(&text, MARKER_WINDOW_MAX);
	}
	hits = marker_window(set, text.data, text.len, message);
	buf_release(&text);
	return hits;
}

static const char *
scan_verdict(const struct marker_hits *hits)
{
	if (hits->complete > 0)
		return "complete";
	return hits->error > 0 ? "error" : "none";
}

static void
scan_json(const struct marker_hits *hits, struct buf *message)
{
	cJSON *o = json_new_object();
	struct buf line = BUF_INIT;

	json_add_number(o, "complete", hits->complete);
	json_add_number(o, "error", hits->error);
	json_add_text(o, "verdict", scan_verdict(hits));
	if (hits->error > 0)
		json_add_text(o, "error_message", buf_str(message));
	json_print(&line, o);
	puts(buf_str(&line));
	json_free(o);
	buf_release(&line);
}

static void
scan_line(const struct marker_hits *hits, const struct buf *message)
{
	struct buf line = BUF_INIT;

	buf_printf(&line, "%s: complete %u, error %u", scan_verdict(hits),
	    hits->complete, hits->error);
	if (hits->stale > 0)
		buf_printf(&line, ", stale %u", hits->stale);
	if (hits->error > 0) {
		buf_adds(&line, ": ");
		msg_escape(&line, message->data, message->len);
	}
	puts(buf_str(&line));
	buf_release(&line);
}

static int
open_input(const char *name)
{
	struct stat st;
	int fd;

	if (strcmp(name, "-") == 0)
		return STDIN_FILENO;
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		fatal("cannot open '%s'", name);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		fatal("cannot read '%s'", name);
	}
	return fd;
}

static void
scan_options(struct scan *o, const struct command *c, int argc, char **argv)
{
	int key;

	while ((key = command_option(c, argc, argv)) != -1)
		switch (key) {
		case KEY_ISSUE:
			o->issue = command_issue(c, optarg);
			break;
		case KEY_RUN:
			if (!run_id_valid(optarg))
				command_usage(c, "'%s' is not a run id",
				    optarg);
			o->run = optarg;
			break;
		case KEY_MARKER:
			o->marker = optarg;
			break;
		case KEY_WINDOW:
			o->window = true;
			break;
		case KEY_CHUNK:
			o->chunk = (size_t)command_number(c, "--chunk",
			    optarg, 1, CHUNK_MAX);
			break;
		case KEY_JSON:
			o->json = true;
			break;
		}
	if (o->issue == NULL)
		command_usage(c, "whose markers? --issue is missing");
	if (optind + 1 != argc)
		command_usage(c, optind == argc ? "FILE is missing" :
		    "only one FILE can be scanned");
	o->name = argv[optind];
}

static int
scan_run(const struct command *c, int argc, char **argv)
{
	struct scan o = { .issue = NULL };
	struct buf message = BUF_INIT;
	struct marker_set set;
	struct marker_hits hits;
	int fd;

	scan_options(&o, c, argc, argv);
	if (marker_set_init(&set, o.issue, o.run, o.marker) == -1)
		command_usage(c, "'%s' cannot be a marker: 1 to %d bytes, "
		    "none of them a control byte, no blank at the ends",
		    o.marker, MARKER_CUSTOM_MAX);
	fd = open_input(o.name);
	hits = (o.window ? scan_window : scan_stream)(&o, fd, &set, &message);
	if (fd != STDIN_FILENO)
		close(fd);
	(o.json ? scan_json(&hits, &message) : scan_line(&hits, &message));
	buf_release(&message);
	if (fflush(stdout) == EOF)
		fatal("cannot write the result");
	return EXIT_DONE;
}

const struct command scan_command = {
	.name = "scan",
	.summary = "Count the markers in a log or a capture",
	.arguments = "FILE|-",
	.examples =
	    "  paneward scan --issue 42 .worktrees/.status/output-42.log\n"
	    "  tmux capture-pane -p -J -t %3 | "
	    "paneward scan --issue 42 --window --json -\n",
	.options = options,
	.run = scan_run,
};
