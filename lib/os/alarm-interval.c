/*
 * alarm-interval.c - without a timer that counts sleep: each second, so that
 * the caller sees within a second of waking that its time is over.
 */
#include "os/alarm.h"

#include <stddef.h>
#include <sys/time.h>

int
alarm_after(msec after)
{
	struct itimerval at = { .it_interval = { ALARM_EACH / 1000, 0 } };

	after = after > ALARM_EACH ? ALARM_EACH : after > 0 ? after : 1;
	at.it_value.tv_sec = (time_t)(after / 1000);
	at.it_value.tv_usec = (suseconds_t)(after % 1000) * 1000;
	return setitimer(ITIMER_REAL, &at, NULL);
}
