#include "top/live.h"

#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1              /* not by default on macOS */
#endif
#include <curses.h>
#include <term.h>
#include <wchar.h>

enum { ESCAPE_WAIT = 25 };      /* ms for the rest of a key's sequence */

enum { PASTE_BEGINS = KEY_MAX + 1, PASTE_ENDS };

static bool canvas_colored, canvas_taken;

/* A terminal that knows it marks both ends of a pasted text. */
static void
canvas_mark_pastes(bool marks)
{
	fputs(marks ? "\33[?2004h" : "\33[?2004l", stdout);
	fflush(stdout);
}

int
canvas_open(struct buf *why)
{
	const char *name = getenv("TERM"), *move_cursor = NULL;
	const char *none = getenv("NO_COLOR");
	short color;
	int error;

	columns_begin();
	if (setupterm(NULL, STDOUT_FILENO, &error) == OK)
		move_cursor = tigetstr("cup");
	if (move_cursor == NULL || move_cursor == (const char *)-1 ||
	    newterm(NULL, stdout, stdin) == NULL) {
		buf_printf(why, "the terminal cannot move its cursor (TERM is "
		    "'%s')", name != NULL ? name : "");
		return -1;
	}
	set_escdelay(ESCAPE_WAIT);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	canvas_colored = (none == NULL || none[0] == '\0') && has_colors();
	if (canvas_colored) {
		start_color();
		use_default_colors();
	}
	for (color = 1; canvas_colored && color <= COLOR_WHITE; color++)
		init_pair(color, color, -1);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	define_key("\33[200~", PASTE_BEGINS);
	define_key("\33[201~", PASTE_ENDS);
	canvas_mark_pastes(true);
	canvas_taken = true;
	return 0;
}

void
canvas_close(void)
{
	if (canvas_taken) {
		canvas_mark_pastes(false);
		endwin();
	}
	canvas_taken = false;
}

void
canvas_regain(void)
{
	clearok(stdscr, TRUE);
	refresh();
	canvas_mark_pastes(true);
	canvas_taken = true;
}

void
canvas_clear(unsigned *lines_, unsigned *columns_)
{
	*lines_ = (unsigned)getmaxy(stdscr);
	*columns_ = (unsigned)getmaxx(stdscr);
	erase();
}

static void
canvas_begin(unsigned line, unsigned column, struct paint look)
{
	attr_set((look.bold ? A_BOLD : 0) | (look.dim ? A_DIM : 0) |
	    (look.reverse ? A_REVERSE : 0),
	    (short)(canvas_colored ? look.color : 0), NULL);
	move((int)line, (int)column);
}

void
canvas_put(unsigned line, unsigned column, unsigned width, const char *text,
    struct paint look)
{
	struct buf shown = BUF_INIT;

	if (look.reverse)               /* else all behind it is blank */
		columns_pad(&shown, text, width);
	else
		columns_add(&shown, text, width);
	canvas_begin(line, column, look);
	addstr(buf_str(&shown));
	buf_release(&shown);
}

void
canvas_rule(unsigned line, unsigned column, unsigned length, bool down)
{
	wchar_t sign[] = { columns_utf8() ? down ? 0x2502 : 0x2500 :
	    down ? '|' : '-', 0 };
	cchar_t c;

	canvas_begin(line, column, (struct paint){ .dim = true });
	setcchar(&c, sign, A_NORMAL, 0, NULL);
	if (down)
		vline_set(&c, (int)length);
	else
		hline_set(&c, (int)length);
}

void
canvas_flush(unsigned line, unsigned column)
{
	curs_set(column > 0);
	if (column > 0)
		move((int)line, (int)column);
	refresh();
}

long
canvas_typed(unsigned *line)
{
	wint_t code;
	int got = get_wch(&code);
	MEVENT event;

	if (got == OK)
		return code == '\r' || code == '\n' ? TYPED_ENTER :
		    code == 0x7f || code == '\b' ? TYPED_BACKSPACE : (long)code;
	if (got != KEY_CODE_YES)
		return TYPED_NOTHING;
	switch (code) {
	case KEY_UP:        return TYPED_UP;
	case KEY_DOWN:      return TYPED_DOWN;
	case KEY_LEFT:      return TYPED_LEFT;
	case KEY_RIGHT:     return TYPED_RIGHT;
	case KEY_PPAGE:     return TYPED_PAGE_UP;
	case KEY_NPAGE:     return TYPED_PAGE_DOWN;
	case KEY_HOME:      return TYPED_HOME;
	case KEY_END:       return TYPED_END;
	case KEY_ENTER:     return TYPED_ENTER;
	case KEY_BACKSPACE: return TYPED_BACKSPACE;
	case KEY_RESIZE:    return TYPED_RESIZE;
	case PASTE_BEGINS:  return TYPED_PASTE;
	case PASTE_ENDS:    return TYPED_PASTED;
	}
	if (code != KEY_MOUSE || getmouse(&event) != OK)
		return TYPED_OTHER;
	*line = (unsigned)event.y;
	return event.bstate & BUTTON4_PRESSED ? TYPED_WHEEL_UP :
	    event.bstate & BUTTON5_PRESSED ? TYPED_WHEEL_DOWN :
	    event.bstate & BUTTON1_PRESSED ? TYPED_CLICK : TYPED_OTHER;
}
