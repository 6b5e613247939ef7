#include "queue/row.h"

enum { SEEN_MAX = 256 };

void
seen_episode(char episode[SEEN_EPISODE], const struct status *s)
{
	enum handoff_state h = s->handoff.state;
	bool refused = h == HANDOFF_FAILED || h == HANDOFF_REFUSED;

	if (s->run[0] != '\0')
		snprintf(episode, SEEN_EPISODE, "%s %lld%s%s", s->run,
		    (long long)s->since, refused ? " " : "",
		    refused ? handoff_states[h] : "");
	else
		snprintf(episode, SEEN_EPISODE, "%ld/%llu %s %lld",
		    (long)s->agent.pid, (unsigned long long)s->agent.start,
		    state_name(s->verdict.state), (long long)s->since);
}

/* The word follows the episode in the file. */
enum seen
seen_read(int state_fd, const char *issue, const char *episode)
{
	size_t len = strlen(episode);
	struct buf text = BUF_INIT;
	const char *word;
	enum seen seen;

	file_read(state_fd, ISSUE_NAME(issue, "seen"), FILE_NOFOLLOW, &text,
	    SEEN_MAX);
	word = strncmp(buf_str(&text), episode, len) == 0 ?
	    buf_str(&text) + len : "";
	seen = strcmp(word, " seen\n") == 0 ? SEEN_ONCE :
	    strcmp(word, " forgotten\n") == 0 ? SEEN_FORGOTTEN : SEEN_NOT;
	buf_release(&text);
	return seen;
}

int
seen_write(int state_fd, const char *issue, const char *episode, enum seen seen)
{
	struct buf text = BUF_INIT;
	int ret;

	buf_printf(&text, "%s %s\n", episode, seen == SEEN_ONCE ? "seen" :
	    "forgotten");
	ret = file_replace(state_fd, ISSUE_NAME(issue, "seen"),
	    text.data, text.len, 0600);
	buf_release(&text);
	return ret;
}

const struct row_style row_styles[ROW_RANKS] = {
	[ROW_ASKING]   = { "asking",   3, true,  false, { "?", "?" } },
	[ROW_ERROR]    = { "error",    1, true,  false, { "!", "!" } },
	[ROW_HANDOFF]  = { "hand-off", 1, true,  false, { "!", "!" } },
	[ROW_DEAD]     = { "dead",     1, false, false, { "x", "\xc3\x97" } },
	[ROW_GONE]     = { "gone",     1, false, false, { "x", "\xc3\x97" } },
	[ROW_STALLED]  = { "stalled",  5, false, false, { "~", "~" } },
	[ROW_WAITING]  = { "waiting",  6, false, false, { ">", "\xe2\x80\xba" } },
	[ROW_COMPLETE] = { "complete", 2, false, false, { "+", "\xe2\x9c\x93" } },
	[ROW_LIMITED]  = { "limited",  4, false, false, { "z", "z" } },
	[ROW_UNKNOWN]  = { "unknown",  0, false, false, { "-", "-" } },
	[ROW_WORKING]  = { "working",  0, false, false, { "o", "\xe2\x97\x8f" } },
	[ROW_QUEUED]   = { "queued",   0, false, true, { ".", "\xe2\x97\x8b" } },
	[ROW_SEEN]     = { "seen",     0, false, true, { ".", "\xc2\xb7" } },
};

static const enum row_rank ranks[STATE_COUNT] = {
	[STATE_NONE]     = ROW_UNKNOWN,
	[STATE_WORKING]  = ROW_WORKING,
	[STATE_ASKING]   = ROW_ASKING,
	[STATE_WAITING]  = ROW_WAITING,
	[STATE_LIMITED]  = ROW_LIMITED,
	[STATE_STALLED]  = ROW_STALLED,
	[STATE_COMPLETE] = ROW_COMPLETE,
	[STATE_ERROR]    = ROW_ERROR,
	[STATE_DEAD]     = ROW_DEAD,
	[STATE_GONE]     = ROW_GONE,
	[STATE_UNKNOWN]  = ROW_UNKNOWN,
	[STATE_QUEUED]   = ROW_QUEUED,
};

static bool
row_refused(const struct row *r)
{
	return r->status.verdict.state == STATE_COMPLETE &&
	    (r->status.handoff.state == HANDOFF_FAILED ||
	    r->status.handoff.state == HANDOFF_REFUSED);
}

