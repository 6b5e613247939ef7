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
	pattern_free(r->choice);
	pattern_free(r->box);
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
	*place = s->ours ? pattern_later(value->valuestring) :
	    pattern_new(value->valuestring, why, sizeof(why));
	return *place != NULL ? 0 : strict_refuse(s, value, ": pattern '%s' "
	    "does not compile: %s", value->valuestring, why);
}

/* Has the pattern that group, and "text"? */
static int
dialogrules_line(struct strict *s, const struct strict_row *row, void *field,
    const cJSON *value, const char *group)
{
	struct pattern **place = field;

	if (dialogrules_pattern(s, row, field, value) == -1)
		return -1;
	return s->ours || (pattern_has_group(*place, group) &&
	    pattern_has_group(*place, "text")) ? 0 : strict_refuse(s, value,
	    " lacks the group (?<%s>...) or (?<text>...)", group);
}

int
dialogrules_highlight(struct strict *s, const struct strict_row *row,
    void *field, const cJSON *value)
{
	return dialogrules_line(s, row, field, value, "mark");
}

int
dialogrules_choice(struct strict *s, const struct strict_row *row,
    void *field, const cJSON *value)
{
	return dialogrules_line(s, row, field, value, "key");
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
