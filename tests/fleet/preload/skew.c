/*
 * skew.c - preloaded into what runs on a host: its clock goes SKEW seconds wrong.
 *
 * A wait until a time of that clock is until then, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t
skew(void)
{
	const char *text = getenv("SKEW");

	return text != NULL ? atol(text) : 0;
}

int
clock_gettime(clockid_t id, struct timespec *t)
{
	static int (*next)(clockid_t, struct timespec *);
	int ret;

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
	ret = next(id, t);
	if (ret == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		t->tv_sec += skew();
	return ret;
}

time_t
time(time_t *to)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (to != NULL)
		*to = t.tv_sec;
	return t.tv_sec;
}

int
gettimeofday(struct timeval *restrict to, void *restrict zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	to->tv_sec = t.tv_sec;
	to->tv_usec = t.tv_nsec / 1000;
	return 0;
}

int
pthread_cond_timedwait(pthread_cond_t *restrict cond,
    pthread_mutex_t *restrict lock, const struct timespec *restrict until)
{
	struct timespec t = *until;

	t.tv_sec -= skew();
	return pthread_cond_clockwait(cond, lock, CLOCK_REALTIME, &t);
}
