#include "tmux/listing.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "tap.h"

#define TOKEN "0123456789abcdef"
#define NUMBERS(id) TOKEN " p " id " $1 @2 4711 0 1 1700000000 ,\n"

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

static void
parse(const char *answer)
{
	parse_bytes(answer, strlen(answer));
}

TEST(a_pane_is_taken_apart) {
	const struct tmux_pane *p;

	parse(TOKEN " v 42 1699999999 3.4\n"
	    TOKEN " p %45 $3 @7 4711 1 0 1700000000 7,\n"
	    TOKEN " s my session\n" TOKEN " w win\n" TOKEN " d /home/u\n"
	    TOKEN " i 42\n" TOKEN " r 0123abcd-1111-4222-8333-444444444444\n"
	    TOKEN " t a | title\n" TOKEN " f claude\n");
	is_number(listing.npanes, 1);
	is_number(listing.server, 42);
	is_number(listing.server_start, 1699999999);
	ok(!tmux_version_old(listing.version));
	p = listing_pane(&listing, "%45");
	ok(p == listing.panes);
	is_text(p->id, "%45");
	is_text(p->session, "$3");
	is_text(p->window, "@7");
	is_number(p->pid, 4711);
	ok(p->dead && !p->pipe);
	is_number(p->activity, 1700000000);
	is_number(p->dead_status, 7);
	is_number(p->dead_signal, -1);
	is_text(p->session_name, "my session");
	is_text(p->window_name, "win");
	is_text(p->path, "/home/u");
	is_text(p->issue, "42");
	is_text(p->run, "0123abcd-1111-4222-8333-444444444444");
	is_text(p->title, "a | title");
	is_text(p->command, "claude");
	ok(listing_pane(&listing, "%4") == NULL);
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

TEST(how_a_dead_pane_ended_is_told_where_tmux_says) {
	static const struct { const char *ends; int status, signal; } all[] = {
		{ ",", -1, -1 }, { "0,", 0, -1 }, { "255,", 255, -1 },
		{ ",15", -1, 15 }, { "1,9", 1, 9 }, { "x,y", -1, -1 },
		{ "999999999999999,", -1, -1 },
	};
	char *line;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		line = xasprintf(TOKEN " p %%1 $1 @1 5 1 0 1 %s\n",
		    all[i].ends);
		parse(line);
		is_number(listing.npanes, 1);
		is_number(listing.panes[0].dead_status, all[i].status);
		is_number(listing.panes[0].dead_signal, all[i].signal);
		free(line);
	}
}

TEST(hostile_names_are_data) {
	static const char name[] = "a\nb\n p %9 $1 @2 1 0 0 1 ,\n"
	    "0123456789abcde s x\n\n\t\033[31m\xff \xe2\x82\xac c %1 ";
	char *answer = xasprintf(NUMBERS("%%1") TOKEN " s %s\n" TOKEN
	    " w %s\n" TOKEN " d %s\n" TOKEN " i %s\n" TOKEN " r %s\n"
	    NUMBERS("%%2") TOKEN " s two\n", name, name, name, name, name);
	const struct tmux_pane *p;

	parse(answer);
	is_number(listing.npanes, 2);
	is_number(listing.ncaptures, 0);
	p = listing_pane(&listing, "%1");
	is_text(p->session_name, name);
	is_text(p->window_name, name);
	is_text(p->path, name);
	is_text(p->issue, name);
	is_text(p->run, name);
	is_text(listing.panes[1].session_name, "two");
	free(answer);
}

TEST(a_token_inside_of_a_line_is_text) {
	parse(NUMBERS("%1") TOKEN " s x" TOKEN " w y\n" TOKEN " w \n");
	is_text(listing.panes[0].session_name, "x" TOKEN " w y");
	is_text(listing.panes[0].window_name, "");
}

TEST(empty_names_and_those_that_did_not_come_are_empty) {
	parse(NUMBERS("%1") TOKEN " s \n" TOKEN " w \n" TOKEN " d \n" TOKEN
	    " i \n" TOKEN " r \n" NUMBERS("%2"));
	is_number(listing.npanes, 2);
	is_text(listing.panes[0].session_name, "");
	is_text(listing.panes[0].issue, "");
	is_text(listing.panes[0].run, "");
	is_text(listing.panes[1].session_name, "");
	is_text(listing.panes[1].window_name, "");
	is_text(listing.panes[1].path, "");
	is_text(listing.panes[1].issue, "");
	is_text(listing.panes[1].run, "");
}

TEST(the_first_text_of_a_kind_counts) {
	parse(NUMBERS("%1") TOKEN " i 1\n" TOKEN " i 2\n");
	is_text(listing.panes[0].issue, "1");
}

TEST(a_pane_in_two_sessions_is_listed_once) {
	parse(NUMBERS("%1") TOKEN " s one\n" NUMBERS("%1") TOKEN " s two\n"
	    NUMBERS("%2") TOKEN " s three\n");
	is_number(listing.npanes, 2);
	is_text(listing.panes[0].session_name, "one");
	is_text(listing.panes[1].session_name, "three");
}

