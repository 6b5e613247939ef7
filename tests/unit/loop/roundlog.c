#include "loop/engine.h"

#include "unit/children.h"

static int
open_log(const char *text)
{
	scratch_write("log", text);
	return openat(scratch_fd, "log", O_RDONLY | O_CLOEXEC);
}

/* ---- the keyword --------------------------------------------------------- */

static const char WORD[] = "LOOP_COMPLETE";
static const char PROMPT[] = "Do the next item.\n"
    "When everything is finished print LOOP_COMPLETE on a line.\n";

/*
 * What a keyword finds in a log: "+TEXT" is added, "=TEXT" replaces all; then
 * all is read, and "no", "waits" or "found" as long as the agent may still
 * write, or with a "." when it rests.
 */
static void
finds(const char *prompt, const char *const *step)
{
	struct keyword *k = keyword_new(WORD);
	int log = open_log("");
	bool grown, found;

	keyword_echo(k, WORD, prompt);
	for (; *step != NULL; step++) {
		ROW("%s", *step);
		if (**step == '+')
			scratch_add("log", *step + 1);
		else if (**step == '=')
			scratch_write("log", *step + 1);
		if (**step == '+' || **step == '=')
			continue;
		do
			found = keyword_read(k, log, (uint64_t)lseek(log, 0,
			    SEEK_END), strchr(*step, '.') != NULL, &grown);
		while (!found && grown);
		ok(strncmp(*step, found ? "found" : keyword_waits(k) ?
		    "waits" : "no", strcspn(*step, ".")) == 0);
	}
	keyword_free(k);
	close(log);
}

#define FINDS(prompt, ...) finds((prompt), WORDS(__VA_ARGS__))
#define ECHO "+When everything is finished print LOOP_COMPLETE"

/* tests/vectors/loop has words, tests/system/loop-words.sh other echoes, and
 * limits. */
TEST(the_echo_of_the_prompt_does_not_however_decorated) {
	FINDS(PROMPT, "+\xe2\x94\x82 everything is finished \xe2\x94\x82\n"
	    "\xe2\x94\x82 print LOOP_COMPLETE on \xe2\x94\x82\n", "no.");
	FINDS(PROMPT, "+\033[1mis finished\033[5;1Hprint LOOP_COMPLETE\n",
	    "no.");
	FINDS(PROMPT, "+When everything was finished print LOOP_COMPLETE "
	    "LOOP_COMPLETE", "found.");
	FINDS("echo LOOP_COMPLETE", "+LOOP_COMPLETE\n", "found.");
}

TEST(a_word_whose_end_is_open_waits_but_an_echo_does_not) {
	FINDS(PROMPT, "+so LOOP_COMPLETE", "waits", "found.");
	FINDS(PROMPT, "+so LOOP_COMPLETE", "waits", "+D\n", "no.");
	FINDS(PROMPT, ECHO, "no");
}

static bool
tellable(const char *prompt)
{
	return keyword_echo(NULL, WORD, prompt);
}

TEST(a_prompt_needs_letters_before_a_word_that_is_printable) {
	says(true, tellable, WORDS(PROMPT, "no word at all",
	    "abcdefgh LOOP_COMPLETE"));
	says(false, tellable, WORDS("abcdefg LOOP_COMPLETE",
	    "1234567890 LOOP_COMPLETE", "LOOP_COMPLETE when you are done"));
	says(true, keyword_valid, WORDS("READY."));
	says(false, keyword_valid, WORDS("", " READY", "a\nb"));
}

/* ---- the tail ------------------------------------------------------------ */

/* The end of a log with this text. */
static const char *
tail_of(const char *bytes)
{
	static struct buf text;
	int log = open_log(bytes);

	buf_reset(&text);
	tail_read(&text, log);
	close(log);
	return buf_str(&text);
}

TEST(the_end_of_a_log_is_read_without_control_sequences) {
	static char bytes[2 * TAIL_MAX + 2];

	is_text(tail_of("a\033[1mb\033[0m\r\nc"), "ab\nc\n");
	is_text(tail_of(""), "");
	memset(bytes, 'x', sizeof(bytes) - 1);
	bytes[sizeof(bytes) - 2] = '!';
	is_number(strlen(tail_of(bytes)), TAIL_MAX + 1);
}

/* Cut to the columns: a wide character may need two. */
TEST(the_last_line_is_one_with_something_on_it) {
	static const struct {
		const char *text, *line;
		size_t columns;
	} rows[] = {
		{ "one\ntwo\n\n  \n", "two", 80 }, { "\n\n", "", 80 },
		{ "", "", 80 }, { "abcdef", "abcd", 4 },
		{ "\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5", 3 },
	};
	static struct buf in, line;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_reset(&in);
		buf_reset(&line);
		buf_adds(&in, rows[i].text);
		tail_last_line(&line, &in, rows[i].columns);
		is_text(buf_str(&line), rows[i].line);
	}
}
