/*
 * The tests of files.c, with files-stat.c in the place of what is linked.
 */
#define files_new             stat_files_new
#define files_free            stat_files_free
#define files_fd              stat_files_fd
#define files_period          stat_files_period
#define files_watch_directory stat_files_watch_directory
#define files_watch_renames   stat_files_watch_renames
#define files_watch_file      stat_files_watch_file
#define files_unwatch         stat_files_unwatch
#define files_read            stat_files_read

#include "os/notify-stat.c"
#include "unit/os/notify.c"
