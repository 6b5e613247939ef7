/*
 * Times are compared as local time in text, the way they stand in headings:
 * "2026-01-31 23:59:59".  That needs no calendar, and where clocks are put
 * back it is as good as anything.
 */
#include "loop/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/text.h"
#include "hook/hook.h"
#include "os/file.h"
#include "os/sharedfile.h"
#include "project/statusdir.h"

/* ---- time ---------------------------------------------------------------- */

void
channel_time(char text[CHANNEL_TIME], int64_t when)
{
	time_t seconds = (time_t)when;
	struct tm tm;

	if (localtime_r(&seconds, &tm) == NULL ||
	    strftime(text, CHANNEL_TIME, "%Y-%m-%d %H:%M:%S", &tm) !=
	    CHANNEL_TIME - 1)
		memcpy(text, "0000-00-00 00:00:00", CHANNEL_TIME);
}

static bool
channel_blank(char c)
{
	return text_blank(c) || c == '\r';
}

/* Does text begin like a form, in which 0 stands for any digit? */
static bool
has_form(const char *text, size_t len, const char *form)
{
	size_t i;

	for (i = 0; form[i] != '\0'; i++) {
		if (i == len)
			return false;
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9' :
		    text[i] != form[i])
			return false;
	}
	return true;
}

/* Is a line a heading that begins a section, and of when?  Where it tells no
 * seconds that is the whole minute, from time to last. */
static bool
take_heading(char time[CHANNEL_TIME], char last[CHANNEL_TIME], const char *day,
    const char *p, size_t len)
{
	const char *end = p + len, *seconds = ":59";

	memcpy(time, "0000-00-00 00:00:00", CHANNEL_TIME);
	if (!has_form(p, len, "## "))
		return false;
	for (p += 2; p < end && *p == ' '; p++)
		continue;
	memcpy(time, day, CHANNEL_DAY - 1);
	if (has_form(p, (size_t)(end - p), "0000-00-00 ")) {
		memcpy(time, p, CHANNEL_DAY - 1);
		for (p += CHANNEL_DAY - 1; p < end && *p == ' '; p++)
			continue;
	}
	if (!has_form(p, (size_t)(end - p), "00:00"))
		return false;
	memcpy(time + CHANNEL_DAY, p, 5);
	p += 5;
	if (has_form(p, (size_t)(end - p), ":00")) {
		memcpy(time + CHANNEL_DAY + 5, p, 3);
		seconds = p;
		p += 3;
	}
	memcpy(last, time, CHANNEL_TIME);
	memcpy(last + CHANNEL_DAY + 5, seconds, 3);
	/* Is the time valid?  The length of each month is not checked. */
	return (p == end || channel_blank(*p)) &&
	    memcmp(time + 5, "01", 2) >= 0 &&
	    memcmp(time + 5, "12", 2) <= 0 && memcmp(time + 8, "01", 2) >= 0 &&
	    memcmp(time + 8, "31", 2) <= 0 && memcmp(time + 11, "24", 2) < 0 &&
	    memcmp(time + 14, "60", 2) < 0 && memcmp(time + 17, "60", 2) <= 0;
}

/* Is it only the stop word, perhaps behind a list marker and its blanks? */
static bool
is_stop(const char *p, size_t len)
{
	const char *end = p + len, *mark;

	while (p < end && channel_blank(*p))
		p++;
	while (end > p && channel_blank(end[-1]))
		end--;
	for (mark = p; mark < end && *mark >= '0' && *mark <= '9'; )
		mark++;
	if (mark < end && memchr(mark > p ? ".)" : "-*+", *mark,
	    mark > p ? 2 : 3) != NULL && ++mark < end && channel_blank(*mark))
		for (p = mark; channel_blank(*p); p++)
			continue;
	return end - p == 4 && strncasecmp(p, "stop", 4) == 0;
}

/* ---- a file -------------------------------------------------------------- */

/* The part of a file from one heading to the next; without a time what is
 * before the first. */
struct section {
	char   time[CHANNEL_TIME];
	char   last[CHANNEL_TIME];      /* where the heading may be as late */
	size_t from, to;
	bool   stop;                    /* it has the word */
};

static void
take_section(struct channel *c, const struct section *s,
    const struct channel_limits *limits, const struct channel_file *f)
{
	struct buf *news = &c->news;
	const char *from, *lf;

	if (s->stop && (s->time[0] == '\0' ||
	    strcmp(s->time, limits->stop) >= 0)) {
		c->stop = true;
		memcpy(c->stop_day, f->day, CHANNEL_DAY);
	}
	/* News in the minute of the last read is given twice rather than
	 * never. */
	if (!f->trusted || (limits->since[0] != '\0' &&
	    strcmp(s->last, limits->since) <= 0))
		return;
	buf_add(news, f->text + s->from, s->to - s->from);
	if (news->len <= 2 * CHANNEL_NEWS)
		return;
	/* The newest stay, from the beginning of a line on. */
	from = news->data + (news->len - CHANNEL_NEWS);
	lf = memchr(from, '\n', CHANNEL_NEWS);
	if (lf != NULL)
		from = lf + 1;
	news->len -= (size_t)(from - news->data);
	memmove(news->data, from, news->len);
}

