/*
 * scan.c - paneward scan: the marker scanner alone, on a file or a pipe.
 */
#include "show/show.h"

enum { READ_SIZE = 64 * 1024, CHUNK_MAX = 1 << 30 };

struct scan {
	const char *issue, *run, *marker;
	const char *name;               /* as the user calls it */
	long   chunk;                   /* bytes; 0: as it comes */
	bool   window, json;
	FILE  *in;
	struct marker_set  set;
	struct marker_hits hits;
	struct buf         message;     /* of the last error */
};

static const struct command_option options[] = {
	{ 'i', "issue", "N", "the issue whose markers count",
	    TEXT_AT(struct scan, issue) },
	{ 0, "run", "ID", "the run whose bound markers count as well",
	    TEXT_AT(struct scan, run) },
	{ 'm', "marker", "TEXT", "the completion marker in use",
	    TEXT_AT(struct scan, marker) },
	{ 0, "window", NULL, "FILE is the tail of something longer",
	    FLAG_AT(struct scan, window) },
	{ 0, "chunk", "BYTES", "scan so many bytes at a time",
	    NUMBER_AT(struct scan, chunk, 1, CHUNK_MAX) },
	JSON_AT(struct scan, json, "one JSON object"),
	{ 0 }
};

/* 0 at the end. */
static size_t
read_some(const struct scan *o, char *bytes, size_t len)
{
	size_t n = fread(bytes, 1, len, o->in);

	if (n == 0 && ferror(o->in))
		fatal("cannot read '%s'", o->name);
	return n;
}

static void
scan_stream(struct scan *o)
{
	struct marker_scan *scan = marker_scan_new(&o->set, NULL);
	struct scanfile file = { .scan = scan, .fd = fileno(o->in) };
	char bytes[READ_SIZE];
	size_t n, most = o->chunk > 0 && o->chunk < READ_SIZE ?
	    (size_t)o->chunk : READ_SIZE;
	struct stat st;

	if (o->chunk == 0 && o->in != stdin && fstat(file.fd, &st) == 0 &&
	    S_ISREG(st.st_mode)) {
		if (scanfile_read(&file, false, NULL) == -1)
			fatal("cannot read '%s'", o->name);
	} else {
		while ((n = read_some(o, bytes, most)) > 0)
			marker_scan_feed(scan, bytes, n);
	}
	o->hits = marker_scan_hits(scan, true);
	if (o->hits.error > 0)
		marker_scan_message(scan, &o->message);
}

static int
scan_run(const struct command *c, int argc, char **argv)
{
	struct scan o = { .in = stdin };
	const struct marker_hits *hits = &o.hits;
	struct buf line = BUF_INIT, text = BUF_INIT;
	const char *verdict;
	struct json *object;
	size_t n;

	command_option(c, argc, argv, &o);
	if (o.run != NULL && !run_id_valid(o.run))
		command_usage(c, "'%s' is not a run id", o.run);
	if (o.issue == NULL)
		command_usage(c, "--issue is missing: whose markers count?");
	command_issue(c, o.issue);
	o.name = argv[optind];
	if (marker_set_init(&o.set, o.issue, o.run, o.marker) == -1)
		command_usage(c, "'%s' cannot be a marker: 1 to %d bytes, "
		    "none of them a control byte, no blank at the ends",
		    o.marker, MARKER_CUSTOM_MAX);
	if (strcmp(o.name, "-") != 0 && (o.in = fopen(o.name, "re")) == NULL)
		fatal("cannot open '%s'", o.name);
	if (!o.window)
		scan_stream(&o);
	while (o.window && (n = read_some(&o, buf_room(&text, READ_SIZE),
	    READ_SIZE)) > 0) {
		text.len += n;
		if (text.len <= 2 * MARKER_WINDOW_MAX)
			continue;
		memmove(text.data, text.data + text.len - MARKER_WINDOW_MAX,
		    MARKER_WINDOW_MAX);
		text.len = MARKER_WINDOW_MAX;
	}
	if (o.window)
		o.hits = marker_window(&o.set, text.data, text.len, &o.message);
	verdict = hits->complete > 0 ? "complete" :
	    hits->error > 0 ? "error" : "none";
	if (o.json) {
		object = json_new_object();
		json_add_number(object, "complete", hits->complete);
		json_add_number(object, "error", hits->error);
		json_add_texts(object, "verdict", verdict, "error_message",
		    hits->error > 0 ? buf_str(&o.message) : NULL);
		json_print(&line, object);
	} else {
		buf_printf(&line, "%s: complete %u, error %u", verdict,
		    hits->complete, hits->error);
		if (hits->stale > 0)
			buf_printf(&line, ", stale %u", hits->stale);
		if (hits->error > 0) {
			buf_adds(&line, ": ");
			msg_escape(&line, o.message.data, o.message.len);
		}
	}
	puts(buf_str(&line));
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
