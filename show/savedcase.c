#include "show/savedcase.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/clientversion.h"
#include "base/alloc.h"
#include "base/msg.h"
#include "os/file.h"
#include "text/json.h"
#include "text/template.h"

enum { SAVED_MAX = 64 << 20 };          /* bytes of a file */

static void
savedcase_text(const char *folder, const char *name, const char *text, size_t len)
{
	char *path = xasprintf("%s/%s", folder, name);

	if (file_replace(AT_FDCWD, path, text, len, 0600) == -1)
		fatal("cannot write '%s'", path);
	free(path);
}

/* A file of a directory, or with its path, from an offset on. */
static void
savedcase_file(const char *folder, const char *name, int dir, const char *path,
    uint64_t begin)
{
	struct buf text = BUF_INIT;
	size_t skip;

	if (file_read(dir, path, FILE_NOFOLLOW, &text, SAVED_MAX) == 0) {
		skip = begin < text.len ? (size_t)begin : 0;
		savedcase_text(folder, name, buf_str(&text) + skip,
		    text.len - skip);
	}
	buf_release(&text);
}

/* What the hooks reported, and how the agent ended. */
static void
savedcase_state(const char *folder, const struct sources *s)
{
	static const char *const kinds[] = { "records", "agent" };
	char *name, *path;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		name = xasprintf("%s.%s", s->record->issue, kinds[i]);
		path = xasprintf(".paneward/%s", name);
		if (s->dir->state_fd != -1)
			savedcase_file(folder, path, s->dir->state_fd, name, 0);
		free(path);
		free(name);
	}
}

/* Which run it was, when it began, and what does not count. */
static void
savedcase_record(const char *folder, const struct status *r)
{
	char *path = xasprintf("%s/.paneward", folder);
	struct status kept;
	int fd;

	if (mkdir(path, 0700) == -1 ||
	    (fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		fatal("cannot make '%s'", path);
	status_init(&kept, r->issue);
	memcpy(kept.run, r->run, sizeof(kept.run));
	kept.started = r->started;
	kept.fresh = r->fresh;
	kept.adopted = r->adopted;
	kept.exit_is_report = r->exit_is_report;
	kept.backend = r->backend;
	kept.marker = r->marker;
	kept.transcript.said = r->transcript.said;
	kept.transcript.past = r->transcript.past;
	kept.ignored_capture = r->ignored_capture;
	kept.ignored_events = r->ignored_events;
	if (r->log.base == 0)
		kept.ignored_log = r->ignored_log;
	if (r->run[0] != '\0' && status_write(&kept, fd) == -1)
		fatal("cannot write the status record into '%s'", path);
	close(fd);
	free(path);
}

/* What the transcript says; else what the client says that is installed. */
static char *
savedcase_version(const struct sources *s)
{
	char *version = clientversion_in(s->transcript.version);
	struct buf why = BUF_INIT;
	struct spawn asked;

	if (version == NULL && !s->replay && s->backend != NULL &&
	    clientversion_begin(&asked, s->backend))
		version = clientversion_end(&asked, &why);
	buf_release(&why);
	return version;
}

static void
savedcase_facts(const char *folder, const struct sources *s, bool gone,
    const struct verdict *v)
{
	struct buf text = BUF_INIT;
	char *version = savedcase_version(s);
	cJSON *o = json_new_object();

	json_add_text(o, "issue", s->record->issue);
	json_add_text(o, "client", s->backend ? s->backend->name : NULL);
	json_add_text(o, "version", version);
	json_add_text(o, "title", s->title);
	json_add_text(o, "command", s->foreground);
	json_add_text(o, "session", gone ? "dead" : "alive");
	json_add_time(o, "time", clock_wall());
	json_add_text(o, "verdict", state_name(v->state));
	json_add_null(o, "expect");
	json_print(&text, o);
	buf_addc(&text, '\n');
	savedcase_text(folder, "case.json", text.data, text.len);
	buf_release(&text);
	json_free(o);
	free(version);
}

/* An option and its value, as a shell reads them. */
static void
savedcase_option(struct buf *line, const char *option, const char *value)
{
	if (value == NULL)
		return;
	buf_printf(line, " %s ", option);
	template_quote(line, value, strlen(value));
}

/* The command that replays it. */
static void
savedcase_replay(const char *folder, const struct sources *s, bool gone,
    bool transcript)
{
	struct buf line = BUF_INIT;

	buf_printf(&line, "paneward explain %s --status-dir . --session %s "
	    "--check-errors%s%s", s->record->issue, gone ? "dead" : "alive",
	    s->text != NULL ? " --capture capture.txt" : "",
	    transcript ? " --transcript transcript.jsonl" : "");
	savedcase_option(&line, "--backend", s->backend ? s->backend->name : NULL);
	savedcase_option(&line, "--title", s->title);
	savedcase_option(&line, "--command", s->foreground);
	buf_addc(&line, '\n');
	savedcase_text(folder, "replay.txt", line.data, line.len);
	buf_release(&line);
}

void
savedcase_write(const char *folder, const struct sources *s,
    const struct evidence *ev, const struct verdict *v)
{
	char name[SIGFILE_NAME + PANELOG_NAME];
	const struct status *r = s->record;
	bool gone = ev->pane == PANE_GONE;
	bool transcript = s->transcript_path != NULL &&
	    s->transcript_error == 0;
	int kind;

	if (mkdir(folder, 0700) == -1)
		fatal("cannot make '%s'", folder);
	for (kind = 0; kind < SIGFILE_KINDS; kind++) {
		sigfile_name(name, (enum sigfile_kind)kind, r->issue);
		if (ev->signal[kind].found == SIGFILE_SIGNAL)
			savedcase_file(folder, name, s->dir->fd, name, 0);
	}
	panelog_name(name, r->issue);
	savedcase_file(folder, name, s->dir->fd, name, r->log.begin - r->log.base);
	if (transcript)
		savedcase_file(folder, "transcript.jsonl", AT_FDCWD,
		    s->transcript_path, 0);
	if (s->text != NULL)
		savedcase_text(folder, "capture.txt", s->text, s->text_len);
	savedcase_record(folder, r);
	savedcase_state(folder, s);
	savedcase_facts(folder, s, gone, v);
	savedcase_replay(folder, s, gone, transcript);
}
