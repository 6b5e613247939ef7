#!/bin/sh
# The ways of `notify` that are built in: what reaches the terminals of tmux
# clients, a desktop and servers, once each, without a word that anything obeys
# and without an address that another process can read.
. "${0%/*}/lib.sh"

curl=$(command -v curl) || skip_all 'no curl'

# configure WAYS [KEYS]: as JSON.
configure() {
	printf '{ "handoff": null, "notify": %s%s }\n' "$1" "${2:+, $2}" \
		>"$P/.paneward.json"
}

# got NAME TEXT [TIMES]: how often has the file a line with that text?
got() { [ "$(grep -Fc -e "$2" "$T/$1" 2>/dev/null)" = "${3:-1}" ]; }

# marked ISSUE WORD: what the last try came to.
marked() { tail -n 1 "$S/.paneward/$1.notice" | grep -q " $2\$"; }

# error ISSUE TEXT: a run reports an error.
error() {
	printf '%s\n' "$2" >"$S/signal-error-$1.new"
	mv "$S/signal-error-$1.new" "$S/signal-error-$1"
}

# begin ISSUE [TEXT]: a run that is watched, in a session of its own; with a
# text it reports an error.
paneward=$PW
begin() {
	"$paneward" start "$1" --session "s$1" --no-watch -- sleep 1000 \
		>"$T/said" 2>&1
	watch_locks "w$1" "$1"
	[ "${2:-}" = '' ] || error "$1" "$2"
}

# detach NAME SESSION
detach() {
	tm detach-client -s "$2"
	wait_until 5 test -e "$T/$1.detached"
}

# reached NAME TEXT: the terminal got it.
reached() { wait_until 10 grep -Faq "$2" "$T/$1.bytes"; }

# ---- what stands in for a desktop and for servers ---------------------------

