# paneward - see README.md.  GNU make; everything that is built goes to build/.
#
#   make            the programs, ./paneward and ./paneward-top (V=1 shows the
#                   commands)
#   make demo       what is missing is installed, then the main job, once
#   make test       every test       make test-fast   units and cases only
#                   (PANEWARD_TEST_TMUX=PATH: with another tmux)
#   make test-agents  real clients, from npm, with a model that is scripted
#   make agents-drift  the newest version of each: which states are read right
#                   (AGENTS='codex pi': of these alone)
#   make fleet-test  those of paneward-fleet alone, which needs nats-server
#   make soak       the soaks of make test for longer (SOAK=2000 completions,
#                   INBOX_ENTRIES=10000 messages, NOTICES=1000 notices of
#                   NOTICE_PANES=50 panes)
#   make upgrade-test  each older version runs a project and is killed, this one
#                   takes it over, and back (builds them from git)
#   make strict     warnings are errors, with gcc and clang
#   make aarch64-test  test-fast and a few system tests for aarch64, run by qemu
#                   (scripts/bootstrap --release installs what it needs)
#   make kqueue-test  what macOS and the BSDs have in place of inotify, on Linux
#                   with libkqueue (see CONTRIBUTING.md)
#   make cross      compiled for macOS and the BSDs, if zig is here
#   make sanitize   test-fast and the system tests under the sanitizers
#   make fuzz       libFuzzer on everything that parses text from outside
#   make bench      figures, each beside what it is compared with
#   make lint       shellcheck and mandoc, where they are installed, and what
#                   each folder may include
#   make install    PREFIX=/usr/local DESTDIR=, the programs without their symbols
#                   (STRIP= keeps them); make uninstall
#   make dist       the source of the commit as one archive, and recipes for
#                   packagers, in build/dist (HOMEPAGE= DOWNLOADS=, addresses)
#   make deb        that, and a package for Debian
#   make release    all that a release has, in build/release: static archives,
#                   deb and rpm for two processors, source, recipes, checksums
#   make release-test  that twice, in two clones, and tries what it made
#   make static     the programs without a shared library, with all that
#                   belongs to them, in one archive that runs where it is
#                   unpacked (see scripts/archives); ARCH=aarch64 for another
#                   machine's processor
#   make site       the manual as HTML pages, in build/site; needs mandoc
#   make help       this list

VERSION  = 1.0.0
PREFIX   = /usr/local
DESTDIR  =
STRIP    = -s
BINDIR   = $(PREFIX)/bin
DATADIR  = $(PREFIX)/share/paneward
MANDIR   = $(PREFIX)/share/man
BASHDIR  = $(PREFIX)/share/bash-completion/completions
ZSHDIR   = $(PREFIX)/share/zsh/site-functions
FISHDIR  = $(PREFIX)/share/fish/vendor_completions.d

CC       ?= cc
PKG_CONFIG ?= $(if $(filter Darwin,$(UNAME)),$(KEG)) pkg-config
# Homebrew has its ncurses where pkg-config does not look.
KEG      = PKG_CONFIG_PATH=$(PKG_CONFIG_PATH):$(subst $() ,:,$(addsuffix \
	/opt/ncurses/lib/pkgconfig,/opt/homebrew /usr/local))
CFLAGS   ?= -O3 -g
WARN     = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wvla \
	-Wno-missing-field-initializers
# Files over 2 GiB and times past 2038 on 32 bits, too.
DEFINES  = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
	-DVERSION='"$(VERSION)"'

BUILD    = build
PROGRAM  = paneward
# What `paneward top` becomes, beside it: ncurses would make hooks slower.
TOP      = $(PROGRAM)-top

# The program of a fleet of hosts, if its library is here: nothing else links
# that (scripts/bootstrap --fleet installs it).
FLEET    = $(if $(FLEET_LIBS),$(PROGRAM)-fleet)

