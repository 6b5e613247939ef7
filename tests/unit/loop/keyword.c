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

static void
a_word_on_its_own_counts(void)
{
	ok(counts("", "work\nLOOP_COMPLETE\n"));
	ok(counts("", "all done: LOOP_COMPLETE."));
	ok(counts("", "\033[32mLOOP_\033[0mCOMPLETE\n"));
	ok(!counts("", "LOOP_COMPLETED\nMY_LOOP_COMPLETE\n"));
	ok(!counts("", "loop_complete\n"));
	ok(!counts("", "```\nLOOP_COMPLETE\n```\n"));
	ok(!counts("", "print `LOOP_COMPLETE` at the end\n"));
}

static void
the_echo_of_the_prompt_does_not(void)
{
	ok(!counts(PROMPT, PROMPT));
	ok(!counts(PROMPT, "3: When everything is finished print "
	    "LOOP_COMPLETE on\n"));
	ok(!counts(PROMPT, "I was told: is finished print LOOP_COMPLETE.\n"));
}

static void
however_it_is_wrapped_and_decorated(void)
{
	ok(!counts(PROMPT, "     2\tWhen everything is fin\n"
	    "     3\tished print\n     4\tLOOP_COMPLETE on a line.\n"));
	ok(!counts(PROMPT, "\xe2\x94\x82 everything is finished \xe2\x94\x82"
	    "\n\xe2\x94\x82 print LOOP_COMPLETE on \xe2\x94\x82\n"));
	ok(!counts(PROMPT, "\033[1mis finished\033[5;1Hprint "
	    "LOOP_COMPLETE\n"));
}

static void
what_follows_other_letters_counts(void)
{
	ok(counts(PROMPT, "I print LOOP_COMPLETE\n"));
	ok(counts(PROMPT, "When everything was finished print LOOP_COMPLETE "
	    "LOOP_COMPLETE"));
	ok(counts(PROMPT, "everything is finished:\nLOOP_COMPLETE\n"));
}

static void
behind_an_echo_the_word_counts(void)
{
	begin(PROMPT);
	scratch_add("log", PROMPT);
	ok(!read_all(true));
	scratch_add("log", "print ");
	ok(!read_all(true));
	scratch_add("log", "LOOP_COMPLETE\n");
	ok(read_all(false));
	end();
}

static void
also_on_the_same_line(void)
{
	begin("Do it now. At the end say LOOP_COMPLETE.");
	scratch_add("log", "Do it now. At the end say LOOP_COMPLETE.");
	ok(!read_all(true));
	scratch_add("log", "LOOP_COMPLETE\n");
	ok(read_all(false));
	end();
}

static void
a_word_whose_end_is_open_waits(void)
{
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

static void
an_echo_does_not_wait(void)
{
	begin(PROMPT);
	scratch_add("log", "When everything is finished print LOOP_COMPLETE");
	ok(!read_all(false));
	ok(!keyword_waits(k));
	end();
}

static void
a_word_of_the_command_line_with_few_letters_is_no_echo(void)
{
	ok(counts("--keyword=LOOP_COMPLETE", "the keyword\nLOOP_COMPLETE\n"));
	ok(counts("echo LOOP_COMPLETE", "LOOP_COMPLETE\n"));
}

static void
a_log_that_was_emptied_is_read_again(void)
{
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

static void
a_prompt_needs_letters_before_the_word(void)
{
	ok(tellable(PROMPT));
	ok(tellable("no word at all"));
	ok(tellable("abcdefgh LOOP_COMPLETE"));
	ok(!tellable("abcdefg LOOP_COMPLETE"));
	ok(!tellable("1234567890 LOOP_COMPLETE"));
	ok(!tellable("LOOP_COMPLETE when you are done"));
}

static void
a_keyword_is_short_and_printable(void)
{
	ok(keyword_valid("READY."));
	ok(!keyword_valid(""));
	ok(!keyword_valid(" READY"));
	ok(!keyword_valid("a\nb"));
}

int
main(void)
{
	scratch_begin();
	TEST(a_word_on_its_own_counts);
	TEST(the_echo_of_the_prompt_does_not);
	TEST(however_it_is_wrapped_and_decorated);
	TEST(what_follows_other_letters_counts);
	TEST(behind_an_echo_the_word_counts);
	TEST(also_on_the_same_line);
	TEST(a_word_whose_end_is_open_waits);
	TEST(an_echo_does_not_wait);
	TEST(a_word_of_the_command_line_with_few_letters_is_no_echo);
	TEST(a_log_that_was_emptied_is_read_again);
	TEST(a_prompt_needs_letters_before_the_word);
	TEST(a_keyword_is_short_and_printable);
	scratch_end();
	return tap_done();
}
