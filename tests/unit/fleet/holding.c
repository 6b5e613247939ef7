#include "fleet/work/work.h"

#include "fakestore.h"
#include "scratch.h"

#define KEY "r.7"

static struct place here = { .lock = LOCK_INIT };
static struct buf why;

/* Another host, in few words. */

static const char theirs[] = "{\"issue\":\"7\",\"repository\":\"r\","
    "\"work\":{\"host\":\"beta\",\"token\":%d}}";

static uint64_t
order_write(const char *text)
{
	uint64_t revision;

	fake_write(STORE_BACKLOG, KEY, text, STORE_ANY, false, &revision);
	return revision;
}

static void
submitted(void)
{
	order_write("{\"issue\":\"7\",\"repository\":\"r\"}");
}

static void
beta_takes(unsigned token)
{
	char text[200];
	uint64_t revision;

	fake_write(STORE_LEASES, KEY, "{\"host\":\"beta\"}", STORE_ANY, false,
	    &revision);
	snprintf(text, sizeof(text), theirs, (int)(token != 0 ? token :
	    revision));
	order_write(text);
}

static const char *
order_has(const char *part, const char *name)
{
	static struct order o;

	order_release(&o);
	order_adopt(&o, json_parse(fake_value(STORE_BACKLOG, KEY),
	    strlen(fake_value(STORE_BACKLOG, KEY)), false, NULL));
	return order_part(&o, part, name);
}

/* A host alpha without a lease file, an old bucket, and an issue that waits. */
static void
begin(void)
{
	fake_begin("alpha");
	here.context.dir.state_fd = scratch_fd;
	buf_reset(&here.repository);
	buf_adds(&here.repository, "r");
	lease_remove(scratch_fd, "7");
	buf_reset(&why);
	submitted();
}

static struct holding
taken(void)
{
	struct holding h;

	begin();
	ok(holding_take(&h, &fake_link, &here, KEY, &why) == HOLDING_DONE);
	return h;
}

/* Our clock and the server's go on by so much, as the lease has it. */
static void
passes(struct holding *h, msec time)
{
	fake_now += time;
	h->lease.deadline -= time;
	h->lease.over -= time;
	if (h->lease.token != 0)
		lease_write(&h->lease, scratch_fd, "7");
}

/* ---- taking ---------------------------------------------------------------- */

TEST(an_issue_that_is_taken_has_a_lease_on_the_server_in_the_order_and_on_disk) {
	struct holding h = taken();
	struct lease l;

	is_text(order_has("work", "host"), "alpha");
	ok(fake_value(STORE_LEASES, KEY) != NULL);
	is_number(lease_read(&l, scratch_fd, "7"), 1);
	ok(l.token == h.lease.token && l.deadline == h.lease.deadline);
	is_number(h.lasts, 60000);
	ok(l.deadline <= lease_now() + 48000 &&
	    l.deadline > lease_now() + 40000);
	holding_release(&h);
}

TEST(a_lease_of_another_host_is_left_alone) {
	struct holding h;

	begin();
	beta_takes(0);
	ok(holding_take(&h, &fake_link, &here, KEY, &why) == HOLDING_TAKEN);
	is_text(order_has("work", "host"), "beta");
	ok(fake_value(STORE_LEASES, KEY) != NULL);
	holding_release(&h);
}

TEST(a_lease_that_was_given_back_can_be_taken) {
	struct holding h = taken();

	holding_give_back(&h, &fake_link);
	ok(fake_value(STORE_LEASES, KEY) == NULL);
	holding_release(&h);
	ok(holding_take(&h, &fake_link, &here, KEY, &why) == HOLDING_DONE);
	holding_release(&h);
}

TEST(an_issue_whose_handoff_has_begun_is_left_alone) {
	struct holding h;

	begin();
	order_write("{\"issue\":\"7\",\"repository\":\"r\",\"handoff\":"
	    "{\"host\":\"beta\",\"run\":\"b\",\"state\":\"begun\"}}");
	ok(holding_take(&h, &fake_link, &here, KEY, &why) == HOLDING_TAKEN);
	ok(fake_value(STORE_LEASES, KEY) == NULL);
	ok(order_has("work", "host") == NULL);
	holding_release(&h);
}

