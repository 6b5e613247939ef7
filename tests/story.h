/*
 * story.h - a test that is told in steps, words that its file understands.
 *
 *	static const struct story stories[] = {
 *		{ "what is added is read", { "+a", "read 1", "read 0" } },
 *	};
 *	TELL(stories, begin, step);
 *
 * Each story begins anew and ends before its last step if step() says so.
 */
#ifndef PANEWARD_STORY_H
#define PANEWARD_STORY_H

#include "tap.h"

enum { STORY_STEPS = 28 };

struct story {
	const char *name, *steps[STORY_STEPS];
};

#define TELL(stories, begin, step) \
	story_tell(stories, sizeof(stories) / sizeof(stories[0]), begin, step)

static inline void
story_tell(const struct story *s, size_t n, void (*begin)(void),
    bool (*step)(const char *))
{
	size_t i;

	for (; n > 0; n--, s++) {
		begin();
		for (i = 0; i < STORY_STEPS && s->steps[i] != NULL; i++) {
			ROW("%s: step %zu, %.40s", s->name, i + 1, s->steps[i]);
			if (!step(s->steps[i]))
				break;
		}
	}
}

#endif
