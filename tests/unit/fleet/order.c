#include "fleet/work/work.h"

#include <string.h>

#include "base/argv.h"
#include "tap.h"

static struct order
parsed(const char *text)
{
	struct order o;

	ok(order_adopt(&o, json_parse(text, strlen(text), false, NULL)));
	return o;
}

static bool
refused(const char *text)
{
	struct order o;

	return !order_adopt(&o, json_parse(text, strlen(text), false,
	    NULL)) && o.json == NULL;
}

TEST(what_is_no_order_is_refused) {
	ok(refused("{"));
	ok(refused("[]"));
	ok(refused("{\"issue\":\"1\"}"));
	ok(refused("{\"issue\":\"../1\",\"repository\":\"r\"}"));
	ok(refused("{\"issue\":1,\"repository\":\"r\"}"));
}

TEST(its_place_is_that_of_its_first_version) {
	struct order o = parsed("{\"issue\":\"1\",\"repository\":\"r\"}");

	o.revision = 40;
	ok(order_number(&o) == 40);
	order_release(&o);
	o = parsed("{\"issue\":\"1\",\"repository\":\"r\",\"number\":7,"
	    "\"submitted\":9}");
	o.revision = 40;
	ok(order_number(&o) == 7 &&
	    json_number(o.json, "submitted", o.time) == 9);
	order_release(&o);
}

static bool
waits(const struct order *o, const char *host, char **labels)
{
	return order_waits(o, &(struct fleetrules){
	    .host = (char *)(uintptr_t)host, .labels = labels });
}

TEST(a_host_needs_every_label) {
	struct order o = parsed("{\"issue\":\"1\",\"repository\":\"r\","
	    "\"labels\":[\"gpu\",\"linux\"]}");
	char **labels = argv_add(NULL, "gpu");

	ok(!waits(&o, "alpha", NULL));
	ok(!waits(&o, "alpha", labels));
	labels = argv_add(labels, "linux");
	ok(waits(&o, "alpha", labels));
	argv_free(labels);
	order_release(&o);
}

TEST(what_a_host_leaves_is_named_to_the_next) {
	struct order o = parsed("{\"issue\":\"1\",\"repository\":\"r\"}");
	const struct json *before;

	order_take(&o, "alpha", 17);
	ok(order_under(&o, "work", "alpha", 17));
	order_set(json_member(o.json, "work"), "run", "run-a");
	order_set(json_member(o.json, "work"), "tree", "/tree");
	order_take(&o, "beta", 19);
	is_text(order_part(&o, "work", "host"), "beta");
	ok(order_under(&o, "work", "beta", 19));
	before = json_at(json_member(o.json, "before"), 0);
	is_text(json_text(before, "host"), "alpha");
	is_text(json_text(before, "tree"), "/tree");
	order_release(&o);
}

TEST(a_hand_off_keeps_others_away_until_it_is_freed) {
	struct order o = parsed("{\"issue\":\"1\",\"repository\":\"r\"}");

	ok(!order_handing(&o) && !order_over(&o));
	order_handoff(&o, "alpha", 17, "run-a", "begun");
	ok(order_handing(&o));
	order_free(&o);
	ok(!order_handing(&o));
	order_set(o.json, "state", "done");
	ok(order_over(&o));
	order_release(&o);
}

TEST(a_failed_start_counts_for_its_host) {
	struct order o = parsed("{\"issue\":\"1\",\"repository\":\"r\"}");

	order_fail(&o, "alpha", "no such backend");
	ok(!waits(&o, "alpha", NULL));
	ok(waits(&o, "beta", NULL));
	order_release(&o);
}
