#!/bin/sh
# What paneward sweep --print-... prints: it can be installed as its comments
# say, and a sweep that cron runs finds what one in the terminal finds.
. "${0%/*}/lib.sh"

# The hand-off is found in PATH only, its name in the configuration of
# XDG_CONFIG_HOME only, the panes by TMUX_TMPDIR only.
tmux_start
mkdir -p "$T/xdg/paneward"
script bin/hand-it-on <<END
echo "\$PANEWARD_ISSUE" >>'$T/handed'
END

echo '{ "handoff": "hand-it-on" }' >"$T/xdg/paneward/config.json"
PATH=$T/bin:$PATH
XDG_CONFIG_HOME=$T/xdg
export XDG_CONFIG_HOME

# A crontab of the test's own.
script bin/crontab <<END
case \$1 in
-l) cat '$T/crontab' ;;
-) cat >'$T/crontab.new' && mv '$T/crontab.new' '$T/crontab' ;;
*) exit 1 ;;
esac
END

# said_to_install FILE: the commands of a text's comments, as they stand there.
said_to_install() { sed -n '/^# Install /,/^# [^ ]/ { s/^#   //p; }' "$1"; }

# cron FILE: what cron does with the last line of a crontab, once.
cron() {
	perl -e 'while (<>) { $line = $_ if /^\*/ }
		chomp $line;
		$line =~ s/^(\* ){5}// or die "no line for every minute";
		$line =~ /(^|[^\\])%/ and die "cron ends it at a %";
		$line =~ s/\\%/%/g;
		print $line' "$1" >"$T/command" || return
	(cd / && exec env -i ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} \
		HOME="$HOME" LOGNAME=me SHELL=/bin/sh \
		PATH=/usr/bin:/bin /bin/sh -c "$(cat "$T/command")")
}

handed() { grep -c "^$1\$" "$T/handed" 2>/dev/null; }

# cron_works FOLDER ISSUE: in a project of that name.
cron_works() {
	P=$T/$1
	S=$P/.worktrees/.status
	mkdir -p "$P" && cd "$P" || exit 1
	echo '0 0 * * * true' >"$T/crontab"
	prints "$("$PW" sweep --print-cron)" sweep --print-cron
	check 'nothing is made by that' no test -e "$P/.worktrees"
	said_to_install "$T/out" >"$T/install"
	check 'it is installed as its comments say' sh "$T/install"
	is "$(cat "$T/crontab")" "0 0 * * * true
$(cat "$T/out")" 'behind what was there'
	is "$(cron "$T/crontab" 2>&1)" '' 'it is silent while there is nothing'
	"$PW" start "$2" --no-watch --session "work-$2" -- sh -c \
		"echo '###TASK_COMPLETE_$2###'; echo Done.; exec cat" >/dev/null 2>&1
	# A marker counts when its line has ended.
	wait_until 5 logged "$2" Done.
	gives 0 '' cron "$T/crontab"
	is "$(record "$2" state) $(record "$2" handoff.state) $(handed "$2")" \
		'complete done 1' 'it finds what has finished'
	is "$(cron "$T/crontab" 2>&1)$(handed "$2")" 1 'and that once'
	tm kill-session -t "=work-$2:"
}

# Of 44, which was not started, only the tmux server knows.
scenario 'what cron runs finds what has finished, from anywhere' <<'END'
>>> cron_works project 41; cron_works my.app,v2@home 42
>>> cd "$T/project" || exit 1; P=$T/project; S=$P/.worktrees/.status
>>> "$PW" sweep --print-cron >"$T/crontab"
>>> pane_run issue-44 'echo "###TASK_COMPLETE_44###"; exec cat'
>>> wait_until 5 pane_shows issue-44 TASK_COMPLETE_44
>>> gives 0 '' cron "$T/crontab"
>>> is "$(record 44 state) $(handed 44)" 'complete 1'
>>> tm kill-session -t =issue-44:; mkdir -p "$P/below/it"; git_project
>>> git worktree add -q -b login "$P/.worktrees/issue-45-login" 2>&1 | comment
>>> cd "$P/.worktrees/issue-45-login" || exit 1; fails 0 '' sweep --print-cron
>>> cmp "$T/crontab" "$T/out"
>>> cd "$P/below/it" || exit 1; fails 0 '' sweep --print-cron
>>> cmp "$T/crontab" "$T/out"
>>> cd "$P" || exit 1
>>> gives 0 " PANEWARD_STATUS_DIR=$P/other " env PANEWARD_STATUS_DIR=other \
... 	"$PW" sweep --print-cron
>>> gives 3 '^paneward: cannot print a crontab: .* shorter PATH$' env \
... 	PATH="$PATH:/$(printf '%01000d' 0)" "$PW" sweep --print-cron
>>> is "$(cat "$T/out")" ''
>>> newline='a
... b'
>>> for folder in "$newline" "o'brien" '50%' Zürich; do
... 	mkdir "$T/$folder" && cd "$T/$folder" || exit 1
... 	for kind in cron systemd launchd; do
... 		fails 3 "^paneward: cannot print .* character .*; rename it\$" \
... 			sweep "--print-$kind"
... 		is "$(wc -l <"$T/err") $(cat "$T/out")" '1 '
... 	done
... done
>>> cd "$P" || exit 1
END

