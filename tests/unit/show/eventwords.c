#include "show/show.h"

#include <stdint.h>

#include "tap.h"

/* A literal as a text that an event owns. */
#define T(text) ((char *)(uintptr_t)(text))

TEST(every_type_has_a_word_that_fits_its_column) {
	struct journal_event e = { .exit = -1 };

	for (e.type = 0; e.type < JOURNAL_TYPES; e.type++)
		ok(eventwords_what(&e) != NULL &&
		    strlen(eventwords_what(&e)) <= 8);
	e.type = JOURNAL_STATE;
	e.state = T("asking");
	is_text(eventwords_what(&e), "asking");
	e.state = T("dreaming");
	is_text(eventwords_what(&e), "unknown");
}

TEST(an_event_has_its_reason_its_result_and_what_was_said) {
	static const struct {
		enum journal_type type;
		const char       *why, *detail, *state, *message;
		int               exit;
		const char       *words;
	} rows[] = {
		{ JOURNAL_STATE, "it asks", NULL, NULL, "rm?", -1,
		    "it asks: rm?" },
		{ JOURNAL_STATE, "it asks", NULL, NULL, "", -1, "it asks" },
		{ JOURNAL_RUN, NULL, NULL, NULL, NULL, -1, "" },
		{ JOURNAL_HANDOFF, NULL, "attempt 1 begins", "running", NULL,
		    -1, "attempt 1 begins" },
		{ JOURNAL_HANDOFF, NULL, "attempt 2 ended", "refused",
		    "not merged", 77,
		    "attempt 2 ended with 77, refused: not merged" },
	};
	struct buf out = BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("row %zu", i);
		buf_reset(&out);
		eventwords_add(&out, &(struct journal_event){
		    .type = rows[i].type, .why = T(rows[i].why),
		    .detail = T(rows[i].detail), .state = T(rows[i].state),
		    .message = T(rows[i].message), .exit = rows[i].exit });
		is_text(buf_str(&out), rows[i].words);
	}
	buf_release(&out);
}