TEST(captures_are_taken_apart) {
	const struct tmux_capture *c;

	parse(NUMBERS("%1") TOKEN " s one\n" TOKEN " r \n"
	    TOKEN " c %1\n$ ls\n\na b\n"
	    TOKEN " c %2\n\n" TOKEN " c %3\nno end");
	is_number(listing.ncaptures, 3);
	c = listing_capture(&listing, "%1");
	is_text(c->text, "$ ls\n\na b");
	is_number(c->len, strlen(c->text));
	c = listing_capture(&listing, "%3");
	is_text(c->text, "no end");
	ok(listing_capture(&listing, "%4") == NULL);
}

TEST(a_capture_may_look_like_the_answer) {
	static const char screen[] = " p %1 $1 @2 1 0 0 1 ,\n"
	    "0123456789abcdeF c %2\n s x\n# " TOKEN " c %3\nend";
	char *answer = xasprintf(NUMBERS("%%1") TOKEN " s one\n" TOKEN
	    " c %%1\n%s\n", screen);

	parse(answer);
	is_number(listing.npanes, 1);
	is_number(listing.ncaptures, 1);
	is_text(listing.captures[0].text, screen);
	free(answer);
}

TEST(a_capture_may_hold_any_byte) {
	static const char answer[] = TOKEN " c %1\na\0b\377\n";

	parse_bytes(answer, sizeof(answer) - 1);
	is_number(listing.ncaptures, 1);
	is_number(listing.captures[0].len, 4);
	ok(memcmp(listing.captures[0].text, "a\0b\377", 4) == 0);
}

TEST(an_answer_may_end_anywhere) {
	static const char answer[] = "tmux says something first\n"
	    NUMBERS("%1") TOKEN " s one\n" TOKEN " w two\n" TOKEN " d /\n"
	    TOKEN " i 7\n" TOKEN " r x\n" TOKEN " c %1\nscreen\n"
	    TOKEN " c %2\n" TOKEN " c %3";
	size_t i;

	for (i = 0; i < sizeof(answer); i++) {
		parse_bytes(answer, i);
		ok(listing.npanes <= 1 && listing.ncaptures <= 3);
	}
}

TEST(no_answer_is_an_empty_listing) {
	listing_release(&listing);
	listing_parse(&listing, NULL, 0, TOKEN);
	is_number(listing.npanes, 0);
	is_number(listing.ncaptures, 0);
	ok(!tmux_version_old(listing.version));
}

TEST(what_is_no_pane_is_left_out_with_its_texts) {
	static const char *const lines[] = {
		"", "%1", "%1 $1 @2 x 0 1 1 ,", "%1 $1 @2 4711 0 1 1",
		"%1 $1 @2 4711 0",
	};
	char *answer;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		answer = xasprintf(TOKEN " p %s\n" TOKEN " s lost\n"
		    NUMBERS("%%2") TOKEN " s two\n", lines[i]);
		parse(answer);
		is_number(listing.npanes, 1);
		is_text(listing.panes[0].session_name, "two");
		free(answer);
	}
}

TEST(a_long_name_is_kept_whole) {
	struct buf answer = BUF_INIT;
	size_t i;

	buf_adds(&answer, NUMBERS("%1") TOKEN " d /");
	for (i = 0; i < 100000; i++)
		buf_addc(&answer, 'x');
	buf_adds(&answer, "\n" TOKEN " i 7\n");
	parse(buf_str(&answer));
	is_number(strlen(listing.panes[0].path), 100001);
	is_text(listing.panes[0].issue, "7");
	buf_release(&answer);
}

TEST(a_server_before_3_is_old) {
	static const struct { const char *version; bool old; } all[] = {
		{ "1.8", true }, { "2.9a", true }, { "2.9", true },
		{ "3.0", false }, { "3.0a", false }, { "3.3a", false },
		{ "3.10", false }, { "10.1", false }, { "next-3.5", false },
		{ "openbsd-7.4", false }, { "master", false },
	};
	char *answer;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		ok(tmux_version_old(all[i].version) == all[i].old);
		answer = xasprintf(TOKEN " v 2 3 %s\n", all[i].version);
		parse(answer);
		ok(tmux_version_old(listing.version) == all[i].old);
		free(answer);
	}
}

/* What tmux is asked and what is looked for in the answer are one form. */
TEST(the_formats_ask_for_what_is_taken_apart) {
	char *format = listing_format(TOKEN, TMUX_PANES);

	ok(strncmp(format, TOKEN " p #{pane_id} ", 30) == 0);
	ok(strstr(format, "\n" TOKEN " s #{session_name}\n") != NULL);
	ok(strstr(format, "\n" TOKEN " i #{@paneward_issue}\n") != NULL);
	free(format);
	format = listing_format(TOKEN, TMUX_BRIEF);
	ok(strncmp(format, TOKEN " p #{pane_id} - #{window_id} ", 43) == 0);
	free(format);
	format = listing_clients(TOKEN);
	ok(strncmp(format, TOKEN " k #{window_id} #{pane_id} ", 41) == 0);
	ok(strstr(format, "\n" TOKEN " y #{client_tty}\n") != NULL);
	free(format);
}

