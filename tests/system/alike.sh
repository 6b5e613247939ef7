#!/bin/sh
# One agent, several commands that tell its state: status, explain, sweep and
# watch give the same state, source, age and exit for the same evidence.
. "${0%/*}/lib.sh"

export PATH="$T/bin:$PATH"
mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
# settings [MORE]
settings() {
	echo "{ ${1:-} \"backend\": \"claude\",
	\"session_pattern\": \"^issue-(?<issue>[a-z]+)\$\" }" \
		>"$P/.paneward.json"
}
rule=────────────────────────────────────────
dialog=$(printf '%s\n' "$rule" ' Bash command' ' what it is for' '╌╌╌╌╌╌╌╌╌╌' \
	' mkdir x' '╌╌╌╌╌╌╌╌╌╌' ' Do you want to proceed?' ' ❯ 1. Yes' \
	'   2. No' '' ' Esc to cancel · Tab to amend')

# An agent draws $T/NAME.screen once, or each half a second if $T/NAME.again is
# there.
cat >"$T/agent.pl" <<'END'
my ($folder, $name, $drawn) = @ARGV;
$| = 1;
for (;; select undef, undef, undef, 0.1) {
	my $key = (stat "$folder/$name.screen")[1] or next;
	my $again = -e "$folder/$name.again";
	next if $key eq ($drawn // '') && !$again;
	open my $file, '<', "$folder/$name.screen" or next;
	print "\e[H\e[J", map { s/\n/\r\n/r } <$file>;
	$drawn = $key;
	select undef, undef, undef, 0.4 if $again;
}
END

# agent NAME [SESSION]: in a pane of its own.
agent() {
	tm new-session -d -s "${2:-issue-$1}" -x 80 -y 24 -c "$P" \
		"exec claude '$T/agent.pl' '$T' '$1'"
}

# shows NAME TEXT: the agent draws it.
shows() {
	printf '%s\n' "$2" >"$T/$1.drawing"
	mv "$T/$1.drawing" "$T/$1.screen" && touch "$T/$1.at"
}

# event NAME EVENT [MORE]: for a hook.
event() {
	printf '{"hook_event_name":"%s","session_id":"%s"%s}' "$2" "$1" "${3:-}"
}

# hook NAME EVENT [MORE]: of the agent of an issue.
hook() {
	event "$@" | env PANEWARD_ISSUE="$1" PANEWARD_RUN="$(record "$1" run)" \
		PANEWARD_STATUS_DIR="$S" "$PW" hook record
	touch "$T/$1.at"
}

# hook_by_hand SESSION EVENT [MORE]: of an agent without an issue.
hook_by_hand() {
	event "$@" | env TMUX="$(pane_tell "$1" '#{socket_path},#{pid},0')" \
		TMUX_PANE="$(pane_tell "$1" '#{pane_id}')" "$PW" hook record
	touch "$T/$1.at"
}

# signal NAME KIND [MESSAGE]
signal() {
	touch "$T/$1.at"
	printf '%s' "${3:-}" >"$S/signal-$2-$1"
}

# told NAME: state, source, and since when it is so, of the JSON on standard
# input: "then", when its evidence came; "now", when it was judged; "before", as
# the record had it; "-", not told.
told() {
	perl -MJSON::PP -MTime::Local -e '
		my ($at, $begun) = map { (stat $_)[9] } @ARGV;
		local $/;
		my ($v) = JSON::PP->new->incr_parse(scalar <STDIN>);
		print("no row"), exit if !$v;
		my ($y, $m, $d, $H, $M, $s) = ($v->{since} // "") =~
		    /(\d+)-(\d+)-(\d+)T(\d+):(\d+):([\d.]+)/;
		my $since = $y ? timegm(int $s, $M, $H, $d, $m - 1, $y) : 0;
		my $age = !$since ? "-" : $since < $at - 60 ? "before" :
		    $since <= $at + 1 ? "then" : $since >= $begun - 1 ? "now" :
		    "between";
		print "$v->{state} $v->{source} $age"' "$T/$1.at" "$T/begun"
}

# recorded_of NAME: the same of its record, and a signal that is left.
recorded_of() {
	told "$1" <"$S/.paneward/$1.json"
	[ ! -e "$S/signal-complete-$1" ] && [ ! -e "$S/signal-error-$1" ] ||
		printf ' signal'
}

# copied FROM TO: what a status directory has of the scenes.
copied() {
	rm -rf "${2:?}"/.paneward/*.* "$2"/signal-*
	mkdir -p "$2/.paneward"
	cp -p "$1"/.paneward/*.* "$2/.paneward/"
	cp -p "$1"/signal-* "$2/"
	# A sweep stands behind each row for ten minutes.
	rm -f "$2/.paneward/sweep"
}

scenes='working hooked asks redrawn waits fails limited stalled split complete
error marked dead gone nobackend respawned'

settings
tmux_start
for name in working asks redrawn complete error marked gone nobackend \
	stalled hooked waits fails limited; do
	agent "$name"
done
tm new-session -d -s issue-dead -x 80 -y 24 'exec cat'
tm set-option -g remain-on-exit on
agent hand hand
agent asker asker
for name in respawned split; do
	"$PW" start $name --no-watch --session $name -- claude "$T/agent.pl" \
		"$T" $name >"$T/said" 2>&1
done
shows working work
shows stalled work
: >"$T/working.again"
wait_until 10 all_placed
wait_until 10 pane_shows issue-working work
fails 0 '' sweep
for name in $scenes; do
	is "$(record "$name" state)" working "$name works"
	touch -d '2 days ago' "$T/$name.at"
done
perl -pi -e 's/"since":"[^"]*"/"since":"2020-01-01T00:00:00.000Z"/' \
	"$S"/.paneward/*.json
rm "$S/.paneward/sweep"
perl -pi -e 's/^\{/{"backend":"nosuch",/' "$S/.paneward/nobackend.json"
settings '"stalled_after": 3,'

# ---- what happens -------------------------------------------------------------

mkdir_asked=',"tool_name":"Bash","tool_input":{"command":"mkdir x"}'
touch "$T/hand.again" "$T/redrawn.again" "$T/dead.at" "$T/pair.at" \
	"$T/gone.at" "$T/respawned.at"
shows hand 'some output'
hook_by_hand hand UserPromptSubmit
tm split-window -d -t =split: "while :; do echo .; sleep 0.3; done"
shows stalled 'the last words'
shows split 'the last words'
shows redrawn "$dialog"
shows asks "$dialog"
shows marked '###TASK_COMPLETE_marked###'
hook hooked PermissionRequest "$mkdir_asked"
hook waits Stop ',"last_assistant_message":"That is all."'
hook fails StopFailure ',"error":"server_error"'
hook limited StopFailure ',"error":"rate_limit"'
signal complete complete
signal error error 'no disk'
kill -KILL "$(pane_tell issue-dead '#{pane_pid}')"
tm kill-session -t =issue-gone
pane=$(record respawned tmux.pane)
kill -KILL "$(record respawned agent.pid)" "$(tm display-message -p -t "$pane" \
	'#{pane_pid}')"
wait_until 5 eval '[ "$(tm display-message -p -t "$pane" "#{pane_dead}")" = 1 ]'
tm respawn-pane -k -t "$pane" 'exec cat'
for session in pair other; do
	tm new-session -d -s $session -x 80 -y 24 "exec cat"
	tm set-option -p -t =$session: @paneward_issue pair
done

says_stalled() {
	[ "$("$PW" status stalled split | grep -c '^[a-z]* *stalled')" = 2 ]
}
wait_until 10 says_stalled
hook_by_hand hand PreToolUse ',"tool_name":"Bash","tool_input":{"command":"x"}'
touch "$T/begun"

# ---- who says what of it ------------------------------------------------------

# says COMMAND...: what it says of an issue, and its exit, is in $T/NAME.COMMAND.
says() {
	code=0
	"$PW" "$@" >"$T/out" 2>"$T/err" || code=$?
	case $1 in
	status)  said=$(told "$name" <"$T/out") ;;
	explain) said=$(sed -n "s/.*\"verdict\":\"\([^\"]*\)\",\
\"source\":\"\([a-z]*\).*/\1 \2/p" "$T/out") ;;
	watch)   said=$(recorded_of "$name") ;;
	esac
	printf '%s' "${said:-nothing} $code" >"$T/$name.$1"
}

copied "$S" "$T/scenes"
for name in $scenes pair; do
	says status --json "$name"
	says explain --json "$name"
done
fails 0 '' sweep --check-errors
for name in $scenes; do
	recorded_of "$name" >"$T/$name.sweep"
done
printf nothing >"$T/pair.sweep"
copied "$T/scenes" "$S"
for name in $scenes pair; do
	says watch --once "$name" 2>"$T/err"
done
for name in $scenes pair; do
	echo "$name: $(cat "$T/$name.status") | $(cat "$T/$name.explain") | $(
		cat "$T/$name.sweep") | $(cat "$T/$name.watch")"
