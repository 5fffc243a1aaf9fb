# Dependencies of libjsv: PCRE2, libidn2 with libunistring, and the meta-schemas as a C file.
include(FindPkgConfig)
include(embed)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8>=10.42)
pkg_check_modules(IDN2 REQUIRED IMPORTED_TARGET libidn2>=2.3)
cmake_path(GET IDN2_LINK_LIBRARIES PARENT_PATH idn2_directory)
find_library(UNISTRING_LIBRARY unistring HINTS ${idn2_directory} REQUIRED)

set(meta_schemas ${PROJECT_BINARY_DIR}/generated/meta_schemas.c)
embed_schemas(
    ${meta_schemas} ${PROJECT_SOURCE_DIR}/schemas/json-schema jsv/schema/registry/registry.h jsv_meta_schemas
)
list(APPEND jsv_sources ${meta_schemas})
list(APPEND jsv_libraries PkgConfig::PCRE2 PkgConfig::IDN2 ${UNISTRING_LIBRARY})
list(APPEND jsv_library_names pcre2-8 idn2 unistring)
