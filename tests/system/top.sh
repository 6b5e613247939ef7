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

# top_run SESSION [WORD=VALUE] [OPTION...]: a shell that runs top, and says how
# it ended.
top_run() {
	name=$1
	shift
	variable=
	case ${1:-} in
	*=*) variable=$1; shift ;;
	esac
	script "$name" <<-END
		# What is typed reaches it, too; top gets the default action.
		trap : QUIT
		PAGER='$T/pager' PS1= exec 2>&1
		export PAGER
		$stty -g
		echo "before top"
		env $variable '$PW' top $*
		echo "top ended: \$?"
		$stty -g
		exec sleep 1000
	END
	pane_run "$name" "exec '$T/$name'"
}

# rows SESSION: the names in the list, in their order.
rows() {
	pane_text "$1" | sed -En 's/^[* ][▸> ] ([0-9]+) +(error|working)[?]? .*/\1/p' \
		| xargs
}

# same_settings SESSION: two lines of stty stand there, which are the same.
same_settings() {
	pane_text "$1" | grep '^[0-9a-f]*:[0-9a-f]*:' >"$T/settings"
	[ "$(wc -l <"$T/settings") $(sort -u "$T/settings" | wc -l)" = '2 1' ]
}

# sees SESSION WHAT TEXT: is it on the screen?
sees() {
	case $2 in
	shows) pane_shows "$1" "$3" ;;
	hides) no pane_shows "$1" "$3" ;;
	list) [ "$(rows "$1")" = "$3" ] ;;
	# The line below the list names it.
	chosen) pane_text "$1" | grep -q "^[─-][─-] $3  " ;;
	first) [ "$(pane_text "$1" | sed -n '1s/ *[0-9:]* *$//p')" = "$3" ] ;;
	esac
}

# play SESSION DESCRIPTION: each line of standard input is keys to be pressed,
# or a size, and what has to be seen then: "j : chosen 41 & shows that".
play() {
	in_scenario=true
	while read -r line <&8; do
		set -f
		for key in ${line%%: *}; do
			case $key in
			[0-9]*x[0-9]*) tm resize-window -t "=$1:" \
				-x "${key%x*}" -y "${key#*x}" ;;
			*) tm send-keys -t "=$1:" "$key" ;;
			esac
		done
		set +f
		facts="${line#*: } & "
		while [ "$facts" != '' ]; do
			fact=${facts%% & *}
			facts=${facts#* & }
			wait_until 10 sees "$1" "${fact%% *}" "${fact#* }" ||
				echo "after: $line"
		done
	done 8<&0 >"$T/seen"
	in_scenario=false
	is "$(cat "$T/seen")" '' "$2"
}

top_process() {
	pgrep -f '^paneward-top ' -P "$(pane_tell "$1" '#{pane_pid}')"
}

# ---- an empty queue ---------------------------------------------------------

tmux_start
fails 3 "^paneward: top: this is no terminal; 'paneward status --all' prints \
the same$" top
fails 2 '' top 42
top_run top
play top 'an empty queue says so and what to do, and q ends it' <<'END'
: shows No agent is running. & shows paneward start 42
q : shows top ended: 0 & shows before top
END
soon 'the settings of the terminal are as before' same_settings top

# ---- rows -------------------------------------------------------------------

script agent <<-'END'
	echo "the screen of $PANEWARD_ISSUE"
	exec sleep 1000
END
cp "$(command -v sleep)" "$T/claude"
"$PW" start 41 -- "$T/agent" >"$T/said" 2>&1
"$PW" start 42 -- "$T/agent" >"$T/said" 2>&1
"$PW" start 43 -- "$T/claude" 1000 >"$T/said" 2>&1
"$PW" signal error --issue 43 'no disk is left'
wait_until 10 recorded 43 error
tm kill-session -t =top
top_run top
play top 'the list is sorted and counted, and keys move the choice' <<'END'
: list 43 41 42 & shows 1 error  2 working & shows 1 agent needs you: 43
: chosen 43
j : chosen 41
Down : chosen 42
Down Up : chosen 41
Home : chosen 43
End : chosen 42
k : chosen 41
NPage : chosen 42
PPage : chosen 43
j : chosen 41
END
"$PW" signal error --issue 42 'no net'
play top 'a changed row moves at once, the choice stays; Space shows a screen' \
	<<'END'
: list 43 42 41 & chosen 41
Space : shows the screen of 41
k : shows the screen of 42
Space : hides the screen of 42
END

