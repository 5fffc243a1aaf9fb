# What the regex room needs besides its sources: PCRE2, for what its rows and tables cannot do.
include(FindPkgConfig)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8>=10.42)
list(APPEND jsv_libraries PkgConfig::PCRE2)
list(APPEND jsv_library_names pcre2-8)
