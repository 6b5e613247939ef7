/*
 * These are the promises of alarm.h.  alarm-interval.c runs them once more.
 */
#include "os/alarm.h"

#include <poll.h>
#include <signal.h>

#include "tap.h"

/* Takes the next SIGALRM, which is blocked.  False: none comes. */
static bool
alarm_comes(void)
{
	msec deadline = clock_now() + 20000;
	sigset_t set;
	int signo;

	for (;;) {
		sigpending(&set);
		if (sigismember(&set, SIGALRM)) {
			sigemptyset(&set);
			sigaddset(&set, SIGALRM);
			return sigwait(&set, &signo) == 0;
		}
		if (clock_now() > deadline)
			return false;
		poll(NULL, 0, 5);
	}
}

/* What an earlier test asked for is over. */
static void
alarm_anew(void)
{
	sigset_t set;
	int signo;

	is_number(alarm_after((msec)365 * 24 * 3600 * 1000), 0);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	raise(SIGALRM);
	sigwait(&set, &signo);
}

/* Asks as agent-run does, which reads the clock after each. */
static void
it_comes_once_its_time_is_over(void)
{
	msec due = clock_now() + 50;

	is_number(alarm_after(50), 0);
	do
		ok(alarm_comes());
	while (clock_now() < due && alarm_after(due - clock_now()) == 0);
	ok(clock_now() >= due && clock_now() < due + 10000);
}

static void
it_comes_again_until_it_is_heeded(void)
{
	alarm_anew();
	is_number(alarm_after(1), 0);
	ok(alarm_comes());
	ok(alarm_comes());
}

static void
a_later_call_takes_the_place_of_the_last_one(void)
{
	alarm_anew();
	is_number(alarm_after(20), 0);
	ok(alarm_comes());
}

static void
a_time_that_is_over_comes_at_once(void)
{
	alarm_anew();
	is_number(alarm_after(-5), 0);
	ok(alarm_comes());
	alarm_anew();
	is_number(alarm_after(0), 0);
	ok(alarm_comes());
}

int
main(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	TEST(it_comes_once_its_time_is_over);
	TEST(it_comes_again_until_it_is_heeded);
	TEST(a_later_call_takes_the_place_of_the_last_one);
	TEST(a_time_that_is_over_comes_at_once);
	return tap_done();
}
