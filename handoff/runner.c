#include "handoff/runner.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include "data/datafile.h"
#include "paneward.h"
#include "queue/answer.h"

int
runner_choose(struct config *config, const char *option, bool none,
    struct buf *error)
{
	struct noticeways *ways = &config->notify;
	size_t i, n = 0;
	char *path;

	if (option != NULL && strcmp(option, "default") == 0)
		option = NULL;
	config->handoff_option = none || option != NULL;
	if (none || option != NULL) {
		path = xrealpath(".");
		argv_free(config->handoff);
		config->handoff = usercommand_parse(none ? "" : option, path);
		free(path);
	} else if (config->handoff == NULL) {
		path = datafile_find("scripts", "cleanup.sh");
		if (path == NULL) {
			errno = errno == ENOENT ? 0 : errno;
			buf_printf(error, errno != 0 ? "cannot look for "
			    "'cleanup.sh': %s" : "cannot hand anything off: "
			    "'cleanup.sh' is not installed; name a command "
			    "with 'handoff' in the configuration, or use "
			    "--no-handoff", strerror(errno));
			return -1;
		}
		config->handoff = argv_own(NULL, path);
	}
	if (usercommand_check(config->handoff,
	    "cannot use the command of handoff: ", error) == -1)
		return -1;
	for (i = 0; i < ways->n; i++)
		if (noticeway_check(&ways->way[i], error) == 0) {
			ways->way[n++] = ways->way[i];
		} else {
			warnx("%s; no notice is sent by it", buf_str(error));
			buf_reset(error);
			noticeway_release(&ways->way[i]);
		}
	ways->n = n;
	return 0;
}

char *const *
runner_command(const struct config *config, const struct status *record)
{
	return record->handoff_command != NULL && !config->handoff_option ?
	    record->handoff_command : config->handoff;
}

bool
runner_wanted(const struct config *config, const struct status *record)
{
	char *const *words = runner_command(config, record);

	return words != NULL && words[0] != NULL;
}

int
runner_claim(const char *issue, pid_t pid, const struct lock *lock,
    const struct context *c)
{
	struct status r;
	int ret = -1, got = status_read(&r, c->dir.state_fd, issue);

	if (got == 1 && proc_id_alive(&r.runner)) {
		errno = EBUSY;
	} else if (got == 1) {
		proc_identify(&r.runner, pid);
		ret = status_save(&r, lock, c->dir.state_fd);
	} else if (got == 0) {
		errno = ENOENT;
	}
	status_release(&r);
	return ret;
}

int
runner_start(struct runner *runner, const struct lock *lock,
    const struct status *r, const struct context *c)
{
	bool parked = runner->work == RUNNER_PARKED;
	char **argv, inherited[16], end[16];
	int alive[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, alive) == -1)
		return -1;
	fcntl(alive[0], F_SETFD, FD_CLOEXEC);
	snprintf(inherited, sizeof(inherited), "%d", lock->fd);
	snprintf(end, sizeof(end), "%d", alive[1]);
	argv = argv_add_all(NULL, WORDS(proc_program(), parked ? "parked-run" :
	    "handoff-run", "--status-dir", c->dir.path, "--lock", inherited,
	    "--alive", end, runner->again ? "--again" : NULL));
	argv = argv_add_all(argv, WORDS("--", r->issue));
	if (!parked)
		argv = argv_add_all(argv,
		    (const char *const *)runner_command(&c->config, r));
	runner->pid = spawn_detached(&(struct spawn_how){ .argv =
	    (const char *const *)argv, .cwd = c->project.root, .child = true,
	    .keep = (const int[]){ lock->fd, alive[1] }, .kept = 2 }, -1,
	    STDERR_FILENO);
	argv_free(argv);
	file_close(alive[1]);
	if (runner->pid == -1) {
		file_close(alive[0]);
		return -1;
	}
	runner->fd = alive[0];
	if (runner_claim(r->issue, runner->pid, lock, c) == 0) {
		if (write(alive[0], "", 1) == 1)
			return 0;
	} else if (!runner->again) {
		warn("cannot record the hand-off of issue '%s'; not running "
		    "it until that succeeds", r->issue);
	}
	shutdown(alive[0], SHUT_WR);
	return 0;
}

