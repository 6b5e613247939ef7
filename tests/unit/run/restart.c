#include "run/restart.h"

#include <errno.h>
#include <unistd.h>

#include "scratch.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"
#define OTHER "ffffffff-1111-4222-8333-444444444444"

/* A restart in which every member says something. */
static const char whole[] = "{\"v\":1,\"run\":\"" RUN "\","
    "\"phase\":\"stopping\",\"why\":\"a \\\"reason\\\"\","
    "\"since\":\"2026-01-01T00:00:00.000Z\",\"pid\":11,\"start\":12,"
    "\"boot\":\"a boot\",\"past\":\"2025-12-31T23:50:00.000Z "
    "2025-12-31T23:51:40.000Z\",\"socket\":\"/tmp/s o\",\"server_pid\":13,"
    "\"server_start\":14,\"pane\":\"%7\",\"pane_pid\":15,\"pane_start\":16,"
    "\"shape\":\"shell\",\"agent\":17,\"agent_start\":18,\"shell\":19,"
    "\"shell_start\":20,\"shell_name\":\"zsh\",\"backend\":\"claude\","
    "\"program\":\"/bin/c\",\"cwd\":\"/p\",\"session\":\"id-7\","
    "\"reason\":\"it's \xc3\xa9\",\"folder\":\"/f\",\"file\":\"memo\","
    "\"own_turn\":true,\"not_before\":\"2026-01-01T00:00:01.000Z\","
    "\"log_cap\":21}\n";

/* A restart by this process. */
static struct reload
by_us(void)
{
	struct reload r = { .run = RUN, .phase = RELOAD_STOPPING,
	    .since = 1767225600000 };

	proc_identify(&r.process, getpid());
	ok(r.process.start != 0);
	return r;
}

TEST(it_is_read_as_it_was_written) {
	struct reload r;

	scratch_write("7.reload", whole);
	is_number(reload_read(&r, scratch_fd, "7"), 1);
	ok(r.phase == RELOAD_STOPPING && r.shape == RELOAD_IN_SHELL);
	ok(r.npast == 2 && r.past[1] == 1767225100000);
	is_text(r.place.socket, "/tmp/s o");
	ok(reload_write(&r, scratch_fd, "8") == 0);
	is_text(scratch_text("8.reload"), whole);
	reload_release(&r);
	is_number(reload_read(&r, scratch_fd, "9"), 0);
	is_number(reload_read(&r, -1, "7"), 0);
	scratch_write("9.reload", "{\"run\": \"x\"}");
	errno = 0;
	is_number(reload_read(&r, scratch_fd, "9"), -1);
	is_number(errno, EBADMSG);
	reload_release(&r);
}

TEST(it_is_under_way_while_its_process_lives) {
	struct reload r = by_us();

	ok(reload_under_way(&r, RUN) && reload_under_way(&r, NULL));
	ok(!reload_under_way(&r, OTHER));
	r.process.start++;
	ok(!reload_under_way(&r, RUN));
	r = by_us();
	snprintf(r.process.boot, sizeof(r.process.boot), "another");
	ok(!reload_under_way(&r, RUN));
	r = by_us();
	r.phase = RELOAD_DONE;
	ok(!reload_under_way(&r, RUN));
}

TEST(a_restart_may_follow_at_once_and_many_do_not) {
	struct reload r = { .phase = RELOAD_FAILED };
	msec now = 1767225600000, next;
	int i;

	for (i = 0; i < RELOAD_PAST; i++) {
		ok(reload_allowed(&r, now, &next));
		ok(i < 3 ? next == now : next > now);
		now = next;
		r.past[r.npast++] = now;
	}
	ok(!reload_allowed(&r, now, &next));
	ok(next == r.past[0] + RELOAD_SPAN);
	ok(reload_allowed(&r, next, &next));
	is_number(r.npast, RELOAD_PAST - 3);    /* three came at once */
}

/* tests/system/reload.sh has those of this run. */
TEST(a_restart_of_another_run_is_not_in_the_record) {
	struct reload r = by_us();
	struct status s;
	bool under_way;

	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
	ok(reload_write(&r, scratch_fd, "7") == 0);
	ok(reload_take(&s, scratch_fd, &under_way) && under_way);
	ok(s.reload.since == r.since);
	ok(!reload_take(&s, scratch_fd, &under_way) && under_way);
	memcpy(s.run, OTHER, sizeof(OTHER));
	ok(reload_take(&s, scratch_fd, &under_way) && !under_way);
	ok(s.reload.since == 0 && s.reload.phase[0] == '\0');
}
