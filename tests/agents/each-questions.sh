#!/bin/sh
# Questions one behind the other, of an issue whose client has paneward's hooks.
. "${0%/*}/lib.sh"

case $1 in
pi) skip_all 'pi asks for no permission' ;;
aider) skip_all 'aider asks its model no more then' ;;
esac
client "$1" ask
hooks
first() {
	begin 42
}
who=42 row=42 within=200 journal=$S/.paneward/journal.ndjson
. "$ROOT/tests/agents/questions.sh"
