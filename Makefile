# jobtriage. `make deps` installs what the build needs, `make` builds,
# `make help` lists the rest. Sources are found by wildcard: a new file needs
# no line here. Everything that is made lies under $(BUILD).

VERSION := 0.1.0

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CC ?= cc
PKG_CONFIG ?= pkg-config
CLANG_FORMAT ?= clang-format
CLANG_TIDY ?= clang-tidy
CFLAGS ?= -O2 -g

LIBRARIES := libpcre2-8
# Not linked: base/library.h loads them when they are needed, and all of xxHash
# is in its header.
NOT_LINKED := jansson libarchive libisal liblzma libpq libxxhash libzstd sqlite3 \
	yaml-0.1

# ---- what there is -------------------------------------------------------
DEPTHS := * */* */*/* */*/*/*
SOURCES := $(sort $(wildcard $(DEPTHS:%=classifier/%.c)) \
	$(wildcard $(DEPTHS:%=reports/%.c)))
RULES := $(sort $(wildcard $(DEPTHS:%=taxonomy/%.yaml)))
TESTS := $(sort $(wildcard tests/*/test_*.c))
SCRIPTS := $(sort $(wildcard tests/run tests/*.sh tests/*/*.sh \
	tests/*/*/*.sh \
	corpus/*.sh classifier/*/*.sh reports/*.sh \
	reports/nightly/jobtriage-nightly classifier/recipes/jobtriage-retry \
	classifier/slurm/jobtriage-epilogslurmctld))
FORMATTED := $(sort $(SOURCES) $(TESTS) $(wildcard $(DEPTHS:%=classifier/%.h) \
	$(DEPTHS:%=reports/%.h) tests/*.h tests/*/*.[ch]))

# What the reports carry with them. Chart.js is Debian's libjs-chart.js.
CHART_JS ?= /usr/share/javascript/chart.js/chart.min.js
ASSETS := study_tsv=reports/period/study.tsv \
	report_html_page=reports/period/html/page.html \
	report_html_style=reports/period/html/style.css \
	report_html_script=reports/period/html/report.js \
	report_html_chart=$(CHART_JS)

MAIN := classifier/cli/main.c
OBJ := $(BUILD)/obj
MAIN_OBJECT := $(OBJ)/$(MAIN:.c=.o)
# Not parts of the program: two write the images of the taxonomy and of the
# tables over it when all of the library that they need has been built, the
# third the table of `make rarity`.
IMAGE_MAKE := classifier/rules/image_make.c
ENGINE_MAKE := classifier/diagnose/evidence/engine_image_make.c
RARITY_MAKE := classifier/rules/rarity_make.c
MADE_OBJECTS := $(addprefix $(OBJ)/,taxonomy_data.o taxonomy_image.o \
	engine_image.o assets_data.o)
LIB_OBJECTS := $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(MAIN) $(IMAGE_MAKE) \
	$(ENGINE_MAKE) $(RARITY_MAKE),$(SOURCES))) $(MADE_OBJECTS)
IMAGE_OBJECTS := $(OBJ)/$(IMAGE_MAKE:.c=.o) $(OBJ)/taxonomy_data.o \
	$(filter-out %/taxonomy_built_in.o,$(filter \
	$(addprefix $(OBJ)/classifier/,base/% input/% rules/%),$(LIB_OBJECTS)))
ENGINE_OBJECTS := $(OBJ)/$(ENGINE_MAKE:.c=.o) $(OBJ)/taxonomy_data.o \
	$(OBJ)/taxonomy_image.o $(filter-out %/engine.o,$(filter \
	$(addprefix $(OBJ)/classifier/,base/% input/% rules/% diagnose/%), \
	$(LIB_OBJECTS)))
