/*
 * handoff.c - lets another host hand off its issue, by ssh, in its row's status
 * directory.
 */
#include "data/template.h"
#include "fleet/wire/wire.h"

enum { LONGEST = 86400000 };            /* ms */

struct farhandoff {
	const char *project, *issue;    /* project NULL: any */
	char       *directory;          /* NULL: none was found */
	bool        several;
};

static void
farhandoff_take(void *context, const struct link_message *m)
{
	struct farhandoff *f = context;
	const char *wanted = f->project;
	struct row r;

	if (m->gone || !row_parse(&r, m->data, m->len))
		return;
	if (!r.pane && r.directory != NULL &&
	    strcmp(r.status.issue, f->issue) == 0 && (wanted == NULL ||
	    strcmp(wanted, r.directory) == 0 || (r.project != NULL &&
	    (strcmp(wanted, r.project) == 0 ||
	    strcmp(wanted, row_project(&r)) == 0)))) {
		f->several = f->directory != NULL;
		free(f->directory);
		f->directory = xstrdup(r.directory);
	}
	row_release(&r);
}

static int
fleet_handoff_run(const struct command *c, int argc, char **argv)
{
	struct farhandoff f = { .project = NULL };
	struct buf why = BUF_INIT, rows = BUF_INIT;
	struct buf directory = BUF_INIT, shown = BUF_INIT;
	const char *colon, *last;
	struct spawn s = SPAWN_INIT;
	uint64_t revision;
	struct link *l;
	char *host;

	command_option(c, argc, argv, &f);
	colon = strchr(argv[optind], ':');
	if (colon == NULL)
		command_usage(c, "'%s' names no host", argv[optind]);
	host = xstrndup(argv[optind], (size_t)(colon - argv[optind]));
	f.issue = command_issue(c, colon + 1);
	if (!fleet_name_valid(host) || !hostname_valid(host))
		command_usage(c, "'%s' is no name of a host", host);

	/* Rows of an absent host stay. */
	l = fleet_open(NULL, false);
	switch (store_get(l, STORE_HOSTS, host, NULL, &revision, NULL, &why)) {
	case 0:
		fatalx("host '%s' is not there", host);
	case -1:
		fatalx("cannot ask for host '%s': %s", host, buf_str(&why));
	}
	buf_printf(&rows, "%s.>", host);
	if (store_each(l, STORE_ROWS, buf_str(&rows), farhandoff_take, &f,
	    &why) == -1)
		fatalx("cannot ask for the rows of host '%s': %s", host,
		    buf_str(&why));
	link_close(l);
	if (f.directory == NULL || f.several) {
		printf("%s: %s\n", host, f.several ? "several projects have "
		    "it; name one with --project" : "no project there has it");
		return EXIT_NO;
	}

	/* ssh passes its last words to a shell; 255: ssh failed. */
	template_quote(&directory, f.directory, strlen(f.directory));
	spawn_run(&s, &(struct spawn_how){ .argv = WORDS("ssh", "-T", host,
	    "cd", buf_str(&directory), "&&", "paneward", "handoff",
	    "--status-dir", buf_str(&directory), f.issue), .limit = LONGEST,
	    .stays = true });
	last = buf_last_line(s.errors.len > 0 && (s.status != EXIT_DONE ||
	    s.output.len == 0) ? &s.errors : &s.output);
	msg_escape(&shown, last, strlen(last));
	printf("%s: %s\n", host, buf_str(&shown));
	return s.status < 0 || s.status >= 255 ? EXIT_COULD_NOT : s.status;
}

const struct command fleet_handoff_command = {
	.name = "handoff",
	.summary = "Let another host hand off its issue, by ssh",
	.arguments = "HOST:ISSUE",
	.examples =
	"  paneward-fleet handoff desk:42\n"
	"  paneward-fleet handoff desk:42 --project ~/src/shop\n",
	.options = (const struct command_option[]){
		{ 'p', "project", "PROJECT", "the folder of its project "
		    "there, or the path", TEXT_AT(struct farhandoff, project) },
		{ 0 }
	},
	.run = fleet_handoff_run,
};
