#include "fleet/work/work.h"

#include "base/argv.h"
#include "fakestore.h"
#include "tap.h"

static struct offers offers;
static uint64_t sequence;

static void
comes(const char *key, const char *members)
{
	char *subject = xasprintf("$KV.PANEWARD_BACKLOG.%s", key);
	char *data = xasprintf("{\"issue\":\"%s\",\"repository\":\"r\"%s}",
	    strchr(key, '.') + 1, members);

	offers_take(&offers, &(struct link_message){ .subject = subject,
	    .data = data, .len = strlen(data), .sequence = ++sequence },
	    &fake_rules);
	free(subject);
	free(data);
}

/* Their keys, in their order. */
static const char *
keys(void)
{
	static struct buf text;
	size_t i;

	buf_reset(&text);
	for (i = 0; i < offers.n; i++)
		buf_printf(&text, "%s ", offers.v[i].key);
	return buf_str(&text);
}

static void
begin(void)
{
	offers_release(&offers);
	fake_begin("alpha");
	sequence = 0;
}

TEST(the_oldest_is_first_whatever_changed_last) {
	begin();
	comes("r.a", "");
	comes("r.b", "");
	comes("r.c", "");
	is_text(keys(), "r.a r.b r.c ");
	comes("r.a", ",\"number\":1");
	is_text(keys(), "r.a r.b r.c ");
	comes("r.d", ",\"number\":2");
	is_text(keys(), "r.a r.b r.d r.c ");
}

TEST(what_is_not_for_this_host_is_no_offer) {
	begin();
	comes("r.a", ",\"state\":\"done\"");
	comes("r.b", ",\"handoff\":{\"state\":\"begun\"}");
	comes("r.c", ",\"failed\":[{\"host\":\"alpha\"}]");
	comes("r.d", ",\"labels\":[\"gpu\"]");
	is_text(keys(), "");
	fake_rules.labels = argv_add(NULL, "gpu");
	comes("r.d", ",\"labels\":[\"gpu\"]");
	comes("r.e", ",\"failed\":[{\"host\":\"beta\"}]");
	is_text(keys(), "r.d r.e ");
	argv_free(fake_rules.labels);
	fake_rules.labels = NULL;
}

TEST(what_is_closed_or_deleted_leaves) {
	begin();
	comes("r.a", "");
	comes("r.b", "");
	comes("r.a", ",\"state\":\"closed\"");
	is_text(keys(), "r.b ");
	offers_take(&offers, &(struct link_message){ .gone = true, .subject =
	    (char *)(uintptr_t)"$KV.PANEWARD_BACKLOG.r.b" }, &fake_rules);
	is_text(keys(), "");
}

TEST(what_is_no_order_is_none) {
	begin();
	comes("r.a", "");
	comes("r.a", ",");
	comes("r...", "");
	offers_take(&offers, &(struct link_message){ .subject =
	    (char *)(uintptr_t)"paneward.x", .data = NULL }, &fake_rules);
	is_text(keys(), "");
}

/* Else each step of a host would make all others ask for its lease. */
TEST(a_change_by_its_host_is_no_reason_to_try_it) {
	begin();
	comes("r.a", "");
	offers.v[0].later = 5000;
	comes("r.a", ",\"work\":{\"host\":\"beta\"}");
	is_number(offers.v[0].later, 5000);
	is_text(offers.v[0].host, "beta");
	comes("r.a", "");
	is_number(offers.v[0].later, 0);
	ok(offers.v[0].host == NULL);
}

AFTER_TESTS {
	offers_release(&offers);
}
