#include "queue/seen.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/issue.h"
#include "os/file.h"

enum { SEEN_MAX = 256 };

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

/* The word follows the episode in the file. */
enum seen
seen_read(int state_fd, const char *issue, const char *episode)
{
	size_t len = strlen(episode);
	char name[ISSUE_FILE];
	struct buf text = BUF_INIT;
	const char *word;
	enum seen seen;

	if (file_read(state_fd, issue_file(name, issue, "seen"),
	    FILE_NOFOLLOW, &text, SEEN_MAX) == -1)
		buf_reset(&text);
	word = strncmp(buf_str(&text), episode, len) == 0 ?
	    buf_str(&text) + len : "";
	seen = strcmp(word, " seen\n") == 0 ? SEEN_ONCE :
	    strcmp(word, " forgotten\n") == 0 ? SEEN_FORGOTTEN : SEEN_NOT;
	buf_release(&text);
	return seen;
}

int
seen_write(int state_fd, const char *issue, const char *episode,
    enum seen seen)
{
	char name[ISSUE_FILE];
	struct buf text = BUF_INIT;
	int ret;

	buf_printf(&text, "%s %s\n", episode, seen == SEEN_ONCE ? "seen" :
	    "forgotten");
	ret = file_replace(state_fd, issue_file(name, issue, "seen"),
	    text.data, text.len, 0600);
	buf_release(&text);
	return ret;
}
