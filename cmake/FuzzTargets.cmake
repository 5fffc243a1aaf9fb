# One libFuzzer program per fuzz/fuzz_<parser>.c. ctest replays the corpus, so
# that an input that was found once is checked from then on.
if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "The fuzz targets need clang: cmake --preset fuzz")
endif()

file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
    get_filename_component(target ${source} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" parser ${target})
    add_executable(${target} ${source})
    target_include_directories(${target} PRIVATE src fuzz tests)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${target} PRIVATE mcpgate_daemon test_support mcpgate_flags mcpgate_link_flags)

    set(corpus ${PROJECT_SOURCE_DIR}/fuzz/corpus/${parser})
    if(EXISTS ${corpus})
        add_test(NAME fuzz/${parser} COMMAND ${target} -runs=0 ${corpus})
    endif()
endforeach()
