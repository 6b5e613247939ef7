/*
 * What tmux itself does is tried by the system tests.  Here a script of that
 * name stands first in PATH: it notes how it was called and does what the test
 * has written for it.
 */
#include "tmux/tmux.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "os/proc.h"
#include "scratch.h"

#define SOCKET "/nowhere/socket"
#define FOUND_TOKEN "token=; last=; for word; do " \
	"[ \"$last\" != -F ] || : \"${token:=${word%% *}}\"; last=$word; " \
	"done; "
#define PANE(id) "echo \"$token v 42 1699999999 3.3a\n" \
	"$token p " id " \\$1 @2 4711 0 1 1700000000 ,\"; "

#define RUN "0123abcd-1111-4222-8333-444444444444"

static struct tmux_listing listing;     /* of the last list() */
static struct buf why;

static void
set_up(void)
{
	char *path = xasprintf("%s/bin:%s", scratch, getenv("PATH"));
	char *script = xasprintf("#!/bin/sh\n"
	    "printf '%%s\\n' \"$@\" >%s/words\n"
	    "echo \"${TMUX-none} ${TMUX_PANE-none}\" >%s/environment\n"
	    ". %s/does\n", scratch, scratch, scratch);

	scratch_write("bin/tmux", script);
	ok(chmod(scratch_path("bin/tmux"), 0700) == 0);
	setenv("PATH", path, 1);
	free(script);
	free(path);
}

/* What the next tmux does. */
static void
tmux_does(const char *script)
{
	scratch_write("does", script);
}

static enum tmux_result
list(void)
{
	listing_release(&listing);
	buf_reset(&why);
	return tmux_list(SOCKET, &listing, &why);
}

#define is_why(want) is_text(buf_str(&why), (want))

/* Does the last call have these words, one after another? */
static bool
called_with(const char *lines)
{
	const char *words = scratch_text("words");

	return words != NULL && strstr(words, lines) != NULL;
}

TEST(a_listing_is_asked_for_at_the_socket) {
	setenv("TMUX", "/tmp/other,1,2", 1);
	setenv("TMUX_PANE", "%1", 1);
	tmux_does(FOUND_TOKEN PANE("%1") "echo \"$token s one;\"; "
	    PANE("%2") "echo \"$token s two\"");
	is_number(list(), TMUX_OK);
	is_why("");
	is_number(listing.npanes, 2);
	is_number(listing.server, 42);
	is_text(listing.panes[0].session_name, "one;");
	is_text(listing.panes[1].session_name, "two");
	is_text(scratch_text("environment"), "none none\n");
	ok(called_with("-u\n-S\n" SOCKET "\ndisplay\n-p\n"));
	ok(called_with("\n;\nlist-panes\n-a\n-F\n"));
	unsetenv("TMUX");
	unsetenv("TMUX_PANE");
}

TEST(every_query_has_a_token_of_its_own) {
	struct tmux_query q = TMUX_QUERY_INIT;
	char first[TMUX_TOKEN + 1];

	tmux_does("");
	ok(tmux_query_begin(&q, SOCKET, TMUX_PANES, NULL, 0) == 0);
	memcpy(first, q.token, sizeof(first));
	spawn_finish(&q.spawn);
	ok(tmux_query_begin(&q, SOCKET, TMUX_PANES, NULL, 0) == 0);
	spawn_finish(&q.spawn);
	ok(strlen(first) == TMUX_TOKEN && strcmp(first, q.token) != 0);
	ok(strspn(q.token, "0123456789abcdef") == TMUX_TOKEN);
	tmux_query_release(&q);
}

TEST(no_server_is_no_failure) {
	static const char *const said[] = {
		"no server running on " SOCKET,
		"error connecting to " SOCKET " (No such file or directory)",
		"error connecting to " SOCKET " (Connection refused)",
		"error connecting to " SOCKET " (Not a directory)",
		"server exited unexpectedly", "lost server",
	};
	char *script;
	size_t i;

	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		script = xasprintf("echo '%s' >&2; exit 1", said[i]);
		tmux_does(script);
		is_number(list(), TMUX_NO_SERVER);
		is_why("no tmux server at '" SOCKET "'");
		free(script);
	}
}

