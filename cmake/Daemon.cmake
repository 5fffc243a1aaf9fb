# Dependencies of the program: libuv, libcurl, and embedded files as C tables.
include(FindPkgConfig)
include(embed)
pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv>=1.44)
# Only the header: the library is loaded when a backend is configured (src/backend/curl.h).
pkg_check_modules(CURL REQUIRED libcurl>=7.88)

# embed_folder(FOLDER DIRECTORY): all JSON files of DIRECTORY as <folder>_embedded[],
# declared in src/<folder>/embedded.h, named by their paths below DIRECTORY.
function(embed_folder folder directory)
    set(output ${PROJECT_BINARY_DIR}/generated/${folder}_embedded.c)
    embed_files(${output} ${PROJECT_SOURCE_DIR}/${directory} ${folder}/embedded.h ${folder}_embedded)
    set(daemon_sources ${daemon_sources} ${output} PARENT_SCOPE)
endfunction()

embed_folder(mcp schemas/mcp)
embed_folder(envelope schemas/envelope)
embed_folder(tools src/tools)
embed_folder(documents src/documents)

# The web page, byte for byte.
set(page_output ${PROJECT_BINARY_DIR}/generated/net_page.c)
embed_bytes(${page_output} ${PROJECT_SOURCE_DIR}/src/net/page net/page.h net_page_embedded)
list(APPEND daemon_sources ${page_output})
