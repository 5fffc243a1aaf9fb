#!/usr/bin/env bash
# Check the systemd units with systemd's own tools: they are valid, and the service
# is confined. The program they name is installed into a temporary directory.
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
# Out of 100; less is better.
systemd-analyze security --offline=true --threshold=25 "$work/mcpgate.service" >"$work/report" ||
    { cat "$work/report"; exit 1; }
