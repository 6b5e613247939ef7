/*
 * trap.h - signals of the system as something that poll() can wait for.
 */
#ifndef PANEWARD_TRAP_H
#define PANEWARD_TRAP_H

/*
 * From now on SIGTERM, SIGINT and SIGHUP write a byte to a pipe instead of
 * ending the program; SIGTERM and SIGHUP that were ignored before, as under
 * nohup(1), still are.  Returns the end to be polled, -1 with errno.
 */
int trap_open(void);

/* The signal that came, 0 if none. */
int trap_read(void);

/* The signals mean again what they meant before. */
void trap_close(void);

#endif
