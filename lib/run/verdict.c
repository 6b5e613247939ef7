#include "run/status.h"

void
verdict_set_source(struct verdict *v, const char *name)
{
	size_t len;

	if (strcmp(name, "record") == 0)
		name = "hook";
	len = strspn(name, "abcdefghijklmnopqrstuvwxyz");
	if (name[len] != '\0' || len >= sizeof(v->source) ||
	    strcmp(name, "none") == 0)
		len = 0;
	memcpy(v->source, name, len);
	v->source[len] = '\0';
}

const char *
verdict_source(const struct verdict *v)
{
	return v->source[0] != '\0' ? v->source : "none";
}

void
verdict_shown(char *to, size_t size, const char *text, size_t len)
{
	struct buf shown = BUF_INIT;
	const char *end = text + len, *hashes;

	while (text < end &&            /* text may be NULL */
	    (hashes = memmem(text, (size_t)(end - text), "###", 3)) != NULL) {
		msg_escape(&shown, text, (size_t)(hashes - text));
		buf_adds(&shown, "\uff03\uff03\uff03");
		text = hashes + 3;
	}
	msg_escape(&shown, text, (size_t)(end - text));
	utf8_fit(to, size, buf_str(&shown), shown.len);
	buf_release(&shown);
}

void
verdict_why(struct verdict *v, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	verdict_shown(v->why, sizeof(v->why), text, strlen(text));
}

void
verdict_add_why(struct verdict *v, const char *text)
{
	size_t len = strlen(v->why);

	verdict_shown(v->why + len, sizeof(v->why) - len, text, strlen(text));
}