/* A seen row needs no person, unless it asks. */
void
row_rate(struct row *r)
{
	r->rank = r->problem != NULL ? ROW_UNKNOWN :
	    row_refused(r) ? ROW_HANDOFF : ranks[r->status.verdict.state];
	if (r->seen != SEEN_NOT && r->rank > ROW_ASKING && row_needs(r))
		r->rank = ROW_SEEN;
}

bool
row_session(const struct row *r)
{
	return r->pane && r->problem == NULL &&
	    r->status.place.pane[0] == '\0';
}

bool
row_needs(const struct row *r)
{
	return r->rank <= ROW_COMPLETE;
}

bool
row_finished(const struct row *r)
{
	enum state state = r->status.verdict.state;
	bool over = state == STATE_DEAD || state == STATE_GONE ||
	    (state == STATE_ERROR && !r->alive) || (state == STATE_COMPLETE &&
	    !handoff_open(&r->status.handoff) && !row_refused(r));

	return r->seen == SEEN_FORGOTTEN || (over && r->seen == SEEN_ONCE);
}

int
row_compare(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a;
	const struct row *y = *(const struct row *const *)b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->status.since != y->status.since)
		return x->status.since < y->status.since ? -1 : 1;
	return text_order(row_name(x), row_name(y));
}

const char *
row_name(const struct row *r)
{
	return r->status.issue[0] != '\0' && !r->pane ? r->status.issue :
	    r->where != NULL ? r->where : r->host != NULL ? r->host : "?";
}

void
row_key(struct buf *out, const struct row *r)
{
	const struct pane_ref *p = &r->status.place;

	if (r->host != NULL)
		buf_printf(out, "%s:", r->host);
	if (r->key != NULL || row_session(r))
		buf_adds(out, r->key ? r->key : row_name(r));
	else if (r->pane)
		buf_printf(out, "%ld%s/%ld", (long)p->server, p->pane,
		    (long)p->pane_pid);
	else
		buf_printf(out, "%s%s%s", r->directory ? r->directory : "",
		    r->directory ? "/" : "", row_name(r));
}

const char *
row_project(const struct row *r)
{
	const char *last = r->project != NULL ? strrchr(r->project, '/') : NULL;

	return last != NULL ? last + 1 : "";
}

void
row_text(struct buf *out, const struct row *r, msec wall)
{
	const struct status *s = &r->status;
	struct buf back = BUF_INIT;

	if (r->problem != NULL) {
		buf_adds(out, r->problem);
		return;
	}
	buf_adds(out, s->verdict.why);
	/* The message of an agent at its prompt begins what it said. */
	if (s->verdict.message[0] != '\0' && (s->said == NULL ||
	    s->verdict.state != STATE_WAITING))
		buf_printf(out, ": %s", s->verdict.message);
	parked_describe(out, s, wall);
	if (s->handoff.state != HANDOFF_NONE) {
		buf_adds(out, "; ");
		handoff_describe(out, &s->handoff, wall);
	}
	if (r->host == NULL && !r->pane &&
	    report_way_back(&back, s, s->verdict.state))
		buf_printf(out, "; %s", buf_str(&back));
	buf_release(&back);
	if (r->unwatched != 0) {
		buf_adds(out, "; not watched since ");
		clock_local(out, r->unwatched, wall);
	}
	if (r->version != NULL)
		buf_printf(out, "; paneward %s there", r->version);
}

void
row_says(struct buf *out, const struct row *r, msec wall)
{
	const struct status *s = &r->status;
	enum state state = s->verdict.state;
	const char *says = state != STATE_WORKING ? (state == STATE_WAITING ||
	    state == STATE_COMPLETE ? s->said : NULL) :
	    r->doing != NULL ? r->doing : s->task != NULL ? s->task : s->said;

	if (says == NULL && state != STATE_LIMITED)
		says = s->verdict.message;
	if (r->problem != NULL || (s->handoff.state != HANDOFF_NONE &&
	    s->handoff.state != HANDOFF_DONE))
		says = NULL;
	if (state == STATE_LIMITED && s->parked.until > wall) {
		buf_adds(out, "until ");
		clock_ahead(out, s->parked.until, wall);
		parked_describe(out, s, wall);
	} else if (says != NULL && says[0] != '\0') {
		buf_adds(out, says);
	} else {
		row_text(out, r, wall);
	}
}

static const char *
row_branch(const struct row *r)
{
	return r->status.tree.branch != NULL ? r->status.tree.branch :
	    r->status.branch;
}

