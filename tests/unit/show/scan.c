#include "shown.h"

static const char LOG[] = "hello\r\n```\n###TASK_COMPLETE_7###\n```\n"
    "###TASK_ERROR_7###\r\n\033[1mno disk\033[0m\nbye\n";

TEST(every_size_of_a_piece_gives_the_same) {
	char size[16];
	int i;

	scratch_write("log", LOG);
	is_text(shown(&scan_command, "--issue", "7", "log", NULL),
	    "error: complete 0, error 1: no disk\n");
	for (i = 1; i < 12; i++) {
		snprintf(size, sizeof(size), "%d", i);
		is_text(shown(&scan_command, "--issue", "7", "--chunk", size,
		    "log", NULL), "error: complete 0, error 1: no disk\n");
	}
}

TEST(a_window_may_begin_in_a_block) {
	scratch_write("tail", "###TASK_COMPLETE_7###\n```\n");
	is_text(shown(&scan_command, "--issue", "7", "tail", NULL),
	    "complete: complete 1, error 0\n");
	is_text(shown(&scan_command, "--issue", "7", "--window", "tail", NULL),
	    "none: complete 0, error 0\n");
}

TEST(of_a_large_window_the_end_counts) {
	static char lines[3 << 20];

	memset(lines, '.', sizeof(lines));
	memcpy(lines, "###TASK_ERROR_7###\n", 19);
	memcpy(lines + sizeof(lines) - 24, "\n###TASK_COMPLETE_7###\n", 24);
	scratch_write("large", lines);
	is_text(shown(&scan_command, "--issue", "7", "--window", "large",
	    NULL), "complete: complete 1, error 0\n");
}

TEST(json_has_the_message_of_the_last_error) {
	is_text(shown(&scan_command, "--issue", "7", "--json", "log", NULL),
	    "{\"complete\":0,\"error\":1,\"verdict\":\"error\","
	    "\"error_message\":\"no disk\"}\n");
	is_text(shown(&scan_command, "--issue", "7", "--json", "tail", NULL),
	    "{\"complete\":1,\"error\":0,\"verdict\":\"complete\"}\n");
}

TEST(what_cannot_be_read_is_named) {
	is_text(shown(&scan_command, "--issue", "7", "none", NULL), "");
	is_number(shown_exit, 3);
	is_text(scratch_text("err"), "paneward: cannot open 'none': No such "
	    "file or directory\n");
	is_text(shown(&scan_command, "--issue", "7", ".", NULL), "");
	is_number(shown_exit, 3);
	is_text(scratch_text("err"), "paneward: cannot read '.': Is a "
	    "directory\n");
}
