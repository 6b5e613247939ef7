#!/bin/sh
# Agents of which little is known: those that are found by their process alone,
# and those that paneward does not know.
. "${0%/*}/lib.sh"

# A program is perl under its name, with a line to run as its option.
mkdir -p "$T/bin" "$T/node_modules/@them/mine"
for name in droid gptme less node; do
	ln -s "$(command -v perl)" "$T/bin/$name"
done
PATH=$T/bin:$PATH
raw='$| = 1; print qq(\e]2;a "title"\a-ready-\n); <STDIN>;
	system qw(stty raw -echo); print q(-raw-); sleep 999'
echo "$raw" >"$T/node_modules/@them/mine/cli.js"
echo 'sleep 999' >"$T/exec"
ln -s ../node_modules/@them/mine/cli.js "$T/bin/mine"
made=$HOME/.config/paneward/backends

# runs SESSION COMMAND...
runs() {
	name=$1
	shift
	pane_run "$name" "exec $*"
	wait_until 10 pane_shows "$name" -ready-
}
makes_raw() { pane_type "$1" x && wait_until 10 pane_shows "$1" -raw-; }
rows() {
	"$PW" status --all | sed 's/:[^ ]*//; s/ *[0-9][0-9]*s  *\([a-z]\)/ \1/;
		s/  */ /g'
}
has_row() { rows | grep -q "^$1 "; }
id() { pane_tell "$1" '#{pane_id}'; }

tmux_start
scenario 'an agent that only its process shows is unknown' <<'END'
>>> pane_run droid "exec droid -e 'sleep 999'"; wait_until 10 has_row droid
>>> valid 0 status --all --json; rows
~ droid unknown droid %\d+ its state is not known beyond that it lives
>>> "$PW" explain "$(id droid)" | tail -n 1
verdict: unknown, by process: its state is not known beyond that it lives
>>> pane_run once 'exec droid exec' -c "$T"; runs less "less -e '$raw'"; makes_raw less
>>> runs gptme "gptme -e '$raw'"; rows | grep -v ^droid
[1]
>>> makes_raw gptme; wait_until 10 has_row gptme; rows | grep -v ^droid
~ gptme unknown gptme %\d+ an agent that paneward does not know: 'paneward init --backend gptme'
>>> "$PW" explain "$(id gptme)" | tail -n 1
verdict: unknown, by process: an agent that paneward does not know: 'paneward init --backend gptme'
>>> "$PW" history "$(id gptme)" >"$T/out" 2>&1; "$PW" log "$(id gptme)" | grep -c -e -raw-
1
>>> "$PW" send "$(id gptme)" hello
~ paneward: cannot send to '%\d+': .*
[1]
>>> pane_run box "exec env PANEWARD_AGENT=none-such tail -f /dev/null"
>>> wait_until 10 has_row box; "$PW" explain "$(id box)" | tail -n 1
verdict: unknown, by process: an agent that paneward does not know: 'paneward init --backend none-such'
>>> tm kill-session -t =box
END

scenario 'init writes a first backend of it, and nothing else' <<'END'
>>> "$PW" init --backend gptme --print | grep -c '^+'
14
>>> ls "$made" 2>/dev/null; "$PW" init --backend gptme >"$T/out"; ls "$made"
gptme.json
>>> sed -n '2p; /process/p' "$made/gptme.json"
  // It ran in a pane titled "a \"title\"".
  "process": { "names": ["gptme"], "packages": [] },
>>> rows | grep -v ^droid
~ gptme unknown gptme %\d+ its state is not known beyond that it lives
>>> echo '{}' >"$made/gptme.json"; "$PW" init --backend gptme
~ paneward: '.*/gptme.json' is left as it is: it is there already; .*
[2]
>>> cat "$made/gptme.json"; rm "$made/gptme.json"
{}
>>> runs mine "node '$T/bin/mine'"
>>> "$PW" init --backend mine >"$T/out"; grep process "$made/mine.json"
  "process": { "names": ["mine"], "packages": ["@them/mine"] },
>>> has_row mine; "$PW" init --backend other | grep -F 'no pane'
+  // It was seen in no pane.
>>> "$PW" init --backend codex
~ paneward: init: paneward knows 'codex' already, by '.*/codex.json'; to change that, copy it to '.*/backends/codex.json'
[2]
>>> for name in cursor-agent bash ../x ''; do "$PW" init --backend "$name"; done 2>&1
~ paneward: init: paneward knows 'cursor-agent' already, by '.*/cursor.json'; .*
~ paneward: init: 'bash' cannot be a backend: .*
~ paneward: init: '../x' cannot be a backend: .*
~ paneward: init: '' cannot be a backend: .*
[2]
>>> ls "$made"
mine.json
other.json
END
done_testing
