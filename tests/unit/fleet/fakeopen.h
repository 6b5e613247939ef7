/*
 * fakeopen.h - for commands of paneward-fleet: they run in a project that is
 * the scratch folder, and their server is that of fakestore.h.
 */
#ifndef PANEWARD_FAKEOPEN_H
#define PANEWARD_FAKEOPEN_H

#include <unistd.h>

#include "base/command.h"
#include "fakestore.h"
#include "fleet/wire/wire.h"
#include "unit/children.h"

struct link *
fleet_open(const char *dir, bool stay)
{
	(void)dir, (void)stay;
	fake_context.project.root = scratch;
	return &fake_link;
}

void
link_close(struct link *l)
{
	(void)l;
}

int
store_open(struct link *l, enum store which, struct store_look *look,
    struct buf *why)
{
	(void)l, (void)why;
	look->made = fake_buckets[which].made;
	return 0;
}

int
link_each(struct link *l, enum store which, const char *keys,
    enum link_from from, msec since, link_take *take, void *context,
    struct buf *why)
{
	struct fake_key *k = fake_buckets[which].keys;

	(void)l, (void)keys, (void)from, (void)since, (void)why;
	fake_calls++;
	for (; k < fake_buckets[which].keys + FAKE_KEYS; k++) {
		char *name = xasprintf("%s%s", stores[which].prefix, k->name);

		if (k->name[0] != '\0')
			take(context, &(struct link_message){ .subject = name,
			    .data = k->value, .len = strlen(k->value),
			    .sequence = k->revision, .time = k->time,
			    .gone = k->gone });
		free(name);
	}
	return 0;
}

/* A command leaves its memory to the system, which is no leak. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* Runs it with these words, or NULL; what it prints is in the file out. */
static inline int
run(const struct command *c, const char *a, const char *b)
{
	static char words[3][80];
	char *argv[] = { words[0], a ? words[1] : NULL, b ? words[2] : NULL,
	    NULL };
	int out = divert(STDOUT_FILENO, "out"), status;

	snprintf(words[0], sizeof(words[0]), "%s", c->name);
	snprintf(words[1], sizeof(words[1]), "%s", a ? a : "");
	snprintf(words[2], sizeof(words[2]), "%s", b ? b : "");
	optind = 0;
	if (__lsan_disable != NULL)
		__lsan_disable();
	status = c->run(c, 1 + (a != NULL) + (b != NULL), argv);
	if (__lsan_enable != NULL)
		__lsan_enable();
	divert_back(STDOUT_FILENO, out);
	return status;
}

#endif
