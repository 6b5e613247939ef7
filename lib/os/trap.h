/*
 * trap.h - SIGTERM, SIGINT and SIGHUP for poll().
 */
#ifndef PANEWARD_TRAP_H
#define PANEWARD_TRAP_H

/* Returns the end to poll, -1 with errno.  Ignored SIGTERM and SIGHUP stay
 * ignored, as under nohup(1). */
int trap_open(void);
/* trap_close() does not restore it. */
void trap_add(int signo);

/* The signal, or 0. */
int trap_read(void);

void trap_close(void);

#endif
