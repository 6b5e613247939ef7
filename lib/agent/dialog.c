#include "agent/signs.h"

#include <inttypes.h>
#include <strings.h>

/* ---- reading ------------------------------------------------------------- */

static void
dialog_drop_choices(struct dialog *d)
{
	while (d->n > 0)
		free(d->choices[--d->n]);
}

/* A choice has the next number; number 1 begins anew. */
static void
dialog_find_numbers(struct dialog *d, struct pattern *choice)
{
	size_t row = d->first, len, start, size, key, keys;
	const char *p;

	for (p = d->text; *p != '\0'; p += len + (p[len] == '\n'), row++) {
		len = strcspn(p, "\n");
		if (choice == NULL || !pattern_match(choice, p, len) ||
		    !pattern_group(choice, "text", &start, &size) ||
		    !pattern_group(choice, "key", &key, &keys) ||
		    keys != 1 || p[key] < '1' || p[key] > '9')
			continue;
		if (p[key] == '1')
			dialog_drop_choices(d);
		if ((size_t)(p[key] - '0') != d->n + 1)
			continue;
		d->rows[d->n] = row;
		d->choices[d->n++] = xstrndup(p + start, size);
	}
}

static size_t
dialog_row(const char *screen, size_t at)
{
	size_t row = 0, i;

	for (i = 0; i < at; i++)
		row += screen[i] == '\n';
	return row;
}

/* The choices of a list or a row, with a highlight on one.  A line between two
 * begins anew, as does a tenth. */
static void
dialog_find_highlight(struct dialog *d, struct pattern *choice, const char *p)
{
	size_t row = d->first, from, whole, start, size, mark, marks, lines;
	bool below = false;             /* the match before ends its line */

	for (; pattern_match(choice, p, strlen(p)) &&
	    pattern_group(choice, NULL, &from, &whole) && whole > 0 &&
	    pattern_group(choice, "text", &start, &size); p += from + whole) {
		lines = dialog_row(p, from);
		if (d->n == DIALOG_CHOICES || lines > !below)
			dialog_drop_choices(d);
		if (d->n == 0)
			d->marked = DIALOG_CHOICES;
		if (pattern_group(choice, "mark", &mark, &marks) &&
		    !text_empty(p + mark, marks))
			d->marked = d->marked == DIALOG_CHOICES ? d->n :
			    DIALOG_CHOICES + 1;         /* a second one */
		d->rows[d->n] = row + dialog_row(p, start);
		d->choices[d->n++] = xstrndup(p + start, size);
		row += dialog_row(p, from + whole);
		below = p[from + whole - 1] == '\n';
	}
	d->moves = d->n > 0;
	if (d->moves && d->marked >= d->n)
		dialog_drop_choices(d);
}

static void
dialog_hash(char id[DIALOG_ID + 1], const char *text)
{
	snprintf(id, DIALOG_ID + 1, "%0*" PRIx64, (int)DIALOG_ID,
	    text_hash(text, strlen(text)));
}

static const char *
dialog_line(const char *rows, size_t row)
{
	for (; row > 0; row--) {
		rows += strcspn(rows, "\n");
		rows += *rows == '\n';
	}
	return rows;
}

