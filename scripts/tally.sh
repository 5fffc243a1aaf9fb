# Count the outcomes of checks; sourced by other scripts, not run.
#
# A check is a command: exit 0 passed, exit 77 skipped, anything else failed. A
# suite is a command that runs several checks and ends with the line "N passed, M
# failed, K skipped", which is added to the total. For each check it skips, it
# prints a line "skip  NAME: WHY".

# A shell function is stopped by its first failing command, as a script under
# `set -e` is. That is why "$@" is not followed by "||": the shell would switch
# `set -e` off inside.

tally_passed=0
tally_failed=0
tally_skipped=0
tally_skips=() # what was skipped, and why: as many as tally_skipped

# tally_check NAME COMMAND...: what a check prints is shown unless it passed.
tally_check() {
    local name=$1 output status
    shift
    set +e
    output=$(set -e; "$@" 2>&1)
    status=$?
    set -e
    case $status in
    0)
        tally_passed=$((tally_passed + 1))
        printf 'ok    %s\n' "$name"
        ;;
    77)
        tally_skipped=$((tally_skipped + 1))
        output=${output%%$'\n'*}
        tally_skips+=("$name: ${output#skipped: }")
        printf 'skip  %s: %s\n' "$name" "${output#skipped: }"
        ;;
    *)
        tally_failed=$((tally_failed + 1))
        printf 'FAIL  %s (exit %d)\n%s\n' "$name" "$status" "$output"
        ;;
    esac
}

# tally_suite NAME COMMAND...: a suite that ends without a tally, or fails
# without saying what failed, counts as one failure.
tally_suite() {
    local name=$1 log status tally skip
    local form='^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$'
    shift
    log=$(mktemp)
    set +e
    (set -e; export TALLY_INNER=1; "$@") 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    set -e
    tally=$(grep -E "$form" "$log" | tail -n 1 || true)
    while IFS= read -r skip; do
        tally_skips+=("$name: $skip")
    done < <(sed -n 's/^skip  //p' "$log")
    rm -f "$log"
    if [[ $tally =~ $form ]]; then
        tally_passed=$((tally_passed + BASH_REMATCH[1]))
        tally_failed=$((tally_failed + BASH_REMATCH[2]))
        tally_skipped=$((tally_skipped + BASH_REMATCH[3]))
        if ((status == 0 || BASH_REMATCH[2] > 0)); then
            return
        fi
    fi
    tally_failed=$((tally_failed + 1))
    printf 'FAIL  %s (exit %d)\n' "$name" "$status"
}

# tally_nothing WHY: the output of a suite that cannot run on this machine.
tally_nothing() {
    echo "skip  $*"
    echo '0 passed, 0 failed, 1 skipped'
}

# Print the last line of a suite; the outermost suite also lists what was skipped.
# Fails if a check failed, or if none ran.
tally_end() {
    if [[ -z ${TALLY_INNER-} ]] && ((${#tally_skips[@]} > 0)); then
        printf 'Not run:\n'
        printf '  %s\n' "${tally_skips[@]}"
    fi
    printf '%d passed, %d failed, %d skipped\n' "$tally_passed" "$tally_failed" "$tally_skipped"
    ((tally_failed == 0 && tally_passed > 0))
}
