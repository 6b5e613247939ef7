#include "run/restart.h"

#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "run/launch.h"
#include "scratch.h"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";
static const char OTHER[] = "ffffffff-1111-4222-8333-444444444444";

/* A restart that this process would be about. */
static void
fill(struct reload *r)
{
	struct proc self;

	*r = (struct reload){ .phase = RELOAD_FAILED };
	memcpy(r->run, RUN, sizeof(RUN));
	r->phase = RELOAD_STOPPING;
	strcpy(r->why, "a \"reason\"");
	r->since = 1767225600000;
	ok(proc_read(&self, getpid()) == 0);
	r->pid = self.pid;
	r->start = self.start;
	proc_boot(r->boot);
	r->past[0] = 1767225000000;
	r->past[1] = 1767225100000;
	r->npast = 2;
	r->shape = RELOAD_IN_SHELL;
	r->place.socket = xstrdup("/tmp/s o");
	strcpy(r->place.pane, "%7");
	r->shell = 12;
	strcpy(r->shell_name, "zsh");
	r->session = xstrdup("id-7");
	r->reason = xstrdup("it's \xc3\xa9");
	r->own_turn = true;
}

TEST(it_is_read_as_it_was_written) {
	struct reload r, got;

	fill(&r);
	ok(reload_write(&r, scratch_fd, "7") == 0);
	is_number(reload_read(&got, scratch_fd, "7"), 1);
	is_text(got.run, RUN);
	is_number(got.phase, RELOAD_STOPPING);
	is_number(got.shape, RELOAD_IN_SHELL);
	is_text(got.why, r.why);
	ok(got.since == r.since && got.start == r.start);
	is_number(got.npast, 2);
	ok(got.past[1] == r.past[1]);
	is_text(got.place.socket, "/tmp/s o");
	is_text(got.shell_name, "zsh");
	is_text(got.session, "id-7");
	is_text(got.reason, r.reason);
	ok(got.own_turn && got.file == NULL);
	reload_release(&got);
	reload_release(&r);
}

TEST(what_is_none_is_told) {
	struct reload r;

	is_number(reload_read(&r, scratch_fd, "8"), 0);
	is_number(reload_read(&r, -1, "7"), 0);
	scratch_write("8.reload", "{\"run\": \"x\"}");
	errno = 0;
	is_number(reload_read(&r, scratch_fd, "8"), -1);
	is_number(errno, EBADMSG);
	reload_release(&r);
}

TEST(it_is_under_way_while_its_process_lives) {
	struct reload r;

	fill(&r);
	ok(reload_under_way(&r, RUN) && reload_under_way(&r, NULL));
	ok(!reload_under_way(&r, OTHER));
	r.start++;
	ok(!reload_under_way(&r, RUN));
	r.start--;
	strcpy(r.boot, "another");
	ok(!reload_under_way(&r, RUN));
	proc_boot(r.boot);
	r.phase = RELOAD_DONE;
	ok(!reload_under_way(&r, RUN));
	reload_release(&r);
}

TEST(a_restart_may_follow_at_once_and_many_do_not) {
	struct reload r;
	msec now = 1767225600000, next;
	int i;

	r = (struct reload){ .phase = RELOAD_FAILED };
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
	reload_release(&r);
}

TEST(the_record_says_it) {
	struct status s;
	struct reload r;
	bool under_way;

	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
	fill(&r);
	ok(reload_write(&r, scratch_fd, "7") == 0);
	ok(reload_take(&s, scratch_fd, &under_way) && under_way);
	is_text(s.reload.phase, "stopping");
	ok(s.reload.since == r.since && !reload_redraws(&s));
	ok(!reload_take(&s, scratch_fd, &under_way) && under_way);
	r.phase = RELOAD_DELIVERING;
	ok(reload_write(&r, scratch_fd, "7") == 0);
	ok(reload_take(&s, scratch_fd, &under_way) && reload_redraws(&s));
	memcpy(s.run, OTHER, sizeof(OTHER));
	ok(reload_take(&s, scratch_fd, &under_way) && !under_way);
	ok(s.reload.since == 0 && s.reload.phase[0] == '\0');
	reload_release(&r);
	status_release(&s);
}

TEST(the_new_agent_is_found) {
	struct tmux_pane pane = { .pid = getppid() };
	struct launched l = { .exit_code = -1, .exit_signal = -1 };
	struct status s;
	struct proc self;

	ok(proc_read(&self, getpid()) == 0);
	status_init(&s, "7");
	memcpy(s.run, RUN, sizeof(RUN));
	strcpy(s.place.pane, "%7");
	strcpy(pane.id, "%7");
	s.place.pane_pid = 99;
	s.agent.pid = 4711;
	ok(!reload_find(&s, scratch_fd, &pane));
	l.pid = self.pid;
	l.start = self.start + 1;
	ok(launched_write(&l, scratch_fd, "7", RUN) == 0);
	ok(!reload_find(&s, scratch_fd, &pane));        /* not alive */
	l.start = self.start;
	ok(launched_write(&l, scratch_fd, "7", OTHER) == 0);
	ok(!reload_find(&s, scratch_fd, &pane));        /* another run's */
	ok(launched_write(&l, scratch_fd, "7", RUN) == 0);
	ok(reload_find(&s, scratch_fd, NULL));
	is_number(s.agent.pid, self.pid);
	is_number(s.place.pane_pid, 99);
	ok(reload_find(&s, scratch_fd, &pane));
	is_number(s.place.pane_pid, getppid());
	ok(!reload_find(&s, scratch_fd, &pane));
	status_release(&s);
}

TEST(no_issue_is_called_like_a_pane) {
	char key[RELOAD_KEY];

	reload_pane_key(key, 123, "%45");
	is_text(key, "_pane-123-45");
	ok(!issue_valid(key));
}
