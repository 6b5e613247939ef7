/*
 * tests/fleet/leases.sh and work.sh have what becomes of the agent.
 */
#include "fleet/work/work.h"

#include "fakestore.h"
#include "unit/children.h"

#define KEY "r.7"

static struct place here = { .lock = LOCK_INIT };
static struct holding h;
static struct buf why;

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
	fake_order(KEY, "");
}

static const char *
take(void)
{
	static const char *const ends[] = { [HOLDING_DONE] = "done",
	    [HOLDING_TAKEN] = "taken", [HOLDING_EARLY] = "early",
	    [HOLDING_FAILED] = "failed" };

	holding_release(&h);
	return ends[holding_take(&h, &fake_link, &here, KEY, &why)];
}

/* Our clock and the server's go on by so much, as the lease has it. */
static void
pass(long time)
{
	fake_now += time;
	h.lease.deadline -= time;
	h.lease.over -= time;
	if (h.lease.token != 0)
		lease_write(&h.lease, scratch_fd, "7");
}

/* Another host takes it, with this token in the order or that of its lease. */
static void
beta(uint64_t token)
{
	uint64_t revision = fake_put(STORE_LEASES, KEY, "{\"host\":\"beta\"}");
	char text[100];

	snprintf(text, sizeof(text), ",'work':{'host':'beta','token':%d}",
	    (int)(token != 0 ? token : revision));
	fake_order(KEY, text);
}

/* The hosts of the order and of the lease there, and what became of ours. */
static const char *
standing(void)
{
	static struct buf text;
	uint64_t revision;
	struct json *o;
	const char *s;
	int i;

	buf_reset(&text);
	for (i = 0; i < 2; i++) {
		store_get(&fake_link, i ? STORE_LEASES : STORE_BACKLOG, KEY,
		    &o, &revision, NULL, NULL);
		s = json_text(i ? o : json_member(o, "work"), "host");
		buf_printf(&text, "%s%s", i ? " " : "", s ? s : "-");
		json_free(o);
	}
	buf_printf(&text, "%s%s", h.lapsed ? " lapsed" : "",
	    h.gone ? " gone" : "");
	return buf_str(&text);
}

/* "WORD", "WORD N" or "WORD: RESULT". */
static void
step(const char *s)
{
	const char *colon = strchr(s, ':'), *got = NULL;
	long n = strtol(s + strcspn(s, " "), NULL, 10);
	bool yes = false;
	char left[32];

	ROW("%s", s);
	if (strcmp(s, "begin") == 0)
		begin();
	else if (strncmp(s, "take", 4) == 0)
		got = take();
	else if (strncmp(s, "renew", 5) == 0)
		yes = holding_renew(&h, &fake_link, &why) == 0;
	else if (strncmp(s, "reread", 6) == 0)
		yes = holding_reread(&h, &fake_link, &why) == 0;
	else if (strncmp(s, "lapse", 5) == 0)
		yes = holding_lapse(&h);
	else if (strcmp(s, "give-back") == 0)
		holding_give_back(&h, &fake_link);
	else if (strncmp(s, "pass", 4) == 0)
		pass(n);
	else if (strncmp(s, "wipe", 4) == 0) {
		fake_wipe(STORE_LEASES);
		if (strcmp(s, "wipe both") == 0)
			fake_wipe(STORE_BACKLOG);
	} else if (strcmp(s, "beta") == 0)
		beta(0);
	else if (strcmp(s, "fails") == 0)       /* the next call */
		fake_fails = fake_calls + 1;
	else if (strcmp(s, "loses") == 0)
		fake_loses = fake_calls + 1;
	else if (strncmp(s, "left", 4) == 0) {  /* whole seconds of our lease */
		snprintf(left, sizeof(left), "%ld", (long)(h.lease.deadline -
		    lease_now() + 999) / 1000);
		got = left;
	} else if (strncmp(s, "is", 2) == 0)
		got = standing();
	if (colon != NULL)
		is_text(got ? got : yes ? "yes" : "no", colon + 2);
}

static void
play(const char *const *steps)
{
	for (; *steps != NULL; steps++)
		step(*steps);
}

#define PLAY(...) play(WORDS(__VA_ARGS__))
#define TAKEN "begin", "take: done"

/* ---- taking -------------------------------------------------------------- */

TEST(an_issue_that_is_taken_has_a_lease_on_the_server_and_on_disk) {
	struct lease l;

	PLAY(TAKEN, "is: alpha alpha", "left: 48");
	is_number(lease_read(&l, scratch_fd, "7"), 1);
	ok(l.token == h.lease.token && l.deadline == h.lease.deadline);
	ok(order_under(&h.order, "work", "alpha", l.token) && h.lasts == 60000);
	PLAY("give-back", "is: alpha -", "take: done", "is: alpha alpha");
}

static void
wiped_under_us(void)
{
	fake_wipe(STORE_LEASES);
}

/* It was stopped for longer than the lease lasts: beta has the issue by now. */
static void
stopped_for_long(void)
{
	pass(100000);
	beta(0);
}

