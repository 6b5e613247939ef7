/*
 * The tests of notify.c, with notify-stat.c in the place of what is linked.
 */
#define notify_new             stat_notify_new
#define notify_watch           stat_notify_watch
#define notify_unwatch         stat_notify_unwatch
#define notify_read            stat_notify_read

#include "os/notify-stat.c"
#include "unit/os/notify.c"
