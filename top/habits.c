#include "top/live.h"

#include "data/fields.h"
#include "os/file.h"
#include "os/userfolder.h"

enum { WORDS_MOST = 256, SIZE = 1 << 20 };

static const char name[] = "top.json";

#define HABIT(member) FIELD_AT(struct habits, member)

static const struct field fields[] = {
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
			*k = (struct habits){ .file = read.file };
		}
	}
	file_close(state);
}

/* If that fails it is kept as long as we run. */
static void
habits_write(const struct habits *k)
{
	int state = userfolder_state(NULL, true);

	if (state != -1)
		fields_write(state, name, fields, k);
	file_close(state);
}

void
habits_flip(struct habits *k, bool *flag)
{
	habits_read(k);
	*flag = !*flag;
	habits_write(k);
}

void
habits_turn(struct habits *k, char ***words, const char *word)
{
	size_t i, n;

	habits_read(k);
	n = argv_count(*words);
	for (i = 0; i < n && strcmp((*words)[i], word) != 0; i++)
		continue;
	if (i == n)
		*words = argv_add(*words, word);
	if (i < n || n == WORDS_MOST) {
		i = i < n ? i : 0;      /* what is gone is at the front */
		free((*words)[i]);
		memmove(*words + i, *words + i + 1,
		    (argv_count(*words + i + 1) + 1) * sizeof(**words));
	}
	habits_write(k);
}
