# shellcheck shell=sh
# lib.sh - included by every case: the functions of the system tests, and those
# for a real client and its model.
#
#	#!/bin/sh
#	. "${0%/*}/lib.sh"
#
#	client claude
#	hooks
#	model '[ { "say": "Done." } ]'
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
LONG=240                                # seconds: clients take their time

# The server's environment names servers and clients.
PATH=$(dirname "$PW"):$PATH
export PATH

# ---- the model --------------------------------------------------------------

# model JSON: its answers; see model.mjs.  Its requests are in
# $T/model.log.
model() {
	printf '%s\n' "$1" >"$T/scenario.json"
	node "$ROOT/tests/agents/model.mjs" "$T/scenario.json" "$T/model.log" \
		"$PORT" 2>"$T/model.err" &
	wait_until "$LONG" test -e "$T/model.log"
}

# asked N: has the agent asked the model at least N times?
asked() {
	[ "$(wc -l <"$T/model.log")" -ge "$1" ]
}

# prompt TEXT: types and sends it.  Clients drop an Enter that comes at once.
prompt() {
	before=$(requests_with "$1")
	tm send-keys -t "=$PANE:" -l "$1"
	wait_until "$LONG" typed "$1"
	wait_until "$LONG" sent "$1"
}

# Some time after an interrupt Claude Code puts the last prompt back before what
# is typed.  Its prompt ends with a no-break space.
typed() {
	[ "$CLIENT" = claude ] || {
		pane_shows "$PANE" "$1"
		return
	}
	pane_text "$PANE" | sed 's/\xc2\xa0/ /g' >"$T/typed"
	! grep -Fq -e "$READY $1" "$T/typed" || return 0
	! grep -F -e "$1" "$T/typed" | grep -Fq "$READY " || {
		press C-u
		tm send-keys -t "=$PANE:" -l "$1"
	}
	return 1
}

requests_with() {
	grep -Fc -e "$1" "$T/model.log"
}

# A second Enter would accept what the first one led to; aider keeps it until then.
sent() {
	tm send-keys -t "=$PANE:" Enter
	tries=20
	[ "$CLIENT" != aider ] || tries=600
	for _ in $(seq "$tries"); do
		sleep 0.1
		[ "$(requests_with "$1")" -eq "$before" ] || return 0
	done
	return 1
}

# press KEY...
press() {
	tm send-keys -t "=$PANE:" "$@"
}

# interrupt: until the screen shows nothing of work any more.
interrupt() {
	case $CLIENT in
	aider)
		press C-c
		wait_until "$LONG" pane_shows "$PANE" '^C again to exit'
		return ;;
	esac
	before=$(interruptions)
	press Escape
	case $CLIENT in
	opencode | kilo | copilot)
		wait_until "$LONG" pane_shows "$PANE" 'esc again'
		press Escape ;;
	codex)  # While it writes, it shows nothing of work.
		wait_until "$LONG" interrupted_again ;;
	esac
	wait_until "$LONG" no pane_shows "$PANE" "$BUSY"
}

interruptions() {
	tm capture-pane -p -S -500 -t "=$PANE:" |
		grep -c 'Conversation interrupted'
}

interrupted_again() {
	[ "$(interruptions)" -gt "$before" ]
}

# drawn: Qwen Code draws a scroll bar beside a new dialog, and takes it away.
drawn() {
	[ "$CLIENT" != qwen ] || wait_until "$LONG" stands
}

stands() {
	pane_text "$PANE" >"$T/seen"
	sleep 2
	pane_text "$PANE" | cmp -s - "$T/seen"
}

# repaint: the window's size changes, so the client draws everything again.
repaint() {
	columns=$((230 - ${columns:-120}))
	tm resize-window -t "=$PANE:" -x "$columns" -y 40
}

# ---- the clients ------------------------------------------------------------

