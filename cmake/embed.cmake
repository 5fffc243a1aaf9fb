# Schemas as a part of the program. In a list file:
#
#   embed_schemas(OUTPUT DIRECTORY HEADER TABLE)
#
# makes a rule that writes the C file OUTPUT from all JSON files below
# DIRECTORY: an array TABLE of struct jsv_embedded, declared in HEADER, that
# ends with an entry without URI. A schema's URI is its own $id (id in draft 4)
# without an empty fragment. The rule runs this file as a script.

# White space between tokens is left out. Within strings of a schema neither a
# line break nor ", " nor '": ' can be expected, and a unit test would tell.
function(minify text result)
    string(REGEX REPLACE "\n *" "" text "${text}")
    string(REPLACE "\": " "\":" text "${text}")
    string(REPLACE ", " "," text "${text}")
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(schema_uri text file result)
    string(JSON uri ERROR_VARIABLE error GET "${text}" "$id")
    if(error)
        string(JSON uri ERROR_VARIABLE error GET "${text}" "id")
    endif()
    if(error)
        message(FATAL_ERROR "${file}: ${error}")
    endif()
    string(REGEX REPLACE "#$" "" uri "${uri}")
    set(${result} "${uri}" PARENT_SCOPE)
endfunction()

function(write_table output directory header table)
    file(GLOB_RECURSE files RELATIVE ${directory} ${directory}/*.json)
    list(SORT files)
    set(entries "")
    foreach(file ${files})
        file(READ ${directory}/${file} text)
        schema_uri("${text}" ${file} uri)
        minify("${text}" text)
        string(REPLACE "\\" "\\\\" literal "${text}")
        string(REPLACE "\"" "\\\"" literal "${literal}")
        string(LENGTH "${text}" size)
        string(APPEND entries "    /* ${file} */\n    {\"${uri}\", \"${literal}\", ${size}},\n")
    endforeach()
    file(WRITE ${output}
         "#include \"${header}\"\n\nconst struct jsv_embedded ${table}[] = {\n${entries}    {0},\n};\n"
    )
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    write_table(${OUTPUT} ${DIRECTORY} ${HEADER} ${TABLE})
    return()
endif()

set(embed_script ${CMAKE_CURRENT_LIST_FILE})
function(embed_schemas output directory header table)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${directory}/*.json)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D DIRECTORY=${directory} -D HEADER=${header} -D
                TABLE=${table} -P ${embed_script}
        DEPENDS ${files} ${embed_script}
        COMMENT "Embedding ${directory}"
        VERBATIM
    )
endfunction()