TEST(a_young_bucket_gives_no_lease_to_a_host_without_one) {
	struct holding h;

	begin();
	fake_wipe(STORE_LEASES);
	fake_now += 60000;
	ok(holding_take(&h, &fake_link, &here, KEY, &why) == HOLDING_EARLY);
	ok(order_has("work", "host") == NULL);
	holding_release(&h);
	fake_now++;
	ok(holding_take(&h, &fake_link, &here, KEY, &why) == HOLDING_DONE);
	holding_release(&h);
}

/* The store is lost while the host takes the issue, which it does not notice:
 * another one may have a lease that the new bucket does not know. */
static void
wiped_under_us(void)
{
	fake_wipe(STORE_LEASES);
}

TEST(a_bucket_that_is_made_anew_meanwhile_is_young) {
	struct holding h;

	begin();
	fake_at = 1;
	fake_act = wiped_under_us;
	ok(holding_take(&h, &fake_link, &here, KEY, &why) == HOLDING_EARLY);
	holding_release(&h);
}

/* The first host sets the lease for all; a new bucket may have another one. */
TEST(a_lease_lasts_as_the_bucket_that_has_it_says) {
	struct holding h;

	begin();
	fake_buckets[STORE_LEASES].lasts = 10000;
	ok(holding_take(&h, &fake_link, &here, KEY, &why) == HOLDING_DONE);
	is_number(h.lasts, 10000);
	ok(h.lease.over <= lease_now() + 10000);
	holding_release(&h);
}

/* The process was stopped between the lease and the order for longer than the
 * lease: beta has the issue by now. */
static void
beta_has_it_by_now(void)
{
	fake_now += 100000;
	beta_takes(0);
}

static struct lease *stopped;

static void
stopped_for_long(void)
{
	beta_has_it_by_now();
	stopped->deadline -= 100000;
	stopped->over -= 100000;
}

TEST(a_host_that_was_stopped_while_it_took_an_issue_does_not_take_it_back) {
	struct holding h;
	unsigned call;

	for (call = 3; call <= 4; call++) {
		begin();
		stopped = &h.lease;
		fake_at = call;
		fake_act = stopped_for_long;
		ok(holding_take(&h, &fake_link, &here, KEY, &why) !=
		    HOLDING_DONE);
		is_text(order_has("work", "host"), "beta");
		ok(strstr(fake_value(STORE_LEASES, KEY), "beta") != NULL);
		holding_release(&h);
	}
}

/* Whatever call is not answered, the next try has the issue or may have it
 * after the time of a lease. */
TEST(a_call_without_an_answer_takes_nothing_for_good) {
	struct holding h;
	enum holding_end end = HOLDING_FAILED;
	unsigned call, lost;

	for (lost = 0; lost < 2; lost++)
		for (call = 1; call <= 4; call++) {
			begin();
			*(lost ? &fake_loses : &fake_fails) = call;
			end = holding_take(&h, &fake_link, &here, KEY, &why);
			ok(end == HOLDING_FAILED || end == HOLDING_DONE);
			holding_release(&h);
			if (end == HOLDING_DONE)
				continue;
			fake_now += 60001;
			end = holding_take(&h, &fake_link, &here, KEY, &why);
			ok(end == HOLDING_DONE);
			holding_release(&h);
		}
}

/* ---- having ---------------------------------------------------------------- */

TEST(a_renewal_moves_the_deadline) {
	struct holding h = taken();
	struct lease l;

	passes(&h, 20000);
	is_number(holding_renew(&h, &fake_link, &why), 0);
	ok(lease_read(&l, scratch_fd, "7") == 1 &&
	    l.deadline > lease_now() + 40000);
	ok(l.token == h.lease.token && l.revision != l.token);
	holding_release(&h);
}

TEST(a_renewal_whose_answer_was_lost_is_found) {
	struct holding h = taken();

	passes(&h, 20000);
	fake_loses = fake_calls + 1;
	is_number(holding_renew(&h, &fake_link, &why), -1);
	ok(!h.gone && h.lease.deadline < lease_now() + 40000);
	is_number(holding_renew(&h, &fake_link, &why), 0);
	ok(h.lease.deadline > lease_now() + 40000);
	holding_release(&h);
}

/* The server has it a fifth longer.  But the agent is being ended. */
TEST(a_lease_that_is_over_here_is_not_renewed) {
	struct holding h = taken();

	passes(&h, 50000);
	is_number(holding_renew(&h, &fake_link, &why), -1);
	ok(!h.gone && !h.lapsed);
	ok(holding_lapse(&h) && !holding_lapse(&h) && h.lapsed);
	holding_release(&h);
}

