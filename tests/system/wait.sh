#!/bin/sh
# paneward wait: whatever settles an issue, by any watcher, before the call
# or after it, is told once, and nothing is done but sleep until then.
. "${0%/*}/lib.sh"

# wait_begin NAME ARGUMENT...: a wait beside the test, of which lib.sh's
# watch_ended tells how it ends.
wait_begin() {
	name=$1
	shift
	rm -f "$T/$name.status" "$T/$name.pid" "$T/$name.out" "$T/$name.err"
	{
		sh -c 'echo $$ >"$0"; exec "$@"' "$T/$name.pid" "$PW" wait \
			"$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null
		echo $? >"$T/$name.ended"
		mv "$T/$name.ended" "$T/$name.status"
	} &
	wait_until 5 asleep "$name"
}

# Has it looked at everything, and sleeps (or has it ended)?
asleep() {
	[ -e "$T/$1.status" ] || { [ -s "$T/$1.pid" ] &&
		grep -qs '(paneward) S' "/proc/$(cat "$T/$1.pid")/stat"; }
}

goes_on() {
	let_pass
	no test -e "$T/$1.status"
}

# How often it has slept so far; nothing where the kernel does not tell both it
# of changes and us of that.
wakes() {
	find "/proc/$(cat "$T/$1.pid")/fd" -lname '*inotify' 2>/dev/null |
		grep -q . || return
	sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' \
		"/proc/$(cat "$T/$1.pid")/status"
}

