#include "tmux/paneref.h"

#include "base/base.h"

const char *
pane_ref_name(char word[PANE_REF_NAME], const struct pane_ref *p)
{
	word[0] = '\0';
	if (p->socket != NULL)
		snprintf(word, PANE_REF_NAME, "%ld%s", (long)p->server,
		    p->pane);
	return word;
}

void
pane_ref_release(struct pane_ref *p)
{
	free(p->socket);
	*p = (struct pane_ref){ 0 };
}
