# How everything is compiled and linked. mcpgate_flags is for compiling;
# mcpgate_profile is for compiling what ends up in the program and in libjsv;
# mcpgate_link_flags is for whatever is linked in the end. A preset chooses
# with MCPGATE_SANITIZE, MCPGATE_COVERAGE, MCPGATE_HARDEN, MCPGATE_WHOLE,
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
# include/jsv/*.h raise the visibility of what they declare; all else stays inside.
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
    # clang 14 knows no level 3 and would silently fall back to none.
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
    # No path of the machine that builds ends up in the program, neither in
    # messages nor in debug information, which would also list the flags. Linking
    # compiles, too, where files are optimised together.
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
    # So that the many tests are linked as quickly as ever.
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
    # Threads count, too. Files are found by their names below the build tree,
    # so that another tree can use what they hold.
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
    # What the training did not reach is compiled as without a profile, and so
    # is what has changed since: a profile may be older than the sources. What
    # it reached counts as often used down to the last thousandth of the work,
    # since others may ask most for what was asked least in training. What is
    # inlined depends on counts, and with it what gcc supposes about variables:
    # those suppositions are not errors here.
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
    # Unoptimised, since what the optimiser folds away can be neither hit nor
    # missed; and nothing inlined by force, so that a branch counts once and not
    # once per copy. Threads count, too.
    target_compile_options(
        mcpgate_flags INTERFACE --coverage -fprofile-update=atomic -O0 -Dalways_inline=
    )
    target_link_options(mcpgate_link_flags INTERFACE --coverage)
endif()
