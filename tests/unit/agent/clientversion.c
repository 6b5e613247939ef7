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

/* What the program of this text answers, or why it does not. */
static const char *
answer(const char *text)
{
	static struct buf said;
	struct backend b = client_of("client", WORDS("--version"), nothing);
	struct spawn s;
	char *version;

	buf_reset(&said);
	scratch_write("client", text);
	ok(chmod(scratch_path("client"), 0700) == 0);
	ok(clientversion_begin(&s, &b));
	version = clientversion_end(&s, &said);
	if (version != NULL)
		buf_adds(&said, version);
	free(version);
	forget(&b);
	return buf_str(&said);
}

TEST(a_program_is_asked) {
	is_text(answer("#!/bin/sh\n[ \"$*\" = --version ] && "
	    "echo 'client 1.20.3 (x)'\n"), "1.20.3");
	is_text(answer("#!/bin/sh\npwd\necho v2.0-beta.1\n"), "2.0");
	is_text(answer("#!/bin/sh\necho 7\n"), "it printed none");
	is_text(answer("#!/bin/sh\necho 1.2\nexit 1\n"), "it failed");
	is_text(answer("#!/nowhere/sh\n"), "it failed");
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
