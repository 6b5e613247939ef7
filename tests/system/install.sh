#!/bin/sh
# packaging/install.sh.in: a release on a server is installed, upgraded and taken
# back with what a machine has; whatever fails on the way changes nothing.
. "${0%/*}/lib.sh"

machine=$(uname -m) program=${PW#"$ROOT/"} by=${1:-7}
case $(uname -s)-$machine$program in
Linux-x86_64[!/]* | Linux-aarch64[!/]*) ;;
*) skip_all "nothing is released for this machine, or $PW was not built here" ;;
esac
command -v curl >"$T/said" || skip_all 'no curl'

# A server, which sends half of each archive while $T/cut is there.
perl -MIO::Socket::INET -e '
	my ($dir) = @ARGV;
	my $s = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1");
	symlink $s->sockport, "$dir/port";
	while (my $c = $s->accept) {
		my ($name) = <$c> =~ m|^GET /(\S+)|;
		while (<$c>) { last if $_ eq "\r\n" }
		my $text = do { local (@ARGV, $/) = "$dir/site/$name"; <> } // "";
		my $n = length $text;
		$text = substr $text, 0, $n / 2 if -e "$dir/cut" && $name =~ /gz$/;
		print $c "HTTP/1.0 ", $n ? 200 : 404, " x\r\nContent-Length: $n",
		    "\r\n\r\n", $text;
	}' "$T" 2>"$T/server" &
wait_until 5 test -L "$T/port"
site=http://127.0.0.1:$(readlink "$T/port")

# pack [WORD...]: the folder $T/PACKED becomes an archive of the site.
pack() {
	tar -C "$T" -czPf "$T/site/$packed.tar.gz" "$@" "$packed" &&
		(cd "$T/site" && sha256sum -- *[!S] >"$T/sums" &&
		mv "$T/sums" SHA256SUMS)
}

# small NUMBER: a program that needs a file of its version, and its installer.
small() {
	packed=paneward-$1-linux-$machine
	rm -rf "${T:?}/$packed" && mkdir -p "$T/$packed/share/paneward/backends"
	echo "a $1" >"$T/$packed/share/paneward/backends/a.json"
	echo "b $1" >"$T/$packed/share/paneward/backends/b-$1.json"
	echo "[ \"\$1\" = --version ] && echo 'paneward $1' ||
		cat \"\${0%/*}/../share/paneward/backends/a.json\"" |
		script "$packed/bin/paneward"
	sed "s|@VERSION@|$1|; s|@DOWNLOADS@|$site|; /@HOMEPAGE@/d" \
		"$ROOT/packaging/install.sh.in" >"$T/site/install.sh" && pack
}

# on NAME COMMAND...: PATH is $T/NAME, with $first before it.
home=$T/a\ home first=$T/fake
on() {
	path=$first:$T/$1
	shift
	env -i PATH="$path" HOME="$home" "$@"
}
get() { on usual sh "$T/site/install.sh" "$@"; }
got() { get "$@" >"$T/said" 2>&1 || cat "$T/said"; }
have() { (cd "$home" && find . ! -name . | sort && find . -type f -exec cat {} +); }
says() { "$home/.local/bin/paneward" "$@"; }

# same REASON [ARGUMENT...]: it fails, and all is as before.
same() {
	have >"$T/before"
	reason=$1
	shift
	gives 1 "^install: .*$reason" get "$@" && have | cmp - "$T/before"
}

mkdir "$T/site" "$T/fake" "$T/usual" "$T/busybox" "$home"
for tool in awk cat chmod cmp cp curl dirname find grep gzip id ln ls mkdir mv rm \
	rmdir sed sh sha256sum sort tar tr uname; do
	ln -s "$(command -v "$tool")" "$T/usual/$tool"
