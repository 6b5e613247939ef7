#include "loop/engine.h"

#include "scratch.h"

static const char WORD[] = "LOOP_COMPLETE";
static const char PROMPT[] = "Do the next item.\n"
    "When everything is finished print LOOP_COMPLETE on a line.\n";

static struct keyword *k;
static int log_fd;

/* A keyword, with this prompt, and an empty log. */
static void
begin(const char *prompt)
{
	k = keyword_new(WORD);
	keyword_echo(k, WORD, prompt);
	scratch_write("log", "");
	log_fd = openat(scratch_fd, "log", O_RDONLY | O_CLOEXEC);
}

static void
end(void)
{
	keyword_free(k);
	close(log_fd);
}

static bool
read_all(bool settled)
{
	bool grown, found;

	do
		found = keyword_read(k, log_fd, (uint64_t)lseek(log_fd, 0,
		    SEEK_END), settled, &grown);
	while (!found && grown);
	return found;
}

/* Does the word count in a log that is this text? */
static bool
counts(const char *prompt, const char *text)
{
	bool found;

	begin(prompt);
	scratch_write("log", text);
	found = read_all(true);
	end();
	return found;
}

TEST(a_word_on_its_own_counts) {
	ok(counts("", "work\nLOOP_COMPLETE\n"));
	ok(counts("", "all done: LOOP_COMPLETE."));
	ok(counts("", "\033[32mLOOP_\033[0mCOMPLETE\n"));
	ok(!counts("", "LOOP_COMPLETED\nMY_LOOP_COMPLETE\n"));
	ok(!counts("", "loop_complete\n"));
	ok(!counts("", "```\nLOOP_COMPLETE\n```\n"));
	ok(!counts("", "print `LOOP_COMPLETE` at the end\n"));
}

TEST(the_echo_of_the_prompt_does_not) {
	ok(!counts(PROMPT, PROMPT));
	ok(!counts(PROMPT, "3: When everything is finished print "
	    "LOOP_COMPLETE on\n"));
	ok(!counts(PROMPT, "I was told: is finished print LOOP_COMPLETE.\n"));
}

TEST(however_it_is_wrapped_and_decorated) {
	ok(!counts(PROMPT, "     2\tWhen everything is fin\n"
	    "     3\tished print\n     4\tLOOP_COMPLETE on a line.\n"));
	ok(!counts(PROMPT, "\xe2\x94\x82 everything is finished \xe2\x94\x82"
	    "\n\xe2\x94\x82 print LOOP_COMPLETE on \xe2\x94\x82\n"));
	ok(!counts(PROMPT, "\033[1mis finished\033[5;1Hprint "
	    "LOOP_COMPLETE\n"));
}

TEST(what_follows_other_letters_counts) {
	ok(counts(PROMPT, "I print LOOP_COMPLETE\n"));
	ok(counts(PROMPT, "When everything was finished print LOOP_COMPLETE "
	    "LOOP_COMPLETE"));
	ok(counts(PROMPT, "everything is finished:\nLOOP_COMPLETE\n"));
}

TEST(behind_an_echo_the_word_counts) {
	begin(PROMPT);
	scratch_add("log", PROMPT);
	ok(!read_all(true));
	scratch_add("log", "print ");
	ok(!read_all(true));
	scratch_add("log", "LOOP_COMPLETE\n");
	ok(read_all(false));
	end();
}

TEST(also_on_the_same_line) {
	begin("Do it now. At the end say LOOP_COMPLETE.");
	scratch_add("log", "Do it now. At the end say LOOP_COMPLETE.");
	ok(!read_all(true));
	scratch_add("log", "LOOP_COMPLETE\n");
	ok(read_all(false));
	end();
}

TEST(a_word_whose_end_is_open_waits) {
	begin(PROMPT);
	scratch_add("log", "so LOOP_COMPLETE");
	ok(!read_all(false));
	ok(keyword_waits(k));
	ok(read_all(true));
	end();
	begin(PROMPT);
	scratch_add("log", "so LOOP_COMPLETE");
	ok(!read_all(false));
	scratch_add("log", "D\n");
	ok(!read_all(true));
	ok(!keyword_waits(k));
	end();
}

TEST(an_echo_does_not_wait) {
	begin(PROMPT);
	scratch_add("log", "When everything is finished print LOOP_COMPLETE");
	ok(!read_all(false));
	ok(!keyword_waits(k));
	end();
}

TEST(a_word_of_the_command_line_with_few_letters_is_no_echo) {
	ok(counts("--keyword=LOOP_COMPLETE", "the keyword\nLOOP_COMPLETE\n"));
	ok(counts("echo LOOP_COMPLETE", "LOOP_COMPLETE\n"));
}

TEST(a_log_that_was_emptied_is_read_again) {
	begin(PROMPT);
	scratch_add("log", "much work was done here\n");
	ok(!read_all(true));
	scratch_write("log", "LOOP_COMPLETE\n");
	ok(read_all(true));
	end();
}

static bool
tellable(const char *prompt)
{
	return keyword_echo(NULL, WORD, prompt);
}

TEST(a_prompt_needs_letters_before_the_word) {
	ok(tellable(PROMPT));
	ok(tellable("no word at all"));
	ok(tellable("abcdefgh LOOP_COMPLETE"));
	ok(!tellable("abcdefg LOOP_COMPLETE"));
	ok(!tellable("1234567890 LOOP_COMPLETE"));
	ok(!tellable("LOOP_COMPLETE when you are done"));
}

TEST(a_keyword_is_short_and_printable) {
	ok(keyword_valid("READY."));
	ok(!keyword_valid(""));
	ok(!keyword_valid(" READY"));
	ok(!keyword_valid("a\nb"));
}
