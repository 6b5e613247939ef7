#include "run/self.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "scratch.h"

static const char RUN[] = "0123abcd-1111-4222-8333-444444444444";
static const char OTHER[] = "0123abcd-1111-4222-8333-555555555555";

/* The record of issue 7 in the status directory. */
static void
write_record(const char *pane, const char *session)
{
	int fd = open(scratch_path("status/.paneward"), O_RDONLY | O_CLOEXEC);
	struct status r;

	status_init(&r, "7");
	memcpy(r.run, RUN, sizeof(RUN));
	r.marker = xstrdup("DONE");
	r.place.socket = xstrdup("/s");
	r.place.server = 4;
	snprintf(r.place.pane, sizeof(r.place.pane), "%s", pane);
	r.agent.session = xstrdup(session);
	ok(status_write(&r, fd) == 0);
	status_release(&r);
	close(fd);
}

static void
set_environment(const char *issue, const char *run, const char *pane)
{
	setenv("PANEWARD_STATUS_DIR", scratch_path("status"), 1);
	setenv("PANEWARD_ISSUE", issue, 1);
	setenv("PANEWARD_RUN", run, 1);
	setenv("TMUX_PANE", pane, 1);
	unsetenv("TMUX");
}

static void
finds(enum self_how how, const char *session, int want, const char *run,
    const char *marker)
{
	struct buf why = BUF_INIT;
	struct self s;
	int found;

	found = self_find(&s, how, scratch, &why);
	if (found == 0) {
		self_release(&s);
		found = self_find_session(&s, scratch, session, &why);
	}
	is_number(found, want);
	is_text(s.issue, want == 1 ? "7" : "");
	is_text(s.run, run);
	is_text(s.record.marker, marker);
	is_text(buf_str(&why), "");
	ok(!s.unsure);
	self_release(&s);
	buf_release(&why);
}

TEST(the_environment_says_which) {
	set_environment("7", RUN, "%1");
	finds(SELF_ENVIRONMENT, NULL, 1, RUN, "DONE");
	finds(SELF_ALL, "another", 1, RUN, "DONE");
}

TEST(without_a_run_it_is_the_recorded_one) {
	set_environment("7", "", "%1");
	finds(SELF_ENVIRONMENT, NULL, 1, RUN, "DONE");
}

TEST(the_record_of_another_run_is_none_of_ours) {
	set_environment("7", OTHER, "%1");
	finds(SELF_ENVIRONMENT, NULL, 1, OTHER, NULL);
}

TEST(a_run_that_lives_in_our_pane_is_ours) {
	set_environment("7", OTHER, "%5");
	setenv("TMUX", "/s,4,0", 1);
	finds(SELF_ENVIRONMENT, NULL, 1, RUN, "DONE");
}

TEST(a_later_server_has_the_same_panes_again) {
	set_environment("7", OTHER, "%5");
	setenv("TMUX", "/s,6,0", 1);
	finds(SELF_ENVIRONMENT, NULL, 1, OTHER, NULL);
	setenv("PANEWARD_RUN", "", 1);
	finds(SELF_ALL, NULL, 1, "", NULL);
}

TEST(an_agent_in_another_pane_may_be_a_new_run) {
	set_environment("7", "", "%1");
	setenv("TMUX", "/s,4,0", 1);
	finds(SELF_ALL, NULL, 1, "", NULL);
	setenv("TMUX_PANE", "%5", 1);
	finds(SELF_ALL, NULL, 1, RUN, "DONE");
	unsetenv("TMUX_PANE");
	finds(SELF_ALL, NULL, 1, RUN, "DONE");
}

TEST(without_an_issue_there_is_none) {
	set_environment("", RUN, "%5");
	finds(SELF_OPTIONS, NULL, 0, "", NULL);
	set_environment("../7", RUN, "%5");
	finds(SELF_ALL, NULL, 0, "", NULL);
}

TEST(an_agents_session_is_in_the_record) {
	set_environment("", "", "%1");
	finds(SELF_ALL, "abc", 1, RUN, "DONE");
	finds(SELF_ALL, "abcd", 0, "", NULL);
}

TEST(a_torn_record_makes_unsure) {
	struct buf why = BUF_INIT;
	struct self s;

	scratch_write("status/.paneward/7.json", "{");
	set_environment("7", RUN, "%1");
	is_number(self_find(&s, SELF_ENVIRONMENT, scratch, &why), 1);
	ok(s.unsure);
	is_text(buf_str(&why), "cannot read the status record of issue '7': "
	    "it is torn");
	self_release(&s);
	buf_release(&why);
}

BEFORE_TESTS {
	scratch_folder("status/.paneward");
	ok(chmod(scratch_path("status"), 0700) == 0);
	write_record("%5", "abc");
}
