#include "run/status.h"

void
tokens_count(struct token_count *c, const char *id, const struct tokens *t,
    msec time, msec began)
{
	struct tokens before = c->last;

	if (strlen(id) >= sizeof(c->id))
		id = "";
	if (id[0] == '\0' || strcmp(id, c->id) != 0 ||
	    t->input < before.input || t->output < before.output)
		before = (struct tokens){ 0 };
	memmove(c->id, id, strlen(id) + 1);
	c->last = *t;
	if (time > c->newest)
		c->newest = time;
	if (time <= began || time <= c->since)
		return;
	c->sum.input += t->input - before.input;
	c->sum.output += t->output - before.output;
	if (t->cached > before.cached)
		c->sum.cached += t->cached - before.cached;
}

static void
tokens_number(struct buf *out, uint64_t n)
{
	static const char units[] = "kMGTPE";
	uint64_t tenths = n * 10;
	size_t unit = 0;

	for (; tenths >= 10000 && unit < sizeof(units) - 1; unit++)
		tenths /= 1000;
	buf_printf(out, "%u", (unsigned)(tenths / 10));
	if (unit > 0 && tenths < 1000)
		buf_printf(out, ".%u", (unsigned)(tenths % 10));
	if (unit > 0)
		buf_addc(out, units[unit - 1]);
}

void
tokens_describe(struct buf *out, const char *before, const struct tokens *t)
{
	if (t->input == 0 && t->output == 0)
		return;
	buf_adds(out, before);
	tokens_number(out, t->input);
	buf_adds(out, " in, ");
	tokens_number(out, t->output);
	buf_adds(out, " out");
}
