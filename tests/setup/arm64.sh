#!/usr/bin/env bash
# Run the unit tests of libjsv built for 64-bit ARM, under QEMU. There char is
# unsigned, and the scanner is the one in plain C. The ARM libraries are fetched
# from the package archive into the build tree; the system is not changed.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/tally.sh

skip() {
    tally_nothing "$*"
    exit 0
}

for tool in aarch64-linux-gnu-gcc qemu-aarch64 apt-get; do
    command -v "$tool" >/dev/null || skip "$tool is missing (scripts/setup dev)"
done

build=$PWD/build/arm64
packages=$build/packages
log=$build/log
mkdir -p "$packages/lists/partial" "$packages/cache" "$packages/root"

apt_arm64() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User= \
        -o Dir::State::Lists="$packages/lists" -o Dir::Cache="$packages/cache" \
        -o Dir::State::status=/dev/null "$@"
}

if ! ls "$packages/root/usr/lib"/*/libpcre2-8.so >/dev/null 2>&1; then
    (
        cd "$packages"
        apt_arm64 -o APT::Update::Error-Mode=any update &&
            apt_arm64 download libcmocka-dev libcmocka0 libjansson-dev libjansson4 \
                libidn2-dev libidn2-0 libunistring-dev libunistring2 libpcre2-dev libpcre2-8-0
    ) >"$log" 2>&1 || skip 'the package archive does not answer'
    for package in "$packages"/*.deb; do
        dpkg-deb -x "$package" "$packages/root"
    done
fi

libraries=$packages/root/usr/lib/aarch64-linux-gnu
export PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$packages/root
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu QEMU_SET_ENV=LD_LIBRARY_PATH=$libraries
{
    cmake --preset arm64 && cmake --build --preset arm64 -j "$(nproc)"
} >"$log" 2>&1 || {
    tail -n 40 "$log"
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
}
exec tests/run_unit "$build"