bool
channel_look(struct channel *c, const struct channel_limits *limits,
    const struct channel_file *f, bool was)
{
	struct section s = { .time = "" };
	char time[CHANNEL_TIME], last[CHANNEL_TIME];
	const char *rest = f->text, *line;
	size_t len;

	while (text_line(&rest, f->text + f->len, &line, &len)) {
		if (take_heading(time, last, f->day, line, len)) {
			s.to = (size_t)(line - f->text);
			take_section(c, &s, limits, f);
			s = (struct section){ .from = s.to };
			memcpy(s.time, time, sizeof(time));
			memcpy(s.last, last, sizeof(last));
		} else if (is_stop(line, len)) {
			s.stop = true;
		}
	}
	s.to = f->len;
	take_section(c, &s, limits, f);
	return s.time[0] != '\0' ? s.stop : was;
}

/* ---- the files ----------------------------------------------------------- */

static void
channel_explain(struct buf *why, const char *day, const char *what,
    const char *behind)
{
	buf_printf(hook_more(why), "'" CHANNEL_FOLDER "/%s.md': %s%s", day,
	    what, behind);
}

static bool
channel_take_day(struct channel *c, int dir, const char *name,
    const struct channel_limits *limits, bool was, struct buf *why)
{
	struct channel_file f = { .trusted = false };
	const char *refusal, *heading = NULL;
	struct buf text = BUF_INIT;
	struct stat st;
	bool last = was;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY | O_CLOEXEC);

	memcpy(f.day, name, CHANNEL_DAY - 1);
	if (fd == -1 || fstat(fd, &st) == -1 ||
	    file_read_open(fd, FILE_TAIL, &text, CHANNEL_FILE) == -1) {
		if (errno != ENOENT)
			channel_explain(why, f.day, sharedfile_why(errno), "");
		goto out;
	}
	refusal = loopfile_refusal(&st);
	if (refusal != NULL)
		channel_explain(why, f.day, refusal,
		    "; its messages are not handed on");
	f.trusted = refusal == NULL;
	f.text = buf_str(&text);
	/* Skips the end of a section whose heading was not read, and a mark
	 * that would hide the first heading. */
	if (st.st_size > CHANNEL_FILE)
		heading = memmem(f.text, text.len, "\n## ", 4);
	if (heading != NULL)
		f.text = heading + 1;
	else if (text.len >= 3 && memcmp(f.text, "\xef\xbb\xbf", 3) == 0)
		f.text += 3;
	f.len = text.len - (size_t)(f.text - text.data);
	last = channel_look(c, limits, &f, was);
	if (last && !was && !c->stop)
		memcpy(c->stop_day, f.day, CHANNEL_DAY);
out:
	file_close(fd);
	buf_release(&text);
	return last;
}

/* Names of files, of the days from the first to the last. */
struct days {
	const char *first, *last;       /* as they begin a time */
	char      **names;
};

static void
days_name(void *context, const char *name)
{
	struct days *d = context;

	if (has_form(name, strlen(name), "0000-00-00.md") &&
	    name[CHANNEL_DAY + 2] == '\0' &&
	    memcmp(name, d->first, CHANNEL_DAY - 1) >= 0 &&
	    memcmp(name, d->last, CHANNEL_DAY - 1) <= 0)
		d->names = argv_add(d->names, name);
}

void
channel_read(struct channel *c, const char *root,
    const struct channel_question *q, struct buf *why)
{
	/* A time that is still to come would let us miss all until then. */
	int64_t read = q->last_read < q->now ? q->last_read : q->now;
	int64_t started = q->started < q->now ? q->started : q->now;
	char first[CHANNEL_TIME], today[CHANNEL_TIME], **name;
	struct channel_limits limits = { .since = "" };
	struct days days = { first, today, NULL };
	bool last = false;
	int dir;

	if (read >= 0)
		channel_time(limits.since, read);
	channel_time(limits.stop, read > started ? read : started);
	channel_time(first, read >= 0 ? read : started >= 0 ? started :
	    q->now);
	channel_time(today, q->now);
	dir = file_folder(root, CHANNEL_FOLDER, false);
	/* Today alone needs no listing. */
	if (dir != -1 && memcmp(first, today, CHANNEL_DAY - 1) == 0)
		days.names = argv_own(NULL, xasprintf("%.10s.md", today));
	else if (dir == -1 ? errno != ENOENT :
	    statusdir_names(dir, days_name, &days) == -1)
		buf_printf(why, "cannot read '" CHANNEL_FOLDER "': %s",
		    sharedfile_why(errno));
	argv_sort(days.names);
	for (name = days.names; name != NULL && *name != NULL; name++)
		last = channel_take_day(c, dir, *name, &limits, last, why);
	c->stop = c->stop || last;
	argv_free(days.names);
	file_close(dir);
}

void
channel_release(struct channel *c)
{
	buf_release(&c->news);
}
