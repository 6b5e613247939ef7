#!/bin/sh
# sweep and a status directory that is missing, refused, full, read-only or
# another one than before: nothing is handed off that cannot be recorded, and
# what could not be done the next sweep does.
. "${0%/*}/lib.sh"

tmux_start
busy='exec tail -f /dev/null'

cat >"$T/handoff" <<END
#!/bin/sh
echo "\$PANEWARD_ISSUE \$PANEWARD_HANDOFF_ID" >>'$T/handed'
[ ! -e '$T/do' ] || . '$T/do'
END
chmod +x "$T/handoff"
printf '{ "handoff": ["%s"] }\n' "$T/handoff" >"$P/.paneward.json"
: >"$T/handed"

handed() {
	grep -c "^$1 " "$T/handed"
}

ids() {
	grep "^$1 " "$T/handed" | sort -u | wc -l
}

due() {
	perl -pi -e 's/("next":")[^"]*/${1}2020-01-01T00:00:00.000Z/' \
		"$S/.paneward/$1.json"
}

# ---- missing ----------------------------------------------------------------

exits 0 'without a status directory' "$PW" sweep
is "$(cat "$T/out" "$T/err")" '' 'there is nothing to say'
check 'and nothing is made' no test -e "$P/.worktrees"
pane_run issue-1 "echo '###TASK_COMPLETE_1###'; $busy"
wait_until 5 pane_shows issue-1 TASK_COMPLETE
exits 0 'for a pane' "$PW" sweep --dry-run
check 'a dry run makes none either' no test -e "$P/.worktrees"
exits 0 'but a sweep' "$PW" sweep
is "$(stat -c %a "$S" "$S/.paneward" | tr '\n' ' ')$(cat "$S/.gitignore")" \
	'700 700 *' 'makes one, for the user alone, that git does not see'
is "$(handed 1)" 1 'and does its work'

# ---- refused ----------------------------------------------------------------

# refused DESCRIPTION REASON: as a whole, with one line.
refused() {
	exits 3 "$1 is refused" "$PW" sweep
	like "$(cat "$T/err")" \
		"^paneward: cannot use the status directory '$S': $2" \
		'with the reason'
	is "$(wc -l <"$T/err")/$(cat "$T/out")" 1/ 'in one line'
}

"$PW" signal complete --issue 2
mv "$S" "$T/away"
: >"$S"
refused 'a file' 'it is not a directory'
rm "$S"
ln -s "$T/away" "$S"
refused 'a link' 'it is a link'
rm "$S"
mv "$T/away" "$S"
chmod 777 "$S"
refused 'one that any user can write to' 'any user can write to it'
chmod 700 "$S"
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 "$S"
	refused "another user's" 'it belongs to another user'
	chown 0 "$S"
else
	skip "another user's" 'this is not root'
fi
mv "$S/.paneward" "$T/away"
: >"$S/.paneward"
refused 'one whose .paneward is a file' '.paneward in it is not a directory'
rm "$S/.paneward"
mv "$T/away" "$S/.paneward"
is "$(handed 2)" 0 'nothing is handed off'

# What has the name of a lock is none: nothing is written to it, or waited for.
echo precious >"$T/precious"
ln -f "$T/precious" "$S/.paneward/2.lock"
exits 3 'a lock that is another file, too, is refused' "$PW" sweep
like "$(cat "$T/err")" "^paneward: cannot lock issue '2' in" '... and named'
exits 3 '... by a watcher as well' "$PW" watch --once 2
is "$(cat "$T/precious")" precious '... and left alone'
rm "$S/.paneward/2.lock"
mkfifo "$S/.paneward/2.lock"
exits 0 'a pipe holds up no dry run' timeout 60 "$PW" sweep --dry-run
exits 3 '... and no sweep' timeout 60 "$PW" sweep
rm "$S/.paneward/2.lock"

mkdir "$T/elsewhere"
cd "$T/elsewhere" || exit 1
refused=$(grep -c . "$T/handed")
exits 3 "another project's is refused" "$PW" sweep --status-dir "$S"
like "$(cat "$T/err")" "'$S' belongs to the project '$P'" 'and which is told'
exits 3 'also by a dry run' "$PW" sweep --dry-run --status-dir "$S"
is "$(grep -c . "$T/handed")" "$refused" 'nothing is done there'
cd "$P" || exit 1

chmod 770 "$S"
exits 0 'one that the group can write to' "$PW" sweep --dry-run
is "$(stat -c %a "$S")" 770 'is left as it is by a dry run'
exits 0 'and narrowed' "$PW" sweep
is "$(stat -c %a "$S")" 700 'by a sweep'
like "$(cat "$T/err")" 'its mode is 700 now' 'with a word'
is "$(handed 2)" 1 'which then does its work'

# ---- a record that cannot be read -------------------------------------------

pane_run issue-3 "$busy"
exits 0 'a run' "$PW" sweep
head -c 100 "$S/.paneward/3.json" >"$T/torn"
cp "$T/torn" "$S/.paneward/3.json"
exits 0 'half of a record' "$PW" sweep
like "$(cat "$T/err")" "cannot read the status record of issue '3'" 'is told of'
is "$(wc -l <"$T/err")" 1 'in one line'
is "$(record 3 state)" working 'and written anew'

