#include "data/findings.h"

#include <assert.h>

#include "data/json.h"

static const char *const level_names[] = { "ok", "warning", "problem" };

void
findings_add(struct findings *f, enum level level, const char *why,
    const char *todo, const char *what, ...)
{
	struct buf found = BUF_INIT, line = BUF_INIT;
	va_list ap;
	struct json *o;

	assert(level == OK || todo != NULL);
	va_start(ap, what);
	buf_vprintf(&found, what, ap);
	va_end(ap);
	if (f->json) {
		o = json_new_object();
		json_add_texts(o, "check", f->check, "result",
		    level_names[level], "what", buf_str(&found), "why", why,
		    "do", todo);
		json_give(&line, o);
	} else {
		if (why != NULL)
			buf_printf(&found, ": %s", why);
		if (todo != NULL)
			buf_printf(&found, "; %s", todo);
		buf_printf(&line, "%-8s %s: ", level_names[level], f->check);
		msg_escape(&line, found.data, found.len);
	}
	puts(buf_str(&line));
	if (level > f->worst)
		f->worst = level;
	buf_release(&found);
	buf_release(&line);
}
