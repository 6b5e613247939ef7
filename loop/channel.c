/*
 * channel.c - the channel.  Times are compared as local time in digits:
 * 20260131235959.
 */
#include "loop/loop.h"

#include <strings.h>
#include <time.h>

#include "hook/hook.h"
#include "os/sharedfile.h"

void
channel_time(char text[CHANNEL_TIME], int64_t when)
{
	time_t seconds = (time_t)when;
	struct tm tm;

	if (localtime_r(&seconds, &tm) == NULL || strftime(text, CHANNEL_TIME,
	    "%Y-%m-%d %H:%M:%S", &tm) != CHANNEL_TIME - 1)
		memcpy(text, "0000-00-00 00:00:00", CHANNEL_TIME);
}

static int64_t
channel_digits(int64_t when)
{
	char text[CHANNEL_TIME];
	int64_t digits = 0;
	int i, parts[6];

	channel_time(text, when);
	clock_form("0000-00-00 00:00:00", text, parts);
	for (i = 0; i < 6; i++)
		digits = digits * 100 + parts[i];
	return digits;
}

/* ---- a file -------------------------------------------------------------- */

struct section {
	int64_t time;                   /* 0: before the first heading */
	int64_t last;                   /* in the minute of the heading */
	size_t  from;
	bool    stop;                   /* has the word */
};

/* A heading without seconds is the whole minute. */
static bool
take_heading(struct section *s, const char *day, const char *p, const char *end)
{
	int parts[9];
	int *date = parts, *time = parts + 3, seconds, i;
	const char *behind;

	if (strncmp(p, "## ", 3) != 0)
		return false;
	for (p += 3; *p == ' '; p++)
		continue;
	behind = clock_form("0000-00-00 ", p, date);
	if (behind == NULL)
		clock_form("0000-00-00", day, date);
	else
		for (p = behind; *p == ' '; p++)
			continue;
	behind = clock_form("00:00:00", p, time);
	seconds = time[2];
	if (behind == NULL) {
		behind = clock_form("00:00", p, time);
		seconds = 59;
	}
	/* The length of each month is not checked. */
	if (behind == NULL || (behind < end && !text_blank(*behind)) ||
	    date[1] < 1 || date[1] > 12 || date[2] < 1 || date[2] > 31 ||
	    time[0] > 23 || time[1] > 59 || time[2] > 60)
		return false;
	for (i = 0; i < 6; i++)
		s->time = s->time * 100 + parts[i];
	s->last = s->time - time[2] + seconds;
	return true;
}

/* The word may stand behind a list marker and blanks. */
static bool
is_stop(const char *p, const char *end)
{
	const char *mark;

	p = text_skip_blanks(p, end);
	while (end > p && text_blank(end[-1]))
		end--;
	for (mark = p; mark < end && *mark >= '0' && *mark <= '9'; )
		mark++;
	if (mark < end && memchr(mark > p ? ".)" : "-*+", *mark,
	    mark > p ? 2 : 3) != NULL && ++mark < end && text_blank(*mark))
		p = text_skip_blanks(mark, end);
	return end - p == 4 && strncasecmp(p, "stop", 4) == 0;
}

static void
take_section(struct channel *c, const struct section *s, const char *day,
    const char *text, size_t to)
{
	if (s->stop && (s->time == 0 || s->time >= c->stop_from)) {
		c->stop = true;
		memcpy(c->stop_day, day, CHANNEL_DAY - 1);
	}
	/* News in the minute of the last read is given twice rather than
	 * never. */
	if (text != NULL && (c->since == 0 || s->last > c->since))
		buf_add(&c->news, text + s->from, to - s->from);
}

void
channel_look(struct channel *c, const char *day, const char *text, size_t len,
    bool trusted)
{
	struct section s = { .time = 0 }, next;
	const char *news = trusted ? text : NULL, *rest = text, *line;
	size_t size;

	while (text_line(&rest, text + len, &line, &size)) {
		next = (struct section){ .from = (size_t)(line - text) };
		size -= size > 0 && line[size - 1] == '\r';
		if (take_heading(&next, day, line, line + size)) {
			take_section(c, &s, day, news, next.from);
			s = next;
		} else if (is_stop(line, line + size)) {
			s.stop = true;
		}
	}
	take_section(c, &s, day, news, len);
	if (s.time != 0)
		c->last = s.stop;
}

static void
channel_take_day(struct channel *c, int dir, const char *name, struct buf *why)
{
	const char *refusal, *from, *heading = NULL;
	struct buf text = BUF_INIT;
	struct stat st;
	bool was = c->last;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_NOCTTY | O_CLOEXEC);

	if (fd == -1 || fstat(fd, &st) == -1 ||
	    file_read_open(fd, FILE_TAIL, &text, CHANNEL_FILE) == -1) {
		if (errno != ENOENT)
			buf_printf(hook_more(why), "'" CHANNEL_FOLDER "/%s': "
			    "%s", name, sharedfile_why(errno));
		goto out;
	}
	refusal = loopfile_refusal(&st);
	if (refusal != NULL)
		buf_printf(hook_more(why), "'" CHANNEL_FOLDER "/%s': %s; its "
		    "messages are not handed on", name, refusal);
	from = buf_str(&text);
	/* Skips the end of a section without heading, and a mark that would
	 * hide the first one. */
	if (st.st_size > CHANNEL_FILE)
		heading = memmem(from, text.len, "\n## ", 4);
	if (heading != NULL)
		from = heading + 1;
	else if (text.len >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0)
		from += 3;
	channel_look(c, name, from, text.len - (size_t)(from - text.data),
	    refusal == NULL);
	if (c->last && !was && !c->stop)
		memcpy(c->stop_day, name, CHANNEL_DAY - 1);
out:
	file_close(fd);
	buf_release(&text);
}

void
channel_read(struct channel *c, const char *root, struct buf *why)
{
	/* A time in the future would hide all until then. */
	int64_t read = c->last_read < c->now ? c->last_read : c->now;
	int64_t started = c->started < c->now ? c->started : c->now;
	char first[CHANNEL_TIME], today[CHANNEL_TIME];
	char **names = NULL, **name;
	const char *behind;
	int dir, parts[6];

	c->since = read >= 0 ? channel_digits(read) : 0;
	c->stop_from = channel_digits(read > started ? read : started);
	channel_time(first, read >= 0 ? read : started >= 0 ? started : c->now);
	channel_time(today, c->now);
	dir = file_folder(root, CHANNEL_FOLDER, false);
	if (dir == -1 ? errno != ENOENT :
	    (names = statusdir_names(dir)) == NULL)
		buf_printf(why, "cannot read '" CHANNEL_FOLDER "': %s",
		    sharedfile_why(errno));
	argv_sort(names);
	for (name = names; name != NULL && *name != NULL; name++) {
		behind = clock_form("0000-00-00.md", *name, parts);
		if (behind != NULL && *behind == '\0' &&
		    memcmp(*name, first, CHANNEL_DAY - 1) >= 0 &&
		    memcmp(*name, today, CHANNEL_DAY - 1) <= 0)
			channel_take_day(c, dir, *name, why);
	}
	c->stop = c->stop || c->last;
	argv_free(names);
	file_close(dir);
}