# ---- systemd ----------------------------------------------------------------

# Can it be asked?  As root of a container it cannot always.
systemd_answers() {
	mkdir -p "$T/run" && chmod 700 "$T/run" && printf '[Service]\n%s\n' \
		'ExecStart=/bin/sh' >"$T/a.service" &&
		XDG_RUNTIME_DIR=$T/run systemd-analyze verify --user --man=no \
			"$T/a.service" >/dev/null 2>&1
}

units=$HOME/.config/systemd/user

# sound UNIT...: systemd and launchd can read them, if they can be asked.
sound() {
	! systemd_answers || XDG_RUNTIME_DIR=$T/run systemd-analyze verify \
		--user --man=no "$@"
}
plist_is_sound() { ! command -v plutil >/dev/null || plutil -lint "$T/out"; }

# systemd_works FOLDER: its units are put where the comments say.
systemd_works() {
	cd "$T/$1" || exit 1
	fails 0 '' sweep --print-systemd
	said_to_install "$T/out" | sed '/^systemctl/,$d' >"$T/install"
	sh "$T/install"
	name=$(sed -n 's/^# file: \(.*\)\.service$/\1/p' "$T/out")
	like "$name" '^paneward-sweep-[A-Za-z0-9_-]+-[0-9a-f]{8}$'
	is "$(cd "$units" && echo "$name".*)" "$name.service $name.timer"
	is "$(grep -c '^KillMode=process$' "$units/$name.service")" 1
	sound "$units/$name.service" "$units/$name.timer"
}

scenario 'what is printed for systemd and launchd can be installed' <<'END'
>>> systemd_works project; systemd_works my.app,v2@home
>>> fails 0 '<string>.*/my.app,v2@home</string>' sweep --print-launchd
>>> like "$(cat "$T/out")" "<string>$T/tmux</string>" && plist_is_sound
>>> fails 0 "^ExecStart=/.* watch --everywhere\$" watch --everywhere \
... 	--print-systemd
>>> cp "$T/out" "$units/paneward.service"; sound "$units/paneward.service"
>>> fails 0 '' watch --everywhere --print-launchd; perl -0ne '
... 	my $body = s/<!--.*?-->//rs;
... 	exit 1 if $body =~ /<!--|-->|<</;
... 	my @open;
... 	for ($body =~ m{<(/?\w+)[^>]*?(?<!/)>}g) {
... 		if (s{^/}{}) { exit 1 if pop @open ne $_ }
... 		else { push @open, $_ }
... 	}
... 	exit @open' "$T/out" && plist_is_sound
END
systemd_answers || skip 'systemd reads the units' 'it cannot be asked here'
command -v plutil >/dev/null || skip 'launchd reads it' 'no plutil is here'

scenario 'a line of tmux.conf runs the watch, once' <<'END'
>>> fails 2 '' watch 1 --print-systemd
>>> fails 0 '' watch --everywhere --print-tmux
>>> cp "$T/out" "$T/tmux.conf"; tm source-file "$T/tmux.conf"
>>> lock=$HOME/.local/state/paneward/everywhere.lock
>>> wait_until 10 test -s "$lock"; read -r pid _ <"$lock"; kill -0 "$pid"
>>> tm source-file "$T/tmux.conf"; kill -0 "$pid"
>>> is "$(tm list-panes -a -F '#{pane_in_mode}' | sort -u)" 0; kill "$pid"
END

mkdir -p "$T/xdg/paneward/templates"
scenario "a template of the user's own is taken, if it asks for what is known" \
	<<'END'
>>> cd "$T/project"
>>> echo 'x <<project>> $(id)' >"$T/xdg/paneward/templates/sweep.cron"
>>> "$PW" sweep --print-cron
x $T/project $(id)
>>> echo '<<nothing>>' >"$T/xdg/paneward/templates/sweep.cron"
>>> fails 3 '' sweep --print-cron
END
done_testing
