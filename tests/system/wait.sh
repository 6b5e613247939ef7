#!/bin/sh
# paneward wait: whatever settles an issue, by any watcher, before the call
# or after it, is told once, and nothing is done but sleep until then.
. "${0%/*}/lib.sh"

# wait_begin NAME ARGUMENT...: a wait beside the test, as begin_command begins it.
wait_begin() {
	name=$1
	shift
	begin_command "$name" wait "$@"
	wait_until 5 asleep "$name"
}

# Has it looked at everything, and sleeps (or has it ended)?
asleep() {
	[ -e "$T/$1.status" ] ||
		grep -qs '(paneward) S' "/proc/$(cat "$T/$1.pid")/stat"
}

goes_on() {
	let_pass
	no test -e "$T/$1.status"
}

# ends NAME STATUS OUTPUT: it does, so, and has said that.
ends() {
	wait_until 40 command_ended "$1"
	is "$(cat "$T/$1.status") $(cat "$T/$1.out")" "$2 $3" "$1 ends"
}

# How often it has slept so far; nothing where the kernel does not tell both it
# of changes and us of that.
wakes() {
	find "/proc/$(cat "$T/$1.pid")/fd" -lname '*inotify' 2>/dev/null |
		grep -q . && turns "$(cat "$T/$1.pid")"
}

begin() {
	rm -f "$T/a$1.orders"
	obeys "$@"
}

# put ISSUE STATE [HANDOFF [DIR]]: a record like that of issue 1, put in its
# place as paneward does it.
put() {
	own=${4:-$S}/.paneward
	handoff=
	[ "${3:-}" = '' ] || handoff="\"handoff\":{\"state\":\"$3\",\"id\":\
\"\",\"attempts\":1,\"last_exit\":3},"
	sed -e "s/\"issue\":\"[^\"]*\"/\"issue\":\"$1\"/" \
		-e "s/\"state\":\"[a-z]*\"/\"state\":\"$2\"/" \
		-e "s/\"why\":\"[^\"]*\"/\"why\":\"it is $2\"/" \
		-e "s/\"backend\"/$handoff&/" "$T/one.json" \
		>"$own/$1.json.tmp" && mv "$own/$1.json.tmp" "$own/$1.json"
}

scenario 'a wrong use is refused, in one line' <<'END'
>>> fails 2 'paneward: wait: needs ISSUE' wait; wc -l <"$T/err"
1
>>> fails 2 "'../x' is not an issue" wait ../x
>>> fails 2 "'' is not an issue" wait 42 ''
>>> fails 2 "'error,done': 'done' is not a state: .* complete, error," \
... 	wait 42 --until error,done
>>> fails 2 "until '': '' is not a state" wait 42 --until ''
>>> fails 2 "until 'error,': '' is not a state" wait 42 --until error,
>>> fails 2 "'-1' is not a whole number from 0" wait 42 --timeout -1
>>> fails 2 "'1x' is not a whole number" wait 42 --timeout 1x
>>> fails 2 "unknown option '--nonsense'" wait 42 --nonsense
>>> fails 2 'at most 1000 issues' wait $(seq 1001)
>>> "$PW" wait --help | head -n 1
Examples:
>>> "$PW" wait 42 --timeout 0m
paneward: there is no record of issue '42' in '$T/project/.worktrees/.status' yet
[124]
>>> no test -e "$P/.worktrees" && mkdir -p "$S" && chmod 777 "$S"
>>> fails 3 'any user can write to it' wait 42; rm -r "$P/.worktrees"
END

script bin/tmux <<END
echo asked >>'$T/asked'
END
PATH=$T/bin:$PATH wait_begin first 1
tmux_start
scenario 'an issue of which nothing is known yet is waited for' <<'END'
>>> stat -c %a "$S"; no test -e "$S/.paneward/1.lock"
700
>>> begin 1; wait_until 5 recorded 1 working; goes_on first
>>> ps -o pid= --ppid "$(cat "$T/first.pid")"
[1]
>>> tell a1 '"$PANEWARD" signal complete'; 
>>> ends first 0 '1 complete: signal-complete-1 is there'; cat "$T/first.err"
paneward: new project '$T/project'
paneward: there is no record of issue '1' in '$T/project/.worktrees/.status' yet
>>> no test -e "$T/asked"
END
cp "$S/.paneward/1.json" "$T/one.json"

