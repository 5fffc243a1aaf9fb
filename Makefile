# A short name for each script; `make help` lists them.
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
PORT ?=

.PHONY: all help trained train run serve test lint test-setup soak bench fuzz coverage release-check format install clean

all: ## build all programs into build/release/bin
	@scripts/setup build
	@scripts/build release

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

run: ## build mcpgate and show what it does; on a terminal, serve the demo over HTTP afterwards
	@scripts/setup build
	@scripts/build release mcpgate
	@scripts/demo build/release/bin/mcpgate

serve: ## build mcpgate and serve the demo over HTTP (PORT=8787)
	@scripts/setup build
	@scripts/build release mcpgate
	@scripts/serve build/release/bin/mcpgate $(PORT)

test: ## build everything and run all tests (about 3 minutes on two cores)
	@scripts/setup test
	@scripts/build release
	@tests/run build/release

trained: ## build all programs as for a release, optimised with a profile
	@scripts/setup build
	@scripts/build trained

train: ## as trained, with a new profile
	@cmake -E rm -rf build/profile
	@$(MAKE) --no-print-directory trained

install: all ## install what is in build/release below DESTDIR/PREFIX (/usr/local)
	@DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX)

bench: trained ## measure the reader, and other readers if they are installed
	@scripts/bench

lint: ## check layers, format, banned functions, symbols, words, links
	@scripts/setup dev
	@scripts/build release
	@tests/lint/run build/release

coverage: ## line and branch coverage; fails below 95 % and 90 % of libjsv and rpc, 85 % and 75 % of the rest
	@scripts/setup dev
	@scripts/build cov
	@scripts/coverage build/cov

fuzz: ## run every fuzz target FUZZ_SECONDS (60) each
	@scripts/setup dev
	@scripts/build fuzz
	@scripts/fuzz build/fuzz $(FUZZ_SECONDS)

soak: ## the long forms of the end-to-end tests, an hour of mixed load among them
	@scripts/setup test
	@scripts/build release
	@SOAK=1 E2E_SECONDS=7200 tests/run_e2e build/release

test-setup: ## install and test in a bare Debian (root, network)
	@tests/setup/bare_root.sh

release-check: ## checks before a release that take hours (CONTRIBUTING.md)
	@.ci/release-check

format: ## format all C files with clang-format
	@find include src tests fuzz examples -name '*.[ch]' | xargs clang-format -i

clean: ## remove the build tree
	@cmake -E rm -rf build
