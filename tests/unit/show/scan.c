#include "shown.h"

TEST(of_a_large_window_the_end_counts) {
	static char lines[3 << 20];

	memset(lines, '.', sizeof(lines));
	memcpy(lines, "###TASK_ERROR_7###\n", 19);
	memcpy(lines + sizeof(lines) - 24, "\n###TASK_COMPLETE_7###\n", 24);
	scratch_write("large", lines);
	is_text(shown(&scan_command, "--issue", "7", "--window", "large",
	    NULL), "complete: complete 1, error 0\n");
}
