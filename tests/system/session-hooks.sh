#!/bin/sh
# Hooks for one session: start, reload and loop run bring them along, unless
# init has put them into the client's settings.
. "${0%/*}/lib.sh"

# client NAME: a stand-in for it.  Its words, one a line, and its variables are
# in $T/NAME.words and NAME.env.
client() {
	cat >"$T/bin/$1" <<-END
		#!/usr/bin/perl
		my \$to = '$T/$1';
	END
	cat >>"$T/bin/$1" <<-'END'
		exit 0 if "@ARGV" eq '--help';
		sub note {
			open my $f, '>', "$to.$_[0]" or die;
			print $f map("$_\n", @_[1 .. $#_]);
			close $f;
		}
		note('words', @ARGV);
		note('new', map("$_=$ENV{$_}", keys %ENV));
		$SIG{INT} = sub { exit 0 };
		rename "$to.new", "$to.env";
		exit 0 if "@ARGV" =~ /^run |--print|-p /;
		print "────────\n❯\n────────\n ╹▀▀▀▀▀▀▀▀▀▀\n  ready\n";
		1 while <STDIN>;
	END
	chmod +x "$T/bin/$1"
}

# begun NAME: has it started since this was last asked?
begun() {
	wait_until 10 test -e "$T/$1.env"
	mv "$T/$1.env" "$T/$1.seen"
}

variable() { sed -n "s/^$2=//p" "$T/$1.seen"; }
config() { variable opencode OPENCODE_CONFIG_CONTENT; }

# begin BACKEND [OPTION...]
begin() {
	backend=$1
	shift
	issue=$((issue + 1))
	"$PW" start $issue --session "s$issue" --no-watch --backend "$backend" \
		"$@" >"$T/said" 2>&1 || comment <"$T/said"
	begun "$backend"
}

# set_variable NAME VALUE: what agents find in their environment.
set_variable() {
	export "$1=$2"
	tm set-environment -g "$1" "$2"
}

tmux_start
mkdir "$T/bin"
PATH=$T/bin:$PATH
plugins=$ROOT/templates/plugins
issue=0
client opencode
mine="\"$plugins/opencode.js\""

scenario 'OpenCode gets a plugin for its session' <<'END'
>>> begin opencode; is "$(config)" "{\"plugin\":[$mine]}"
>>> is "$(variable opencode PANEWARD)" "$PW"; test -r "$plugins/opencode.js"
>>> is "$(cat "$T/opencode.words")" ''
>>> begin opencode -- env X=1 opencode --port 0
>>> is "$(config)" "{\"plugin\":[$mine]}"
>>> begin opencode --cwd "$T"; is "$(config)" "{\"plugin\":[$mine]}"
END

scenario 'the user'\''s own configuration is kept' <<'END'
>>> set_variable OPENCODE_CONFIG_CONTENT \
... 	'{"plugin":["their.js"],"model":"a/b","n":1}'
>>> begin opencode
>>> is "$(config)" "{\"plugin\":[\"their.js\",$mine],\"model\":\"a/b\",\"n\":1}"
>>> set_variable OPENCODE_CONFIG_CONTENT '{ "theme": "x" // mine
... }'
>>> begin opencode; is "$(config)" "{\"theme\":\"x\",\"plugin\":[$mine]}"
>>> set_variable OPENCODE_CONFIG_CONTENT "{\"plugin\":[$mine]}"
>>> begin opencode; is "$(config)" "{\"plugin\":[$mine]}"
>>> for theirs in '{"plugin":"their.js"}' '[]' 'nonsense'; do
... 	set_variable OPENCODE_CONFIG_CONTENT "$theirs"
... 	begin opencode
... 	is "$(config)" "$theirs"
... 	wait_until 10 pane_shows "s$issue" \
... 		'no hooks for this session: OPENCODE_CONFIG_CONTENT has a value'
... done
>>> unset OPENCODE_CONFIG_CONTENT
>>> tm set-environment -gu OPENCODE_CONFIG_CONTENT
END

# reloaded NAME SESSION [--session-id ID]
reloaded() {
	name=$1
	session=$2
	shift 2
	fails 0 '' reload "$@" --pane "$(pane_tell "$session" '#{pane_id}')"
	begun "$name"
}

scenario 'a restarted one gets it, too' <<'END'
>>> reloaded opencode s1 --session-id ses1
>>> is "$(config)" "{\"plugin\":[$mine]}"
>>> is "$(tr '\n' ' ' <"$T/opencode.words")" '-s ses1 '
>>> pane_run hand 'exec bash --norc'; pane_type hand opencode; begun opencode
>>> is "$(config)" ''; reloaded opencode hand --session-id ses1
>>> is "$(config)" "{\"plugin\":[$mine]}"
END

echo 'Work on the issue.' >PROMPT.md
for manager in native tmux; do
	exits 1 "a loop in $manager runs" "$PW" loop run -b opencode -n 1 \
		--session-manager $manager --prompt-file PROMPT.md
	begun opencode
	is "$(config)" "{\"plugin\":[$mine]}" 'its agents get the plugin'
done

scenario 'none is brought where the hooks are installed' <<'END'
>>> fails 0 '' init opencode; begin opencode; is "$(config)" ''
>>> reloaded opencode "s$issue" --session-id ses1; is "$(config)" ''
>>> fails 1 '' loop run -b opencode -n 1 --prompt-file PROMPT.md
>>> begun opencode; is "$(config)" ''
>>> mkdir "$T/elsewhere"; begin opencode --cwd "$T/elsewhere"
>>> is "$(config)" "{\"plugin\":[$mine]}"
>>> sed -i.bak 's|^const program = .*|const program = "/nowhere/paneward"|' \
... 	.opencode/plugins/paneward.js
>>> begin opencode; is "$(config)" "{\"plugin\":[$mine]}"
>>> rm -r .opencode; fails 0 '' init opencode --user
>>> begin opencode --cwd "$T/elsewhere"; is "$(config)" ''
>>> "$PW" init opencode --user --remove >"$T/said"
END

# ---- words of the command line ----------------------------------------------

words() { tr '\n' ' ' <"$T/$1.words"; }

# is_given NAME GIVEN SESSION RESUMED ONCE: what is behind its
# name when it is started, when it is resumed, and for one turn.
is_given() {
	name=$1
	given=$2
	client "$name"
	begin "$name" --no-report --prompt 'Do it.'
	is "$(words "$name")" "$given $(echo "$3" |
		sed "s/RUN/$(record $issue run)/") Do it. " \
		"$name gets the hooks before all other words"
	is "$(grep -e plugin-dir -e extension "$S/.paneward/$issue.command")" \
		'' 'which are no part of its recorded command line'
	begin "$name" -- "$name" --model x 'Do it.'
	like "$(words "$name")" "^$given --model x Do it\. " \
		'so does the program of a command'
	begin "$name" -- env X=1 "$name" 'Do it.'
	is "$(words "$name")" 'Do it. ' 'but not what another program runs'
	# Another one in the project would hide which session is its own.
	for n in 0 1 2; do
		pid=$(cut -d ' ' -f 2 "$S/.paneward/$((issue - n)).agent")
		tm kill-session -t "=s$((issue - n)):"
		wait_until 5 no kill -0 "$pid"
	done
	begin "$name" --no-report --prompt 'Do it.'
	reloaded "$name" "s$issue"
	like "$(words "$name")" "^$given $4 " 'it gets them when it restarts'
	exits 1 'a loop runs' "$PW" loop run -b "$name" -n 1 -f PROMPT.md
	begun "$name"
	like "$(words "$name")" "^$given $5" 'so do the agents of a loop'
	"$PW" init "$name" >"$T/said" || comment <"$T/said"
	begin "$name" --no-report --prompt 'Do it.'
	like "$(words "$name")" '^--session' 'and after init it gets none'
	"$PW" init "$name" --remove >"$T/said"
}

is_given pi "--extension $plugins/pi.ts" \
	"--session $HOME/.pi/agent/sessions/-$(echo "$P" | tr / -)--/RUN.jsonl" \
	-c '-p Work on the issue\.'
is_given claude "--plugin-dir=$ROOT/templates/claude-plugin" \
	'--session-id RUN' '--resume [-0-9a-f]+' '--print --session-id '
done_testing
