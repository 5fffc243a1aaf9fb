# What .ci/run and .ci/release-check share; sourced from the root of the project, not run.
. scripts/tally.sh

# step NAME COMMAND...: a heading, the command, its time.
step() {
    local name=$1 start=$SECONDS
    shift
    printf '\n==== %s\n' "$name"
    "$@"
    printf '==== %s: %d s\n' "$name" $((SECONDS - start))
}

# built_then PRESET SUITE...: a suite on a build that has no warnings
built_then() {
    tally_check "build $1, no warnings" scripts/build --werror "$1"
    tally_suite "$1: ${*:2}" "${@:2}"
}

# information COMMAND...: shown, never counted
information() {
    "$@" || echo "(exit $?; for information only)"
}

# second_opinions: npm packages that some tests use, where there is a lock file
second_opinions() {
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
