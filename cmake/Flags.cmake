# Flags for compiling and linking. mcpgate_flags is for compiling everything,
# mcpgate_profile for compiling the program and libjsv, mcpgate_link_flags for
# linking. A preset chooses with MCPGATE_SANITIZE, MCPGATE_COVERAGE, MCPGATE_HARDEN, MCPGATE_WHOLE,
# MCPGATE_TRAINING, MCPGATE_PROFILE and MCPGATE_WERROR.
option(MCPGATE_WERROR "Warnings are errors" OFF)
option(MCPGATE_HARDEN "Compile and link with the hardening a network program should have" OFF)
option(MCPGATE_WHOLE "Optimise programs with the property WHOLE across their files (gcc)" OFF)
option(MCPGATE_COVERAGE "Count executed lines and branches (gcc)" OFF)
option(MCPGATE_TRAINING "Programs write a profile of what they do into profile/ (gcc)" OFF)
set(MCPGATE_PROFILE "" CACHE PATH "Such a profile to optimise by, where there is one (gcc)")
set(MCPGATE_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined")

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
# include/jsv/*.h make their functions visible; everything else is hidden.
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(CMAKE_C_FLAGS_DEBUG "-Og -g3")
set(CMAKE_C_FLAGS_RELEASE "-O2 -g -DNDEBUG")

add_library(mcpgate_flags INTERFACE)
add_library(mcpgate_profile INTERFACE)
add_library(mcpgate_link_flags INTERFACE)

target_compile_options(
    mcpgate_flags
    INTERFACE -Wall
              -Wextra
              -Wshadow
              -Wconversion
              -Wstrict-prototypes
              -Wmissing-prototypes
              -Wvla
              -Wformat=2
              -Wundef
              -Wcast-qual
              -Wwrite-strings
              -Wswitch-enum
              -Wnull-dereference
)
if(MCPGATE_WERROR)
    target_compile_options(mcpgate_flags INTERFACE -Werror)
endif()

if(MCPGATE_HARDEN)
    # clang 14 does not know level 3 and would silently use none.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        set(fortify 3)
    else()
        set(fortify 2)
    endif()
    include(CheckPIESupported)
    check_pie_supported(LANGUAGES C)
    target_compile_options(
        mcpgate_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${fortify}
                                -fstack-protector-strong -fstack-clash-protection
    )
    # Keep paths of the build machine out of messages and debug information, which
    # would also list the flags. Linking compiles, too, if files are optimised
    # together.
    set(no_paths -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
                 -ffile-prefix-map=${PROJECT_BINARY_DIR}=.
    )
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        list(APPEND no_paths -gno-record-gcc-switches)
    endif()
    target_compile_options(mcpgate_flags INTERFACE ${no_paths})
    target_link_options(mcpgate_link_flags INTERFACE ${no_paths})
    target_link_options(
        mcpgate_link_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed
    )
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
        # Control-flow enforcement (CET). The program is marked by hand because
        # Debian's start-up files lack the mark, and one such file removes it.
        target_compile_options(mcpgate_flags INTERFACE -fcf-protection)
        target_link_options(mcpgate_link_flags INTERFACE -Wl,-z,ibt -Wl,-z,shstk)
    endif()
endif()

if(MCPGATE_WHOLE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Keep the linking of the many tests fast.
    set(objects_hold_both ON)
    target_compile_options(mcpgate_flags INTERFACE -flto=auto -ffat-lto-objects)
    target_link_options(
        mcpgate_link_flags INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:WHOLE>>,-flto=auto,-fno-lto>
    )
endif()

if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12
   AND NOT CMAKE_CROSSCOMPILING
)
    set(can_train ON)
endif()

if(MCPGATE_TRAINING)
    if(NOT can_train)
        message(FATAL_ERROR "training needs gcc, 12 or newer, and a program that runs here")
    endif()
    # Threads count, too. Profiles are found by names below the build tree, so that
    # another tree can use them.
    target_compile_options(
        mcpgate_profile INTERFACE -fprofile-generate=${PROJECT_BINARY_DIR}/profile
                                  -fprofile-update=atomic
                                  -fprofile-prefix-path=${PROJECT_BINARY_DIR}
    )
    target_link_options(mcpgate_link_flags INTERFACE -fprofile-generate)
endif()

# Only the compiler that wrote a profile can read it.
set(trained_by "")
if(EXISTS "${MCPGATE_PROFILE}/compiler")
    file(STRINGS "${MCPGATE_PROFILE}/compiler" trained_by)
endif()

if(can_train AND trained_by STREQUAL CMAKE_C_COMPILER_VERSION)
    # Code that the training did not reach, or that has changed since, is compiled as
    # without a profile. Code that it reached counts as hot down to the last
    # thousandth of the work, because real load differs from the training. Inlining
    # depends on the counts, and with it gcc's warnings about uninitialised
    # variables, so these are not errors here.
    set(often --param=hot-bb-count-ws-permille=999)
    target_compile_options(
        mcpgate_profile INTERFACE -fprofile-use=${MCPGATE_PROFILE}
                                  -fprofile-prefix-path=${PROJECT_BINARY_DIR}
                                  -fprofile-partial-training
                                  -fprofile-correction
                                  -Wno-missing-profile
                                  -Wno-coverage-mismatch
                                  -Wno-error=maybe-uninitialized
                                  -Wno-error=null-dereference
                                  ${often}
    )
    target_link_options(mcpgate_link_flags INTERFACE ${often})
    set(profile_in_use ${MCPGATE_PROFILE}/compiler)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${profile_in_use})
endif()

if(MCPGATE_SANITIZE)
    set(sanitize -fsanitize=${MCPGATE_SANITIZE} -fno-sanitize-recover=all)
    if(MCPGATE_SANITIZE MATCHES "memory")
        list(APPEND sanitize -fsanitize-memory-track-origins)
    endif()
    target_compile_options(mcpgate_flags INTERFACE ${sanitize} -fno-omit-frame-pointer)
    target_compile_definitions(mcpgate_flags INTERFACE MCPGATE_SANITIZED)
    target_link_options(mcpgate_link_flags INTERFACE ${sanitize})
endif()

if(MCPGATE_COVERAGE)
    # Unoptimised, because code that the optimiser removes cannot be counted; and
    # without forced inlining, so that a branch counts once and not once per copy.
    # Threads count, too.
    target_compile_options(
        mcpgate_flags INTERFACE --coverage -fprofile-update=atomic -O0 -Dalways_inline=
    )
    target_link_options(mcpgate_link_flags INTERFACE --coverage)
endif()
