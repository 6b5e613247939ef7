# shellcheck shell=sh
# clients.sh - included by the tests of transcripts: agents that do what they
# are told, and files as their clients write them.

# client FOLDER NAME: writes $T/FOLDER/NAME, which runs the commands of `tell
# FOLDER/NAME`.  The words of its command line are in NAME.words.
client() {
	mkdir "$T/$1"
	mkfifo "$T/$1/$2.orders"
	sleep 1000 <>"$T/$1/$2.orders" &
	script "$1/$2" <<-END
		[ "\${1:-}" != --help ] || exit 0
		printf '%s|' "\$@" >>'$T/$1/$2.words'
		echo >>'$T/$1/$2.words'
		exec 3<>'$T/$1/$2.orders'
		echo ready
		while read -r order <&3; do
			eval "\$order" 3<&-
		done
	END
}

# begin ISSUE CLIENT [OPTION...]
begin() {
	issue=$1
	name=$2
	shift 2
	client "c$issue" "$name"
	echo "$name" >"$T/c$issue/name"
	"$PW" start "$issue" --session "s$issue" --backend "$name" "$@" -- \
		"$T/c$issue/$name" >"$T/said" 2>&1 || comment <"$T/said"
	wait_until 10 test -s "$T/c$issue/$name.words"
}

# shows ISSUE TEXT: its agent prints it.
shows() {
	if [ -e "$T/c$1/name" ]; then
		tell "c$1/$(cat "$T/c$1/name")" "printf '%s\\n' '$2'"
	fi
}

is_at() {
	recorded "$1" "$2" && [ "$(record "$1" source)" = "$3" ]
}

# becomes ISSUE STATE SOURCE DESCRIPTION
becomes() {
	wait_until 10 is_at "$1" "$2" "$3" && result 0 "$4"
}

# works ISSUE DESCRIPTION: its transcript says so.  A record keeps the reason of
# an earlier state that is the same.
works() {
	let_pass
	like "$(record "$1" state): $("$PW" explain "$1")" \
		'^verdict: working, by transcript' "$2"
}

# working ISSUE: the same, as soon as it is so.
working() {
	wait_until 10 explains_work "$1"
}

explains_work() {
	recorded "$1" working &&
		"$PW" explain "$1" | grep -q '^verdict: working, by transcript'
}

marker() {
	printf '###TASK_COMPLETE_%s###' "$1"
}

error() {
	printf '###TASK_ERROR_%s###\\n%s' "$1" "$2"
}

# A text with a code fence, in JSON.
fence() {
	printf 'Print this:\\n\\n```\\n%s\\n```\\n\\nNo.' "$1"
}

stamp() {
	perl -MTime::HiRes=time -MPOSIX=strftime -e 'my $t = time;
		printf "%s.%03dZ", strftime("%Y-%m-%dT%H:%M:%S", gmtime $t),
			($t - int $t) * 1000'
}

# ---- Claude Code ------------------------------------------------------------

# line ISSUE prompt|text|failed WORDS [ERROR]: a line of a transcript.
line() {
	case $2 in
	prompt)
		printf '{"type":"user","timestamp":"%s","message":{"role":"user","content":"%s"}}\n' \
			"$(stamp)" "$3" ;;
	text)
		printf '{"type":"assistant","timestamp":"%s","message":{"role":"assistant","content":[{"type":"text","text":"%s"}],"stop_reason":"end_turn"}}\n' \
			"$(stamp)" "$3" ;;
	failed)
		printf '{"type":"assistant","timestamp":"%s","isApiErrorMessage":true,"error":"%s","message":{"role":"assistant","content":[{"type":"text","text":"%s"}],"stop_reason":"stop_sequence"}}\n' \
			"$(stamp)" "$4" "$3" ;;
	esac
}

# file ISSUE: the path of its transcript.
file() {
	echo "$HOME/.claude/projects/-p/$(record "$1" run).jsonl"
}

# says ISSUE prompt|text|failed WORDS [ERROR]
says() {
	mkdir -p "$HOME/.claude/projects/-p"
	line "$@" >>"$(file "$1")"
	shows "$1" -
}

# status ISSUE busy|idle|waiting [WHAT [SESSION]]: the file of its process.
status() {
	session "$1" "$(cut -d ' ' -f 2 "$S/.paneward/$1.agent")" \
		"${4:-$(record "$1" run)}" "$2" "${3:-}"
}

# session ISSUE PID SESSION [STATUS [WHAT [MORE]]]: MORE are members of the file.
session() {
	mkdir -p "$HOME/.claude/sessions"
	printf '{"pid":%s,"sessionId":"%s","status":"%s","waitingFor":"%s","updatedAt":%s%s}\n' \
		"$2" "$3" "${4:-idle}" "${5:-}" \
		"$(perl -MTime::HiRes=time -e 'printf "%d", time * 1000')" \
		"${6:+,$6}" \
		>"$HOME/.claude/sessions/$2.tmp"
	mv "$HOME/.claude/sessions/$2.tmp" "$HOME/.claude/sessions/$2.json"
}

# ---- other clients ----------------------------------------------------------

# codex task_started|task_complete TEXT
codex() {
	[ "$2" = '' ] || printf '{"timestamp":"%s","type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","content":[{"type":"Text","text":"%s"}]}}}\n' \
		"$(stamp)" "$2"
	printf '{"timestamp":"%s","type":"event_msg","payload":{"type":"%s"}}\n' \
		"$(stamp)" "$1"
}

# gemini TYPE TEXT
gemini() {
	printf '{"id":"%s","timestamp":"%s","type":"%s","content":"%s"}\n' \
		"$(stamp)" "$(stamp)" "$1" "$2"
}

pi() {
	printf '{"type":"message","timestamp":"%s","message":{"role":"assistant","content":[{"type":"text","text":"%s"}],"stopReason":"stop"}}\n' \
		"$(stamp)" "$1"
}
