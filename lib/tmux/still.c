#include "tmux/tmux.h"

enum { RUN = 4 };                       /* equal signs */

static const char plain[] = " /_=@~\"'<>;&!-";
static const char bracketed[] = ".$*+?()|";
static const char others[] = "[^0-9A-Za-z /_=@~\"'<>;&!.$*+?()|-]";

const char still_facts[] = "#{pid} #{start_time} #{pane_id} "
    "#{pane_pid} #{?pane_dead,d,}#{?pane_in_mode,m,}#{?pane_input_off,o,}"
    "#{?pane_synchronized,s,}. #{pane_width} #{pane_height} #{cursor_x} "
    "#{cursor_y} #{pane_current_command}";

void
still_release(struct tmux_still *s)
{
	free(s->facts);
	free(s->rows);
	free(s->colored);
	*s = (struct tmux_still){ .facts = NULL };
}

bool
still_parse(struct tmux_still *s, const char *answer,
    const struct pane_ref *ref)
{
	const char *rows = strchr(answer, '\n'), *colored;
	char pane[TMUX_ID], flags[8];
	int server, pane_pid, height;
	long long started;

	*s = (struct tmux_still){ .facts = NULL };
	if (rows == NULL || sscanf(answer, "%d %lld %23s %d %7s %*d %d",
	    &server, &started, pane, &pane_pid, flags, &height) != 6)
		return false;
	for (colored = ++rows; height > 0 && colored != NULL; height--) {
		colored = strchr(colored, '\n');
		colored += colored != NULL;
	}
	if (colored == NULL || server != ref->server ||
	    started != ref->server_start || pane_pid != ref->pane_pid ||
	    strcmp(pane, ref->pane) != 0)
		return false;
	s->facts = xstrndup(answer, (size_t)(rows - answer) - 1);
	s->rows = xstrndup(rows, (size_t)(colored - rows));
	s->colored = xstrdup(colored);
	s->dead = strchr(flags, 'd') != NULL;
	s->mode = strchr(flags, 'm') != NULL;
	s->off = strchr(flags, 'o') != NULL;
	s->together = strchr(flags, 's') != NULL;
	/* A format holds the facts, and the program chooses its name. */
	s->odd = !text_only(s->facts, " %._-/@+()");
	return true;
}

const char *
still_refuses(const struct tmux_still *s)
{
	return s->dead ? "its process has ended" :
	    s->mode ? "it is in copy mode, or in another one of tmux" :
	    s->odd ? "the program in front of it has a strange name" :
	    s->off ? "its input is turned off" :
	    s->together ? "its window types into all panes at once "
	    "(synchronize-panes)" : NULL;
}

struct expressions {
	struct expression {
		struct buf text;
		bool speaks;            /* the row has letters or digits */
	} *v;
	size_t n;
};

/* Equal rows get equal expressions.  A long run of one non-ASCII sign is
 * slow. */
static void
expressions_make(struct expressions *x, const char *rows)
{
	enum { SIGNS = 0xa0, ARROWS = 0x2000, WORDS_AGAIN = 0x2c00 };
	const char *stop, *end, *at;
	struct expression *e;
	unsigned long c;
	size_t size, run, i;

	for (; (stop = strchr(rows, '\n')) != NULL; rows = stop + 1) {
		for (end = stop; end > rows && end[-1] == ' '; end--)
			continue;
		e = ARRAY_ADD(x->v, x->n);
		*e = (struct expression){ .speaks = false };
		for (at = rows; at < end; at += run) {
			size = utf8_decode(at, (size_t)(end - at), &c);
			e->speaks |= size == 0 || (size == 1 ? text_alnum(*at) :
			    c > SIGNS && (c < ARROWS || c >= WORDS_AGAIN));
			run = size > 0 ? size : 1;
			while (size > 1 && (size_t)(end - at) - run >= size &&
			    memcmp(at, at + run, size) == 0)
				run += size;
			if (size > 1 && run >= RUN * size) {
				for (i = 0; i < RUN; i++)
					buf_add(&e->text, at, size);
				buf_addc(&e->text, '+');
			} else if (text_alnum(*at) ||
			    (unsigned char)*at >= 0x80 ||
			    strchr(plain, *at) != NULL) {
				buf_add(&e->text, at, run);
			} else if (strchr(bracketed, *at) != NULL) {
				buf_printf(&e->text, "[%c]", *at);
			} else {
				buf_adds(&e->text, others);
			}
		}
	}
}

static void
expressions_release(struct expressions *x)
{
	while (x->n > 0)
		buf_release(&x->v[--x->n].text);
	free(x->v);
}

static bool
question_row(const struct expressions *x, size_t row, struct buf *format,
    struct buf *numbers)
{
	size_t i;

	for (i = 0; i < row; i++)
		if (buf_same(&x->v[i].text, &x->v[row].text))
			return false;
	buf_printf(format, " #{C/r:^%s$}", buf_str(&x->v[row].text));
	buf_printf(numbers, " %zu", row + 1);
	return true;
}

bool
still_quick(const struct tmux_still *s, const struct still_span *spans,
    size_t n, struct buf *format)
{
	struct expressions x = { .v = NULL };
	struct buf numbers = BUF_INIT;
	size_t i, row;

	expressions_make(&x, s->rows);
	buf_adds(format, "#{==:#{?pane_in_mode,m,}");
	for (i = 0; i < n; i++)
		for (row = spans[i].first; row < spans[i].stop; row++)
			if (row < x.n && x.v[row].speaks)
				question_row(&x, row, format, &numbers);
	buf_printf(format, ",%s}", buf_str(&numbers));
	expressions_release(&x);
	i = numbers.len;
	buf_release(&numbers);
	return i > 0;
}

bool
still_question(const struct tmux_still *s, size_t first, size_t strict,
    struct buf *format, struct buf *why)
{
	struct expressions x = { .v = NULL };
	struct buf numbers = BUF_INIT;
	bool good = true;
	size_t i;

	expressions_make(&x, s->rows);
	buf_printf(format, "#{==:%s", still_facts);
	for (i = first; good && i < x.n; i++)
		good = x.v[i].text.len == 0 || question_row(&x, i, format,
		    &numbers) || !x.v[i].speaks || i < strict;
	if (!good)
		buf_adds(why, "a line of it also stands above on the screen, "
		    "so a change might be missed");
	buf_printf(format, ",%s%s}", s->facts, buf_str(&numbers));
	expressions_release(&x);
	buf_release(&numbers);
	if (good && format->len > TMUX_QUESTION) {
		buf_adds(why, "it is too large to be compared");
		good = false;
	}
	return good;
}