done >"$T/got"

# Some differ: watch takes a marker on the screen, and an end, to be of now, and what
# its log has unread to be new (split).  A dialog that is redrawn, without an event,
# is new to each that sees it first.  status judges no pane that its record does not
# have (gone, respawned), and knows no issue without one (pair).
cat >"$T/want" <<'END'
working: working process before 0 | working process 0 | working process before | working process before 124
hooked: asking hook then 0 | asking hook 0 | asking hook then | asking hook then 124
asks: asking screen then 0 | asking screen 0 | asking screen then | asking screen then 124
redrawn: asking screen now 0 | asking screen 0 | asking screen now | asking screen now 124
waits: waiting hook then 0 | waiting hook 0 | waiting hook then | waiting hook then 124
fails: asking hook then 0 | asking hook 0 | asking hook then | asking hook then 124
limited: limited hook then 0 | limited hook 0 | limited hook then | limited hook then 124
stalled: stalled process then 0 | stalled process 0 | stalled process then | stalled process then 124
split: stalled process then 0 | stalled process 0 | stalled process then | working process before 124
complete: complete signal then 0 | complete signal 0 | complete signal then | complete signal then 0
error: error signal then 0 | error signal 0 | error signal then | error signal then 1
marked: complete capture then 0 | complete capture 0 | complete capture then | complete capture now 0
dead: dead process then 0 | dead process 0 | dead process then | dead process now 10
gone: unknown process then 0 | gone session 0 | gone session now | gone session now 10
nobackend: stalled process between 0 | stalled process 0 | stalled process between | stalled process between 124
respawned: unknown process then 0 | dead process 0 | dead process then | dead process now 10
pair: no row 1 | nothing 2 | nothing | nothing 2
END
is "$(diff "$T/want" "$T/got")" '' \
	'the commands agree: status, explain, sweep, watch'
# A plain sweep does not look for the error.
copied "$T/scenes" "$S"
name=error
fails 0 '' sweep
says status --json error
is "$(cat "$T/error.status")" 'error signal then 0' 'status shows it all the same'

# ---- agents without an issue --------------------------------------------------

# The age of one that works is not that of its last event; what a hook alone reports
# is seen within seconds.
told_by_hand() {
	"$PW" status --all --json | grep "\"where\":\"$1:" | told "$1"
	echo
}
asks() {
	grep '"where":"asker:' "$T/follow.out" | tail -n 1 |
		grep -q '"state":"asking"'
}
scenario 'agents without an issue are told as soon as their hooks report' <<'END'
>>> told_by_hand hand
working hook then
>>> begin_command follow status --all --json --follow
>>> wait_until 10 grep -q '"where":"asker:' "$T/follow.out"
>>> hook_by_hand asker PermissionRequest "$mkdir_asked"; clock; asked=$now
>>> wait_until 10 asks; clock; test $((now - asked)) -lt 500
>>> kill "$(cat "$T/follow.pid")"
END
done_testing
