#include "top/live.h"

#include "data/fields.h"
#include "os/userfolder.h"

enum { SIZE = 1 << 20 };

static const char name[] = "top.json";

#define HABIT(member) FIELD_AT(struct habits, member)

static const struct field fields[] = {
	{ "v", FIELD_CONSTANT, .fallback = 1 },
	{ "grouped", FIELD_BOOL, HABIT(grouped) },
	{ "hide_working", FIELD_BOOL, HABIT(calm) },
	{ "pinned", FIELD_WORDS, HABIT(pinned) },
	{ "folded", FIELD_WORDS, HABIT(folded) },
	{ 0 }
};

void
habits_read(struct habits *k)
{
	struct habits read = { .grouped = false };
	int state = userfolder_state(NULL, false);

	if (state != -1 && fstatat(state, name, &read.file,
	    AT_SYMLINK_NOFOLLOW) == 0 &&
	    !file_same_times(&read.file, &k->file)) {
		fields_release(fields, k);
		*k = read;
		if (fields_read(state, name, SIZE, fields, k) != 1) {
			fields_release(fields, k);
			*k = (struct habits){ .file = read.file,
			    .newer = errno == ENEWER };
		}
	}
	file_close(state);
}

void
habits_write(const struct habits *k)
{
	int state = userfolder_state(NULL, true);

	if (state != -1 && !k->newer)
		fields_write(state, name, fields, k);
	file_close(state);
}

void
habits_turn(struct habits *h, char ***words, const char *word)
{
	char **w;

	for (w = *words; w != NULL && *w != NULL && strcmp(*w, word) != 0; w++)
		continue;
	if (w == NULL || *w == NULL) {
		*words = argv_add(*words, word);
	} else {
		free(*w);
		memmove(w, w + 1, (argv_count(w + 1) + 1) * sizeof(*w));
	}
	habits_write(h);
}
