#include "loop/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/utf8.h"
#include "os/file.h"
#include "text/json.h"

enum { STATE_BYTES = 4 << 20 };

static const char *const end_names[ROUND_ENDS] = {
	[ROUND_EXITED] = "exited",
	[ROUND_KEYWORD] = "keyword",
	[ROUND_SIGNAL] = "signal-complete",
	[ROUND_IDLE] = "idle-timeout",
	[ROUND_TIME] = "max-time",
	[ROUND_LIMITED] = "limited",
	[ROUND_INTERRUPTED] = "interrupted",
	[ROUND_NO_SESSION] = "error",
};

bool
round_lost(const struct round *r)
{
	return r->end == ROUND_EXITED && r->exit_code == -1 &&
	    r->exit_signal == -1;
}

const char *
round_end_name(const struct round *r)
{
	return round_lost(r) ? "lost" : end_names[r->end];
}

/* A lost one is told by what else is written down. */
static enum round_end
round_end_of(const char *name)
{
	size_t i;

	for (i = 0; name != NULL && i < ROUND_ENDS; i++)
		if (strcmp(end_names[i], name) == 0)
			return (enum round_end)i;
	return ROUND_EXITED;
}

bool
round_failed(const struct round *r)
{
	return r->end == ROUND_IDLE ||
	    (r->end == ROUND_EXITED && r->exit_code != 0);
}

bool
round_counts(const struct round *r)
{
	return r->end != ROUND_INTERRUPTED && r->end != ROUND_TIME &&
	    r->end != ROUND_NO_SESSION;
}

void
loop_state_name(char name[LOOP_FILE], const char *loop)
{
	snprintf(name, LOOP_FILE, "%s.json", loop);
}

void
loop_state_release(struct loop_state *s)
{
	free(s->issue);
	free(s->backend);
	free(s->manager);
	free(s->keyword);
	free(s->cwd);
	free(s->prompt_file);
	argv_free(s->words);
	free(s->reports[REPORT_JSON]);
	free(s->reports[REPORT_HTML]);
	free(s->reason);
	free(s->title);
	free(s->socket);
	free(s->rounds);
	*s = (struct loop_state){ 0 };
}

void
loop_state_add(struct loop_state *s, const struct round *r)
{
	if (s->nrounds == STATE_ROUNDS)
		memmove(s->rounds, s->rounds + 1,
		    --s->nrounds * sizeof(*s->rounds));
	s->rounds = xreallocarray(s->rounds, s->nrounds + 1,
	    sizeof(*s->rounds));
	s->rounds[s->nrounds++] = *r;
}

/* ---- the keys that are like each other ----------------------------------- */

#define FIELD(name) offsetof(struct loop_state, name)

static const struct { const char *key; size_t at; } texts[] = {
	{ "issue", FIELD(issue) }, { "backend", FIELD(backend) },
	{ "session_manager", FIELD(manager) }, { "keyword", FIELD(keyword) },
	{ "cwd", FIELD(cwd) }, { "prompt_file", FIELD(prompt_file) },
	{ "reason", FIELD(reason) }, { "title", FIELD(title) },
	{ "socket", FIELD(socket) },
	{ "report_json", FIELD(reports[REPORT_JSON]) },
	{ "report_html", FIELD(reports[REPORT_HTML]) },
};

static const struct { const char *key; size_t at; } numbers[] = {
	{ "max_iterations", FIELD(max_iterations) },
	{ "max_time", FIELD(max_time) },
	{ "idle_timeout", FIELD(idle_timeout) },
	{ "same_rounds", FIELD(same_rounds) },
	{ "started", FIELD(started) }, { "elapsed", FIELD(elapsed) },
	{ "limited_until", FIELD(limited_until) },
};

/* These are long. */
static const struct { const char *key; size_t at; } counts[] = {
	{ "done", FIELD(done) }, { "iteration", FIELD(iteration) },
	{ "failures", FIELD(failures) }, { "same", FIELD(same) },
};

enum {
	TEXTS = sizeof(texts) / sizeof(texts[0]),
	NUMBERS = sizeof(numbers) / sizeof(numbers[0]),
	COUNTS = sizeof(counts) / sizeof(counts[0])
};

static void *
field(struct loop_state *s, size_t at)
{
	return (char *)s + at;
}

static const void *
value(const struct loop_state *s, size_t at)
{
	return (const char *)s + at;
}

bool
loop_state_holds(const char *text)
{
	size_t len = strlen(text), n;

	for (; len > 0; text += n, len -= n)
		if ((n = utf8_decode(text, len, NULL)) == 0)
			return false;
	return true;
}

/* ---- writing ------------------------------------------------------------- */

static void
add_words(cJSON *o, char *const *words)
{
	cJSON *list;

	if (words == NULL)
		return;
	list = cJSON_AddArrayToObject(o, "command");
	for (; *words != NULL; words++)
		cJSON_AddItemToArray(list, cJSON_CreateString(*words));
}

static void
add_rounds(cJSON *o, const struct loop_state *s)
{
	cJSON *list = cJSON_AddArrayToObject(o, "rounds"), *r;
	size_t i;

	for (i = 0; i < s->nrounds; i++) {
		const struct round *round = &s->rounds[i];

		r = json_new_object();
		json_add_number(r, "iteration", round->iteration);
		json_add_text(r, "end", round_end_name(round));
		json_add_number(r, "began", round->began);
		json_add_number(r, "ended", round->ended);
		if (round->exit_code != -1)
			json_add_number(r, "exit", round->exit_code);
		if (round->exit_signal != -1)
			json_add_number(r, "signal", round->exit_signal);
		json_add_number(r, "bytes", (int64_t)round->bytes);
		cJSON_AddItemToArray(list, r);
	}
}

