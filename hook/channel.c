/*
 * Times are compared as local time in text, the way they stand in headings:
 * "2026-01-31 23:59:59".  That needs no calendar, and where clocks are put
 * back it is as good as anything.
 */
#include "hook/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "hook/hook.h"
#include "hook/loopfile.h"
#include "os/file.h"
#include "run/statusdir.h"

enum { PIECE = 8192 };

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

/* Is the time valid?  The length of each month is not checked. */
static bool
is_time(const char *time)
{
	return memcmp(time + 5, "01", 2) >= 0 &&
	    memcmp(time + 5, "12", 2) <= 0 && memcmp(time + 8, "01", 2) >= 0 &&
	    memcmp(time + 8, "31", 2) <= 0 && memcmp(time + 11, "24", 2) < 0 &&
	    memcmp(time + 14, "60", 2) < 0 && memcmp(time + 17, "60", 2) <= 0;
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
	return (p == end || channel_blank(*p)) &&
	    is_time(time);
}

/* ---- the stop word ------------------------------------------------------- */

static size_t
skip_channel_blanks(const char *p, size_t len, size_t i)
{
	while (i < len && channel_blank(p[i]))
		i++;
	return i;
}

/* Behind a list marker and its blanks; i where there is none. */
static size_t
skip_marker(const char *p, size_t len, size_t i)
{
	size_t behind = i;

	if (i < len && strchr("-*+", p[i]) != NULL && p[i] != '\0') {
		behind++;
	} else {
		while (behind < len && p[behind] >= '0' && p[behind] <= '9')
			behind++;
		if (behind == i || behind == len ||
		    (p[behind] != '.' && p[behind] != ')'))
			return i;
		behind++;
	}
	return behind < len && channel_blank(p[behind]) ?
	    skip_channel_blanks(p, len, behind) : i;
}

