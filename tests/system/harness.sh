#!/bin/sh
# The ground that the other system tests stand on: tests/system/lib.sh.
. "${0%/*}/lib.sh"

echo 'set -g @read yes' >"$HOME/.tmux.conf"
# Some tmux fill lines up.
scenario 'server, folder and environment are of the test alone' <<'END'
>>> tmux_start; tmux list-sessions -F '#{session_name} #{socket_path}'
~ keeper \$T/.*
>>> tm show-options -gv @read 2>/dev/null
[1]
>>> env | cut -d = -f 1 | grep -E '^(TMUX|TMUX_PANE|XDG_.*|PANEWARD.*)$'; pwd -P
PANEWARD_CEILING
$T/project
>>> pane_run issue-7 'echo "home is $HOME"; cat'
>>> wait_until 5 pane_shows issue-7 "home is $HOME"
>>> pane_type issue-7 'typed $HOME; 50%'
>>> wait_until 5 pane_shows issue-7 'typed $HOME; 50%'
>>> pane_tell issue-7 '#{pane_id} #{session_name}'
~ %[0-9]+ issue-7
END

# looks FILE NUMBER: is it the look of that number?
looks() {
	echo >>"$1"
	[ "$(wc -l <"$1")" -eq "$2" ]
}

# in_vain: waits on a clock on which each look takes a tenth of a second.
in_vain() (
	in_scenario=false
	patience=1
	clock() { now=$((now + 10)); }
	wait_until 1 looks "$T/never" 0
)

scenario 'waiting ends with the fact, or fails and shows the panes' <<'END'
>>> wait_until 5 looks "$T/late" 3; wc -l <"$T/late"
3
>>> in_vain >"$T/vain"
[1]
>>> wc -l <"$T/never"
11
>>> grep -Eo '^(not ok [0-9]+ - within 1 s: looks|# pane %[0-9]+ issue-7|# typed)' \
... 	"$T/vain"
~ not ok [0-9]+ - within 1 s: looks
~ # pane %[0-9]+ issue-7
~ # typed
~ # typed
END

like "$(check 'one' false)" '^not ok [0-9]+ - one$' \
	'a command that fails is a failed test'
like "$(is a b 'two')" '^# want: b$' 'a wrong text is shown'
like "$(like a b 'three')" '^not ok' 'so is one that does not match'
like "$(exits 3 'four' sh -c 'echo because >&2; exit 4')" '^# because$' \
	'a wrong status is told with what was said'
exits 4 'the right status is not' sh -c 'echo because >&2; exit 4'

scenario 'commands run here, and their whole output is compared' <<'END'
>>> cat "$T/err"; greeting=hello; cd "$T"
because
>>> echo "$greeting from $PWD" >&2; false
hello from $T
[1]
>>> for word in one two; do
... 	echo "$word $$"
... done
~ one [0-9]+
~ two [0-9]+
>>> is a a 'in a scenario a check that holds says nothing'
>>> wait_until 5 test -e "$T"
END
is "$PWD" "$T" 'and this shell goes on behind them'
said=$(scenario 'differs' <<'END'
>>> echo one; echo two
one
~ t.
>>> is a b 'the same'; printf 'no end'
END
)
is "$said" "not ok $((tests + 1)) - differs
# --- wanted
# +++ got
# @@ -1,4 +1,8 @@
#  >>> echo one; echo two
#  one
# -~ t.
# +two
#  >>> is a b 'the same'; printf 'no end'
# +not true: the same
# +# got:  a
# +# want: b
# +no end" 'another text is shown as a difference'

cat >"$T/inner" <<'END'
. "${TEST_ROOT:-$ROOT}/tests/system/lib.sh"
tmux_start
pane_run stubborn 'trap "" HUP TERM; while :; do sleep 1; done'
sleep 1000 &
(cd "$T" && exec env -i sleep 1000) &
echo "$T"
grep -ls -e "$T" /proc/[0-9]*/environ /proc/[0-9]*/cmdline | cut -d / -f 3 | sort -u
$1
done_testing
END

all_gone() {
	grep -x '[0-9][0-9]*' "$T/inner.out" | while read -r pid; do
		no kill -0 "$pid" || exit 1
	done
}

for end in : 'exit 3' 'kill -TERM $$'; do
	TEST_FOLDER='' TEST_ROOT=$ROOT sh "$T/inner" "$end" >"$T/inner.out" 2>&1
	read -r folder <"$T/inner.out"
	check "$end: the folder is gone" no test -e "$folder"
	check '... processes were there' \
		test "$(grep -cx '[0-9][0-9]*' "$T/inner.out")" -ge 4
	soon '... and all are gone' all_gone
done
done_testing
