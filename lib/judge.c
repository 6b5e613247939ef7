#include "judge.h"

static bool
judge_default(const struct evidence *ev, struct verdict *v)
{
	if (ev->pane != PANE_LIVES || ev->agent_ended)
		return false;
	verdict_why(v, "the agent's process lives");
	v->state = STATE_WORKING;
	v->source = SOURCE_PROCESS;
	return true;
}

bool
judge(const struct judge_walk *w, struct evidence *ev, struct verdict *v)
{
	struct verdict answer;
	bool decided = false, asked, told;
	size_t i;

	*v = (struct verdict){ 0 };
	for (i = 0; i < chain_length && (!decided || w->tell != NULL); i++) {
		answer = (struct verdict){ 0 };
		asked = w->gather(w->context, ev, chain[i].needs);
		told = asked && chain[i].look(ev, &answer);
		if (w->tell != NULL)
			w->tell(w->context, &chain[i], ev, asked,
			    told ? &answer : NULL);
		if (told && !decided) {
			*v = answer;
			decided = true;
		}
	}
	return decided || judge_default(ev, v);
}