bool
dialog_read(struct dialog *d, const struct signs *s, const char *screen,
    const char *colored)
{
	struct buf lines = BUF_INIT, line = BUF_INIT;
	struct pattern *p;
	struct sign_match m;
	size_t from, start, size, row, len, i = 0;
	const char *text;

	signs_lines(&lines, screen, strlen(screen));
	screen = buf_str(&lines);
	len = lines.len;
	m = signs_find(s, SIGN_SCREEN, screen, len, 0);
	*d = (struct dialog){ .rules = NULL };
	if (m.sign == NULL ||
	    (m.sign->kind != SIGN_ASKING && m.sign->asks == NULL) ||
	    !pattern_group(m.sign->pattern, NULL, &from, &size)) {
		buf_release(&lines);
		return false;
	}
	while (from > 0 && screen[from - 1] != '\n')
		from--;
	*d = (struct dialog){ .first = dialog_row(screen, from),
	    .rules = m.sign, .limit = m.sign->kind == SIGN_LIMITED,
	    .what = xasprintf("%s%s%s", m.sign->what, m.asked[0] ? ": " : "",
	    m.asked), .text = xstrndup(screen + from, len - from),
	    .question = m.question };
	p = m.sign->pattern;
	if (pattern_group(p, "asked", &start, &size)) {
		signs_squeeze(&line, screen + start, size);
		d->asked = buf_steal(&line);
		d->asked_row = dialog_row(screen, start);
		d->asked_stop = dialog_row(screen, start + size) + 1;
	}
	/* A screen may hide parts of a command of several lines. */
	if (pattern_group(p, "command", &start, &size) &&
	    memchr(screen + start, '\n', size) == NULL) {
		signs_squeeze(&line, screen + start, size);
		d->command = buf_steal(&line);
	}
	if (dialog_answerable(d) && m.sign->highlight != NULL)
		dialog_find_highlight(d, m.sign->highlight, m.sign->colored ?
		    dialog_line(colored, d->first) : d->text);
	else if (dialog_answerable(d))
		dialog_find_numbers(d, m.sign->choice != NULL ?
		    m.sign->choice : s->choice);
	dialog_hash(d->id, d->text);
	for (text = d->text, row = d->first; *text != '\0'; row++) {
		size = strcspn(text, "\n");
		if (i == d->n || d->rows[i] != row)
			buf_add(&line, text, size);
		while (i < d->n && d->rows[i] == row)
			buf_adds(&line, d->choices[i++]);
		buf_addc(&line, '\n');
		text += size + (text[size] == '\n');
	}
	dialog_hash(d->rest, buf_str(&line));
	buf_release(&line);
	buf_release(&lines);
	return true;
}

void
dialog_release(struct dialog *d)
{
	free(d->what);
	free(d->asked);
	free(d->command);
	free(d->text);
	dialog_drop_choices(d);
	*d = (struct dialog){ .rules = NULL };
}

bool
dialog_answerable(const struct dialog *d)
{
	return d->rules != NULL && d->rules->asks != NULL;
}

/* ---- choosing ------------------------------------------------------------ */

const char *
dialog_step(const struct dialog *d, size_t from, size_t choice)
{
	static const char *const keys[2][2] = { { "Up", "Down" },
	    { "Left", "Right" } };
	bool row = d->n > 1 && d->rows[0] == d->rows[d->n - 1];

	return from == choice ? NULL : keys[row][choice > from];
}

static bool
dialog_is(const struct dialog *d, struct pattern *rule, size_t choice)
{
	const char *text = d->choices[choice];

	return rule != NULL && pattern_match(rule, text, strlen(text));
}

const char *
dialog_meaning(const struct dialog *d, size_t choice)
{
	return dialog_is(d, d->rules->yes, choice) ? "yes" :
	    dialog_is(d, d->rules->no, choice) ? "no" : NULL;
}

bool
dialog_takes_text(const struct dialog *d, size_t choice)
{
	return dialog_is(d, d->rules->own, choice);
}

static size_t
dialog_box(const struct dialog *d, size_t choice)
{
	const char *text = d->choices[choice];
	size_t start, size;

	return d->rules->box != NULL && pattern_match(d->rules->box, text,
	    strlen(text)) && pattern_group(d->rules->box, NULL, &start,
	    &size) ? size : 0;
}

static bool
typed_text_valid(const char *text, size_t most, const char *lines,
    const char *commands, struct buf *why)
{
	size_t left = strlen(text), size;
	unsigned long c;

	if (text_empty(text, left) || left > most)
		buf_printf(why, "a text has 1 to %zu bytes", most);
	else if (strchr(commands, text[0]) != NULL)
		buf_printf(why, "a text that begins with '%c' may be a "
		    "command of the client", text[0]);
	for (; why->len == 0 && left > 0; text += size, left -= size) {
		size = utf8_decode(text, left, &c);
		if (size == 0 || (c < ' ' ? strchr(lines, (int)c) == NULL :
		    utf8_harmful(c)))
			buf_printf(why, "a text is %s of printable characters",
			    lines[0] != '\0' ? "lines" : "one line");
	}
	return why->len == 0;
}