# What differs by system, a file each in lib/os.  `make UNAME=any` builds what
# works on any system.
UNAME   := $(shell uname -s)
ANYWHERE = notify-stat proc-ps front-group ends-none
BSD      = notify-kqueue proc-ps front-group
CHOICE_Linux     = notify-inotify proc-linux
CHOICE_Darwin    = notify-kqueue proc-darwin front-group
CHOICE_FreeBSD   = $(BSD)
CHOICE_NetBSD    = $(BSD)
CHOICE_OpenBSD   = $(BSD)
CHOICE_DragonFly = $(BSD)
CHOICE   = $(or $(CHOICE_$(UNAME)),$(ANYWHERE))
CHOICES  = $(notdir $(basename $(wildcard \
	$(addprefix lib/os/,notify-*.c proc-*.c front-*.c ends-*.c))))
OTHERS   = $(filter-out $(CHOICE),$(CHOICES))

# The floors of lib, bottom to top, and the folders of commands that stand on
# them.  scripts/layers.sh checks what each includes.
FLOORS   = base marker os data tmux project run agent chain queue
FOLDERS  = $(FLOORS:%=lib/%) notice handoff start watcher sweep show hook mail loop \
	reload setup top fleet fleet/wire fleet/work
SOURCES  = $(wildcard $(FOLDERS:%=%/*.c))
OBJ      = $(patsubst %.c,$(BUILD)/%.o,\
	$(filter-out $(OTHERS:%=lib/os/%.c) top/top.c fleet/%,$(SOURCES)))
FLEET_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(wildcard fleet/*.c fleet/*/*.c))
FLEET_LIBRARY = $(BUILD)/libfleet.a

# All but the two with a main, for the unit tests to link.
LIBRARY  = $(BUILD)/libpaneward.a

