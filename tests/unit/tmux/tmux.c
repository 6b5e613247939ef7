#include "tmux/sockets.h"
#include "tmux/tmux.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "base/argv.h"
#include "faketmux.h"

#define SOCKET "/nowhere/socket"

static struct tmux_listing listing;     /* of the last list() */
static struct tmux_query q = TMUX_QUERY_INIT;
static struct buf why;

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
	return strstr(scratch_text("words"), lines) != NULL;
}

/* The environment of a pane; NULL: none. */
static void
be_in(const char *tmux, const char *pane)
{
	unsetenv("TMUX");
	unsetenv("TMUX_PANE");
	if (tmux != NULL)
		setenv("TMUX", tmux, 1);
	if (pane != NULL)
		setenv("TMUX_PANE", pane, 1);
}

/* The result, its reason and the number of panes if tmux does that. */
static const char *
listed(const char *does)
{
	static const char *const names[] = { [TMUX_OK] = "panes",
	    [TMUX_NO_SERVER] = "none", [TMUX_FAILED] = "failed",
	    [TMUX_OLD] = "old" };
	static char text[300];
	enum tmux_result result;

	tmux_does(does);
	result = list();
	is_text(scratch_text("environment"), "none none\n");
	snprintf(text, sizeof(text), "%s %zu%s%s", names[result],
	    listing.npanes, why.len > 0 ? ": " : "", buf_str(&why));
	return text;
}

TEST(what_tmux_says_is_the_result_and_the_reason) {
#define FAILS(words) "echo \"" words "\" >&2; exit 1"
#define NO_CONNECTION(reason) \
	"error connecting to " SOCKET " (" reason ")"
#define NONE(words) FAILS(words) " => none 0: no tmux server at '" SOCKET "'"
#define FAILED(words) FAILS(words) " => failed 0: tmux at '" SOCKET "': " words
	char *path = xstrdup(getenv("PATH"));

	be_in("/tmp/other,1,2", "%1");
	ROWS(listed, NONE("no server running on " SOCKET), NONE("lost server"),
	    NONE(NO_CONNECTION("No such file or directory")),
	    NONE(NO_CONNECTION("Connection refused")),
	    NONE(NO_CONNECTION("Not a directory")), NONE("server exited"),
	    FAILED("unknown command: list-panes"),
	    FAILED(NO_CONNECTION("Permission denied")),
	    FAILED(NO_CONNECTION("Too many open files in system")),
	    "exit 1 => failed 0: tmux at '" SOCKET "': it failed without a "
	    "word",
	    FAILS("no current target") " => panes 0", " => panes 0",
	    /* A wish may fail. */
	    FOUND_TOKEN PANE("%1") FAILS("can't find pane: %9") " => panes 1",
	    FOUND_TOKEN "echo \"$token v 2 3 2.9a\n"
	    "$token p %1 \\$1 @1 5 0 0 1 ,\" => old 0: tmux at '" SOCKET "' is "
	    "version 2.9a; paneward needs 3.0 or later");
	be_in(NULL, NULL);
	setenv("PATH", scratch, 1);
	is_number(list(), TMUX_MISSING);
	is_why("cannot run tmux: no such program in PATH");
	setenv("PATH", path, 1);
	free(path);
}

/* ---- wishes -------------------------------------------------------------- */

/* How many of the wishes a call carried, to its end. */
static ssize_t
wish(const struct tmux_wish *wishes, size_t count)
{
	ssize_t n = tmux_query_begin(&q, SOCKET, TMUX_PANES, wishes, count);

	spawn_finish(&q.spawn);
	return n;
}

/* A tmux client takes 16 KiB of words, a server 1,000; a wish has five. */
/* tests/system/many.sh has more wishes than one call carries. */
TEST(a_wish_that_no_call_can_carry_holds_nothing_else_up) {
	static char pipe[20000];
	const struct tmux_wish wishes[] = {
		{ .pane = "%1", .want = TMUX_PIPE, .pipe = pipe },
		{ .pane = "%1", .want = TMUX_CAPTURE },
	};

	memset(pipe, 'x', sizeof(pipe) - 1);
	tmux_does(FOUND_TOKEN PANE("%1"));
	ok(wish(wishes, 2) == 1);
	ok(!called_with("pipe-pane"));
	listing_release(&listing);
	is_number(tmux_query_answer(&q, &listing, &why), TMUX_OK);
	ok(wish(wishes + 1, 1) == 1);
}

