#!/bin/sh
# The ground that the other system tests stand on: tests/system/lib.sh.
. "${0%/*}/lib.sh"

# ---- the server is ours -----------------------------------------------------

echo 'set -g @read yes' >"$HOME/.tmux.conf"
tmux_start

is "$(tm list-sessions -F '#{session_name}')" keeper \
	'only our own session is there'
like "$(tm display-message -p '#{socket_path}')" "^$T/" \
	'the socket lies in the folder'
is "$(tmux list-sessions -F '#{session_name}')" keeper \
	'who calls tmux without any option finds the same server'
is "$(tm show-options -gv @read 2>/dev/null)" '' \
	'no configuration of a user is read'

is "$(env | cut -d = -f 1 | grep -E '^(TMUX|TMUX_PANE|XDG_.*|PANEWARD.*)$')" \
	PANEWARD_CEILING 'nothing of the environment outside comes in'
is "$(pwd -P)" "$P" 'a test begins in its own project'

pane_run issue-7 'echo "home is $HOME"; cat'
soon 'what runs in a pane has the same home' \
	pane_shows issue-7 "home is $HOME"
pane_type issue-7 'typed $HOME; 50%'
wait_until 5 pane_shows issue-7 'typed $HOME; 50%'
# Some tmux fill lines up.
like "$(pane_text issue-7)" '^typed \$HOME; 50% *$' 'text is typed as it is'
like "$(pane_tell issue-7 '#{pane_id} #{session_name}')" \
	'^%[0-9]+ issue-7$' 'tmux tells what it knows of a pane'

# ---- waiting ----------------------------------------------------------------

# looks FILE NUMBER: is it the look of that number?
looks() {
	echo >>"$1"
	[ "$(wc -l <"$1")" -eq "$2" ]
}
wait_until 5 looks "$T/late" 3
is "$(wc -l <"$T/late" | tr -d ' ')" 3 \
	'waiting ends as soon as there is the fact'

# A clock on which each look takes a tenth of a second.
said=$(
	patience=1
	clock() {
		now=$((now + 10))
	}
	wait_until 1 looks "$T/never" 0
)
is "$?" 1 'waiting in vain is a failure'
is "$(wc -l <"$T/never" | tr -d ' ')" 11 'and takes its time, not more'
like "$said" '^not ok [0-9]+ - within 1 s: looks ' 'it is a failed test'
like "$said" '^# pane %[0-9]+ issue-7 ' 'which shows the panes'
like "$said" '^# typed' 'and what is on their screens'

# ---- saying no --------------------------------------------------------------

like "$(check 'one' false)" '^not ok [0-9]+ - one$' \
	'a command that fails is a failed test'
like "$(is a b 'two')" '^# want: b$' 'a wrong text is shown'
like "$(like a b 'three')" '^not ok' 'so is one that does not match'
like "$(exits 3 'four' sh -c 'echo because >&2; exit 4')" '^# because$' \
	'a wrong status is told with what was said'
exits 4 'the right status is not' sh -c 'echo because >&2; exit 4'
is "$(cat "$T/err")" because 'what was said can be read'

# ---- scenarios --------------------------------------------------------------

scenario 'commands run here, and their whole output is compared' <<'END'
>>> greeting=hello; cd "$T"
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

# ---- the end ----------------------------------------------------------------

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

ends() {
	TEST_FOLDER='' TEST_ROOT=$ROOT sh "$T/inner" "$1" >"$T/inner.out" 2>&1
	said=$(cat "$T/inner.out")
	folder=${said%%
*}
	check "$2: the folder is gone" no test -e "$folder"
	check "$2: processes were there" \
		test "$(grep -cx '[0-9][0-9]*' "$T/inner.out")" -ge 4
	soon "$2: and all are gone" all_gone
}

ends : 'after a test'
ends 'exit 3' 'after one that breaks off'
ends 'kill -TERM $$' 'after one that is ended'

done_testing
