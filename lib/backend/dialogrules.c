#include "backend/dialogrules.h"

#include <stdlib.h>

#include "base/text.h"

void
dialogrules_release(struct dialogrules *r)
{
	free(r->asks);
	pattern_free(r->yes);
	pattern_free(r->no);
	pattern_free(r->own);
	pattern_free(r->shows);
	pattern_free(r->field);
	pattern_free(r->highlight);
	free(r->yes_key);
	free(r->no_key);
	*r = (struct dialogrules){ .asks = NULL };
}

int
dialogrules_pattern(struct strict *s, const struct strict_row *row,
    void *field, const cJSON *value)
{
	struct pattern **place = field;
	char why[160];

	if (strict_ignored(s, row, field, value) == -1)
		return -1;
	pattern_free(*place);
	*place = pattern_new(value->valuestring, why, sizeof(why));
	return *place != NULL ? 0 : strict_refuse(s, value, ": pattern '%s' "
	    "does not compile: %s", value->valuestring, why);
}

int
dialogrules_groups(struct strict *s, const cJSON *value,
    const struct pattern *pattern, const char *one, const char *other)
{
	if (pattern_has_group(pattern, one) &&
	    pattern_has_group(pattern, other))
		return 0;
	return strict_refuse(s, value, " lacks the group (?<%s>...) or "
	    "(?<%s>...)", one, other);
}

int
dialogrules_highlight(struct strict *s, const struct strict_row *row,
    void *field, const cJSON *value)
{
	struct pattern **place = field;

	return dialogrules_pattern(s, row, field, value) == -1 ? -1 :
	    dialogrules_groups(s, value, *place, "mark", "text");
}

/* Letters, digits and '-': it stands in a command of tmux. */
int
dialogrules_key(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value)
{
	const char *p = cJSON_GetStringValue(value);

	while (p != NULL && (text_alnum(*p) || *p == '-'))
		p++;
	if (p == NULL || *p != '\0')
		return strict_refuse(s, value, " is not the name of a key");
	return strict_filled(s, row, field, value);
}
