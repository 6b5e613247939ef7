#include "project/config.h"

#include "base/alloc.h"
#include "scratch.h"
#include "unit/fixture.h"

static struct noticeways ways;          /* of the last read_ways() */
static struct buf error;

/* '\'' stands for '"'. */
static int
read_ways(const char *json)
{
	struct strict s = { .error = &error, .folder = "/p" };
	struct json *value;
	int ret;

	ROW("%s", json);
	json = quoted(json);
	value = json_parse(json, strlen(json), false, NULL);
	buf_reset(&error);
	ret = noticeways_take(&s, &ways, value);
	json_free(value);
	return ret;
}

/* The ways' ids without their hashes, and the words of commands. */
static const char *
listed(void)
{
	static struct buf text;
	size_t i;
	char **p;

	buf_reset(&text);
	for (i = 0; i < ways.n; i++) {
		buf_printf(&text, "%s%.*s", i ? " " : "",
		    (int)strcspn(ways.way[i].id, "-"), ways.way[i].id);
		for (p = ways.way[i].words; p != NULL && *p != NULL; p++)
			buf_printf(&text, ":%s", *p);
		if (ways.way[i].address != NULL)
			buf_printf(&text, ":%s", ways.way[i].address);
	}
	return buf_str(&text);
}

/* ... or why they are refused. */
static const char *
ways_of(const char *json)
{
	if (read_ways(json) == -1)
		return replaced(buf_str(&error), "': ", "");
	is_text(buf_str(&error), "");
	return listed();
}

TEST(ways_are_told_from_commands) {
	ROWS(ways_of, "null => ", "[] => ", "'' => ", "'bell' => bell",
	    "'ntfy:https://h/t' => ntfy:https://h/t",
	    "'webhook:http://h' => webhook:http://h",
	    "'ntfy' => command:ntfy",
	    "'tmux display x' => command:/bin/sh:-c:tmux display x:paneward",
	    "['./a', 'b'] => command:/p/./a:b",
	    "['destkop'] => command:destkop", "['tmux'] => tmux",
	    "['bell', ['./a b', 'c']] => bell command:/p/./a b:c",
	    "[['tmux']] => command:tmux",
	    "[['a'], ['b'], 'osc'] => command:a command:b osc");
}

TEST(what_is_neither_is_refused_and_a_word_beside_a_way_is_a_way) {
	static const char *const bad[] = {
		"{}", "[7]", "['bell', null]", "[['a'], 'bells']",
		"['bell', ['a', 7]]", "['bell', []]", "['bell', [['a']]]",
		"'ntfy:'", "'ntfy:https://h/'", "'ntfy:https:///t'",
		"'webhook:'", "'webhook:file:///x'", "'webhook:https://h/a b'",
		"'webhook:https://h/\\n'", "'webhook:https://h/\\u00e4'",
		"'webhook:https://?x'",
	};
	size_t i;

	for (i = 0; i < COUNT(bad); i++)
		ok(read_ways(bad[i]) == -1 && error.len > 0);
	ROWS(ways_of, "['bel', ['a']] => 'bel' is no way; did you mean 'bell'?",
	    "['tmux', 'display', 'x'] => 'display' is no way; a command in a "
	    "list is a list itself: [\"display\"]",
	    "['bell', 'nfty:https://u:secret@h/t'] => 'nfty:' is no way; did "
	    "you mean 'ntfy:https://...'?",
	    "['bell', 'osc:x'] => 'osc:' is no way; did you mean 'osc'?");
}

TEST(what_is_printed_is_read_again) {
	char *before;
	struct buf line = BUF_INIT;
	size_t n;

	is_number(read_ways("['bell', ['./a', '', '\\'\\n'], ['osc'],"
	    "'ntfy:https://u:p@h/t?x=1']"), 0);
	before = xstrdup(listed());
	noticeways_print(&line, &ways);
	ok(strchr(buf_str(&line), '\n') == NULL);
	is_number(noticeways_parse(&ways, line.data, line.len), 0);
	is_text(listed(), before);
	free(before);
	for (n = 0; n < line.len; n++)
		is_number(noticeways_parse(&ways, line.data, n), -1);
	buf_release(&line);
}

TEST(two_addresses_have_two_ids_that_do_not_tell_them) {
	is_number(read_ways("['ntfy:https://h/secret', 'ntfy:https://h/b',"
	    "'webhook:https://h/b', ['a', 'b'], ['a', 'c']]"), 0);
	ok(strcmp(ways.way[0].id, ways.way[1].id) != 0);
	ok(strcmp(ways.way[3].id, ways.way[4].id) != 0);
}

/* Why the way cannot be used. */
static const char *
trouble(const char *json)
{
	int ret;

	is_number(read_ways(json), 0);
	ret = noticeway_check(&ways.way[0], &error);
	is_number(ret, error.len > 0 ? -1 : 0);
	return buf_str(&error);
}

TEST(a_way_whose_program_is_missing_cannot_be_used) {
	char *path = xstrdup(getenv("PATH"));

	setenv("PATH", scratch, 1);
	ROWS(trouble, "'bell' => ", "'ntfy:https://u:secret@h/t' => cannot use "
	    "'ntfy' of notify: there is no program 'curl' in PATH",
	    "'desktop' => cannot use 'desktop' of notify: there is no program "
	    "'notify-send', 'terminal-notifier' or 'osascript' in PATH",
	    "[['/none/x']] => cannot use the command of notify: '/none/x': No "
	    "such file or directory");
	setenv("PATH", path, 1);
	fake_program("terminal-notifier", "");
	setenv("PATH", scratch_path("bin"), 1);
	is_text(trouble("'desktop'"), "");
	setenv("PATH", path, 1);
	free(path);
}
