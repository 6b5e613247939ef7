#!/bin/sh
# What paneward sweep --print-... prints: it can be installed as its comments
# say, and a sweep that cron runs finds what one in the terminal finds.
. "${0%/*}/lib.sh"

tmux_start

# The hand-off is found in PATH only, its name in the configuration of
# XDG_CONFIG_HOME only, the panes by TMUX_TMPDIR only.
mkdir -p "$T/bin" "$T/xdg/paneward"
cat >"$T/bin/hand-it-on" <<END
#!/bin/sh
echo "\$PANEWARD_ISSUE" >>'$T/handed'
END
chmod +x "$T/bin/hand-it-on"
echo '{ "handoff": "hand-it-on" }' >"$T/xdg/paneward/config.json"
PATH=$T/bin:$PATH
XDG_CONFIG_HOME=$T/xdg
export XDG_CONFIG_HOME

# A crontab of the test's own.
cat >"$T/bin/crontab" <<END
#!/bin/sh
case \$1 in
-l) cat '$T/crontab' ;;
-) cat >'$T/crontab.new' && mv '$T/crontab.new' '$T/crontab' ;;
*) exit 1 ;;
esac
END
chmod +x "$T/bin/crontab"

# said_to_install FILE: the commands of a text's comments, as they stand there.
said_to_install() {
	sed -n '/^# Install /,/^# [^ ]/ { s/^#   //p; }' "$1"
}

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

handed() {
	grep -c "^$1\$" "$T/handed" 2>/dev/null
}

# ---- cron -------------------------------------------------------------------

# cron_works FOLDER ISSUE: in a project of that name.
cron_works() {
	P=$T/$1
	S=$P/.worktrees/.status
	mkdir -p "$P" && cd "$P" || exit 1
	echo '0 0 * * * true' >"$T/crontab"
	exits 0 "in '$1' a crontab is printed" "$PW" sweep --print-cron
	is "$(cat "$T/err")" '' 'without a word'
	check 'nothing is made by that' no test -e "$P/.worktrees"
	said_to_install "$T/out" >"$T/install"
	check 'it is installed as its comments say' sh "$T/install"
	{
		echo '0 0 * * * true'
		cat "$T/out"
	} >"$T/want"
	check 'behind what was there' cmp "$T/want" "$T/crontab"
	exits 0 'the line runs from anywhere' cron "$T/crontab"
	is "$(cat "$T/out" "$T/err")" '' 'and is silent while there is nothing'
	"$PW" start "$2" --no-watch --session "work-$2" -- sh -c \
		"echo '###TASK_COMPLETE_$2###'; echo Done.; exec cat" >/dev/null
	# A marker counts when its line has ended.
	wait_until 5 logged "$2" Done.
	exits 0 'it finds what has finished' cron "$T/crontab"
	is "$(record "$2" state) $(record "$2" handoff.state) $(handed "$2")" \
		'complete done 1' 'and hands it on'
	exits 0 'the next one' cron "$T/crontab"
	is "$(cat "$T/out" "$T/err") $(handed "$2")" ' 1' \
		'finds nothing more to say or do'
	tm kill-session -t "=work-$2:"
}

cron_works project 41
cron_works my.app,v2@home 42

# What was adopted rather than started: only the tmux server knows of it.
cd "$T/project" || exit 1
P=$T/project
S=$P/.worktrees/.status
"$PW" sweep --print-cron >"$T/crontab"
pane_run issue-44 'echo "###TASK_COMPLETE_44###"; exec cat'
wait_until 5 pane_shows issue-44 TASK_COMPLETE_44
exits 0 'a session that nobody has announced is found' cron "$T/crontab"
is "$(record 44 state) $(handed 44)" 'complete 1' 'and handed on'
tm kill-session -t =issue-44:

mkdir -p "$P/below/it"
git_project
git worktree add -q -b login "$P/.worktrees/issue-45-login" 2>&1 | comment
cd "$P/.worktrees/issue-45-login" || exit 1
exits 0 'in a work tree of an agent' "$PW" sweep --print-cron
check 'the unit is that of the project' cmp "$T/crontab" "$T/out"
cd "$P/below/it" || exit 1
exits 0 'in a folder of the project too' "$PW" sweep --print-cron
check 'it is the same' cmp "$T/crontab" "$T/out"
cd "$P" || exit 1

exits 0 'the status directory of the environment' \
	env PANEWARD_STATUS_DIR=other "$PW" sweep --print-cron
like "$(cat "$T/out")" " PANEWARD_STATUS_DIR=$P/other " 'is in the line'
exits 3 'a line too long for cron is refused' \
	env PATH="$PATH:/$(printf '%01000d' 0)" "$PW" sweep --print-cron
like "$(cat "$T/err")" '^paneward: cannot print a crontab: .* shorter PATH$' \
	'with what to do'
is "$(cat "$T/out")" '' 'and nothing is printed'

