#include "agent/backend.h"

#include "base/alloc.h"
#include "base/argv.h"
#include "scratch.h"

static const char *const nothing[] = { NULL };

/* A backend with that program and these lists. */
static struct backend
client_of(const char *program, const char *const *words,
    const char *const *tried)
{
	return (struct backend){ .command = program ?
	    xstrdup(scratch_path(program)) : NULL,
	    .version = argv_add_all(xcalloc(1, sizeof(char *)), words),
	    .tried = argv_add_all(xcalloc(1, sizeof(char *)), tried) };
}

static void
forget(struct backend *b)
{
	free(b->command);
	argv_free(b->version);
	argv_free(b->tried);
}

TEST(what_is_not_there_is_not_asked) {
	struct backend none[] = {
		client_of("missing", WORDS("--version"), nothing),
		client_of("client", nothing, nothing),
		client_of(NULL, WORDS("--version"), nothing),
	};
	struct spawn s;
	size_t i;

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		ROW("row %zu", i);
		ok(!clientversion_begin(&s, &none[i]));
		forget(&none[i]);
	}
}

TEST(a_version_is_a_number_with_a_dot) {
	static const char *const texts[][2] = {
		{ "codex-cli 0.169.0", "0.169.0" },
		{ "2 of 3: 4.5.", "4.5" },
		{ "2.1.330 (Claude Code)", "2.1.330" },
		{ "", "" }, { "1", "" }, { "...", "" }, { "v", "" },
	};
	char *found;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		found = clientversion_in(texts[i][0]);
		is_text(found ? found : "", texts[i][1]);
		free(found);
	}
}

TEST(newer_is_newer_than_all_that_were_tried) {
	static const struct { const char *version; bool newer; } rows[] = {
		{ "2.1.331", true }, { "2.1.1000", true }, { "2.2", true },
		{ "2.1.330.1", true }, { "10.0", true }, { "2.1.330", false },
		{ "2.1.330.0", false }, { "2.1.200", false },
		{ "1.9.999", false },
	};
	struct backend b = client_of(NULL, nothing, WORDS("2.1.330",
	    "2.1.197", "x"));
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].version);
		ok(clientversion_newer(&b, rows[i].version) == rows[i].newer);
	}
	forget(&b);
	b = client_of(NULL, nothing, nothing);
	ok(!clientversion_newer(&b, "1.0"));
	forget(&b);
}
