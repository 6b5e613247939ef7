#!/bin/sh
# The ways of `notify` that are built in: what reaches the terminals of tmux
# clients, a desktop and servers, once each, without a word that anything obeys
# and without an address that anyone else can read.
# shellcheck source=tests/system/lib.sh
. "${0%/*}/lib.sh"

curl=$(command -v curl) || skip_all 'no curl'

# configure WAYS [KEYS]: as JSON.
configure() {
	printf '{ "handoff": null, "notify": %s%s }\n' "$1" "${2:+, $2}" \
		>"$P/.paneward.json"
}

# got NAME TEXT [TIMES]: how often has the file a line with that text?
got() {
	[ "$(grep -Fc -e "$2" "$T/$1" 2>/dev/null)" = "${3:-1}" ]
}

# marked ISSUE WORD: what a try came to.
marked() {
	grep -qs " $2\$" "$S/.paneward/$1.notice"
}

# error ISSUE TEXT: a run reports an error.
error() {
	printf '%s\n' "$2" >"$S/signal-error-$1.new"
	mv "$S/signal-error-$1.new" "$S/signal-error-$1"
}

# begin ISSUE: a run that is watched, in a session of its own.
begin() {
	"$PW" start "$1" --session "s$1" --no-watch -- sleep 1000 >/dev/null
	watch_begin "w$1" "$1"
	wait_until 5 watch_holds "w$1" "$1"
}

# ---- what stands in for a desktop and for servers ---------------------------

