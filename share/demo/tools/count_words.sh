#!/bin/sh
# Count the lines, words and bytes of the one argument, which follows "--".
set -eu
shift
set -- $(printf '%s' "$1" | wc)
printf '{"lines":%d,"words":%d,"bytes":%d}\n' "$1" "$2" "$3"
