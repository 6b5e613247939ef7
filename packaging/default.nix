# nix-build packaging, in a clone: builds what is there.  In a flake or an
# overlay: callPackage ./packaging/default.nix { }.
#
# It was parsed and evaluated with names in the place of nixpkgs; nixpkgs itself
# was not at hand, so nothing was built.

{ pkgs ? import <nixpkgs> { }
, lib ? pkgs.lib
, stdenv ? pkgs.stdenv
, git ? pkgs.git
, libyaml ? pkgs.libyaml
, ncurses ? pkgs.ncurses
, pcre2 ? pkgs.pcre2
, perl ? pkgs.perl
, pkg-config ? pkgs.pkg-config
, procps ? pkgs.procps
, tmux ? pkgs.tmux
}:

stdenv.mkDerivation {
  pname = "paneward";
  version = builtins.elemAt (builtins.match ".*\nVERSION *= *([^\n]+)\n.*"
    (builtins.readFile ../Makefile)) 0;
  src = lib.cleanSource ../.;

  nativeBuildInputs = [ pkg-config ];
  buildInputs = [ libyaml ncurses pcre2 ];
  nativeCheckInputs = [ git perl procps tmux ];

  makeFlags = [ "PREFIX=$(out)" "STATIC=no" "FLEET_LIBS=" ];
  postPatch = "patchShebangs scripts tests";
  doCheck = true;
  checkTarget = "test-fast";

  meta = {
    description = "Knows what the coding agents in tmux panes are at";
    license = lib.licenses.isc;
    mainProgram = "paneward";
    platforms = lib.platforms.unix;
  };
}
