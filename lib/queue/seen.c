#include "queue/seen.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/issue.h"
#include "os/file.h"

enum { SEEN_MAX = 256 };

/* What follows the episode in the file. */
static const char *const seen_words[] = {
	[SEEN_ONCE]      = "seen",
	[SEEN_FORGOTTEN] = "forgotten",
};

void
seen_episode(char episode[SEEN_EPISODE], const struct status *s)
{
	enum handoff_state h = s->handoff.state;
	bool refused = h == HANDOFF_FAILED || h == HANDOFF_REFUSED;

	if (s->run[0] != '\0')
		snprintf(episode, SEEN_EPISODE, "%s %lld%s%s", s->run,
		    (long long)s->since, refused ? " " : "",
		    refused ? handoff_states[h] : "");
	else
		snprintf(episode, SEEN_EPISODE, "%ld/%llu %s %lld",
		    (long)s->agent.pid, (unsigned long long)s->agent.start,
		    state_name(s->verdict.state), (long long)s->since);
}

static void
seen_print(struct buf *out, const char *episode, enum seen seen)
{
	buf_printf(out, "%s %s\n", episode, seen_words[seen]);
}

enum seen
seen_read(int state_fd, const char *issue, const char *episode)
{
	char name[ISSUE_FILE];
	struct buf text = BUF_INIT, wanted = BUF_INIT;
	enum seen seen = SEEN_NOT, each;

	if (file_read(state_fd, issue_file(name, issue, "seen"),
	    FILE_NOFOLLOW, &text, SEEN_MAX) == -1)
		buf_reset(&text);
	for (each = SEEN_ONCE; each <= SEEN_FORGOTTEN && text.len > 0;
	    each++) {
		buf_reset(&wanted);
		seen_print(&wanted, episode, each);
		if (buf_same(&text, &wanted))
			seen = each;
	}
	buf_release(&text);
	buf_release(&wanted);
	return seen;
}

int
seen_write(int state_fd, const char *issue, const char *episode,
    enum seen seen)
{
	char name[ISSUE_FILE];
	struct buf text = BUF_INIT;
	int ret;

	seen_print(&text, episode, seen);
	ret = file_replace(state_fd, issue_file(name, issue, "seen"),
	    text.data, text.len, 0600);
	buf_release(&text);
	return ret;
}