/* ---- opening ------------------------------------------------------------- */

static struct pane_ref place;
static char *session;

/* A new session on that server. */
static enum tmux_result
open_at(const char *socket)
{
	static const char *const agent[] = { "agent", NULL };
	const struct tmux_new n = { .socket = socket, .session = "p-7",
	    .cwd = scratch, .argv = agent, .wish = { .issue = "7",
	    .dir = "/status", .run = "0123abcd-1111-4222-8333-444444444444" } };

	pane_ref_release(&place);
	free(session);
	session = NULL;
	buf_reset(&why);
	return tmux_open(&n, &place, &session, &why);
}

TEST(a_server_that_is_about_to_end_is_followed_by_another) {
	struct stat st;

	tmux_does("echo >>tries; [ $(wc -l <tries) -gt 2 ] || "
	    "{ echo 'server exited unexpectedly' >&2; exit 1; }; "
	    "echo '$3 @4 %5 600 700 800 3.3a p'; echo %5");
	is_number(open_at(scratch_path("sockets/s")), TMUX_OK);
	is_why("");
	is_text(place.pane, "%5");
	/* tmux does not make the folder of a socket. */
	ok(stat(scratch_path("sockets"), &st) == 0 &&
	    (st.st_mode & 0777) == 0700);
}

/* tests/system/start-refused.sh has more. */
TEST(an_opening_that_failed_leaves_no_place) {
	tmux_does("echo unexpected");
	is_number(open_at("/tmp/socket"), TMUX_FAILED);
	is_why("tmux did not say what it opened");
	ok(place.socket == NULL && session == NULL);
	tmux_does(FAILS("server exited unexpectedly"));
	is_number(open_at("/tmp/socket"), TMUX_NO_SERVER);
	tmux_does("echo '$3 @4 %5 600 700 800 2.9 p'");
	is_number(open_at("/tmp/socket"), TMUX_OLD);
	ok(place.socket == NULL && called_with("\nkill-pane\n-t\n%5\n"));
}

/* ---- names --------------------------------------------------------------- */

static const char *
pane_id(const char *id)
{
	return tmux_id_valid(id, '%') ? "yes" : "no";
}

TEST(an_id_is_its_character_and_a_number) {
	ok(tmux_id_valid("$12", '$') && tmux_id_valid("@99999999999", '@'));
	ROWS(pane_id, "%0 => yes", " => no", "% => no", "$1 => no",
	    "%1a => no", "%-1 => no", "% 1 => no", "%1; => no", "%1\n => no",
	    "%999999999999 => no");
}

/* The socket by TMUX and TMUX_PANE, and is that the pane? */
static const char *
here(const char *environment)
{
	static char path[] = "/tmp/s", text[200], usual[100];
	const struct pane_ref p = { .socket = path, .server = 123,
	    .pane = "%4" };
	char tmux[100] = "", pane[10] = "", *socket;

	sscanf(environment, "%99[^|]|%9s", tmux, pane);
	be_in(tmux, pane[0] != '\0' ? pane : NULL);
	socket = tmux_socket();
	snprintf(usual, sizeof(usual), "/run/x/tmux-%ld/default",
	    (long)getuid());
	snprintf(text, sizeof(text), "%s%s", strcmp(socket, usual) == 0 ?
	    "usual" : socket, tmux_here(&p) ? " here" : "");
	free(socket);
	return text;
}

TEST(we_are_in_a_pane_if_socket_server_and_pane_agree) {
	char *socket;

	setenv("TMUX_TMPDIR", "/run/x", 1);
	ROWS(here, " => usual", "/tmp/s,123,0 => /tmp/s",
	    "/tmp/s,123,0|%4 => /tmp/s here", "/tmp/s,123,0|%44 => /tmp/s",
	    "/tmp/s,124,0|%4 => /tmp/s", "/a b/s,123,0|%4 => /a b/s here",
	    "/tmp/s|%4 => /tmp/s", "/tmp/s,123x,0|%4 => /tmp/s",
	    "/tmp/s,123|%4 => /tmp/s here");
	ok(!tmux_here(&(struct pane_ref){ .server = 123, .pane = "%4" }));
	be_in(NULL, NULL);
	setenv("TMUX_TMPDIR", "", 1);
	socket = tmux_usual_socket();
	ok(strncmp(socket, "/tmp/tmux-", 10) == 0);
	free(socket);
}

/* ---- what a client shows ------------------------------------------------- */

