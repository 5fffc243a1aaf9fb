# Embed files into the program. In a list file:
#
#   embed_schemas(OUTPUT DIRECTORY HEADER TABLE)
#
# makes a rule that writes the C file OUTPUT from all JSON files below
# DIRECTORY: an array TABLE of struct jsv_embedded, declared in HEADER, that
# ends with an empty entry. A schema is known by its URI, which is its own $id
# (id in draft 4) without an empty fragment. The rule runs this file as a script.
#
#   embed_files(OUTPUT DIRECTORY HEADER TABLE)
#
# does the same for files that are known by their paths below DIRECTORY.
#
#   embed_bytes(OUTPUT DIRECTORY HEADER TABLE)
#
# does it for files of any kind, byte for byte, in an array of struct
# jsv_embedded_bytes.

# Remove white space between tokens. Strings must not contain the end of a token
# before ", ", or '": '; a unit test checks that.
function(minify text result)
    string(REGEX REPLACE "\n *" "" text "${text}")
    string(REPLACE "\": " "\":" text "${text}")
    string(REGEX REPLACE "(]|[}\"0-9]|true|false|null), " "\\1," text "${text}")
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

function(write_table output directory header table named_by)
    file(GLOB_RECURSE files RELATIVE ${directory} ${directory}/*.json)
    list(SORT files)
    set(entries "")
    foreach(file ${files})
        file(READ ${directory}/${file} text)
        if(named_by STREQUAL "URI")
            schema_uri("${text}" ${file} name)
        else()
            set(name ${file})
        endif()
        minify("${text}" text)
        string(REPLACE "\\" "\\\\" literal "${text}")
        string(REPLACE "\"" "\\\"" literal "${literal}")
        string(LENGTH "${text}" size)
        string(APPEND entries "    /* ${file} */\n    {\"${name}\", \"${literal}\", ${size}},\n")
    endforeach()
    file(WRITE ${output}
         "#include \"${header}\"\n\nconst struct jsv_embedded ${table}[] = {\n${entries}    {0},\n};\n"
    )
endfunction()

function(write_bytes output directory header table)
    file(GLOB_RECURSE files RELATIVE ${directory} ${directory}/*)
    list(SORT files)
    set(entries "")
    foreach(file ${files})
        file(READ ${directory}/${file} hex HEX)
        file(SHA256 ${directory}/${file} digest)
        file(SIZE ${directory}/${file} size)
        string(REGEX REPLACE "(..)" "\\\\x\\1" literal "${hex}")
        string(APPEND entries "    {\"${file}\", \"${literal}\", ${size}, \"${digest}\"},\n")
    endforeach()
    file(WRITE ${output}
         "#include \"${header}\"\n\nconst struct jsv_embedded_bytes ${table}[] = {\n${entries}    {0},\n};\n"
    )
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    if(NAMED_BY STREQUAL "BYTES")
        write_bytes(${OUTPUT} ${DIRECTORY} ${HEADER} ${TABLE})
    else()
        write_table(${OUTPUT} ${DIRECTORY} ${HEADER} ${TABLE} ${NAMED_BY})
    endif()
    return()
endif()

set(embed_script ${CMAKE_CURRENT_LIST_FILE})
function(embed output directory pattern header table named_by)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${directory}/${pattern})
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -D OUTPUT=${output} -D DIRECTORY=${directory} -D HEADER=${header} -D
                TABLE=${table} -D NAMED_BY=${named_by} -P ${embed_script}
        DEPENDS ${files} ${embed_script}
        COMMENT "Embedding ${directory}"
        VERBATIM
    )
endfunction()

function(embed_schemas output directory header table)
    embed(${output} ${directory} *.json ${header} ${table} URI)
endfunction()

function(embed_files output directory header table)
    embed(${output} ${directory} *.json ${header} ${table} PATH)
endfunction()

function(embed_bytes output directory header table)
    embed(${output} ${directory} * ${header} ${table} BYTES)
endfunction()
