# shellcheck shell=sh
# lib.sh - included by every system test: a folder, a tmux server and an
# environment of its own, and functions; ../README.md has an example.
#
# T is the folder, PW the program, P the project in which the test begins and
# S its status directory, which paneward itself has to make.  ROOT is the
# source.  Folders above T are not searched for projects.  BUILD has the programs
# of the tests: limit.c runs the script and ends with it all that it started.  Then
# the folder is removed (KEEP=1 keeps it).
#
# PANEWARD_TEST_TMUX names another tmux than the one in PATH.

if [ "${TEST_FOLDER:-}" = '' ]; then
	# In /tmp, since the name of a socket must be short.
	TEST_FOLDER=$(mktemp -d /tmp/pw.XXXXXX) || exit 1
	TEST_FOLDER=$(cd "$TEST_FOLDER" && pwd -P)
	ROOT=${TEST_ROOT:-$(cd "${0%/*}/../.." && pwd -P)}
	if [ "${PANEWARD_TEST_TMUX:-}" != '' ]; then
		mkdir "$TEST_FOLDER/tested" && ln -s "$(command -v \
			"$PANEWARD_TEST_TMUX")" "$TEST_FOLDER/tested/tmux" ||
			exit 1
		PATH=$TEST_FOLDER/tested:$PATH
	fi
	trap : INT TERM HUP
	env -i PATH="$PATH" LC_ALL=C.UTF-8 TERM=screen SHELL=/bin/sh \
		PANEWARD_CEILING="${TEST_FOLDER%/*}" \
		HOME="$TEST_FOLDER/home" TMUX_TMPDIR="$TEST_FOLDER/tmux" \
		TEST_FOLDER="$TEST_FOLDER" ROOT="$ROOT" KEEP="${KEEP:-}" \
		PW="${PANEWARD_BIN:-$ROOT/paneward}" \
		BUILD="${PANEWARD_BUILD:-$ROOT/build}" \
		${ANSWER_RACES:+"ANSWER_RACES=$ANSWER_RACES"} \
		${SEND_RACES:+"SEND_RACES=$SEND_RACES"} \
		FLEET_HOSTS="${FLEET_HOSTS:-}" FLEET_ISSUES="${FLEET_ISSUES:-}" \
		FLEET_FAULTS="${FLEET_FAULTS:-}" FLEET_SEED="${FLEET_SEED:-}" \
		${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} \
		${UBSAN_OPTIONS:+"UBSAN_OPTIONS=$UBSAN_OPTIONS"} \
		"${PANEWARD_BUILD:-$ROOT/build}/tests/limit" 1200 sh "$0" "$@"
	status=$?
	[ "${KEEP:-}" != '' ] && echo "# kept: $TEST_FOLDER" ||
		rm -rf "$TEST_FOLDER"
	exit "$status"
fi

set -u
umask 022
T=$TEST_FOLDER
P=$T/project
S=$P/.worktrees/.status
tests=0
failed=0
trap 'exit 143' INT TERM HUP
mkdir "$HOME" "$TMUX_TMPDIR" "$P" && chmod 700 "$TMUX_TMPDIR" && cd "$P" ||
	exit 1
# Only the tests of the hand-off configure one.
mkdir -p "$HOME/.config/paneward" &&
	echo '{ "handoff": null }' >"$HOME/.config/paneward/config.json"

# ---- TAP --------------------------------------------------------------------

comment() { sed 's/^/# /'; }

# A test's line: result STATUS DESCRIPTION.  In a scenario only a failure says a
# word.
result() {
	if $in_scenario; then
		[ "$1" -eq 0 ] || echo "not true: $2"
		return "$1"
	fi
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
	else
		failed=$((failed + 1))
		echo "not ok $tests - $2"
	fi
	return "$1"
}

# check DESCRIPTION COMMAND...: the command exits with 0.
check() {
	description=$1
	shift
	"$@" >"$T/said" 2>&1
	result $? "$description" && return
	printf 'in vain: %s\n' "$*" | comment
	comment <"$T/said"
	return 1
}

# Negates the exit status of a command.
no() { ! "$@"; }

