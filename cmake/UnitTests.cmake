# One program and one ctest per tests/unit/<folder>/test_<file>.c. A test that
# exits with 77 was skipped and has said why.
include(FindPkgConfig)
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka>=1.1.5)
if(NOT CMOCKA_FOUND)
    message(STATUS "No unit tests: cmocka is missing (scripts/setup test brings it)")
    return()
endif()
# jansson, for the differential tests of the reader.
pkg_check_modules(JANSSON IMPORTED_TARGET jansson)

file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
file(GLOB_RECURSE unit_sources CONFIGURE_DEPENDS tests/unit/test_*.c)
set(shared_dir ${PROJECT_SOURCE_DIR}/../shared)

add_library(test_support STATIC ${support_sources})
target_include_directories(test_support PRIVATE src tests)
target_link_libraries(test_support PUBLIC jsv_static PkgConfig::CMOCKA PRIVATE mcpgate_flags)

foreach(source ${unit_sources})
    # tests/unit/jsv/json/test_read.c is the test jsv/json/read, the target test_jsv_json_read.
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/unit OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    cmake_path(GET path STEM program)
    string(REGEX REPLACE "^test_" "" name ${program})
    set(name ${folder}/${name})
    string(REPLACE / _ target test_${name})

    if(folder MATCHES "^jsv/")
        set(library jsv_static)
    elseif(TARGET mcpgate_daemon)
        set(library mcpgate_daemon)
    else()
        continue()
    endif()

    add_executable(${target} ${source})
    set_target_properties(
        ${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${folder}
                             OUTPUT_NAME ${program}
    )
    target_include_directories(${target} PRIVATE src tests)
    target_link_libraries(
        ${target} PRIVATE test_support ${library} mcpgate_flags mcpgate_link_flags
    )
    file(STRINGS ${source} uses_jansson REGEX "include <jansson.h>" LIMIT_COUNT 1)
    if(uses_jansson)
        if(NOT JANSSON_FOUND)
            message(FATAL_ERROR "${source} needs jansson (scripts/setup test brings it)")
        endif()
        target_link_libraries(${target} PRIVATE PkgConfig::JANSSON)
    endif()

    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(
        ${name}
        PROPERTIES SKIP_RETURN_CODE 77
                   TIMEOUT 300
                   WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                   ENVIRONMENT
                   "MCPGATE_SHARED=${shared_dir};MCPGATE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};MCPGATE_LOG_DIR=none"
    )
    # A test that reads the clock runs alone.
    file(STRINGS ${source} uses_clock REGEX "clock_gettime" LIMIT_COUNT 1)
    if(uses_clock)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endforeach()

# The JSON-Schema-Test-Suite, if it is installed.
set(suite_dir ${shared_dir}/data/json-schema-test-suite)
if(EXISTS ${suite_dir})
    add_test(NAME jsv/schema/suite COMMAND jsv-suite ${suite_dir})
    set_tests_properties(jsv/schema/suite PROPERTIES TIMEOUT 300)
else()
    add_test(NAME jsv/schema/suite COMMAND sh -c "echo 'skipped: no JSON-Schema-Test-Suite'; exit 77")
    set_tests_properties(jsv/schema/suite PROPERTIES SKIP_RETURN_CODE 77)
endif()

# Regular expressions, compared with Node's.
if(NOT CMAKE_CROSSCOMPILING)
    add_executable(regex_driver tests/regex/driver.c)
    set_target_properties(
        regex_driver PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/regex
    )
    target_include_directories(regex_driver PRIVATE src)
    target_link_libraries(regex_driver PRIVATE jsv_static mcpgate_flags mcpgate_link_flags)
    add_test(NAME jsv/regex/differential COMMAND ${PROJECT_SOURCE_DIR}/tests/regex/differential
                                             $<TARGET_FILE:regex_driver>
    )
    set_tests_properties(jsv/regex/differential PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)

    # Verdicts, compared with ajv's if it is installed.
    add_executable(jsv_verdicts tests/differential/jsv_verdicts.c)
    set_target_properties(
        jsv_verdicts PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/differential
    )
    target_link_libraries(jsv_verdicts PRIVATE jsv_static mcpgate_flags mcpgate_link_flags)
    add_test(NAME jsv/schema/differential COMMAND ${PROJECT_SOURCE_DIR}/tests/differential/verdicts
                                              $<TARGET_FILE:jsv_verdicts>
    )
    set_tests_properties(jsv/schema/differential PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
