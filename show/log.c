/*
 * log.c - prints a run's output as text: its pane log, or what was kept of it.
 * An agent without an issue has its answers, as its client recorded them, and
 * what tmux has of its pane.
 */
#include "marker/defang.h"
#include "run/keptlog.h"
#include "show/show.h"

enum {
	LOG_PIECE = 64 << 10,
	LOG_PAUSE = 200                 /* ms between looks at a living log */
};

struct logview {
	struct context context;
	const char *issue, *dir;
	const char *id;                 /* how the run's begins */
	struct target_agent target;
	struct status record;
	char  run[RUN_ID_LEN + 1];
	bool  raw, follow, says;        /* says: its last answer alone */
	bool  any;                      /* was there a log? */
	struct vt vt;
	struct buf last;                /* a line that may be overwritten */
	bool  held;                     /* last is not printed yet */
	struct buf answer;              /* an answer that may be written
					   again */
};

static const struct command_option options[] = {
	{ 'f', "follow", NULL, "print on until the run ends",
	    FLAG_AT(struct logview, follow) },
	{ 0, "answer", NULL, "only the agent's last answer, as it wrote it",
	    FLAG_AT(struct logview, says) },
	{ 0, "run", "ID", "the run, or how its id begins (the newest one)",
	    TEXT_AT(struct logview, id) },
	{ 0, "raw", NULL, "print the bytes as they are",
	    FLAG_AT(struct logview, raw) },
	CONTEXT_OPTION_AT(struct logview, dir),
	{ 0 }
};

/* Escapes what a terminal obeys, but for tabs and lines.  A watched pane may
 * show it, so markers are broken up. */
static void
print_text(const char *marker, const char *text, size_t len)
{
	struct buf out = BUF_INIT, shown = BUF_INIT;

	msg_escape_but(&out, text, len, "\n\t");
	defang_add(&shown, buf_str(&out), out.len, marker, DEFANG_BLANK);
	fwrite(buf_str(&shown), 1, shown.len, stdout);
	buf_release(&out);
	buf_release(&shown);
}

void
show_answer(const struct buf *answer, const char *marker)
{
	if (isatty(STDOUT_FILENO))
		print_text(marker, answer->data, answer->len);
	else
		fwrite(answer->data, 1, answer->len, stdout);
	if (answer->data[answer->len - 1] != '\n')
		putchar('\n');
}

static void
print_held(struct logview *v)
{
	size_t len = v->last.len;

	if (!v->held)
		return;
	while (len > 0 && text_blank(v->last.data[len - 1]))
		len--;
	print_text(v->record.marker, v->last.data, len);
	putchar('\n');
	v->held = false;
}

/* A line that begins behind a carriage return overwrites the one before it. */
static void
log_take_line(struct logview *v)
{
	const struct buf *line = &v->vt.line;

	if (!v->vt.again)
		print_held(v);
	if (v->held && line->len == 0)
		return;
	buf_reset(&v->last);
	buf_add(&v->last, line->data, line->len);
	v->held = true;
}

static void
log_take_bytes(struct logview *v, const char *bytes, size_t len)
{
	enum vt_event event;
	size_t used, n;

	if (v->raw) {
		fwrite(bytes, 1, len, stdout);
		return;
	}
	for (; len > 0; bytes += used, len -= used) {
		used = vt_feed(&v->vt, bytes, len, &event);
		if (event == VT_FULL) {
			/* The line is too long to hold: prints its first
			 * characters. */
			n = VT_LINE_MAX / 2;
			while (n > 1 && (v->vt.line.data[n] & 0xc0) == 0x80)
				n--;
			print_held(v);
			print_text(v->record.marker, v->vt.line.data, n);
			vt_drop(&v->vt, n);
		} else if (event != VT_MORE) {
			log_take_line(v);
			vt_next(&v->vt);
		}
	}
}

