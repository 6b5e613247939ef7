#!/bin/sh
# Files of older versions, as each left them when it was killed in the midst of
# its work (tests/upgrade/run.sh records them), and files of a newer one.
. "${0%/*}/lib.sh"

O=$S/.paneward
echo "echo \"\$PANEWARD_ISSUE\" >>'$T/handed'" | script handoff
echo 'exec tail -f /dev/null' | script busy
cat <<'END' | script looped
echo "$PANEWARD_ITERATION" >>"${0%/*}/rounds"
[ "$PANEWARD_ITERATION" != 3 ] || echo FERTIG
END
: >"$T/prompt"
tmux_start

# left VERSION: its project, after a restart of the machine.
left() {
	cd "$T" && rm -rf "$P" "$T/rounds" "$T/handed" && mkdir -p "${S%/*}" &&
		cd "$ROOT/tests/upgrade/$1" || return
	find . -type f | while read -r file; do
		mkdir -p "$P/${file%/*}"
		sed "s,@T@,$T,g" "$file" >"$P/$file"
	done
	cd "$P" && mv status "$S" && chmod -R go= "$S"
	[ ! -e queued ] || cp queued/.paneward/queued "$O"
}

# states: issue, state and hand-off of each row.
states() {
	"$PW" status --json | perl -MJSON::PP -ne '$r = decode_json($_);
		printf "%s %s %s\n", @$r{"issue", "state"},
		    $r->{handoff}{state} // "-"' | sort -n | tr '\n' ';'
}
in_a_line() { sort -n "$1" | tr '\n' ' '; }

for old in "$ROOT"/tests/upgrade/[0-9]*; do
	left "${old##*/}"
	scenario "${old##*/}: nothing is lost, nothing done twice" <<-'END'
		>>> states | sed 's/running/pending/g'
		~ 1 unknown -;2 unknown -;3 complete pending;4 complete pending;5 complete pending;6 complete done;7 error -;8 complete refused;9 complete pending;10 gone -;12 unknown -;14 dead -;20 unknown -;21 complete pending;(62 queued -;63 queued -;)?
		>>> lines=$(wc -l <"$O/journal.ndjson"); rm -f "$O/queued"
		>>> is "$("$PW" history --json | wc -l)" "$lines"
		>>> fails 0 '' sweep; fails 0 '' sweep; in_a_line "$T/handed"
		2 3 4 5 9 20 21 
		>>> states
		1 gone -;2 complete done;3 complete done;4 complete done;5 complete done;6 complete done;7 error -;8 complete refused;9 complete done;10 gone -;12 gone -;14 dead -;20 complete done;21 complete done;
		>>> ls "$S"
		signal-complete-8
		>>> fails 0 '' loop run --resume; in_a_line "$T/rounds"
		2 3 
		>>> fails 0 '' inbox list karo; grep -c ' unread ' "$T/out"
		2
	END
done

cd "$T" && rm -rf "$P" && mkdir "$P" && cd "$P" || exit
printf '{ "handoff": ["%s"] }\n' "$T/handoff" >.paneward.json
"$PW" start 42 --no-watch -- "$T/busy" >"$T/said" 2>&1
"$PW" start --at-once 1 61 --no-watch -- "$T/busy" >"$T/said" 2>&1
fails 1 '' loop run -n 1 -- true
"$PW" signal complete --issue 42
rm -f "$T/handed"
for file in 42.json queued loop-default.json; do
	sed -i 's/"v":1,/"v":2,/' "$O/$file"
	cp "$O/$file" "$T"
done
while read -r file arguments; do
	# shellcheck disable=SC2086
	fails 3 "wrote '$file' in format 2, this one reads 1: run the newer" \
		$arguments
done <<END
42.json status
42.json sweep
42.json watch 42 --once
42.json handoff 42
42.json revive 42
42.json start 42 -- true
queued start 64 -- true
queued start 65 --at-once 1 -- true
loop-default.json loop run --resume
END
for file in 42.json queued loop-default.json; do
	check "the newer $file is left as it is" cmp "$O/$file" "$T/$file"
done
check 'and nothing is handed off' no test -e "$T/handed"
done_testing