begin() {
	issue=$1
	shift
	obedient "a$issue"
	"$PW" start "$issue" --session "s$issue" "$@" -- "$T/a$issue" \
		>"$T/said" 2>&1 || comment <"$T/said"
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

# ---- used wrongly -----------------------------------------------------------

# wrong REASON ARGUMENT...
wrong() {
	reason=$1
	shift
	exits 2 "refused: wait $(echo "$*" | cut -c 1-60)" "$PW" wait "$@"
	like "$(cat "$T/err")" "^paneward: wait: .*$reason" 'with the reason'
	is "$(wc -l <"$T/err") $(cat "$T/out")" '1 ' 'in one line'
}

wrong 'takes an issue'
wrong "'../x' is not an issue" ../x
wrong "'' is not an issue" 42 ''
wrong "--until 'error,done': 'done' is not a state: .* complete, error," \
	42 --until error,done
wrong "--until '': '' is not a state" 42 --until ''
wrong "--until 'error,': '' is not a state" 42 --until error,
wrong "'-1' is not a whole number from 0" 42 --timeout -1
wrong "'1x' is not a whole number" 42 --timeout 1x
wrong "unknown option '--nonsense'" 42 --nonsense
# shellcheck disable=SC2046
wrong 'at most 1000 issues' $(seq 1001)
exits 0 'there is help' "$PW" wait --help
is "$(head -n 1 "$T/out") $(cat "$T/err")" 'Examples: ' 'that shows examples'

exits 124 'who only looks' "$PW" wait 42 --timeout 0m
is "$(cat "$T/out" "$T/err")" \
	"paneward: there is no record of issue '42' in '$S' yet" \
	'is told what is not known'
check 'and leaves no trace' no test -e "$P/.worktrees"
mkdir -p "$S" && chmod 777 "$S"
exits 3 'a status directory that is refused' "$PW" wait 42
like "$(cat "$T/err")" 'any user can write to it' 'is named'
rm -r "$P/.worktrees"

# ---- before anything is known -----------------------------------------------

mkdir "$T/bin"
printf '#!/bin/sh\necho asked >>"%s"\n' "$T/asked" >"$T/bin/tmux"
chmod +x "$T/bin/tmux"
PATH=$T/bin:$PATH
wait_begin first 1
PATH=${PATH#*:}
is "$(stat -c %a "$S")" 700 'where there is no status directory it is made'
check 'and nothing locked' no test -e "$S/.paneward/1.lock"
tmux_start
begin 1
wait_until 5 recorded 1 working
check 'an issue that begins to work is waited for' goes_on first
is "$(ps -o pid= --ppid "$(cat "$T/first.pid")")" '' 'no process is started'
tell a1 '"$PANEWARD" signal complete'
watch_ended first 0 'until its watcher says that it is complete'
is "$(cat "$T/first.out")" '1 complete: signal-complete-1 is there' \
	'in the words of watch'
is "$(cat "$T/first.err")" "paneward: new project '$P'
paneward: there is no record of issue '1' in '$S' yet" \
	'and once that nothing was known at first'
check 'tmux is not asked' no test -e "$T/asked"

cp "$S/.paneward/1.json" "$T/one.json"

# ---- directories that are taken away ----------------------------------------

# A removed one is not reported, so these go on in parallel to the rest.
for dir in removed other refused part; do
	wait_begin $dir 70 --status-dir "$T/$dir"
done
rm -rf "$T/removed"
rm -rf "$T/other"
mkdir -m 700 "$T/other" "$T/other/.paneward"
put 70 complete '' "$T/other"
rm -rf "$T/part/.paneward"
mkdir -m 700 "$T/part/.paneward"
put 70 error '' "$T/part"

# A moved one is reported.
freeze "$(cat "$T/refused.pid")"
mv "$T/refused" "$T/usable"
mkdir -m 777 "$T/refused"
kill -CONT "$(cat "$T/refused.pid")"
wait_until 5 grep -q 'any user can write' "$T/refused.err"
check 'one that cannot be used is not written to' \
	no test -e "$T/refused/.paneward"
chmod 700 "$T/refused"
wait_begin moved 70 --status-dir "$T/moved"
mv "$T/moved" "$T/away"
wait_until 5 test -d "$T/moved/.paneward"
put 70 dead '' "$T/away"
check 'in a directory that was moved away nothing counts' goes_on moved
put 70 complete '' "$T/moved"
watch_ended moved 0 'what counts is in the one that took its place'
is "$(grep replaced "$T/moved.err")" "paneward: the status directory \
'$T/moved' was replaced; going on in the new one" 'with a word'

# ---- it has happened already ------------------------------------------------

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
exits 0 'what is complete already' "$PW" wait 1
exits 1 'an error' "$PW" wait 2
is "$(cat "$T/out")" '2 error: signal-error-2 is there: no way' \
	'with its message'
exits 10 'an agent that is dead' "$PW" wait 3
like "$(cat "$T/out")" '^3 dead: .*status 3' 'with its reason'
exits 10 'a session that is gone' "$PW" wait 4
exits 1 'all of them' "$PW" wait 1 2 3 4 3
is "$(cut -d : -f 1 "$T/out" | tr '\n' ' ')" \
	'1 complete 2 error 3 dead 4 gone ' 'are told, each once'
exits 0 'a look is enough' "$PW" wait 1 --timeout 0

# The same as watch says of it.
"$PW" watch 1 --json >"$T/watched"
exits 1 'two of which one would do' "$PW" wait 1 2 --json --any
is "$(head -n 1 "$T/out")" "$(cat "$T/watched")" 'the lines are those of watch'
perl -MJSON::PP -e 'while (<>) {
	my $v = decode_json($_);
	print join(" ", map { $v->{$_} // "-" } @ARGV,
	    qw(issue state source message)), "\n"; }' <"$T/out" >"$T/parsed"
is "$(cat "$T/parsed")" "1 complete signal -
2 error signal no way" 'each is an object'

# ---- it happens later -------------------------------------------------------

begin 5 --no-watch
wait_begin w 5
watch_begin killed 5
wait_until 5 watch_holds killed 5
kill -KILL "$(cat "$T/killed.pid")"
wait_until 5 test -e "$T/killed.status"
tell a5 'echo "###TASK_COMPLETE_5###"'
wait_until 5 logged 5 TASK_COMPLETE_5
check 'without a watcher nothing is known' goes_on w
watch_begin next 5
watch_ended w 0 'the next watcher tells what happened meanwhile'

begin 6
wait_begin w 6 --until complete
tell a6 'exit 1'
wait_until 10 recorded 6 dead
check 'dead is not complete' goes_on w
tm kill-session -t =s6:
rm "$T/a6.orders"
begin 6
tell a6 'echo "###TASK_COMPLETE_6###"'
watch_ended w 0 'a new run of the issue is'

# ---- several ----------------------------------------------------------------

wait_begin all 10 11 12
wait_begin any 10 11 12 --any
put 11 working
put 11 error
watch_ended any 1 'one is enough for --any'
is "$(cat "$T/any.out")" '11 error: it is error' 'and is told'
wait_until 5 grep -q '^11 error' "$T/all.out"
put 11 working
put 10 complete
put 12 working
check 'without --any it is not' goes_on all
put 12 complete
watch_ended all 1 'what is settled stays so, whatever comes behind it'
is "$(cut -d : -f 1 "$T/all.out" | tr '\n' ' ')" \
	'11 error 10 complete 12 complete ' 'each is told when it settles'

# ---- what it waits for ------------------------------------------------------

wait_begin w 20 --until waiting,limited
put 20 working
put 20 complete
check 'a state that is not asked for is no end' goes_on w
put 20 waiting
watch_ended w 11 'waiting has a status of its own'
put 22 asking
exits 11 'asking has the same' "$PW" wait 22 --until asking
for state in working limited stalled unknown; do
	put 21 $state
	exits 0 "$state is just reached" "$PW" wait 21 --until $state
done
is "$(cat "$T/out")" '21 unknown: it is unknown' 'and told'

# together STATUS STATE[/HANDOFF]...: of issues in these states.
together() {
	want=$1
	shift
	issues=
	i=30
	for state; do
		i=$((i + 1))
		issues="$issues $i"
		case $state in
		*/*) put $i "${state%/*}" "${state#*/}" ;;
		*) put $i "$state" ;;
		esac
	done
	# shellcheck disable=SC2086
	exits "$want" "together: $*" "$PW" wait $issues --timeout 0 \
		--until asking,waiting,complete,error,dead,gone
}