# is GOT WANT DESCRIPTION: two texts are the same.  In a scenario this and the next
# two need no description.
is() {
	[ "$1" = "$2" ]
	result $? "${3-is}" && return
	printf 'got:  %s\n' "$1" | comment
	printf 'want: %s\n' "$2" | comment
	return 1
}

# like TEXT REGEX DESCRIPTION: a line of the text matches.
like() {
	grep -Eq -e "$2" <<-END
		$1
	END
	result $? "${3-like}" && return
	printf '%s\n' "$1" | comment
	printf 'has no line like: %s\n' "$2" | comment
	return 1
}

unlike() {
	no grep -Eq -e "$2" <<-END
		$1
	END
	result $? "${3-unlike}" && return
	printf '%s\n' "$1" | comment
	printf 'has a line like: %s\n' "$2" | comment
	return 1
}

# ran STATUS REGEX DESCRIPTION COMMAND...: it exits so, and a line that it
# prints matches.  Its output is in $T/out and $T/err.
ran() {
	want=$1 regex=$2 description=$3
	shift 3
	got=0
	"$@" >"$T/out" 2>"$T/err" </dev/null || got=$?
	[ "$got" -eq "$want" ] &&
		{ [ "$regex" = '' ] || grep -Eq -e "$regex" "$T/out" "$T/err"; }
	result $? "$description" && return
	printf 'status %s, not %s: %s\n' "$got" "$want" "$*" | comment
	cat "$T/out" "$T/err" | comment
	return 1
}

# exits STATUS DESCRIPTION COMMAND...
exits() {
	status_wanted=$1 described=$2
	shift 2
	ran "$status_wanted" '' "$described" "$@"
}

# gives STATUS REGEX COMMAND...
gives() {
	status_wanted=$1 regex=$2
	shift 2
	ran "$status_wanted" "$regex" "$*: $regex" "$@"
}

# fails STATUS REGEX ARGUMENT...: paneward with these arguments.
fails() {
	status_wanted=$1 regex=$2
	shift 2
	gives "$status_wanted" "$regex" "$PW" "$@"
}

# valid STATUS COMMAND ARGUMENT...: the same, and its JSON is as in the schema.
valid() {
	valid_status=$1
	shift
	fails "$valid_status" '' "$@" && conforms "$1"
}

conforms() { schema "$1" <"$T/out"; }
schema() { perl "$ROOT/tests/system/schema.pl" "$ROOT" "$T/seen" "$@"; }

# covers NAME...: these members of the schema, and all below them, were there.
# json.sh tries those that no script names.
covers() {
	schema >"$T/unseen"
	for member; do
		no grep -e "^$member\$" -e "^${member}[.[]" "$T/unseen" || return
	done
}

# prints TEXT ARGUMENT...: it succeeds, and prints nothing else.
prints() {
	text=$1
	shift
	gives 0 '' "$PW" "$@" && is "$(cat "$T/out" "$T/err")" "$text" "$*"
}

# scenario DESCRIPTION: runs the commands of standard input here and compares all
# that they print.  The status of a step's last command is a line, unless 0.
# The folder is $T in it; a line that begins with "~ " is a pattern for it.  Where
# nothing is to be printed, and nothing is, there is nothing to compare.
scenario() {
	scenario_name=$1 scenario_step='' in_scenario=true scenario_said=false
	cat >"$T/wanted"
	: >"$T/got"
	while IFS= read -r scenario_line <&9; do
		case $scenario_line in
		'... '*)
			scenario_step="$scenario_step
${scenario_line#... }"
			printf '%s\n' "$scenario_line" >>"$T/got"
			continue ;;
		esac
		scenario_run 9<&-
		case $scenario_line in
		'>>> '*)
			scenario_step=${scenario_line#>>> }
			printf '%s\n' "$scenario_line" >>"$T/got" ;;
		*)
			scenario_said=true ;;
		esac
	done 9<"$T/wanted"
	scenario_run
	in_scenario=false
	no $scenario_said ||
		perl "$ROOT/tests/system/compare.pl" "$T" >"$T/differs" 2>&1
	result $? "$scenario_name" && return
	comment <"$T/differs"
	return 1
}