newline='a
b'
for folder in "$newline" "o'brien" '50%' Zürich; do
	mkdir "$T/$folder" && cd "$T/$folder" || exit 1
	for kind in cron systemd launchd; do
		exits 3 "the path '$folder' is refused for $kind" \
			"$PW" sweep "--print-$kind"
		like "$(cat "$T/err")" "^paneward: cannot print .* has a \
character that is not in .*; rename it\$" 'with what to do'
		is "$(wc -l <"$T/err") $(cat "$T/out")" '1 ' 'in one line'
	done
done
cd "$P" || exit 1

# ---- systemd ----------------------------------------------------------------

# Can it be asked?  As root of a container it cannot always.
systemd_answers() {
	mkdir -p "$T/run" && chmod 700 "$T/run" && printf '[Service]\n%s\n' \
		'ExecStart=/bin/sh' >"$T/a.service" &&
		XDG_RUNTIME_DIR=$T/run systemd-analyze verify --user --man=no \
			"$T/a.service" >/dev/null 2>&1
}

# systemd_works FOLDER
systemd_works() {
	cd "$T/$1" || exit 1
	exits 0 "in '$1' units for systemd are printed" \
		"$PW" sweep --print-systemd
	said_to_install "$T/out" | sed '/^systemctl/,$d' >"$T/install"
	check 'they are put where the comments say' sh "$T/install"
	name=$(sed -n 's/^# file: \(.*\)\.service$/\1/p' "$T/out")
	like "$name" '^paneward-sweep-[A-Za-z0-9_-]+-[0-9a-f]{8}$' \
		'under names that are safe'
	units=$HOME/.config/systemd/user
	is "$(cd "$units" && echo "$name".*)" "$name.service $name.timer" \
		'a service and a timer'
	is "$(grep -c '^KillMode=process$' "$units/$name.service")" 1 \
		'a hand-off outlives the service'
	if systemd_answers; then
		XDG_RUNTIME_DIR=$T/run check 'systemd finds no fault' \
			systemd-analyze verify --user --man=no \
			"$units/$name.service" "$units/$name.timer"
	else
		skip 'systemd finds no fault' 'it cannot be asked here'
	fi
}

systemd_works project
systemd_works my.app,v2@home

# ---- launchd ----------------------------------------------------------------

exits 0 'a plist is printed' "$PW" sweep --print-launchd
like "$(cat "$T/out")" \
	'<string>.*/my.app,v2@home</string>' \
	'with the project'
like "$(cat "$T/out")" "<string>$T/tmux</string>" 'and its tmux server'
if command -v plutil >/dev/null; then
	check 'launchd can read it' plutil -lint "$T/out"
else
	skip 'launchd can read it' 'there is no plutil'
fi

# ---- the watch of all projects ---------------------------------------------

units=$HOME/.config/systemd/user
exits 0 'a service is printed' "$PW" watch --everywhere --print-systemd
cp "$T/out" "$units/paneward.service"
like "$(cat "$T/out")" "^ExecStart=/.* watch --everywhere\$" \
	'with the whole path'
if systemd_answers; then
	XDG_RUNTIME_DIR=$T/run check 'systemd finds no fault' \
		systemd-analyze verify --user --man=no "$units/paneward.service"
else
	skip 'systemd finds no fault' 'it cannot be asked here'
fi
exits 0 'a plist is printed' "$PW" watch --everywhere --print-launchd
check 'which is whole' perl -0ne '
	my $body = s/<!--.*?-->//rs;
	exit 1 if $body =~ /<!--|-->|<</;
	my @open;
	for ($body =~ m{<(/?\w+)[^>]*?(?<!/)>}g) {
		if (s{^/}{}) { exit 1 if pop @open ne $_ } else { push @open, $_ }
	}
	exit @open' "$T/out"
if command -v plutil >/dev/null; then
	check 'launchd can read it' plutil -lint "$T/out"
else
	skip 'launchd can read it' 'there is no plutil'
fi
exits 2 'without all projects there is none' "$PW" watch 1 --print-systemd

exits 0 'a line of tmux.conf is printed' "$PW" watch --everywhere --print-tmux
cp "$T/out" "$T/tmux.conf"
check 'tmux obeys it' tm source-file "$T/tmux.conf"
lock=$HOME/.local/state/paneward/everywhere.lock
wait_until 10 test -s "$lock"
read -r pid _ <"$lock"
check 'and runs the watch' kill -0 "$pid"
check 'a second time, too' tm source-file "$T/tmux.conf"
check 'where it still runs' kill -0 "$pid"
is "$(tm list-panes -a -F '#{pane_in_mode}' | sort -u)" 0 'without a word'
kill "$pid"

# ---- a template of the user's own -------------------------------------------

mkdir -p "$T/xdg/paneward/templates"
# shellcheck disable=SC2016
echo 'x <<project>> $(id)' >"$T/xdg/paneward/templates/sweep.cron"
cd "$T/project" || exit 1
# shellcheck disable=SC2016
is "$("$PW" sweep --print-cron)" "x $T/project \$(id)" \
	"a template of the user's own is taken"
echo '<<nothing>>' >"$T/xdg/paneward/templates/sweep.cron"
exits 3 'unless it asks for what is not known' "$PW" sweep --print-cron

done_testing
