# What the lints share; sourced, not run. A lint takes the root of a tree (this
# project unless told otherwise), prints one line per finding as file:line: text
# and exits with 1 if there was one.
set -euo pipefail
root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}

# c_files DIRECTORY...: the C files below these parts of the tree, sorted, relative to the root.
c_files() {
    (cd "$root" && find "$@" -name '*.[ch]' -type f 2>/dev/null | LC_ALL=C sort)
}

# An awk function that blanks comments and literals, so that a lint sees code
# only. It keeps its state from line to line: call code($0) for every line,
# and code_reset() at the start of a file.
code_awk='
    function code_reset() { in_comment = 0 }
    function code(line,    out, c, i, quote) {
        out = ""
        quote = ""
        for (i = 1; i <= length(line); i++) {
            c = substr(line, i, 1)
            if (in_comment) {
                if (substr(line, i, 2) == "*/") { in_comment = 0; i++ }
            } else if (quote != "") {
                if (c == "\\") i++
                else if (c == quote) { quote = ""; out = out c }
            } else if (substr(line, i, 2) == "/*") { in_comment = 1; i++ }
            else if (substr(line, i, 2) == "//") break
            else {
                if (c == "\"" || c == "\047") quote = c
                out = out c
            }
        }
        return out
    }'

# Shows findings from standard input; the lint fails when there are any.
report() {
    local findings
    findings=$(cat)
    if [[ -n $findings ]]; then
        printf '%s\n' "$findings"
        return 1
    fi
}