# client NAME [ask]: writes its settings, so that it talks to the model and
# asks nothing at its start; with `ask` it asks before it runs a command.
# $COMMAND has the words that start it if the backend's are not enough.  It shows
# $READY where its prompt is, $BUSY while it works, and $ASKS when it asks for a
# permission ('': it never does).
# shellcheck disable=SC2034          # the cases use them
client() {
	CLIENT=$1
	COMMAND=
	case $CLIENT in
	claude)   READY='❯' BUSY='esc to' ASKS='Do you want to proceed?' ;;
	codex)    READY='Ask Codex' BUSY='esc to' ASKS='Would you like to' ;;
	gemini)   READY='Type your message' BUSY='esc to'
		ASKS='Allow execution' ;;
	opencode) READY='ctrl+p' BUSY='esc ' ASKS='Permission required' ;;
	pi)       READY='(auto)' BUSY='Working' ASKS= ;;
	copilot)  READY='❯' BUSY='Working'
		ASKS='Do you want to run' ;;
	qwen)     READY='to cycle)' BUSY='esc to' ASKS='Allow execution' ;;
	kimi)     READY='context:' BUSY=' · Tip: ' ASKS='Run this command?' ;;
	kilo)     READY='ctrl+p' BUSY='esc ' ASKS='Permission required' ;;
	grok)     READY='Ask me anything' BUSY='esc to'
		ASKS='Do you want to proceed' ;;
	vibe)     READY='tokens (' BUSY=' to interrupt' ASKS='Permission for' ;;
	aider)    READY='>' BUSY='Waiting for' ASKS='ask again [Yes]:' ;;
	esac
	client_"$1" "${2:-}"
}

# asks_nothing: the model of the client has no tool that asks a person.
asks_nothing() {
	case $CLIENT in
	pi | codex | grok | aider) ;;
	*) return 1 ;;
	esac
}

# The keys that Claude Code may use without a question are known by their ends.
client_claude() {
	cat >"$HOME/.claude.json" <<-END
		{ "hasCompletedOnboarding": true, "theme": "dark",
			"lastOnboardingVersion": "99.0.0",
			"customApiKeyResponses": {
			"approved": ["$(printf %s "$KEY" | tail -c 20)"] },
			"projects": { "$P": { "hasTrustDialogAccepted": true,
				"hasCompletedProjectOnboarding": true } } }
	END
	export ANTHROPIC_BASE_URL=http://127.0.0.1:$PORT \
		ANTHROPIC_API_KEY=$KEY DISABLE_AUTOUPDATER=1 \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
	allowed='"Bash"'
	[ "$1" = '' ] || allowed=
	# A hook of the user's own logs the input of hooks.
	own_hook="[ { \"hooks\": [ { \"type\": \"command\", \"command\":
		\"cat >>'$T/hooks.log'; echo >>'$T/hooks.log'\" } ] } ]"
	mkdir -p "$P/.claude"
	cat >"$P/.claude/settings.json" <<-END
		{ "permissions": {
				"defaultMode": "default", "allow": [$allowed] },
			"hooks": { "Stop": $own_hook, "StopFailure": $own_hook,
				"Notification": $own_hook,
				"PermissionRequest": $own_hook } }
	END
}

# Without this option its hooks run only after a person has trusted them.
client_codex() {
	approval=never sandbox=danger-full-access
	[ "$1" = '' ] || approval=on-request sandbox=read-only
	mkdir -p "$HOME/.codex"
	cat >"$HOME/.codex/config.toml" <<-END
		model = "gpt-5"
		model_provider = "scripted"
		approval_policy = "$approval"
		sandbox_mode = "$sandbox"
		check_for_update_on_startup = false
		[model_providers.scripted]
		name = "scripted"
		base_url = "http://127.0.0.1:$PORT/v1"
		wire_api = "responses"
		env_key = "SCRIPTED_KEY"
		[projects."$P"]
		trust_level = "trusted"
		[notice]
		hide_full_access_warning = true
		[analytics]
		enabled = false
	END
	export SCRIPTED_KEY=$KEY
	COMMAND='codex --dangerously-bypass-hook-trust'
}