TEST(a_server_without_a_session_has_no_panes) {
	tmux_does("echo 'no current target' >&2; exit 1");
	is_number(list(), TMUX_OK);
	is_why("");
	is_number(listing.npanes, 0);
}

TEST(a_server_that_does_not_answer_is_silent) {
	struct tmux_query q = TMUX_QUERY_INIT;
	msec begin = clock_now();

	tmux_does(FOUND_TOKEN PANE("%1") "exec sleep 30");
	ok(tmux_query_begin(&q, SOCKET, TMUX_PANES, NULL, 0) == 0);
	ok(q.spawn.deadline >= begin + TMUX_LIMIT &&
	    q.spawn.deadline <= clock_now() + TMUX_LIMIT);
	ok(!spawn_step(&q.spawn, begin));
	while (!spawn_step(&q.spawn, q.spawn.deadline))
		continue;       /* what it wrote was read only now */
	buf_reset(&why);
	listing_release(&listing);
	is_number(tmux_query_answer(&q, &listing, &why), TMUX_SILENT);
	is_why("the tmux server at '" SOCKET "' did not answer within 5 s");
	is_number(listing.npanes, 0);
	ok(clock_now() - begin < 3000);
	tmux_query_release(&q);
}

TEST(a_missing_tmux_is_told) {
	char *path = xstrdup(getenv("PATH"));

	setenv("PATH", scratch, 1);
	is_number(list(), TMUX_MISSING);
	is_why("cannot run tmux: no such program in PATH");
	setenv("PATH", path, 1);
	free(path);
}

TEST(an_old_server_is_told) {
	tmux_does(FOUND_TOKEN
	    "echo \"$token v 2 3 2.9a\n$token p %1 \\$1 @1 5 0 0 1 ,\"");
	is_number(list(), TMUX_OLD);
	is_why("tmux at '" SOCKET "' is version 2.9a; paneward needs 3.0 or "
	    "later");
	is_number(listing.npanes, 0);
}

TEST(a_failure_is_told_in_the_words_of_tmux) {
	tmux_does("echo 'unknown command: list-panes' >&2; exit 1");
	is_number(list(), TMUX_FAILED);
	is_why("tmux at '" SOCKET "': unknown command: list-panes");
	tmux_does("echo 'error connecting to " SOCKET
	    " (Permission denied)' >&2; exit 1");
	is_number(list(), TMUX_FAILED);
	tmux_does("echo 'error connecting to " SOCKET
	    " (Too many open files in system)' >&2; exit 1");
	is_number(list(), TMUX_FAILED);
	tmux_does("exit 1");
	is_number(list(), TMUX_FAILED);
	is_why("tmux at '" SOCKET "': it failed without a word");
}

TEST(an_answer_without_a_pane_is_empty) {
	tmux_does("");
	is_number(list(), TMUX_OK);
	is_number(listing.npanes, 0);
}

TEST(a_wish_that_fails_is_no_failure_of_the_listing) {
	tmux_does(FOUND_TOKEN PANE("%1")
	    "echo \"can't find pane: %9\" >&2; exit 1");
	is_number(list(), TMUX_OK);
	is_why("");
	is_number(listing.npanes, 1);
}

TEST(wishes_become_one_call) {
	const struct tmux_wish wishes[] = {
		{ .pane = "%1", .want = TMUX_CAPTURE | TMUX_PIPE | TMUX_NAME,
		  .pipe = "exec 'cat'", .issue = "7", .run = RUN,
		  .dir = "/status" },
		{ .pane = "%2", .want = TMUX_CAPTURE },
	};
	struct tmux_query q = TMUX_QUERY_INIT;

	tmux_does(FOUND_TOKEN PANE("%1") "echo \"$token c %1\"; echo screen");
	ok(tmux_query_begin(&q, SOCKET, TMUX_PANES, wishes, 2) == 2);
	spawn_finish(&q.spawn);
	listing_release(&listing);
	is_number(tmux_query_answer(&q, &listing, &why), TMUX_OK);
	is_text(listing_capture(&listing, "%1")->text, "screen");
	ok(called_with(" c %%1';capturep -pJS-500 -t%1;"
	    "pipe-pane -t%1 exec\\ \\'cat\\';set -pt%1 @paneward_issue 7;"
	    "set -pt%1 @paneward_run " RUN ";"
	    "set -pt%1 @paneward_dir /status\n;\nif\n-F\n1\n"));
	ok(called_with(" c %%2';capturep -pJS-500 -t%2;\n"));
	tmux_query_release(&q);
}

