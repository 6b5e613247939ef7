#!/bin/sh
# The texts of an agent and the names of folders, sessions and titles are data: each
# output shows them, and neither a terminal, nor tmux, nor a shell, nor a browser
# obeys them.
. "${0%/*}/lib.sh"

# hostile N: 2,000 bytes, of which others come first for each N.
hostile() {
	perl -e '
		my @all = ("\e]0;pwned-title\a", "#(touch pwned1) #{pid} ",
		    "\e]52;c;cHduZWQ=\a", "<script>alert(1)</script>",
		    "\xc2\x9b31m\xe2\x80\xaetxet\xe2\x81\xa6", "\x9b31m\xff\xfe",
		    "\"quoted\x27 \\ `touch pwned2` \$(touch pwned3) ",
		    "\xc0\xaf\xed\xa0\x80\xf5\x80\x80\x80", "#[fg=red]##(touch pwned4)",
		    "\eP1;2|17/ab\e\\", "a\r\nb\n\tc\b\b\x7f\x0e\x00",
		    "<img src=x onerror=\"alert(2)\">&lt;b&gt;", "%H %% ; | & ",
		    "\xe6\xbc\xa2\xf0\x9f\x91\x8d\xe2\x80\x8d", "\e[2J\e[31mred\ec");
		my $n = shift;
		my $text = join "", @all[$n .. $#all], @all[0 .. $n - 1];
		print substr $text x 20, 0, 2000' "$1"
}

# harmless FILE: is it text that no terminal obeys, in UTF-8?
harmless() {
	perl -e '
		local $/;
		open my $file, "<:raw", $ARGV[0] or die;
		my $text = <$file>;
		length $text or die "it is empty\n";
		utf8::decode($text) or die "it is no UTF-8\n";
		$text =~ /([\x00-\x08\x0b-\x1f\x7f-\x9f])/ ||
		$text =~ /([\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}])/
		    or exit;
		die sprintf "it holds U+%04X at \"%s\"\n", ord $1,
		    substr($`, -60) =~ s/[^ -~]/?/gr' "$1"
}

# draws NAME COMMAND: in a pane; what it sends there is in $T/NAME.drawn, with a
# last line once it has ended.
draws() {
	pane_run "$1" "read -r _; $2; echo; echo end of it; exec sleep 1000" -x 150
	tm pipe-pane -t "=$1:" "exec cat >'$T/$1.drawn'"
	tm send-keys -t "=$1:" Enter
}

# drawn_harmless NAME: what a program sent to its terminal is so, without what
# ncurses and we send; the pane has the title that it had.
drawn_harmless() {
	wait_until 10 grep -aq 'end of it' "$T/$1.drawn"
	perl -0777 -pe 's/\e\[[0-9;?]*[A-Za-z@]//g; s/\e[()][0-9A-Z]//g;
		s/\e[=>78DM]//g; s/[\r\b\x0e\x0f]//g' "$T/$1.drawn" >"$T/$1.text"
	harmless "$T/$1.text"
	is "$(pane_tell "$1" '#{pane_title}')" \
		"$(pane_tell person '#{pane_title}')"
}

are_json() { perl -MJSON::PP -ne 'decode_json($_)' "$1"; }

# ---- where it comes from ------------------------------------------------------
mkdir "$T/fake"
PATH=$T/fake:$PATH
for program in notify-send curl; do
	script "fake/$program" <<-END
		printf '%s\n' "\$@" >>'$T/$program.words'
		[ $program != curl ] || cat >>'$T/curl.settings'
		printf '\n200'
	END
done
script note <<END
printf '%s\n' "\$PANEWARD_MESSAGE" >>'$T/note.message'
cat >>'$T/note.record'
END

tmux_start
tm source-file "$ROOT/templates/tmux.conf"
pane_run person 'exec cat'
client_attach person person

# A folder may be called anything; as a title of tmux it would be no better.
evil=$(hostile 0 | LC_ALL=C tr -d '\000\n/' | head -c 200)
mkdir "$T/$evil" && cd "$T/$evil" || exit 1
S=$PWD/.worktrees/.status
echo "{ \"handoff\": null, \"notify\": [\"bell\", \"tmux\", \"osc\", \"desktop\",
	\"ntfy:http://127.0.0.1:1/topic\", \"webhook:http://127.0.0.1:1/hook\",
	[\"$T/note\"]] }" >.paneward.json
for issue in 1 2 3 4 5 6 7 8; do
	"$PW" start "$issue" --no-watch -- sleep 1000 >"$T/said" 2>&1
done
draws top "'$PW' top"
wait_until 10 pane_shows top 8
watch_begin watch 1 2 3 4 5 6 7 8
wait_until 10 watch_holds watch 8
for issue in 1 2 3 4 5 6 7 8; do
	hostile $((issue * 2 - 2)) >"$S/signal-error-$issue.new"
	mv "$S/signal-error-$issue.new" "$S/signal-error-$issue"
done
check 'a message has 2,000 bytes' test "$(wc -c <"$S/signal-error-8")" -eq 2000
for issue in 1 2 3 4 5 6 7 8; do
	wait_until 10 recorded "$issue" error
done

# One that asks, as its hook says, and one that is no issue.
"$PW" start 9 --no-watch -- sleep 1000 >"$T/said" 2>&1
hostile 4 | perl -MJSON::PP -0777 -ne 'print encode_json({
	hook_event_name => "Notification", session_id => "s",
	notification_type => "permission_prompt", message => $_ })' |
	PANEWARD_ISSUE=9 PANEWARD_STATUS_DIR=$S "$PW" hook record
"$PW" watch 9 --once >"$T/said" 2>&1
check '9 asks' recorded 9 asking
cp "$(command -v sleep)" "$T/claude"
pane_run pane "printf '\033]2;#(touch pwned5)\342\200\256\033\\\\'
	exec '$T/claude' 1000"
runs_claude() { [ "$(pane_tell pane '#{pane_current_command}')" = claude ]; }
wait_until 10 runs_claude
tm set-option -w -t =pane: automatic-rename off
tm rename-session -t =pane: "##(touch pwned6) ##[fg=red] \$(touch pwned7) \"' \\"

# ---- what shows it ------------------------------------------------------------
for command in status 'status --all' 'status --json' 'status --all --json' \
	'status --tmux' 'status --finished' 'next --print' 'explain 1' \
	'explain 9' history 'history --json' 'history --all' \
	'history --all --json' 'history --html -' 'history --all --html -' \
	'explain 8 --json'; do
	# shellcheck disable=SC2086
	"$PW" $command >"$T/out" 2>"$T/err"
	cat "$T/out" "$T/err" >"$T/both"
	check "$command is harmless" harmless "$T/both"
	case $command in
	*--json)
		check '... and JSON' are_json "$T/out" ;;
	*--html*)
		unlike "$(cat "$T/out")" '<script|<img|<[^>]*onerror' \
			'... and has no markup of theirs' ;;
	esac
done

# followed: are its lines whole, and of all agents?
followed() {
	grep -q ' 9 .*asking' "$T/follow.out" &&
		[ "$(grep -c ' [1-8] .*error' "$T/follow.out")" -eq 8 ] &&
		[ "$(tail -c 1 "$T/follow.out")" = '' ]
}

# Notices hide the segment for a while, and it goes with top.
scenario 'so are a follower, status and top on a terminal, and the status line' <<'END'
>>> "$PW" status --all | grep -Ec '^##?\(touch pwned6'
1
>>> begin_command follow status --all --follow; wait_until 10 followed
>>> harmless "$T/follow.out"; draws status "'$PW' status --all"
>>> wait_until 10 eval 'pane_text status | grep -q "^9 .*asking"'
>>> drawn_harmless status
>>> wait_until 10 eval 'pane_text top | grep -q " 9 .*asking"'
>>> wait_until 10 grep -aq '1 asking 8 error' "$T/person.bytes"
>>> tm send-keys -t =top: Space; tm send-keys -t =top: Down Down Down Down
>>> tm send-keys -t =top: / w n e d; wait_until 10 pane_shows top '/wned'
>>> tm send-keys -t =top: Enter q; drawn_harmless top
END

for issue in 1 2 3 4 5 6 7 8 9; do
	wait_until 20 grep -qs ' sent$' "$S/.paneward/$issue.notice"
done
# curl gets none of it as a word or a setting, a header is one line, a desktop gets
# a text each.
scenario 'notices have it as data' <<'END'
>>> for file in note.record note.message notify-send.words curl.settings; do
... 	harmless "$T/$file"
... done
>>> are_json "$T/note.record"; wc -l <"$T/note.record"; sort -u "$T/curl.words"
9
-
-K
>>> sed 's/ = .*//' "$T/curl.settings" | sort | uniq -c | sed 's/^ *//' |
... 	tr '\n' ';'
18 data-raw;18 fail;18 globoff;27 header;18 max-time;18 output;18 proto;18 silent;18 url;18 write-out;
>>> grep -c '^header = "Title: paneward [1-9] .* (.*)"$' "$T/curl.settings"
9
>>> grep -c '^--$' "$T/notify-send.words"
9
>>> grep -E '<script|<img|<b' "$T/notify-send.words"
[1]
>>> wait_until 10 grep -aq "$(printf '\033')]9;paneward 8 error" "$T/person.bytes"
>>> wait_until 10 grep -aq 'paneward [1-8] error (' "$T/person.bytes"
END
check 'a terminal gets no sequence of theirs' perl -0777 -ne '
	s/\e\]9;(paneward [^\x00-\x1f\x7f]*)\a/$osc .= $1/ge;
	/(\e\](?:0;pwned|52;)|\eP1;2|\ec|\xc2\x9b|\xe2\x80\xae|\xe2\x81\xa6)/ and
	    die "it got ", unpack("H*", $1), "\n";
	$osc =~ /(\xc2[\x80-\x9f]|\xe2\x80\xae|\xe2\x81\xa6)/ and
	    die "a notice has ", unpack("H*", $1), "\n"' "$T/person.bytes"
is "$(find "$T" -name 'pwned*')" '' 'nothing of it was run'

lines="$T/two
lines"
scenario 'a folder with a line feed in its name is in a line, without a message' <<'END'
>>> mkdir "$lines"; cd "$lines"
>>> "$PW" start 20 --no-watch -- sleep 1000 >"$T/said" 2>&1
>>> "$PW" status --all | grep -c '^20 .* two.*lines '
1
>>> cd "$P"; "$PW" status --all >"$T/out" 2>&1; harmless "$T/out"
>>> grep '^paneward:' "$T/out"
[1]
END
done_testing
