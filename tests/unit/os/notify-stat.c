/*
 * The tests of notify.c, with notify-stat.c in the place of what is linked.
 */
#include "os/notify-stat.c"
#include "unit/os/notify.c"
