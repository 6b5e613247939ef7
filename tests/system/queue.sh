#!/bin/sh
# Every agent of the user in one list, however it was started.
. "${0%/*}/lib.sh"

tmux_start

# agent NAME FOLDER PROGRAM SCREEN [TMUX-OPTION...]: a session in which a program
# of that name shows a recorded screen.
agent() {
	name=$1 folder=$2 program=$3 screen=$ROOT/tests/recordings/$4.capture.txt
	shift 4
	mkdir -p "$T/$folder" "$T/programs"
	[ -e "$T/programs/$program" ] ||
		cp "$(command -v sleep)" "$T/programs/$program"
	tmux "$@" -f /dev/null new-session -d -x 120 -y 45 -s "$name" -n main \
		-c "$T/$folder" "sh -c 'printf \"\\033[2J\\033[H\"; cat \"$screen\"
		exec \"$T/programs/$program\" 1000'"
}

all() {
	"$PW" status --all >"$T/all" 2>"$T/err"
	sed 's/  */ /g' "$T/all"
}

shows_all() { [ "$(all | wc -l)" -eq "$1" ]; }

git init -q "$T/app"
mkdir -p "$T/docs"
agent api app claude claude-s-permission.permission
agent web site codex codex-s-busy.busy
agent docs docs pi pi-s-busy.busy
agent 'issue-17' app gemini gemini-s-idle.idle
agent 'in fra' site opencode opencode-s-busy.busy -L second
agent p docs claude claude-s-idle.idle -L second

# Of a screen at which an agent works it is not known since when.
kinds() {
	all | sed 's/^[^:]*:[^ ]* //; s/ [0-9]*s / /' | cut -d ' ' -f 1,2 |
		sort | tr '\n' ';'
}

kinds_are() { [ "$(kinds)" = "$1" ]; }

six='asking claude;waiting claude;waiting gemini;working codex;working opencode;'\
'working pi;'
scenario 'six agents on two servers are found, each in its state' <<'END'
>>> wait_until 10 kinds_are "$six"; cat "$T/err"; all | head -n 1
~ api:main.0 asking .* claude app .*Bash command rm -rf build.*
>>> find "$HOME" -name '*.seen' -o -name '*.records'; ls -d "$T/app/.worktrees"
ls: cannot access '$T/app/.worktrees': No such file or directory
[2]
>>> "$PW" status --all --tmux; "$PW" status
3 working 1 asking 2 waiting
>>> "$PW" status --all --json | perl -MJSON::PP -ne 'my $s = decode_json($_);
... 	print defined $s->{issue} ? "issue" : "pane", $s->{needs} ? "!" : "",
... 	"\n"' | sort | uniq -c
      3 pane
      3 pane!
>>> "$PW" status --all --json | true
END

# row_says SESSION TEXT: of its agent, in a list that runs since before.
row_says() {
	key=$(sed -n "s/.*\(\"key\":\"[^\"]*\"\).*\"where\":\"$1:.*/\1/p" \
		"$T/live.out" | tail -n 1)
	grep -F -e "${key:-no row}" "$T/live.out" | tail -n 1 | grep -qF -e "$2"
}

# No process has such a number.
left=$HOME/.local/state/paneward/panes/7-99999999.seen
scenario 'a pane that was shown is seen' <<'END'
>>> begin_command live status --all --json --follow
>>> wait_until 10 row_says issue-17 '"seen":false'
>>> wait_until 10 row_says p '"seen":false'; client_attach reader issue-17
>>> wait_until 10 row_says issue-17 '"seen":true'
>>> wait_until 10 row_says issue-17 '"needs":false'
>>> tm detach-client -s =issue-17; wait_until 5 test -e "$T/reader.detached"
>>> touch -d '2 days ago' "$left"; fails 0 '' forget p:main.0; test -e "$left"
[1]
>>> wait_until 10 row_says p '"gone":true'; kill "$(cat "$T/live.pid")"
END

copies=$T/copies/.worktrees/.status
with_pane() {
	"$PW" status --all --json | grep '"where":"' |
		grep -c "\"directory\":\"$1\""
}
scenario 'issues of several projects are beside them' <<'END'
>>> "$PW" start 7 --no-watch --session s7 -- sleep 500 >"$T/said" 2>&1
>>> (cd "$T/app" && "$PW" start 7 --no-watch --session a7 -- sleep 500) \
... 	>"$T/said" 2>&1
>>> wait_until 10 shows_all 7; all | grep -c '^7 '
2
>>> all | grep -c '^7 working .* app '
1
>>> all | grep 'not watched since'
[1]
>>> mkdir -p "$copies/.paneward"; chmod 700 "$copies" "$copies/.paneward"
>>> for copy in 1 2 3 4 5 6 7 8 9; do
... 	sed "s/\"issue\":\"7\"/\"issue\":\"copy$copy\"/" \
... 		"$S/.paneward/7.json" >"$copies/.paneward/copy$copy.json"
... done
>>> "$PW" status --status-dir "$copies" >"$T/said"
>>> with_pane "$S"; with_pane "$copies"; rm -r "$T/copies"
1
0
>>> (cd "$T/app" && "$PW" signal complete --issue 7 && "$PW" watch 7 --once)
7 complete: signal-complete-7 is there
>>> wait_until 10 eval 'all | grep -q "^7 complete"'; client_attach person a7
>>> wait_until 10 no eval 'all | grep -q "^7 complete"'
>>> "$PW" status --all --finished | grep -o '^7  *complete'
7                complete
END

# More than one call of tmux captures.
script show <<END
printf '\033[2J\033[H'
cat "$ROOT/tests/recordings/claude-s-permission.permission.capture.txt"
exec "$T/programs/claude" 1000
END
tmux -L many -f /dev/null new-session -d -x 120 -y 45 -s many "$T/show"
yes "new-window -d -t many: '$T/show'" | head -n 219 >"$T/windows"
tmux -L many source-file "$T/windows"
many_ask() { [ "$(all | grep -c '^many:[^ ]* asking ')" -eq 220 ]; }
soon 'the screens of 220 agents are read at once' many_ask
tmux -L many kill-server

# ---- one server behind two paths ----------------------------------------------

mkdir "$T/slow"
ln -s "$TMUX_TMPDIR/tmux-$(id -u)/second" "$T/alias"
script slow/tmux <<END
case "\$*" in *"$T/alias"*) sleep 0.5 ;; esac
exec "$(command -v tmux)" "\$@"
END
is "$(PATH=$T/slow:$PATH PANEWARD_SOCKETS=$T/alias "$PW" status --all |
	grep -c '^in fra:')" 1 'an agent has one row, whichever path answers first'

scenario 'an agent without its pane is no row; a silent server has one' <<'END'
>>> tm kill-session -t =api; wait_until 10 no eval 'all | grep -q "^api:"'
>>> second=$(tmux -L second display -p '#{pid}'); freeze "$second"
>>> all >"$T/said"; kill -CONT "$second"
>>> grep -o '/second -.* did not answer' "$T/said"; grep -c '^web:' "$T/said"
/second - the tmux server at '$T/tmux/tmux-0/second' did not answer
1
END
done_testing
