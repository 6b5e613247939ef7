/*
 * render.c - fills in the instructions for an agent.
 *
 * Everything is checked before the first byte is written, so no agent gets a
 * refused text.
 */
#include "setup/setup.h"

#include "project/context.h"

enum { TEMPLATE_MAX = 16 << 20 };

/* Names that are known without a value. */
static const char *const own_names[] = { "issue_number", "issue_title",
    "branch_name", "worktree_path", "step_name", "pr_number", "signal_dir",
    "run_id", "nonce", NULL };

struct render {
	const char *name;               /* the template, as the user calls it */
	const char *issue, *worktree;   /* the options, or NULL */
	const char *output;             /* NULL: standard output */
	const char *status_dir;
	char **set;                     /* each --set */
	bool  strict;
	struct values values;
	const char *marker;             /* the run's own, or NULL */
};

static const struct command_option options[] = {
	{ 'i', "issue", "N", "the issue it is for",
	    TEXT_AT(struct render, issue) },
	{ 's', "set", "NAME=VALUE", "a name and what it stands for",
	    LIST_AT(struct render, set) },
	{ 'w', "worktree", "DIR", "the work tree of the issue",
	    TEXT_AT(struct render, worktree) },
	{ 0, "strict", NULL, "unknown and empty names are errors",
	    FLAG_AT(struct render, strict) },
	{ 'o', "output", "FILE", "write to this file",
	    TEXT_AT(struct render, output) },
	CONTEXT_OPTION_AT(struct render, status_dir),
	{ 0 }
};

struct template_value *
values_find(const struct values *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (strcmp(l->list[i].name, name) == 0)
			return &l->list[i];
	return NULL;
}

void
values_set(struct values *l, const char *name, const char *value)
{
	struct template_value *v = values_find(l, name);

	if (v == NULL)
		v = ARRAY_ADD(l->list, l->n);
	if (value == NULL)
		value = "";
	*v = (struct template_value){ name, value, strlen(value) };
}

/* A name that has a value keeps it: the best source comes first. */
static void
values_add(struct render *r, const char *name, const char *value)
{
	if (value != NULL && values_find(&r->values, name) == NULL)
		values_set(&r->values, name, value);
}

static void
gather_values(struct render *r, const struct command *c)
{
	const char *slash = strrchr(r->name, '/');
	char *step = xstrdup(slash != NULL ? slash + 1 : r->name);
	const char *path, *branch, *const *name;
	char **set = r->set, *equals;
	struct buf why = BUF_INIT;
	struct context context;
	struct status s;
	int got;

	for (; set != NULL && *set != NULL; set++) {
		equals = strchr(*set, '=');
		if (equals == NULL)
			command_usage(c, "--set '%s' is not NAME=VALUE", *set);
		*equals++ = '\0';
		if (!template_name_valid(*set))
			command_usage(c, "--set: '%s' is not a name: letters, "
			    "digits and '_', the first no digit", *set);
		if (strcmp(*set, "issue_number") == 0 && *equals != '\0')
			command_issue(c, equals);
		values_set(&r->values, *set, equals);
	}
	context_open(&context, r->status_dir, false);
	if (r->worktree != NULL) {
		path = xrealpath(r->worktree);
		if (path == NULL)
			command_usage(c, "--worktree '%s': %s", r->worktree,
			    strerror(errno));
		branch = project_branch(path, &why);
		if (why.len > 0)
			fatalx("%s", buf_str(&why));
		values_add(r, "worktree_path", path);
		values_add(r, "branch_name", branch != NULL ? branch : "");
	}
	values_add(r, "issue_number", r->issue);
	got = r->issue == NULL ? 0 :
	    status_read(&s, context.dir.state_fd, r->issue);
	if (got == 1) {
		values_add(r, "worktree_path", s.worktree);
		values_add(r, "branch_name", s.branch);
		if (!status_over(&s)) {
			values_add(r, "run_id", xstrdup(s.run));
			values_add(r, "nonce", xstrndup(s.run, NONCE_LEN));
		}
		r->marker = s.marker;
	} else if (got == -1 && !file_refused(errno)) {
		fatal("cannot read the status record of issue '%s'", r->issue);
	} else if (got == -1) {
		warn("cannot read the status record of issue '%s'", r->issue);
	}
	equals = strrchr(step, '.');
	if (equals != NULL && equals > step && strcmp(equals, ".md") == 0)
		*equals = '\0';
	if (strcmp(r->name, "-") != 0)
		values_add(r, "step_name", step);
	values_add(r, "signal_dir", context.dir.path);
	values_add(r, "workflow_name", "default");
	values_add(r, "plans_dir", "docs/plans");
	for (name = own_names; *name != NULL; name++)
		values_add(r, *name, "");
}