/* tmux's parser takes the byte 255 for the end of a line. */
TEST(any_byte_of_a_pipe_reaches_tmux) {
	const struct tmux_wish wish = { .pane = "%1", .want = TMUX_PIPE,
	    .pipe = "x 'a\nb\377'" };
	struct tmux_query q = TMUX_QUERY_INIT;

	tmux_does("");
	ok(tmux_query_begin(&q, SOCKET, TMUX_PANES, &wish, 1) == 1);
	spawn_finish(&q.spawn);
	ok(called_with("\npipe-pane -t%1 x\\ \\'a\\012b\\377\\';\n"));
	tmux_query_release(&q);
}

/* A tmux client takes 16 KiB of words, a server 1,000 words; a wish has five. */
TEST(a_call_carries_no_more_wishes_than_tmux_takes) {
	enum { MANY = 1000 };
	static struct tmux_wish wishes[MANY];
	struct tmux_query q = TMUX_QUERY_INIT;
	size_t at, calls = 0;
	ssize_t n = 0;

	for (at = 0; at < MANY; at++)
		wishes[at] = (struct tmux_wish){ .pane = "%1",
		    .want = TMUX_CAPTURE };
	tmux_does("");
	for (at = 0; at < MANY; at += (size_t)n, calls++) {
		n = tmux_query_begin(&q, SOCKET, TMUX_PANES, wishes + at,
		    MANY - at);
		spawn_finish(&q.spawn);
		if (n < 1 || (size_t)n > MANY - at ||
		    strlen(scratch_text("words")) > 16384 - 64 ||
		    n * 5 > 1000)
			break;
	}
	ok(at == MANY);
	ok(calls > 2 && calls < 10);
	tmux_query_release(&q);
}

TEST(what_no_call_can_carry_holds_nothing_else_up) {
	static char pipe[20000];
	const struct tmux_wish wishes[] = {
		{ .pane = "%1", .want = TMUX_PIPE, .pipe = pipe },
		{ .pane = "%2", .want = TMUX_CAPTURE },
	};
	struct tmux_query q = TMUX_QUERY_INIT;

	memset(pipe, 'x', sizeof(pipe) - 1);
	tmux_does(FOUND_TOKEN PANE("%1"));
	ok(tmux_query_begin(&q, SOCKET, TMUX_PANES, wishes, 2) == 1);
	spawn_finish(&q.spawn);
	ok(!called_with("pipe-pane"));
	listing_release(&listing);
	is_number(tmux_query_answer(&q, &listing, &why), TMUX_OK);
	ok(tmux_query_begin(&q, SOCKET, TMUX_PANES, wishes + 1, 1) == 1);
	tmux_query_release(&q);
}

TEST(a_query_may_be_let_go_while_it_runs) {
	struct tmux_query q = TMUX_QUERY_INIT;
	pid_t pid;

	tmux_does("exec sleep 30");
	ok(tmux_query_begin(&q, SOCKET, TMUX_PANES, NULL, 0) == 0);
	pid = q.spawn.pid;
	tmux_query_release(&q);
	ok(!proc_alive(pid, 0));
	tmux_query_release(&q);
}

/* ---- opening ----------------------------------------------------------- */

static const char *const words[] = {
	"agent", "a;", ";", "x\\;", "-x", "", NULL
};

static enum tmux_result
open_new(const struct tmux_new *n, struct pane_ref *place, char **name)
{
	*place = (struct pane_ref){ 0 };
	*name = NULL;
	buf_reset(&why);
	return tmux_open(n, place, name, &why);
}