# Each test of units and of fuzzing is a program of its own.
UNIT     = $(patsubst %.c,$(BUILD)/%,$(filter-out \
	$(if $(FLEET),,tests/unit/fleet/%),$(wildcard tests/unit/*/*.c)))
FLEET_UNIT = $(filter $(BUILD)/tests/unit/fleet/%,$(UNIT))
FUZZ     = $(patsubst %.c,$(BUILD)/%,\
	$(filter-out tests/fuzz/main.c,$(wildcard tests/fuzz/*.c)))
FUZZ_MAIN = $(BUILD)/tests/fuzz/main.o
# What the system tests wait with.
UNTIL    = $(BUILD)/tests/until $(BUILD)/tests/limit
TEST_OBJ = $(UNIT:%=%.o) $(UNTIL:%=%.o) $(FLEET_TOOLS:%=%.o) $(FUZZ:%=%.o) $(if $(FUZZ),$(FUZZ_MAIN))

# bench/lib.sh compiles the measuring programs; make strict only checks them.
BENCH_OBJ = $(if $(filter Linux,$(UNAME)),\
	$(patsubst %.c,$(BUILD)/%.o,$(filter-out \
	$(if $(FLEET),,bench/fleet%),$(wildcard bench/*.c))))

FAST     = $(UNIT) $(wildcard tests/cases/*.t) tests/fuzz/seeds.sh
SYSTEM   = $(filter-out %/lib.sh %/clients.sh %/desktop.sh %/farhost.sh %/trees.sh,\
	$(wildcard tests/system/*.sh))
# What the tests of the fleet look at its server with.
FLEET_TOOLS = $(if $(FLEET),$(patsubst %.c,$(BUILD)/%,\
	$(wildcard tests/fleet/*.c)))
# They skip themselves without nats-server, openssl or paneward-fleet.
FLEET_TESTS = $(filter-out %/lib.sh %/journals.sh %/workers.sh,$(wildcard tests/fleet/*.sh))
FAULTS   = $(wildcard tests/faults/*.sh tests/faults/*.t)
# The longest first, so that none runs alone at the end.
LONGEST  = $(filter $(FAULTS) $(SYSTEM) $(FLEET_TESTS) $(FAST),\
	$(addprefix tests/,$(shell cat tests/longest)))

# Tests mostly wait, so more of them run at once than there are processors.
JOBS     = 12
PROVE    = PANEWARD_BIN=$(abspath $(PROGRAM)) \
	PANEWARD_BUILD=$(abspath $(BUILD)) PATH=$$PATH:/usr/bin/core_perl \
	PERL5LIB=tests prove -j $(JOBS) --failures --comments --directives \
	--formatter Skipped

# A test that hangs ends, and says what it waits for.  The longest takes 200 s.
LIMITED  = --exec '$(BUILD)/tests/limit 1200'

# A make that was given no -j builds with a few jobs all the same.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j 4)

# Evaluated once, when the first recipe needs it: scripts/bootstrap may only just
# have installed the libraries.
DEPS_CFLAGS = $(eval DEPS_CFLAGS := $$(shell \
	$(PKG_CONFIG) --cflags-only-I \
	libpcre2-8 yaml-0.1 ncursesw))$(DEPS_CFLAGS)

# A hook starts at each turn's end, and every shared library costs it a tenth of
# what an empty program costs.  So libraries that are installed as archives are
# linked statically; `make STATIC=no` links all of them dynamically.
STATIC   = yes
DEPS_LIBS   = $(eval DEPS_LIBS := $$(call libraries,\
	libpcre2-8 yaml-0.1))$(DEPS_LIBS)
FLEET_LIBS  = $(eval FLEET_LIBS := $$(shell \
	$(PKG_CONFIG) --silence-errors --libs libnats))$(FLEET_LIBS)
TOP_LIBS    = $(eval TOP_LIBS := $$(call libraries,ncursesw))$(TOP_LIBS)

libraries = $(call linked,$(shell $(PKG_CONFIG) --variable=libdir \
	$(lastword $(1))),$(shell $(PKG_CONFIG) --libs $(1)))

# $(call linked,FOLDER,WORDS): of -lNAME the archive, if that is in the folder.
linked   = $(foreach w,$(2),$(or $(call archive,$(1),$(w)),$(w)))
archive  = $(if $(filter yes,$(STATIC)),$(wildcard $(2:-l%=$(1)/lib%.a)))

# A hook lives for a millisecond and mostly waits for pages.  In one segment with
# the code the constants are mapped with it, instead of once before and once
# behind it.  Not every linker can do that, so it is asked first.
SEGMENTS = -Wl,-z,noseparate-code
LAYOUT   = $(eval LAYOUT := $$(if $$(filter Linux,$(UNAME)),$$(shell \
	mkdir -p $(BUILD) && echo 'int main(void) { return 0; }' | \
	$(CC) $(SEGMENTS) -o $(BUILD)/layout -x c - 2>/dev/null && \
	echo '$(SEGMENTS)')))$(LAYOUT)

COMPILE  = $(CC) -std=c11 $(DEFINES) $(CPPFLAGS) $(CFLAGS) $(WARN) \
	$(DEPS_CFLAGS) $(QUOTED) -MMD -MP -c -o $@ $<
# libfleet.a needs the other one, which comes last.
LINK     = $(CC) $(CFLAGS) $(LAYOUT) $(LDFLAGS) -o $@ $(FIRST) $(filter %.o,$^) \
	$(filter-out $(LIBRARY),$(filter %.a,$^)) $(filter $(LIBRARY),$^) \
	$(ONLY_LIBS) $(DEPS_LIBS) $(LIBS)

# $(call run,WHAT,COMMAND): runs the command and prints WHAT, or all with V=1.
run      = $(if $(V),$(2),@echo '  $(1) $@'; $(2))

MAKEFLAGS += --no-builtin-rules --no-print-directory

all: $(PROGRAM) $(TOP) $(FLEET)

$(PROGRAM): FIRST = $(HOOK_FIRST)
$(PROGRAM): $(BUILD)/paneward.o $(LIBRARY) Makefile
	$(call run,link,$(LINK))

$(TOP): ONLY_LIBS = $(TOP_LIBS)
$(TOP): $(BUILD)/top/top.o $(LIBRARY) Makefile
	$(call run,link,$(LINK))

$(PROGRAM)-fleet $(BUILD)/tests/unit/fleet/% $(BUILD)/tests/fleet/%: \
	ONLY_LIBS = $(FLEET_LIBS)
$(PROGRAM)-fleet: $(BUILD)/fleet/fleet.o $(FLEET_LIBRARY) $(LIBRARY) Makefile
	$(call run,link,$(LINK))

$(FLEET_LIBRARY): $(FLEET_OBJ) Makefile
	$(call run,archive,rm -f $@ && $(AR) rcs $@ \
		$(filter-out %/fleet/fleet.o,$(FLEET_OBJ)))

$(FLEET_TOOLS) $(FLEET_UNIT): $(BUILD)/%: $(BUILD)/%.o $(FLEET_LIBRARY) \
	$(LIBRARY) Makefile
	$(call run,link,$(LINK))

# Made anew, so that it holds no object of a source that is gone.
$(LIBRARY): $(OBJ) Makefile
	$(call run,archive,rm -f $@ && $(AR) rcs $@ $(OBJ))

$(BUILD)/%.o: %.c $(BUILD)/built-for
	@mkdir -p $(@D)
	$(call run,compile,$(COMPILE))

QUOTED = -iquote lib -iquote .
$(BUILD)/tests/%: QUOTED += -iquote tests

$(filter-out $(FLEET_UNIT),$(UNIT)): $(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(LIBRARY) Makefile
	$(call run,link,$(LINK))

$(UNTIL): $(BUILD)/%: $(BUILD)/%.o
	$(call run,link,$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $<)

$(FUZZ): $(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(FUZZ_MAIN) \
	$(LIBRARY) Makefile
	$(call run,link,$(LINK))

# Another version or choice of files compiles all anew.  The folder of the data is
# in one object alone, so another PREFIX compiles that.
$(BUILD)/built-for: BUILT = $(VERSION) $(CHOICE)
$(BUILD)/data-in: BUILT = $(DATADIR)
$(BUILD)/built-for $(BUILD)/data-in: FORCE
	@mkdir -p $(@D)
	@echo '$(BUILT)' | cmp -s - $@ || echo '$(BUILT)' >$@

$(BUILD)/lib/data/datafile.o: DEFINES += -DDATADIR='"$(DATADIR)"'
$(BUILD)/lib/data/datafile.o: $(BUILD)/data-in

FORCE:

-include $(BUILD)/paneward.d $(BUILD)/top/top.d $(OBJ:.o=.d) $(FLEET_OBJ:.o=.d) $(TEST_OBJ:.o=.d) \
	$(BENCH_OBJ:.o=.d)

# ---- trying it --------------------------------------------------------------

# README.md's table of agents is that of backends/; tests/cases/manual.t compares.
readme:
	scripts/agents.pl README.md

demo:
	@scripts/bootstrap
	@$(MAKE) $(PARALLEL) all
	@scripts/demo.sh

test:
	@scripts/bootstrap --test
	@$(MAKE) $(PARALLEL) programs
	$(PROVE) $(LIMITED) $(LONGEST) $(filter-out $(LONGEST),$(FAULTS) $(SYSTEM) $(FLEET_TESTS) $(FAST))

fleet-test:
	@scripts/bootstrap --fleet
	@$(MAKE) $(PARALLEL) programs
	$(PROVE) $(FLEET_TESTS) $(FLEET_UNIT)

# So many completions take a few minutes; SOAK=20000 half an hour.  The fleet's
# faults take most of an hour, and need root on Linux.
SOAK    ?= 2000
INBOX_ENTRIES ?= 10000
NOTICES ?= 1000
NOTICE_PANES ?= 50
FLEET_HOSTS ?= 100
FLEET_ISSUES ?= 10
FLEET_FAULTS ?= 1000
soak:
	@scripts/bootstrap --test
	@$(MAKE) $(PARALLEL) all $(FLEET_TOOLS) $(UNTIL)
	SOAK=$(SOAK) INBOX_ENTRIES=$(INBOX_ENTRIES) NOTICES=$(NOTICES) \
		NOTICE_PANES=$(NOTICE_PANES) $(PROVE) -v tests/faults/inbox.t \
		tests/faults/notices.t tests/faults/soak.sh
	FLEET_HOSTS=$(FLEET_HOSTS) FLEET_ISSUES=$(FLEET_ISSUES) \
		FLEET_FAULTS=$(FLEET_FAULTS) $(PROVE) -v tests/fleet/chaos.sh

# Not part of make test: it needs the network to install the clients.
test-agents: all $(UNTIL)
	@tests/agents/install.sh build/clients
	PANEWARD_BIN=$(abspath $(PROGRAM)) tests/agents/run.sh

agents-drift: all $(UNTIL)
	PANEWARD_BIN=$(abspath $(PROGRAM)) tests/agents/drift.sh $(AGENTS)

# Ten minutes.  Up to 0.4.0 they need libcjson-dev.
upgrade-test: programs
	tests/upgrade/run.sh

test-fast: programs
	$(PROVE) $(FAST)

programs: $(PROGRAM) $(TOP) $(FLEET) $(FLEET_TOOLS) $(UNIT) $(FUZZ) $(UNTIL)

# Reports go to files, since a watcher has no terminal, and use an exit status
# that no test expects.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all
REPORT   = $(abspath $(BUILD))/sanitize/report
sanitize:
	@rm -f $(REPORT).*
	@$(MAKE) $(PARALLEL) BUILD=$(BUILD)/sanitize \
		PROGRAM=$(BUILD)/sanitize/paneward DATADIR=$(CURDIR) \
		HOOK_FIRST=tests/asan.c \
		CFLAGS='-O1 -g -fno-omit-frame-pointer $(SANITIZE)' programs
	@ASAN_OPTIONS=exitcode=99:log_path=$(REPORT) \
	UBSAN_OPTIONS=exitcode=99:print_stacktrace=1:log_path=$(REPORT) \
	$(MAKE) BUILD=$(BUILD)/sanitize PROGRAM=$(BUILD)/sanitize/paneward \
		CFLAGS='-O1 -g -fno-omit-frame-pointer $(SANITIZE)' \
		sanitize-prove; status=$$?; \
	cat $(REPORT).* 2>/dev/null && status=1; exit $$status

# A short command leaves its memory to the system, so only units are checked for
# leaks.  The run under chaos preloads a clock, before which the sanitizers want to
# be loaded.
sanitize-prove:
	$(PROVE) $(UNIT) tests/fuzz/seeds.sh
	ASAN_OPTIONS=$$ASAN_OPTIONS:detect_leaks=0 \
		$(PROVE) $(filter tests/cases/%,$(FAST)) $(SYSTEM) \
		$(filter-out %/chaos.sh,$(FLEET_TESTS))

strict:
	@for cc in gcc clang; do \
		command -v $$cc >/dev/null || \
			{ echo "strict: $$cc is not here, skipped"; continue; }; \
		$(MAKE) $(PARALLEL) BUILD=$(BUILD)/strict/$$cc CC=$$cc \
			CFLAGS='-O2 -g -Werror' objects || exit 1; \
	done

cross:
	@MAKE='$(MAKE)' scripts/cross.sh

KQUEUE   = BUILD=$(BUILD)/kqueue PROGRAM=$(BUILD)/kqueue/paneward \
	CHOICE='$(BSD)' FLEET_LIBS=
kqueue-test:
	@$(PKG_CONFIG) --exists libkqueue || { echo 'kqueue-test: libkqueue' \
		'is not here, skipped (see CONTRIBUTING.md)'; exit 0; }; \
	flags() { $(PKG_CONFIG) "$$@" libkqueue; }; \
	$(MAKE) $(PARALLEL) $(KQUEUE) DATADIR=$(CURDIR) LIBS="$$(flags --libs)" \
		CPPFLAGS="$$(flags --cflags) -include tests/kqueue.h" \
		LDFLAGS="-Wl,-rpath,$$(flags --variable=libdir)" programs && \
	$(MAKE) $(KQUEUE) JOBS=4 kqueue-prove
kqueue-prove:
	$(PROVE) $(UNIT) $(filter %/chain.sh %/ends.sh %/signals.sh %/watchers.sh,\
		$(SYSTEM))

objects: $(BUILD)/paneward.o $(BUILD)/top/top.o $(OBJ) $(if $(FLEET),$(FLEET_OBJ)) $(TEST_OBJ) \
	$(BENCH_OBJ) $(ANYWHERE:%=$(BUILD)/lib/os/%.o)

# Findings stay in build/fuzz/NAME.found and are tried first next time.
SECONDS  = 60
FUZZ_SAN = address,undefined -fno-sanitize-recover=all
fuzz:
	@$(MAKE) $(PARALLEL) BUILD=$(BUILD)/fuzz CC=clang FUZZ_MAIN= \
		CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,$(FUZZ_SAN)' \
		LDFLAGS=-fsanitize=fuzzer fuzz-programs
	@for name in $(notdir $(FUZZ)); do \
		echo "fuzz: $$name, $(SECONDS) s"; \
		mkdir -p $(BUILD)/fuzz/$$name.found || exit 1; \
		$(BUILD)/fuzz/tests/fuzz/$$name -print_final_stats=1 \
			-max_total_time=$(SECONDS) -timeout=10 \
			-artifact_prefix=$(BUILD)/fuzz/$$name- \
			$(BUILD)/fuzz/$$name.found \
			$$(ls -d tests/fuzz/seeds/$$name 2>/dev/null) \
			>$(BUILD)/fuzz/$$name.log 2>&1 || \
			{ tail -n 60 $(BUILD)/fuzz/$$name.log; exit 1; }; \
		grep '^stat::number_of' $(BUILD)/fuzz/$$name.log; \
	done

fuzz-programs: $(FUZZ)

site:
	@sh scripts/site.sh $(BUILD)/site

bench: all
	bench/run.sh

SHELLS   = $(wildcard paneward.tmux scripts/bootstrap scripts/archives scripts/*.sh .ci/run \
	tests/*/*.sh tests/*.sh bench/*.sh templates/*.sh packaging/*.sh \
	packaging/pack packaging/install.sh.in \
	packaging/debian/tests/first-verdict)
MANUALS  = $(wildcard man/*.[15])
lint:
	@scripts/layers.sh $(wildcard *.[ch] $(FOLDERS:%=%/*.[ch]))
	@if command -v shellcheck >/dev/null; then \
		shellcheck -x $(SHELLS); \
	else echo "lint: shellcheck is not here, skipped"; fi
	@if command -v mandoc >/dev/null; then \
		! mandoc -T lint $(MANUALS) 2>/dev/null | \
			grep -v 'referenced manual not found'; \
	else echo "lint: mandoc is not here, skipped"; fi

# ---- installing it ----------------------------------------------------------

DATA_FOLDERS = agents backends scripts templates
DATA     = $(wildcard backends/*.json agents/*.md templates/* templates/*/* \
	templates/*/*/* templates/claude-plugin/.claude-plugin/* \
	scripts/cleanup.sh scripts/merged.sh scripts/fleet-*.sh)

# into "MODE OPTION" FOLDER FILE: by rename, for those that run the old one.  The
# programs come last: a watcher goes on as the new one and reads the rest.
INTO     = umask 022; set -e; into() { \
	there="$(DESTDIR)$$2" name=$${3\#\#*/}; \
	mkdir -p "$$there"; install -m $$1 $$3 "$$there/.$$name.new"; \
	mv -f "$$there/.$$name.new" "$$there/$$name"; };

install: all completions
	@$(INTO) for file in $(DATA); do \
		if [ -x $$file ]; then mode=755; else mode=644; fi; \
		[ -d $$file ] || into $$mode "$(DATADIR)/$${file%/*}" $$file; \
	done; \
	for page in $(MANUALS); do \
		into 644 "$(MANDIR)/man$${page##*.}" $$page; \
	done; \
	into 644 '$(BASHDIR)' $(BUILD)/completions/paneward; \
	into 644 '$(ZSHDIR)' $(BUILD)/completions/_paneward; \
	into 644 '$(FISHDIR)' $(BUILD)/completions/paneward.fish; \
	for file in $(FLEET) $(TOP) $(PROGRAM); do \
		into '755 $(STRIP)' '$(BINDIR)' $$file; \
	done

# A program of another machine does not run here: this machine's prints them.
COMPLETER = $(PROGRAM)
completions: $(COMPLETER)
	@mkdir -p $(BUILD)/completions
	@$(abspath $(COMPLETER)) completion bash >$(BUILD)/completions/paneward
	@$(abspath $(COMPLETER)) completion zsh >$(BUILD)/completions/_paneward
	@$(abspath $(COMPLETER)) completion fish >$(BUILD)/completions/paneward.fish

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/paneward' '$(DESTDIR)$(BINDIR)/paneward-top' \
		'$(DESTDIR)$(BINDIR)/paneward-fleet' \
		'$(DESTDIR)$(BASHDIR)/paneward' \
		'$(DESTDIR)$(ZSHDIR)/_paneward' \
		'$(DESTDIR)$(FISHDIR)/paneward.fish' \
		$(foreach page,$(MANUALS),\
		'$(DESTDIR)$(MANDIR)/man$(lastword $(subst ., ,$(page)))/$(notdir $(page))')
	rm -rf '$(DESTDIR)$(DATADIR)'
	@for folder in '$(BASHDIR)' '$(ZSHDIR)' '$(FISHDIR)' '$(MANDIR)/man1' \
		'$(MANDIR)/man5' '$(BINDIR)'; do \
		until case $$folder in '' | /usr/*bin | /usr/*share | /usr/*share/man) ;; \
			*) ! rmdir "$(DESTDIR)$$folder" 2>/dev/null ;; esac; \
		do folder=$${folder%/*}; done; \
	done

# ---- releasing it -----------------------------------------------------------

# Until DOWNLOADS says from where they will be loaded, recipes want the files
# beside them.
DIST      = $(BUILD)/dist
HOMEPAGE  =
DOWNLOADS =
LIBRARY_SOURCES = $(abspath $(ARCHIVES))/sources

release: DIST = $(BUILD)/release
dist deb release:
	@VERSION='$(VERSION)' DIST='$(DIST)' HOMEPAGE='$(HOMEPAGE)' \
		DOWNLOADS='$(DOWNLOADS)' LIBRARY_SOURCES='$(LIBRARY_SOURCES)' \
		packaging/release.sh $@

release-test:
	@LIBRARY_SOURCES='$(LIBRARY_SOURCES)' packaging/release-test.sh

# ---- static programs --------------------------------------------------------

# Of a hook's millisecond each page that it touches takes a hundredth: few
# segments; what it calls side by side, in the order in which the linker needs it,
# with the libraries' part of it; small code.  The programs stand at fixed
# addresses, so their code and tables need not be fit for others.  Completions
# are made of templates, which the program finds beside it.
HERE      := $(shell uname -m)
ARCH       = $(HERE)
FOREIGN    = $(filter-out $(HERE),$(ARCH))
ARCHIVES   = $(BUILD)/archives
STATIC_DIR = $(BUILD)/static
UNPACKED   = paneward-$(VERSION)-linux-$(ARCH)
STATICALLY = BUILD=$(STATIC_DIR)/$(ARCH) PROGRAM=$(STATIC_DIR)/$(ARCH)/paneward \
		CC=$(abspath $(ARCHIVES))/$(ARCH)/bin/musl-gcc \
		CFLAGS='-Os -fno-asynchronous-unwind-tables -fno-pie \
		-ffile-prefix-map=$(CURDIR)=.' \
		LDFLAGS='$(LDFLAGS) -static -s -Wl,-z,norelro' \
		HOOK_FIRST='-Wl,-u,hook_record -Wl,-u,program_main \
		$$(LIBRARY) -lc' \
		DEPS_CFLAGS=-DNCURSES_WIDECHAR=1 \
		DEPS_LIBS='-lpcre2-8 -lyaml' TOP_LIBS=-lncursesw \
		FLEET_LIBS=
static:
	@scripts/archives $(ARCHIVES) $(ARCH)
	@$(if $(FOREIGN),$(if $(filter $(PROGRAM),$(COMPLETER)),\
		$(MAKE) $(PARALLEL) $(PROGRAM)))
	@rm -rf $(STATIC_DIR)/$(UNPACKED) && mkdir -p $(STATIC_DIR)/$(ARCH)
	@ln -sfn $(CURDIR)/templates $(STATIC_DIR)/$(ARCH)
	@$(MAKE) $(PARALLEL) $(STATICALLY) STRIP= \
		$(if $(FOREIGN),COMPLETER=$(COMPLETER)) \
		DESTDIR=$(abspath $(STATIC_DIR))/$(UNPACKED) PREFIX= install
	@cp LICENSE $(STATIC_DIR)/$(UNPACKED)/share/paneward
	@for licence in $(ARCHIVES)/$(ARCH)/licenses/*; do \
		printf '\n---- %s ----\n\n' "$${licence##*/}"; cat "$$licence"; \
	done >$(STATIC_DIR)/$(UNPACKED)/share/paneward/LICENSES.libraries
	@packaging/pack $(STATIC_DIR)/$(UNPACKED)

