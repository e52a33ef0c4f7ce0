# GoACP. `make help` lists the targets. make runs ./configure by itself if that has
# not been done.

.DEFAULT_GOAL := all
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

B := build

# These work on a machine where nothing is installed or configured yet: they begin
# with ./bootstrap, and come back here once config.mk is there.
BARE := demo check soak help clean distclean
ifneq ($(filter-out $(BARE),$(or $(MAKECMDGOALS),all)),)
include config.mk
endif

# As root make install writes nothing into the tree, which may be another user's.
ONLY_INSTALLS := $(if $(filter-out install uninstall,$(or $(MAKECMDGOALS),all)),,yes)
config.mk: configure
	@[ -z "$(ONLY_INSTALLS)" ] || [ "$$(id -u)" != 0 ] || { \
		echo 'make: config.mk is not that of this configure: run make first, make install builds nothing as root' >&2; exit 1; }
	./configure $(CONFIGURE_ARGS)

# --- what is built

WRAPPERS := acpcc acpgcc acpc++ acpcxx acpg++ acpgxx acpCC \
	macpcc macpgcc macpc++ macpcxx macpg++ macpgxx macpCC acpfc macpfc acpgo macpgo \
	dmicc dmic++ dmicxx dmigo
COMMANDS := acprun macprun acpstat acpweights dmimw
SOVERSION = $(firstword $(subst ., ,$(VERSION)))

# -trimpath and -buildvcs=false keep the build machine and the state of the source out of the
# results. Every go command gets them, also those that tests run. Without them the compiler writes
# other packages, so linters and tests would compile everything once more.
REPRODUCIBLE := -trimpath -buildvcs=false
ifdef GO
export GOFLAGS := $(strip $(REPRODUCIBLE) $(filter-out $(REPRODUCIBLE),$(shell $(GO) env GOFLAGS 2>/dev/null)))
endif

# $(call cgo,MPI) is the environment in which the go command builds for that MPI; $(cgo) the
# one without MPI.
cgo = CGO_ENABLED=1 CC="$(CC)" CGO_CFLAGS="-O2 -g $($(1)_CFLAGS)" CGO_LDFLAGS="-O2 -g $($(1)_LDFLAGS)"

# Warnings for C; for C inside Go packages they stop where cgo's own code begins, which leaves functions and parameters unused.
WARNINGS = -Wall -Wextra
CGO_WARNINGS = $(WARNINGS) -Wno-unused-function -Wno-unused-parameter

# $(call cgochecked,MPI) is that of the linters and of tests without the race detector: warnings of the C compiler are errors. All of them
# have the same flags, so that Go compiles each package once for them.
cgochecked = $(call cgo,$(1)) CGO_CFLAGS="-O2 -g -Werror $(CGO_WARNINGS) $($(1)_CFLAGS)"

# $(call cgolibrary,MPI) is that of libraries for programs in C, where the runtime of Go makes threads by a function of
# lib/acp/signals.c.
cgolibrary = $(call cgo,$(1)) CGO_CFLAGS="-O2 -g $(CGO_WARNINGS) -Dpthread_create=goacp_create_thread $($(1)_CFLAGS)"

# $(call libraries,NAME,FOLDER,MPI,TAGS) builds libNAME.a and libNAME.so in FOLDER, without what
# package mpi puts between programs in Go and MPI (clibrary). The header that go writes beside
# them is not for users: acp.h is. The go command does not look at the version script, so a change of it
# removes the shared library first. The compiler has the linker look for the script in LIBRARY_PATH: the path of the
# build tree would be a part of the library.
define libraries
	@mkdir -p $(2)
	@[ ! $(B)/maps/lib$(1).map -nt $(2)/lib$(1).so.$(VERSION) ] || rm -f $(2)/lib$(1).so.$(VERSION)
	$(call cgolibrary,$(3)) $(GO) build -tags='clibrary,$(4)' -buildmode=c-archive -o $(2)/lib$(1).a ./lib/acp/main
	LIBRARY_PATH="$(CURDIR)/$(B)/maps$${LIBRARY_PATH:+:$$LIBRARY_PATH}" \
		$(call cgolibrary,$(3)) $(GO) build -tags='clibrary,$(4)' -buildmode=c-shared \
		-ldflags="-extldflags '-Wl,-soname,lib$(1).so.$(SOVERSION) -Wl,--version-script=lib$(1).map $(RELATIVE)'" \
		-o $(2)/lib$(1).so.$(VERSION) ./lib/acp/main
	ln -sf lib$(1).so.$(VERSION) $(2)/lib$(1).so.$(SOVERSION)
	ln -sf lib$(1).so.$(SOVERSION) $(2)/lib$(1).so
	@rm -f $(2)/lib$(1).h $(2)/lib$(1).so.h $(2)/lib$(1).so.$(SOVERSION).h $(2)/lib$(1).so.*.h
endef

# The C libraries beside libacp and libmacp. The folder lib/NAME has the sources of libNAME, what
# its shared library shows to programs in symbols.txt, with an MPI also in symbols_mpi.txt, and its headers: those in HEADERS
# are for users.
BESIDE := gp armci dmi

# Those of them that are there for programs with MPI, too.
BESIDE_MPI := gp armci

