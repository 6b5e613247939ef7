# paneward follows the issues of all your projects: one process, begun by the
# first tmux server and ended with it. A service (paneward watch --everywhere
# --print-systemd, --print-launchd) survives tmux and is begun again if killed.
#
# Install it, once; the next server begins it, or tmux source-file:
#   <<program>> watch --everywhere --print-tmux >>~/.tmux.conf
# Remove it: take these lines out of the file.
run-shell -b '<<environment>> <<program>> watch --everywhere >/dev/null 2>&1 || :'