static void
log_read(void *context, int fd)
{
	struct logview *v = context;
	char piece[LOG_PIECE];
	ssize_t n;

	v->any = true;
	while ((n = read(fd, piece, sizeof(piece))) > 0 ||
	    (n == -1 && errno == EINTR))
		if (n > 0)
			log_take_bytes(v, piece, (size_t)n);
	if (n == -1)
		warn("cannot read the log of issue '%s'", v->issue);
}

static int
log_open(const struct logview *v, const char *suffix, struct stat *st)
{
	return file_open_own(v->context.dir.fd, PANELOG_OF(v->issue, suffix),
	    O_RDONLY, st);
}

static bool
log_run_over(const struct logview *v)
{
	struct status r;
	int got = status_read(&r, v->context.dir.state_fd, v->issue);
	bool over = got == -1 ? file_refused(errno) : got == 0 ||
	    strcmp(r.run, v->run) != 0 || status_over(&r) ||
	    proc_boot_over(r.boot) || (r.place.pane_pid != 0 &&
	    !proc_alive(r.place.pane_pid, r.place.pane_start));

	status_release(&r);
	return over;
}

/* Reads the log from where the run begins, and follows it.  A log that was put
 * aside, or comes later, is followed by the new one. */
static void
log_living(struct logview *v)
{
	const struct log_mark *m = &v->record.log;
	struct stat st, now;
	int fd = log_open(v, "", &st), other = -1;
	bool over;

	if (fd != -1 && m->ino == st.st_ino && m->dev == st.st_dev &&
	    m->begin >= m->base)
		lseek(fd, (off_t)(m->begin - m->base), SEEK_SET);
	else
		other = log_open(v, ".1", &now);
	if (other != -1)
		log_read(v, other);
	over = !v->follow || log_run_over(v);
	for (;;) {
		if (fd != -1)
			log_read(v, fd);
		if (over || ferror(stdout))
			break;
		print_held(v);
		fflush(stdout);
		loop_pause(LOG_PAUSE);
		over = log_run_over(v);
		other = log_open(v, "", &st);
		if (other != -1 && (fd == -1 || fstat(fd, &now) == -1 ||
		    now.st_ino != st.st_ino || now.st_dev != st.st_dev)) {
			if (fd != -1)
				log_read(v, fd);
			file_close(fd);
			fd = other;
		} else {
			file_close(other);
		}
	}
}

/* ---- an agent without an issue ------------------------------------------- */

static void
print_block(struct logview *v, struct buf *text)
{
	log_take_bytes(v, buf_str(text), text->len);
	log_take_bytes(v, "\n\n", 2);
	buf_reset(text);
	v->any = true;
}

static void
log_take_answer(void *context, const char *text, bool again)
{
	struct logview *v = context;

	if (v->answer.len > 0 && !again)
		print_block(v, &v->answer);
	buf_reset(&v->answer);
	buf_adds(&v->answer, text);
}

static void
log_show_pane(struct logview *v)
{
	const struct status *r = &v->record;
	struct buf text = BUF_INIT, why = BUF_INIT;
	struct backends all = { .complete = false };
	const struct backend *b = backends_get(&all, r->backend, &why);
	struct marker_set set;
	struct event_evidence ignored;
	struct transcript t = { .markers = &set, .events = &ignored,
	    .each = log_take_answer, .context = v, .all = true };

	if (r->transcript.path != NULL && b != NULL && b->transcript != NULL) {
		t.format = b->transcript;
		marker_set_init(&set, v->issue, NULL, NULL);
		buf_printf(&text, "== answers, from '%s' ==",
		    r->transcript.path);
		print_block(v, &text);
		if (transcript_read_path(&t, r->transcript.path) == -1)
			warn("cannot read '%s'", r->transcript.path);
		log_take_answer(v, "", false);
	}
	buf_reset(&why);
	if (r->place.socket == NULL) {
		buf_adds(&why, "it has no pane");
	} else if (tmux_text(&r->place, true, &v->answer, &why) == TMUX_OK) {
		buf_printf(&text, "== pane %s, with its history ==",
		    r->place.pane);
		print_block(v, &text);
		print_block(v, &v->answer);
	}
	if (why.len > 0)
		warnx("cannot read what '%s' shows: %s", v->target.pane,
		    buf_str(&why));
	print_held(v);
}

