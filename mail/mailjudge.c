/*
 * Most patterns are words joined by ".*".  Such a pattern matches only a line
 * that holds its longest word, so pcre2 runs on those lines alone.
 */
#include "mail/mail.h"

#include <string.h>

#include "data/pattern.h"

enum { PIECE = 64 << 10 };             /* bytes that are searched at once */

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
 * The longest word of a pattern in lower case; empty if none is known.  A word
 * has no letter with a second case beyond ASCII: of the other characters only
 * kana, kanji and most of Hangul count (U+3000 to U+9FFF and U+B000 to U+DFFF);
 * of ASCII not k and s, also the lower case of the Kelvin sign and the long s.
 */
static void
add_longest_word(struct buf *out, const char *pattern)
{
	struct buf lower = BUF_INIT;
	const char *p, *word = "";
	size_t len, longest = 0;
	unsigned char c;

	for (p = pattern; *p != '\0'; p++)
		if (strchr("\\[](){}|^$#", *p) != NULL ||
		    (strchr("*+?", *p) != NULL &&
		    (p == pattern || p[-1] != '.')))
			return;         /* it is more than words */
	add_lower(&lower, pattern, strlen(pattern));
	for (p = buf_str(&lower); *p != '\0'; p += len + (p[len] != '\0')) {
		for (len = 0; (c = (unsigned char)p[len]) != '\0'; ) {
			if (c >= 0x80 ? c < 0xe3 || c > 0xed || c == 0xea :
			    strchr(".*+?ks", c) != NULL)
				break;
			len += c >= 0x80 ? 3 : 1;
		}
		if (len > longest) {
			word = p;
			longest = len;
		}
	}
	buf_add(out, word, longest);
	buf_release(&lower);
}

/* Does the pattern match one of these lines, which stand in lower case, too? */
static bool
lines_match(const char *text, size_t len, const char *lower,
    const char *pattern_text)
{
	struct pattern *pattern = NULL;
	struct buf word = BUF_INIT;
	const char *end, *p;
	size_t at, next, size;
	bool found = false;

	add_longest_word(&word, pattern_text);
	/* A word of another script seldom has even its first byte there. */
	at = word.len > 0 && !memchr(lower, word.data[0], len) ? len : 0;
	for (; at < len && !found; at = next) {
		p = memmem(lower + at, len - at, buf_str(&word), word.len);
		if (p == NULL)
			break;
		while (p > lower + at && p[-1] != '\n')
			p--;
		at = (size_t)(p - lower);
		end = memchr(text + at, '\n', len - at);
		next = end ? (size_t)(end - text) + 1 : len;
		size = next - at - (end != NULL);
		if (size > 0 && text[at + size - 1] == '\r')
			size--;
		if (pattern == NULL)
			pattern = inboxrules_compile(pattern_text, NULL, 0);
		found = pattern_match(pattern, text + at, size);
	}
	pattern_free(pattern);
	buf_release(&word);
	return found;
}

bool
mailjudge(const struct inboxrules *r, const char *text, size_t len,
    enum inbox_kind *kind)
{
	struct buf lower = BUF_INIT;
	const char *const *p, *end;
	size_t found = INBOX_KINDS, i, size;

	for (; len > 0 && found > 0; text += size, len -= size) {
		end = len > PIECE ? memchr(text + PIECE, '\n', len - PIECE) :
		    NULL;
		size = end != NULL ? (size_t)(end - text) + 1 : len;
		buf_reset(&lower);
		add_lower(&lower, text, size);
		for (i = 0; i < found; i++)
			for (p = inboxrules_patterns(r, (enum inbox_kind)i);
			    *p != NULL && i < found; p++)
				if (lines_match(text, size, lower.data, *p))
					found = i;
	}
	*kind = (enum inbox_kind)found;
	buf_release(&lower);
	return found < INBOX_KINDS;
}
