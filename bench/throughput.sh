#!/bin/sh
# The throughput of a pane while its log is written, compared with `cat >>`.

. "${0%/*}/lib.sh"

megabytes=8
rounds=${QUICK:+9}
rounds=${rounds:-41}

tools genlog emit
server default

genlog $megabytes >"$T/text"
emit=$T/bin/emit

# Waits for the result of a round and adds it to the others.
round_ends() {
	until [ -s "$T/seconds" ]; do
		sleep 0.1
	done
	awk -v mb=$megabytes '{ print mb / $1 }' "$T/seconds" >>"$T/$1"
	rm "$T/seconds"
	tmux kill-session -a -t =keeper
}

with_paneward() {
	start "$1" "$emit" "$T/text" "$T/seconds"
	round_ends ours
}

with_cat() {
	tmux new-session -d -s cat -x 200 -y 50 \
		"exec '$emit' '$T/text' '$T/seconds'" ';' \
		pipe-pane "exec cat >>'$T/output-$1.log'"
	round_ends theirs
}

for i in $(seq "$rounds"); do
	if [ $((i % 2)) -eq 0 ]; then
		with_paneward "$i"
		with_cat "$i"
	else
		with_cat "$i"
		with_paneward "$i"
	fi
	rm -f "$T/output-$i.log" "$D/output-$i.log"
done

line 'output of a pane whose log is written' MB/s "$(median 1 "$T/ours")" \
	"$(median 1 "$T/theirs")" 'ratio >= 0.95'