# What libacp and libmacp show to programs.
SHOWN := $(addprefix lib/acp/,symbols.txt couple_symbols.txt versions.txt)

# The scripts by which the linker knows what shared libraries show, and with which versions: that of libNAME, and with an
# MPI libNAME-mpi. A script keeps its time if it has not changed.
.PHONY: maps
maps:
	@mkdir -p $(B)/maps
	@map() { build-aux/versionscript $(VERSION) "$${@:2}" >$(B)/maps/$$1.new; \
		if cmp -s $(B)/maps/$$1.new $(B)/maps/$$1; then rm $(B)/maps/$$1.new; else mv $(B)/maps/$$1.new $(B)/maps/$$1; fi; }; \
	map libacp.map $(SHOWN); map libmacp.map $(SHOWN) lib/acp/versions_mpi.txt; \
	$(foreach n,$(BESIDE),map lib$(n).map lib/$(n)/symbols.txt; map lib$(n)-mpi.map $(wildcard lib/$(n)/symbols.txt lib/$(n)/symbols_mpi.txt);)
HEADERS := lib/acp/acp.h lib/acp/acp_couple.h $(sort $(wildcard lib/cpp/*.hpp)) lib/gp/gp.h lib/dmi/dmi_api.h $(addprefix lib/armci/,armci.h armci_mpi.h armci_group.h armci_msg.h armcix.h parmci.h armci_iterator.h)

# Those that programs link alone, without naming libacp or libmacp. Their archive is a script that names two archives
# of its folder: that with their objects, and libacp.a or libmacp.a.
COMPLETE := armci

# $(call beside,NAME,FOLDER,MPI,LIBRARY) builds libNAME.a and libNAME.so in FOLDER. What they call is in
# LIBRARY, libacp or libmacp. The shared library names it and finds it in its own folder, or loaded already.
# So programs link the shared LIBRARY with it, as the wrapper compilers do: the archive would be a second
# runtime of Go.
define beside
	@mkdir -p $(2)/$(1)
	cd $(2)/$(1) && $(CC) -std=gnu11 -O2 -g -ffile-prefix-map=$(CURDIR)=. -fPIC $(WARNINGS) $($(3)_CFLAGS) \
		$(if $(3),-I$(CURDIR)/$(B)/$(1)/$(3)/include) -I$(CURDIR)/lib/acp -I$(CURDIR)/lib/$(1) \
		-c $(addprefix $(CURDIR)/,$(wildcard lib/$(1)/*.c))
	@rm -f $(2)/lib$(1).a $(2)/lib$(1)part.a
	ar rcsD $(2)/lib$(1)$(if $(filter $(1),$(COMPLETE)),part).a $(2)/$(1)/*.o
	$(if $(filter $(1),$(COMPLETE)),echo 'GROUP ( lib$(1)part.a lib$(4).a )' >$(2)/lib$(1).a)
	$(CC) -shared -Wl,-soname,lib$(1).so.$(SOVERSION) -Wl,--version-script=$(B)/maps/lib$(1)$(if $(3),-mpi).map \
		-o $(2)/lib$(1).so.$(VERSION) $(2)/$(1)/*.o \
		-L$(2) -l$(4) $($(3)_LDFLAGS) -Wl,--no-undefined -Wl,-rpath,'$$ORIGIN'
	@rm -rf $(2)/$(1)
	ln -sf lib$(1).so.$(VERSION) $(2)/lib$(1).so.$(SOVERSION)
	ln -sf lib$(1).so.$(SOVERSION) $(2)/lib$(1).so

endef

# $(call dmimain,FOLDER) builds libdmimain.a in FOLDER, the beginning of programs with DMI. It is a part of the program, with the shared
# libdmi as well.
define dmimain
	@mkdir -p $(1)/dmimain
	cd $(1)/dmimain && $(CC) -std=gnu11 -O2 -g -ffile-prefix-map=$(CURDIR)=. -fPIC $(WARNINGS) \
		-I$(CURDIR)/lib/acp -I$(CURDIR)/lib/dmi -c $(addprefix $(CURDIR)/,$(wildcard lib/dmi/main/*.c))
	@rm -f $(1)/libdmimain.a
	ar rcsD $(1)/libdmimain.a $(1)/dmimain/*.o
	@rm -rf $(1)/dmimain

endef

# $(call armcifolder,MPI) makes the folder of ARMCI for an MPI, as programs such as Global Arrays expect
# it: include with headers that include mpi.h, and lib. message.h and iterator.h, whose names other
# packages use too, are in no other folder. macpcc finds armci_mpi.h beside the library.
define armcifolder
	@rm -rf $(B)/armci/$(1)
	@mkdir -p $(B)/armci/$(1)/include
	cp $(filter lib/armci/%,$(HEADERS)) lib/armci/message.h lib/armci/iterator.h $(B)/armci/$(1)/include
	@mkdir -p $(B)/lib/$(1)/include
	printf '#include <mpi.h>\n#define ARMCI_MPI 1\n' >$(B)/lib/$(1)/include/armci_mpi.h
	cp $(B)/lib/$(1)/include/armci_mpi.h $(B)/armci/$(1)/include
	ln -sfn ../../lib/$(1) $(B)/armci/$(1)/lib
endef

# $(call default,FOLDER,MPI) makes libmacp in FOLDER that of MPI.
define default
	for f in libmacp.a libmacp.so libmacp.so.$(SOVERSION); do ln -sf $(2)/$$f $(1)/$$f; done
endef

.PHONY: all commands wrappers header fortran libacp $(addprefix libmacp-,$(MPIS)) libmacp libacphook manual
all: commands wrappers header fortran libacp libmacp libacphook manual
	@build-aux/buildstate record $(B) $(BEGUN)

BEGUN := $(shell date +%s.%N)

# The Go command may have changed since configure found it.
.PHONY: needgo
needgo:
	@found=$$(build-aux/findgo "$(GO)") || { echo "make: $$found" >&2; exit 1; }

# The launchers, acpstat and acpweights are one program, which has a file with the name of each: each of them alone is almost as
# large as all together.
commands: needgo
	@mkdir -p $(B)/bin
	@rm -f $(addprefix $(B)/bin/,$(wordlist 2,99,$(COMMANDS)))
	$(GO) build -o $(B)/bin/$(firstword $(COMMANDS)) ./launchers
	@for c in $(wordlist 2,99,$(COMMANDS)); do ln -f $(B)/bin/$(firstword $(COMMANDS)) $(B)/bin/$$c; done

# The first wrapper is the program, the others are links to it.
wrappers: needgo
	@mkdir -p $(B)/bin
	CGO_ENABLED=0 $(GO) build -o $(B)/bin/$(firstword $(WRAPPERS)) ./wrappers
	@for w in $(wordlist 2,99,$(WRAPPERS)); do ln -sf $(firstword $(WRAPPERS)) $(B)/bin/$$w; done

header:
	@mkdir -p $(B)/include
	@for h in $(HEADERS); do cmp -s $$h $(B)/include/$${h##*/} || cp $$h $(B)/include/$${h##*/}; done

# The modules for programs in Fortran, with and without MPI, are made of the headers, which needs no compiler. A .mod
# is of use to the compiler that has made it alone; the sources, which are installed as well, to every other one. goacp_array.c is compiled with the
# header of the Fortran compiler that says how its descriptors look.
FORTRAN_MODULES := acp acp_couple
FORTRAN_SOURCES := $(FORTRAN_MODULES:%=$(B)/fortran/%.f90)
FORTRAN_C := $(addprefix lib/fortran/,goacp_array.c goacp_array.h)
FORTRAN_BINDING = -idirafter $(dir $(shell $(FC) -print-file-name=include/ISO_Fortran_binding.h))
fortran: header needgo
	@mkdir -p $(B)/fortran $(B)/include $(B)/lib
	GOARCH=$$($(GO) env GOHOSTARCH) CGO_ENABLED=0 $(GO) run ./gen/fortrangen $(B)/fortran
	cp $(FORTRAN_C) $(B)/fortran
	@rm -f $(FORTRAN_MODULES:%=$(B)/include/%.mod) $(B)/lib/libacpfortran.a
	$(if $(FC),cd $(B)/fortran && $(FC) -O2 -fPIC -J../include -c $(FORTRAN_MODULES:%=%.f90) && $(CC) -O2 -fPIC -I../include $(FORTRAN_BINDING) -c goacp_array.c && \
		ar rcsD ../lib/libacpfortran.a $(FORTRAN_MODULES:%=%.o) goacp_array.o)

# The manual pages and the completion for shells are made of the options, the headers and docs. man finds the pages of
# commands in build/bin there.
manual: needgo
	@mkdir -p $(B)/share
	GOARCH=$$($(GO) env GOHOSTARCH) CGO_ENABLED=0 $(GO) run ./gen/mangen $(B)/share

libacp: needgo maps
	$(call libraries,acp,$(B)/lib,,)
	$(foreach n,$(BESIDE),$(call beside,$(n),$(B)/lib,,acp))
	$(call dmimain,$(B)/lib)

# After libacp: most of what it has compiled is in the cache of Go then.
$(addprefix libmacp-,$(MPIS)): libmacp-%: needgo maps libacp
	$(call libraries,macp,$(B)/lib/$*,$*,mpi)
	$(call armcifolder,$*)
	$(foreach n,$(BESIDE_MPI),$(call beside,$(n),$(B)/lib/$*,$*,macp))

libmacp: $(addprefix libmacp-,$(MPIS))
	$(if $(MPIS),$(call default,$(B)/lib,$(firstword $(MPIS))))

# The library that takes the place of libc's malloc. There is no archive: libacp and libmacp look for
# goacp_hook_pool among the names that shared libraries show.
libacphook:
	@mkdir -p $(B)/lib
	$(CC) @lib/hook/capi/flags -g -ffile-prefix-map=$(CURDIR)=. -shared -Wl,-soname,libacphook.so.$(SOVERSION) \
		-Wl,--version-script=lib/hook/capi/libacphook.map -Wl,--no-undefined \
		-o $(B)/lib/libacphook.so.$(VERSION) $(wildcard lib/hook/capi/*.c)
	ln -sf libacphook.so.$(VERSION) $(B)/lib/libacphook.so.$(SOVERSION)
	ln -sf libacphook.so.$(SOVERSION) $(B)/lib/libacphook.so

# --- installing

# install builds what is not built, or older than the sources; as root it fails then.
.PHONY: install uninstall built
built: $(filter all,$(MAKECMDGOALS))
	@why=$$(build-aux/buildstate stale $(B)); if [ -z "$$why" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then echo "make: $$why: run make first, make install builds nothing as root" >&2; exit 1; fi; \
	echo "$$why"; $(MAKE) --no-print-directory all

# $(call installelf,MODE,FOLDER,FILES) installs programs, shared libraries or archives without what debuggers alone need.
# STRIP=: leaves it in.
installelf = STRIP="$(STRIP)" OBJCOPY="$(OBJCOPY)" DEBUG_FILES=$(DEBUG_FILES) build-aux/installelf $(1) $(2) $(3)

install: built
	install -d $(addprefix $(DESTDIR),$(bindir) $(libdir) $(includedir) $(datadir))
	$(call installelf,755,$(DESTDIR)$(bindir),$(addprefix $(B)/bin/,$(firstword $(COMMANDS)) $(firstword $(WRAPPERS))))
	for c in $(wordlist 2,99,$(COMMANDS)); do ln -f $(DESTDIR)$(bindir)/$(firstword $(COMMANDS)) $(DESTDIR)$(bindir)/$$c; done
	for w in $(wordlist 2,99,$(WRAPPERS)); do ln -sf $(firstword $(WRAPPERS)) $(DESTDIR)$(bindir)/$$w; done
	install -m 644 $(addprefix $(B)/include/,$(notdir $(HEADERS))) $(DESTDIR)$(includedir)
	install -m 644 $(B)/installed/wrappers.yaml $(DESTDIR)$(datadir)
	install -d $(DESTDIR)$(datadir)/fortran
	install -m 644 $(FORTRAN_SOURCES) $(addprefix $(B)/fortran/,$(notdir $(FORTRAN_C))) $(DESTDIR)$(datadir)/fortran
	$(if $(FC),install -m 644 $(FORTRAN_MODULES:%=$(B)/include/%.mod) $(DESTDIR)$(includedir))
	$(if $(FC),$(call installelf,644,$(DESTDIR)$(libdir),$(B)/lib/libacpfortran.a))
	$(foreach n,acp $(BESIDE),$(call installlib,$(n),))
	$(call installshared,acphook,)
	$(call installelf,644,$(DESTDIR)$(libdir),$(B)/lib/libdmimain.a)
	$(foreach m,$(MPIS),$(foreach n,macp $(BESIDE_MPI),$(call installlib,$(n),/$(m))))
	$(if $(MPIS),$(call default,$(DESTDIR)$(libdir),$(firstword $(MPIS))))
	$(foreach m,$(MPIS),$(call installarmci,$(m)))
	install -d $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(libdir)/cmake/GoACP
	install -m 644 $(PKGCONFIG:%=$(B)/installed/pkgconfig/%) $(DESTDIR)$(libdir)/pkgconfig
	install -m 644 $(CMAKE:%=$(B)/installed/cmake/%) $(DESTDIR)$(libdir)/cmake/GoACP
	install -d $(DESTDIR)$(dir $(MODULEFILE))
	sed -e 's|@VERSION@|$(VERSION)|; s|@prefix@|$(patsubst %/share,%,$(sharedir))|; s|@bindir@|$(bindir)|; s|@libdir@|$(libdir)|' \
		-e 's|@pythondir@|$(pythondir)|' build-aux/modulefile.in >$(DESTDIR)$(MODULEFILE)
	chmod 644 $(DESTDIR)$(MODULEFILE)
	install -d $(DESTDIR)$(pythondir)/goacp $(DESTDIR)$(PYTHONINFO)
	install -m 644 python/goacp/*.py python/goacp/py.typed $(DESTDIR)$(pythondir)/goacp
	printf 'make\n' >$(DESTDIR)$(PYTHONINFO)/INSTALLER
	build-aux/pythonmetadata >$(DESTDIR)$(PYTHONINFO)/METADATA
	chmod 644 $(addprefix $(DESTDIR)$(PYTHONINFO)/,INSTALLER METADATA)
	tar -C $(B)/share --mode=u+rwX,go+rX -cf - $(MANUAL) | tar -C $(DESTDIR)$(sharedir) --no-same-owner -xf -

# By this folder Python programs find the version of the package, and pip knows that it is there. pip does not remove it:
# there is no list of its files.
PYTHONINFO = $(pythondir)/goacp-$(VERSION).dist-info

# A file for the command module of Environment Modules and Lmod.
MODULEFILE = $(sharedir)/modulefiles/goacp/$(VERSION)

# The manual pages and the completion for shells, which are installed beside datadir.
MANUAL = man bash-completion zsh fish
sharedir = $(patsubst %/goacp,%,$(datadir))

# The files by which pkg-config and CMake find the libraries, which configure has written.
PKGCONFIG = $(addsuffix .pc,acp $(BESIDE) $(if $(FC),acp-fortran) $(foreach m,$(MPIS),$(addsuffix -$(m),macp $(BESIDE_MPI))))
CMAKE = GoACPConfig.cmake GoACPConfigVersion.cmake

# $(call installarmci,MPI)
define installarmci
	install -d $(DESTDIR)$(datadir)/armci/$(1)/include
	install -m 644 $(B)/armci/$(1)/include/*.h $(DESTDIR)$(datadir)/armci/$(1)/include
	install -d $(DESTDIR)$(libdir)/$(1)/include
	install -m 644 $(B)/lib/$(1)/include/armci_mpi.h $(DESTDIR)$(libdir)/$(1)/include
	ln -sfnr $(DESTDIR)$(libdir)/$(1) $(DESTDIR)$(datadir)/armci/$(1)/lib

endef

# $(call installlib,NAME,/FOLDER)
define installlib
	install -d $(DESTDIR)$(libdir)$(2)
	$(call installelf,644,$(DESTDIR)$(libdir)$(2),$(B)/lib$(2)/lib$(1).a $(if $(filter $(1),$(COMPLETE)),$(B)/lib$(2)/lib$(1)part.a))
	$(call installshared,$(1),$(2))
endef

# $(call installshared,NAME,/FOLDER)
define installshared
	$(call installelf,755,$(DESTDIR)$(libdir)$(2),$(B)/lib$(2)/lib$(1).so.$(VERSION))
	ln -sf lib$(1).so.$(VERSION) $(DESTDIR)$(libdir)$(2)/lib$(1).so.$(SOVERSION)
	ln -sf lib$(1).so.$(SOVERSION) $(DESTDIR)$(libdir)$(2)/lib$(1).so

endef

LIBFILES = $(foreach n,acp macp $(BESIDE),lib$(n).a lib$(n)part.a $(call shared,$(n)))
shared = lib$(1).so lib$(1).so.$(SOVERSION) lib$(1).so.$(VERSION) lib$(1).so.$(VERSION).debug
uninstall:
	cd $(B) && rm -f $(addprefix $(DESTDIR)$(bindir)/,$(COMMANDS) $(WRAPPERS) $(addsuffix .debug,$(COMMANDS) $(WRAPPERS))) \
		$(addprefix $(DESTDIR)$(includedir)/,$(notdir $(HEADERS)) $(FORTRAN_MODULES:%=%.mod)) $(DESTDIR)$(datadir)/wrappers.yaml $(DESTDIR)$(MODULEFILE) \
		$(addprefix $(DESTDIR)$(libdir)/,libacpfortran.a libdmimain.a $(call shared,acphook) $(PKGCONFIG:%=pkgconfig/%)) \
		$(foreach d,. $(MPIS),$(addprefix $(DESTDIR)$(libdir)/$(d)/,$(LIBFILES) include/armci_mpi.h))
	rm -rf $(DESTDIR)$(datadir)/armci $(DESTDIR)$(datadir)/fortran $(DESTDIR)$(libdir)/cmake/GoACP \
		$(DESTDIR)$(pythondir)/goacp $(DESTDIR)$(PYTHONINFO)
	cd $(B)/share && find $(MANUAL) ! -type d | while read -r f; do rm -f "$(DESTDIR)$(sharedir)/$$f"; done
	cd $(B)/share && find $(MANUAL) -depth -type d | while read -r d; do \
		if [ -d "$(DESTDIR)$(sharedir)/$$d" ]; then rmdir --ignore-fail-on-non-empty "$(DESTDIR)$(sharedir)/$$d"; fi; done
	for d in $(pythondir) $(dir $(pythondir)) $(datadir) $(sharedir)/modulefiles/goacp $(sharedir)/modulefiles $(libdir)/pkgconfig $(libdir)/cmake \
		$(addprefix $(libdir)/,$(MPIS:%=%/include) $(MPIS)); do \
		if [ -d "$(DESTDIR)$$d" ]; then rmdir --ignore-fail-on-non-empty "$(DESTDIR)$$d"; fi; done

# An archive of the source that builds without a network.
DIST = $(B)/goacp-$(VERSION).tar.gz
.PHONY: dist
dist: needgo
	build-aux/dist "$(GO)" $(VERSION) $(DIST)

# --- trying, checking, measuring

# What demo, check, soak and bench run finds the commands of this build.
IN_PLACE = PATH="$(CURDIR)/$(B)/bin:$$PATH"
BOOTSTRAP = ./bootstrap; if [ ! -f config.mk ]; then ./configure --with-mpi=all; fi

.PHONY: demo check soak configured-demo configured-check configured-soak lint test bench bench-armci
demo check soak:
	$(BOOTSTRAP)
	$(MAKE) --no-print-directory $(if $(filter check,$@),all-without-warnings,$(PARALLEL) all)
	$(MAKE) --no-print-directory configured-$@

# As many commands at a time as there are processors.
PARALLEL = -j$$(nproc) --output-sync=target

# all, where a warning of a compiler is an error. A warning of an earlier build comes again, from the cache of Go.
.PHONY: all-without-warnings
all-without-warnings:
	@mkdir -p $(B)/check
	LC_ALL=C $(MAKE) --no-print-directory $(PARALLEL) all 2>&1 | tee $(B)/check/build.log
	@if grep -i 'warning:' $(B)/check/build.log | grep -v '^make' >/dev/null; then echo 'make: a compiler warns, see above' >&2; exit 1; fi

configured-demo:
	$(IN_PLACE) ./examples/mixed/demo.sh

# The tests with launchers wait for a part of their time. Tests that stop processes run beside them. So do the linters and the tests of
# packages without the race detector, at a low priority, so that they take only the time that is left; then the packages are compiled
# for the race detector. Tests with the race detector come last: beside the others they would exceed time limits on slow machines. The
# output of a command comes when the command ends. A part that fails does not end the others. The last lines say again how the tests
# ended.
configured-check:
	@rm -f $(ENDS)
	@failed=0; $(MAKE) --no-print-directory -j2 --output-sync=line check-launchers check-meanwhile || failed=1; \
		$(MAKE) --no-print-directory check-unit || failed=1; \
		cat $(ENDS) 2>/dev/null || failed=1; exit $$failed

.PHONY: check-launchers check-stopping check-meanwhile check-lint check-packages check-unit check-sequential check-unraced check-plain
check-meanwhile:
	failed=0; $(MAKE) --no-print-directory check-stopping || failed=1; \
		nice -n 10 $(MAKE) --no-print-directory check-lint || failed=1; \
		nice -n 10 $(MAKE) --no-print-directory -k $(filter-out check-unit,$(UNITS:%=check-%)) || failed=1; \
		nice -n 10 $(GO) list -race -test -export $$($(RACE_TESTED)) >/dev/null || failed=1; exit $$failed

# For how long runs are begun, and the seed of the first; each run has the next one.
# Actors of the program that WITHOUT names, with commas between, do not take part.
SOAK = 1h
SEED := $(shell date +%s)
WITHOUT =
configured-soak:
	@mkdir -p $(B)/check
	$(GO) test -c -o $(B)/check/soak.test ./tests/soak
	$(GO) test -c -o $(B)/check/acp.test ./acp
	$(GO) test -c -o $(B)/check/dmi.test ./internal/system/dmi/node
	$(GO) test -c -o $(B)/check/session.test ./internal/system/dmi/session
	$(B)/check/session.test -test.run='^TestJoinsAndLeaves$$' -test.v -joins=1000
	$(B)/check/dmi.test -test.run='^TestManySpaces$$' -test.v -spaces=1000000
	$(B)/check/acp.test -test.run='^TestHistories$$' -test.v -test.timeout=0 -soak=$(SOAK) -seed=$(SEED) & histories=$$!; \
	$(B)/check/dmi.test -test.run='^(TestHistories|TestHandover)$$' -test.v -test.timeout=0 -soak=$(SOAK) -seed=$(SEED) & pages=$$!; \
	failed=0; (cd tests/soak && $(IN_PLACE) $(CURDIR)/$(B)/check/soak.test -soak=$(SOAK) -seed=$(SEED) -without=$(WITHOUT)) || failed=1; \
	wait $$histories || failed=1; wait $$pages || failed=1; exit $$failed

bench: all
	$(IN_PLACE) ./bench/run.sh

bench-armci: all
	$(IN_PLACE) ./bench/armci.sh

# Programs of Global Arrays, with the package of Debian and with a library built from source. Both come
# over the network, so make check does without.
.PHONY: check-ga bench-ga
check-ga: all
	GO="$(GO)" ./tests/globalarrays/check.sh $(B)/ga
	GO="$(GO)" ./tests/globalarrays/source.sh $(B)/ga-source

.PHONY: check-page
check-page: needgo
	$(GO) test -count=1 -v -tags browser -run TestBrowser ./internal/launch/account

.PHONY: check-slurm
check-slurm: all
	GO="$(GO)" ./tests/slurm/check.sh $(B)/slurm

# The manual as a site, which needs no other host. build/site-source is what MkDocs makes it from.
.PHONY: site
site: needgo
	./bootstrap --build --site
	GOARCH=$$($(GO) env GOHOSTARCH) CGO_ENABLED=0 $(GO) run ./gen/sitegen $(B)/site-source $(VERSION)
	cd $(B)/site-source && mkdocs build --quiet --clean
	CGO_ENABLED=0 $(GO) run ./gen/sitegen -finish $(B)/site
	@echo 'the manual: $(B)/site/index.html'

# All pictures of the manual.
.PHONY: pictures
pictures: drawings screenshots

# Those that are drawn from the texts beside them.
.PHONY: drawings
drawings: needgo
	$(GO) run ./gen/picturegen docs/pictures

# Those that show a page in a browser, from a real run, and pages of the site in build/screenshots.
.PHONY: screenshots
screenshots: all
	./bootstrap --build --screenshots
	$(MAKE) --no-print-directory site
	$(GO) test -count=1 -tags browser -run TestScreenshot ./tests -update

# The packages of Debian, checked by lintian.
.PHONY: check-debian
check-debian: dist
	./bootstrap --debian
	./tests/debian/check.sh $(DIST) $(B)/debian

# The packages of Debian in clean systems, made by debootstrap. SUITES are releases of Debian.
.PHONY: check-roots
SUITES = bookworm trixie
check-roots: check-debian
	./bootstrap --roots
	./tests/roots/check.sh $(B)/debian $(B)/roots $(SUITES)

# The image of packaging/container, built by buildah on a clean system.
.PHONY: check-container
check-container: dist
	./bootstrap --container
	./tests/container/check.sh $(dir $(DIST)) $(B)/container

# The packages and programs built for AArch64, under QEMU. PARTS are packages, such as internal/memory/ring, or
# the word programs; without one all are run.
.PHONY: check-arm64
PARTS =
check-arm64: needgo
	./bootstrap --arm64
	GO="$(GO)" ./tests/arm64/check.sh $(B)/arm64 $(PARTS)

bench-ga: all
	$(IN_PLACE) ./bench/ga.sh

# Programs in C are compiled by the wrappers; those that need MPI only if there is one.
C_PROGRAMS = $(shell find examples tests bench \( -path tests/globalarrays -o -path tests/litmus -o -path tests/arm64 \) -prune -o -name '*.c' -print 2>/dev/null)
# Packages with files that only a build with the race detector has.
RACE_PACKAGES = $(sort $(addprefix ./,$(dir $(shell grep -rl --include='*.go' '^//go:build.*\<race\>' internal))))
# Packages with files that only a build with MPI has. The others have the same files in every build, so the linters look
# at them once. The build of libmacp compiles all that it needs of them with MPI.
WITH_MPI = $(sort $(dir $(shell grep -rl --include='*.go' --exclude-dir=$(B) --exclude-dir=vendor '^//go:build.*\<mpi\>' .)))
lint: all-without-warnings
	$(MAKE) --no-print-directory check-lint

# The linters and tests need what all builds, as said by the targets that call these. staticcheck comes before go vet, which finds the
# output of cgo in Go's cache then; staticcheck would not.
check-lint:
	@mkdir -p $(B)/check
	unformatted=$$(find . -path ./vendor -prune -o -name '*.go' -print | xargs gofmt -l); if [ -n "$$unformatted" ]; then echo "not as gofmt has it: $$unformatted"; exit 1; fi
	$(GO) run ./gen/layoutgen -check
	$(cgochecked) $(GO) list -export ./lib/acp ./acprun ./tests/litmus >/dev/null
	$(cgochecked) $(GO) tool staticcheck ./...
	$(cgochecked) $(GO) vet ./...
	$(cgochecked) $(GO) tool staticcheck -tags=globalarrays ./tests/globalarrays
	$(cgochecked) $(GO) tool staticcheck -tags=slurm ./tests/slurm
	$(foreach m,$(firstword $(MPIS)),$(call lintmpi,$(m)))
	grep -L '<mpi\.h>' $(C_PROGRAMS) | xargs -P2 -n8 $(B)/bin/acpcc $(WARNINGS) -Werror -std=gnu11 -fsyntax-only
	$(if $(MPIS),grep -l '<mpi\.h>' $(C_PROGRAMS) | xargs -P2 -n8 $(B)/bin/macpcc $(WARNINGS) -Werror -std=gnu11 -fsyntax-only)
	$(if $(CXX),$(B)/bin/acpc++ $(WARNINGS) -Werror -std=c++17 -fsyntax-only bench/*.cc)
	$(if $(FC),$(FC) $(WARNINGS) -Werror -std=f2018 -fsyntax-only -J$(B)/check $(FORTRAN_SOURCES))
	$(if $(FC),$(CC) $(WARNINGS) -Werror -std=c11 -fsyntax-only -Ilib/acp $(FORTRAN_BINDING) lib/fortran/goacp_array.c)
	$(GO) vet -race $(RACE_PACKAGES)

# $(call lintmpi,MPI): the files in Go are the same for all MPIs, so the linters look at them with the first. The tests of lib/acp
# have no file for MPI.
define lintmpi
	$(call cgochecked,$(1)) $(GO) tool staticcheck -tags=mpi $(filter-out ./lib/acp/,$(WITH_MPI))
	$(call cgochecked,$(1)) $(GO) tool staticcheck -tags=mpi -tests=false ./lib/acp
	$(call cgochecked,$(1)) $(GO) vet -tags=mpi $(WITH_MPI)

endef

# First what needs no launcher, under the race detector; then, for each MPI, the packages that
# differ with MPI; last the tests with real launchers, whose closing line ends the output.
test: all
	$(MAKE) --no-print-directory check-packages
	$(MAKE) --no-print-directory check-stopping
	$(MAKE) --no-print-directory check-launchers

# go vet is one of the linters, so go test does without it. It tests as many packages at a time as there are processors: ranks that
# wait use processors. For the same reason the tests with launchers come one at a time. Packages whose tests take longest come first.
# Package launch starts launchers, and one of its tests ends a run within a time that the launcher promises, so its tests run with
# those of launchers. The time limits are for machines that are several times as slow as usual. Test programs are linked without
# information for debuggers, in half the time.
GOTEST = $(IN_PLACE) GO="$(GO)" .ci/gotest
GOTEST_PACKAGES = -vet=off -timeout=60m -ldflags=-w
LONGEST = internal/system/dmi/node acp internal/network/tcp couple internal/structure/message
MPI_PACKAGES = $(sort $(patsubst %/,./%,$(dir $(shell find bridge internal mpi examples -name '*_mpi*.go' 2>/dev/null))))
UNITS = unit sequential unraced plain $(MPIS:%=unit-%)
ENDS = $(patsubst %,$(B)/check/%.end,$(UNITS) launch stopping tests)
check-packages:
	$(MAKE) --no-print-directory -k $(UNITS:%=check-%)

# Packages that make or check files, one after the other.
SEQUENTIAL = docs gen wrappers
check-sequential:
	$(cgochecked) $(GOTEST) sequential $(GOTEST_PACKAGES) $(SEQUENTIAL:%=./%/...)

# Packages whose tests the race detector cannot help: those of the C library start programs, which it does not see, and a state machine has
# one goroutine.
UNRACED = lib/acp internal/system/dmi/page
check-unraced:
	$(cgochecked) $(GOTEST) unraced $(GOTEST_PACKAGES) $(UNRACED:%=./%)

RACE_TESTED = $(GO) list $(LONGEST:%=./%); $(GO) list ./... | grep -v -e '/goacp/tests' -e '/goacp/internal/launch$$' -e '/goacp/lib/acp/main$$' $(UNRACED:%=-e '/goacp/%$$') $(SEQUENTIAL:%=-e '/goacp/%\(/\|$$\)') $(LONGEST:%=-e '/goacp/%$$')
check-unit:
	$(GOTEST) unit -race $(GOTEST_PACKAGES) $$($(RACE_TESTED))

# Tests that do less under the race detector, see package acptest/race.
PLAIN = TestHistories|TestTablesModel|TestTablesCrowd|TestIterationWhileChanging|TestChannelAllPairs|TestMailboxUnmappedLater|TestManySpaces|TestJoinsAndLeaves|TestModel|TestModelOnHosts|TestModelRemote
check-plain:
	$(cgochecked) $(GOTEST) plain $(GOTEST_PACKAGES) -run '^($(PLAIN))$$' ./acp ./couple ./internal/network/tcp ./internal/system/dmi/node ./internal/system/dmi/session

.PHONY: $(MPIS:%=check-unit-%)
$(MPIS:%=check-unit-%): check-unit-%:
	$(call cgochecked,$*) $(GOTEST) unit-$* -tags=mpi $(GOTEST_PACKAGES) $(MPI_PACKAGES)

check-launchers:
	failed=0; $(GOTEST) launch -race -vet=off -timeout=20m ./internal/launch || failed=1; \
		$(GOTEST) tests -vet=off -count=1 -p=1 -parallel=1 -timeout=90m -skip '^($(STOPPING))$$' ./tests/... || failed=1; exit $$failed

# Tests with launchers that stop processes for a while and wait. They take hardly any processor time, so they run beside the others.
STOPPING = Test(DMI)?Stopped.*
check-stopping:
	$(GOTEST) stopping -vet=off -count=1 -parallel=4 -timeout=30m -run '^($(STOPPING))$$' ./tests/...

# --- tidying

.PHONY: clean distclean help
clean:
	rm -rf $(B)/built $(B)/site $(B)/site-source $(MANUAL:%=$(B)/share/%) $(B)/bin $(B)/lib $(B)/maps $(B)/include $(B)/armci $(B)/fortran $(B)/check $(B)/ga $(B)/debian $(B)/roots

distclean: clean
	rm -rf $(B) config.mk

help:
	@echo 'make            build everything into build/bin, build/lib and build/include'
	@echo 'make demo       install what is missing, build, run the examples'
	@echo 'make check      install what is missing, build, lint, run all tests'
	@echo 'make install    install below the prefix told to ./configure (DESTDIR is honoured)'
	@echo 'make uninstall  remove what install put there'
	@echo 'make dist       an archive of the source that builds without a network, in build'
	@echo 'make lint       gofmt, generated files, go vet, staticcheck, warnings of the compilers'
	@echo 'make test       the tests of check alone'
	@echo 'make soak       disturb random operations for an hour: SOAK=5m SEED=7'
	@echo 'make check-ga   run programs of Global Arrays on libarmci (Debian only)'
	@echo 'make check-slurm  run the launchers inside allocations of Slurm (Debian, root)'
	@echo 'make check-arm64  run the tests built for AArch64 under QEMU: PARTS=internal/memory/ring (Debian)'
	@echo 'make check-debian  build packages of Debian and check them by lintian (Debian)'
	@echo 'make check-roots  install these packages in clean systems and use them there (Debian, root)'
	@echo 'make check-container  build the image for containers and use it (Debian, root)'
	@echo 'make bench      measure, beside raw MPI'
	@echo 'make bench-armci  measure ARMCI, beside ARMCI-MPI'
	@echo 'make bench-ga   measure test programs of Global Arrays, beside ARMCI-MPI (Debian only)'
	@echo 'make site       the manual for browsers, in build/site (Debian)'
	@echo 'make pictures   make the pictures of the manual, docs/pictures: drawings and screenshots'
	@echo 'make screenshots  photograph the page of -trace and the site (Debian)'
	@echo 'make clean      remove what was built; distclean: and what configure wrote'
