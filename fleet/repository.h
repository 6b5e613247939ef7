/*
 * repository.h - a name of a project's repository that is the same in each
 * clone: the address of its remote "origin" without scheme, user, port and
 * ".git", as in "git.example/team/app"; without one its folder's name.
 */
#ifndef PANEWARD_FLEET_REPOSITORY_H
#define PANEWARD_FLEET_REPOSITORY_H

#include "base/buf.h"
#include "project/project.h"

void repository_normal(struct buf *, const char *address);
void repository_of(struct buf *, const struct project *);

#endif