client_gemini() {
	mkdir -p "$P/.gemini" "$HOME/.gemini"
	cat >"$HOME/.gemini/settings.json" <<-END
		{ "security": { "folderTrust": { "enabled": false },
				"auth": { "selectedType": "gemini-api-key" } },
			"general": { "enableAutoUpdate": false,
				"disableUpdateNag": true },
			"model": { "name": "gemini-2.5-pro" },
			"privacy": { "usageStatisticsEnabled": false } }
	END
	export GEMINI_API_KEY=$KEY GEMINI_CLI_NO_RELAUNCH=1 \
		GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:$PORT
	[ "$1" != '' ] || COMMAND='gemini --yolo'
}

client_opencode() {
	allowed=allow
	[ "$1" = '' ] || allowed=ask
	mkdir -p "$HOME/.config/opencode"
	cat >"$HOME/.config/opencode/opencode.json" <<-END
		{ "autoupdate": false, "share": "disabled",
			"model": "anthropic/claude-sonnet-4-5",
			"small_model": "anthropic/claude-sonnet-4-5",
			"provider": { "anthropic": { "options": {
				"baseURL": "http://127.0.0.1:$PORT/v1",
				"apiKey": "$KEY" } } },
			"permission": { "bash": "$allowed" } }
	END
	for name in AUTOUPDATE MODELS_FETCH LSP_DOWNLOAD DEFAULT_PLUGINS; do
		export "OPENCODE_DISABLE_$name=1"
	done
	no_packages @opencode-ai/plugin "$HOME/.config/opencode" "$P/.opencode"
}

# no_packages NAME FOLDER...: its plugins need none, so it need not install that
# in its folders.
no_packages() {
	name=$1
	shift
	for folder; do
		mkdir -p "$folder/node_modules"
		echo "{ \"packages\": { \"\": { \"dependencies\":
			{ \"$name\": \"*\" } } } }" >"$folder/package-lock.json"
	done
}

client_pi() {
	mkdir -p "$HOME/.pi/agent"
	cat >"$HOME/.pi/agent/models.json" <<-END
		{ "providers": { "scripted": { "apiKey": "$KEY",
			"baseUrl": "http://127.0.0.1:$PORT",
			"api": "anthropic-messages",
			"models": [ { "id": "scripted" } ] } } }
	END
	cat >"$HOME/.pi/agent/settings.json" <<-END
		{ "defaultProvider": "scripted", "defaultModel": "scripted",
			"defaultProjectTrust": "always" }
	END
	export PI_OFFLINE=1
}

client_copilot() {
	export COPILOT_PROVIDER_BASE_URL=http://127.0.0.1:$PORT/v1 \
		COPILOT_PROVIDER_TYPE=openai COPILOT_PROVIDER_API_KEY=$KEY \
		COPILOT_MODEL=scripted COPILOT_OFFLINE=true
	mkdir -p "$HOME/.copilot"
	printf '{ "trusted_folders": ["%s"], "trustedFolders": ["%s"] }\n' "$P" \
		"$P" >"$HOME/.copilot/config.json"
	[ "$1" != '' ] || COMMAND='copilot --allow-all-tools'
}

client_qwen() {
	mkdir -p "$HOME/.qwen"
	mode=yolo
	[ "$1" = '' ] || mode=default
	cat >"$HOME/.qwen/settings.json" <<-END
		{ "security": { "auth": { "selectedType": "openai" },
				"folderTrust": { "enabled": false } },
			"general": { "disableAutoUpdate": true,
				"disableUpdateNag": true },
			"tools": { "approvalMode": "$mode" },
			"ui": { "enableFollowupSuggestions": false },
			"memory": { "enableManagedAutoMemory": false,
				"enableManagedAutoDream": false,
				"enableAutoSkill": false },
			"model": { "generationConfig": { "maxRetries": 1,
				"retryInitialDelayMs": 5000 } },
			"privacy": { "usageStatisticsEnabled": false } }
	END
	export OPENAI_API_KEY=$KEY OPENAI_MODEL=scripted \
		OPENAI_BASE_URL=http://127.0.0.1:$PORT/v1
}

# Each folder that it trusts is a file.
client_kimi() {
	trust=$HOME/.kimi-code/workspace-trust
	mkdir -p "$trust"
	printf '{"root":"%s","trustedAt":1}' "$P" >"$trust/wd_project_$(
		printf %s "$P" | sha256sum | cut -c 1-12)"
	export KIMI_API_KEY=$KEY KIMI_BASE_URL=http://127.0.0.1:$PORT/v1 \
		KIMI_MODEL_NAME=scripted KIMI_CODE_NO_AUTO_UPDATE=1 \
		KIMI_DISABLE_TELEMETRY=1
	[ "$1" != '' ] || COMMAND='kimi --yolo'
}

