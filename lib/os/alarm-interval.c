/*
 * alarm-interval.c - without a timer that counts sleep: each few seconds.
 */
#include <sys/time.h>

#include "os/alarm.h"

enum { MOST = 5000 };                   /* ms */

int
alarm_after(msec after)
{
	struct itimerval at = { .it_interval = { ALARM_EACH / 1000, 0 } };

	after = after > MOST ? MOST : after > 0 ? after : 1;
	at.it_value.tv_sec = (time_t)(after / 1000);
	at.it_value.tv_usec = (suseconds_t)(after % 1000) * 1000;
	return setitimer(ITIMER_REAL, &at, NULL);
}