scenario_run() {
	[ "$scenario_step" != '' ] || return 0
	eval "$scenario_step" >"$T/step" 2>&1 </dev/null &&
		scenario_status=0 || scenario_status=$?
	scenario_step=
	[ "$scenario_status" -ne 0 ] || [ -s "$T/step" ] || return 0
	scenario_said=true
	# The last line may lack its end.  The shell tells of processes that were
	# killed whenever it likes.
	awk '!/^(Killed|Terminated) *$/' "$T/step" >>"$T/got"
	[ "$scenario_status" -eq 0 ] || echo "[$scenario_status]" >>"$T/got"
}

in_scenario=false

skip() {
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# The last line of a test; without it the test counts as broken.
done_testing() {
	echo "1..$tests"
	[ "$failed" -eq 0 ] || exit 1
	exit 0
}

# ---- waiting ----------------------------------------------------------------

now=0
# Sets now, in hundredths of a second; on Linux without starting a process.
clock() {
	if read -r now _ 2>/dev/null </proc/uptime; then
		now=${now%.*}${now#*.}
	else
		now=$(date +%s)00
	fi
}

# The shortest deadline.  On a busy machine everything takes longer, so it is
# long; but it is less than the slow tick of a watcher, which would find nearly
# everything in the end.
patience=25

# wait_until SECONDS COMMAND...: repeats the command until it succeeds.  After
# that time the test has failed and prints all that is known.  Programs, and a
# test that is not true at once, are left to tests/until.c; a function is called
# here, at once, soon, and then five times a second, since each sleep is a process.
wait_until() {
	seconds=$1
	[ "$seconds" -ge "$patience" ] || seconds=$patience
	shift
	if [ "$1" = test ] && "$@"; then
		return
	elif is_program "$@"; then
		"$BUILD/tests/until" "$seconds" "$@" >"$T/said" 2>&1 && return
	else
		repeat "$@" && return
	fi
	result 1 "within $seconds s: $*"
	comment <"$T/said"
	dump
	return 1
}

# is_program [no] COMMAND...: but not pgrep -f, which would find the words of
# tests/until.c.
is_program() {
	[ "$1" != no ] || shift
	case $1 in
	pgrep) return 1 ;;
	*/* | test | grep | kill) ;;
	*)
		command -v "$1" >"$T/said"
		read -r program_path <"$T/said"
		case $program_path in */*) ;; *) return 1 ;; esac ;;
	esac
}

repeat() {
	clock
	until=$((now + seconds * 100))
	pauses='0.02 0.02 0.03 0.05 0.07 0.1 0.15 0.2'
	while ! "$@" >"$T/said" 2>&1; do
		[ "$now" -lt "$until" ] || return
		sleep "${pauses%% *}"
		pauses=${pauses#* }
		clock
	done
}

# soon DESCRIPTION COMMAND...: a check that it succeeds within ten seconds.  What
# may change back is looked at once: never wait for it and then check it again.
soon() {
	description=$1
	shift
	wait_until 10 "$@" && result 0 "$description"
}

# rests PID: does the process sleep until an event or its slow tick?  It does
# not during a burst of output, before a capture, or while it asks tmux; the
# deadlines of these are shorter than $resting ms.
rests() {
	if ! read -r call _ _ timeout _ 2>/dev/null <"/proc/$1/syscall"; then
		no kill -0 "$1" 2>/dev/null || sleep 2
		return 0
	fi
	case $call in
	7 | 219)                        # poll, and one that was interrupted
		[ $((timeout)) -gt "${resting:-2500}" ] && no asks_tmux "$1" ;;
	*)
		false ;;
	esac
}

asks_tmux() {
	if [ ! -e "/proc/$1/task/$1/children" ]; then
		pgrep -x -P "$1" tmux
		return
	fi
	children=
	read -r children 2>/dev/null <"/proc/$1/task/$1/children"
	for child in $children; do
		read -r child 2>/dev/null <"/proc/$child/comm" &&
			[ "$child" = tmux ] && return
	done
	return 1
}