int
loop_state_write(const struct loop_state *s, int state_fd, const char *loop)
{
	char name[LOOP_FILE];
	struct buf out = BUF_INIT;
	cJSON *o = json_new_object();
	const char *text;
	size_t i;
	int ret, saved;

	json_add_text(o, "loop", loop);         /* first: status_named() */
	for (i = 0; i < TEXTS; i++) {
		text = *(char *const *)value(s, texts[i].at);
		/* What was said was looked at; a socket can do without. */
		if (text != NULL && loop_state_holds(text))
			json_add_text(o, texts[i].key, text);
	}
	for (i = 0; i < NUMBERS; i++)
		json_add_number(o, numbers[i].key,
		    *(const int64_t *)value(s, numbers[i].at));
	for (i = 0; i < COUNTS; i++)
		json_add_number(o, counts[i].key,
		    *(const long *)value(s, counts[i].at));
	if (s->run[0] != '\0') {
		json_add_text(o, "run", s->run);
		json_add_text(o, "boot", s->boot);
	}
	add_words(o, s->words);
	add_rounds(o, s);
	json_print(&out, o);
	buf_addc(&out, '\n');
	loop_state_name(name, loop);
	ret = file_replace(state_fd, name, out.data, out.len, 0600);
	saved = errno;
	buf_release(&out);
	json_free(o);
	errno = saved;
	return ret;
}

/* ---- reading ------------------------------------------------------------- */

static void
take_words(struct loop_state *s, const cJSON *list)
{
	const cJSON *word;

	cJSON_ArrayForEach(word, list)
		if (cJSON_IsString(word))
			s->words = argv_add(s->words, word->valuestring);
}

static void
take_rounds(struct loop_state *s, const cJSON *list)
{
	const cJSON *o;

	cJSON_ArrayForEach(o, list)
		loop_state_add(s, &(struct round){
		    .iteration = (long)json_number(o, "iteration", 0),
		    .end = round_end_of(json_text(o, "end")),
		    .began = json_number(o, "began", 0),
		    .ended = json_number(o, "ended", 0),
		    .exit_code = (int)json_number(o, "exit", -1),
		    .exit_signal = (int)json_number(o, "signal", -1),
		    .bytes = (uint64_t)json_number(o, "bytes", 0),
		});
}

static int
take_state(struct loop_state *s, const cJSON *o, const char *loop)
{
	const char *text = json_text(o, "loop");
	size_t i;

	if (text == NULL || strcmp(text, loop) != 0)
		return -1;
	for (i = 0; i < TEXTS; i++)
		if ((text = json_text(o, texts[i].key)) != NULL)
			*(char **)field(s, texts[i].at) = xstrdup(text);
	for (i = 0; i < NUMBERS; i++) {
		int64_t *number = field(s, numbers[i].at);

		*number = json_number(o, numbers[i].key, *number);
	}
	for (i = 0; i < COUNTS; i++)
		*(long *)field(s, counts[i].at) =
		    (long)json_number(o, counts[i].key, 0);
	json_word(o, "run", s->run, sizeof(s->run));
	json_word(o, "boot", s->boot, sizeof(s->boot));
	if (s->run[0] != '\0' && (!run_id_valid(s->run) || s->title == NULL ||
	    strchr(s->title, '/') != NULL))
		return -1;
	take_words(s, json_member(o, "command"));
	take_rounds(s, json_member(o, "rounds"));
	return s->backend == NULL || s->manager == NULL ||
	    manager_named(s->manager) == NULL || s->keyword == NULL ||
	    s->cwd == NULL || s->done < 0 ? -1 : 0;
}

int
loop_state_read(struct loop_state *s, int state_fd, const char *loop)
{
	char name[LOOP_FILE];
	struct buf text = BUF_INIT;
	cJSON *o = NULL;
	int ret;

	/* The file of 0.1.0 has no number for it. */
	*s = (struct loop_state){ .same_rounds = 5 };
	loop_state_name(name, loop);
	if (file_read(state_fd, name, FILE_NOFOLLOW, &text,
	    STATE_BYTES) == -1) {
		ret = errno == ENOENT ? 0 : -1;
		buf_release(&text);
		return ret;
	}
	o = json_parse(buf_str(&text), text.len, false, NULL);
	ret = o != NULL && take_state(s, o, loop) == 0 ? 1 : -1;
	json_free(o);
	buf_release(&text);
	if (ret == -1) {
		loop_state_release(s);
		errno = EBADMSG;
	}
	return ret;
}

static msec
changed(int state_fd, const char *name)
{
	struct stat st;

	return fstatat(state_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ?
	    file_mtime(&st) : 0;
}

/* The state was written as the round began. */
msec
loop_state_since(const struct loop_state *s, int state_fd, const char *loop)
{
	char name[LOOP_FILE], log[LOOP_FILE];
	msec since;

	if (s->run[0] == '\0')
		return 0;
	loop_state_name(name, loop);
	loop_log_name(log, loop, s->iteration);
	since = changed(state_fd, log) - changed(state_fd, name);
	return since > 0 ? since : 0;
}