/* Another host may have a lease that the new bucket does not know. */
TEST(a_young_bucket_gives_no_lease_to_a_host_without_one) {
	PLAY("begin", "wipe", "pass 60000", "take: early", "is: - -", "pass 1",
	    "take: done", "begin");
	fake_at = 1;
	fake_act = wiped_under_us;
	PLAY("take: early");
}

/* The first host sets the lease for all; a new bucket may have another one. */
TEST(a_lease_lasts_as_the_bucket_that_has_it_says) {
	PLAY("begin");
	fake_buckets[STORE_LEASES].lasts = 10000;
	PLAY("take: done");
	ok(h.lasts == 10000 && h.lease.over <= lease_now() + 10000);
}

TEST(a_host_that_was_stopped_while_it_took_an_issue_does_not_take_it_back) {
	unsigned call;

	for (call = 3; call <= 4; call++) {
		PLAY("begin");
		fake_at = call;
		fake_act = stopped_for_long;
		ok(strcmp(take(), "done") != 0);
		PLAY("is: beta beta");
	}
}

/* Whatever call is not answered, the next try has the issue or may have it
 * after the time of a lease. */
TEST(a_call_without_an_answer_takes_nothing_for_good) {
	unsigned call;
	const char *end;

	for (call = 0; call < 8; call++) {
		PLAY("begin");
		ROW("call %u", call);
		*(call % 2 ? &fake_loses : &fake_fails) = 1 + call / 2;
		end = take();
		ok(strcmp(end, "failed") == 0 || strcmp(end, "done") == 0);
		if (strcmp(end, "done") != 0) {
			fake_now += 60001;
			is_text(take(), "done");
		}
	}
}

/* ---- having -------------------------------------------------------------- */

TEST(a_renewal_moves_the_deadline_also_if_its_answer_was_lost) {
	struct lease l;

	PLAY(TAKEN, "pass 20000", "renew: yes", "left: 48");
	ok(lease_read(&l, scratch_fd, "7") == 1 &&
	    l.deadline > lease_now() + 40000);
	ok(l.token == h.lease.token && l.revision != l.token);
	PLAY(TAKEN, "pass 20000", "loses", "renew: no", "is: alpha alpha",
	    "left: 28", "renew: yes", "left: 48");
}

/* The server has it a fifth longer.  But the agent is being ended. */
TEST(a_lease_that_is_over_here_is_not_renewed) {
	PLAY(TAKEN, "pass 50000", "renew: no", "is: alpha alpha", "lapse: yes",
	    "lapse: no", "is: alpha alpha lapsed");
}

/* Its work is done and waits for its hand-off. */
TEST(what_lapsed_gets_its_lease_again_unless_another_host_has_it) {
	uint64_t token;

	PLAY(TAKEN);
	token = h.lease.token;
	PLAY("pass 70000", "lapse: yes", "renew: yes", "is: alpha alpha");
	ok(h.lease.token != token);
	ok(order_under(&h.order, "work", "alpha", h.lease.token));
	PLAY(TAKEN, "pass 70000", "lapse: yes", "beta", "renew: no",
	    "is: beta beta lapsed gone");
}

TEST(a_lost_store_gets_order_and_lease_again_unless_our_lease_was_over) {
	PLAY(TAKEN, "pass 10000", "wipe both", "renew: yes", "is: alpha alpha");
	PLAY(TAKEN, "pass 50000", "lapse: yes", "wipe both", "renew: no",
	    "is: - - lapsed gone");
}

/* A new bucket counts from 1 again: beta's lease can have our token. */
TEST(a_token_of_another_host_is_not_ours) {
	PLAY(TAKEN, "pass 70000", "lapse: yes", "wipe");
	beta(h.lease.token);
	PLAY("renew: no", "is: beta beta lapsed gone");
}

static void
hand_off(uint64_t token, const char *run)
{
	order_handoff(&h.order, "alpha", token, run, "begun");
	ok(order_put(&fake_link, KEY, &h.order, &why) == STORE_DONE);
}

/* The record with the run has not been read yet. */
TEST(a_handoff_that_began_early_is_ours) {
	PLAY(TAKEN);
	hand_off(h.lease.token, "run 1");
	PLAY("reread: yes", "is: alpha alpha");
	hand_off(h.lease.token + 1, "run 2");
	PLAY("reread: no", "is: alpha alpha gone");
}

TEST(the_next_worker_finds_it) {
	static const char *const steps[] = { "beta", "fails" };
	struct holding again;
	int finds;

	for (finds = 1; finds >= -1; finds--) {
		PLAY(TAKEN, finds < 1 ? steps[-finds] : NULL);
		is_number(holding_find(&again, &fake_link, &here, "7", 60000,
		    &why), finds);
		ok(finds != 1 || (!again.lapsed &&
		    again.lease.token == h.lease.token));
		holding_release(&again);
	}
}

AFTER_TESTS {
	holding_release(&h);
}
