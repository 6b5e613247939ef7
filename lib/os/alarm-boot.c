/*
 * alarm-boot.c - by a timer of the clock that counts sleep, so that a machine
 * that wakes up late is late by no more than that.
 */
#include "os/alarm.h"

#include <signal.h>
#include <stdbool.h>
#include <time.h>

int
alarm_after(msec after)
{
	static timer_t timer;
	static bool made;
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
	    .sigev_signo = SIGALRM };
	struct itimerspec at = { .it_interval = { ALARM_EACH / 1000, 0 } };

	if (!made && timer_create(CLOCK_BOOTTIME, &event, &timer) == -1)
		return -1;
	made = true;
	after = after > 0 ? after : 1;
	at.it_value.tv_sec = (time_t)(after / 1000);
	at.it_value.tv_nsec = (long)(after % 1000) * 1000000;
	return timer_settime(timer, 0, &at, NULL);
}