/* Its digit, or a key once the highlight is on it. */
static int
choose_number(const struct dialog *d, size_t choice, struct dialog_reply *r)
{
	*r = (struct dialog_reply){ .key = { (char)('1' + choice) },
	    .number = choice + 1, .choice = d->choices[choice],
	    .marks = dialog_box(d, choice) > 0 };
	if (d->moves)
		snprintf(r->key, sizeof(r->key), "%s", r->marks &&
		    d->rules->toggle != NULL ? d->rules->toggle : "Enter");
	return 0;
}

void
dialog_boxes(const struct dialog *d, unsigned boxes, struct dialog_reply *r)
{
	struct pattern *box = d->rules->box;
	size_t i, start, size;

	for (i = 0; i < d->n; i++)
		if (!dialog_takes_text(d, i) && dialog_box(d, i) > 0 &&
		    (boxes >> i & 1) != (pattern_group(box, "mark", &start,
		    &size) && !text_empty(d->choices[i] + start, size))) {
			choose_number(d, i, r);
			return;
		}
	*r = (struct dialog_reply){ .choice = "" };
	snprintf(r->key, sizeof(r->key), "%s", d->rules->submit);
}

static int
choose_boxes(const struct dialog *d, const char *word, struct dialog_reply *r,
    struct buf *why)
{
	const char *rest = word;
	unsigned long number;
	char *end;

	for (; *rest != '\0'; rest = end + (*end == ',')) {
		number = strtoul(rest, &end, 10);
		if (number == 0 || number > d->n ||
		    dialog_box(d, number - 1) == 0 ||
		    dialog_takes_text(d, number - 1)) {
			buf_printf(why, "it has no box '%.*s'",
			    (int)strcspn(rest, ","), rest);
			return -1;
		}
		r->boxes |= 1u << (number - 1);
	}
	r->choice = word;
	return 0;
}

int
dialog_choose(const struct dialog *d, const char *word,
    struct dialog_reply *r, struct buf *why)
{
	bool yes = strcmp(word, "yes") == 0, no = strcmp(word, "no") == 0;
	unsigned long number = strtoul(word, NULL, 10);
	struct pattern *rule;
	const char *key;
	size_t i, own;

	*r = (struct dialog_reply){ .text = NULL };
	if (!dialog_answerable(d)) {
		buf_adds(why, "its keys are not known");
	} else if (strchr(word, ',') != NULL && d->rules->box != NULL &&
	    d->rules->submit != NULL &&
	    word[strspn(word, "0123456789,")] == '\0') {
		return choose_boxes(d, word, r, why);
	} else if (yes || no) {
		/* The first choice that means it wins over a key. */
		rule = yes ? d->rules->yes : d->rules->no;
		key = !yes ? d->rules->no_key : d->rules->yes_key != NULL ?
		    d->rules->yes_key : d->rules->submit;
		for (i = 0; i < d->n; i++)
			if (dialog_is(d, rule, i))
				return choose_number(d, i, r);
		if (key != NULL) {
			snprintf(r->key, sizeof(r->key), "%s", key);
			r->choice = word;
			r->guarded = yes && d->rules->shows != NULL;
			return 0;
		}
		buf_printf(why, "none of its choices means '%s'", word);
	} else if (word[0] == '\0' ||
	    word[strspn(word, "0123456789")] != '\0') {
		for (i = 0, own = d->n; i < d->n; i++)
			if (dialog_takes_text(d, i))
				own = own == d->n ? i : own;
			else if (strcasecmp(d->choices[i] + dialog_box(d, i),
			    word) == 0)
				return choose_number(d, i, r);
		if (own == d->n || d->rules->field == NULL)
			buf_printf(why, "it has no choice '%s', and takes no "
			    "text", word);
		else if (typed_text_valid(word, DIALOG_TEXT, "", "/!#@",
		    why)) {
			choose_number(d, own, r);
			r->text = word;
			return 0;
		}
	} else if (number == 0 || number > d->n) {
		buf_printf(why, "it has no choice %s", word);
	} else if (dialog_takes_text(d, number - 1)) {
		buf_printf(why, "choice %s takes a text: give the text", word);
	} else {
		return choose_number(d, number - 1, r);
	}
	return -1;
}