int
runner_reap(struct runner *runner)
{
	int status = 0;

	if (runner->fd == -1)
		return 0;
	close(runner->fd);
	runner->fd = -1;
	while (waitpid(runner->pid, &status, 0) == -1 && errno == EINTR)
		continue;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

struct runner_call {
	const char *status_dir, *issue;
	long   descriptor, alive;       /* of the lock; closed at the end */
	bool   again;
	struct lock lock;
	char **words;
};

static const struct command_option runner_options[] = {
	{ 0, "lock", "N", "the descriptor of the lock",
	    NUMBER_AT(struct runner_call, descriptor, 0, 1 << 20) },
	{ 0, "alive", "N", "one that is closed at the end",
	    NUMBER_AT(struct runner_call, alive, 0, 1 << 20) },
	{ 0, "again", NULL, "its start has failed before",
	    FLAG_AT(struct runner_call, again) },
	CONTEXT_OPTION_AT(struct runner_call, status_dir),
	{ 0 }
};

/* Opens context and record after the parent's byte; false: it may not act on
 * the issue.  The end of an older version's parent cannot be read. */
static bool
runner_enter(struct runner_call *call, const struct command *command, int argc,
    char **argv, struct context *c, struct status *r)
{
	char gate;
	ssize_t n;
	int got;

	*call = (struct runner_call){ .descriptor = -1, .alive = -1 };
	command_option(command, argc, argv, call);
	call->words = argv + optind + 1;
	if (optind == argc || call->descriptor == -1 || call->alive == -1 ||
	    (command == &handoffrun_command && call->words[0] == NULL))
		command_usage(command, "is run by paneward itself");
	call->issue = command_issue(command, argv[optind]);
	call->lock = (struct lock){ .fd = (int)call->descriptor };
	fcntl(call->lock.fd, F_SETFD, FD_CLOEXEC);
	fcntl((int)call->alive, F_SETFD, FD_CLOEXEC);
	context_open(c, call->status_dir, false);
	while ((n = read((int)call->alive, &gate, 1)) == -1 && errno == EINTR)
		continue;
	lock_mark(&call->lock);
	if (n == 0)
		return false;
	got = status_read(r, c->dir.state_fd, call->issue);
	if (got == -1 && !call->again)
		warn("cannot read the status record of issue '%s'",
		    call->issue);
	return got == 1 &&
	    (n == 1 || lock_counts(&call->lock, c->dir.state_fd, call->issue));
}

static int
runner_main(const struct command *c, int argc, char **argv)
{
	struct context context;
	struct status record;
	struct attempt a = { .context = &context, .record = &record,
	    .out = -1 };
	struct runner_call call;
	int ret;

	if (!runner_enter(&call, c, argc, argv, &context, &record))
		return EXIT_COULD_NOT;
	a.again = call.again;
	context.config.handoff = usercommand_words(
	    (const char *const *)call.words, NULL);
	attempt_recover(&a);
	ret = handoff_open(&record.handoff) ? attempt_run(&a) :
	    status_write(&record, context.dir.state_fd);
	return ret == 0 ? EXIT_DONE : EXIT_COULD_NOT;
}

const struct command handoffrun_command = {
	.name = "handoff-run",
	.arguments = "-- ISSUE WORD...",
	.options = runner_options,
	.run = runner_main,
};

/* Tells an agent that a usage limit held to go on; first recorded, so that the
 * next process after a kill does not tell it again at once. */
static int
parkedrun_main(const struct command *c, int argc, char **argv)
{
	struct buf said = BUF_INIT, detail = BUF_INIT, why = BUF_INIT;
	enum typist_end end = TYPIST_REFUSED;
	struct backends all = { .first = NULL };
	struct row row = { .rank = 0 };
	struct status *r = &row.status;
	struct dialog_reply reply;
	struct runner_call call;
	struct context context;
	const char *told = NULL;
	struct answer a;
	bool on = false, off = false;

	if (!runner_enter(&call, c, argc, argv, &context, r))
		return EXIT_COULD_NOT;
	if (!context.config.on_limit || parked_wait(r, clock_wall()) != 0)
		return EXIT_DONE;
	parked_begin(r, clock_wall());
	if (status_write(r, context.dir.state_fd) == -1)
		return EXIT_COULD_NOT;
	backends_all(&all, &why);
	/* A dialog gets the choice that continues, or leads to the prompt. */
	if (answer_look(&a, &all, &row, &said) == 1 && a.dialog.limit) {
		on = dialog_choose(&a.dialog, "yes", &reply, &why) == 0;
		off = !on && dialog_choose(&a.dialog, "no", &reply, &why) == 0;
	}
	if (on || off) {
		told = xstrdup(reply.choice);
		buf_reset(&said);
		end = answer_give(&a, &reply, &said);
	}
	/* The prompt, unless the agent goes on or the dialog stays. */
	if (!on && (!off || end == TYPIST_DONE)) {
		told = context.config.limit_prompt;
		buf_reset(&said);
		end = typist_tell(&all, &row, &(struct typist_order){
		    .text = told }, &said);
	}
	if (end == TYPIST_DONE)
		buf_adds(&said, told);
	buf_printf(&detail, "after its limit: %s, %u of %d: %s",
	    end == TYPIST_DONE ? "told to go on" :
	    end == TYPIST_HALF || end == TYPIST_LATE ?
	    "perhaps told to go on" : "not told to go on", r->parked.asks,
	    (int)PARKED_MOST, buf_str(&said));
	if (journal_add(context.dir.state_fd, context.dir.path, JOURNAL_PARKED,
	    r, buf_str(&detail)) == -1)
		warn("cannot write to the journal in '%s'", context.dir.path);
	return end == TYPIST_DONE ? EXIT_DONE : EXIT_NO;
}

const struct command parkedrun_command = {
	.name = "parked-run",
	.arguments = "-- ISSUE",
	.options = runner_options,
	.run = parkedrun_main,
};