# No process of another test has it.
id=${T##*.}
secret=s3cret$id
PATH=$T/fake:$PATH
# Each word of the command line on a line.
script fake/notify-send <<END
printf '%s\n' "\$@" "bus \$DBUS_SESSION_BUS_ADDRESS" >>'$T/desktop'
END
# Who but curl's own input knows the password?  A server that hangs takes a part
# of its time only.
script fake/curl <<END
printf '%s\n' "\$*" >>'$T/curl'
grep -la '[s]3cret$id' /proc/[0-9]*/cmdline /proc/[0-9]*/environ \
	>>'$T/leaked' 2>/dev/null
cat >'$T/settings.'\$\$
grep max-time '$T/settings.'\$\$ >>'$T/times'
grep -q /hang '$T/settings.'\$\$ || exec '$curl' "\$@" <'$T/settings.'\$\$
sed 's/^max-time = 10\$/max-time = 1/' '$T/settings.'\$\$ | '$curl' "\$@"
END
script note <<END
echo "\$PPID" >'$T/sender.'\$PANEWARD_ISSUE
echo "\$PANEWARD_ISSUE \$PANEWARD_STATE" >>'$T/notes'
[ ! -e '$T/hang-note' ] || sleep 1000
END

# It answers what $T/answer says, and nothing to /hang while $T/hangs is there.
echo 200 >"$T/answer"
: >"$T/hangs"
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
		if (-e "$dir/hangs" && $head =~ m|^POST /hang|) {
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

esc=$(printf '\033') bel=$(printf '\007')
tmux_start
mkdir -p "$S" && chmod 700 "$S"

# ---- servers that hang, and a sender that is killed --------------------------

hang=http://127.0.0.1:$port/hang
scenario 'a refusal is a failure; the other ends are shown below' <<'END'
>>> configure "[\"desktop\", [\"$T/note\"]]"; : >"$T/hang-note"
>>> begin 37 'killed between'; wait_until 10 got notes '37 error'
>>> kill -KILL "$(cat "$T/sender.37")"; rm "$T/hang-note"
>>> configure "[\"desktop\", \"ntfy:$hang?auth=$secret\", [\"$T/note\"],
... 	\"webhook:http://u:$secret@${hang#http://}\"]"; begin 35 'both hang'
>>> configure "[\"desktop\", \"$ntfy\"]"; echo 403 >"$T/answer"
... begin 36 refused
>>> wait_until 10 marked 36 failed
>>> got w36.err 'by ntfy: the server refused it (HTTP 403)'
>>> echo 200 >"$T/answer"
END

# ---- all of them ------------------------------------------------------------

client_attach one keeper
configure "[\"bell\", \"tmux\", \"osc\", \"desktop\", \"$ntfy\", \"$webhook\",
	[\"$T/note\"]]"
begin 30 'x#(touch pwned1) #{pid} %H <b>&amp; "\ $(touch pwned2) ;'
has_bell() { perl -e 'local $/; $_ = <>; s/\e\][^\a]*\a//g; exit !/\a/' "$@"; }
scenario 'an OSC, a bell and a plain message reach the terminal' <<'END'
>>> wait_until 10 marked 30 sent
>>> reached one "${esc}]9;paneward 30 error (shell in project): x#(touch \
... pwned1) #{pid} %H <b>&amp; \"\\ \$(touch pwned2) ; | paneward attach 30$bel"
>>> wait_until 10 has_bell "$T/one.bytes"
>>> reached one 'paneward 30 error (shell in project): x(touch pwned1) {pid} %H'
END
scenario 'each way sends it once, and nothing of the message is run' <<'END'
>>> grep -A 3 -e '^--$' "$T/desktop" | tail -n 3
paneward 30 error (shell in project)
x#(touch pwned1) #{pid} %H &lt;b&gt;&amp;amp; &quot;\ $(touch pwned2) ; | paneward attach 30
~ bus .*
>>> got requests "POST /topic?auth=$secret HTTP" 2 &&
... got requests 'Title: paneward 30 error' &&
... got requests 'x#(touch pwned1) #{pid} %H <b>&amp; "\ $(touch pwned2) ;' &&
... grep -q 'Priority: high' "$T/requests" &&
... basic=$(printf %s "u:$secret" | base64) &&
... grep -q "Authorization: Basic $basic" "$T/requests"
>>> grep '^{.*"30"' "$T/requests" | perl -MJSON::PP -e 'local $/;
... 	$_ = decode_json(<STDIN>);
... 	print "$_->{issue} $_->{state} $_->{message}\n"'
30 error x#(touch pwned1) #{pid} %H <b>&amp; "\ $(touch pwned2) ;
>>> grep '^30 ' "$T/notes"; grep -c ' sent ' "$S/.paneward/30.notice"
30 error
7
>>> find "$T" -name 'pwned*'; sort -u "$T/curl"; grep -rl s3cret "$S"
-K -
[1]
END

# ---- which sequence ---------------------------------------------------------

configure '["osc"]'
named() { tm list-clients -F '#{client_termtype}' | grep -q ghostty; }
# tmux takes the name of a terminal in the first five seconds only.
scenario 'a terminal gets the sequence that it knows, wrapped in another tmux' \
	<<'END'
>>> detach one keeper; client_attach known keeper
>>> printf '\033P>|ghostty 1.2.0\033%s' "\\" >"$T/known.keys"
>>> wait_until 5 named; begin 31 broken
>>> reached known "${esc}]777;notify;paneward 31 error (shell in project);b"
>>> client_attach inner keeper screen-256color; begin 32 broken
>>> reached inner "${esc}Ptmux;$esc${esc}]9;paneward 32 error"
>>> detach inner keeper; wait_until 5 test -e "$T/known.detached"
END

# ---- a person looks at it ---------------------------------------------------

configure "[\"desktop\", [\"$T/note\"]]"
begin 33
client_attach looking s33
error 33 'in sight'
wait_until 10 marked 33 seen
# notify_run EPISODE STATE FILE: as the watcher does it.
notify_run() {
	PANEWARD_ISSUE=33 PANEWARD_EPISODE=$1 PANEWARD_STATE=$2 \
		PANEWARD_STATUS_DIR=$S "$PW" notify-run <"$3"
}
# After a restart of tmux another pane may have its number.  Without a server no
# listing shows that.
scenario 'what a person looks at needs no notice, unless it is another pane' \
	<<'END'
>>> grep '^33 ' "$T/notes"; sed 's/.* //' "$S/.paneward/33.seen"
seen
>>> { echo "[[\"$T/note\"]]"; sed 's/"server_start":[0-9]*/"server_start":7/' \
... "$S/.paneward/33.json"; } >"$T/row"; notify_run another error "$T/row"
>>> grep '^33 ' "$T/notes"
33 error
>>> sed 's/"state":"error"/"state":"gone"/' "$T/row" >"$T/gone"
>>> echo 'late again' >"$S/.paneward/33.notice"
>>> PANEWARD_SOCKET=$T/none notify_run late gone "$T/gone"
>>> tail -n 1 "$S/.paneward/33.notice"; grep -c '^33 ' "$T/notes"
late seen
1
END
detach looking s33

noted() { [ "$(grep -c "^$1 error" "$T/notes")" -ge "$2" ]; }
scenario 'a notice is sent again until seen, or the agent forgotten' <<'END'
>>> configure "[[\"$T/note\"]]" '"notify_again": 1'
>>> begin 34 'look here'; begin 38 'look there'; wait_until 10 noted 34 3
>>> journal 34 notify | wc -l; client_attach looking2 s34
1
>>> wait_until 20 marked 34 seen; wait_until 10 has 34 notice ''
>>> wait_until 20 noted 38 2; "$PW" forget 38 >"$T/said" 2>&1
>>> wait_until 10 has 38 notice ''; recorded 38 error && detach looking2 s34
END

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
	PW=$T/on-mac
	begin "$@"
	PW=$paneward
	wait_until 10 marked "$1" sent
}
script mac/terminal-notifier.later <<END
printf '%s\n' "\$@" >>'$T/notifier'
tr a-z A-Z >>'$T/notifier'
END
scenario 'no text is a script of osascript or an option' <<'END'
>>> on_mac 40 '" & (do shell script "touch pwned3") & " \ x'; cat "$T/apple"
-e
on run argv
-e
display notification (item 2 of argv) with title (item 1 of argv)
-e
end run
paneward 40 error (shell in project)
" & (do shell script "touch pwned3") & " \ x | paneward attach 40
>>> mv "$T/mac/terminal-notifier.later" "$T/mac/terminal-notifier"
>>> on_mac 41 '-execute (touch pwned4) //'; cat "$T/notifier"
-title
paneward 41 error (shell in project)
-EXECUTE (TOUCH PWNED4) // | PANEWARD ATTACH 41
END

# ---- by hand ----------------------------------------------------------------

configure "[\"osc\", \"$ntfy\", [\"$T/note\"]]"
scenario 'a test fails without a terminal, but not for the other ways' <<'END'
>>> "$PW" notify --test
~ osc: not sent: no terminal is attached to the tmux.*
ntfy: the server took it (HTTP 200)
command: succeeded (exit 0)
[1]
>>> grep test "$T/notes"
test asking
END
scenario 'a test says what was written where; another name is refused' <<'END'
>>> client_attach tested keeper; tty=$(tm list-clients -F '#{client_tty}')
>>> prints "osc: written to $tty (OSC 9); did you see it?
... bell: written to $tty; did you hear it?" notify --test osc bell
>>> wait_until 5 grep -Faq "${esc}]9;paneward test asking" "$T/tested.bytes"
>>> fails 2 '' notify --test bells; fails 2 '' notify --test webhook
>>> fails 2 '' notify
END

# The notice of an agent of another host.
error 30 'far away'
"$PW" status 30 --json >"$T/row"
scenario 'the notice of a row of another host says how to get there' <<'END'
>>> "$PW" notify --row far <"$T/row"
~ osc: written to .*
ntfy: the server took it (HTTP 200)
command: succeeded (exit 0)
>>> reached tested 'paneward attach far:30'
>>> configure '["osc"]' '"notify_on": ["complete"]'
>>> "$PW" notify --row far <"$T/row"; echo '{' | "$PW" notify --row far
~ paneward: .*
[2]
END

# ---- those that failed -------------------------------------------------------
scenario 'of a sender that was killed only what was cut short is sent again' \
	<<'END'
>>> wait_until 60 marked 37 sent
>>> got desktop 'paneward 37 error (shell in project)' && got notes '37 error' 2
END
twice() {
	[ "$(grep -c ' failed webhook' "$S/.paneward/35.notice")" -ge 2 ] &&
		marked 35 failed
}
scenario 'a server that hangs keeps none from the others, and is named once' \
	<<'END'
>>> wait_until 60 twice
>>> got notes '35 error' && got desktop 'paneward 35 error (shell in project)'
>>> grep 'cannot send' "$T/w35.err" | sort
~ paneward: cannot send the notice for issue '35' by ntfy: the server did not answer within 10 seconds.*
~ paneward: cannot send the notice for issue '35' by webhook: the server did not answer within 10 seconds.*
>>> sort -u "$T/times"; cat "$T/leaked"; grep -rl s3cret "$S"
max-time = 10
[1]
>>> grep -c -e s3cret -e 127.0.0.1 "$T/w35.err"
0
[1]
>>> wait_until 60 marked 36 sent
>>> got desktop 'paneward 36 error (shell in project)'
END

# ---- what is refused --------------------------------------------------------

rm "$T/fake/curl"
mkdir "$T/bin"
for program in tmux sh git touch; do
	ln -s "$(command -v "$program")" "$T/bin/$program"
done
printf '{ "handoff": "touch handed", "notify": ["%s", ["%s"]] }\n' "$ntfy" \
	"$T/note" >"$P/.paneward.json"
echo x >"$S/signal-complete-60"
scenario 'without curl the rest goes on, with one warning' <<'END'
>>> PATH=$T/bin "$PW" sweep >"$T/out"
paneward: cannot use 'ntfy' of notify: there is no program 'curl' in PATH; no notice is sent by it
>>> wait_until 5 test -e "$P/handed"; wait_until 10 marked 60 sent
>>> got notes '60 complete'
END
scenario 'a wrong way is refused, and a wrong address not shown' <<'END'
>>> configure '["osc", "destkop"]'
>>> fails 2 "^paneward: '$P/.paneward.json' line 1: 'notify': 'destkop' is no \
... way; did you mean 'desktop'\?$" sweep
>>> configure '"ntfy:https://u:s3cret@host"'
>>> fails 2 '' sweep; no grep -q s3cret "$T/err"
END
done_testing