TEST(a_socket_with_a_special_character_is_in_no_line) {
	static const char *const special[] = {
		"/tmp/a b", "/tmp/it's", "/tmp/$(x)", "/tmp/a;b", "/tmp/~",
		"/tmp/a!b", "/tmp/a\nb", "/tmp/\303\244", "/tmp/a%b", "/tmp/#",
	};
	struct pane_ref to = { .pane = "%5" };
	size_t i;

	scratch_write("words", "");
	for (i = 0; i < COUNT(special); i++) {
		ROW("%s", special[i]);
		to.socket = xstrdup(special[i]);
		is_number(tmux_move(SOCKET, NULL, "%1", &to, &why),
		    TMUX_FAILED);
		free(to.socket);
	}
	to.socket = xstrdup(SOCKET);
	is_number(tmux_move("/tmp/it's", NULL, "%1", &to, &why), TMUX_FAILED);
	free(to.socket);
	is_text(scratch_text("words"), "");
}

TEST(a_message_reaches_a_client_of_tmux_3_2) {
	static char tty[] = "/dev/pts/7";
	const struct tmux_client c = { .pane = "%5", .tty = tty };

	be_in("/tmp/s,1,0", "%1");
	tmux_does("");
	is_number(tmux_message(SOCKET, &c, "x", &why), TMUX_OK);
	ok(called_with("\nif\n-F\n#{m:3.2*,#{version}}\n"
	    "display-message -- x\n"));
	is_text(scratch_text("environment"), "none %5\n");
}

/* ---- sockets ------------------------------------------------------------- */

static char folder[64];

static const char *
in_folder(const char *name)
{
	static char below[80];

	snprintf(below, sizeof(below), "%s/%s", folder, name);
	return scratch_path(below);
}

static int
listener(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s", in_folder(name));
	ok(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0);
	ok(listen(fd, 0) == 0);
	return fd;
}

static void
are(const char *const *names)
{
	char **sockets = sockets_of_user();
	size_t i;

	argv_sort(sockets);
	for (i = 0; names[i] != NULL; i++)
		ok(argv_has(sockets, in_folder(names[i])));
	is_number(argv_count(sockets), i);
	argv_free(sockets);
}

TEST(one_with_a_server_is_found_and_others_are_dead) {
	int one, two, i;

	setenv("TMUX_TMPDIR", scratch, 1);
	ok(sockets_of_user() == NULL);  /* without a folder */
	scratch_folder(folder);
	close(listener("ended"));
	ok(socket_dead(in_folder("ended")) && socket_dead(in_folder("never")));
	ok(socket_dead(in_folder("ended/below")));
	are(WORDS(NULL));
	one = listener("default");
	two = listener("two words");
	are(WORDS("default", "two words"));
	close(one);
	/* Its queue fills, and connect(2) would wait. */
	for (i = 0; i < 5; i++)
		ok(!socket_dead(in_folder("two words")));
	are(WORDS("two words"));
	close(two);
}

TEST(what_is_no_socket_of_ours_or_in_no_private_folder_is_left_out) {
	int ours = listener("ours"), theirs = listener("theirs");

	ok(mknod(in_folder("file"), S_IFREG | 0600, 0) == 0);
	ok(symlink("ours", in_folder("link")) == 0);
	if (geteuid() == 0)
		ok(chown(in_folder("theirs"), SCRATCH_NOBODY, -1) == 0);
	else
		ok(unlink(in_folder("theirs")) == 0);
	are(WORDS("ours"));
	ok(chmod(scratch_path(folder), 0707) == 0);
	are(WORDS(NULL));
	ok(chmod(scratch_path(folder), 0700) == 0);
	if (geteuid() == 0) {
		ok(chown(scratch_path(folder), SCRATCH_NOBODY, -1) == 0);
		are(WORDS(NULL));
		ok(chown(scratch_path(folder), 0, -1) == 0);
	}
	are(WORDS("ours"));
	ok(rename(scratch_path(folder), scratch_path("moved")) == 0);
	ok(symlink("moved", scratch_path(folder)) == 0);
	are(WORDS(NULL));
	close(ours);
	close(theirs);
}

BEFORE_TESTS {
	tmux_fake();
	snprintf(folder, sizeof(folder), "tmux-%ld", (long)getuid());
}

AFTER_TESTS {
	tmux_query_release(&q);
	pane_ref_release(&place);
	free(session);
	listing_release(&listing);
	buf_release(&why);
}
