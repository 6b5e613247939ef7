#include "backend/dialog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/utf8.h"

/* ---- reading ------------------------------------------------------------- */

/* A group of the sign in one line; NULL: it took no part. */
static char *
dialog_group(const struct sign *sign, const char *screen, size_t len,
    const char *name)
{
	struct buf line = BUF_INIT;
	size_t start, size;

	if (!pattern_group(sign->pattern, screen, len, name, &start, &size))
		return NULL;
	signs_squeeze(&line, screen + start, size);
	return buf_steal(&line);
}

/* A command of several lines might be another one than the screen shows. */
static char *
dialog_command(const struct sign *sign, const char *screen, size_t len)
{
	size_t start, size;

	if (!pattern_group(sign->pattern, screen, len, "command", &start,
	    &size) || memchr(screen + start, '\n', size) != NULL)
		return NULL;
	return dialog_group(sign, screen, len, "command");
}

/* Adds the choice of a line, if it has the next number; number 1 begins
 * anew. */
static void
dialog_line(struct dialog *d, const struct pattern *choice, const char *line,
    size_t len)
{
	size_t key, start, size, number;

	if (!pattern_group(choice, line, len, "key", &key, &size) ||
	    size != 1 || line[key] < '1' || line[key] > '9' ||
	    !pattern_group(choice, line, len, "text", &start, &size))
		return;
	number = (size_t)(line[key] - '0');
	if (number == 1)
		while (d->n > 0)
			free(d->choices[--d->n]);
	if (number == d->n + 1)
		d->choices[d->n++] = xstrndup(line + start, size);
}

static void
dialog_find_choices(struct dialog *d, const struct pattern *choice)
{
	const char *p, *stop;

	for (p = d->text; choice != NULL && *p != '\0'; p = stop) {
		stop = strchr(p, '\n');
		if (stop == NULL)
			stop = p + strlen(p);
		dialog_line(d, choice, p, (size_t)(stop - p));
		stop += *stop == '\n';
	}
}

static bool
dialog_read_lines(struct dialog *d, const struct signs *s, const char *screen,
    size_t len)
{
	struct sign_match m;
	size_t from, size, i;

	m = signs_find(s, SIGN_SCREEN, screen, len, 0);
	*d = (struct dialog){ .rules = NULL };
	if (m.sign == NULL ||
	    (m.sign->kind != SIGN_ASKING && m.sign->rules.asks == NULL) ||
	    !pattern_group(m.sign->pattern, screen, len, NULL, &from, &size))
		return false;
	while (from > 0 && screen[from - 1] != '\n')
		from--;
	for (i = 0; i < from; i++)
		d->first += screen[i] == '\n';
	d->rules = &m.sign->rules;
	d->limit = m.sign->kind == SIGN_LIMITED;
	d->what = xasprintf("%s%s%s", m.sign->what, m.asked[0] ? ": " : "",
	    m.asked);
	d->asked = dialog_group(m.sign, screen, len, "asked");
	d->command = dialog_command(m.sign, screen, len);
	d->text = xstrndup(screen + from, len - from);
	snprintf(d->id, sizeof(d->id), "%0*" PRIx64, (int)DIALOG_ID,
	    text_hash(d->text, len - from));
	if (dialog_answerable(d))
		dialog_find_choices(d, s->choice);
	return true;
}

bool
dialog_read(struct dialog *d, const struct signs *s, const char *screen,
    size_t len)
{
	struct buf lines = BUF_INIT;
	bool found;

	signs_lines(&lines, screen, len);
	found = dialog_read_lines(d, s, buf_str(&lines), lines.len);
	buf_release(&lines);
	return found;
}

void
dialog_release(struct dialog *d)
{
	free(d->what);
	free(d->asked);
	free(d->command);
	free(d->text);
	while (d->n > 0)
		free(d->choices[--d->n]);
	*d = (struct dialog){ .rules = NULL };
}

bool
dialog_answerable(const struct dialog *d)
{
	return d->rules != NULL && d->rules->asks != NULL;
}

/* ---- choosing ------------------------------------------------------------ */

static bool
dialog_is(const struct dialog *d, const struct pattern *rule, size_t choice)
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

static int
choose_number(const struct dialog *d, size_t choice, struct dialog_reply *r)
{
	snprintf(r->key, sizeof(r->key), "%zu", choice + 1);
	r->choice = d->choices[choice];
	return 0;
}

/* By the first choice that means it, else by a key. */
static int
choose_meaning(const struct dialog *d, const char *word,
    struct dialog_reply *r, struct buf *why)
{
	bool yes = strcmp(word, "yes") == 0;
	const struct pattern *rule = yes ? d->rules->yes : d->rules->no;
	const char *key = yes ? d->rules->yes_key : d->rules->no_key;
	size_t i;

	for (i = 0; i < d->n; i++)
		if (dialog_is(d, rule, i))
			return choose_number(d, i, r);
	if (key == NULL) {
		buf_printf(why, "none of its choices means '%s'", word);
		return -1;
	}
	snprintf(r->key, sizeof(r->key), "%s", key);
	r->choice = word;
	r->guarded = yes && d->rules->shows != NULL;
	return 0;
}

static int
choose_digits(const struct dialog *d, const char *word,
    struct dialog_reply *r, struct buf *why)
{
	unsigned long number = strtoul(word, NULL, 10);

	if (number == 0 || number > d->n) {
		buf_printf(why, "it has no choice %s", word);
		return -1;
	}
	if (dialog_takes_text(d, number - 1)) {
		buf_printf(why, "choice %s takes a text: give the text", word);
		return -1;
	}
	return choose_number(d, number - 1, r);
}

static int
choose_text(const struct dialog *d, const char *word, struct dialog_reply *r,
    struct buf *why)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (strcasecmp(d->choices[i], word) == 0 &&
		    !dialog_takes_text(d, i))
			return choose_number(d, i, r);
	for (i = 0; i < d->n; i++)
		if (dialog_takes_text(d, i))
			break;
	if (i == d->n || d->rules->field == NULL) {
		buf_printf(why, "it has no choice '%s', and takes no text",
		    word);
		return -1;
	}
	r->text = word;
	return dialog_text_valid(word, why) ? choose_number(d, i, r) : -1;
}

int
dialog_choose(const struct dialog *d, const char *word,
    struct dialog_reply *r, struct buf *why)
{
	*r = (struct dialog_reply){ .text = NULL };
	if (!dialog_answerable(d)) {
		buf_adds(why, "it is not known how it is answered");
		return -1;
	}
	if (strcmp(word, "yes") == 0 || strcmp(word, "no") == 0)
		return choose_meaning(d, word, r, why);
	if (word[0] != '\0' && word[strspn(word, "0123456789")] == '\0')
		return choose_digits(d, word, r, why);
	return choose_text(d, word, r, why);
}

bool
dialog_text_valid(const char *text, struct buf *why)
{
	size_t left = strlen(text), size;
	unsigned long c;

	if (text_empty(text, left) || left > DIALOG_TEXT)
		buf_printf(why, "a text has 1 to %d bytes", DIALOG_TEXT);
	else if (strchr("/!#@", text[0]) != NULL)
		buf_printf(why, "a text that begins with '%c' may be a "
		    "command of the client", text[0]);
	for (; why->len == 0 && left > 0; text += size, left -= size) {
		size = utf8_decode(text, left, &c);
		if (size == 0 || utf8_harmful(c) || c == '\n' || c == '\t') {
			buf_adds(why, "a text is one line of printable "
			    "characters");
			break;
		}
	}
	return why->len == 0;
}