client_kilo() {
	allowed=allow
	[ "$1" = '' ] || allowed=ask
	mkdir -p "$HOME/.config/kilo"
	cat >"$HOME/.config/kilo/kilo.json" <<-END
		{ "autoupdate": false, "share": "disabled",
			"model": "scripted/scripted",
			"small_model": "scripted/scripted",
			"provider": { "scripted": {
				"npm": "@ai-sdk/openai-compatible",
				"options": { "baseURL": "http://127.0.0.1:$PORT/v1",
					"apiKey": "$KEY" },
				"models": { "scripted": { "name": "Scripted" } } } },
			"permission": { "bash": "$allowed" } }
	END
	for name in AUTOUPDATE MODELS_FETCH LSP_DOWNLOAD DEFAULT_PLUGINS \
		SESSION_INGEST SHARE; do
		export "KILO_DISABLE_$name=1"
	done
	no_packages @kilocode/plugin "$HOME/.config/kilo" "$P/.kilo"
}

# It has no option that allows commands, but a key.
client_grok() {
	[ "$1" != '' ] || allow=BTab
	export GROK_API_KEY=$KEY GROK_BASE_URL=http://127.0.0.1:$PORT/v1 \
		GROK_MODEL=scripted
}

# Without an agent's name Vibe asks before each command.
client_vibe() {
	mkdir -p "$HOME/.vibe"
	profile=auto-approve
	[ "$1" = '' ] || profile=ask
	cat >"$HOME/.vibe/config.toml" <<-END
		active_model = "scripted"
		default_agent = "$profile"
		enable_telemetry = false
		enable_update_checks = false
		disable_welcome_banner_animation = true
		api_retry_max_elapsed_time = 30.0
		[[providers]]
		name = "scripted"
		api_base = "http://127.0.0.1:$PORT/v1"
		api_key_env_var = "MISTRAL_API_KEY"
		api_style = "openai"
		backend = "generic"
		[[models]]
		name = "scripted"
		provider = "scripted"
		alias = "scripted"
	END
	export MISTRAL_API_KEY=$KEY
}

# It asks for each command that its model shows; files it changes at once.
client_aider() {
	export OPENAI_API_KEY=$KEY OPENAI_API_BASE=http://127.0.0.1:$PORT/v1 \
		AIDER_MODEL=openai/gpt-4o AIDER_EDIT_FORMAT=diff \
		AIDER_MAP_TOKENS=0 LITELLM_LOCAL_MODEL_COST_MAP=True
	for name in ANALYTICS CHECK_UPDATE GIT GITIGNORE \
		SHOW_MODEL_WARNINGS SHOW_RELEASE_NOTES; do
		export "AIDER_$name=false"
	done
	[ "$1" != '' ] || export AIDER_YES_ALWAYS=true
}

# ---- paneward ---------------------------------------------------------------

# hooks [OPTION...]: paneward's own, beside the user's.  Kimi's settings are no
# JSON: a person writes those that name the session and its prompts.
# shellcheck disable=SC2120
hooks() {
	case $CLIENT in
	kimi)	for event in SessionStart UserPromptSubmit; do
			printf '[[hooks]]\nevent = "%s"\ncommand = "%s"\n' \
				$event "'$PW' hook record"
		done >>"$HOME/.kimi-code/config.toml"
		return ;;
	vibe | grok | aider) return ;;          # they have none
	esac
	exits 0 "paneward's hooks are put beside the user's" \
		"$PW" init "$CLIENT" "$@"
}

