#!/bin/sh
# `paneward top` on a terminal: keys are typed into its pane, and the pane is
# read.
. "${0%/*}/lib.sh"

# A pager that says what it got and stays until Enter.  What the one before it
# has printed may be on the screen, too, so it says which one it is.
script pager <<-END
	sed 's/^/paged: /' | head -n 5
	echo >>'$T/pagers'
	echo "pager \$(wc -l <'$T/pagers') waits"
	read -r _ </dev/tty
END
stty=$(command -v stty)

# top_run SESSION [WORD=VALUE...] [-- OPTION...]: a shell that runs top, and says
# how it ended.
top_run() {
	name=$1
	shift
	script "$name" <<-END
		# What is typed reaches it, too; top gets the default action.
		trap : QUIT
		PAGER='$T/pager' PS1= exec 2>&1
		export PAGER
		$stty -g
		echo "before top"
		env $(env_of "$@") '$PW' top $(options_of "$@")
		echo "top ended: \$?"
		$stty -g
		exec sleep 1000
	END
	pane_run "$name" "exec '$T/$name'"
}

env_of() {
	for word; do
		[ "$word" != -- ] || return 0
		printf '%s ' "$word"
	done
}

options_of() {
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		shift
	done
	[ $# -eq 0 ] || shift
	printf '%s ' "$@"
}

# key SESSION KEY...
key() {
	session=$1
	shift
	tm send-keys -t "=$session:" "$@"
}

# shows SESSION TEXT DESCRIPTION
shows() {
	soon "$3" pane_shows "$1" "$2"
}

hides() {
	soon "$3" no pane_shows "$1" "$2"
}

# rows SESSION: the names in the list, in their order.
rows() {
	pane_text "$1" | sed -En 's/^ [▸> ] ([0-9]+) +(error|working)[?]? .*/\1/p' |
		xargs
}

rows_are() {
	[ "$(rows "$1")" = "$2" ]
}

# list_is SESSION ROWS DESCRIPTION
list_is() {
	soon "$3" rows_are "$1" "$2"
}

top_process() {
	pgrep -f '^paneward-top ' -P "$(pane_tell "$1" '#{pane_pid}')"
}

# chosen SESSION NAME: the line below the list names it.
chosen() {
	pane_text "$1" | grep -q "^[─-][─-] $2  "
}

chooses() {
	soon "$3" chosen "$1" "$2"
}

# same_settings SESSION: two lines of stty stand there, which are the same.
same_settings() {
	pane_text "$1" | grep '^[0-9a-f]*:[0-9a-f]*:' >"$T/settings"
	[ "$(wc -l <"$T/settings") $(sort -u "$T/settings" | wc -l)" = '2 1' ]
}

first_line_is() {
	[ "$(pane_text "$1" | sed -n '1s/ *[0-9:]* *$//p')" = "$2" ]
}

# ---- an empty queue ---------------------------------------------------------

tmux_start
exits 3 'without a terminal it is refused' "$PW" top
is "$(cat "$T/err")" "paneward: top: this is no terminal; 'paneward status \
--all' prints the same" 'and says what to do'
exits 2 'it takes no argument' "$PW" top 42

top_run top
shows top 'No agent is running.' 'an empty queue says so'
shows top 'paneward start 42' 'and what to do'
key top q
shows top 'top ended: 0' 'q ends it'
soon 'the settings of the terminal are as before' same_settings top
shows top 'before top' 'what stood there is there again'

# ---- rows -------------------------------------------------------------------

script agent <<-'END'
	echo "the screen of $PANEWARD_ISSUE"
	exec sleep 1000
END
for issue in 41 42; do
	exits 0 "$issue is started" "$PW" start $issue -- "$T/agent"
done
cp "$(command -v sleep)" "$T/claude"
exits 0 '43, a known agent' "$PW" start 43 -- "$T/claude" 1000
exits 0 'an error' "$PW" signal error --issue 43 'no disk is left'
wait_until 10 recorded 43 error
tm kill-session -t =top
top_run top
list_is top '43 41 42' 'worst first, then the oldest'
shows top '1 error  2 working' 'the states are counted'
shows top '1 agent needs you: 43' 'and who needs a person is told'
chooses top 43 'the worst one is chosen'

# ---- keys -------------------------------------------------------------------

key top j
chooses top 41 'j goes down'
key top Down
chooses top 42 'Down, too'
key top Down
key top Up
chooses top 41 'Up goes up, and the last row was the last'
key top Home
chooses top 43 'Home to the first'
key top End
chooses top 42 'End to the last'
key top k
chooses top 41 'k goes up'
key top NPage
chooses top 42 'a page down'
key top PPage
chooses top 43 'a page up'

key top j
chooses top 41 'and down again'
exits 0 'another error' "$PW" signal error --issue 42 'no net'
list_is top '43 42 41' 'a changed row moves at once'
chooses top 41 'and the chosen agent stays chosen'

key top Space
shows top 'the screen of 41' "Space shows the pane's screen"
key top k
shows top 'the screen of 42' 'of the chosen agent'
key top Space
hides top 'the screen of 42' 'and no more'

# As Ctrl-\ does; the shell above it would end.
kill -s QUIT "$(top_process top)"
key top '?'
shows top 'why it is in its state' '? shows the keys, also after SIGQUIT'
key top q
list_is top '43 42 41' 'until a key'

pager=0
for word in explain log history; do
	pager=$((pager + 1))
	letter=${word%"${word#?}"}
	key top "$letter"
	shows top "pager $pager waits" "$letter shows it in the pager"
	like "$(pane_text top)" '^paged: ' 'what the command printed'
	key top Enter
	list_is top '43 42 41' 'and then the list again'
done

if command -v less >/dev/null; then
	top_run brief PAGER=cat LESS=-FX
	list_is brief '43 42 41' 'another one, with options for less'
	key brief h
	shows brief '(END)' 'less waits, however short the text is'
	key brief q
	list_is brief '43 42 41' 'until it is left'
	tm kill-session -t =brief
else
	skip 'less waits, however short the text is' 'less is not here'
fi

# ---- what is shown ----------------------------------------------------------

key top / 4 1
list_is top '41' 'a filter shows what holds it'
shows top '/41' 'and what was typed'
key top BSpace
list_is top '43 42 41' 'Backspace removes a letter, and then leaves'
key top BSpace BSpace
key top / E R R O R ' ' 4 2 Enter
list_is top '42' 'each word counts, in any case'
shows top '1 found' 'the filter stays'
chooses top 42 'and the keys are keys again'
key top / C-u z z z
shows top 'no agent holds that' 'nothing is found'
key top Escape
list_is top '43 42 41' 'Escape shows all'

key top Home
chooses top 43 'of the first one'
key top f
list_is top '42 41' 'f forgets it'
chooses top 42 'the next one is chosen'
shows top '1 more is over or forgotten' 'there is more to see'
check 'its pane, in which the agent lives, is forgotten with it' \
	no pane_shows top 'project-issue-43'
key top a
list_is top '42 41 43' 'a shows it all the same'
key top a
list_is top '42 41' 'or not'

# ---- the size ---------------------------------------------------------------

# Of a session without a client tmux 3.0 resizes the window, but not the
# terminal of its panes.
client_attach sizes top
tm resize-window -t =top: -x 40 -y 10
list_is top '42 41' 'narrow and low'
hides top 'FOR  AGENT' 'without room for all columns'
key top '?'
shows top 'go to its pane' 'the keys'
hides top 'quit' 'are more than there are lines'
key top x x
shows top 'quit' 'the others are shown by a key each'
key top x
list_is top '42 41' 'and one more closes them'
tm resize-window -t =top: -x 200 -y 50
list_is top '42 41' 'wide and high'
key top Space
shows top '│ the screen of 42' 'there the screen stands beside the list'
key top Space
tm resize-window -t =top: -x 19 -y 5
shows top 'too small (20x5)' 'too narrow'
tm resize-window -t =top: -x 20 -y 4
shows top 'too small (20x5)' 'too low'
tm resize-window -t =top: -x 20 -y 5
hides top 'too small' 'just enough'
soon 'the first line counts as far as it has room' first_line_is top ' 1 error'
tm resize-window -t =top: -x 80 -y 24
list_is top '42 41' 'as before'
tm detach-client -s =top
wait_until 10 test -e "$T/sizes.detached"

# ---- the end by a signal ----------------------------------------------------

for signal in TERM INT HUP; do
	kill -s $signal "$(top_process top)"
	shows top 'top ended: 1' "SIG$signal ends it"
	shows top 'before top' 'the screen is as before'
	soon 'and the settings' same_settings top
	tm kill-session -t =top
	top_run top
	list_is top '42 41' 'again'
done
tm kill-session -t =top

# ---- terminals --------------------------------------------------------------

top_run dumb TERM=dumb
shows dumb "cannot move its cursor (TERM is 'dumb')" 'a dumb one is refused'
shows dumb 'top ended: 3' 'with a status'
top_run none TERM=no-such-terminal
shows none "TERM is 'no-such-terminal'" 'an unknown one, too'

colored() {
	tm capture-pane -e -p -t "=$1:" |
		grep -q "$(printf '\033')\[[0-9;]*3[1-7]"
}
top_run plain NO_COLOR=1
list_is plain '42 41' 'with NO_COLOR'
check 'there is no color' no colored plain
top_run color
list_is color '42 41' 'else'
soon 'there is' colored color
top_run old TERM=vt100
list_is old '42 41' 'on a vt100'
check 'there is none' no colored old
key old Down
chooses old 41 'and the keys are keys'

top_run ascii LC_ALL=C
list_is ascii '42 41' 'without UTF-8'
is "$(pane_text ascii | LC_ALL=C tr -d '\000-\177')" '' 'all is ASCII'

# ---- going there ------------------------------------------------------------

# A client of the server on a terminal of its own: that of another server.
tm kill-session -t =old
view=inside
tmux -L "$view" -f /dev/null new-session -d -s view -x 80 -y 24 \
	"exec env -u TMUX tmux -L default attach -t =plain"
client_shows() {
	[ "$(tm list-clients -F '#{client_session}')" = "$1" ]
}
wait_until 10 client_shows plain
type_view() {
	tmux -L "$view" send-keys -t =view: "$@"
}
view_shows() {
	tmux -L "$view" capture-pane -p -t =view: | grep -Fq -e "$1"
}
session_of() {
	tm display-message -p -t "$(record "$1" tmux.pane)" '#{session_name}'
}
type_view j
chooses plain 41 'a client types'
type_view Enter
soon 'Enter goes to the pane' client_shows "$(session_of 41)"

click() {
	type_view -l "$(printf '\033[<0;10;%sM\033[<0;10;%sm' "$1" "$1")"
}
tm switch-client -t =plain
key plain Home
chooses plain 42 'the first one'
click 4
chooses plain 41 'a click chooses a row'
type_view -l "$(printf '\033[<64;10;4M')"
chooses plain 42 'the wheel goes up'
# A busy machine may let too much time pass between the two.
double_click() {
	click 4
	click 4
	client_shows "$(session_of 41)"
}
soon 'a double click goes to the pane' double_click

tm switch-client -t =plain
key plain Home
chooses plain 42 'the first one'
pid=$(top_process plain)
freeze "$pid"
key plain / 4 1 Enter Enter
kill -s CONT "$pid"
soon 'keys typed ahead are about what those before them leave' \
	client_shows "$(session_of 41)"
key plain Escape

if tm list-commands | grep -q display-popup; then
	tty=$(tm list-clients -F '#{client_tty}')
	tm display-popup -c "$tty" -E -w 90% -h 90% \
		"'$PW' top --client '$tty'" &
	wait_until 10 view_shows 'needs you: 42'
	type_view /
	type_view 4 2 Enter
	wait_until 10 view_shows '1 found'
	type_view Enter
	soon 'also out of a popup' client_shows "$(session_of 42)"
	soon 'which closes' no view_shows '1 found'
else
	skip 'also out of a popup' 'this tmux has none'
fi
tmux -L "$view" kill-server

# Outside tmux.  A server that is ending would still refuse what comes.
view=outside
tmux -L "$view" -f /dev/null new-session -d -s view -x 80 -y 24 \
	"exec env -u TMUX -u TMUX_PANE '$PW' top"
wait_until 10 view_shows ' 42 '
type_view / 4 2 Enter
wait_until 10 view_shows '1 found'
type_view Enter
soon 'outside tmux the terminal is attached' client_shows "$(session_of 42)"
wait_until 10 view_shows 'the screen of 42'
type_view C-b d
soon 'and gets the list back' view_shows '1 found'
mkdir "$T/paneless"
(cd "$T/paneless" && "$PW" signal error --issue 42 'no pane' &&
	"$PW" watch 42 --once) >"$T/said" 2>&1
type_view Escape / p a n e l e s s Enter
wait_until 15 view_shows 'no pane'
type_view Enter
soon 'an issue of another project is not taken for it' \
	view_shows 'its pane is not known'
rm -r "$T/paneless"
tmux -L "$view" kill-server

# ---- alone ------------------------------------------------------------------

pane_run alone "env PAGER=cat '$PW'; exec sleep 1000"
list_is alone '41 42' 'paneward alone on a terminal is paneward top'

key alone f
list_is alone '42' 'what works can be forgotten, too'
key alone f
shows alone '3 more are over or forgotten; a shows them' \
	'that an agent runs is not denied'
pane_run solo "exec '$T/claude' 1000"
shows alone 'solo:' 'an agent without an issue'
key alone l
shows alone "== pane $(pane_tell solo '#{pane_id}'), with its history ==" \
	'has a log, too'
key alone q
shows alone 'solo:' 'and the list comes back'
tm kill-session -t =solo

# ---- many rows, hostile text ------------------------------------------------

# Records of issues that do not run, with a message of another's.
mkdir "$T/hundreds" && cd "$T/hundreds" || exit 1
exits 0 'one agent' "$PW" start 1 -- "$T/agent"
exits 0 'says what it likes' "$PW" signal error --issue 1 \
	"$(printf 'a\033[31mred\033]0;title\007 \302\233 #[fg=red]b \342\200\256txet')"
S=$T/hundreds/.worktrees/.status
wait_until 10 recorded 1 error
for issue in $(seq 2 200); do
	sed "s/\"issue\":\"1\"/\"issue\":\"$issue\"/" \
		"$S/.paneward/1.json" >"$S/.paneward/$issue.json"
done
top_run many -- --project
# tmux 3.2a takes the status line off the height that was asked for.
tm resize-window -t =many: -x 80 -y 24
shows many '200 error' '200 rows'
shows many '1 to 17 of 200' 'of which some are on the screen'
key many End
chooses many 200 'the last one is reached'
shows many '184 to 200 of 200' 'where it stands'
key many / 1 5 0 Enter
list_is many '150' 'and found'
shows many '#[fg=red]b' 'a style of tmux is text'
is "$(pane_text many | LC_ALL=C tr -d '\n\040-\176\200-\377')" '' \
	'no control character is shown'
unlike "$(pane_text many)" "$(printf '\302\233|\342\200\256')" \
	'nor one that turns the direction of text'
is "$(pane_tell many '#{pane_title}')" "$(pane_tell alone '#{pane_title}')" \
	'and the title is what it was'

done_testing
