#include "fleet/work/work.h"

#include "fakestore.h"
#include "unit/children.h"

static struct order o;

static bool
parses(const char *text)
{
	text = quoted(text);
	return order_adopt(&o, json_parse(text, strlen(text), false, NULL));
}

TEST(what_is_no_order_is_refused) {
	says(false, parses, WORDS("{", "[]", "{'issue':'1'}",
	    "{'issue':'../1','repository':'r'}",
	    "{'issue':1,'repository':'r'}"));
	ok(o.json == NULL);
}

static struct offers offers;
static uint64_t sequence;

/* Messages come, "KEY MEMBERS"; these keys are offers then, in this order. */
static void
come(const char *keys, const char *const *step)
{
	struct buf got = BUF_INIT;
	size_t i;

	for (; *step != NULL; step++) {
		int len = (int)strcspn(*step, " ");
		char *subject = xasprintf("$KV.PANEWARD_BACKLOG.%.*s", len,
		    *step), *data = xasprintf("{'issue':'%.*s',"
		    "'repository':'r'%s}", len - 2, *step + 2,
		    *step + len + ((*step)[len] != '\0'));
		const char *text = quoted(data);

		offers_take(&offers, &(struct link_message){
		    .subject = subject, .data = (char *)(uintptr_t)text,
		    .len = strlen(text), .sequence = ++sequence,
		    .gone = strstr(text, "GONE") }, &fake_rules);
		free(subject);
		free(data);
	}
	for (i = 0; i < offers.n; i++)
		buf_printf(&got, "%s ", offers.v[i].key);
	is_text(buf_str(&got), keys);
	buf_release(&got);
}

#define COME(keys, ...) come((keys), WORDS(__VA_ARGS__))

static void
begin(void)
{
	offers_release(&offers);
	fake_begin("alpha");
	sequence = 0;
}

TEST(the_oldest_is_first_whatever_changed_last) {
	begin();
	COME("r.a r.b r.c ", "r.a", "r.b", "r.c");
	COME("r.a r.b r.c ", "r.a ,'number':1");
	COME("r.a r.b r.d r.c ", "r.d ,'number':2");
}

TEST(what_is_closed_deleted_no_order_or_not_for_this_host_is_no_offer) {
	begin();
	COME("", "r.a ,'state':'done'", "r.b ,'handoff':{'state':'begun'}",
	    "r.c ,'failed':[{'host':'alpha'}]", "r.d ,'labels':['gpu']");
	fake_rules.labels = argv_add(NULL, "gpu");
	COME("r.d r.e ", "r.d ,'labels':['gpu']", "r.f ,'labels':['gpu','x']",
	    "r.e ,'failed':[{'host':'beta'}]");
	argv_free(fake_rules.labels);
	fake_rules.labels = NULL;
	begin();
	COME("r.b ", "r.a", "r.b", "r.a ,'state':'closed'");
	COME("", "r.b GONE");
	COME("", "r.a", "r.a ,", "r...");
}

/* Else each step of a host would make all others ask for its lease. */
TEST(a_change_by_its_host_is_no_reason_to_try_it) {
	begin();
	COME("r.a ", "r.a");
	offers.v[0].later = 5000;
	COME("r.a ", "r.a ,'work':{'host':'beta'}");
	is_number(offers.v[0].later, 5000);
	is_text(offers.v[0].host, "beta");
	COME("r.a ", "r.a");
	ok(offers.v[0].later == 0 && offers.v[0].host == NULL);
}

static const char *
normal(const char *address)
{
	static struct buf out;

	buf_reset(&out);
	repository_normal(&out, address);
	return buf_str(&out);
}

#define APP " => git.example/team/app"

TEST(the_addresses_of_a_repository_are_one_name_and_a_folder_is_its_path) {
	ROWS(normal, "git@git.example:team/app.git" APP,
	    "https://user:word@Git.Example/team/app.git/" APP,
	    "ssh://git@git.example:2222/team/app.git" APP,
	    "git.example:/team/app" APP, "/srv/git/app.git => /srv/git/app",
	    "../app => ../app", "/ => /");
}