/*
 * Templates put signal_dir between double quotes, single quotes or, with |sh,
 * ours.  A byte with a meaning in one of them is refused in all.  names ends
 * each by a NUL byte.
 */
static void
check_names(const struct render *r, struct buf *names)
{
	const char *name = buf_str(names), *end = name + names->len;
	const struct template_value *v;
	bool complete = true, dir;
	const char *p;

	for (; name < end; name += strlen(name) + 1) {
		v = values_find(&r->values, name);
		dir = strcmp(name, "signal_dir") == 0;
		if (dir && v->len == 0)
			fatal_usage("render: '%s': signal_dir is empty",
			    r->name);
		for (p = dir ? v->value : ""; *p != '\0'; p++)
			if ((unsigned char)*p < ' ' || *p == 0x7f ||
			    strchr("\"'`$\\", *p) != NULL)
				fatal_usage("render: '%s': signal_dir '%s' "
				    "holds a quote, '$', '`', '\\' or a "
				    "control byte, which a shell line cannot "
				    "carry", r->name, v->value);
		if (v == NULL)
			warnx("render: '%s': unknown name '%s'", r->name, name);
		else if (v->len == 0 && r->strict)
			warnx("render: '%s': empty name '%s'", r->name, name);
		complete &= v != NULL && v->len > 0;
	}
	if (r->strict && !complete)
		exit(EXIT_USAGE);
}

static int
render_run(const struct command *c, int argc, char **argv)
{
	struct render r = { .name = NULL };
	struct buf text = BUF_INIT, names = BUF_INIT, out = BUF_INIT;
	const char *path, *issues[2];
	struct marker_set set;
	char *role, *real;
	struct stat st;
	bool input;
	size_t i;
	int fd;

	command_option(c, argc, argv, &r);
	if (r.issue != NULL)
		command_issue(c, r.issue);
	r.name = path = argv[optind];
	gather_values(&r, c);

	input = strcmp(r.name, "-") == 0;
	if (!input && strchr(r.name, '/') == NULL &&
	    (stat(r.name, &st) == -1 || S_ISDIR(st.st_mode))) {
		role = xasprintf("%s.md", r.name);
		path = datafile_find("agents", role);
		if (path == NULL)
			fatal_usage("render: '%s' is neither a file nor a role "
			    "(agents/%s)", r.name, role);
	}
	fd = input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 || file_drain(fd, &text, TEMPLATE_MAX) == -1)
		fatal("cannot read '%s'", fd == -1 ? path : r.name);
	if (text.len > TEMPLATE_MAX)
		fatal_usage("render: '%s' is larger than %d MiB", r.name,
		    TEMPLATE_MAX >> 20);

	/* Lists its names. */
	template_expand(&out, buf_str(&text), text.len, NULL, 0, &names);
	check_names(&r, &names);
	buf_reset(&out);
	if (template_expand(&out, text.data, text.len, r.values.list,
	    r.values.n, NULL) == -1)
		fatal_usage("render: '%s': the text would be larger than %d "
		    "MiB", r.name, TEMPLATE_OUT_MAX >> 20);
	/* A marker would count once the pane shows it. */
	issues[0] = r.issue;
	issues[1] = values_find(&r.values, "issue_number")->value;
	for (i = 0; i < 2; i++) {
		if (issues[i] == NULL || issues[i][0] == '\0')
			continue;
		if (marker_set_init(&set, issues[i], NULL, r.marker) == -1)
			fatal("render: '%s'", r.name);
		if (marker_set_in(&set, buf_str(&out), out.len))
			fatal_usage("render: '%s': the text would contain a "
			    "finished marker of issue %s", r.name, issues[i]);
	}
	/* Such as a terminal or /dev/null. */
	path = r.output;
	if (path == NULL || strcmp(path, "-") == 0) {
		if (file_write(STDOUT_FILENO, out.data, out.len) == -1)
			fatal("cannot write to standard output");
	} else if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		if (fd == -1 || file_write(fd, out.data, out.len) == -1)
			fatal("cannot write '%s'", path);
	} else {
		real = xrealpath(path);         /* a link stays a link */
		if (file_replace(AT_FDCWD, real != NULL ? real : path,
		    out.data, out.len, 0644) == -1)
			fatal("cannot write '%s'", path);
	}
	return EXIT_DONE;
}

const struct command render_command = {
	.name = "render",
	.summary = "Fill in a template: the instructions for an agent",
	.arguments = "TEMPLATE",
	.examples =
	"  paneward render implement -i 42 --worktree .worktrees/issue-42-map\n"
	"  paneward render plan -i 42 --set issue_title='Add a map'\n"
	"  paneward render ./mine.md -i 42 --strict -o prompt.md\n",
	.options = options,
	.run = render_run,
};