together 0 complete complete
together 0 complete complete/done
together 1 complete error
together 12 error complete/refused
together 12 dead complete/failed
together 1 dead error
together 1 waiting error
together 10 waiting gone complete
together 11 complete waiting
together 11 working waiting
together 11 asking complete
together 10 working dead
together 1 working error
together 12 working complete/failed error
together 124 working complete
together 124 complete complete/pending
together 124 complete complete/running
put 40 error
put 41 working
exits 124 'without one that is settled --any runs out of time' \
	"$PW" wait 41 42 --any --timeout 0
exits 1 'with one it does not' "$PW" wait 40 41 --any --timeout 0

clock
before=$now
exits 124 'time runs out' "$PW" wait 41 --timeout 1
clock
check 'when it is over' test $((now - before)) -ge 100
check 'and soon then' test $((now - before)) -lt $((patience * 100))
is "$(cat "$T/out" "$T/err")" '' 'without a word'

# ---- the hand-off -----------------------------------------------------------

# It ends when it is told how.
mkfifo "$T/go"
sleep 1000 <>"$T/go" &
cat >"$T/handoff" <<END
#!/bin/sh
read -r status <'$T/go'
echo "with \$status" >&2
exit \$status
END
chmod +x "$T/handoff"

# hand_off ISSUE: it is complete, and a hand-off under way.
hand_off() {
	begin "$1" --no-watch
	PANEWARD_HANDOFF_ATTEMPTS=1 watch_begin "h$1" "$1" \
		--handoff "$T/handoff"
	wait_begin w "$1"
	tell "a$1" "\"\$PANEWARD\" signal complete"
	wait_until 5 recorded "$1" complete
}