static bool
is_stop(const char *p, size_t len)
{
	static const char word[] = "stop";
	size_t i, n;

	i = skip_marker(p, len, skip_channel_blanks(p, len, 0));
	for (n = 0; n < sizeof(word) - 1 && i < len; n++, i++)
		if ((p[i] | 0x20) != word[n])
			return false;
	return n == sizeof(word) - 1 && skip_channel_blanks(p, len, i) == len;
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

/* Of news that grow too large the newest stay, from the beginning of a line
 * on. */
static void
shorten(struct buf *news)
{
	const char *from = news->data + (news->len - CHANNEL_NEWS);
	const char *lf = memchr(from, '\n', CHANNEL_NEWS);

	if (lf != NULL)
		from = lf + 1;
	news->len -= (size_t)(from - news->data);
	memmove(news->data, from, news->len);
}

/* News in the minute of the last read is given twice rather than never. */
static bool
is_new(const struct section *s, const struct channel_limits *limits)
{
	return limits->since[0] == '\0' || strcmp(s->last, limits->since) > 0;
}

static void
take_section(struct channel *c, const struct section *s,
    const struct channel_limits *limits, const struct channel_file *f)
{
	if (s->stop && (s->time[0] == '\0' ||
	    strcmp(s->time, limits->stop) >= 0)) {
		c->stop = true;
		memcpy(c->stop_day, f->day, CHANNEL_DAY);
	}
	if (!f->trusted || !is_new(s, limits))
		return;
	buf_add(&c->news, f->text + s->from, s->to - s->from);
	if (c->news.len > 2 * CHANNEL_NEWS)
		shorten(&c->news);
}

bool
channel_look(struct channel *c, const struct channel_limits *limits,
    const struct channel_file *f, bool was)
{
	struct section s = { .time = "" };
	char time[CHANNEL_TIME], last[CHANNEL_TIME];
	const char *lf;
	size_t at, end;

	for (at = 0; at < f->len; at = end) {
		lf = memchr(f->text + at, '\n', f->len - at);
		end = lf != NULL ? (size_t)(lf - f->text) + 1 : f->len;
		if (take_heading(time, last, f->day, f->text + at,
		    end - at - (lf != NULL))) {
			s.to = at;
			take_section(c, &s, limits, f);
			s = (struct section){ .from = at };
			memcpy(s.time, time, sizeof(time));
			memcpy(s.last, last, sizeof(last));
		} else if (is_stop(f->text + at, end - at - (lf != NULL))) {
			s.stop = true;
		}
	}
	s.to = f->len;
	take_section(c, &s, limits, f);
	return s.time[0] != '\0' ? s.stop : was;
}

/* ---- the files ----------------------------------------------------------- */

/* Days from the first to the last, as they are found in the folder. */
struct days {
	const char *first, *last;       /* as they begin a time */
	char     (*day)[CHANNEL_DAY];
	size_t     n;
};

static void
take_day(void *context, const char *name)
{
	struct days *d = context;

	if (!has_form(name, strlen(name), "0000-00-00.md") ||
	    name[CHANNEL_DAY + 2] != '\0' ||
	    memcmp(name, d->first, CHANNEL_DAY - 1) < 0 ||
	    memcmp(name, d->last, CHANNEL_DAY - 1) > 0)
		return;
	d->day = xreallocarray(d->day, d->n + 1, sizeof(*d->day));
	memcpy(d->day[d->n], name, CHANNEL_DAY - 1);
	d->day[d->n++][CHANNEL_DAY - 1] = '\0';
}

/* The days that have a file.  Today alone needs no listing. */
static int
find_days(struct days *d, int dir)
{
	if (memcmp(d->first, d->last, CHANNEL_DAY - 1) != 0)
		return statusdir_names(dir, take_day, d);
	d->day = xcalloc(1, sizeof(*d->day));
	memcpy(d->day[d->n++], d->last, CHANNEL_DAY - 1);
	return 0;
}

static int
compare_days(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The last bytes of an open file, and whether there are more before them. */
static int
channel_tail(int fd, const struct stat *st, struct buf *text, bool *torn)
{
	off_t from = st->st_size > CHANNEL_FILE ? st->st_size - CHANNEL_FILE :
	    0;
	ssize_t n = 1;

	if (!S_ISREG(st->st_mode)) {
		errno = EINVAL;
		return -1;
	}
	*torn = from > 0;
	while (from + (off_t)text->len < st->st_size && n != 0) {
		n = pread(fd, buf_room(text, PIECE), PIECE,
		    from + (off_t)text->len);
		if (n == -1 && errno != EINTR)
			return -1;
		text->len += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Skips the end of a section whose heading was not read. */
static void
skip_torn(struct channel_file *f)
{
	const char *heading = memmem(f->text, f->len, "\n## ", 4);

	if (heading == NULL)
		return;
	f->len -= (size_t)(heading + 1 - f->text);
	f->text = heading + 1;
}

/* Before the first heading it would hide it. */
static void
skip_mark(struct channel_file *f)
{
	if (f->len < 3 || memcmp(f->text, "\xef\xbb\xbf", 3) != 0)
		return;
	f->text += 3;
	f->len -= 3;
}

static void
channel_explain(struct buf *why, const char *day, const char *what,
    const char *behind)
{
	buf_printf(hook_more(why), "'" CHANNEL_FOLDER "/%s.md': %s%s", day,
	    what, behind);
}

/* Fills the file from what is open.  -1 with errno. */
static int
channel_take_file(struct channel_file *f, int fd, struct buf *text,
    struct buf *why)
{
	const char *refusal;
	struct stat st;
	bool torn;

	if (fstat(fd, &st) == -1 || channel_tail(fd, &st, text, &torn) == -1)
		return -1;
	refusal = loopfile_refusal(&st);
	if (refusal != NULL)
		channel_explain(why, f->day, refusal,
		    "; its messages are not handed on");
	f->trusted = refusal == NULL;
	f->text = buf_str(text);
	f->len = text->len;
	if (torn)
		skip_torn(f);
	else
		skip_mark(f);
	return 0;
}

static bool
channel_take_days(struct channel *c, int dir, const char *day,
    const struct channel_limits *limits, bool was, struct buf *why)
{
	struct channel_file f = { .trusted = false };
	struct buf text = BUF_INIT;
	char name[CHANNEL_DAY + 4];
	int fd, ret;

	memcpy(f.day, day, CHANNEL_DAY);
	snprintf(name, sizeof(name), "%s.md", day);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC);
	ret = fd != -1 ? channel_take_file(&f, fd, &text, why) : -1;
	if (ret == 0)
		was = channel_look(c, limits, &f, was);
	else if (errno != ENOENT)
		channel_explain(why, day, errno == ELOOP ? "it is a link" :
		    errno == EINVAL ? "it is not a regular file" :
		    strerror(errno), "");
	if (fd != -1)
		close(fd);
	buf_release(&text);
	return was;
}

static int64_t
earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A time that is still to come would let us miss everything until then. */
static void
set_limits(struct channel_limits *limits, char first[CHANNEL_TIME],
    const struct channel_question *q)
{
	int64_t read = earlier(q->last_read, q->now);
	int64_t started = earlier(q->started, q->now);

	*limits = (struct channel_limits){ .since = "" };
	if (read >= 0)
		channel_time(limits->since, read);
	channel_time(limits->stop, read > started ? read : started);
	channel_time(first, read >= 0 ? read : started >= 0 ? started :
	    q->now);
}

void
channel_read(struct channel *c, const char *root,
    const struct channel_question *q, struct buf *why)
{
	char first[CHANNEL_TIME], today[CHANNEL_TIME];
	struct days days = { .first = first, .last = today };
	struct channel_limits limits;
	bool last = false, was;
	int dir;
	size_t i;

	set_limits(&limits, first, q);
	channel_time(today, q->now);
	dir = file_folder(root, CHANNEL_FOLDER, false);
	if ((dir == -1 && errno != ENOENT) ||
	    (dir != -1 && find_days(&days, dir) == -1))
		buf_printf(why, "cannot read '" CHANNEL_FOLDER "': %s",
		    errno == ENOTDIR ? "it is no folder, or a link" :
		    strerror(errno));
	if (days.n > 1)
		qsort(days.day, days.n, sizeof(*days.day), compare_days);
	for (i = 0; i < days.n; i++) {
		was = last;
		last = channel_take_days(c, dir, days.day[i], &limits, was,
		    why);
		if (last && !was && !c->stop)
			memcpy(c->stop_day, days.day[i], CHANNEL_DAY);
	}
	c->stop = c->stop || last;
	free(days.day);
	if (dir != -1)
		close(dir);
}

void
channel_release(struct channel *c)
{
	buf_release(&c->news);
}