static struct tmux_new
new_session(void)
{
	static char socket[4096];

	snprintf(socket, sizeof(socket), "%s/sockets/s", scratch);
	return (struct tmux_new){ .socket = socket, .session = "p-issue-7",
	    .cwd = scratch, .argv = words, .pipe = "exec 'cat'", .issue = "7",
	    .run = RUN, .dir = "/status" };
}

TEST(what_was_opened_is_known) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	struct stat st;
	char *name;

	tmux_does("pwd >" "\"${0%/bin/tmux}/cwd\"; "
	    "echo '$3 @4 %5 600 700 800 3.3a p issue-7'; echo %5");
	is_number(open_new(&n, &place, &name), TMUX_OK);
	is_why("");
	is_text(place.socket, n.socket);
	is_text(place.session, "$3");
	is_text(place.window, "@4");
	is_text(place.pane, "%5");
	is_number(place.pane_pid, 600);
	is_number(place.server, 700);
	is_number(place.server_start, 800);
	is_text(name, "p issue-7");
	ok(strncmp(scratch_text("cwd"), scratch, strlen(scratch)) == 0);
	ok(stat(scratch_path("sockets"), &st) == 0 &&
	    (st.st_mode & 0777) == 0700);
	pane_ref_release(&place);
	free(name);
}

TEST(a_session_its_pipe_and_its_options_are_one_call) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	char *name;

	open_new(&n, &place, &name);
	ok(called_with("\nnew-session\n-d\n-P\n-F\n"));
	ok(called_with("\n-s\np-issue-7\n"));
	ok(called_with("\n;\nif\n-F\n1\npipe-pane -t\\=p-issue-7\\: "
	    "exec\\ \\'cat\\';set -pt\\=p-issue-7\\: remain-on-exit on;"
	    "set -pt\\=p-issue-7\\: @paneward_issue 7;"));
	pane_ref_release(&place);
	free(name);
}

/* tmux takes a ';' that ends a word for the end of a command, and "\;" for the
 * character. */
TEST(words_of_the_agent_end_no_command) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	char *name;

	open_new(&n, &place, &name);
	ok(called_with("\n--\nagent\na\\;\n\\;\nx\\\\;\n-x\n\n;\nif\n"));
	pane_ref_release(&place);
	free(name);
}

TEST(a_dead_pane_makes_room_in_the_same_call) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	char *name;

	n.dead = "%7";
	open_new(&n, &place, &name);
	ok(called_with("\nif-shell\n-F\n-t\n%7\n#{pane_dead}\n"
	    "kill-pane -t %7\n;\nnew-session\n"));
	pane_ref_release(&place);
	free(name);
}

TEST(a_window_goes_into_the_session_named) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	char *name;

	n.window = true;
	n.session = "$3";
	n.name = "issue-7";
	is_number(open_new(&n, &place, &name), TMUX_OK);
	ok(called_with("\nnew-window\n"));
	ok(called_with("\n-n\nissue-7\n"));
	ok(called_with("\npipe-pane -t\\$3\\:\\{end\\} "));
	pane_ref_release(&place);
	free(name);
}

/* The server of a session that has just ended. */
TEST(a_pane_may_be_without_a_pipe) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	char *name;

	n.pipe = n.issue = NULL;
	open_new(&n, &place, &name);
	ok(called_with("\n;\nif\n-F\n1\n\n;\n"));
	pane_ref_release(&place);
	free(name);
}

TEST(a_server_that_is_about_to_end_is_followed_by_another) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	char *name;

	tmux_does("f=${0%/*}/tries; echo >>\"$f\"; "
	    "[ $(wc -l <\"$f\") -gt 2 ] || "
	    "{ echo 'server exited unexpectedly' >&2; exit 1; }; "
	    "echo '$3 @4 %5 600 700 800 3.3a p'; echo %5");
	is_number(open_new(&n, &place, &name), TMUX_OK);
	is_why("");
	is_text(place.pane, "%5");
	pane_ref_release(&place);
	free(name);
	tmux_does("echo 'server exited unexpectedly' >&2; exit 1");
	is_number(open_new(&n, &place, &name), TMUX_NO_SERVER);
	ok(strncmp(buf_str(&why), "no tmux server at '", 19) == 0);
	ok(strstr(buf_str(&why) + 19, "no tmux") == NULL);
}