# Do all watchers and waiters rest, and have the ended ones recorded their end?
all_rest() {
	for file in "$T"/*.pid "$S"/.paneward/*.lock; do
		read -r pid _ 2>/dev/null <"$file" || continue
		case $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") in
		*' watch '* | *' wait '*)
			rests "$pid" || return ;;
		'')
			[ "$file" = "${file%.pid}" ] ||
				[ -e "${file%.pid}.status" ] || return ;;
		esac
	done
}

# Waits until every watcher has handled all earlier events, so that what must
# not happen would have happened by now.  It checks twice, since the kernel
# shows a write a moment before it reports it.  Without /proc it waits two
# seconds, longer than a burst of output and the capture after it.
#
# let_pass MS: for a slow tick that is shorter than usual, but longer than MS.
let_pass() {
	resting=${1:-2500}
	if [ "$(uname -sm)" != 'Linux x86_64' ]; then
		sleep 2
		return
	fi
	wait_until 60 all_rest
	sleep 0.1
	wait_until 60 all_rest
}

# turns PID: how often the process has slept so far; empty without /proc.
turns() {
	sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status" \
		2>/dev/null
}

turned() { [ "$(turns "$1")" -ge "$2" ]; }

# let_turn PID: the same for a process that never rests because it keeps
# retrying.
let_turn() {
	slept=$(turns "$1")
	if [ "$slept" = '' ]; then
		sleep 4
	else
		wait_until 60 turned "$1" $((slept + 3))
	fi
}

# Prints what helps to understand a failure.  A tmux command would hang on a server
# that the test has stopped.
dump() {
	grep -ls -e "$T" /proc/[0-9]*/environ | cut -d / -f 3 >"$T/pids"
	# shellcheck disable=SC2046
	kill -CONT $(cat "$T/pids") 2>/dev/null
	tm list-panes -a -F "pane #{pane_id} #{session_name} #{pane_pid} \
dead=#{pane_dead} pipe=#{pane_pipe} #{pane_current_command}" 2>&1 | comment
	for pane in $(tm list-panes -a -F '#{pane_id}' 2>/dev/null); do
		echo "# ---- screen of $pane"
		tm capture-pane -p -t "$pane" | sed '/^$/d' | comment
	done
	while read -r pid; do
		tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" |
			sed "s/^/process $pid /" | comment
		echo
	done <"$T/pids"
	find "$T" -path "*/.status/*" -type f -size -64k \
		! -name '*.lock' ! -name '.gitignore' | sort |
	while read -r file; do
		echo "# ---- ${file#"$T/"}"
		tail -n 20 "$file" | LC_ALL=C tr -d '\000-\010\013-\037' |
			comment
	done
}

# upgraded PROGRAM...: they get another version; `PROGRAM --version` is $is.
upgraded() {
	was=$("$1" --version) is=$("$1" --version | tr 0-9 9)
	perl -pi -e "s/\Q${was##* }\E\0/${is##* }\0/g" "$@"
}

# ---- tmux -------------------------------------------------------------------

# The server that paneward finds as the user's default one.
tm() { tmux -L default -f /dev/null "$@"; }

# A detached session keeps the server alive.
tmux_start() {
	tm new-session -d -s keeper -x 80 -y 24 'exec tail -f /dev/null'
}

# pane_run SESSION COMMAND [OPTION...]: a new session with one pane.
pane_run() {
	session=$1
	command=$2
	shift 2
	tm new-session -d -s "$session" -x 80 -y 24 "$@" "$command" &&
		wait_until 5 pane_placed "$session"
}

# Is its process where it was started?  tmux answers before: first a pane has no
# directory and belongs to no project, then, until its process is no copy of the
# server any more, it has that of the server.
pane_placed() { placed "$(tm display-message -p -t "=$1:" "$placed_format")"; }

# all_placed [TMUX...]: are all panes of a server?
all_placed() {
	[ $# -gt 0 ] || set -- tm
	"$@" list-panes -a -F "$placed_format" >"$T/places" || return
	while read -r place; do
		placed "$place" || return
	done <"$T/places"
}

placed_format='#{pane_dead} #{?#{==:#{pane_current_path},#{pane_start_path}},'\
'same,#{pane_current_command}} #{pane_current_path}'

placed() {
	case $1 in
	1*) ;;
	'0 tmux '* | *' ') return 1 ;;
	esac
}

