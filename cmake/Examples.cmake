# The programs in examples/ in plain C11. ctest runs each and compares.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*.c)
foreach(source ${example_sources})
    get_filename_component(name ${source} NAME_WE)
    set(target example_${name})
    add_executable(${target} ${source})
    set_target_properties(
        ${target} PROPERTIES C_EXTENSIONS OFF C_STANDARD 11 OUTPUT_NAME ${name}
                             RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples
    )
    target_link_libraries(${target} PRIVATE jsv_static mcpgate_flags mcpgate_link_flags)
    if(NOT CMAKE_CROSSCOMPILING)
        add_test(NAME examples/${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/example ${name}
                                               $<TARGET_FILE:${target}>
        )
    endif()
endforeach()
