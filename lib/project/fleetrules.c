#include "project/config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/argv.h"
#include "base/text.h"

static strict_take fleetrules_name;
static bool address_valid(const char *);

#define FLEET(name) #name, .at = offsetof(struct fleetrules, name)
#define BETWEEN(from, to) .take = strict_number, .least = (from), .most = (to)

static const struct strict_row rows[] = {
	{ FLEET(servers),    .take = strict_texts, .valid = address_valid,
	    .those = "addresses like tls://HOST:4222, which have no "
	    "password" },
	{ FLEET(host),       .take = fleetrules_name },
	{ FLEET(labels),     .take = strict_texts, .valid = fleet_name_valid,
	    .those = "names of letters, digits, '-' and '_'" },
	{ FLEET(ca),         .take = strict_path },
	{ FLEET(cert),       .take = strict_path },
	{ FLEET(key),        .take = strict_path },
	{ FLEET(lease),      BETWEEN(10, 86400), .seconds = true },
	{ FLEET(keep_days),  BETWEEN(1, 3650) },
	{ FLEET(keep_bytes), BETWEEN(1 << 20, INT64_C(1) << 50) },
	{ .key = NULL }
};

bool
fleet_name_valid(const char *name)
{
	const char *p = name;

	while (text_alnum(*p) || *p == '_' || *p == '-')
		p++;
	return p > name && *p == '\0' && p - name <= FLEET_HOST_MAX;
}

/* An address has no password, which would be seen in the file. */
static bool
address_valid(const char *text)
{
	const char *rest = strncmp(text, "tls://", 6) == 0 ? text + 6 :
	    strncmp(text, "nats://", 7) == 0 ? text + 7 : "";
	const char *p = rest;

	while (text_alnum(*p) || (*p != '\0' && strchr(".-:[]", *p) != NULL))
		p++;
	return p > rest && *p == '\0';
}

static int
fleetrules_name(struct strict *s, const struct strict_row *row, void *field,
    const struct json *value)
{
	const char *text = json_text_of(value);

	if (text == NULL || !fleet_name_valid(text))
		return strict_refuse(s, value, " is no name of letters, "
		    "digits, '-' and '_'");
	return strict_text(s, row, field, value);
}

int
fleetrules_take(struct strict *s, const struct strict_row *row, void *field,
    const struct json *value)
{
	struct fleetrules **place = field, *r;
	int ret, files;

	(void)row;
	r = xcalloc(1, sizeof(*r));
	r->lease = 60;
	r->keep_days = 30;
	r->keep_bytes = 1 << 30;
	ret = strict_read(s, rows, r, value);
	files = (r->ca != NULL) + (r->cert != NULL) + (r->key != NULL);
	/* Checks that need more than one key. */
	if (ret == 0 && (r->servers == NULL || r->servers[0] == NULL))
		ret = strict_refuse(s, value, " lacks 'servers'");
	else if (ret == 0 && r->host == NULL)
		ret = strict_refuse(s, value, " lacks 'host', the name of "
		    "this one");
	else if (ret == 0 && files != 0 && files != 3)
		ret = strict_refuse(s, value, " needs all of 'ca', 'cert' and "
		    "'key', or none");
	if (ret == -1) {
		fleetrules_free(r);
		return -1;
	}
	fleetrules_free(*place);
	*place = r;
	return 0;
}

void
fleetrules_free(struct fleetrules *r)
{
	if (r == NULL)
		return;
	argv_free(r->servers);
	argv_free(r->labels);
	free(r->host);
	free(r->ca);
	free(r->cert);
	free(r->key);
	free(r);
}