# pane_type SESSION TEXT: types the text and Enter.
pane_type() { tm send-keys -t "=$1:" -l "$2" && tm send-keys -t "=$1:" Enter; }

# pane_text SESSION: its lines; some versions of tmux leave blanks at their ends.
pane_text() { tm capture-pane -p -J -t "=$1:" | sed 's/ *$//; /^$/d'; }

# pane_shows SESSION TEXT: is the text on the screen?
pane_shows() {
	case $(tm capture-pane -p -J -t "=$1:") in
	*"$2"*) ;;
	*) return 1 ;;
	esac
}

# pane_tell SESSION FORMAT: expands a format of tmux, as '#{pane_id}'.
pane_tell() { tm display-message -p -t "=$1:" "$2"; }

# client_attach NAME SESSION [TERM]: a terminal shows the session.  What reaches
# it is in $T/NAME.bytes; what is written to $T/NAME.keys is typed.
client_attach() {
	name=$1
	attach_line="TERM=${3:-xterm-256color} exec tmux -L default attach \
		-t '=$2'"
	mkfifo "$T/$1.keys"
	sleep 1000 <>"$T/$1.keys" &
	case $(command script --version 2>&1) in
	*util-linux*) set -- -qfc "$attach_line" "$T/$1.bytes" ;;
	*) set -- -q "$T/$1.bytes" sh -c "$attach_line" ;;
	esac
	{
		command script "$@" >"$T/$name.said" 2>&1 <"$T/$name.keys"
		: >"$T/$name.detached"
	} &
	wait_until 5 client_drawn "$name"
}

client_drawn() { [ -s "$T/$1.bytes" ] && tm list-clients | grep -q .; }

# ---- paneward ---------------------------------------------------------------

# record ISSUE KEY: a value of the status record, as in `record 42 tmux.pane`;
# empty without such a key.
record() {
	recorded_value=$(fields "$@")
	[ "$recorded_value" = - ] || printf %s "$recorded_value"
}

# fields ISSUE KEY...: values of the record in a line, as in `fields 42 state
# handoff.state`; "-" without such a key.
fields() {
	of_issue=$1
	shift
	perl -MJSON::PP -e '
		local $/;
		open my $file, "<", shift or exit 1;
		my $record = decode_json(<$file>);
		binmode STDOUT, ":utf8";
		print join(" ", map {
			my $v = $record;
			for (split /\./) {
				$v = ref $v ? $v->{$_} : undef;
			}
			$v // "-";
		} @ARGV), "\n"' "$S/.paneward/$of_issue.json" "$@"
}

# has ISSUE KEY VALUE: has the record that value?
has() { [ "$(record "$1" "$2")" = "$3" ]; }

# recorded ISSUE STATE: has the record this state?  It is called again and
# again, so it starts no process: the run's state is the first one in the
# record.
recorded() {
	line=
	read -r line 2>/dev/null <"$S/.paneward/$1.json" ||
		[ "$line" != '' ] || return
	line=${line#*\"state\":\"}
	[ "${line%%\"*}" = "$2" ]
}

# journal ISSUE TYPE: the journal's lines of that type, as in `journal 42
# state`.
journal() {
	grep -s "\"type\":\"paneward\.$2\",\"subject\":\"$1\"" \
		"$S/.paneward/journal.ndjson"
}

# How often did an issue enter a state?
changes() { journal "$1" state | grep -c "\"state\":\"$2\""; }

# another_boot RECORD...: they are of a boot before this one.
another_boot() {
	sed -i 's/"boot":"[^"]*"/"boot":"00000000-0000-4000-8000-000000000000"/' \
		"$@"
}

# The process that watches an issue, if it is alive.
watcher() {
	read -r of_lock _ 2>/dev/null <"$S/.paneward/$1.lock" &&
		kill -0 "$of_lock" 2>/dev/null && echo "$of_lock"
}

watched() { watcher "$1" >/dev/null; }

# begin_command NAME ARGUMENT...: starts paneward in the background; its output
# is in $T/NAME.out and .err, its process in .pid, its exit status in .status.
begin_command() {
	name=$1
	shift
	rm -f "$T/$name.status" "$T/$name.pid" "$T/$name.out" "$T/$name.err"
	{
		sh -c 'echo $$ >"$0"; exec "$@"' "$T/$name.pid" "$PW" "$@" \
			>"$T/$name.out" 2>"$T/$name.err" </dev/null
		echo $? >"$T/$name.ended"
		mv "$T/$name.ended" "$T/$name.status"
	} &
	wait_until 5 test -s "$T/$name.pid"
}

command_ended() { test -e "$T/$1.status"; }

watch_begin() {
	name=$1
	shift
	begin_command "$name" watch "$@"
}

# freeze PID...: until all of them stand still, since a signal arrives later.  One
# that has ended does, too: a list of processes is old as soon as it is made.
freeze() {
	for pid; do
		kill -STOP "$pid" 2>/dev/null
	done
	for pid; do
		wait_until 5 frozen "$pid"
	done
}

frozen() {
	case $(ps -o stat= -p "$1") in
	'' | *[TZ]*) ;;
	*) return 1 ;;
	esac
}

