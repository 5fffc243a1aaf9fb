# Thin doors to CMake and the scripts; `make help` lists them.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc)

# CMake's presets leave the generator open: Ninja where it is there.
export CMAKE_GENERATOR ?= $(if $(shell command -v ninja),Ninja,Unix Makefiles)

build = cmake --preset $(1) >/dev/null && cmake --build --preset $(1) -j $(JOBS)

.PHONY: all help run serve soak test test-setup bench fuzz coverage format lint install clean

all: ## build the release into build/release/bin
	@scripts/setup build
	@$(call build,release)

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
	@$(call build,release)
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
	@$(call build,release)
	@tests/lint/run build/release

install: all ## install below DESTDIR/PREFIX (/usr/local)
	@DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)

clean: ## remove the build tree
	@cmake -E rm -rf build