TEST(an_opening_that_failed_leaves_no_place) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	char *name;

	tmux_does("echo 'duplicate session: p-issue-7' >&2; exit 1");
	is_number(open_new(&n, &place, &name), TMUX_FAILED);
	ok(strstr(buf_str(&why), ": duplicate session: p-issue-7") != NULL);
	ok(place.socket == NULL && name == NULL);
	tmux_does("echo unexpected");
	is_number(open_new(&n, &place, &name), TMUX_FAILED);
	is_why("tmux did not say what it opened");
	ok(place.socket == NULL && name == NULL);
	tmux_does("echo '$3 @4 %5 600 700 800 2.9 p'");
	is_number(open_new(&n, &place, &name), TMUX_OLD);
	ok(strstr(buf_str(&why), " is version 2.9; paneward needs 3.0 ") != NULL);
	ok(place.socket == NULL && name == NULL);
	n.cwd = "/nowhere";
	is_number(open_new(&n, &place, &name), TMUX_FAILED);
	ok(strstr(buf_str(&why), "cannot enter '/nowhere'") != NULL);
}

TEST(what_was_opened_in_vain_is_closed) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	char *name;

	tmux_does("echo '$3 @4 %5 600 700 800 2.9 p'");
	is_number(open_new(&n, &place, &name), TMUX_OLD);
	ok(called_with("\nkill-pane\n-t\n%5\n"));
}

/* A hook of the user's split the window between two of the commands. */
TEST(what_another_pane_got_is_put_right) {
	struct tmux_new n = new_session();
	struct pane_ref place;
	char *name;

	tmux_does("echo '$3 @4 %5 600 700 800 3.3a p'; echo %6");
	is_number(open_new(&n, &place, &name), TMUX_OK);
	ok(called_with("\npipe-pane -t%6;set -put%6 remain-on-exit;"));
	ok(called_with("\npipe-pane -t\\%5 exec\\ \\'cat\\';"));
	pane_ref_release(&place);
	free(name);
}

/* ---- pipes ------------------------------------------------------------- */

/* As tmux expands a command for pipe-pane, where nothing is to be expanded;
 * NULL where something would be. */
static char *
expand(const char *line)
{
	struct buf out = BUF_INIT;
	const char *p;

	for (p = line; *p != '\0'; p++) {
		buf_addc(&out, *p);
		if (*p != '#' && *p != '%')
			continue;
		if (p[1] != p[0] || (p[0] == '#' && p[2] != '\0' &&
		    strchr("{[(#", p[2]) != NULL)) {
			buf_release(&out);
			return NULL;
		}
		p++;
	}
	return buf_steal(&out);
}

TEST(the_words_of_a_pipe_survive_tmux_and_the_shell) {
	static const char PANE[] = " '#{pid}#{pane_id}'";
	static const char *const hostile[] = {
		"a b", "", "'", "''\"", "$HOME `id` \\ \\\\", "\n\t;&|<>*?~!",
		"#", "##", "###", "####", "%", "%%", "%H:%M", "#{pane_id}",
		"#(touch x)", "#[fg=red]", "##{x}", "#S #P", "%#%#", "'#'",
		"\xe2\x82\xac\xff", "-n", "x;",
	};
	enum { COUNT = sizeof(hostile) / sizeof(hostile[0]) };
	const char *argv[COUNT + 3] = { "printf", "%s|" };
	struct buf want = BUF_INIT;
	struct spawn s = SPAWN_INIT;
	char *line, *pane, *expanded;
	size_t i;

	for (i = 0; i < COUNT; i++) {
		argv[i + 2] = hostile[i];
		buf_printf(&want, "%s|", hostile[i]);
	}
	line = tmux_pipe_command(argv);
	ok(strncmp(line, "exec ", 5) == 0);
	/* The pane is for tmux to name. */
	pane = strstr(line, PANE);
	ok(pane != NULL && pane[sizeof(PANE) - 1] == '\0');
	if (pane != NULL)
		*pane = '\0';
	expanded = expand(line);
	ok(expanded != NULL);
	if (expanded != NULL) {
		const char *sh[] = { "sh", "-c", expanded, NULL };
		const struct spawn_how how = { .argv = sh, .limit = 5000 };

		ok(spawn_begin(&s, &how) == 0);
		spawn_finish(&s);
		is_text(buf_str(&s.output), buf_str(&want));
	}
	spawn_release(&s);
	buf_release(&want);
	free(expanded);
	free(line);
}

