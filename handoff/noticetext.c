#include "handoff/noticetext.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/msg.h"

enum { MESSAGE_BYTES = 240, NAME_BYTES = 40 };

/* Adds a text without controls, at most that many bytes. */
static void
add_brief(struct buf *out, const char *text, size_t most)
{
	struct buf shown = BUF_INIT;
	size_t n;

	msg_escape(&shown, text, strlen(text));
	n = shown.len < most ? shown.len : most;
	while (n < shown.len && n > 0 && (shown.data[n] & 0xc0) == 0x80)
		n--;
	buf_add(out, shown.data, n);
	if (n < shown.len)
		buf_adds(out, "\u2026");
	buf_release(&shown);
}

static bool
state_urgent(const char *state)
{
	static const char *const urgent[] = { "asking", "error", "refused",
	    "dead", "gone" };
	size_t i;

	for (i = 0; i < sizeof(urgent) / sizeof(urgent[0]); i++)
		if (strcmp(state, urgent[i]) == 0)
			return true;
	return false;
}

void
noticetext_init(struct noticetext *t, const char *issue, const char *state,
    const char *agent, const char *project, const char *message)
{
	struct buf text = BUF_INIT;

	buf_printf(&text, "paneward %s %s", issue, state);
	if (agent != NULL || project != NULL)
		buf_adds(&text, " (");
	if (agent != NULL)
		add_brief(&text, agent, NAME_BYTES);
	if (agent != NULL && project != NULL)
		buf_adds(&text, " in ");
	if (project != NULL)
		add_brief(&text, project, NAME_BYTES);
	if (agent != NULL || project != NULL)
		buf_addc(&text, ')');
	t->title = buf_steal(&text);
	if (message != NULL && message[0] != '\0') {
		add_brief(&text, message, MESSAGE_BYTES);
		buf_adds(&text, " | ");
	}
	buf_printf(&text, "paneward attach %s", issue);
	t->body = buf_steal(&text);
	t->urgent = state_urgent(state);
}

void
noticetext_release(struct noticetext *t)
{
	free(t->title);
	free(t->body);
	*t = (struct noticetext){ .title = NULL };
}

void
noticetext_add_markup(struct buf *out, const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '&')
			buf_adds(out, "&amp;");
		else if (*text == '<')
			buf_adds(out, "&lt;");
		else if (*text == '>')
			buf_adds(out, "&gt;");
		else
			buf_addc(out, *text);
}

void
noticetext_add_curl(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, "%s = \"", name);
	for (; *value != '\0'; value++) {
		if (*value == '"' || *value == '\\' || *value == '\n')
			buf_addc(out, '\\');
		buf_addc(out, *value == '\n' ? 'n' : *value);
	}
	buf_adds(out, "\"\n");
}
