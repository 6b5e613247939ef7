/*
 * darwin.h - this system's headers, less what those of macOS lack; included
 * before all else by tests/cases/elsewhere.t, without _GNU_SOURCE.
 *
 * Names that glibc shows only with _GNU_SOURCE and macOS and the BSDs have are
 * declared here.
 */
#include <stdarg.h>
#include <stddef.h>

#define fdatasync       hidden_fdatasync
#define posix_fadvise   hidden_fadvise
#define posix_fallocate hidden_fallocate
#define reallocarray    hidden_reallocarray
#define clearenv        hidden_clearenv
#define getrandom       hidden_getrandom
#define explicit_bzero  hidden_explicit_bzero
#define st_atim         st_atimespec
#define st_mtim         st_mtimespec
#define st_ctim         st_ctimespec

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#undef fdatasync
#undef posix_fadvise
#undef posix_fallocate
#undef reallocarray
#undef clearenv
#undef getrandom
#undef explicit_bzero
#undef st_atim
#undef st_mtim
#undef st_ctim
#undef st_mtime
#define st_mtime st_mtimespec.tv_sec
#undef MSG_NOSIGNAL
#pragma GCC poison SOCK_CLOEXEC SOCK_NONBLOCK

union wait { int status; };

void *memmem(const void *, size_t, const void *, size_t);
char *strcasestr(const char *, const char *);
int   vasprintf(char **, const char *, va_list);
