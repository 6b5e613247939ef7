# shellcheck shell=sh
# lib.sh - what every case begins with: the words of the system tests, and
# those for a real client and the model that it talks to.
#
#	#!/bin/sh
#	. "${0%/*}/lib.sh"
#
#	client claude
#	hooks claude
#	scenario '[ { "say": "Done." } ]'
#	begin 42
#	becomes 42 waiting
#	done_testing
#
# A case runs in a sandbox (sandbox.sh), in which the model's port is free and
# nothing else can be reached.

. "${0%/*}/../system/lib.sh"

# Every network device is a line with a colon.
[ "$(grep -c : /proc/net/dev)" = 1 ] ||
	skip_all 'it runs in a sandbox: tests/agents/run.sh'

PORT=8042
KEY=no-key-but-twenty-characters-and-more
LONG=60                                 # seconds: clients take their time

# Servers and clients are met through the server's environment.
PATH=$(dirname "$PW"):$PATH
export PATH

# ---- the model --------------------------------------------------------------

# scenario JSON: what the model answers; see model.mjs.  What it was asked is
# in $T/model.log.
scenario() {
	printf '%s\n' "$1" >"$T/scenario.json"
	node "$ROOT/tests/agents/model.mjs" "$T/scenario.json" "$T/model.log" \
		"$PORT" 2>"$T/model.err" &
	wait_until "$LONG" test -e "$T/model.log"
}

# asked N: did the agent ask the model so often, at least?
asked() {
	[ "$(wc -l <"$T/model.log")" -ge "$1" ]
}

# ---- the clients ------------------------------------------------------------

# client NAME: its settings, such that it asks the user nothing before it
# begins, and talks to the model.
client() {
	"client_$1"
}

# The keys that Claude Code may use without a question are known by their ends.
client_claude() {
	cat >"$HOME/.claude.json" <<-END
		{
			"hasCompletedOnboarding": true,
			"lastOnboardingVersion": "99.0.0",
			"theme": "dark",
			"customApiKeyResponses": {
				"approved": ["$(printf %s "$KEY" | tail -c 20)"]
			},
			"projects": { "$P": {
				"hasTrustDialogAccepted": true,
				"hasCompletedProjectOnboarding": true
			} }
		}
	END
	export ANTHROPIC_BASE_URL=http://127.0.0.1:$PORT
	export ANTHROPIC_API_KEY=$KEY
	export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
	export DISABLE_AUTOUPDATER=1
	mkdir -p "$P/.claude"
	claude_settings '"Bash"'
}

# claude_settings ALLOWED: the user's own settings, beside which paneward's
# hooks are put.  A hook of his own keeps what hooks are told, to be looked at.
claude_settings() {
	own_hook="[ { \"hooks\": [ { \"type\": \"command\", \"command\":
		\"cat >>'$T/hooks.log'; echo >>'$T/hooks.log'\" } ] } ]"
	cat >"$P/.claude/settings.json" <<-END
		{
			"permissions": { "allow": [$1] },
			"hooks": {
				"Stop": $own_hook,
				"StopFailure": $own_hook,
				"Notification": $own_hook,
				"PermissionRequest": $own_hook
			}
		}
	END
}

client_pi() {
	mkdir -p "$HOME/.pi/agent"
	cat >"$HOME/.pi/agent/models.json" <<-END
		{ "providers": { "scripted": {
			"baseUrl": "http://127.0.0.1:$PORT",
			"api": "anthropic-messages",
			"apiKey": "$KEY",
			"models": [ { "id": "scripted" } ]
		} } }
	END
	cat >"$HOME/.pi/agent/settings.json" <<-END
		{ "defaultProvider": "scripted", "defaultModel": "scripted" }
	END
	export PI_OFFLINE=1
}

# ---- paneward ---------------------------------------------------------------

# hooks AGENT [OPTION...]: paneward's own, beside the user's.
hooks() {
	exits 0 "paneward's hooks are put beside the user's" "$PW" init "$@"
}

# begin ISSUE [OPTION...]: its agent is started; else there is nothing to try.
begin() {
	exits 0 'the agent is started' "$PW" start "$@" \
		--prompt 'Please work on the issue.' || done_testing
}

# The status of `wait` for a state; what is not listed is 0.
status_of() {
	case $1 in
	error)   echo 1 ;;
	dead)    echo 10 ;;
	asking|waiting) echo 11 ;;
	*)       echo 0 ;;
	esac
}

# becomes ISSUE STATE: `paneward wait` says so, and so does `paneward status`.
becomes() {
	exits "$(status_of "$2")" "the issue becomes $2" \
		"$PW" wait "$1" --until "$2" --timeout "$LONG" || dump
	like "$("$PW" status "$1")" "^$1 +$2 " 'and its status says so'
}

# why ISSUE REGEX: does the record give that reason?
why() {
	record "$1" why | grep -Eq -e "$2"
}
