#!/usr/bin/env bash
# Build the image of packaging/Containerfile with buildah, on a minimal Debian made
# by mmdebstrap, and use it: it does not run as root, answers, writes its ready
# file to /tmp, and stops when asked.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/tally.sh

skip() {
    tally_nothing "$*"
    exit 0
}

((EUID == 0)) || skip 'needs root'
for program in buildah mmdebstrap; do
    command -v "$program" >/dev/null || skip "$program is missing (scripts/setup dev)"
done
apt-get -qq -o APT::Update::Error-Mode=any update >/dev/null 2>&1 ||
    skip 'the package archive does not answer'

work=$(mktemp -d)
store() { buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }
container=
cleanup() {
    [[ -z $container ]] || store rm "$container" >/dev/null 2>&1 || true
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT

# A base that gets its packages as this machine does: same archive, same proxy,
# same rules of validity.
make_base() {
    local sources options=() option base
    mapfile -t sources < <(
        find /etc/apt -maxdepth 2 -size +0 \( -name '*.list' -o -name '*.sources' \)
    )
    while IFS= read -r option; do
        options+=(--aptopt="$option")
    done < <(apt-config dump | grep -E '^Acquire::(http|https|Check-Valid-Until)[: ]')
    mmdebstrap --quiet --variant=minbase --format=tar "${options[@]}" \
        bookworm "$work/base.tar" "${sources[@]}"
    base=$(store from scratch)
    store add --quiet "$base" "$work/base.tar" /
    store commit --quiet "$base" mcpgate-base
    store rm "$base"
    rm "$work/base.tar"
}

build_image() {
    store build --isolation chroot --network host --build-arg BASE=localhost/mcpgate-base \
        -f packaging/Containerfile -t mcpgate .
}

inside() { # inside COMMAND...: as the image's own user
    store run --isolation chroot "$container" -- "$@"
}

does_not_run_as_root() {
    [[ $(inside id -u) == 10001 ]]
}

answers() {
    local answer
    answer=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"get_example","params":{"path":"Tone_Rain.json"}}' |
        inside /usr/bin/mcpgate 2>"$work/err")
    echo "$answer"
    [[ $answer == *'"id":1'*'"validated":true'* ]] && grep -q 'mcp:ready mode=stdio' "$work/err"
}

# The server on a socket, stopped as a container is: by a signal to process 1 alone.
serves() {
    inside /bin/sh -c '
        mcpgate --socket /run/mcpgate/mcp.sock 2>/tmp/err &
        while [ ! -s /tmp/mcp.ready ]; do sleep 0.05; done
        [ "$(cut -d" " -f1 /tmp/mcp.ready)" = $! ] || exit 1
        kill $! && wait $! || exit 1
        ! [ -e /tmp/mcp.ready ] && ! [ -e /run/mcpgate/mcp.sock ]
    '
}

has_no_compiler() {
    ! inside /bin/sh -c 'command -v cc gcc make'
}

tally_check 'a minimal Debian as base' make_base
((tally_failed > 0)) || tally_check 'image builds' build_image
if ((tally_failed == 0)); then
    container=$(store from localhost/mcpgate)
    tally_check 'image: not root' does_not_run_as_root
    tally_check 'image: answers on standard input' answers
    tally_check 'image: ready file, socket, stop' serves
    tally_check 'image: nothing of the build' has_no_compiler
fi
tally_end
