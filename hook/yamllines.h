/*
 * yamllines.h - YAML that is made of simple lines, read without libyaml.
 *
 *	# comments, and blank lines
 *	reports:
 *	  - subtask_id: plain text   # comment
 *	    summary: "quoted, with \" and \n"
 *	other: []
 *
 * One mapping without indentation, whose members are texts, empty lists, or
 * lists of such mappings; each text on one line.  yamllines_load() says true
 * where all of a text is like that, and only where libyaml would make the same
 * tree of it (tests/fuzz/inbox.c holds it to that); then the tree is made.
 * Else it is not, and nothing is known of the text.
 */
#ifndef PANEWARD_HOOK_YAMLLINES_H
#define PANEWARD_HOOK_YAMLLINES_H

#include <stdbool.h>
#include <stddef.h>

struct yaml;

bool yamllines_load(struct yaml *, const char *text, size_t len);

#endif
