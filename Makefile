# Thin doors to CMake and the scripts; `make help` lists them.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc)
# no: the release is optimised without a profile of what it does most; that lasts until yes.
TRAIN ?= $(if $(shell grep -sx 'MCPGATE_PROFILE:PATH=' build/release/CMakeCache.txt),no,yes)

# CMake's presets leave the generator open: Ninja where it is there.
export CMAKE_GENERATOR ?= $(if $(shell command -v ninja),Ninja,Unix Makefiles)

build = cmake --preset $(1) $(2) >/dev/null && cmake --build --preset $(1) -j $(JOBS)

# The profile is made once for a compiler, by a build that counts what it does.
# It may become older than the sources: what has changed is compiled as without it.
train = cmake -E rm -rf build/training/profile && $(call build,training) && \
	scripts/train build/training/bin/mcpgate && \
	$(CC) -dumpfullversion >build/training/profile/compiler && \
	cmake -E rm -rf build/profile && mv build/training/profile build/profile
is_trained = $(CC) -dumpfullversion | cmp -s - build/profile/compiler
ifeq ($(TRAIN),no)
release = $(call build,release,-DMCPGATE_PROFILE=)
else
release = { $(is_trained) || { $(train); } || \
	echo 'make: there was no training; the release is built without'; } && $(call build,release)
endif

.PHONY: all help run serve soak test test-setup bench fuzz coverage format lint install train clean

all: ## build the release into build/release/bin
	@scripts/setup build
	@$(release)

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

run: all ## build, then try server and commands on the demo documents
	@scripts/demo build/release/bin/mcpgate

serve: all ## build, then serve the demo documents on the socket build/mcp.sock
	@scripts/serve build/release/bin/mcpgate build/mcp.sock

soak: all ## the long forms of the process tests, an hour of everything at once among them
	@SOAK=1 E2E_SECONDS=7200 tests/run_e2e build/release

test: ## build and run all tests
	@scripts/setup test
	@$(release)
	@tests/run build/release

test-setup: ## install and test in a bare Debian (root, network)
	@tests/setup/bare_root.sh

bench: all ## measure the reader, beside its peers where they are at hand
	@scripts/bench

fuzz: ## run every fuzz target FUZZ_SECONDS (60) each
	@scripts/setup dev
	@$(call build,fuzz)
	@scripts/fuzz build/fuzz $(FUZZ_SECONDS)

coverage: ## line and branch coverage; fails below 95 % and 90 % of libjsv and rpc, 85 % and 75 % of the rest
	@scripts/setup dev
	@$(call build,cov)
	@scripts/coverage build/cov

format: ## rewrite all C files in the house style
	@find include src tests fuzz examples -name '*.[ch]' | xargs clang-format -i

lint: ## check layers, format, banned functions, symbols, words
	@scripts/setup dev
	@$(release)
	@tests/lint/run build/release

install: all ## install below DESTDIR/PREFIX (/usr/local)
	@DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)

train: ## make the profile anew that the release is optimised by (TRAIN=no builds without one)
	@scripts/setup build
	@$(train)

clean: ## remove the build tree
	@cmake -E rm -rf build
