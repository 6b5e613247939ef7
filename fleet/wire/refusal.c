#include "fleet/wire/link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTHING ((size_t)-1)
#define KEY(name) offsetof(struct fleetrules, name)

/* Meanings that several texts share: the rest of a row behind its word. */
#define NOT_TAKEN NULL, "the server ended the connection, since it does not " \
    "take the certificate", KEY(cert), ": see who signed it and how long it " \
    "lasts, by 'openssl x509 -noout -issuer -dates -in FILE'"
#define NO_ANSWER NULL, "no server answers there", NOTHING, NULL

/* The first row of which the text holds both words counts.  After what comes
 * the value of a key, in quotes, and todo. */
static const struct meaning {
	const char *word, *other;       /* other may be NULL */
	const char *what;
	size_t      key;
	const char *todo;
} meanings[] = {
	{ "Permissions Violation", "_INBOX_", "the server knows our "
	    "certificate as another host than", KEY(host), ": 'host' in "
	    "config.json must be the CN of 'cert'" },
	{ "Permissions Violation", NULL, NULL, NOTHING, ": the server's "
	    "configuration is not what 'paneward-fleet print-server' prints "
	    "for this host" },
	{ "Authorization Violation", NULL, "the server knows no host by the "
	    "certificate", KEY(cert), ": give it the configuration with "
	    "this host (see fleet-reload.sh in paneward-fleet(1))" },
	{ "No responders available", NULL, "the server has not given this "
	    "host its store yet", NOTHING, ": let it reload once more" },
	{ "Expected 'PONG'", NOT_TAKEN },
	/* The same, if it had ended it before we wrote. */
	{ "SSL_write", NOT_TAKEN },
	{ "SSL", "has expired", "the server's certificate has expired: renew "
	    "it there", NOTHING, NULL },
	{ "SSL", "mismatch:", "the server's certificate is for another name "
	    "than that in 'servers'", NOTHING, ": it must have each name and "
	    "address by which hosts reach it" },
	{ "SSL", "issuer", "the server's certificate is not signed by",
	    KEY(ca), ": 'ca' must be the certificate of the authority that "
	    "signed it" },
	{ "SSL", "self", "the server's certificate is not signed by",
	    KEY(ca), ": 'ca' must be the certificate of the authority that "
	    "signed it" },
	{ "private key", "mismatch", "this is not the key of 'cert':",
	    KEY(key), NULL },
	{ "private key", NULL, "this is no private key:", KEY(key), NULL },
	{ "certificate chain", NULL, "this is no certificate:", KEY(cert),
	    NULL },
	{ "trusted certificates", NULL, "this is no certificate:", KEY(ca),
	    NULL },
	{ "No server available", NO_ANSWER },
	{ "Connection Disconnected", NO_ANSWER },
	{ "Connection Closed", NO_ANSWER },
	{ "Stale Connection", NO_ANSWER },
	{ "Missed Server Heartbeat", NO_ANSWER },
	{ "Secure Connection Required", NULL, "the server wants TLS: set 'ca', "
	    "'cert' and 'key' in config.json", NOTHING, NULL },
	{ "Secure Connection not available", NULL, "the server has no TLS: all that "
	    "is sent could be read, so nothing is", NOTHING, ": let it run "
	    "with what 'paneward-fleet print-server' prints" },
};

void
refusal_explain(struct buf *why, const char *text,
    const struct fleetrules *rules)
{
	const struct meaning *m = NULL;
	const char *value = NULL;
	unsigned line;
	int used = 0;
	size_t i;

	for (i = 0; m == NULL && i < sizeof(meanings) / sizeof(meanings[0]);
	    i++)
		if (strstr(text, meanings[i].word) != NULL &&
		    (meanings[i].other == NULL ||
		    strstr(text, meanings[i].other) != NULL))
			m = &meanings[i];
	/* The words stand behind "(conn.c:1909): ". */
	if (sscanf(text, "(%*31[a-z_].c:%u): %n", &line, &used) != 1)
		used = 0;
	if (m != NULL && m->key != NOTHING)
		memcpy(&value, (const char *)rules + m->key, sizeof(value));
	buf_adds(why, m == NULL || m->what == NULL ? text + used : m->what);
	if (value != NULL)
		buf_printf(why, " '%s'", value);
	if (m != NULL && m->todo != NULL)
		buf_adds(why, m->todo);
}

bool
refusal_files(struct buf *why, const struct fleetrules *r)
{
	const char *const files[] = { r->ca, r->cert, r->key };
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i] != NULL && access(files[i], R_OK) == -1) {
			buf_printf(why, "cannot read '%s': %s", files[i],
			    strerror(errno));
			return false;
		}
	/* As ssh: the owner's key is for the owner. */
	if (r->key != NULL && stat(r->key, &st) == 0 &&
	    st.st_uid == geteuid() && (st.st_mode & 077) != 0) {
		buf_printf(why, "the key '%s' is open to other users (mode "
		    "%03o): let only its owner read it, by 'chmod 600'",
		    r->key, (unsigned)st.st_mode & 0777);
		return false;
	}
	return true;
}