/* Its work is done and waits for its hand-off. */
TEST(what_lapsed_gets_its_lease_again_if_no_other_host_has_it) {
	struct holding h = taken();
	uint64_t token = h.lease.token;

	passes(&h, 70000);
	ok(holding_lapse(&h));
	is_number(holding_renew(&h, &fake_link, &why), 0);
	ok(!h.lapsed && !h.gone && h.lease.token != token);
	ok(order_under(&h.order, "work", "alpha", h.lease.token));
	holding_release(&h);
}

TEST(what_lapsed_is_gone_if_another_host_has_it) {
	struct holding h = taken();

	passes(&h, 70000);
	holding_lapse(&h);
	beta_takes(0);
	is_number(holding_renew(&h, &fake_link, &why), -1);
	ok(h.gone);
	is_text(order_has("work", "host"), "beta");
	ok(strstr(fake_value(STORE_LEASES, KEY), "beta") != NULL);
	holding_release(&h);
}

TEST(a_lost_store_gets_order_and_lease_again) {
	struct holding h = taken();

	passes(&h, 10000);
	fake_wipe(STORE_LEASES);
	fake_wipe(STORE_BACKLOG);
	is_number(holding_renew(&h, &fake_link, &why), 0);
	is_text(order_has("work", "host"), "alpha");
	ok(fake_value(STORE_LEASES, KEY) != NULL && !h.gone);
	ok(order_under(&h.order, "work", "alpha", h.lease.token));
	holding_release(&h);
}

TEST(a_lost_store_gets_nothing_from_a_host_whose_lease_was_over) {
	struct holding h = taken();

	passes(&h, 50000);
	holding_lapse(&h);
	fake_wipe(STORE_LEASES);
	fake_wipe(STORE_BACKLOG);
	is_number(holding_renew(&h, &fake_link, &why), -1);
	ok(h.gone && fake_value(STORE_BACKLOG, KEY) == NULL);
	holding_release(&h);
}

/* A new bucket counts from 1 again: beta's lease can have our token. */
TEST(a_token_of_another_host_is_not_ours) {
	struct holding h = taken();

	passes(&h, 70000);
	holding_lapse(&h);
	fake_wipe(STORE_LEASES);
	beta_takes((unsigned)h.lease.token);
	ok(fake_find(STORE_LEASES, KEY)->revision == h.lease.token);
	is_number(holding_renew(&h, &fake_link, &why), -1);
	ok(h.gone);
	ok(strstr(fake_value(STORE_LEASES, KEY), "beta") != NULL);
	holding_release(&h);
}

TEST(an_order_that_a_person_released_is_gone) {
	struct holding h = taken();

	submitted();
	is_number(holding_reread(&h, &fake_link, &why), -1);
	ok(h.gone && why.len > 0);
	holding_release(&h);
}

/* The record with the run has not been read yet. */
TEST(a_handoff_that_began_early_is_ours) {
	struct holding h = taken();

	order_handoff(&h.order, "alpha", h.lease.token, "run 1", "begun");
	ok(order_put(&fake_link, KEY, &h.order, &why) == STORE_DONE);
	is_number(holding_reread(&h, &fake_link, &why), 0);
	ok(!h.gone);
	order_handoff(&h.order, "alpha", h.lease.token + 1, "run 2", "begun");
	ok(order_put(&fake_link, KEY, &h.order, &why) == STORE_DONE);
	is_number(holding_reread(&h, &fake_link, &why), -1);
	ok(h.gone);
	holding_release(&h);
}

/* ---- a worker that was killed ----------------------------------------------- */

TEST(the_next_worker_finds_it) {
	struct holding h = taken(), again;

	is_number(holding_find(&again, &fake_link, &here, "7", 60000, &why), 1);
	ok(!again.lapsed && again.lease.token == h.lease.token);
	holding_release(&again);
	fake_fails = fake_calls + 1;
	is_number(holding_find(&again, &fake_link, &here, "7", 60000, &why),
	    -1);
	holding_release(&again);
	beta_takes(0);
	is_number(holding_find(&again, &fake_link, &here, "7", 60000, &why), 0);
	holding_release(&again);
	holding_release(&h);
}
