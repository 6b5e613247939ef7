#include "tmux/listing.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "tap.h"
#include "unit/fixture.h"

#define TOKEN "0123456789abcdef"
#define NUMBERS(id) TOKEN " p " id " $1 @2 4711 0 1 1700000000 ,\n"
#define CLIENT(numbers) TOKEN " k " numbers "\n" TOKEN " y /dev/pts/7\n"

static struct tmux_listing listing;     /* of the last parse() */

/* In memory that ends where the answer does. */
static void
parse_bytes(const char *bytes, size_t len)
{
	char *answer = xmalloc(len ? len : 1);

	memcpy(answer, bytes, len);
	listing_release(&listing);
	listing_parse(&listing, answer, len, TOKEN);
	free(answer);
}

/* "%1 s=session w=window d=folder i=issue r=run t=title f=command dead 1,-1;
 * c%1=text k@2,%1=terminal type name flags", without what is empty. */
static const char *
shown(void)
{
	static struct buf out;
	const struct tmux_client *c = listing.clients;
	const struct tmux_pane *p = listing.panes;
	size_t i;

	buf_reset(&out);
	for (; p < listing.panes + listing.npanes; p++) {
		const char *const texts[] = { p->session_name, p->window_name,
		    p->path, p->issue, p->run, p->title, p->command };

		buf_adds(&out, p->id);
		for (i = 0; i < 7; i++)
			if (texts[i][0] != '\0')
				buf_printf(&out, " %c=%s", "swdirtf"[i],
				    texts[i]);
		if (p->dead)
			buf_printf(&out, " dead %d,%d", p->dead_status,
			    p->dead_signal);
		buf_adds(&out, "; ");
	}
	for (i = 0; i < listing.ncaptures; i++)
		buf_printf(&out, "c%s=%.*s; ", listing.captures[i].pane,
		    (int)listing.captures[i].len, listing.captures[i].text);
	for (; c < listing.clients + listing.nclients; c++)
		buf_printf(&out, "k%s,%s=%s %s %s%s%s%s%s; ", c->window,
		    c->pane, c->tty, c->termtype, c->termname,
		    c->control ? " control" : "", c->zoomed ? " zoomed" : "",
		    c->suspended ? " suspended" : "",
		    c->unfocused ? " unfocused" : "");
	return buf_str(&out);
}

static const char *
parse(const char *answer)
{
	parse_bytes(answer, strlen(answer));
	return shown();
}

TEST(a_pane_is_taken_apart) {
	const struct tmux_pane *p;

	is_text(parse(TOKEN " v 42 1699999999 3.4\n"
	    TOKEN " p %45 $3 @7 4711 1 0 1700000000 7,\n"
	    TOKEN " s my session\n" TOKEN " w win\n" TOKEN " d /home/u\n"
	    TOKEN " i 42\n" TOKEN " r 0123abcd-1111-4222-8333-444444444444\n"
	    TOKEN " t a | title\n" TOKEN " f claude\n"),
	    "%45 s=my session w=win d=/home/u i=42 "
	    "r=0123abcd-1111-4222-8333-444444444444 t=a | title f=claude "
	    "dead 7,-1; ");
	is_number(listing.server, 42);
	is_number(listing.server_start, 1699999999);
	is_text(listing.version, "3.4");
	p = listing_pane(&listing, "%45");
	ok(p == listing.panes && listing_pane(&listing, "%4") == NULL);
	is_text(p->session, "$3");
	is_text(p->window, "@7");
	is_number(p->pid, 4711);
	ok(!p->pipe && p->activity == 1700000000);
	parse(NUMBERS("%1") CLIENT("@2 %1 1700000000 0 1 1 ,attached,UTF-8"));
	ok(listing.panes[0].pipe && !listing.panes[0].dead);
	is_number(listing.clients[0].activity, 1700000000);
}

#define NAME "a\nb\n p %9 $1 @2 1 0 0 1 ,\n" \
    "0123456789abcde s x\n\n\t\033[31m\xff \xe2\x82\xac c %1 "
