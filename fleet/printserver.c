/*
 * printserver.c - paneward-fleet print-server: a nats-server's configuration for
 * a fleet: TLS, one user for each host, known by its certificate, and what that
 * one may do.
 *
 * What a host may is what our commands use, in templates/fleet-host.conf; the
 * server drops the rest.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command.h"
#include "base/msg.h"
#include "fleet/commands.h"
#include "os/file.h"
#include "project/context.h"
#include "text/datafile.h"
#include "text/template.h"

enum {
	TEXT_MAX = 1 << 20,
	KEEP = 1 << 30,                 /* bytes, if no fleet is configured */
	BUCKETS = 1 << 28               /* bytes for what is not events */
};

static void
read_template(struct buf *text, const char *name)
{
	char *path = datafile_find("templates", name);

	if (path == NULL || file_read(AT_FDCWD, path, 0, text, TEXT_MAX) == -1)
		fatal("cannot read the template '%s'", name);
	free(path);
}

#define VALUE(text) (text), strlen(text)

static void
add_host(struct buf *out, const struct buf *template, const char *host)
{
	const struct template_value value = { "host", VALUE(host) };

	if (!fleet_name_valid(host))
		fatal_usage("'%s' is no name of letters, digits, '-' and '_'",
		    host);
	template_expand(out, template->data, template->len, &value, 1, NULL);
}

/* The server reads '\' and '"' in a text in its own way. */
static bool
path_plain(const char *p)
{
	while ((unsigned char)*p >= ' ' && strchr("\\\"\177", *p) == NULL)
		p++;
	return *p == '\0';
}

static const char *
printserver_folder(const struct command *c, const char *name, const char *path)
{
	if (path[0] == '\0' || !path_plain(path))
		command_usage(c, "the server cannot read the folder '%s' of "
		    "%s", path, name);
	return path;
}

/* How much the streams may take together. */
static int64_t
bytes_kept(void)
{
	struct context context;
	struct buf why = BUF_INIT;
	int64_t bytes = KEEP;

	if (context_find(&context, ".", &why) != EXIT_DONE)
		fatal_usage("%s", buf_str(&why));
	if (context.config.fleet != NULL)
		bytes = context.config.fleet->keep_bytes;
	context_close(&context);
	return bytes + BUCKETS;
}

struct printserver {
	const char *store, *certificates;       /* folders */
	long        port;
	char *const *hosts;             /* NULL-ended */
};

static void
printserver_print(const struct printserver *p)
{
	struct buf text = BUF_INIT, host = BUF_INIT, hosts = BUF_INIT;
	struct buf out = BUF_INIT;
	char port[32], bytes[32];
	size_t i;

	read_template(&text, "fleet-server.conf");
	read_template(&host, "fleet-host.conf");
	for (i = 0; p->hosts[i] != NULL; i++)
		add_host(&hosts, &host, p->hosts[i]);
	snprintf(port, sizeof(port), "%ld", p->port);
	snprintf(bytes, sizeof(bytes), "%" PRId64, bytes_kept());
	template_expand(&out, text.data, text.len,
	    (const struct template_value[]){
	    { "certificates", VALUE(p->certificates) },
	    { "store", VALUE(p->store) },
	    { "port", VALUE(port) },
	    { "bytes", VALUE(bytes) },
	    { "hosts", hosts.data, hosts.len } }, 5, NULL);
	fputs(buf_str(&out), stdout);
	buf_release(&out);
	buf_release(&hosts);
	buf_release(&host);
	buf_release(&text);
}

enum { OPTION_STORE = 's', OPTION_PORT = 'p', OPTION_CERTIFICATES = 'c' };

static int
printserver_run(const struct command *c, int argc, char **argv)
{
	struct printserver p = { .store = "/var/lib/nats/paneward",
	    .certificates = "/etc/nats/paneward", .port = 4222 };
	int key;

	while ((key = command_option(c, argc, argv)) != -1) {
		if (key == OPTION_STORE)
			p.store = printserver_folder(c, "--store", optarg);
		else if (key == OPTION_CERTIFICATES)
			p.certificates = printserver_folder(c,
			    "--certificates", optarg);
		else
			p.port = command_number(c, "port", optarg, 1, 65535);
	}
	if (optind == argc)
		command_usage(c, "needs the name of a host");
	p.hosts = argv + optind;
	printserver_print(&p);
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
		{ OPTION_CERTIFICATES, "certificates", "DIR", "has ca.pem, "
		    "server.pem, server.key (/etc/nats/paneward)" },
		{ OPTION_PORT, "port", "N", "where it listens (4222)" },
		{ OPTION_STORE, "store", "DIR", "where it stores "
		    "(/var/lib/nats/paneward)" },
		{ 0 }
	},
	.run = printserver_run,
};