done
number=$("$PW" --version) && number=${number#paneward } && small "$number"
make -s -C "$ROOT" -o "$program" -o "$program-top" -o "$program-fleet" \
	BUILD="$BUILD" PROGRAM="$program" PREFIX= DESTDIR="$T/$packed" install \
	>"$T/said" 2>&1 && pack
scenario 'one line installs all, and all is taken back; half a line does nothing' <<'END'
>>> umask 077; gives 0 "paneward $number is in .*/a home/.local: [23] pro" on usual \
... 	sh -c "curl -fsSL $site/install.sh | sh"; umask 022
>>> like "$(cat "$T/out")" "export PATH=\"$home/.local/bin:\\\$PATH\""
>>> is "$(cd "$home/.local" && find . -type f | grep -v /install | sort)" \
... 	"$(cd "$T/$packed" && find . -type f | sort)"
>>> find "$home" -type d ! -perm 755; find "$home" -type f ! -perm 644 ! -perm 755
>>> is "$(says --version)" "paneward $number"; echo mine >"$home/.local/mine"
>>> like "$(says init claude --print)" SessionStart
>>> (cd "$home/.local" && sha256sum -c share/paneward/installed | grep -v OK$)
[1]
>>> gives 0 "paneward is gone from .*/a home/.local: [0-9]+ files" on usual sh \
... 	"$home/.local/share/paneward/install.sh" --uninstall; have; rm -r "$home/.local"
./.local
./.local/mine
mine
>>> size=$(wc -c <"$T/site/install.sh") cut=1; while [ "$cut" -lt $((size - 2)) ]; do
... 	head -c "$cut" "$T/site/install.sh" | on usual sh >"$T/out" 2>&1
... 	[ "$cut" -lt $((size - 40)) ] && cut=$((cut + 3987)) || cut=$((cut + 3))
... done; have
END

small 0.1.0 && small 0.2.0
scenario 'an upgrade removes old files, and keeps those that were changed' <<'END'
>>> cd "$home"; gives 0 'paneward 0.1.0 is in' get --version 0.1.0
>>> echo mine >.local/share/paneward/backends/a.json
>>> gives 0 "backends/a.json' was changed: kept as '.*a.json.kept'" get
>>> says; echo mine >.local/share/paneward/backends/b-0.2.0.json
a 0.2.0
>>> gives 0 "b-0.2.0.json' was changed: left there" get --uninstall
>>> grep -r . | sort
.local/share/paneward/backends/a.json.kept:mine
.local/share/paneward/backends/b-0.2.0.json:mine
>>> same "b-0.2.0.json' is of another installation"; same 'give the --p' --uninstall
>>> rm -r .local; cd "$P"
END

busybox --install -s "$T/busybox" 2>"$T/said"
cp -RP "$T/usual" "$T/wget" && rm "$T/wget/curl"
! command -v wget >"$T/said" || ln -s "$(command -v wget)" "$T/wget"
for other in wget busybox; do
	[ -e "$T/$other/wget" ] ||
		{ skip "with $other alone" "$other is not here"; continue; }
	scenario "with $other alone" <<'END'
>>> : >"$T/cut"; gives 1 "^install: cannot get .*gz'" on $other sh \
... 	"$T/site/install.sh"; have; rm "$T/cut"
>>> for step in --version=0.1.0 --uninstall; do
... 	gives 0 '' on $other sh "$T/site/install.sh" $step; have | grep '^a '
... done
a 0.1.0
[1]
END
done

# evil COMMANDS [WORD...]: its archive has more than it may.
evil() {
	small 0.2.0
	(cd "$T/$packed" && eval "$1") && shift && pack "$@"
}

scenario 'what a server sends that is wrong changes nothing' <<'END'
>>> got --version 0.1.0; same "get '$site/paneward-7.*404" --version 7
>>> : >"$T/cut"; same "cannot get .*gz'.*; nothing is changed"; rm "$T/cut"
>>> sed -i "s/^......\(.*2.0-linux\)/abcdef\1/" "$T/site/SHA256SUMS"
>>> same 'is not the released one: its checksum is .*not abcdef'
>>> echo >"$T/site/SHA256SUMS"; same "gz' is not listed in '$site/SHA256SUMS'"
>>> evil 'ln -s /etc share/paneward/x'; same "it holds 'l.* -> /etc'"
>>> evil : "$T/server" "$packed/../server"; same "it holds '$T/server'"
>>> evil ': >share/.profile'; same "it holds '.*/share/.profile'"
>>> evil 'echo exit 7 >bin/paneward'; same "cannot run the program .* with 7; nothing"
>>> small 0.2.0; got --uninstall
END

fake() { script "fake/$1"; }
scenario 'what a machine has or lacks is named' <<'END'
>>> echo '[ $1 = -m ] && echo mips || echo Linux' | fake uname
>>> same "no program is released for 'mips'.*build it from $site"
>>> echo "[ \$1 = -r ] && echo 2.6.9 || exec $(command -v uname) \$1" | fake uname
>>> same "Linux '2.6.9', is too old: paneward needs"; rm "$T/fake/uname"
>>> echo : | fake apt-get; mv "$T/usual/curl" "$T"
>>> same "neither 'curl' nor 'wget' is in PATH: .*apt-get install curl"
>>> echo 'echo tmux 2.9a' | fake tmux
>>> gives 0 "'tmux 2.9a' is too old: .*apt-get install tmux" get --from "$T/site"
>>> rm "$T/fake/tmux"; mv "$T/curl" "$T/usual"; got --uninstall; echo : | fake paneward
>>> echo "[ \"\$*\" = '-S $first/paneward' ] && echo 'paneward-x: /x'" | fake dpkg
>>> same "'$first/paneward' is another .*Remove it .*apt-get remove paneward-x"
>>> got --prefix "$T/my tools"; test -x "$T/my tools/bin/paneward"
>>> got --prefix "$T/my tools" --uninstall; no test -e "$T/my tools"
>>> rm "$T/fake"/*; mkdir -p "$home/.local/bin"; : >"$home/.local/bin/paneward"
>>> same "/.local/bin/paneward' is of another .*make uninstall.*--prefix DIR"
>>> rm -r "$home/.local"; mkdir "$T/all"; chmod 777 "$T/all"
>>> same "all may write there: $T/all; install as" --prefix "$T/all/mine"; have
END

# Commands that change something are counted; the script is killed at every
# seventh, or with `install.sh 1` at each.
for tool in chmod curl gzip ln mkdir mv rm rmdir tar; do
	script "killing/$tool" <<-END
		read -r n at main <'$T/count'
		echo "\$((n + 1)) \$at \$main" >'$T/count'
		[ "\$n" -lt "\$at" ] && exec '$T/usual/$tool' "\$@"
		kill -KILL "\$main" 2>'$T/said'
	END
done
scenario 'killed at any step it leaves one that works, of whole files' <<'END'
>>> got --version 0.1.0; at=1 to=0.2.0 first=$T/killing
>>> while on usual sh -c 'echo "1 $2 $$" >"$1"; exec sh "$3" --version "$4"' sh \
... 	"$T/count" $at "$T/site/install.sh" $to >"$T/said" 2>&1; [ $? -eq 137 ]; do
... 	is "$(says | grep -c '^a 0.[12].0$') $(find "$home/.local/share/paneward" \
... 		-maxdepth 2 -name '*.json' -size 0)" '1 ' || echo "killed at $at"
... 	at=$((at + by)); [ $to = 0.1.0 ] && to=0.2.0 || to=0.1.0
... done; [ "$at" -gt 28 ]; is "$(says)" "a $to"; have | grep -c '^\./'
10
>>> first=$T/fake; got --uninstall; have
END

# A disk with a size, on which nothing else is.
if mount -t tmpfs -o size=200k tmpfs "$home" 2>"$T/said"; then
	trap 'umount -l "$home"' EXIT
	scenario 'a full and a read-only disk keep what they have' <<'END'
>>> got --version 0.1.0; cat /dev/zero >"$home/ballast" 2>"$T/said"
[1]
>>> same '(No space left|Failed writing).*; nothing is changed'; says
a 0.1.0
>>> mount -o remount,ro "$home"; same 'Read-only file system; nothing is changed'
>>> same 'Read-only file system; nothing is changed' --uninstall
>>> mount -o remount,rw "$home"; got --uninstall; ls "$home"
ballast
END
else
	skip 'a full and a read-only disk' 'no tmpfs can be mounted here'
fi
done_testing