#define SCREEN " p %1 $1 @2 1 0 0 1 ,\n0123456789abcdeF c %2\n s x\n# " \
    TOKEN " c %3\nend"
/* How a pane ended is told where tmux says. */
#define DEAD(ends, want) TOKEN " p %1 $1 @1 5 1 0 1 " ends "\n => " \
	"%1 dead " want "; "
/* What is no pane is left out with its texts. */
#define NO_PANE(line) TOKEN " p " line "\n" TOKEN " s lost\n" \
	NUMBERS("%2") TOKEN " s two\n => %2 s=two; "

TEST(an_answer_is_panes_captures_and_clients_whatever_they_hold) {
	ROWS(parse, " => ", NUMBERS("%1") TOKEN " s " NAME "\n" TOKEN " w " NAME
	    "\n" TOKEN " d " NAME "\n" TOKEN " i " NAME "\n" TOKEN " r "
	    NAME "\n" NUMBERS("%2") TOKEN " s two\n => %1 s=" NAME " w=" NAME
	    " d=" NAME " i=" NAME " r=" NAME "; %2 s=two; ",
	    NUMBERS("%1") TOKEN " s x" TOKEN " w y\n" TOKEN " w \n => "
	    "%1 s=x" TOKEN " w y; ",
	    NUMBERS("%1") TOKEN " s \n" TOKEN " w \n" TOKEN " d \n"
	    TOKEN " i \n" TOKEN " r \n" NUMBERS("%2") " => %1; %2; ",
	    /* The first text of a kind counts, and the first session. */
	    NUMBERS("%1") TOKEN " i 1\n" TOKEN " i 2\n => %1 i=1; ",
	    NUMBERS("%1") TOKEN " s one\n" NUMBERS("%1") TOKEN " s two\n"
	    NUMBERS("%2") TOKEN " s three\n => %1 s=one; %2 s=three; ",
	    NUMBERS("%1") TOKEN " s one\n" TOKEN " r \n" TOKEN
	    " c %1\n$ ls\n\na b\n" TOKEN " c %2\n\n" TOKEN " c %3\nno end"
	    " => %1 s=one; c%1=$ ls\n\na b; c%2=; c%3=no end; ",
	    NUMBERS("%1") TOKEN " s one\n" TOKEN " c %1\n" SCREEN "\n => "
	    "%1 s=one; c%1=" SCREEN "; ",
	    DEAD(",", "-1,-1"), DEAD("0,", "0,-1"), DEAD("255,", "255,-1"),
	    DEAD(",15", "-1,15"), DEAD("1,9", "1,9"), DEAD("x,y", "-1,-1"),
	    DEAD("999999999999999,", "-1,-1"),
	    NO_PANE(""), NO_PANE("%1"), NO_PANE("%1 $1 @2 x 0 1 1 ,"),
	    NO_PANE("%1 $1 @2 4711 0 1 1"), NO_PANE("%1 $1 @2 4711 0"),
	    NUMBERS("%1") CLIENT("@2 %1 5 0 0 0 ,") TOKEN " x a\nb\n"
	    TOKEN " n c " TOKEN " y /dev/pts/8\n" TOKEN " y /dev/pts/9\n"
	    TOKEN " k @2 %1 5 0 0\n" TOKEN " z lost\n => %1; "
	    "k@2,%1=/dev/pts/7 a\nb c " TOKEN " y /dev/pts/8; ",
	    CLIENT("@2 %1 1700000000 0 1 1 ,attached,UTF-8") TOKEN
	    " x kitty 0.36\n" TOKEN " n xterm-kitty\n" TOKEN
	    " k @3 %2 1 1 0 0 ,attached,focused,control-mode\n" TOKEN
	    " y \n" TOKEN " x \n" TOKEN " n \n => k@2,%1=/dev/pts/7 "
	    "kitty 0.36 xterm-kitty zoomed unfocused; k@3,%2=   control; ");
	listing_release(&listing);
	listing_parse(&listing, NULL, 0, TOKEN);
	is_text(shown(), "");
	ok(!tmux_version_old(listing.version));
}

