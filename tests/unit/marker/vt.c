#include "marker/marker.h"

#include "tap.h"
#include "unit/fixture.h"

/* The lines of a text given byte by byte, each with a '.' at a hard end and a
 * ',' at a soft one, '<' in front if it takes the place of the last; what is
 * unfinished comes last. */
static const char *
lines_n(const char *text, size_t len)
{
	static struct buf out;
	struct vt t = { .mode = VT_GROUND };
	enum vt_event event;
	size_t used;

	for (buf_reset(&out); len > 0; len -= used) {
		used = vt_feed(&t, text, 1, &event);
		text += used;
		if (event == VT_MORE)
			continue;
		buf_printf(&out, "%s%s%c", t.again ? "<" : "",
		    buf_str(&t.line), event == VT_HARD ? '.' : ',');
		vt_next(&t);
	}
	buf_add(&out, t.line.data, t.line.len);
	vt_release(&t);
	return buf_str(&out);
}

#define LINES(text, want) { text, sizeof(text) - 1, want }

/* The vectors show the usual. */
TEST(what_a_terminal_would_draw_is_lines) {
	static const struct {
		const char *text;
		size_t len;
		const char *want;
	} rows[] = {
		LINES("a\nb\vc\f\n", "a.b.c.."),
		/* Carriage returns before a line feed belong to it; a lone one
		 * ends what is not empty, and so do moves of the cursor. */
		LINES("a\r\nb\r\r\n\r\nc", "a.b..c"),
		LINES("\r\rspin\r\rdone\n", "spin,<done."),
		LINES("one\rtwo\r\033[Afour\rfive\n\n",
		    "one,<two,four,<five.."),
		LINES("a\r\vb", "a,<.b"), LINES("a\r", "a"),
		LINES("\033[2;1H\033[Ha\033[3Ab\033[Bc\033[Ed\033[1;2fe"
		    "\033[5df\033[Fg", "a,b,c,d,e,f,g"),
		LINES("a\033Db\033Ec\033Md\033M\033M", "a,b,c,d,"),
		/* Moves along the line leave one blank, others vanish. */
		LINES("\033[5C\033[1Ga\033[9Cb\033[Gc", "a b c"),
		LINES("a\0b\a\177c\016d", "abcd"),
		/* A byte that fits nowhere cancels a sequence. */
		LINES("\033[3\nx", ".x"), LINES("\033[3\303\251", "\303\251"),
		LINES("\033(\033[mx", "x"),
		LINES("\033\033[mx\033\001y", "xy"),
		LINES("\033[1\030mx\033]0;a\032b", "mxb"),
		/* Strings are invisible; a line feed abandons one, an escape
		 * begins a new sequence in it. */
		LINES("a\033P1$r\a0m\033\\b\033^x\033\\c\033_y\r\033\\d"
		    "\033Xz\033\\e\033kname\033\\f", "abcdef"),
		LINES("a\033Pxyz\033\nb", "a.b"),
		LINES("a\033]0;x\033[31mb\033Py\033]z\ac", "abc"),
		/* A backspace lets the next character overwrite, whole. */
		LINES("teh\b\bhe", "the"), LINES("a\b\b\bb\n", "b."),
		LINES("\345\256\214\bx", "x"),
		LINES("a\bb\345\256\214\b\b\360\237\216\211",
		    "\360\237\216\211\345\256\214"),
		LINES("\345\256\214z\b\b\303\251y", "\303\251y"),
		LINES("\345\256\214yz\b\b\b\303\251", "\303\251yz"),
		LINES("\343\201#\b\b!", "\343!#"),
		LINES("\377\376a\200\n", "\377\376a\200."),
	};
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		ROW("row %zu", i);
		is_text(lines_n(rows[i].text, rows[i].len), rows[i].want);
	}
}

TEST(what_was_dropped_is_out_of_reach) {
	struct vt t = { .mode = VT_GROUND };
	enum vt_event event;

	vt_feed(&t, "abcdef", 6, &event);
	vt_drop(&t, 4);
	vt_feed(&t, "\b\b\b\bX", 5, &event);
	is_text(buf_str(&t.line), "Xf");
	vt_release(&t);
}

TEST(rest_gives_the_memory_back) {
	struct vt t = { .mode = VT_GROUND };
	enum vt_event event;

	vt_feed(&t, "prompt> ", 8, &event);
	vt_rest(&t);
	is_number(t.line.cap, 9);
	vt_feed(&t, "ls\n", 3, &event);
	is_number(event, VT_HARD);
	is_text(buf_str(&t.line), "prompt> ls");
	vt_next(&t);
	vt_rest(&t);
	ok(t.line.data == NULL && vt_begins(&t));
	vt_release(&t);
}
