# What the daemon's rooms need besides their sources: libuv, libcurl, and the
# files that are part of the program, as C tables.
include(FindPkgConfig)
include(embed)
pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv>=1.44)
# Only its header: the library is loaded when a backend is configured (src/backend/curl.h).
pkg_check_modules(CURL REQUIRED libcurl>=7.88)

# embed_room(ROOM DIRECTORY): all JSON files of DIRECTORY as <room>_embedded[],
# declared in src/<room>/embedded.h, named by their paths in it.
function(embed_room room directory)
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${room}/embedded.h)
        return()
    endif()
    set(output ${PROJECT_BINARY_DIR}/generated/${room}_embedded.c)
    embed_files(${output} ${PROJECT_SOURCE_DIR}/${directory} ${room}/embedded.h ${room}_embedded)
    set(daemon_sources ${daemon_sources} ${output} PARENT_SCOPE)
endfunction()

embed_room(mcp schemas/mcp)
embed_room(envelope schemas/envelope)
embed_room(tools src/tools)
embed_room(documents src/documents)

# The page for people, as it is.
set(page_output ${PROJECT_BINARY_DIR}/generated/net_page.c)
embed_bytes(${page_output} ${PROJECT_SOURCE_DIR}/src/net/page net/page.h net_page_embedded)
list(APPEND daemon_sources ${page_output})
