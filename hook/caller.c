#include "hook/caller.h"

#include <string.h>
#include <unistd.h>

#include "base/argv.h"
#include "os/proc.h"
#include "os/shell.h"

/* Is it a shell with a command line?  Some systems only tell the name. */
static bool
runs_command(pid_t pid)
{
	char name[EVENT_WORD], **words;
	bool command;

	proc_name(pid, name, sizeof(name));
	if (!shell_known(name))
		return false;
	words = proc_words(pid);
	command = words == NULL || (argv_count(words) > 1 &&
	    words[1][0] == '-' && strchr(words[1], 'c') != NULL);
	argv_free(words);
	return command;
}

unsigned
caller_find(struct event_process *list, unsigned most)
{
	pid_t pid = getppid();
	struct proc p;
	unsigned n = 0;

	for (; n < most && pid > 1 && proc_read(&p, pid) == 0; pid = p.parent)
		if (n > 0 || !runs_command(pid))
			list[n++] = (struct event_process){ pid, p.start };
	return n;
}