/* ---- names ------------------------------------------------------------- */

TEST(an_id_is_its_character_and_a_number) {
	ok(tmux_id_valid("%0", '%'));
	ok(tmux_id_valid("$12", '$'));
	ok(tmux_id_valid("@99999999999", '@'));
	ok(!tmux_id_valid("%1", '$'));
	ok(!tmux_id_valid("", '%'));
	ok(!tmux_id_valid("%", '%'));
	ok(!tmux_id_valid("%1a", '%'));
	ok(!tmux_id_valid("%-1", '%'));
	ok(!tmux_id_valid("% 1", '%'));
	ok(!tmux_id_valid("%1;", '%'));
	ok(!tmux_id_valid("%1\n", '%'));
	ok(!tmux_id_valid("%999999999999", '%'));
}

TEST(the_socket_is_what_the_user_has) {
	char *socket, *want;

	setenv("TMUX", "/tmp/a b/s,123,4", 1);
	socket = tmux_socket();
	is_text(socket, "/tmp/a b/s");
	free(socket);
	setenv("TMUX", "", 1);
	setenv("TMUX_TMPDIR", "/run/x", 1);
	want = xasprintf("/run/x/tmux-%ld/default", (long)getuid());
	socket = tmux_socket();
	is_text(socket, want);
	free(socket);
	free(want);
	unsetenv("TMUX");
	setenv("TMUX_TMPDIR", "", 1);
	want = xasprintf("/tmp/tmux-%ld/default", (long)getuid());
	socket = tmux_socket();
	is_text(socket, want);
	free(socket);
	free(want);
	unsetenv("TMUX_TMPDIR");
}

TEST(we_are_in_a_pane_if_socket_server_and_pane_agree) {
	static char socket[] = "/tmp/s";
	struct pane_ref p = { .socket = socket, .server = 123, .pane = "%4" };

	ok(!tmux_here(&p));
	setenv("TMUX", "/tmp/s,123,0", 1);
	ok(!tmux_here(&p));
	setenv("TMUX_PANE", "%4", 1);
	ok(tmux_here(&p));
	setenv("TMUX_PANE", "%44", 1);
	ok(!tmux_here(&p));
	setenv("TMUX_PANE", "%4", 1);
	setenv("TMUX", "/tmp/s,124,0", 1);
	ok(!tmux_here(&p));
	setenv("TMUX", "/private/tmp/s,123,0", 1);
	ok(tmux_here(&p));
	setenv("TMUX", "/tmp/s", 1);
	ok(!tmux_here(&p));
	setenv("TMUX", "/tmp/s,123x,0", 1);
	ok(!tmux_here(&p));
	setenv("TMUX", "/tmp/s,123", 1);
	ok(tmux_here(&p));
	setenv("TMUX", "/tmp/s,123,0", 1);
	p.socket = NULL;
	ok(!tmux_here(&p));
	unsetenv("TMUX");
	unsetenv("TMUX_PANE");
}

/* ---- what a client shows ----------------------------------------------- */

TEST(a_client_that_is_named_shows_the_pane) {
	setenv("TMUX", "/tmp/other,1,2", 1);
	setenv("TMUX_PANE", "%1", 1);
	tmux_does("");
	buf_reset(&why);
	is_number(tmux_switch(SOCKET, "/dev/pts/7", "%5", &why), TMUX_OK);
	ok(called_with("\nswitch-client\n-c\n/dev/pts/7\n-t\n%5\n"));
	is_text(scratch_text("environment"), "none none\n");
	unsetenv("TMUX");
	unsetenv("TMUX_PANE");
}

