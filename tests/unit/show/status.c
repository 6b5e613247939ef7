#include "shown.h"

#define PLACE ",\"boot\":\"another\",\"tmux\":{\"socket\":\"/none\"," \
	"\"server\":1,\"pane\":\"%1\"}"

/* tests/system/unwatched.sh has the same as JSON. */
TEST(an_issue_has_a_line_with_the_age_of_its_state) {
	static const struct {
		long long   age;
		const char *state, *more, *line;
	} rows[] = {
		{ 59, "complete", "", "8  complete  59s  it is so\n" },
		{ 60, "complete", "", "8  complete  1m  it is so\n" },
		{ 7200, "complete", "", "8  complete  2h  it is so\n" },
		{ 9 * 86400, "complete", "", "8  complete  9d  it is so\n" },
		{ -5, "complete", "", "8  complete  0s  it is so\n" },
		{ 3, "error", ",\"message\":\"no disk\"", "8  error?  3s  "
		    "no disk\n  state   it is so: no disk; not watched since "
		    "12:00\n" },
		{ 120, "working", PLACE, "8  unknown  2m  %1  the machine was "
		    "restarted; not judged yet, 'paneward sweep' does that; "
		    "not watched since 12:00\n" },
		{ 120, "complete", PLACE, "8  complete  2m  %1  it is so\n" },
	};
	char now[32];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("row %zu", i);
		snprintf(now, sizeof(now), "%lld", 1769860800 + rows[i].age);
		setenv("PANEWARD_NOW", now, 1);
		shown_record("8", rows[i].state, rows[i].more);
		is_text(shown(&status_command, "8", NULL), rows[i].line);
		is_number(shown_exit, 0);
	}
}

BEFORE_TESTS {
	setenv("TZ", "UTC", 1);
}