TEST(an_answer_may_hold_any_byte_and_end_anywhere) {
	static const char answer[] = "tmux says something first\n"
	    NUMBERS("%1") TOKEN " s one\n" TOKEN " w two\n" TOKEN " d /\n"
	    TOKEN " i 7\n" TOKEN " r x\n" TOKEN " c %1\na\0b\377\n"
	    TOKEN " c %2\n" TOKEN " c %3";
	const struct tmux_capture *c;
	size_t i;

	for (i = 0; i < sizeof(answer); i++) {
		parse_bytes(answer, i);
		ok(listing.npanes <= 1 && listing.ncaptures <= 3);
	}
	c = listing_capture(&listing, "%1");
	ok(c != NULL && c->len == 4 && memcmp(c->text, "a\0b\377", 4) == 0);
	ok(listing_capture(&listing, "%4") == NULL);
}

static uint64_t
hash_of(const char *answer)
{
	parse(answer);
	return listing.hash;
}

TEST(the_hash_is_of_what_is_said_of_panes_alone) {
	uint64_t hash = hash_of(NUMBERS("%1") TOKEN " t one\n");

	ok(hash == hash_of(NUMBERS("%1") TOKEN " t one\n" TOKEN
	    " k @1 %1 5 0 0 1 ,\n" TOKEN " y tty\n" TOKEN " c %1\ntext\n"));
	ok(hash != hash_of(NUMBERS("%1") TOKEN " t two\n"));
	ok(hash != hash_of(NUMBERS("%2") TOKEN " t one\n"));
	ok(hash != hash_of(NUMBERS("%1") TOKEN " t one\n" NUMBERS("%2")));
}

static const char *
age(const char *version)
{
	char answer[64];

	snprintf(answer, sizeof(answer), TOKEN " v 2 3 %s\n", version);
	parse(answer);
	return tmux_version_old(listing.version) ? "old" : "new";
}

TEST(a_server_before_3_is_old) {
	ROWS(age, "1.8 => old", "2.9a => old", "2.9 => old", "3.0 => new",
	    "3.0a => new", "3.10 => new", "10.1 => new", "next-3.5 => new",
	    "openbsd-7.4 => new", "master => new");
}

/* The pane %1 is in the window @2 of a server with that client. */
static const char *
view(const char *client)
{
	char answer[512];

	snprintf(answer, sizeof(answer), NUMBERS("%%1") TOKEN " k %s\n",
	    client);
	parse(answer);
	return listing_looked_at(&listing, listing.panes, 1000) ? "looked at" :
	    listing_shown(&listing, listing.panes) ? "shown" : "hidden";
}

/* tests/system/viewers.sh has real ones. */
TEST(a_pane_is_looked_at_by_a_client_in_use) {
	ROWS(view, "@2 %1 940 0 0 0 ,attached => looked at",
	    "@2 %1 939 0 0 0 ,attached => shown",
	    "@2 %1 1001 0 0 0 ,attached => looked at",
	    "@22 %1 1000 0 0 0 ,attached => hidden",
	    "@2 %5 1000 0 0 0 ,attached => looked at",
	    "@2 %5 1000 0 1 0 ,attached => hidden",
	    "@2 %1 1000 0 1 0 ,attached => looked at",
	    "@2 %1 1000 1 0 0 ,attached,control-mode => hidden",
	    "@2 %1 1000 0 0 0 ,attached,suspended => hidden",
	    "@2 %1 1000 0 0 1 ,attached,focused => looked at",
	    "@2 %1 1000 0 0 1 ,attached,unfocused => shown",
	    "@2 %1 1000 0 0 1 , => looked at",          /* before 3.2 */
	    /* Any of several is enough. */
	    "@3 %7 1000 0 0 0 ,\n" TOKEN " k @2 %1 100 0 0 0 ,\n"
	    TOKEN " k @2 %1 990 0 0 0 , => looked at");
}

AFTER_TESTS {
	listing_release(&listing);
}