hand_off 50
check 'complete is not settled before it is handed off' goes_on w
is "$(cat "$T/w.out")" '' 'nor told'
echo 0 >"$T/go"
watch_ended w 0 'when that is done it is'
is "$(cat "$T/w.out")" '50 complete: signal-complete-50 is there' 'and told'
hand_off 51
echo 77 >"$T/go"
watch_ended w 12 'a hand-off that is refused has its status'
like "$(cat "$T/w.out")" '^51 hand-off refused' 'and its words'
is "$(wc -l <"$T/w.out")" 1 'in one line'
hand_off 52
echo 3 >"$T/go"
watch_ended w 12 'so has one that failed for good'
like "$(cat "$T/w.out")" '^52 hand-off failed for good \(exit 3\)' 'and its'
exits 12 'and whoever comes later is told' "$PW" wait 52 --json
is "$(perl -MJSON::PP -e 'my $v = decode_json(<>);
	print "$v->{state} $v->{handoff}{state}"' <"$T/out")" 'complete failed' \
	'as JSON as well'

# ---- records that cannot be read --------------------------------------------

echo nonsense >"$S/.paneward/60.json"
wait_begin w 60 61
put 61 complete
wait_until 5 grep -q '^61 complete' "$T/w.out"
echo 'more nonsense' >"$T/60.json"
mv "$T/60.json" "$S/.paneward/60.json"
ln -sf "$T/one.json" "$S/.paneward/beside"
mv -T "$S/.paneward/beside" "$S/.paneward/60.json"
check 'a record that cannot be read is no end' goes_on w
put 60 complete
watch_ended w 0 'the next one counts'
like "$(cat "$T/w.err")" "cannot read the status record of issue '60'" \
	'it is told'
is "$(grep -c "issue '60'" "$T/w.err")" 1 'once'

# ---- sleeping ---------------------------------------------------------------

put 80 working
wait_begin w 80 81
let_pass
before=$(wakes w)
clock
began=$now
# ticks: how often it has been time for its slow tick since, at most.
ticks() {
	clock
	echo $(((now - began) / 3000 + 1))
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
	let_pass
	check 'it sleeps whatever is written beside the records' \
		test $(($(wakes w) - before)) -le "$(ticks)"
	put 82 working
	let_pass
	check 'and wakes once for each of these' \
		test $(($(wakes w) - before)) -le $(($(ticks) + 1))
fi
put 80 complete
put 81 complete
watch_ended w 0 'and for its own'

wait_begin w 80 89
kill -TERM "$(cat "$T/w.pid")"
watch_ended w 143 'a signal ends it as by that signal'

# ---- many -------------------------------------------------------------------

perl -e 'local $/; my $one = <STDIN>;
	for my $issue (1000 .. 1999) {
		(my $text = $one) =~ s/"issue":"1"/"issue":"$issue"/;
		open my $file, ">", "$ARGV[0]/$issue.json" or die;
		print $file $text;
	}' "$S/.paneward" <"$T/one.json"
# shellcheck disable=SC2046
exits 0 'a thousand issues' "$PW" wait $(seq 1000 1999)
is "$(wc -l <"$T/out")" 1000 'are told'

# ---- directories that were taken away ---------------------------------------

wait_until 40 test -d "$T/removed/.paneward"
put 70 complete '' "$T/removed"
watch_ended removed 0 'a directory that is removed is made again'
is "$(stat -c %a "$T/removed") $(grep -c replaced "$T/removed.err")" '700 1' \
	'for the user alone, with a word'
wait_until 40 test -e "$T/other.status"
watch_ended other 0 'one that somebody else has made is found'
wait_until 40 test -e "$T/part.status"
watch_ended part 1 'so is a new .paneward in the old one'
wait_until 40 test -d "$T/refused/.paneward"
put 70 complete '' "$T/refused"
watch_ended refused 0 'and one that can be used at last'
is "$(grep -c 'any user can write' "$T/refused.err")" 1 'which was told once'

done_testing
