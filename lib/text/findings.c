#include "text/findings.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/msg.h"
#include "text/json.h"

static const char *const level_names[] = { "ok", "warning", "problem" };

static void
findings_print(const struct findings *f, enum level level,
    struct buf *what, const char *why, const char *todo)
{
	struct buf text = BUF_INIT, line = BUF_INIT;
	cJSON *o;

	if (f->json) {
		o = json_new_object();
		json_add_text(o, "check", f->check);
		json_add_text(o, "result", level_names[level]);
		json_add_text(o, "what", buf_str(what));
		json_add_text(o, "why", why);
		json_add_text(o, "do", todo);
		json_print(&line, o);
		json_free(o);
	} else {
		buf_adds(&text, buf_str(what));
		if (why != NULL)
			buf_printf(&text, ": %s", why);
		if (todo != NULL)
			buf_printf(&text, "; %s", todo);
		buf_printf(&line, "%-8s %s: ", level_names[level], f->check);
		msg_escape(&line, text.data, text.len);
	}
	puts(buf_str(&line));
	buf_release(&text);
	buf_release(&line);
}

void
findings_addv(struct findings *f, enum level level, const char *why,
    const char *todo, const char *what, va_list ap)
{
	struct buf text = BUF_INIT;

	assert(level == OK || todo != NULL);
	if (f->silent)
		return;
	buf_vprintf(&text, what, ap);
	findings_print(f, level, &text, why, todo);
	if (level > f->worst)
		f->worst = level;
	buf_release(&text);
}

void
findings_add(struct findings *f, enum level level, const char *why,
    const char *todo, const char *what, ...)
{
	va_list ap;

	va_start(ap, what);
	findings_addv(f, level, why, todo, what, ap);
	va_end(ap);
}
