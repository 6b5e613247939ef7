/*
 * tests/fleet/leases.sh and work.sh have what becomes of the agent.
 */
#include "fleet/work/work.h"

#include "fakestore.h"
#include "story.h"
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

static void
wiped(void)
{
	fake_wipe(STORE_LEASES);
}

/* It was stopped for longer than the lease lasts: beta has the issue by now. */
static void
stopped(void)
{
	pass(100000);
	beta(0);
}

/* "WORD", "WORD N" or "WORD: RESULT"; "at N" is before the call of that number
 * while it takes the issue, which it does not notice. */
static bool
step(const char *s)
{
	const char *colon = strchr(s, ':'), *got = NULL;
	long n = strtol(s + strcspn(s, " "), NULL, 10);
	bool yes = false;
	char left[32];

	if (strncmp(s, "take", 4) == 0)
		got = take();
	else if (strncmp(s, "renew", 5) == 0)
		yes = holding_renew(&h, &fake_link) == 0;
	else if (strncmp(s, "reread", 6) == 0)
		yes = holding_reread(&h, &fake_link) == 0;
	else if (strncmp(s, "lapse", 5) == 0)
		yes = holding_lapse(&h);
	else if (strncmp(s, "pass", 4) == 0)
		pass(n);
	else if (strncmp(s, "lasts", 5) == 0)
		fake_buckets[STORE_LEASES].lasts = n;
	else if (strncmp(s, "at", 2) == 0) {
		fake_at = (unsigned)n;
		fake_act = strstr(s, "wiped") ? wiped : stopped;
	} else if (strncmp(s, "wipe", 4) == 0) {
		fake_wipe(STORE_LEASES);
		if (strcmp(s, "wipe both") == 0)
			fake_wipe(STORE_BACKLOG);
	} else if (strncmp(s, "beta", 4) == 0)
		beta(s[4] != '\0' ? h.lease.token : 0);
	else if (strncmp(s, "hand-off", 8) == 0) {
		order_handoff(&h.order, "alpha", h.lease.token + (uint64_t)n,
		    "run", "begun");
		order_put(&fake_link, KEY, &h.order, &why);
	} else if (strcmp(s, "fails") == 0)     /* the next call */
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
	return true;
}

#define LAPSED "take: done", "pass 70000", "lapse: yes"

TEST(an_issue_has_one_host_whatever_happens) {
	static const struct story stories[] = {
		/* Another host may have a lease that it does not know. */
		{ "a young bucket gives no lease to a host without one", {
		    "wipe", "pass 60000", "take: early", "is: - -", "pass 1",
		    "take: done" } },
		{ "nor does one that is made meanwhile", { "at 1 wiped",
		    "take: early" } },
		/* The first host sets the lease for all; a new bucket may have
		 * another one. */
		{ "a lease lasts as the bucket that has it says", {
		    "lasts 10000", "take: done", "left: 8" } },
		{ "who was stopped does not take it back", { "at 3 stopped",
		    "take: failed", "is: beta beta" } },
		{ "nor later", { "at 4 stopped", "take: failed",
		    "is: beta beta" } },
		{ "a renewal whose answer was lost is found", { "take: done",
		    "pass 20000", "loses", "renew: no", "is: alpha alpha",
		    "left: 28", "renew: yes", "left: 48" } },
		/* The server has it a fifth longer.  But the agent is being
		 * ended. */
		{ "a lease that is over here is not renewed", { "take: done",
		    "pass 50000", "renew: no", "is: alpha alpha", "lapse: yes",
		    "lapse: no", "is: alpha alpha lapsed" } },
		{ "what lapsed may be another host's", { LAPSED, "beta",
		    "renew: no", "is: beta beta lapsed gone" } },
		{ "a lost store gets order and lease again", { "take: done",
		    "pass 10000", "wipe both", "renew: yes", "is: alpha alpha"
		} },
		{ "unless our lease was over", { LAPSED, "wipe both",
		    "renew: no", "is: - - lapsed gone" } },
		/* A new bucket counts from 1 again. */
		{ "our token may be that of another host", { LAPSED, "wipe",
		    "beta ours", "renew: no", "is: beta beta lapsed gone" } },
		/* The record with the run has not been read yet. */
		{ "a hand-off that began early is ours", { "take: done",
		    "hand-off 0", "reread: yes", "is: alpha alpha",
		    "hand-off 1", "reread: no", "is: alpha alpha gone" } },
	};

	TELL(stories, begin, step);
}

TEST(an_issue_that_is_taken_has_a_lease_on_the_server_and_on_disk) {
	struct lease l;

	begin();
	step("take: done");
	step("is: alpha alpha");
	step("left: 48");
	is_number(lease_read(&l, scratch_fd, "7"), 1);
	ok(l.token == h.lease.token && l.deadline == h.lease.deadline);
	ok(order_under(&h.order, "work", "alpha", l.token) && h.lasts == 60000);
	step("pass 20000");
	step("renew: yes");
	ok(lease_read(&l, scratch_fd, "7") == 1 &&
	    l.deadline > lease_now() + 40000);
	ok(l.token == h.lease.token && l.revision != l.token);
	/* Its work is done and waits for its hand-off. */
	step("pass 70000");
	step("lapse: yes");
	step("renew: yes");
	ok(h.lease.token != l.token);
	ok(order_under(&h.order, "work", "alpha", h.lease.token));
	holding_give_back(&h, &fake_link);
	step("is: alpha -");
	step("take: done");
}

/* Whatever call is not answered, the next try has the issue or may have it
 * after the time of a lease. */
TEST(a_call_without_an_answer_takes_nothing_for_good) {
	unsigned call;
	const char *end;

	for (call = 0; call < 8; call++) {
		ROW("call %u", call);
		begin();
		*(call % 2 ? &fake_loses : &fake_fails) = 1 + call / 2;
		end = take();
		ok(strcmp(end, "failed") == 0 || strcmp(end, "done") == 0);
		if (strcmp(end, "done") != 0) {
			fake_now += 60001;
			is_text(take(), "done");
		}
	}
}

TEST(the_next_worker_finds_it) {
	static const char *const before[] = { "fails", "beta", "is" };
	struct holding again;
	int finds;

	for (finds = 1; finds >= -1; finds--) {
		begin();
		step("take: done");
		step(before[finds + 1]);
		is_number(holding_find(&again, &fake_link, &here, "7", 60000,
		    &why), finds);
		ok(finds != 1 || (!again.lapsed &&
		    again.lease.token == h.lease.token));
		holding_release(&again);
	}
}
