#!/usr/bin/env bash
# The systemd units are sound, as systemd itself sees it, and the service is
# well shut in. The program they name is looked for in a directory of its own.
#   tests/setup/units.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(cd "${1:-build/release}" && pwd)

command -v systemd-analyze >/dev/null || { echo 'no systemd-analyze'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp packaging/systemd/mcpgate.socket "$work"
sed "s#@PREFIX@#$build#" packaging/systemd/mcpgate.service.in >"$work/mcpgate.service"
output=$(systemd-analyze verify --man=no "$work/mcpgate.socket" "$work/mcpgate.service" 2>&1)
[[ -z $output ]] || { echo "$output"; exit 1; }
# Out of 100, less is better; anything above is something left open.
systemd-analyze security --offline=true --threshold=25 "$work/mcpgate.service" >"$work/report" ||
    { cat "$work/report"; exit 1; }
