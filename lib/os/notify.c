#include "os/notify.h"

#include "os/file.h"

void
notify_free(struct notify *n)
{
	if (n == NULL)
		return;
	while (n->count > 0)
		file_close(n->rows[--n->count].fd);
	file_close(n->fd);
	free(n->rows);
	free(n);
}
