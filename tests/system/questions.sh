#!/bin/sh
# The question of a row, of the history and of a notice is the one that is open.
. "${0%/*}/lib.sh"

mkdir "$T/bin"
cp "$(perl -e 'print $^X')" "$T/bin/client"
PATH=$T/bin:$PATH
export PATH
script notice <<-END
	echo "\$PANEWARD_MESSAGE" >>'$T/notices'-\$PANEWARD_ISSUE
END
cat >"$HOME/.config/paneward/config.json" <<END
{ "handoff": null, "notify_on": ["asking"], "notify": [["$T/notice"]] }
END
rule=────────────────────────────────────────
line=╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌

permission() {
	printf '%s\n' "$rule" ' Bash command' ' what it is for' "$line" " $1" \
		"$line" ' Do you want to proceed?' ' ❯ 1. Yes' '   2. No' '' \
		' Esc to cancel · Tab to amend'
}

permission 'mkdir x' >"$T/mkdir"
permission 'git push --force' >"$T/push"
permission 'make test' >"$T/test"
printf '%s\n' "$rule" ' Something new' '' ' Do you want to proceed?' \
	' ❯ 1. Yes' '   2. No' '' ' Esc to cancel · Tab to amend' >"$T/vague"
printf '%s\n' "$rule" 'Which way is it?' '' '❯ 1. This' '  2. That' '' \
	'Enter to select · Esc to cancel' >"$T/question"
printf '❯ Go on.\n\n✻ Brewing… (5s · esc to interrupt)\n\n%s\n❯ \n%s\n' \
	"$rule" "$rule" >"$T/work"
tmux_start

# begins ISSUE FILE...: a stand-in that shows the first one.
begins() {
	issue=$1
	shift
	log=$T/log-$issue
	: >"$log"
	"$PW" start "$issue" --backend claude \
		-- client "$ROOT/tests/system/standin.pl" "$log" "$@" >"$T/said" 2>&1
	run=$(record "$issue" run)
	pane=$(record "$issue" tmux.pane)
	wait_until 10 has_shown 1
}

# goes_on: the person answers in the pane, and the next file is shown.
goes_on() {
	shown=$(grep -c '^shown' "$log")
	tm send-keys -t "$pane" -l x
	wait_until 10 has_shown "$((shown + 1))"
}

has_shown() { [ "$(grep -c '^shown' "$log")" -ge "$1" ]; }

# reports EVENT [MORE]: a hook of the agent.
reports() {
	printf '{"hook_event_name":"%s","session_id":"%s"%s}' "$1" "$run" \
		"${2:-}" | env PANEWARD_ISSUE="$issue" PANEWARD_RUN="$run" \
		PANEWARD_STATUS_DIR="$S" "$PW" hook record
}

asks() {
	reports PermissionRequest \
		",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$1\"}"
}

# says TEXT: its row does soon.
says() { wait_until 10 is_row "$1"; }
is_row() { "$PW" status "$issue" | grep -Eq "^$issue +asking .*$1"; }

# seen: has the watcher seen the dialog on the screen?
seen() { [ "$(record "$issue" question)" != '' ]; }

# notices REGEX: these are sent soon.
notices() { wait_until 10 noticed "$1"; }
noticed() { tr '\n' ';' 2>/dev/null <"$T/notices-$issue" | grep -Eq "^$1\$"; }
typed() { grep -v '^shown' "$log" | tr -d '\n'; }

# The screen may be read before the hook is.
push='(Bash: )?git push --force'
scenario 'each of two permissions is named, without events between' <<'END'
>>> begins 1 "$T/work" "$T/mkdir" "$T/push" "$T/question" "$T/test" "$T/work"
>>> reports SessionStart ',"source":"startup"'; reports UserPromptSubmit
>>> wait_until 10 recorded 1 working; asks 'mkdir x'; goes_on
>>> says 'Bash: mkdir x'; notices 'Bash: mkdir x;'; wait_until 10 seen
>>> reports Notification ',"notification_type":"permission_prompt","message":"Claude needs your permission"'
>>> goes_on; asks 'git push --force'
>>> says "$push"; notices "Bash: mkdir x;$push;"
END
scenario 'a question that no hook reports is on the screen' <<'END'
>>> goes_on; says 'Which way is it\?'
>>> notices "Bash: mkdir x;$push;Which way is it\?;"
>>> like "$("$PW" history 1 | tr '\n' ' ')" \
... 	"Bash: mkdir x.*$push.*Which way is it\?"
END
scenario 'the dialog of an outdated row is answered only by its own id' <<'END'
>>> freeze "$(watcher 1)"; goes_on; fails 1 \
... 	"asks something else than its row, which says 'asking: it asks a question: Which way is it\?'" \
... 	answer 1 yes
>>> like "$(cat "$T/out")" 'it asks for permission: make test'; typed
xxxx
>>> id=$(sed -n 's/.*--dialog \([0-9a-f]*\).*/\1/p' "$T/out")
>>> fails 0 '' answer --dialog "$id" 1 yes; wait_until 10 has_shown 6; typed
xxxx1
>>> kill -CONT "$(watcher 1)"
END
scenario 'what is to be run must be known to be answered; the hook names it' \
	<<'END'
>>> begins 2 "$T/vague" "$T/work"; says 'it asks for permission'
>>> wait_until 10 seen; fails 1 'the command to run is not known' answer 2 yes
>>> typed; asks 'rm -rf x'; says 'Bash: rm -rf x'
END
scenario 'a title is ahead of the screen, and a command behind the row' <<'END'
>>> begins 3 "$T/work" "$T/mkdir" "$T/push" "$T/work"
>>> wait_until 10 recorded 3 working; goes_on; says 'mkdir x'
>>> notices 'mkdir x;'; goes_on; says 'git push --force'
>>> notices 'mkdir x;git push --force;'; fails 0 '' answer 3 no
>>> wait_until 10 eval '[ "$(typed)" = xx2 ]'
END
done_testing
