#!/usr/bin/env bash
# Install the release into an empty directory and use it as a new user
# would: build programs with libjsv through pkg-config (shared and static) and
# through find_package, the examples among them, and run the installed mcpgate.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/tally.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/usr
export LD_LIBRARY_PATH=$prefix/lib

cat >"$work/consumer.c" <<'C'
#include <errno.h>
#include <stdio.h>

#include <jsv/json.h>

int main(void)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    int64_t answer = 0;

    if (!reader || !document ||
        jsv_read(reader, document, JSV_STR("{\"answer\": 42.0}"), 0, NULL) != 0 ||
        jsv_value_int64(
            jsv_value_get(jsv_document_root(document), JSV_STR("answer")), &answer) != 0) {
        return 1;
    }
    printf("%s %d\n", jsv_version(), (int)answer);
    jsv_document_free(document);
    jsv_reader_free(reader);
    return 0;
}
C
cat >"$work/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(jsv 0.1 REQUIRED)
foreach(kind shared static)
    add_executable(consumer_${kind} consumer.c)
    target_link_libraries(consumer_${kind} PRIVATE jsv::jsv_${kind})
endforeach()
CMAKE

installs() {
    make --no-print-directory install PREFIX="$prefix" && [[ -e $prefix/include/jsv/json.h ]]
}

# DESTDIR is put in front of the prefix and leaves no trace in the files.
installs_staged() {
    make --no-print-directory install DESTDIR="$work/stage" PREFIX=/opt/mcpgate &&
        grep -q '^ExecStart=/opt/mcpgate/bin/mcpgate serve$' "$work/stage/opt/mcpgate/lib/systemd/system/mcpgate.service" &&
        [[ -x $work/stage/opt/mcpgate/bin/mcpgate ]] && ! grep -r "$work" "$work/stage/opt/mcpgate"
}

# prints_answer PROGRAM: the consumer found the library and the library works
prints_answer() {
    local output
    output=$("$1")
    echo "$output"
    [[ $output == "$(cut -d' ' -f1 <<<"$output") 42" ]]
}

compile() { # compile SOURCE [-static]: to $work/program
    local flags
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name jsv.pc)") \
        pkg-config ${2:+--static} --cflags --libs jsv)
    # shellcheck disable=SC2086 # the flags are words
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$work/program" "$1" ${2-} $flags
}

by_pkg_config() { # by_pkg_config [-static]
    compile "$work/consumer.c" "$@"
    prints_answer "$work/program"
}

examples() { # examples [-static]
    local source
    for source in examples/*.c; do
        compile "$source" "$@"
        tests/example "$(basename "$source" .c)" "$work/program"
    done
}

by_find_package() {
    cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
    cmake --build "$work/build" >/dev/null
    prints_answer "$work/build/consumer_shared"
    prints_answer "$work/build/consumer_static"
}

as_cplusplus() {
    command -v g++ >/dev/null || { echo 'skipped: g++ is missing (scripts/setup dev)'; return 77; }
    g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" -x c++ \
        - <<<'#include <jsv/schema.h>'
}

runs_installed() {
    "$prefix/bin/mcpgate" --version && "$prefix/bin/mcpgate" digest share/demo/a.json
}

tally_check 'make install PREFIX' installs
tally_check 'make install DESTDIR' installs_staged
tally_check 'pkg-config, shared' by_pkg_config
tally_check 'pkg-config, static' by_pkg_config -static
tally_check 'examples, shared' examples
tally_check 'examples, static' examples -static
tally_check 'find_package, shared and static' by_find_package
tally_check 'headers in C++' as_cplusplus
tally_check 'installed mcpgate' runs_installed
tally_end