#define CLIENT(numbers) TOKEN " k " numbers "\n" TOKEN " y /dev/pts/7\n"

TEST(a_client_is_taken_apart) {
	const struct tmux_client *c;

	parse(NUMBERS("%1") TOKEN " s one\n"
	    CLIENT("@2 %1 1700000000 0 1 1 ,attached,UTF-8")
	    TOKEN " x kitty 0.36\n" TOKEN " n xterm-kitty\n"
	    TOKEN " k @3 %2 1700000001 1 0 0 ,attached,focused,control-mode\n"
	    TOKEN " y \n" TOKEN " x \n" TOKEN " n \n");
	is_number(listing.npanes, 1);
	is_text(listing.panes[0].session_name, "one");
	is_number(listing.nclients, 2);
	c = &listing.clients[0];
	is_text(c->window, "@2");
	is_text(c->pane, "%1");
	is_number(c->activity, 1700000000);
	ok(!c->control && c->zoomed && !c->suspended && c->unfocused);
	is_text(c->tty, "/dev/pts/7");
	is_text(c->termtype, "kitty 0.36");
	is_text(c->termname, "xterm-kitty");
	c++;
	ok(c->control && !c->zoomed && !c->suspended && !c->unfocused);
	is_text(c->tty, "");
}

TEST(a_hostile_terminal_name_is_data) {
	parse(NUMBERS("%1") CLIENT("@2 %1 5 0 0 0 ,") TOKEN " x a\nb\n"
	    TOKEN " n c " TOKEN " y /dev/pts/8\n" TOKEN " y /dev/pts/9\n"
	    TOKEN " k @2 %1 5 0 0\n" TOKEN " z lost\n");
	is_number(listing.nclients, 1);
	is_text(listing.clients[0].tty, "/dev/pts/7");
	is_text(listing.clients[0].termtype, "a\nb");
	is_text(listing.clients[0].termname, "c " TOKEN " y /dev/pts/8");
}

/* A server with the pane %1 in the window @2 and one client. */
static const struct { const char *client; bool shown, looked_at; } views[] = {
	{ "@2 %1 1000 0 0 0 ,attached", true, true },
	{ "@2 %1 940 0 0 0 ,attached", true, true },
	{ "@2 %1 939 0 0 0 ,attached", true, false },
	{ "@2 %1 1001 0 0 0 ,attached", true, true },
	{ "@3 %1 1000 0 0 0 ,attached", false, false },
	{ "@22 %1 1000 0 0 0 ,attached", false, false },
	{ "@2 %5 1000 0 0 0 ,attached", true, true },
	{ "@2 %5 1000 0 1 0 ,attached", false, false },
	{ "@2 %1 1000 0 1 0 ,attached", true, true },
	{ "@2 %1 1000 1 0 0 ,attached,control-mode", false, false },
	{ "@2 %1 1000 0 0 0 ,attached,suspended", false, false },
	{ "@2 %1 1000 0 0 1 ,attached,focused", true, true },
	{ "@2 %1 1000 0 0 1 ,attached,UTF-8", true, false },
	{ "@2 %1 1000 0 0 1 ,attached,unfocused", true, false },
	{ "@2 %1 1000 0 0 0 ,attached,UTF-8", true, true },
	{ "@2 %1 1000 0 0 1 ,", true, true },           /* before 3.2 */
};

TEST(a_pane_is_looked_at_by_a_client_in_use) {
	char *answer;
	size_t i;

	for (i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		answer = xasprintf(NUMBERS("%%1") TOKEN " k %s\n",
		    views[i].client);
		parse(answer);
		free(answer);
		ok(listing_shown(&listing, listing.panes) == views[i].shown);
		ok(listing_looked_at(&listing, listing.panes, 1000) ==
		    views[i].looked_at);
	}
}

TEST(any_of_several_clients_is_enough) {
	parse(NUMBERS("%1") CLIENT("@3 %7 1000 0 0 0 ,attached")
	    CLIENT("@2 %1 100 0 0 0 ,attached")
	    CLIENT("@2 %1 990 0 0 0 ,attached"));
	ok(listing_shown(&listing, listing.panes));
	ok(listing_looked_at(&listing, listing.panes, 1000));
	ok(!listing_looked_at(&listing, listing.panes, 1051));
	parse(NUMBERS("%1"));
	ok(!listing_shown(&listing, listing.panes));
	ok(!listing_looked_at(&listing, listing.panes, 1000));
}

AFTER_TESTS {
	listing_release(&listing);
}
