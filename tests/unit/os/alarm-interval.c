/*
 * The tests of alarm.c, with alarm-interval.c in the place of what is linked.
 */
#define alarm_after interval_alarm_after

#include "os/alarm-interval.c"
#include "unit/os/alarm.c"