TEST_OBJECTS := $(TESTS:%.c=$(OBJ)/%.o)
TEST_PROGRAMS := $(TESTS:%.c=$(BUILD)/%)
# The fuzz targets: with a main that runs files, and with libFuzzer.
FUZZ_OBJECTS := $(patsubst %.c,$(OBJ)/%.o,$(wildcard tests/fuzz/*.c))
FUZZ_REPLAY := $(BUILD)/tests/fuzz/replay
FUZZER := $(BUILD)/tests/fuzz/libfuzzer
# What `make bench` measures with, one source file each.
BENCH_PROGRAMS := $(patsubst tests/bench/%.c,$(BUILD)/bench/%, \
	$(sort $(wildcard tests/bench/*.c)))
# Preloaded by the tests of faults; never sanitized.
INJECT := $(BUILD)/tests/faults/inject.so
PROGRAM := $(BUILD)/jobtriage
LIBRARY := $(BUILD)/libjobtriage.a

# ---- how it is built -----------------------------------------------------
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wformat-security \
	-Wdate-time
# A sanitizer replaces the hardening: both watch the same places.
ifdef SANITIZE
GUARDS := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
GUARDS_LD := -fsanitize=$(SANITIZE)
else
GUARDS := -fstack-protector-strong -fstack-clash-protection \
	$(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),-fcf-protection) \
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fPIE
GUARDS_LD := -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code
# Not with sanitizers: what they add to the code brings false warnings.
ifneq ($(filter 1 true,$(WERROR) $(CI)),)
WARNINGS += -Werror
endif
endif

# The parts that a quick test leaves out.
HEAVY := $(if $(filter 1 true,$(CI) $(ALL)),heavy)

# Goals that compile nothing work before the libraries are there.
INDEPENDENT := asan bench check-lint clang clean corpus deb demo deps format \
	fuzz help lint-% reproducible test tsan uninstall
ifneq ($(filter-out $(INDEPENDENT),$(or $(MAKECMDGOALS),all)),)
LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBRARIES) $(NOT_LINKED) \
	2>/dev/null || echo missing)
ifneq ($(filter missing,$(LIB_CFLAGS)),)
$(error missing libraries or pkg-config: run 'make deps' (needs: \
$(LIBRARIES) $(NOT_LINKED)))
endif
# Without libm, which would be loaded at each start: base/number.h.
LIB_LIBS := -Wl,--as-needed $(shell $(PKG_CONFIG) --libs $(LIBRARIES))
TEST_LIBS := $(shell $(PKG_CONFIG) --libs cmocka sqlite3 zlib 2>/dev/null)
endif
ifneq ($(filter check tests,$(MAKECMDGOALS)),)
ifeq ($(TEST_LIBS),)
$(error missing cmocka: run 'sh tests/deps.sh build test')
endif
endif

# The same source gives the same bytes, wherever it lies.
COMPILE := $(CC) -std=c11 -D_POSIX_C_SOURCE=200809L \
	-ffile-prefix-map=$(abspath $(BUILD))=build -ffile-prefix-map=$(BUILD)=build \
	-ffile-prefix-map=$(CURDIR)=. \
	-DJOBTRIAGE_VERSION=\"$(VERSION)\" -Iclassifier -I. $(CPPFLAGS) \
	$(CFLAGS) $(WARNINGS) $(GUARDS) $(LIB_CFLAGS) -pthread
LINK := $(CC) $(CFLAGS) $(GUARDS) $(GUARDS_LD) $(LDFLAGS) -pthread

# One short line a command; V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),@:,@echo '  $(1)')

# As many jobs as processors, unless the caller has said how many.
JOBS = $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc))

.PHONY: all asan check check-lint clang clean corpus deb demo deps FORCE format \
	help install reproducible sbom test tests tsan uninstall valgrind
.DELETE_ON_ERROR:
.SUFFIXES:

all: $(PROGRAM)
tests: $(TEST_PROGRAMS) $(FUZZ_REPLAY) $(BENCH_PROGRAMS) $(INJECT)

# ---- stamps: files that change when a command or a list changes ----------
# $(call stamp,FILE,TEXT). $(file <) drops the line end that printf adds.
define stamp
ifneq ($$(strip $$(file <$(1))),$$(strip $(2)))
$(1): FORCE
endif
$(1):
	@mkdir -p $$(@D)
	@printf '%s\n' '$$(strip $(2))' >$$@
endef
$(eval $(call stamp,$(BUILD)/compile.stamp,$(COMPILE)))
$(eval $(call stamp,$(BUILD)/link.stamp,$(LINK) $(LIB_LIBS)))
$(eval $(call stamp,$(BUILD)/objects.stamp,$(LIB_OBJECTS)))
$(eval $(call stamp,$(BUILD)/rules.stamp,$(RULES)))

# ---- rules ---------------------------------------------------------------
$(PROGRAM): $(MAIN_OBJECT) $(LIBRARY) $(BUILD)/link.stamp
	$(call say,LD    $@)
	$(Q)$(LINK) -o $@ $(MAIN_OBJECT) $(LIBRARY) $(LIB_LIBS)

# q, not r: files of the same name in two folders are two members.
$(LIBRARY): $(LIB_OBJECTS) $(BUILD)/objects.stamp
	$(call say,AR    $@)
	@rm -f $@
	$(Q)$(AR) qcs $@ $(LIB_OBJECTS)

$(OBJ)/%.o: %.c $(BUILD)/compile.stamp
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(MADE_OBJECTS): $(OBJ)/%.o: $(BUILD)/%.c $(BUILD)/compile.stamp
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(BUILD)/taxonomy_data.c: classifier/rules/embed.sh $(RULES) \
		$(BUILD)/rules.stamp
	$(call say,EMBED $@)
	$(Q)sh classifier/rules/embed.sh $@ $(RULES)

$(BUILD)/taxonomy_image_make: $(IMAGE_OBJECTS) $(BUILD)/link.stamp
	$(call say,LD    $@)
	$(Q)$(LINK) -o $@ $(IMAGE_OBJECTS) $(LIB_LIBS)

$(BUILD)/engine_image_make: $(ENGINE_OBJECTS) $(BUILD)/link.stamp
	$(call say,LD    $@)
	$(Q)$(LINK) -o $@ $(ENGINE_OBJECTS) $(LIB_LIBS)

$(BUILD)/%_image.c: $(BUILD)/%_image_make
	$(call say,IMAGE $@)
	$(Q)$< >$@

ASSET_FILES := $(foreach a,$(ASSETS),$(lastword $(subst =, ,$(a))))
$(CHART_JS):
	$(error $@ is missing: run 'make deps')

$(BUILD)/assets_data.c: reports/embed.sh $(ASSET_FILES)
	@mkdir -p $(@D)
	$(call say,EMBED $@)
	$(Q)sh reports/embed.sh $@ $(ASSETS)

$(TEST_PROGRAMS): $(BUILD)/%: $(OBJ)/%.o $(LIBRARY) $(BUILD)/link.stamp
	@mkdir -p $(@D)
	$(call say,LD    $@)
	$(Q)$(LINK) -o $@ $< $(LIBRARY) $(LIB_LIBS) $(TEST_LIBS) -lm

$(INJECT): tests/faults/inject.c $(BUILD)/compile.stamp
	@mkdir -p $(@D)
	$(call say,LD    $@)
	$(Q)$(CC) -std=c11 $(WARNINGS) -O2 -g -fPIC -shared -o $@ $<

$(FUZZ_REPLAY): $(filter-out %/libfuzzer.o,$(FUZZ_OBJECTS))
$(FUZZER): $(filter-out %/replay.o,$(FUZZ_OBJECTS))
$(FUZZER): LINK += -fsanitize=fuzzer
# The way through what only checks is of no interest.
ifneq ($(findstring fuzzer,$(SANITIZE)),)
$(FUZZ_OBJECTS): COMPILE += -fno-sanitize=fuzzer-no-link
endif
$(FUZZ_REPLAY) $(FUZZER): $(LIBRARY) $(BUILD)/link.stamp
	@mkdir -p $(@D)
	$(call say,LD    $@)
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(LIBRARY) $(LIB_LIBS)

# libarchive alone, the others with nothing: their start is measured, too.
$(BUILD)/bench/speed_archive: BENCH_LIBS = $(shell $(PKG_CONFIG) --libs \
	libarchive)
# The store's own interface.
$(BUILD)/bench/store_rows: BENCH_LIBS = $(LIBRARY) $(LIB_LIBS)
$(BUILD)/bench/store_rows: $(LIBRARY)
$(BENCH_PROGRAMS): $(BUILD)/bench/%: $(OBJ)/tests/bench/%.o \
		$(BUILD)/link.stamp
	@mkdir -p $(@D)
	$(call say,LD    $@)
	$(Q)$(LINK) -o $@ $< $(BENCH_LIBS)

-include $(BENCH_PROGRAMS:$(BUILD)/%=$(OBJ)/tests/%.d)
-include $(MAIN_OBJECT:.o=.d) $(LIB_OBJECTS:.o=.d) \
	$(IMAGE_OBJECTS:.o=.d) $(ENGINE_OBJECTS:.o=.d) \
	$(TEST_OBJECTS:.o=.d) $(FUZZ_OBJECTS:.o=.d)

# ---- what people run -----------------------------------------------------
help:
	@echo 'all         build $(PROGRAM)'
	@echo 'deps        install what the build needs'
	@echo 'demo        install, build, diagnose the corpus as it is and packed'
	@echo 'test        install what the tests need, build, run every test'
	@echo 'check       run every test, install nothing'
	@echo 'check-lint  formatting, static analysis, layers, man page, scripts'
	@echo 'format      put all C sources into the house style'
	@echo 'asan        every test under the address and UB sanitizers'
	@echo 'tsan        the tests with threads under the thread sanitizer'
	@echo 'valgrind    the corpus under valgrind'
	@echo 'reproducible  build twice in two folders, compare the bytes'
	@echo 'sbom        what the program consists of, as CycloneDX JSON'
	@echo 'clang       build all with clang, warnings are errors'
	@echo 'bench       speed beside other tools; SIZE=MiB ROUNDS= PARTS= OUT=FILE'
	@echo 'bench-accuracy  against simple classifiers; DIRS=...: other logs'
	@echo 'bench-around  what moves an answer around a log: LOGS=DIR'
	@echo 'bench-month  a month of 50,000 jobs: scan, store, reports'
	@echo 'bench-real  what real logs cost: LOGS=DIR'
	@echo 'bench-store  stores of millions: inserts, reports, prune; PARTS= ROWS='
	@echo 'model       a night of a million jobs, by measured figures; MEASURE=1 anew'
	@echo 'check-good  no log of LOGS=DIR, of jobs that ended well, is called failed'
	@echo 'check-traces  totals of public job records in TRACES=DIR'
	@echo 'kills       KILLS=200 writers of a PostgreSQL killed: nothing is lost'
	@echo 'million     a million logs in a folder; FILES= others, TMPDIR= where'
	@echo 'fuzz        SECONDS=60 of libFuzzer a target; TARGETS="archive ..."'
	@echo 'rarity      count LOGS=DIR... (the corpus) anew for the filter'
	@echo 'corpus      make the logs of the corpus again'
	@echo "deb         Debian packages in build/deb; MAINTAINER='Name <address>'"
	@echo 'install     under $$(DESTDIR)$$(PREFIX); uninstall removes it'
	@echo 'clean       remove build*/'

deps:
	@sh tests/deps.sh build

# Logs of jobs that ended well, in LOGS='DIR...': none may be called failed.
.PHONY: check-good
check-good: all
	@[ -n '$(LOGS)' ] || \
	    { echo 'check-good: LOGS=DIR is missing' >&2; exit 2; }
	@python3 tests/accuracy/good.py $(PROGRAM) $(LOGS)

# DIRS='DIR...' names other labelled logs than the corpus.
# A generated month through a store and into every report; PART='NIGHTS JOBS'.
.PHONY: bench-month
bench-month: all
	@BUILD=$(BUILD) sh tests/bench/month.sh $(PART)

# Inserts, reports and pruning of large stores; PARTS=, ROWS= and others as in
# tests/bench/store.py. Minutes, and 25 GB below TMPDIR.
.PHONY: bench-store
bench-store: all $(BUILD)/bench/store_rows
	@BUILD=$(BUILD) python3 -B tests/bench/store.py

# The night of a cluster, by figures measured and storage assumed: JOBS=, TB=,
# SHARDS=, NFS= and others as in tests/bench/model.py. MEASURE=1: figures anew.
.PHONY: model
model: $(if $(MEASURE),all $(BUILD)/bench/speed_make)
	@BUILD=$(BUILD) python3 -B tests/bench/model.py

# How often four bytes stand in real logs: the table that the filter chooses
# by. It lies in git; LOGS='DIR...' names the logs that it is made from.
.PHONY: rarity
rarity: $(BUILD)/rarity_make $(BUILD)/bench/speed_make
	@$(BUILD)/bench/speed_make log $(BUILD)/rarity.log 8388608 7
	@find $(or $(LOGS),corpus $(BUILD)/rarity.log) -type f | LC_ALL=C sort | \
	    tr '\n' '\0' | xargs -0 cat | $< '$(or $(LOGS),the corpus and 8 MiB \
	    of the benchmark)' >$(BUILD)/rarity_table.c
	@mv $(BUILD)/rarity_table.c $(RARITY_MAKE:make.c=table.c)

$(BUILD)/rarity_make: $(OBJ)/$(RARITY_MAKE:.c=.o) $(BUILD)/link.stamp
	$(call say,LD    $@)
	$(Q)$(LINK) -o $@ $<

# Totals over public job records, which are not part of the project.
.PHONY: check-traces
check-traces: all
	@python3 tests/bench/traces.py $(PROGRAM) \
	    $(or $(TRACES),$(error TRACES=DIR names the folder that holds them))

# Speed. PARTS='plain archives growth shapes hostile gate' chooses; tests/bench/README.md
# tells of the rest.
.PHONY: bench
bench:
	@sh tests/deps.sh build bench
	@$(MAKE) --no-print-directory $(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) SIZE='$(SIZE)' ROUNDS='$(ROUNDS)' PARTS='$(PARTS)' \
	    OUT='$(OUT)' SEED='$(SEED)' FAILED='$(FAILED)' LIMIT='$(LIMIT)' \
	    sh tests/bench/speed.sh

# What real logs cost, by file and by kind: tests/bench/README.md
.PHONY: bench-real
bench-real: all
	@test -n '$(LOGS)' || { echo 'make bench-real LOGS=DIR' >&2; exit 2; }
	@BUILD=$(BUILD) python3 -B tests/bench/real.py \
	    $(if $(ROUNDS),--rounds $(ROUNDS)) '$(LOGS)'

# How well groups of unnamed failures tell kinds apart, on labelled logs.
.PHONY: bench-groups
bench-groups: all
	@test -n '$(LOGS)' || { echo 'make bench-groups LOGS=DIR' >&2; exit 2; }
	@python3 -B tests/accuracy/groups.py $(PROGRAM) $(LOGS)
	@python3 -B tests/accuracy/drafts.py $(PROGRAM) $(LOGS)

# What moves an answer though it stands only around a job's output.
.PHONY: bench-around
bench-around: all
	@test -n '$(LOGS)' || { echo 'make bench-around LOGS=DIR' >&2; exit 2; }
	@python3 -B tests/accuracy/around.py $(PROGRAM) $(LOGS)

.PHONY: bench-accuracy
bench-accuracy: all
	@BUILD=$(BUILD) DIRS='$(DIRS)' sh tests/bench/accuracy.sh

demo:
	@sh tests/deps.sh build demo
	@$(MAKE) --no-print-directory $(JOBS) all
	@sh tests/demo.sh $(PROGRAM) $(BUILD)/demo

test:
	@sh tests/deps.sh build test $(HEAVY)
	@$(MAKE) --no-print-directory $(JOBS) all tests
	@BUILD=$(BUILD) ALL=$(ALL) tests/run

check: all tests
	@BUILD=$(BUILD) SANITIZE=$(SANITIZE) ALL=$(ALL) tests/run

asan:
	@$(MAKE) --no-print-directory $(JOBS) BUILD=build-asan \
	    SANITIZE=address,undefined check

# Those tests that start threads.
tsan:
	@$(MAKE) --no-print-directory $(JOBS) BUILD=build-tsan \
	    SANITIZE=thread all tests
	@BUILD=build-tsan SANITIZE=thread tests/run \
	    $(or $(WORDS),pool ahead scan_pipe triage unit_queue live store \
	    cli/scan cli/inputs)

valgrind: all
	@BUILD=$(BUILD) sh tests/valgrind.sh

# Minutes: writers killed, a server that starts anew, connections cut.
.PHONY: kills
kills: all
	@work=$$(mktemp -d) && TOP=$(CURDIR) JOBTRIAGE=$(abspath $(PROGRAM)) \
	    TMPDIR=$$work PYTHON=$${PYTHON:-/usr/bin/python3} \
	    KILLS=$(or $(KILLS),200) \
	    sh tests/integration/postgres/kills.sh; \
	    status=$$?; rm -rf "$$work"; exit $$status

# Too much for every day: 4 GiB and a million inodes, some minutes.
.PHONY: million
million: all
	@python3 tests/faults/many.py $(PROGRAM) $(or $(FILES),1000000)

reproducible:
	@sh tests/reproducible.sh

sbom: $(BUILD)/jobtriage.cdx.json
	@echo '  $<'

$(BUILD)/jobtriage.cdx.json: tests/sbom.sh Makefile
	@mkdir -p $(@D)
	@sh tests/sbom.sh $(VERSION) $(LIBRARIES) $(NOT_LINKED) >$@

clang:
	@$(MAKE) --no-print-directory $(JOBS) BUILD=build-clang CC=clang \
	    WERROR=1 all tests

# Every target for so many seconds; CORPUS=DIR keeps what it learns.
.PHONY: fuzz
fuzz:
	@sh tests/deps.sh build fuzz
	@$(MAKE) --no-print-directory $(JOBS) BUILD=build-fuzz CC=clang \
	    SANITIZE=fuzzer-no-link,address,undefined all \
	    build-fuzz/tests/fuzz/libfuzzer
	@BUILD=build-fuzz SECONDS_EACH=$(SECONDS) sh tests/fuzz/run.sh $(TARGETS)

# Each tool is a goal of its own, so that make -k shows all they have to say.
LINTS := lint-format lint-tidy lint-cppcheck lint-analyzer lint-layers lint-man \
	lint-scripts
.PHONY: $(LINTS)
check-lint: $(LINTS)

# The one header that does not lie where the compiler looks by itself.
LINT_CFLAGS = $(shell $(PKG_CONFIG) --cflags libpq)

lint-format:
	@echo 'clang-format: $(words $(FORMATTED)) files'
	@$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED)

# A file at a time; two at once is what a small machine has.
lint-tidy:
	@echo 'clang-tidy: $(words $(SOURCES)) files'
	@printf '%s\n' $(SOURCES) | xargs -P 2 -n 1 sh -c \
	    'out=$$($(CLANG_TIDY) --quiet "$$0" -- -std=c11 \
	    -D_POSIX_C_SOURCE=200809L -DJOBTRIAGE_VERSION=\"$(VERSION)\" \
	    -Iclassifier -I. $(LINT_CFLAGS) 2>&1) || { printf "%s\n" "$$out"; exit 1; }'

lint-cppcheck:
	@echo 'cppcheck'
	@cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr -j 2 \
	    --enable=warning,performance,portability \
	    --suppress=missingIncludeSystem -Iclassifier -I. \
	    classifier reports

# gcc's own. Its leak check takes what a struct or a callee keeps for lost;
# leaks are what the runs under sanitizers and valgrind look for.
lint-analyzer:
	@echo 'gcc -fanalyzer: $(words $(SOURCES)) files'
	@printf '%s\n' $(SOURCES) | xargs -P 2 -n 1 sh -c \
	    'gcc -std=c11 -D_POSIX_C_SOURCE=200809L \
	    -DJOBTRIAGE_VERSION=\"$(VERSION)\" -Iclassifier -I. \
	    $(LINT_CFLAGS) -O2 -fanalyzer \
	    -Wno-analyzer-malloc-leak -Werror -c -o /dev/null "$$0"'

lint-layers:
	@echo 'layers and sizes'
	@sh tests/check_layers.sh

lint-man:
	@echo 'mandoc'
	@mandoc -T lint -W warning man/*.[1-9]

lint-scripts:
	@echo 'sh -n: $(words $(SCRIPTS)) scripts'
	@set -e; for f in $(SCRIPTS); do sh -n "$$f"; done; bash -n .ci/run

format:
	$(CLANG_FORMAT) -i $(FORMATTED)

corpus:
	sh corpus/make.sh

SHARE = $(DESTDIR)$(PREFIX)/share
BASH_COMPLETION = $(SHARE)/bash-completion/completions/jobtriage
ZSH_COMPLETION = $(SHARE)/zsh/site-functions/_jobtriage
FISH_COMPLETION = $(SHARE)/fish/vendor_completions.d/jobtriage.fish
COMPLETIONS = $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
install: all sbom
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/sbin \
	    $(SHARE)/man/man1 $(SHARE)/man/man7 $(SHARE)/man/man8 $(SHARE)/doc/jobtriage $(SHARE)/jobtriage \
	    $(DESTDIR)$(PREFIX)/libexec/jobtriage
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/jobtriage
	install -m 644 $(wildcard man/*.1) $(SHARE)/man/man1
	install -m 644 $(wildcard man/*.7) $(SHARE)/man/man7
	install -m 644 $(wildcard man/*.8) $(SHARE)/man/man8
	install -m 755 reports/nightly/jobtriage-nightly \
	    $(DESTDIR)$(PREFIX)/bin/jobtriage-nightly
	install -m 755 classifier/recipes/jobtriage-retry \
	    $(DESTDIR)$(PREFIX)/bin/jobtriage-retry
	install -m 755 classifier/slurm/jobtriage-epilogslurmctld \
	    $(DESTDIR)$(PREFIX)/libexec/jobtriage/epilogslurmctld
	install -m 644 $(wildcard classifier/slurm/*.sh) \
	    $(DESTDIR)$(PREFIX)/libexec/jobtriage
	ln -sf ../libexec/jobtriage/epilogslurmctld \
	    $(DESTDIR)$(PREFIX)/sbin/jobtriage-epilogslurmctld
	install -d $(SHARE)/jobtriage/nightly $(SHARE)/jobtriage/recipes \
	    $(SHARE)/jobtriage/slurm $(SHARE)/jobtriage/store
	install -m 644 reports/store/postgres_roles.sql \
	    $(SHARE)/jobtriage/store
	install -D -m 644 reports/grafana/jobtriage.json \
	    $(SHARE)/jobtriage/grafana/jobtriage.json
	install -m 644 $(wildcard classifier/recipes/*) \
	    $(SHARE)/jobtriage/recipes
	install -m 644 classifier/slurm/gate.conf $(SHARE)/jobtriage/slurm
	install -m 644 $(filter-out %/jobtriage-nightly, \
	    $(wildcard reports/nightly/*)) $(SHARE)/jobtriage/nightly
	sed -i 's,/usr/local/bin,$(PREFIX)/bin,' $(SHARE)/jobtriage/nightly/*
	install -m 644 LICENSE $(wildcard README.md CHANGELOG.md HACKING.md SECURITY.md \
	    reports/*.schema.json) $(BUILD)/jobtriage.cdx.json \
	    $(SHARE)/doc/jobtriage
	install -d $(dir $(COMPLETIONS))
	JOBTRIAGE_CONFIG= $(PROGRAM) completion bash -o $(BASH_COMPLETION)
	JOBTRIAGE_CONFIG= $(PROGRAM) completion zsh -o $(ZSH_COMPLETION)
	JOBTRIAGE_CONFIG= $(PROGRAM) completion fish -o $(FISH_COMPLETION)
	chmod 644 $(COMPLETIONS)
	rm -rf $(SHARE)/jobtriage/taxonomy
	set -e; for f in taxonomy/README.md $(RULES); do \
	    install -D -m 644 "$$f" "$(SHARE)/jobtriage/$$f"; done

uninstall:
	rm -f $(COMPLETIONS) \
	    $(DESTDIR)$(PREFIX)/bin/jobtriage \
	    $(DESTDIR)$(PREFIX)/bin/jobtriage-nightly \
	    $(DESTDIR)$(PREFIX)/bin/jobtriage-retry \
	    $(DESTDIR)$(PREFIX)/sbin/jobtriage-epilogslurmctld \
	    $(patsubst man/%,$(SHARE)/man/man8/%,$(wildcard man/*.8)) \
	    $(patsubst man/%,$(SHARE)/man/man1/%,$(wildcard man/*.1)) \
	    $(patsubst man/%,$(SHARE)/man/man7/%,$(wildcard man/*.7))
	rm -rf $(DESTDIR)$(PREFIX)/libexec/jobtriage $(SHARE)/jobtriage \
	    $(SHARE)/doc/jobtriage

deb:
	@sh tests/deps.sh build deb
	@$(MAKE) --no-print-directory $(JOBS) all sbom
	@MAINTAINER='$(MAINTAINER)' sh classifier/packaging/deb.sh $(BUILD) \
	    $(VERSION)

clean:
	rm -rf build build-asan build-clang build-tsan build-fuzz