# watch_holds NAME ISSUE: it holds the lock of the issue.
watch_holds() {
	read -r of_name 2>/dev/null <"$T/$1.pid" && watched "$2" &&
		[ "$of_lock" = "$of_name" ]
}

# watch_locks NAME ISSUE [OPTION...]: a watch that has the lock of the issue.
watch_locks() {
	watch_begin "$@"
	wait_until 5 watch_holds "$1" "$2"
}

# watch_ended NAME STATUS DESCRIPTION: it exits with STATUS within ten seconds.
watch_ended() {
	wait_until 10 command_ended "$1" || comment <"$T/$1.err"
	is "$(cat "$T/$1.status" 2>&1)" "$2" "${3-$1 ends}" && return
	comment <"$T/$1.out"
	comment <"$T/$1.err"
	return 1
}

# script NAME: writes $T/NAME, an agent, from standard input.
script() {
	case $1 in */*) mkdir -p "$T/${1%/*}" ;; esac
	{ echo '#!/bin/sh'; cat; } >"$T/$1"
	chmod +x "$T/$1"
}

# obedient NAME: writes $T/NAME, an agent that runs only the commands of
# `tell NAME COMMAND`.
obedient() {
	mkfifo "$T/$1.orders"
	# No command blocks or is lost while the agent is not reading.
	sleep 1000 <>"$T/$1.orders" &
	script "$1" <<-END
		exec 3<>'$T/$1.orders'
		while read -r order <&3; do
			eval "\$order" 3<&-
		done
	END
}

tell() { printf '%s\n' "$2" >"$T/$1.orders"; }

# obeys ISSUE [OPTION...]: paneward starts the obedient agent aISSUE in session
# sISSUE.
obeys() {
	obeying=$1
	shift
	obedient "a$obeying"
	"$PW" start "$obeying" --session "s$obeying" "$@" -- \
		"$T/a$obeying" >"$T/said" 2>&1 || comment <"$T/said"
}

# logged ISSUE TEXT: is the text in the pane log?
logged() { grep -Fqs -e "$2" "$S/output-$1.log"; }

# ---- tests/vectors/chain ----------------------------------------------------

# drawn SESSION: has tmux drawn the output before this title?
drawn() { [ "$(tm display-message -p -t "=$1:" '#{pane_title}')" = drawn ]; }

# case_begin SESSION: a pane that shows the case of the current directory, with
# the case's signals just written.
case_begin() {
	pane_run "$1" "cat capture; printf '\\033]2;drawn\\033\\\\'
		exec sleep 1000" -x 120 -y 40
	wait_until 10 drawn "$1"
	find status -name 'signal-*' -exec touch {} +
}

# value KEY: a text of the JSON object in $T/line.
value() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$T/line"; }

# ---- git --------------------------------------------------------------------

# The project becomes a git repository with one commit.
git_project() {
	git init -q -b main "$P" && git -C "$P" -c user.name=test \
		-c user.email=test@localhost commit -q --allow-empty -m first
}
