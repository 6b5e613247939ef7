/*
 * doctor.h - the checks of paneward doctor.
 *
 * A check looks at one thing and changes nothing.  What it finds is said in
 * one line each: how bad it is, what it is, why that matters, what to do.
 * Nothing that is wrong ends the round: the next check may tell why.  The round
 * is short, so checks leave what they allocate to the system.
 */
#ifndef PANEWARD_SETUP_DOCTOR_H
#define PANEWARD_SETUP_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "data/findings.h"
#include "project/config.h"
#include "project/project.h"
#include "project/statusdir.h"
#include "run/status.h"
#include "tmux/servers.h"

struct doctor {
	struct findings findings;
	const char     *option;         /* --status-dir, or NULL */
	struct project  project;
	struct config   config;
	bool            configured;     /* config was read */
	struct statusdir dir;
	struct status  *records;
	size_t          nrecords;
	struct servers   servers;
};

#define doctor_found(d, ...) findings_add(&(d)->findings, __VA_ARGS__)

/* What another program writes, without line feeds at the end; NULL if it
 * cannot be run or fails.  For the caller to free. */
char *doctor_ask(const char *program, const char *argument);

/* doctor-tmux.c: tmux, and what paneward has in it */
void doctor_check_tmux(struct doctor *);
void doctor_check_servers(struct doctor *);
void doctor_check_notices(struct doctor *);
void doctor_check_pipes(struct doctor *);
void doctor_check_watchers(struct doctor *);

/* doctor-agents.c: the agents' hooks, servers and versions */
void doctor_check_agents(struct doctor *);
void doctor_check_shared(struct doctor *);
void doctor_check_clients(struct doctor *);

#endif
