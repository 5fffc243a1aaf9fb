#!/usr/bin/env bash
# The two commands of the README on a machine that has nothing: a minimal
# Debian in a directory, made with mmdebstrap, with nothing added but make. A
# copy of the project goes in; `make run` and `make test` have to bring
# whatever else they need. Ends with the tally of that `make test`, plus one
# for `make run`.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/tally.sh

skip() {
    tally_nothing "$*"
    exit 0
}

((EUID == 0)) || skip 'needs root'
command -v mmdebstrap >/dev/null || skip 'mmdebstrap is missing (scripts/setup dev)'
apt-get -qq -o APT::Update::Error-Mode=any update >/dev/null 2>&1 ||
    skip 'the package archive does not answer'

work=$(mktemp -d)
bare=$work/root
cleanup() {
    ! mountpoint -q "$bare/proc" || umount -l "$bare/proc"
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT

# A bare root that gets its packages as this machine does: same archive, same
# proxy, same rules of validity.
make_bare_root() {
    local sources options=() option
    mapfile -t sources < <(
        find /etc/apt -maxdepth 2 -size +0 \( -name '*.list' -o -name '*.sources' \)
    )
    while IFS= read -r option; do
        options+=(--aptopt="$option")
    done < <(apt-config dump | grep -E '^Acquire::(http|https|Check-Valid-Until)[: ]')

    mmdebstrap --quiet --variant=minbase --include=make "${options[@]}" \
        bookworm "$bare" "${sources[@]}"
    cp -L /etc/resolv.conf /etc/hosts "$bare/etc/"
    mount -t proc proc "$bare/proc"
    mkdir "$bare/mcpgate"
    tar -c --exclude=./.git --exclude=./build . | tar -x -C "$bare/mcpgate" --no-same-owner
}

in_bare_root() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        chroot "$bare" "$@"
}

tally_check 'make a bare Debian' make_bare_root
if ((tally_failed == 0)); then
    tally_check 'bare Debian: make run' in_bare_root make -C /mcpgate run
    tally_suite 'bare Debian: make test' in_bare_root make --no-print-directory -C /mcpgate test
fi
tally_end
