#include "os/pager.h"

#include <stdlib.h>

#include "os/spawn.h"
#include "os/usercommand.h"

char **
pager_words(const char *less)
{
	const char *pager = getenv("PAGER");
	char *found = NULL, **words;

	setenv("LESS", less, 0);
	if (pager == NULL || pager[0] == '\0') {
		found = spawn_find("less");
		pager = found != NULL ? found : "more";
	}
	words = usercommand_parse(pager, ".");
	free(found);
	return words;
}