# The objects of make static, linked with tests/qemu.c, which says why.  qemu does
# not give orphans to tests/limit, so that is this machine's.
aarch64-test: ARCH = aarch64
aarch64-test: TESTED = $(STATIC_DIR)/aarch64/tested
aarch64-test:
	@scripts/archives $(ARCHIVES) $(ARCH)
	@mkdir -p $(TESTED) && ln -sfn $(DATA_FOLDERS:%=$(CURDIR)/%) $(TESTED)
	@$(MAKE) $(PARALLEL) $(STATICALLY) PROGRAM=$(TESTED)/paneward \
		LDFLAGS='-static -s -Wl,--wrap=open tests/qemu.c' programs
	@$(MAKE) $(UNTIL) && ln -f $(UNTIL) $(STATIC_DIR)/$(ARCH)/tests
	@tests/qemu.sh $(TESTED)/paneward \
		$(MAKE) BUILD=$(STATIC_DIR)/$(ARCH) PROGRAM=$(TESTED)/paneward \
		FLEET_LIBS= JOBS=4 aarch64-prove
aarch64-prove:
	$(PROVE) --timer $(FAST) $(filter %/chain.sh %/stop.sh %/sweep.sh,$(SYSTEM))

help:
	@sed -n 's/^#   //p' Makefile

clean:
	rm -rf $(BUILD) $(PROGRAM) $(TOP)

.PHONY: all demo readme test site fleet-test test-agents agents-drift soak upgrade-test test-fast programs sanitize \
	sanitize-prove strict cross objects fuzz fuzz-programs bench lint \
	install completions uninstall dist deb release release-test static \
	aarch64-test aarch64-prove kqueue-test kqueue-prove help clean FORCE