TEST(our_client_is_known_by_our_pane) {
	setenv("TMUX", "/tmp/other,1,2", 1);
	setenv("TMUX_PANE", "%1", 1);
	is_number(tmux_switch(SOCKET, NULL, "%5", &why), TMUX_OK);
	ok(called_with("\nswitch-client\n-t\n%5\n"));
	is_text(scratch_text("environment"), "none %1\n");
	unsetenv("TMUX");
	unsetenv("TMUX_PANE");
}

TEST(a_terminal_moves_by_a_line_that_every_shell_reads) {
	static char there[] = "/tmp/tmux-0/work.2_b";
	struct pane_ref place = { .socket = there, .pane = "%5" };

	is_number(tmux_move(SOCKET, "/dev/pts/7", "%1", &place, &why), TMUX_OK);
	ok(called_with("\ndetach-client\n-t\n/dev/pts/7\n-E\n"
	    "exec sh -c 'tmux -S /tmp/tmux-0/work.2_b attach -t %5 || "
	    "exec tmux -S " SOCKET " attach -t %1'\n"));
	is_number(tmux_move(SOCKET, NULL, "%1", &place, &why), TMUX_OK);
	ok(called_with("\ndetach-client\n-E\nexec sh -c "));
}

TEST(a_socket_with_a_special_character_is_in_no_line) {
	static const char *const paths[] = {
		"/tmp/a b", "/tmp/it's", "/tmp/$(x)", "/tmp/a;b", "/tmp/~",
		"/tmp/a!b", "/tmp/a\nb", "/tmp/\303\244", "/tmp/a%b", "/tmp/#",
	};
	struct pane_ref place = { .pane = "%5" };
	size_t i;

	scratch_write("words", "");
	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		place.socket = xstrdup(paths[i]);
		buf_reset(&why);
		is_number(tmux_move(SOCKET, NULL, "%1", &place, &why), TMUX_FAILED);
		ok(strstr(buf_str(&why), "the path of the tmux socket '") ==
		    buf_str(&why));
		free(place.socket);
	}
	place.socket = xstrdup(SOCKET);
	is_number(tmux_move("/tmp/it's", NULL, "%1", &place, &why), TMUX_FAILED);
	free(place.socket);
	is_text(scratch_text("words"), "");
}

/* In a process of its own, since it becomes tmux. */
TEST(we_become_a_client_that_shows_the_pane) {
	static char there[] = "/tmp/s";
	struct pane_ref place = { .socket = there, .pane = "%5" };
	int status = -1;
	pid_t pid;

	tmux_does("exit 7");
	pid = fork();
	if (pid == 0) {
		tmux_enter(&place, &why);
		_exit(1);
	}
	ok(waitpid(pid, &status, 0) == pid);
	is_number(WEXITSTATUS(status), 7);
	is_text(scratch_text("words"),
	    "-S\n/tmp/s\nattach-session\n-t\n%5\n");
}

#define LITERAL "\\(touch\\ x\\)\\ \\%\\%H\\ \\[fg\\=red\\]\\ \\]0\\;x\\ \\ \\;"

TEST(a_message_is_no_format) {
	static char tty[] = "/dev/pts/7";
	const struct tmux_client c = { .pane = "%5", .tty = tty };

	tmux_does("");
	buf_reset(&why);
	is_number(tmux_message(SOCKET, &c, "#(touch x) %H #[fg=red]"
	    "\033]0;x\a\xe2\x80\xae;", &why), TMUX_OK);
	ok(called_with("\ndisplay-message -c /dev/pts/7 -- " LITERAL "\n"));
}

TEST(a_message_reaches_a_client_of_tmux_3_2) {
	static char tty[] = "/dev/pts/7";
	const struct tmux_client c = { .pane = "%5", .tty = tty };

	tmux_does("");
	buf_reset(&why);
	setenv("TMUX", "/tmp/s,1,0", 1);
	setenv("TMUX_PANE", "%1", 1);
	is_number(tmux_message(SOCKET, &c, "x", &why), TMUX_OK);
	ok(called_with("\nif\n-F\n#{m:3.2*,#{version}}\n"
	    "display-message -- x\n"));
	is_text(scratch_text("environment"), "none %5\n");
}

BEFORE_TESTS {
	set_up();
}

AFTER_TESTS {
	listing_release(&listing);
	buf_release(&why);
}