# no_session_hooks: the client gets none for a session, either.
no_session_hooks() {
	mkdir -p "$HOME/.config/paneward/backends"
	sed '/^    "session": {/,/^    },/d' "$ROOT/backends/$CLIENT.json" \
		>"$HOME/.config/paneward/backends/$CLIENT.json"
}

PROMPT='Please work on the issue.'

# open ISSUE [OPTION...]: starts its agent, or ends the test.
open() {
	PANE=project-issue-$1
	# shellcheck disable=SC2086
	exits 0 'the agent is started' "$PW" start "$@" --backend "$CLIENT" \
		${COMMAND:+-- $COMMAND} || done_testing
}

# begin ISSUE [OPTION...]: the same, with a prompt.  Some clients take none at
# their start, or first a key that allows commands.
begin() {
	if grep -Eq '^  "(prompt|extends)": ' "$ROOT/backends/$CLIENT.json" &&
		[ "${allow:-}" = '' ]; then
		open "$@" --prompt "$PROMPT"
	else
		open "$@"
		wait_until "$LONG" pane_shows "$PANE" "$READY"
		[ "${allow:-}" = '' ] || press "$allow"
		if [ "$CLIENT" = aider ]; then  # it loads for seconds, unseen
			prompt "$PROMPT"
		else
			exits 0 'it is sent its prompt' \
				"$PW" send "$1" --when-idle "$PROMPT"
		fi
	fi
}

# by_hand: a person starts the client in a pane of no issue, which `watch
# --everywhere` follows.  Commands know it as $who.
# shellcheck disable=SC2034          # the cases use it
by_hand() {
	git init -q "$P"
	git -C "$P" -c user.name=me -c user.email=me@example.org \
		commit -q --allow-empty -m begun
	tmux_start
	watch_begin w --everywhere
	PANE=by-hand
	pane_run "$PANE" 'exec sh -i' -x 120 -y 40
	pane_type "$PANE" "${COMMAND:-$CLIENT}"
	wait_until "$LONG" pane_shows "$PANE" "$READY"
	who=$(pane_tell "$PANE" '#{pane_id}')
}

# machine_restarts ISSUE...: their watchers, their agents and tmux are gone, and
# the records that are left are of another boot.
machine_restarts() {
	agents=
	for issue; do
		agents="$agents $(record "$issue" agent.pid)"
		! watched "$issue" || kill -KILL "$(watcher "$issue")"
	done
	tm kill-server
	for pid in $agents; do
		wait_until "$LONG" no kill -0 "$pid" 2>"$T/no-process"
	done
	for issue; do
		[ ! -e "$S/.paneward/$issue.json" ] ||
			another_boot "$S/.paneward/$issue.json"
	done
}

# The exit status of `wait` for a state; 0 unless listed.
status_of() {
	case $1 in
	error) echo 1 ;;
	dead)  echo 10 ;;
	asking | waiting) echo 11 ;;
	*)     echo 0 ;;
	esac
}

# becomes ISSUE STATE: by `paneward wait` and by `paneward status`.
becomes() {
	exits "$(status_of "$2")" "the issue becomes $2" \
		"$PW" wait "$1" --until "$2" --timeout "$LONG" || dump
	like "$("$PW" status "$1")" "^$1 +$2 " 'and its status says so'
}

# stays ISSUE STATE: it keeps the state for some seconds.
stays() {
	seen=$(others "$@")
	sleep 4
	is "$(record "$1" state), $(others "$@")" "$2, $seen" \
		"the issue stays $2"
}

# others ISSUE STATE: how often did it have another state?
others() {
	journal "$1" state | grep -vc "\"state\":\"$2\""
}

# why ISSUE REGEX: does the record's reason match?
why() {
	record "$1" why | grep -Eq -e "$2"
}

# told ISSUE: did the agent itself report its state?
told() {
	# The text of Gemini's hooks is not its message; two write nothing down.
	case $CLIENT in
	gemini | grok | aider) return 0 ;;
	esac
	like "$(record "$1" source)" '^(hook|record|transcript)$' \
		'the agent itself has told'
}
