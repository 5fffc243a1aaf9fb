# Functions of .ci/run and .ci/release-check; sourced from the project's root, not run.
. scripts/tally.sh

# step NAME COMMAND...: print a heading, run the command, print its time
step() {
    local name=$1 start=$SECONDS
    shift
    printf '\n==== %s\n' "$name"
    "$@"
    printf '==== %s: %d s\n' "$name" $((SECONDS - start))
}

# built_then PRESET SUITE...: build without warnings, then run a suite on it
built_then() {
    tally_check "build $1, no warnings" scripts/build --werror "$1"
    tally_suite "$1: ${*:2}" "${@:2}"
}

# information COMMAND...: run and show, but do not count
information() {
    "$@" || echo "(exit $?; for information only)"
}

# npm_packages: install what some tests use
npm_packages() {
    local directory
    for directory in tests/differential tests/e2e; do
        information npm ci --prefix "$directory" --no-audit --no-fund
    done
}

# The last lines of a script of steps.
end_of_steps() {
    printf '\n==== all: %d s\n' "$SECONDS"
    tally_end
}
