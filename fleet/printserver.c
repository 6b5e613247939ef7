/*
 * printserver.c - a nats-server's configuration for a fleet: TLS, one account
 * and user for each host, known by its certificate, and the rights of that.
 */
#include "data/datafile.h"
#include "data/template.h"
#include "fleet/wire/wire.h"
#include "project/schedule.h"

enum {
	KEEP = 1 << 30,                 /* bytes, if no fleet is configured */
	BUCKETS = 1 << 28               /* bytes for what is not events */
};

/* A host may send what our commands use; the server drops the rest.
 * $JS.API.INFO is of no use to a host, but without an import of it the server
 * would answer all others of $JS.API by itself: the account has no streams. */
static const char *const rights[] = {
	"paneward.<<host>>.*.*",
	"$KV.PANEWARD_HOSTS.<<host>>",
	"$KV.PANEWARD_ROWS.<<host>>.>",
	"$KV.PANEWARD_BACKLOG.>",
	"$KV.PANEWARD_LEASES.>",
	"$KV.PANEWARD_NOTICES.>",
	"$JS.API.INFO",
	"$JS.API.STREAM.CREATE.PANEWARD",
	"$JS.API.STREAM.CREATE.KV_PANEWARD_HOSTS",
	"$JS.API.STREAM.CREATE.KV_PANEWARD_ROWS",
	"$JS.API.STREAM.CREATE.KV_PANEWARD_BACKLOG",
	"$JS.API.STREAM.CREATE.KV_PANEWARD_LEASES",
	"$JS.API.STREAM.CREATE.KV_PANEWARD_NOTICES",
	"$JS.API.STREAM.INFO.*",
	"$JS.API.STREAM.MSG.GET.*",
	"$JS.API.DIRECT.GET.>",
	"$JS.API.CONSUMER.CREATE.>",
	"$JS.API.CONSUMER.INFO.>",
	"$JS.API.CONSUMER.DELETE.>",
	"$JS.FC.>",
	NULL
};

#define VALUE(text) (text), strlen(text)

struct printserver {
	const char *store, *certificates, *listen;
	long        port;
};

/* The server would read '\' and '"' in a text in its own way. */
static void
printserver_folder(const struct command *c, const char *name, const char *path)
{
	const char *p = path;

	while ((unsigned char)*p >= ' ' && strchr("\\\"\177", *p) == NULL)
		p++;
	if (path[0] == '\0' || *p != '\0')
		command_usage(c, "the server cannot read the folder '%s' of "
		    "%s", path, name);
}

static int
printserver_run(const struct command *c, int argc, char **argv)
{
	static const char inbox[] = "\t\t\t{ stream: \"_INBOX_<<host>>.>\" }\n";
	struct printserver p = { "/var/lib/nats/paneward",
	    "/etc/nats/paneward", "0.0.0.0", 4222 };
	struct buf text = BUF_INIT, hosts = BUF_INIT, inboxes = BUF_INIT;
	struct buf publish = BUF_INIT, imports = BUF_INIT, form = BUF_INIT;
	struct buf out = BUF_INIT, why = BUF_INIT, server = BUF_INIT;
	const char *const *right;
	int64_t kept = KEEP;
	char address[300], bytes[32];
	struct context context;

	command_option(c, argc, argv, &p);
	printserver_folder(c, "--store", p.store);
	printserver_folder(c, "--certificates", p.certificates);
	if (p.listen[0] == '\0' || strlen(p.listen) > 255 ||
	    !text_only(p.listen, ".:-"))
		command_usage(c, "'%s' is no address to listen on", p.listen);
	for (right = rights; *right != NULL; right++) {
		buf_printf(&publish, "\t\t\t\t\"%s\"\n", *right);
		buf_printf(&imports, "\t\t\t{ service: { account: PANEWARD, "
		    "subject: \"%s\" } }\n", *right);
	}
	if (ownfile_template(&form, "templates", "fleet-host.conf", &why) ==
	    -1 || ownfile_template(&server, "templates", "fleet-server.conf",
	    &why) == -1)
		fatalx("%s", buf_str(&why));
	template_expand(&text, form.data, form.len,
	    (const struct template_value[]){
	    { "publish", publish.data, publish.len },
	    { "imports", imports.data, imports.len } }, 2, NULL);
	for (; optind < argc; optind++) {
		const struct template_value host = { "host",
		    VALUE(argv[optind]) };

		if (!fleet_name_valid(argv[optind]))
			fatal_usage("'%s' is no name of letters, digits, '-' "
			    "and '_'", argv[optind]);
		template_expand(&hosts, text.data, text.len, &host, 1, NULL);
		template_expand(&inboxes, VALUE(inbox), &host, 1, NULL);
	}
	snprintf(address, sizeof(address), strchr(p.listen, ':') != NULL ?
	    "[%s]:%ld" : "%s:%ld", p.listen, p.port);
	if (context_find(&context, ".", &why) != EXIT_DONE)
		fatal_usage("%s", buf_str(&why));
	if (context.config.fleet != NULL)
		kept = context.config.fleet->keep_bytes;
	snprintf(bytes, sizeof(bytes), "%lld", (long long)kept + BUCKETS);
	template_expand(&out, server.data, server.len,
	    (const struct template_value[]){
	    { "certificates", VALUE(p.certificates) },
	    { "store", VALUE(p.store) },
	    { "address", VALUE(address) },
	    { "bytes", VALUE(bytes) },
	    { "inboxes", inboxes.data, inboxes.len },
	    { "hosts", hosts.data, hosts.len } }, 6, NULL);
	fputs(buf_str(&out), stdout);
	return EXIT_DONE;
}

const struct command fleet_printserver_command = {
	.name = "print-server",
	.summary = "Print the configuration of a server for these hosts",
	.arguments = "HOST...",
	.examples =
	"  paneward-fleet print-server desk laptop >paneward.conf\n"
	"  nats-server -t -c paneward.conf\n",
	.options = (const struct command_option[]){
		{ 'c', "certificates", "DIR", "has ca.pem, "
		    "server.pem, server.key (/etc/nats/paneward)",
		    TEXT_AT(struct printserver, certificates) },
		{ 'l', "listen", "ADDRESS", "where it listens "
		    "(0.0.0.0, all of IPv4)",
		    TEXT_AT(struct printserver, listen) },
		{ 'p', "port", "N", "and on which port (4222)",
		    NUMBER_AT(struct printserver, port, 1, 65535) },
		{ 's', "store", "DIR", "where it stores "
		    "(/var/lib/nats/paneward)",
		    TEXT_AT(struct printserver, store) },
		{ 0 }
	},
	.run = printserver_run,
};

/* ---- print-unit ---------------------------------------------------------- */

static int
printunit_run(const struct command *c, int argc, char **argv)
{
	bool launchd = false;

	while (command_option(c, argc, argv, NULL) != -1)
		launchd = true;
	schedule_print(launchd ? SCHEDULE_FLEET_LAUNCHD :
	    SCHEDULE_FLEET_SYSTEMD, NULL);
	return EXIT_DONE;
}

const struct command fleet_printunit_command = {
	.name = "print-unit",
	.summary = "Print a unit that keeps the agent running",
	.examples =
	"  paneward-fleet print-unit >~/.config/systemd/user/"
	"paneward-fleet.service\n",
	.options = (const struct command_option[]){
		{ OPTION_LONG, "launchd", NULL, "for launchd instead of systemd" },
		{ 0 }
	},
	.run = printunit_run,
};
