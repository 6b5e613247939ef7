#include "os/userfolder.h"

#include "scratch.h"

enum { ROUNDS = 40, TOGETHER = 8 };

/* So many processes make the folder at the same time; how many had it? */
static int
made_together(void)
{
	int gate[2], status, i, had = 0;
	char word;

	ok(pipe(gate) == 0);
	fflush(stdout);
	for (i = 0; i < TOGETHER; i++)
		if (fork() == 0) {
			close(gate[1]);
			_exit(read(gate[0], &word, 1) == 0 &&
			    userfolder_state("panes", true) != -1 ? 0 : 1);
		}
	close(gate[0]);
	close(gate[1]);
	for (i = 0; i < TOGETHER; i++)
		had += wait(&status) > 0 && status == 0;
	ok(unlinkat(scratch_fd, "paneward/panes", AT_REMOVEDIR) == 0);
	return had;
}

TEST(two_processes_may_make_it_at_once) {
	int i;

	for (i = 0; i < ROUNDS; i++)
		if (made_together() != TOGETHER)
			break;
	is_number(i, ROUNDS);
}
