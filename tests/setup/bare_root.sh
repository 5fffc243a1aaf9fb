#!/usr/bin/env bash
# Run `make run` and `make test` in minimal Debians, made with mmdebstrap, that have
# only make and a copy of the project. The commands must install everything else.
#   tests/setup/bare_root.sh         as root without Node.js; as a user with sudo
#                                    and Debian's Node.js; as a user without sudo
#   tests/setup/bare_root.sh --all   root and user, each with and without Node.js
# KEEP=FILE appends the commands' output and times to FILE.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/tally.sh
cpu_max_s=90 # of `make run` when the packages are there

skip() {
    tally_nothing "$*"
    exit 0
}

((EUID == 0)) || skip 'bare Debian: needs root'
command -v mmdebstrap >/dev/null || skip 'bare Debian: mmdebstrap is missing (scripts/setup dev)'
apt-get -qq -o APT::Update::Error-Mode=any update >/dev/null 2>&1 ||
    skip 'bare Debian: the package archive does not answer'

work=$(mktemp -d)
base=$work/base bare=$work/root
unmount() {
    local place
    for place in proc dev/pts; do
        ! mountpoint -q "$bare/$place" || umount -l "$bare/$place"
    done
}
cleanup() {
    unmount
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT

# It gets its packages as this machine does: same archive, same proxy, same rules of
# validity.
make_base() {
    local sources options=() option
    mapfile -t sources < <(
        find /etc/apt -maxdepth 2 -size +0 \( -name '*.list' -o -name '*.sources' \)
    )
    while IFS= read -r option; do
        options+=(--aptopt="$option")
    done < <(apt-config dump | grep -E '^Acquire::(http|https|Check-Valid-Until)[: ]')

    mmdebstrap --quiet --variant=minbase --include=make "${options[@]}" \
        bookworm "$base" "${sources[@]}"
    cp -L /etc/resolv.conf /etc/hosts "$base/etc/"
    mkdir "$base/mcpgate"
    tar -c --exclude=./.git --exclude=./build --exclude=node_modules . |
        tar -x -C "$base/mcpgate" --no-same-owner
}

# as USER COMMAND...: in the bare root, in the copy of the project
as() {
    local user=$1 home
    home=$(awk -F : -v user="$user" '$1 == user { print $6 }' "$bare/etc/passwd")
    shift
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" LC_ALL=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        chroot --userspec="$user" "$bare" env -C /mcpgate "$@"
}

# new_root USER [PACKAGE...]: a fresh copy of the base, its project owned by USER
new_root() {
    local user=$1
    shift
    unmount
    rm -rf --one-file-system "$bare"
    cp -a --reflink=auto "$base" "$bare"
    mkdir -p "$bare/dev/pts"
    mount -t proc proc "$bare/proc"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$bare/dev/pts"
    ln -sf pts/ptmx "$bare/dev/ptmx"
    if (($# > 0)); then
        as root sh -c "apt-get -qq update && apt-get -qq install -y --no-install-recommends $*"
    fi
    [[ $user != user ]] || as root useradd --create-home user
    [[ ! -d $bare/etc/sudoers.d ]] || echo 'user ALL=(ALL) NOPASSWD: ALL' >"$bare/etc/sudoers.d/user"
    as root chown -R "$user:" /mcpgate
}

# both_commands NAME USER [PACKAGE...]
both_commands() {
    local name=$1 user=$2
    tally_check "$name: a bare Debian" new_root "${@:2}"
    tally_check "$name: make run" shows_the_job kept "$name" as "$user" make --no-print-directory run
    tally_suite "$name: make test" kept "$name" as "$user" make --no-print-directory test
}

# kept NAME COMMAND...: its output, and a copy in the file KEEP
kept() {
    local TIMEFORMAT="(%R s, %U + %S s of CPU time)" file=${KEEP:-/dev/null}
    printf '\n==== %s: %s\n' "$1" "${*:4}" >>"$file"
    { time "${@:2}" 2>&1 | tee -a "$file"; } 2>>"$file"
}

# shows_the_job COMMAND...: a tool is called, a message refused, the page named
shows_the_job() {
    local output text
    output=$("$@" 2>&1) || { echo "$output"; return 1; }
    for text in '"words":4' '"validationPath":"/params/name"' http://127.0.0.1:8787/; do
        [[ $output == *"$text"* ]] || { echo "no $text in: $output"; return 1; }
    done
}

# Without sudo, `make run` prints the command to run as root; with it, everything is installed.
line_for_root() {
    local output line
    ! output=$(as user make --no-print-directory run 2>&1) || { echo "no failure: $output"; return 1; }
    line=$(sed -n 's/^ *\(apt-get update && .*\)/\1/p' <<<"$output")
    [[ -n $line ]] || { echo "no line for root: $output"; return 1; }
    as root sh -c "$line"
}

# quick COMMAND...: fails when it takes too much CPU time
quick() {
    local TIMEFORMAT='%U %S' took
    took=$({ time "$@" >"$work/log" 2>&1; } 2>&1) || { cat "$work/log"; return 1; }
    awk -v max="$cpu_max_s" '{ printf "%.0f s of CPU time\n", $1 + $2; exit $1 + $2 > max }' <<<"$took"
}

tally_check 'make a bare Debian' make_base
((tally_failed == 0)) || { tally_end; exit 1; }
both_commands 'root' root
both_commands 'user with sudo, Node.js' user sudo nodejs
if [[ ${1-} == --all ]]; then
    both_commands 'root, Node.js' root nodejs
    both_commands 'user with sudo' user sudo
fi
tally_check 'user without sudo: a bare Debian' new_root user
tally_check 'user without sudo: make run prints what root has to run' line_for_root
tally_check "make run takes at most $cpu_max_s s of CPU time" quick as user make --no-print-directory run
tally_end