# What cannot be read at all may still be there.
mv "$S/.paneward/3.json" "$T/kept"
ln -s "$T/kept" "$S/.paneward/3.json"
"$PW" signal complete --issue 3
exits 3 'a record that cannot be read' "$PW" sweep
like "$(cat "$T/err")" "record of issue '3'.*left alone" 'is told of'
is "$(handed 3)/$(cat "$T/out")" 0/ 'and nothing is done'
rm "$S/.paneward/3.json"
mv "$T/kept" "$S/.paneward/3.json"
exits 0 'when it can be read again' "$PW" sweep
is "$(handed 3)" 1 'it is'

# ---- gone, and made again ---------------------------------------------------

obedient a4
"$PW" start 4 --no-watch --session s4 -- "$T/a4" >"$T/said"
exits 0 'a run' "$PW" sweep
run=$(record 4 run)
rm -rf "$S"
tm kill-session -t =issue-1:
exits 0 'without the directory that was there' "$PW" sweep
is "$(cat "$T/out" "$T/err")" "paneward: new project '$P'" \
	'a sweep begins with what it finds'
is "$(record 4 run)/$(record 4 state)" "$run/working" \
	'a run is still the same, since its pane knows it'
is "$(record 3 state)" working 'of another issue nothing is known any more'
tell a4 'echo "###TASK_COMPLETE_4###"'
wait_until 5 pane_shows s4 TASK_COMPLETE
rm -rf "$S"
mkdir -m 700 "$S"
exits 0 'in a new one that somebody else has made' "$PW" sweep
is "$(handed 4)/$(record 4 run)" "1/$run" 'a completion is found'
exits 0 'and' "$PW" sweep
is "$(handed 4)" 1 'handed off once'

# ---- full, and read-only ----------------------------------------------------

if [ "$(id -u)" -ne 0 ]; then
	skip 'a full disk' 'only root can mount a small one'
	done_testing
fi
tm kill-session -t =issue-3:
tm kill-session -t =s4:
rm -rf "$S"
mkdir "$S"
if ! mount -t tmpfs -o size=256k,mode=700 tmpfs "$S" 2>/dev/null; then
	skip 'a full disk' 'no tmpfs can be mounted here'
	done_testing
fi
trap 'umount -l "$S"' EXIT

fill() {
	cat /dev/zero >"$S/ballast" 2>/dev/null
}

"$PW" signal complete --issue 10
"$PW" signal complete --issue 11
fill
exits 3 'on a full disk' "$PW" sweep
is "$(grep -c "cannot record what became of issue '1[01]'" "$T/err")" 2 \
	'what cannot be recorded is told'
is "$(handed 10)/$(handed 11)" 0/0 'and not handed off'
is "$(find "$S" -name 'signal-*' | wc -l)" 2 'the signals stay'
is "$(find "$S" -name '*.tmp')" '' 'no half of a file does'
rm "$S/ballast"
exits 0 'with room again' "$PW" sweep
is "$(grep -c 'handed off' "$T/out")/$(handed 10)/$(handed 11)" 2/1/1 \
	'all is done'
is "$(changes 10 complete)/$(find "$S" -name 'signal-*')" 1/ 'once'

# Recorded, but that the command begins cannot be.
echo 'exit 75' >"$T/do"
"$PW" signal complete --issue 12
exits 0 'a hand-off that is to be asked again' "$PW" sweep
due 12
fill
exits 3 'when the disk is full' "$PW" sweep
is "$(handed 12)" 1 'is not'
like "$(cat "$T/err")" \
	"cannot record the hand-off of issue '12'; not running it" \
	'which is said'
is "$(cat "$T/out")" '' 'and nothing else'
rm "$S/ballast" "$T/do"
exits 0 'with room again' "$PW" sweep
is "$(handed 12)/$(ids 12)" 2/1 'it is, with the same id'

# The command itself fills it: its end is written down when there is room.
echo "cat /dev/zero >'$S/ballast'; true" >"$T/do"
"$PW" signal complete --issue 13
"$PW" sweep >"$T/out" 2>"$T/err" &
sweep=$!
wait_until 5 grep -q "end of the hand-off of issue '13'.*retrying" "$T/err"
is "$(record 13 handoff.state)" running 'an end that cannot be written down'
rm "$S/ballast" "$T/do"
wait $sweep
is "$?/$(record 13 handoff.state)/$(handed 13)" 0/done/1 'is not forgotten'

pane_run issue-14 "$busy"
exits 0 'a run' "$PW" sweep
"$PW" signal complete --issue 14
mount -o remount,ro "$S"
exits 3 'on a disk that cannot be written to' "$PW" sweep
like "$(cat "$T/err")" "issue '14'.*Read-only" 'that is said'
is "$(handed 14)/$(cat "$T/out")" 0/ 'and nothing is done'
exits 0 'as a dry run' "$PW" sweep --dry-run
like "$(cat "$T/out")" '14 would be handed off' 'it says what would be'
mount -o remount,rw "$S"
exits 0 'when it can' "$PW" sweep
is "$(handed 14)" 1 'it is'
mount -o remount,ro "$S"
exits 0 'where nothing is to be done' "$PW" sweep
is "$(cat "$T/out" "$T/err")" '' 'nothing needs to be written'
mount -o remount,rw "$S"

done_testing
