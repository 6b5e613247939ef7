# shellcheck shell=sh
# farhost.sh - included by the tests of other hosts: a home and tmux servers that
# stand for another machine.

: "${T:?is set by lib.sh}"
far_home=$T/far
mkdir -p "$far_home/.config/paneward" "$T/far-tmux" "$T/bin"
# At home there is a project only with a configuration.
echo "{}" >"$far_home/.paneward.json"
chmod 700 "$T/far-tmux"
PATH=$T/bin:$PATH

# far COMMAND...: runs it there.
far() (
	cd "$far_home" || exit
	HOME=$far_home TMUX_TMPDIR=$T/far-tmux exec "$@"
)

# asks HOME HOST...: the user of that home asks these hosts.
asks() {
	home=$1
	shift
	printf '{ "handoff": null, "hosts": [%s] }\n' \
		"$(printf '"%s"\n' "$@" | paste -sd , -)" \
		>"$home/.config/paneward/config.json"
}

# far_keeper: a tmux server there.
far_keeper() {
	far tmux -f /dev/null new-session -d -s keeper 'exec tail -f /dev/null'
}

# all: the rows of all agents, with one blank between two cells.
all() {
	timeout 60 "$PW" status --all 2>"$T/err" | sed 's/  */ /g' >"$T/all"
	cat "$T/all"
}

all_like() { all | grep -Eq -e "$1"; }
