/*
 * skill.h - a skill for agents, as init installs it.
 *
 * It is templates/skills/NAME/SKILL.md, and a last line that says who wrote it,
 * with a sum of what stands above.  So one that a person has changed is told
 * from one that an older paneward wrote.  Plugins are signed the same way.
 */
#ifndef PANEWARD_SETUP_SKILL_H
#define PANEWARD_SETUP_SKILL_H

#include "base/buf.h"

enum skill_origin {
	SKILL_FOREIGN,                  /* init did not write it */
	SKILL_OURS,
	SKILL_CHANGED                   /* init did, and a person changed it */
};

/* Adds the template.  -1 with the reason. */
int skill_read(struct buf *, const char *name, struct buf *why);
/* Adds the last line to the text. */
void skill_sign(struct buf *);

enum skill_origin skill_origin(const struct buf *);

#endif
