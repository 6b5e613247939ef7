#include "backend/prompt.h"

#include <string.h>

static const struct sign *
prompt_sign(const struct signs *s, enum sign_kind kind, struct buf *lines)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->all[i].place == SIGN_SCREEN && s->all[i].kind == kind &&
		    pattern_match(s->all[i].pattern, buf_str(lines),
		    lines->len))
			return &s->all[i];
	return NULL;
}

static size_t
line_number(const char *text, size_t at)
{
	size_t line = 0;

	while (at > 0)
		line += text[--at] == '\n';
	return line;
}

struct prompt
prompt_read(const struct signs *s, const char *rows, const char *colored)
{
	struct prompt p = { .ready = false };
	struct buf lines = BUF_INIT;
	const struct sign *sign;
	size_t at, len;

	signs_lines(&lines, rows, strlen(rows));
	sign = prompt_sign(s, SIGN_READY, &lines);
	if (sign != NULL && pattern_group(sign->pattern, buf_str(&lines),
	    lines.len, NULL, &at, &len)) {
		p.ready = prompt_sign(s, SIGN_ASKING, &lines) == NULL &&
		    prompt_sign(s, SIGN_BUSY, &lines) == NULL;
		p.first = line_number(buf_str(&lines), at);
		p.empty = s->empty != NULL && pattern_match(s->empty, colored,
		    strlen(colored));
	}
	buf_release(&lines);
	return p;
}

/* Without blanks. */
static void
prompt_pack(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text > ' ')
			buf_addc(out, *text);
}

bool
prompt_holds(const struct prompt *p, const char *rows, const char *text)
{
	struct buf have = BUF_INIT, want = BUF_INIT;
	size_t line = p->first;
	bool holds;

	for (; line > 0 && (rows = strchr(rows, '\n')) != NULL; line--)
		rows++;
	if (rows == NULL)
		return false;
	prompt_pack(&have, rows);
	prompt_pack(&want, text);
	holds = strstr(buf_str(&have), buf_str(&want)) != NULL;
	buf_release(&have);
	buf_release(&want);
	return holds;
}
