#!/bin/sh
# The static programs, where `make static` built them: no shared library, and
# the main job from where the archive was unpacked.
. "${0%/*}/lib.sh"

for packed in "$ROOT"/build/static/paneward-*-"$(uname -m)".tar.gz; do :; done
[ -f "$packed" ] || skip_all 'make static was not run'

mkdir "$T/unpacked"
gzip -dc "$packed" | tar xf - -C "$T/unpacked"
for PW in "$T"/unpacked/*/bin/paneward; do :; done

for program in "$PW" "$PW-top"; do
	is "$(readelf -lW "$program" | grep -c INTERP)" 0 \
		"${program##*/} needs no loader"
done

tmux_start
script agent <<'AGENT'
"$1" signal complete
tail -f /dev/null
AGENT
"$PW" start 1 --no-watch -- "$T/agent" "$PW" >/dev/null
watch_begin w 1
watch_ended w 0 'a run is watched to its end'
is "$(record 1 source)" signal 'by its signal'
like "$("$PW" init claude --print)" SessionStart 'data is found beside it'
done_testing