# As Ctrl-\ does; the shell above it would end.
kill -s QUIT "$(top_process top)"
play top '? shows the keys, also after SIGQUIT; letters show texts in a pager' \
	<<'END'
? : shows why it is in its state
q : list 43 42 41
e : shows pager 1 waits & shows paged:
Enter : list 43 42 41
l : shows pager 2 waits & shows paged:
Enter : list 43 42 41
h : shows pager 3 waits & shows paged:
Enter : list 43 42 41
END

if command -v less >/dev/null; then
	top_run brief 'PAGER=cat LESS=-FX'
	play brief 'less waits until it is left, however short the text is' \
		<<-'END'
	: list 43 42 41
	h : shows (END)
	q : list 43 42 41
	END
	tm kill-session -t =brief
else
	skip 'less waits, however short the text is' 'less is not here'
fi

# ---- what is shown ----------------------------------------------------------

play top 'a filter shows what holds each word, in any case' <<'END'
/ 4 1 : list 41 & shows /41
BSpace : list 43 42 41
BSpace BSpace / C-u E R R O R Space 4 2 Enter : list 42 & chosen 42
: shows 1 found
/ C-u z z z : shows no agent holds that
Escape : list 43 42 41
END
# The pane in which its agent lives is forgotten with it.
play top 'f forgets an agent, a shows it all the same' <<'END'
Home : chosen 43
f : list 42 41 & chosen 42 & shows 1 more is over or forgotten
: hides project-issue-43
a : list 42 41 43
a : list 42 41
END

# ---- the size ---------------------------------------------------------------

# Of a session without a client tmux 3.0 resizes the window, but not the
# terminal of its panes.
client_attach sizes top
play top 'a list and a help fit into any size, or say that it is too small' \
	<<'END'
40x10 : list 42 41 & hides FOR  AGENT
? : shows go to its pane & hides quit
x x : shows quit
x : list 42 41
200x50 : list 42 41
Space : shows │ the screen of 42
Space 19x5 : shows too small (20x5)
20x4 : shows too small (20x5)
20x5 : hides too small & first  1 error
80x24 : list 42 41
END
tm detach-client -s =top
wait_until 10 test -e "$T/sizes.detached"

# ---- the end by a signal ----------------------------------------------------

for signal in TERM INT HUP; do
	kill -s $signal "$(top_process top)"
	play top "SIG$signal ends it, and the screen is as before" <<-'END'
	: shows top ended: 1 & shows before top
	END
	soon 'and the settings' same_settings top
	tm kill-session -t =top
	top_run top
	wait_until 10 sees top list '42 41'
done
tm kill-session -t =top

# ---- terminals --------------------------------------------------------------

colored() {
	tm capture-pane -e -p -t "=$1:" |
		grep -q "$(printf '\033')\[[0-9;]*3[1-7]"
}
top_run dumb TERM=dumb
top_run none TERM=no-such-terminal
top_run plain NO_COLOR=1
top_run color
top_run old TERM=vt100
top_run ascii LC_ALL=C
scenario 'a terminal without a cursor is refused; others have what they can' \
	<<'END'
>>> for name in plain color old ascii; do
... 	wait_until 10 sees $name list '42 41'
... done
>>> wait_until 10 sees dumb shows "cannot move its cursor (TERM is 'dumb')"
>>> wait_until 10 sees dumb shows 'top ended: 3'
>>> wait_until 10 sees none shows "TERM is 'no-such-terminal'"
>>> wait_until 10 colored color
>>> colored plain || colored old
[1]
>>> tm send-keys -t =old: Down; wait_until 10 sees old chosen 41
>>> pane_text ascii | LC_ALL=C tr -d '\000-\177'; tm kill-session -t =old
END

# ---- going there ------------------------------------------------------------

# A client of the server on a terminal of its own: that of another server.
view=inside
tmux -L "$view" -f /dev/null new-session -d -s view -x 80 -y 24 \
	"exec env -u TMUX tmux -L default attach -t =plain"