# A removed one is not reported, so this goes on in parallel to the rest.
wait_begin removed 70 --status-dir "$T/removed"
rm -rf "$T/removed"
scenario 'a directory that is moved is reported, and not used' <<'END'
>>> wait_begin moved 70 --status-dir "$T/moved"; mv "$T/moved" "$T/away"
>>> wait_until 5 test -d "$T/moved/.paneward"
>>> put 70 dead '' "$T/away"; goes_on moved
>>> put 70 complete '' "$T/moved"; ends moved 0 '70 complete: it is complete'
>>> grep replaced "$T/moved.err"
paneward: the status directory '$T/moved' was replaced; going on in the new one
END

begin 2
begin 3
begin 4
tell a2 '"$PANEWARD" signal error "no way"'
tell a3 'exit 3'
wait_until 5 recorded 4 working
tm kill-session -t =s4:
wait_until 10 recorded 2 error
wait_until 10 recorded 3 dead
wait_until 10 recorded 4 gone
scenario 'what has happened already is told at once, each once' <<'END'
>>> "$PW" wait 1; "$PW" wait 1 --timeout 0
1 complete: signal-complete-1 is there
1 complete: signal-complete-1 is there
>>> fails 1 '^2 error: signal-error-2 is there: no way$' wait 2
>>> fails 10 '^3 dead: .*status 3' wait 3; fails 10 '^4 gone: ' wait 4
>>> fails 1 '^1 complete' wait 1 2 3 4 3; cut -c -3 "$T/out" | tr -d '\n'; echo
1 c2 e3 d4 g
END
"$PW" watch 1 --json >"$T/watched"
scenario 'as JSON with the words of watch' <<'END'
>>> fails 1 . wait 1 2 --json --any; head -n 1 "$T/out" | diff "$T/watched" -
>>> perl -MJSON::PP -ne 'my $v = decode_json($_); print join(" ", map {
... 	$v->{$_} // "-" } qw(issue state source message)), "\n"' <"$T/out"
1 complete signal -
2 error signal no way
END

begin 5 --no-watch
begin 6
wait_begin w 5
wait_begin v 6 --until complete
watch_locks killed 5
kill -KILL "$(cat "$T/killed.pid")"
wait_until 5 command_ended killed
scenario 'another watcher, and a new run, settle an issue' <<'END'
>>> tell a5 'echo "###TASK_COMPLETE_5###"'; wait_until 5 logged 5 TASK_COMPLETE_5
>>> tell a6 'exit 1'; wait_until 10 recorded 6 dead; goes_on w; goes_on v
>>> watch_begin next 5
>>> ends w 0 '5 complete: a completion marker in the pane log'
>>> tm kill-session -t =s6:; begin 6; tell a6 'echo "###TASK_COMPLETE_6###"'
>>> ends v 0 '6 complete: a completion marker in the pane log'
END

wait_begin all 10 11 12
wait_begin any 10 11 12 --any
scenario 'one is enough for --any, otherwise each is told as it settles' <<'END'
>>> put 11 working; put 11 error; ends any 1 '11 error: it is error'
>>> wait_until 5 grep -q '^11 error' "$T/all.out"
>>> put 11 working; put 10 complete; put 12 working; goes_on all
>>> put 12 complete; ends all 1 '11 error: it is error
... 10 complete: it is complete
... 12 complete: it is complete'
END

wait_begin w 20 --until waiting,limited
scenario 'it waits for the states that are asked for' <<'END'
>>> put 20 working; put 20 complete; goes_on w
>>> put 20 waiting; ends w 11 '20 waiting: it is waiting'
>>> for state in working limited stalled unknown; do
... 	put 21 $state; fails 0 "21 $state: it is $state" wait 21 --until $state
... done
>>> put 21 asking; fails 11 '21 asking: ' wait 21 --until asking
END

# together STATUS STATE[/HANDOFF]...: a wait for issues in these states.
together() {
	status=$1
	shift
	issues=
	i=30
	for state; do
		i=$((i + 1))
		issues="$issues $i"
		case $state in
		*/*) put "$i" "${state%/*}" "${state#*/}" ;;
		*) put "$i" "$state" ;;
		esac
	done
	# shellcheck disable=SC2086
	fails "$status" '' wait $issues --timeout 0 \
		--until asking,waiting,complete,error,dead,gone
}

scenario 'the status of several is that of the worst' <<'END'
>>> together 0 complete complete; together 0 complete complete/done
>>> together 1 complete error; together 12 error complete/refused
>>> together 12 dead complete/failed; together 1 dead error
>>> together 1 waiting error; together 10 waiting gone complete
>>> together 11 complete waiting; together 11 working waiting
>>> together 11 asking complete; together 10 working dead
>>> together 1 working error; together 12 working complete/failed error
>>> together 124 working complete; together 124 complete complete/pending
>>> together 124 complete complete/running
>>> put 40 error; put 41 working; fails 1 '' wait 40 41 --any --timeout 0
>>> fails 124 '' wait 41 42 --any --timeout 0
END
scenario 'time runs out, without a word' <<'END'
>>> clock; before=$now; "$PW" wait 41 --timeout 1
[124]
>>> clock; before=$((now - before))
>>> test "$before" -ge 100 -a "$before" -lt $((patience * 100))
END