void
row_tree(struct buf *out, const struct row *r)
{
	const char *branch = row_branch(r);
	int n = r->status.tree.changes;

	if (branch != NULL)
		buf_adds(out, branch);
	if (n >= 0)
		buf_printf(out, "%s%d file%s changed", branch ? ", " : "", n,
		    n == 1 ? "" : "s");
}

bool
row_does(struct row *r, const char *doing)
{
	if (r->status.verdict.state != STATE_WORKING)
		doing = "";
	if (strcmp(r->doing != NULL ? r->doing : "", doing) == 0)
		return false;
	free(r->doing);
	r->doing = doing[0] != '\0' ? xstrdup(doing) : NULL;
	return true;
}

static void
row_add_names(struct json *o, const struct row *r)
{
	const char *pane = r->status.place.pane;
	struct buf key = BUF_INIT;

	if (r->pane || r->problem != NULL)
		json_set_text(json_member(o, "issue"), NULL);
	row_key(&key, r);
	json_add_pairs(o, (const char *const[]){ "key", buf_str(&key), "host",
	    r->host, "version", r->version, "problem", r->problem, "project",
	    r->project, "directory", r->directory, "where", r->where, "pane",
	    pane[0] != '\0' ? pane : NULL, NULL });
	buf_release(&key);
}

struct json *
row_object(const struct row *r)
{
	struct json *o = status_object(&r->status);

	row_add_names(o, r);
	json_drop(o, "branch");
	json_add_texts(o, "branch", row_branch(r), "doing", r->doing);
	if (r->status.tree.changes >= 0)
		json_add_number(o, "changes", r->status.tree.changes);
	if (r->unwatched != 0)
		json_add_time(o, "unwatched", r->unwatched);
	else
		json_add_null(o, "unwatched");
	json_add_bool(o, "alive", r->alive);
	json_add_bool(o, "seen", r->seen != SEEN_NOT);
	json_add_bool(o, "finished", row_finished(r));
	json_add_bool(o, "needs", row_needs(r));
	return o;
}

struct json *
row_done(const struct row *r, const char *target, const char *did)
{
	struct json *o = json_new_object();

	json_add_texts(o, "target", target, "did", did);
	if (r == NULL)
		return o;
	json_add_texts(o, "issue", r->status.issue, "state",
	    state_name(r->status.verdict.state), "why", r->status.verdict.why);
	row_add_names(o, r);
	return o;
}

static char *
row_member(const struct json *o, const char *name)
{
	const char *text = json_text(o, name);
	struct buf shown = BUF_INIT;

	if (text == NULL)
		return NULL;
	msg_escape(&shown, text, strlen(text));
	return buf_steal(&shown);
}

bool
row_take(struct row *r, struct json *o)
{
	const char *unwatched = json_text(o, "unwatched");
	const char *host = json_text(o, "host");
	int ret = -1;

	*r = (struct row){ .key = row_member(o, "key") };
	r->pane = json_is(json_member(o, "issue"), JSON_NULL);
	if (r->pane)
		json_set_text(json_member(o, "issue"), "pane");
	if (r->key != NULL)
		ret = status_take(&r->status, o);
	if (r->pane)
		json_set_text(json_member(o, "issue"), NULL);
	if (ret == -1) {
		row_release(r);
		return false;
	}
	/* The name of a host is for ssh. */
	if (host != NULL && hostname_valid(host))
		r->host = xstrdup(host);
	r->version = row_member(o, "version");
	r->problem = row_member(o, "problem");
	r->project = row_member(o, "project");
	r->directory = row_member(o, "directory");
	r->where = row_member(o, "where");
	r->doing = row_member(o, "doing");
	/* An older version's row has its record's count of states. */
	if (json_member(o, "episode") == NULL)
		r->status.tree.changes = (int)json_number(o, "changes", -1);
	r->unwatched = unwatched != NULL ? clock_parse(unwatched) : 0;
	r->alive = json_true(o, "alive");
	r->seen = json_true(o, "finished") ? SEEN_FORGOTTEN :
	    json_true(o, "seen") ? SEEN_ONCE : SEEN_NOT;
	row_rate(r);
	return true;
}

bool
row_parse(struct row *r, const char *line, size_t len)
{
	struct json *o = json_parse(line, len, false, NULL);
	bool good = row_take(r, o);

	json_free(o);
	return good;
}

void
row_release(struct row *r)
{
	free(r->host);
	free(r->key);
	free(r->version);
	free(r->problem);
	free(r->doing);
	status_release(&r->status);
	free(r->directory);
	free(r->project);
	free(r->where);
	*r = (struct row){ .rank = ROW_RANKS };
}