# No process of another test has it.
id=${T##*.}
secret=s3cret$id
mkdir "$T/fake"
PATH=$T/fake:$PATH
# Each word of the command line on a line.
cat >"$T/fake/notify-send" <<END
#!/bin/sh
printf '%s\n' "\$@" "bus \$DBUS_SESSION_BUS_ADDRESS" >>'$T/desktop'
END
# Who but curl's own input knows the password?  A server that hangs takes a part
# of its time only.
cat >"$T/fake/curl" <<END
#!/bin/sh
printf '%s\n' "\$*" >>'$T/curl'
grep -la '[s]3cret$id' /proc/[0-9]*/cmdline /proc/[0-9]*/environ \
	>>'$T/leaked' 2>/dev/null
[ ! -s '$T/answer' ] || exec '$curl' "\$@"
tee -a '$T/settings' | sed 's/^max-time = 10\$/max-time = 3/' | '$curl' "\$@"
END
script note <<END
echo "\$PPID" >'$T/sender.'\$PANEWARD_ISSUE
echo "\$PANEWARD_ISSUE \$PANEWARD_STATE" >>'$T/notes'
[ ! -e '$T/hang-note' ] || sleep 1000
END
chmod +x "$T/fake/notify-send" "$T/fake/curl"

# It answers what $T/answer says, and nothing while that is empty.
echo 200 >"$T/answer"
perl -MIO::Socket::INET -e '
	my ($dir, $id) = @ARGV;
	my $s = IO::Socket::INET->new(Listen => 50, LocalAddr => "127.0.0.1")
	    or die;
	open my $port, ">", "$dir/port.new" or die;
	print $port $s->sockport, "\n";
	close $port;
	rename "$dir/port.new", "$dir/port";
	$SIG{CHLD} = "IGNORE";
	while (1) {
		my $c = $s->accept or next;
		next if fork;
		my ($head, $body, $want) = ("", "", 0);
		while (defined(my $line = <$c>)) {
			$head .= $line;
			$want = $1 if $line =~ /^content-length: (\d+)/i;
			last if $line eq "\r\n";
		}
		read($c, $body, $want);
		open my $a, "<", "$dir/answer";
		my $answer = <$a>;
		open my $f, ">>", "$dir/requests" or die;
		syswrite $f, "$head$body\n";
		if (!defined $answer) {
			# What is seen of the one that waits.
			system "grep -las \x27[s]3cret$id\x27 " .
			    "/proc/[0-9]*/cmdline /proc/[0-9]*/environ " .
			    ">>$dir/leaked";
			sleep 1000;
		}
		chomp $answer;
		print $c "HTTP/1.1 $answer x\r\nContent-Length: 0\r\n\r\n";
		exit;
	}' "$T" "$id" &
wait_until 5 test -s "$T/port"
port=$(cat "$T/port")
ntfy="ntfy:http://127.0.0.1:$port/topic?auth=$secret"
webhook="webhook:http://u:$secret@127.0.0.1:$port/hook"

tmux_start
mkdir -p "$S" && chmod 700 "$S"
client_attach one keeper

# ---- all of them ------------------------------------------------------------

configure "[\"bell\", \"tmux\", \"osc\", \"desktop\", \"$ntfy\", \"$webhook\",
	[\"$T/note\"]]"
begin 30
# shellcheck disable=SC2016
error 30 'x#(touch pwned1) #{pid} %H <b>&amp; "\ $(touch pwned2) ;'
wait_until 10 marked 30 sent
result 0 'each way sends it'
esc=$(printf '\033') bel=$(printf '\007')
osc="${esc}]9;paneward 30 error (shell in project): x#(touch pwned1) #{pid} "
soon 'an OSC reaches the terminal, whole' grep -Faq \
	"$osc%H <b>&amp; \"\\ \$(touch pwned2) ; | paneward attach 30$bel" \
	"$T/one.bytes"
soon 'and a bell' perl -e 'local $/; $_ = <>; s/\e\][^\a]*\a//g;
	exit !/\a/' "$T/one.bytes"
soon "and tmux's message, no format of tmux" grep -Faq \
	'paneward 30 error (shell in project): x(touch pwned1) {pid} %H' \
	"$T/one.bytes"
check 'the desktop gets words, no options and no markup' got desktop \
	'x#(touch pwned1) #{pid} %H &lt;b&gt;&amp;amp; "\ $(touch pwned2) ;'
check 'with a title' got desktop 'paneward 30 error (shell in project)'
check 'behind the end of the options' got desktop --
check 'ntfy has the topic' got requests "POST /topic?auth=$secret HTTP"
check 'a title and a priority' eval "got requests 'Title: paneward 30 error' &&
	got requests 'Priority: high'"
check 'and the text' grep -Fq 'x#(touch pwned1) #{pid} %H <b>&amp; "\ $(' \
	"$T/requests"
check 'a webhook has its password' got requests 'Authorization: Basic '
check 'and the record' eval "grep '^{' '$T/requests' | perl -MJSON::PP -e '
	local \$/; \$_ = decode_json(<STDIN>);
	exit !(\$_->{issue} eq 30 && \$_->{state} eq \"error\" &&
	    \$_->{message} =~ /touch pwned1/)'"
check 'the command gets it too' got notes '30 error'
is "$(find "$T" -name 'pwned*')" '' 'nothing of the message was run'
is "$(sort -u "$T/curl")" '-K -' 'curl is given no address as a word'
is "$(cat "$T/leaked")" '' 'no process has it as a word or a variable'
is "$(grep -rl s3cret "$S")" '' 'and it is not written down'
is "$(grep -c ' sent ' "$S/.paneward/30.notice")" 7 'but that each was sent'

# ---- which sequence ---------------------------------------------------------

configure '["osc"]'
# tmux takes the name of a terminal in the first five seconds only.
tm detach-client -s keeper
wait_until 5 test -e "$T/one.detached"
client_attach known keeper
printf '\033P>|ghostty 1.2.0\033%s' "\\" >"$T/known.keys"
named() {
	tm list-clients -F '#{client_termtype}' | grep -q ghostty
}
if wait_until 5 named; then
	begin 31
	error 31 broken
	wait_until 10 marked 31 sent
	soon 'a terminal gets the one that it knows' grep -Faq \
		"${esc}]777;notify;paneward 31 error (shell in project);broken | p" \
		"$T/known.bytes"
fi
client_attach inner keeper screen-256color
begin 32
error 32 broken
wait_until 10 marked 32 sent
soon 'inside another tmux it is wrapped' grep -Faq \
	"${esc}Ptmux;$esc${esc}]9;paneward 32 error" "$T/inner.bytes"
tm detach-client -s keeper
wait_until 5 test -e "$T/inner.detached"
wait_until 5 test -e "$T/known.detached"

# ---- a person looks at it ---------------------------------------------------

configure "[\"desktop\", [\"$T/note\"]]"
begin 33
client_attach looking s33
error 33 'in sight'
wait_until 10 marked 33 seen
check 'what a person looks at needs no notice' no grep -q '^33 ' "$T/notes"
like "$(cat "$S/.paneward/33.seen")" ' seen$' 'and is seen in the list, too'
# After a restart of tmux, another pane may have its number.
{ echo "[[\"$T/note\"]]" && sed 's/"server_start":[0-9]*/"server_start":7/' \
	"$S/.paneward/33.json"; } >"$T/restarted"
PANEWARD_ISSUE=33 PANEWARD_EPISODE=another PANEWARD_STATE=error \
	PANEWARD_STATUS_DIR=$S "$PW" notify-run <"$T/restarted"
check 'nor is a pane of an earlier server the one in sight' \
	got notes '33 error'
# Without a server no listing shows that.
sed 's/"state":"error"/"state":"gone"/' "$T/restarted" >"$T/gone"
echo 'late again' >"$S/.paneward/33.notice"
PANEWARD_ISSUE=33 PANEWARD_EPISODE=late PANEWARD_STATE=gone \
	PANEWARD_STATUS_DIR=$S PANEWARD_SOCKET=$T/none "$PW" notify-run <"$T/gone"
is "$(tail -n 1 "$S/.paneward/33.notice")" 'late seen' \
	'a notice of one that is gone is not sent again'
tm detach-client -s s33
wait_until 5 test -e "$T/looking.detached"

configure "[[\"$T/note\"]]" '"notify_again": 1'
begin 34
error 34 'look here'
noted_often() {
	[ "$(grep -c '^34 error' "$T/notes")" -ge 3 ]
}
wait_until 20 noted_often
result 0 'a notice is sent again until it is seen'
is "$(journal 34 notify | wc -l)" 1 'as one'
client_attach looking2 s34
wait_until 20 marked 34 seen
result 0 'and is seen where the pane is shown'
kept() {
	[ "$(record 34 notice)" = '' ]
}
wait_until 10 kept
result 0 'then it is no longer due'

begin 38
error 38 'look there'
noted_again() {
	[ "$(grep -c '^38 error' "$T/notes")" -ge 2 ]
}
wait_until 20 noted_again
"$PW" forget 38
wait_until 20 eval '[ "$(record 38 notice)" = "" ]'
result 0 'nor of an agent that was forgotten'
check 'which is still an error' recorded 38 error

# ---- one that fails ---------------------------------------------------------

tm detach-client -s s34
wait_until 5 test -e "$T/looking2.detached"
: >"$T/answer"
: >"$T/requests"
configure "[\"desktop\", \"$ntfy\", \"$webhook\", [\"$T/note\"]]"
begin 35
error 35 'both hang'
wait_until 30 marked 35 failed
check 'a server that hangs keeps none from the others' eval \
	"got notes '35 error' && got desktop 'paneward 35 error (shell in project)'"
for way in ntfy webhook; do
	check "$way is named" got w35.err "paneward: cannot send the notice for \
issue '35' by $way: the server did not answer within 10 seconds"
done
is "$(grep max-time "$T/settings" | sort -u)" 'max-time = 10' \
	'curl is to wait no longer than that'
twice() {
	[ "$(grep -c '^POST /topic' "$T/requests")" -ge 2 ] &&
		[ "$(grep -c '^POST /hook' "$T/requests")" -ge 2 ]
}
wait_until 60 twice
is "$(sort -u "$T/leaked")" '' 'no process shows the address while it hangs'
echo 200 >"$T/answer"
wait_until 60 marked 35 sent
result 0 'they are sent once the servers answer'
check 'the others were sent once' eval \
	"got notes '35 error' && got desktop 'paneward 35 error (shell in project)'"
is "$(grep -c 'cannot send' "$T/w35.err")" 2 'and each was named once'
check 'without the address' no grep -q -e s3cret -e 127.0.0.1 "$T/w35.err"
is "$(grep -rl s3cret "$S")" '' 'which is not written down either'
echo 403 >"$T/answer"
begin 36
error 36 refused
wait_until 10 marked 36 failed
check 'a refusal is a failure' got w36.err \
	'by ntfy: the server refused it (HTTP 403)'

# ---- killed between two of them ---------------------------------------------

configure "[\"desktop\", [\"$T/note\"]]"
: >"$T/hang-note"
begin 37
error 37 'killed between'
wait_until 10 got notes '37 error'
kill -KILL "$(cat "$T/sender.37")"
rm "$T/hang-note"
wait_until 60 marked 37 sent
check 'what was sent is not sent again' got desktop \
	'paneward 37 error (shell in project)'
check 'what was cut short is' got notes '37 error' 2

# ---- a Mac -----------------------------------------------------------------

mkdir "$T/mac"
for program in tmux sh git tr; do
	ln -s "$(command -v "$program")" "$T/mac/$program"
done
script mac/osascript <<END
printf '%s\n' "\$@" >>'$T/apple'
END
script on-mac <<END
PATH='$T/mac' exec '$PW' "\$@"
END
configure '["desktop"]'
on_mac() {
	here=$PW
	"$PW" start "$1" --session "s$1" --no-watch -- sleep 1000 >/dev/null
	PW=$T/on-mac
	watch_begin "w$1" "$1"
	PW=$here
	wait_until 5 watch_holds "w$1" "$1"
	error "$1" "$2"
	wait_until 10 marked "$1" sent
}
on_mac 40 '" & (do shell script "touch pwned3") & " \ x'
is "$(cat "$T/apple")" '-e
on run argv
-e
display notification (item 2 of argv) with title (item 1 of argv)
-e
end run
paneward 40 error (shell in project)
" & (do shell script "touch pwned3") & " \ x | paneward attach 40' \
	'no text is a part of a script for osascript'

script mac/terminal-notifier <<END
printf '%s\n' "\$@" >>'$T/notifier'
tr a-z A-Z >>'$T/notifier'
END
on_mac 41 '-execute (touch pwned4) //'
is "$(cat "$T/notifier")" '-title
paneward 41 error (shell in project)
-EXECUTE (TOUCH PWNED4) // | PANEWARD ATTACH 41' \
	'nor an argument of terminal-notifier, which reads it'

# ---- by hand ----------------------------------------------------------------

echo 200 >"$T/answer"
configure "[\"osc\", \"$ntfy\", [\"$T/note\"]]"
exits 1 'a test without a terminal fails' "$PW" notify --test
check 'for that way' got out "osc: not sent: no terminal is attached to the tmux"
check 'and not for the others' eval "got out 'ntfy: the server took it (HTTP \
200)' && got out 'command: succeeded (exit 0)'"
check 'without the address' no grep -q -e s3cret -e "$port" "$T/out"
check 'a command gets a run of its own' got notes 'test asking'
client_attach tested keeper
exits 0 'a test of what is named' "$PW" notify --test osc bell
tty=$(tm list-clients -F '#{client_tty}')
is "$(cat "$T/out")" "osc: written to $tty (OSC 9); did you see it?
bell: written to $tty; did you hear it?" 'says what was written where'
wait_until 5 grep -Faq "${esc}]9;paneward test asking" "$T/tested.bytes"
exits 2 'another name is refused' "$PW" notify --test bells
exits 2 'and what is not configured' "$PW" notify --test webhook
exits 2 'nothing is sent without --test' "$PW" notify

# The notice of an agent of another host.
error 30 'far away'
"$PW" status 30 --json >"$T/row"
notify_row() {
	"$PW" notify --row far <"$T/row"
}
exits 0 'the notice of a row of another host is sent' notify_row
check 'in each way' eval "got out 'osc: written to' &&
	got out 'command: succeeded'"
wait_until 5 grep -Faq 'paneward attach far:30' "$T/tested.bytes"
result 0 'and says how to get there'
configure '["osc"]' '"notify_on": ["complete"]'
exits 0 'not if its state is none of notify_on' notify_row
check 'then nothing is sent' test ! -s "$T/out"
echo '{' >"$T/row"
exits 2 'what is no row is refused' notify_row

# ---- what is refused --------------------------------------------------------

rm "$T/fake/curl"
mkdir "$T/bin"
for program in tmux sh git touch; do
	ln -s "$(command -v "$program")" "$T/bin/$program"
done
printf '{ "handoff": "touch handed", "notify": ["%s", ["%s"]] }\n' "$ntfy" \
	"$T/note" >"$P/.paneward.json"
echo x >"$S/signal-complete-60"
exits 0 'without curl the rest goes on' env PATH="$T/bin" "$PW" sweep
is "$(cat "$T/err")" "paneward: cannot use 'ntfy' of notify: there is no \
program 'curl' in PATH; no notice is sent by it" 'with one warning'
soon 'the hand-off' test -e "$P/handed"
soon 'and the other way, which is all that is wanted' marked 60 sent
check 'is told' got notes '60 complete'
configure '["osc", "destkop"]'
exits 2 'a word that is no way beside one is refused' "$PW" sweep
is "$(cat "$T/err")" "paneward: '$P/.paneward.json' line 1: 'notify': \
'destkop' is no way; did you mean 'desktop'?" 'with the nearest one'
configure '"ntfy:https://u:s3cret@host"'
exits 2 'an address without a topic is refused' "$PW" sweep
check 'and not shown' no grep -q s3cret "$T/err"
done_testing