# It ends when it is told how.
mkfifo "$T/go"
sleep 1000 <>"$T/go" &
script handoff <<END
read -r status <'$T/go'
echo "with \$status" >&2
exit \$status
END

# hand_off ISSUE: it is complete, and a hand-off under way.
hand_off() {
	begin "$1" --no-watch
	PANEWARD_HANDOFF_ATTEMPTS=1 watch_begin "h$1" "$1" \
		--handoff "$T/handoff"
	wait_begin w "$1"
	tell "a$1" "\"\$PANEWARD\" signal complete"
	wait_until 5 recorded "$1" complete
}

scenario 'complete is settled when it is handed off, or that has failed' <<'END'
>>> hand_off 50; goes_on w; cat "$T/w.out"; echo 0 >"$T/go"
>>> ends w 0 '50 complete: signal-complete-50 is there'
>>> hand_off 51; echo 77 >"$T/go"; ends w 12 '51 hand-off refused: with 77'
>>> hand_off 52; echo 3 >"$T/go"
>>> ends w 12 '52 hand-off failed for good (exit 3), attempt 1: with 3'
>>> fails 12 '"state":"complete",.*"handoff":."state":"failed"' wait 52 --json
>>> conforms wait; valid 0 history 52 --json; covers row.handoff.id
>>> covers row.handoff.state row.handoff.attempts row.handoff.failures
>>> covers row.handoff.last_exit row.handoff.begun row.handoff.message
>>> covers history.data.handoff history.data.attempt history.data.exit
END

echo nonsense >"$S/.paneward/60.json"
wait_begin w 60 61
scenario 'a record that cannot be read is no end, and told once' <<'END'
>>> put 61 complete; wait_until 5 grep -q '^61 complete' "$T/w.out"
>>> echo 'more nonsense' >"$T/60.json"; mv "$T/60.json" "$S/.paneward/60.json"
>>> ln -sf "$T/one.json" "$S/.paneward/beside"
>>> mv -T "$S/.paneward/beside" "$S/.paneward/60.json"; goes_on w
>>> put 60 complete; ends w 0 '61 complete: it is complete
... 60 complete: it is complete'; cat "$T/w.err"
paneward: cannot read the status record of issue '60' in '$T/project/.worktrees/.status': it is damaged; unless it is written again, remove it
paneward: there is no record of issue '61' in '$T/project/.worktrees/.status' yet
END

put 80 working
wait_begin w 80 81
let_pass
before=$(wakes w)
clock
began=$now
# at_most NUMBER: has it woken so often since, besides its slow ticks?
at_most() {
	let_pass
	clock
	[ $(($(wakes w) - before)) -le $(((now - began) / 3000 + 1 + $1)) ]
}
if [ "$before" = '' ]; then
	skip 'it sleeps' 'the kernel does not tell'
else
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo "$i" >>"$S/.paneward/journal.ndjson"
		echo "$i" >>"$S/output-80.log"
		: >"$S/.paneward/$i.lock"
		: >"$S/signal-other-$i"
	done
	check 'it sleeps whatever is written beside the records' at_most 0
	put 82 working
	check 'and wakes once for each of these' at_most 1
fi
scenario 'and for its own, or a signal' <<'END'
>>> put 80 complete; put 81 complete; ends w 0 '80 complete: it is complete
... 81 complete: it is complete'
>>> wait_begin w 80 89; kill -TERM "$(cat "$T/w.pid")"
>>> ends w 143 '80 complete: it is complete'
END

# ---- many -------------------------------------------------------------------

perl -e 'local $/; my $one = <STDIN>;
	for my $issue (1000 .. 1999) {
		(my $text = $one) =~ s/"issue":"1"/"issue":"$issue"/;
		open my $file, ">", "$ARGV[0]/$issue.json" or die;
		print $file $text;
	}' "$S/.paneward" <"$T/one.json"
scenario 'a thousand issues are told' <<'END'
>>> "$PW" wait $(seq 1000 1999) | wc -l
1000
END
scenario 'a directory that is removed is made again' <<'END'
>>> wait_until 40 test -d "$T/removed/.paneward"; put 70 complete '' "$T/removed"
>>> ends removed 0 '70 complete: it is complete'
>>> stat -c %a "$T/removed"; grep -c replaced "$T/removed.err"
700
1
END
done_testing
