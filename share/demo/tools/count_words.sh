#!/bin/sh
# Counts what its one argument, after a "--", is made of.
set -eu
shift
set -- $(printf '%s' "$1" | wc)
printf '{"lines":%d,"words":%d,"bytes":%d}\n' "$1" "$2" "$3"
