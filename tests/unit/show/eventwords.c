#include "show/show.h"

#include <stdint.h>

#include "tap.h"

static struct buf out;

static const char *
words(struct journal_event e)
{
	buf_reset(&out);
	eventwords_add(&out, &e);
	return buf_str(&out);
}

/* A literal as a text that an event owns. */
#define T(text) ((char *)(uintptr_t)(text))

TEST(every_type_has_a_word_that_fits_its_column) {
	struct journal_event e = { .exit = -1 };

	for (e.type = 0; e.type < JOURNAL_TYPES; e.type++) {
		ok(eventwords_what(&e) != NULL);
		ok(strlen(eventwords_what(&e)) <= 8);
	}
	e = (struct journal_event){ .type = JOURNAL_STATE,
	    .state = T("asking") };
	is_text(eventwords_what(&e), "asking");
	e.state = T("dreaming");
	is_text(eventwords_what(&e), "unknown");
}

TEST(a_state_has_its_reason_and_what_was_said) {
	is_text(words((struct journal_event){ .type = JOURNAL_STATE,
	    .why = T("it asks"), .message = T("rm?"), .exit = -1 }),
	    "it asks: rm?");
	is_text(words((struct journal_event){ .type = JOURNAL_STATE,
	    .why = T("it asks"), .message = T(""), .exit = -1 }), "it asks");
	is_text(words((struct journal_event){ .type = JOURNAL_RUN,
	    .exit = -1 }), "");
}

TEST(an_attempt_that_ended_has_its_exit_status) {
	is_text(words((struct journal_event){ .type = JOURNAL_HANDOFF,
	    .detail = T("attempt 1 begins"), .state = T("running"),
	    .exit = -1 }), "attempt 1 begins");
	is_text(words((struct journal_event){ .type = JOURNAL_HANDOFF,
	    .detail = T("attempt 2 ended"), .state = T("refused"),
	    .exit = 77, .message = T("not merged") }),
	    "attempt 2 ended with 77, refused: not merged");
}

AFTER_TESTS {
	buf_release(&out);
}
