#include "show/show.h"

#include "tap.h"

/* tests/system/history.sh has the words of events. */
TEST(every_type_has_a_word_that_fits_its_column) {
	struct journal_event e = { .exit = -1 };

	for (e.type = 0; e.type < JOURNAL_TYPES; e.type++)
		ok(eventwords_what(&e) != NULL &&
		    strlen(eventwords_what(&e)) <= 8);
}