static int
log_print_answer(const struct logview *v)
{
	struct backends all = { .complete = false };
	struct buf text = BUF_INIT, why = BUF_INIT;
	int got = backend_answer(&all, &v->record, &text, &why);

	if (got != 1)
		msg_fatal(got == 0 ? EXIT_NO : EXIT_COULD_NOT, 0, "cannot show "
		    "the last answer of '%s': %s", v->target.pane != NULL ?
		    v->target.pane : v->issue, buf_str(&why));
	show_answer(&text, v->record.marker);
	return EXIT_DONE;
}

/* ---- the command --------------------------------------------------------- */

static int
log_run(const struct command *c, int argc, char **argv)
{
	struct logview v = { .id = "" };
	struct buf why = BUF_INIT;
	int state_fd, found;

	command_option(c, argc, argv, &v);
	v.issue = command_agent(c, argv[optind]);
	target_open(&v.target, &v.context, "show the log of", v.issue, v.dir);
	v.issue = v.target.issue;
	v.record = v.target.record;
	/* A reader that has seen enough ends us. */
	signal(SIGPIPE, SIG_DFL);
	if (v.says && (v.raw || v.follow || v.id[0] != '\0'))
		command_usage(c, "--answer goes with no other option");
	state_fd = v.context.dir.state_fd;
	found = v.target.pane != NULL ? 1 :
	    status_read(&v.record, state_fd, v.issue);
	if (found == -1 && !file_refused(errno))
		fatal("cannot read the status record of issue '%s'", v.issue);
	if (found == 1 && v.says)
		return log_print_answer(&v);
	if (v.target.pane != NULL) {
		if (v.raw || v.follow || v.id[0] != '\0')
			fatal_no("cannot show the log of '%s': --raw, --follow "
			    "and --run need a pane log: 'paneward watch NAME "
			    "--pane %s' makes it an issue, which has one",
			    v.target.pane, v.record.place.pane);
		log_show_pane(&v);
		return v.any ? EXIT_DONE : EXIT_NO;
	}
	found = found == 1 &&
	    strncmp(v.record.run, v.id, strlen(v.id)) == 0;
	if (found)
		memcpy(v.run, v.record.run, sizeof(v.run));
	else if (state_fd != -1)
		found = keptlog_find(state_fd, v.issue, v.id, v.run);
	if (found == -1)
		fatal("cannot look for what is kept of issue '%s'", v.issue);
	if (found && keptlog_read(&v.context.dir, v.issue, v.run, log_read, &v,
	    &why) == -1)
		fatalx("cannot read what is kept of issue '%s': %s", v.issue,
		    buf_str(&why));
	if (found && strcmp(v.run, v.record.run) == 0)
		log_living(&v);
	/* The last line may have no end. */
	if (v.vt.line.len > 0)
		log_take_line(&v);
	print_held(&v);
	if (!v.any)
		warnx("no log of %s '%s' is there", v.id[0] != '\0' ?
		    "that run of issue" : "issue", v.issue);
	return v.any ? EXIT_DONE : EXIT_NO;
}

const struct command log_command = {
	.name = "log",
	.summary = "Show what a run printed, also after its end",
	.arguments = "ISSUE|%PANE",
	.examples =
	"  paneward log 42\n"
	"  paneward log %7\n"
	"  paneward log 42 --follow\n"
	"  paneward log 42 --answer | less\n"
	"  paneward log 42 --run 0123abcd --raw | less -R\n",
	.options = options,
	.run = log_run,
};