client_shows() { [ "$(tm list-clients -F '#{client_session}')" = "$1" ]; }
wait_until 10 client_shows plain
type_view() { tmux -L "$view" send-keys -t =view: "$@"; }
view_shows() { tmux -L "$view" capture-pane -p -t =view: | grep -Fq -e "$1"; }
session_of() {
	tm display-message -p -t "$(record "$1" tmux.pane)" '#{session_name}'
}
# back: the client shows the list, whose first row is chosen.  What a busy
# machine has left of clicks may choose another one meanwhile.
back() {
	tm switch-client -t =plain
	tm send-keys -t =plain: Home
	sees plain chosen 42 && client_shows plain && view_shows ' 42 '
}
click() { type_view -l "$(printf '\033[<0;10;%sM\033[<0;10;%sm' "$1" "$1")"; }
# A busy machine may let too much time pass between the two.  Clicks that come
# when the client is away would end top, as if it were in a popup.
double_click() {
	click 4
	click 4
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		client_shows "$there" && return
		sleep 0.1
	done
	return 1
}
scenario 'Enter and a double click go there, click and wheel choose' <<'END'
>>> there=$(session_of 41); type_view j; wait_until 10 sees plain chosen 41
>>> type_view Enter; wait_until 10 client_shows "$there"; wait_until 10 back
>>> click 4; wait_until 10 sees plain chosen 41
>>> type_view -l "$(printf '\033[<64;10;4M')"
... wait_until 10 sees plain chosen 42
>>> wait_until 10 double_click; wait_until 10 back
END
scenario 'keys typed ahead are about what those before them leave' <<'END'
>>> pid=$(top_process plain); freeze "$pid"
>>> tm send-keys -t =plain: / 4 1 Enter Enter; kill -s CONT "$pid"
>>> wait_until 10 client_shows "$there"; tm send-keys -t =plain: Escape
END

there=$(session_of 42)
# finds: the view's top finds 42, and Enter goes there.
finds() {
	type_view / 4 2 Enter
	wait_until 10 view_shows '1 found'
	type_view Enter
	wait_until 10 client_shows "$there"
}
if tm list-commands | grep -q display-popup; then
	scenario 'Enter goes there also out of a popup, which closes' <<'END'
>>> tty=$(tm list-clients -F '#{client_tty}')
>>> tm display-popup -c "$tty" -E -w 90% -h 90% "'$PW' top --client '$tty'" &
>>> wait_until 10 view_shows 'needs you: 42'; finds
>>> wait_until 10 no view_shows '1 found'
END
else
	skip 'also out of a popup' 'this tmux has none'
fi
side_shows() { tm capture-pane -p -t "$side" | grep -qx -e "$1"; }
scenario 'a sidebar has two lines an agent, in any size, and stays' <<'END'
>>> tm switch-client -t =plain
>>> side=$(tm split-window -hb -l 32 -P -F '#{pane_id}' -t =plain: \
... 	"'$PW' top --sidebar")
>>> wait_until 10 side_shows '.● 41 .*'; type_view / 4 2 Enter
>>> wait_until 10 side_shows '▸[!·] 42  *[0-9]*[smh] *'
>>> side_shows '   .*no net *'; type_view Enter
>>> wait_until 10 client_shows "$there"; tm switch-client -t =plain
>>> tm resize-pane -t "$side" -x 1 && tm resize-pane -t "$side" -x 24
>>> type_view Escape; wait_until 10 side_shows '.● 41 .*'
END
tmux -L "$view" kill-server

# A server that is ending would still refuse what comes.
view=outside
scenario 'outside tmux the terminal is attached, and gets the list back' <<'END'
>>> tmux -L "$view" -f /dev/null new-session -d -s view -x 80 -y 24 \
... 	"exec env -u TMUX -u TMUX_PANE '$PW' top"
>>> wait_until 10 view_shows ' 42 '; finds
>>> wait_until 10 view_shows 'the screen of 42'
>>> type_view C-b d; wait_until 10 view_shows '1 found'
END
mkdir "$T/paneless"
scenario 'an issue of another project is not taken for it' <<'END'
>>> (cd "$T/paneless" && "$PW" signal error --issue 42 'no pane' &&
... 	"$PW" watch 42 --once) >"$T/said" 2>&1
[1]
>>> type_view Escape / p a n e l e s s Enter; wait_until 15 view_shows 'no pane'
>>> type_view Enter; wait_until 10 view_shows 'its pane is not known'
>>> rm -r "$T/paneless"; tmux -L "$view" kill-server
END

# ---- alone ------------------------------------------------------------------

pane_run alone "env PAGER=cat '$PW'; exec sleep 1000"
play alone 'paneward alone is paneward top; what works can be forgotten, too' \
	<<'END'
