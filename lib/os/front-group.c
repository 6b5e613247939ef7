/*
 * front-group.c - a foreground group by pid: a child's is rarely the smaller.
 */
#include "os/proc.h"

static int
pid_order(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
proc_front_begin(struct proc_front *f, const struct proc *p)
{
	size_t i;

	*f = (struct proc_front){ .group = p->foreground };
	if (p->foreground <= 0)
		return;
	f->pids[0] = p->foreground;
	f->n = 1 + proc_group(p->foreground, f->pids + 1, PROC_FRONT - 1);
	qsort(f->pids + 1, f->n - 1, sizeof(f->pids[0]), pid_order);
	for (i = 1; i < f->n; i++)
		if (f->pids[i] == p->foreground)
			f->pids[i] = 0;
}

bool
proc_front_next(struct proc_front *f, struct proc *p)
{
	while (f->given < f->n)
		if (proc_read(p, f->pids[f->given++]) == 0 &&
		    p->group == f->group && !p->zombie)
			return true;
	return false;
}
