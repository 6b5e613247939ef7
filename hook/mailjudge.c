/*
 * Most patterns are words joined by ".*".  Such a pattern matches only a line
 * that holds its longest word, so pcre2 runs on those lines alone.
 */
#include "hook/mailjudge.h"

#include <string.h>

#include "base/buf.h"
#include "text/pattern.h"

/* A message, and the same in lower case. */
struct message {
	const char *text;
	size_t      len;
	struct buf  lower;
};

static void
add_lower(struct buf *out, const char *text, size_t len)
{
	char *to = buf_room(out, len);
	size_t i;

	for (i = 0; i < len; i++)
		to[i] = text[i] >= 'A' && text[i] <= 'Z' ?
		    (char)(text[i] + 'a' - 'A') : text[i];
	out->len += len;
}

/*
 * The length of the word at this place in a lower-case pattern.  A word has no
 * letter with a second case beyond ASCII: of the other characters only kana,
 * kanji and most of Hangul count (U+3000 to U+9FFF and U+B000 to U+DFFF); of
 * ASCII not k and s, also the lower case of the Kelvin sign and the long s.
 */
static size_t
literal_len(const char *text)
{
	size_t len = 0;
	unsigned char c;

	while ((c = (unsigned char)text[len]) != '\0') {
		if (c >= 0x80 ? c < 0xe3 || c > 0xed || c == 0xea :
		    strchr(".*+?ks", c) != NULL)
			break;
		len += c >= 0x80 ? 3 : 1;
	}
	return len;
}

/* The longest word of a pattern in lower case; empty if none is known. */
static void
add_longest_word(struct buf *out, const char *pattern)
{
	struct buf lower = BUF_INIT;
	const char *p, *word = "";
	size_t len, longest = 0;

	for (p = pattern; *p != '\0'; p++)
		if (strchr("\\[](){}|^$#", *p) != NULL ||
		    (strchr("*+?", *p) != NULL &&
		    (p == pattern || p[-1] != '.')))
			return;         /* it is more than words */
	add_lower(&lower, pattern, strlen(pattern));
	for (p = buf_str(&lower); *p != '\0'; p += len + (p[len] != '\0'))
		if ((len = literal_len(p)) > longest) {
			word = p;
			longest = len;
		}
	buf_add(out, word, longest);
	buf_release(&lower);
}

static bool
message_matches(const char *text, const struct message *m)
{
	struct pattern *pattern = NULL;
	struct buf word = BUF_INIT;
	const char *end, *p, *lower = m->lower.data;
	size_t at, next, len;
	bool found = false;

	add_longest_word(&word, text);
	/* A word of another script seldom has even its first byte there. */
	at = word.len > 0 && !memchr(lower, word.data[0], m->len) ? m->len : 0;
	for (; at < m->len && !found; at = next) {
		p = memmem(lower + at, m->len - at, buf_str(&word), word.len);
		if (p == NULL)
			break;
		while (p > lower + at && p[-1] != '\n')
			p--;
		at = (size_t)(p - lower);
		end = memchr(m->text + at, '\n', m->len - at);
		next = end ? (size_t)(end - m->text) + 1 : m->len;
		len = next - at - (end != NULL);
		if (len > 0 && m->text[at + len - 1] == '\r')
			len--;
		if (pattern == NULL)
			pattern = inboxrules_compile(text, NULL, 0);
		found = pattern_match(pattern, m->text + at, len);
	}
	pattern_free(pattern);
	buf_release(&word);
	return found;
}

bool
mailjudge(const struct inboxrules *r, const char *text, size_t len,
    enum inbox_kind *kind)
{
	struct message m = { text, len, BUF_INIT };
	const char *const *p;
	bool found = false;
	size_t i;

	add_lower(&m.lower, text, len);
	for (i = 0; i < INBOX_KINDS && !found; i++)
		for (p = inboxrules_patterns(r, (enum inbox_kind)i);
		    *p != NULL && !found; p++) {
			found = message_matches(*p, &m);
			*kind = (enum inbox_kind)i;
		}
	buf_release(&m.lower);
	return found;
}
