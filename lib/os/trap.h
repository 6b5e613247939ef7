/*
 * trap.h - SIGTERM, SIGINT and SIGHUP as something that poll() can wait for.
 */
#ifndef PANEWARD_TRAP_H
#define PANEWARD_TRAP_H

/* The signals write to a pipe instead of ending the program.  Ignored SIGTERM
 * and SIGHUP stay ignored, as under nohup(1).  Returns the end to poll, -1 with
 * errno. */
int trap_open(void);
/* Adds a signal, which trap_close() does not restore. */
void trap_add(int signo);

/* The signal that came, 0 if none. */
int trap_read(void);

/* Restores the former actions. */
void trap_close(void);

#endif
