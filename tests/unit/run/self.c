#include "run/self.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "scratch.h"

#define RUN "0123abcd-1111-4222-8333-444444444444"
#define OTHER "0123abcd-1111-4222-8333-555555555555"

static void
set(const char *name, const char *value)
{
	if (value != NULL)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* tests/system/records.sh finds agents by panes and sessions. */
TEST(an_agent_finds_its_issue_and_run) {
	static const struct {
		const char   *name, *issue, *env_run, *pane, *tmux;
		enum self_how how;
		const char   *run, *marker;             /* run: found */
	} rows[] = {
	{ "without a run it is the recorded one", "7", "", "%1", NULL,
	    SELF_ENVIRONMENT, RUN, "DONE" },
	{ "the record of another run is none of ours", "7", OTHER, "%1", NULL,
	    SELF_ENVIRONMENT, OTHER, NULL },
	{ "a run that lives in our pane is ours", "7", OTHER, "%5", "/s,4,0",
	    SELF_ENVIRONMENT, RUN, "DONE" },
	{ "a later server has the same panes again", "7", OTHER, "%5",
	    "/s,6,0", SELF_ENVIRONMENT, OTHER, NULL },
	{ "of which no run is known", "7", "", "%5", "/s,6,0",
	    SELF_ALL, "", NULL },
	{ "an agent in another pane may be a new run", "7", "", "%1",
	    "/s,4,0", SELF_ALL, "", NULL },
	{ "not in the same one", "7", "", "%5", "/s,4,0",
	    SELF_ALL, RUN, "DONE" },
	{ "nor in an unknown one", "7", "", NULL, "/s,4,0",
	    SELF_ALL, RUN, "DONE" },
	{ "without an issue there is none", "", RUN, "%5", NULL,
	    SELF_OPTIONS, NULL, NULL },
	{ "nor by a path", "../7", RUN, "%5", NULL, SELF_ALL, NULL, NULL },
	};
	struct buf why = BUF_INIT;
	struct self s;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ROW("%s", rows[i].name);
		set("PANEWARD_ISSUE", rows[i].issue);
		set("PANEWARD_RUN", rows[i].env_run);
		set("TMUX_PANE", rows[i].pane);
		set("TMUX", rows[i].tmux);
		is_number(self_find(&s, rows[i].how, scratch, &why),
		    rows[i].run != NULL);
		is_text(s.issue, rows[i].run ? "7" : "");
		is_text(s.run, rows[i].run ? rows[i].run : "");
		is_text(s.record.marker, rows[i].marker);
		is_text(buf_str(&why), "");
		ok(!s.unsure);
		self_release(&s);
	}
	buf_release(&why);
}

TEST(a_torn_record_makes_unsure) {
	struct buf why = BUF_INIT;
	struct self s;

	scratch_write("status/.paneward/7.json", "{");
	set("PANEWARD_ISSUE", "7");
	set("PANEWARD_RUN", RUN);
	is_number(self_find(&s, SELF_ENVIRONMENT, scratch, &why), 1);
	ok(s.unsure);
	is_text(buf_str(&why), "cannot read the status record of issue '7': "
	    "it is torn");
	self_release(&s);
	buf_release(&why);
}

BEFORE_TESTS {
	struct status r;
	int fd;

	set("PANEWARD_STATUS_DIR", scratch_path("status"));
	scratch_folder("status/.paneward");
	ok(chmod(scratch_path("status"), 0700) == 0);
	status_init(&r, "7");
	memcpy(r.run, RUN, sizeof(RUN));
	r.marker = xstrdup("DONE");
	r.place.socket = xstrdup("/s");
	r.place.server = 4;
	strcpy(r.place.pane, "%5");
	fd = open(scratch_path("status/.paneward"), O_RDONLY | O_CLOEXEC);
	ok(status_write(&r, fd) == 0);
	status_release(&r);
	close(fd);
}
