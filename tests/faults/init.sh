#!/bin/sh
# paneward init, killed at every system call: the user's file is what it was or
# what it is to be, nothing accumulates, and the next one goes on.
. "${0%/*}/../system/lib.sh"

strace -o "$T/trial" true >"$T/said" 2>&1 ||
	skip_all 'strace is not here, or may not trace'

file=.claude/settings.json
skill=.claude/skills/reload/SKILL.md
hidden=.paneward-init.tmp
printf '{\n  "model": "opus"\n}\n' >"$T/own.json"

begin() {
	rm -rf .claude
	mkdir .claude
	cp "$T/own.json" $file
}

# Every file that is there, but for what one that was killed may leave.
others() {
	find .claude -type f ! -name "$hidden" ! -path $file \
		! -path "$file.paneward-backup" ! -path $skill
}

one_of() {
	cmp -s "$1" "$2" || cmp -s "$1" "$3"
}

# Is each file what a whole init leaves, or was before?  There are two folders.
good() {
	one_of $file "$T/own.json" "$T/with.json" && [ "$(others)" = '' ] && {
		[ ! -e $skill ] || cmp -s $skill "$T/skill.md"
	} && {
		[ ! -e "$file.paneward-backup" ] ||
			cmp -s "$file.paneward-backup" "$T/own.json"
	} && [ "$(find .claude -name "$hidden" | wc -l)" -le 2 ]
}

# killed_everywhere DESCRIPTION BEFORE AFTER ARGUMENT...: at each call of each
# kind that it makes; BEFORE prepares, AFTER is to be true of what is left.
killed_everywhere() {
	what=$1 before=$2 after=$3
	shift 3
	$before
	strace -o "$T/trace" "$PW" "$@" >"$T/said" 2>&1
	points=0
	hurt=
	for call in openat mkdir mkdirat flock write fsync rename renameat \
		renameat2 unlinkat umask close; do
		for n in $(seq "$(grep -c "^$call(" "$T/trace")"); do
			points=$((points + 1))
			$before
			strace -o "$T/trace2" -e trace=$call \
				-e inject=$call:signal=KILL:when="$n" \
				"$PW" "$@" >"$T/said" 2>&1
			good && $after && continue
			hurt="$hurt $call:$n"
			find .claude -type f | comment
		done
	done
	[ "$points" -gt 20 ] || hurt="only $points points"
	is "$hurt" '' "$what"
}

begin
"$PW" init claude --reload >"$T/said"
cp $file "$T/with.json"
cp $skill "$T/skill.md"

again_complete() {
	"$PW" init claude --reload >"$T/said" 2>&1 &&
		cmp -s "$file" "$T/with.json" &&
		cmp -s "$skill" "$T/skill.md" &&
		[ "$(find .claude -name "$hidden")" = '' ]
}
killed_everywhere 'wherever it is killed, the next one goes on' begin \
	again_complete init claude --reload

# Whatever they leave stays for the next one.
undone() {
	rm -f "$file.paneward-backup" "$skill"
	cp "$T/own.json" "$file"
}
begin
killed_everywhere 'of many that are killed one is left at the most' undone \
	true init claude --reload

installed() {
	begin
	"$PW" init claude --reload >"$T/said" 2>&1
}
again_gone() {
	"$PW" init claude --remove >"$T/said" 2>&1 &&
		cmp -s "$file" "$T/own.json" &&
		[ "$(find .claude -type f)" = "$file" ]
}
killed_everywhere 'the same where it is taken out' installed again_gone \
	init claude --remove

# An empty folder may stay: it could be the user's.
nothing() {
	rm -rf .claude
}
good() {
	[ ! -d .claude ] || [ "$(others)" = '' ]
}
again_nothing() {
	"$PW" init claude --remove >"$T/said" 2>&1 &&
		[ "$(find . -path './.claude/*' -type f)" = '' ]
}
killed_everywhere 'and where nothing was before' nothing again_nothing \
	init claude --reload

done_testing