: list 41 42
f : list 42
f : shows 3 more are over or forgotten; a shows them
END
pane_run solo "exec '$T/claude' 1000"
play alone 'an agent without an issue has a log, too' <<END
: shows solo:
l : shows == pane $(pane_tell solo '#{pane_id}'), with its history ==
q : shows solo:
END
tm kill-session -t =solo

# ---- groups, pins, prompts --------------------------------------------------

mkdir "$T/bin" "$T/papers"
cp "$(perl -e 'print $^X')" "$T/bin/claude"
# client SESSION SECONDS: a client at its prompt, of another project.
client() {
	pane_run "$1" "exec '$T/bin/claude' '$ROOT/tests/system/prompt.pl' \
		'$T/log-$1' $2" -c "$T/papers"
}
client slow 600
client quick 0.3
prompts() { sed -n 's/^prompt \([0-9a-f]*\) .*/\1/p' "$T/log-$1"; }
bytes() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; }

play alone 's sends a prompt, r too; what was refused is not lost' <<'END'
/ q u i c k : shows ▸ quick: & shows waiting
Enter : shows s send
s t w o Space w o r d s Enter : shows sent to quick:
/ C-u s l o w Enter : shows ▸ slow: & shows waiting & shows s send
s / e x i t Enter : shows begins with '/' & shows s brings the text back
r : shows : /exit
C-u w o r k Enter : shows working & hides s send
s : shows cannot send to slow:claude.0: it is busy
END
tm set-buffer "$(printf 'one\n\ttwo\n')"
paste() { tm paste-buffer -p -t =alone:; }
paste                           # its letters are no keys
play alone 'a pasted text of several lines is one prompt' <<'END'
/ C-u q u i c k Enter : shows waiting & shows s send
s : shows send quick:
END
paste
play alone 'and sent by Enter alone' <<'END'
: shows one  two
Enter : shows sent to quick:
END
is "$(prompts quick) $(prompts slow)" "$(bytes 'two words')
$(bytes "$(printf 'one\n\ttwo')") $(bytes work)" 'all as it was typed'

play alone 'g groups by project, Enter and arrows fold, p pins, i hides' <<'END'
Escape g : shows - papers  1 waiting  1 working
/ q u i c k Enter p : shows *▸ quick:
Escape i : hides  slow: & shows 1 works; i shows it
i Down Down : shows ▸ slow:
Left : shows Enter folds
Left : shows + papers  1 working & hides  slow:
Right Right : shows ▸ slow:
Left Enter : shows + papers
END
tm kill-session -t =alone
pane_run alone "exec '$PW' top"
play alone 'the next time, too; what is broken counts as none' <<'END'
: shows + papers & shows *▸ quick:
END
echo '{"grouped":[],' >"$HOME/.local/state/paneward/top.json"
play alone 'and says nothing' <<'END'
: hides papers  1 & shows  slow: & hides *
END
tm kill-session -t =slow; tm kill-session -t =quick

# ---- many rows, hostile text ------------------------------------------------

# Records of issues that do not run, with a message of another's.
mkdir "$T/hundreds" && cd "$T/hundreds" || exit 1
"$PW" start 1 -- "$T/agent" >"$T/said" 2>&1
"$PW" signal error --issue 1 \
	"$(printf 'a\033[31mred\033]0;title\007 \302\233 #[fg=red]b \342\200\256txet')"
S=$T/hundreds/.worktrees/.status
wait_until 10 recorded 1 error
for issue in $(seq 2 200); do
	sed "s/\"issue\":\"1\"/\"issue\":\"$issue\"/" \
		"$S/.paneward/1.json" >"$S/.paneward/$issue.json"
done
top_run many --project
# tmux 3.2a takes the status line off the height that was asked for.
play many 'of 200 rows some are on the screen, and all are reached' <<'END'
80x24 : shows 200 error & shows 1 to 17 of 200
End : chosen 200 & shows 184 to 200 of 200
/ 1 5 0 Enter : list 150 & shows #[fg=red]b
END
scenario 'no control character is shown, nor one that turns the text' <<'END'
>>> pane_text many | LC_ALL=C tr -d '\n\040-\176\200-\377'
>>> pane_text many | grep -E "$(printf '\302\233|\342\200\256')"
[1]
>>> title=$(pane_tell alone '#{pane_title}')
>>> [ "$(pane_tell many '#{pane_title}')" = "$title" ]
END

done_testing
