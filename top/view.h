/*
 * view.h - what paneward-top draws.
 *
 *	 paneward  1 asking  1 error  3 working                        14:02
 *	   NAME     STATE    FOR  AGENT   PROJECT  WHAT
 *	 > api:1.0  asking   2m   claude  api      may it run: make deploy
 *	   42       error    12m  codex   shop     3 of 120 tests fail
 *	-- api:1.0, claude in /home/me/api ---------------------------------
 *	 may it run: make deploy
 *	 2 agents need you: api:1.0, 42       Enter go  / filter  ? help  q
 */
#ifndef PANEWARD_VIEW_H
#define PANEWARD_VIEW_H

#include "top/live.h"

enum { VIEW_COLUMNS = 20, VIEW_LINES = 5 };     /* the smallest terminal */

/* Draws it all; sets list_line and list_rows. */
void view_draw(struct live *);

#endif