bool
prompt_text_valid(const char *text, bool command, struct buf *why)
{
	return typed_text_valid(text, PROMPT_TEXT, "\n\t", command ? "" :
	    "/!#@", why);
}

/* ---- the prompt ---------------------------------------------------------- */

struct prompt
prompt_read(const struct signs *s, const char *rows, const char *colored)
{
	struct prompt p = { .ready = false };
	const struct sign *sign;
	struct buf lines = BUF_INIT;
	bool there = false, other = false;
	size_t at, len;

	signs_lines(&lines, rows, strlen(rows));
	for (sign = s->all; sign < s->all + s->n; sign++) {
		if (sign->place != SIGN_SCREEN || sign->kind == SIGN_LIMITED ||
		    !pattern_match(sign->pattern, buf_str(&lines), lines.len))
			continue;
		if (sign->kind == SIGN_READY && !there &&
		    pattern_group(sign->pattern, NULL, &at, &len))
			p.first = dialog_row(buf_str(&lines), at);
		there |= sign->kind == SIGN_READY;
		other |= sign->kind != SIGN_READY;
	}
	p.ready = there && !other;
	p.empty = there && s->empty != NULL &&
	    pattern_match(s->empty, colored, strlen(colored));
	buf_release(&lines);
	return p;
}

enum { ROW_END = '\n', ROW_GAP = '\v' };

/* Rows without blanks.  Behind a gap another column may begin. */
static void
prompt_rows(struct buf *out, const char *rows)
{
	enum { GAP = 8 };
	size_t len, i, blanks;

	for (; *rows != '\0'; rows += len + (rows[len] == '\n')) {
		len = strcspn(rows, "\n");
		for (i = 0; i < len; i += blanks) {
			signs_pack(out, rows + i, strcspn(rows + i, " \n"));
			i += strcspn(rows + i, " \n");
			blanks = strspn(rows + i, " ");
			if (blanks >= GAP && i > 0)
				buf_addc(out, ROW_GAP);
		}
		buf_addc(out, ROW_END);
	}
}

/* A character that is no letter, and perhaps a no-break space. */
static bool
prompt_sign(const char *text, size_t len)
{
	unsigned long c;
	size_t size = utf8_decode(text, len, &c);

	return len == 0 || (!text_alnum(text[0]) && (len == size ||
	    (len == size + 2 && memcmp(text + size, "\u00a0", 2) == 0)));
}

/* Does the text stand there alone, but for a sign before it?  part: its end
 * does. */
static bool
prompt_alone(const char *rows, const struct buf *text, bool part)
{
	enum { TAIL = 40 };             /* bytes */
	size_t first = part && text->len > TAIL ? text->len - TAIL : 0, i;
	const char *start, *p, *row = rows;

	for (start = rows; *start != '\0'; start++) {
		if (*start == ROW_END || *start == ROW_GAP) {
			row = start + 1;
			continue;
		}
		for (p = start, i = first; *p != '\0' && i < text->len; p++)
			if (*p == text->data[i])
				i++;
			else if (*p != ROW_END && *p != ROW_GAP &&
			    (*p != '>' || p == start || p[-1] != ROW_END))
				break;          /* a prompt may sign each row */
		if (i == text->len && (first > 0 ||
		    prompt_sign(row, (size_t)(start - row))) &&
		    (*p == ROW_END || *p == ROW_GAP || *p == '\0'))
			return true;
	}
	return false;
}

bool
prompt_holds(const struct prompt *p, const struct signs *s, const char *rows,
    const char *text)
{
	struct buf have = BUF_INIT, want = BUF_INIT;
	size_t at, len;
	bool holds;

	rows = dialog_line(rows, p->first);
	prompt_rows(&have, rows);
	signs_pack(&want, text, strlen(text));
	holds = prompt_alone(buf_str(&have), &want, strchr(text, '\n') != NULL);
	if (!holds && s->pasted != NULL && pattern_match(s->pasted, rows,
	    strlen(rows)) && pattern_group(s->pasted, NULL, &at, &len)) {
		buf_reset(&want);
		signs_pack(&want, rows + at, len);
		holds = prompt_alone(buf_str(&have), &want, false);
	}
	buf_release(&have);
	buf_release(&want);
	return holds;
}
