/*
 * Input: a schema, a line feed, then words of a command line, a line each.
 * Whatever they are, the arguments made of them are one JSON object, or a word
 * is named that is wrong.
 */
#include <errno.h>
#include <string.h>

#include <jsv/json.h>

#include "cli/call_arguments.h"
#include "fuzz.h"

#define WORDS_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char copy[4096];
    char *words[WORDS_MAX];
    size_t count = 0;
    struct jsv_str rest = {(const char *)data, size};
    struct jsv_str schema_text = fuzz_take(&rest, '\n');
    if (rest.size >= sizeof(copy)) {
        return 0;
    }
    memcpy(copy, rest.data, rest.size);
    copy[rest.size] = '\0';
    char *at = copy;
    while (count < WORDS_MAX && at) {
        words[count++] = strsep(&at, "\n");
    }

    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_document *made = jsv_document_new(NULL);
    FUZZ_CHECK(reader && document && made);
    struct jsv_value schema = {0};
    if (jsv_read(reader, document, schema_text, 0, NULL) == 0) {
        schema = jsv_document_root(document);
    }
    struct jsv_buf out;
    struct call_error fault = {0};
    struct jsv_str name;
    struct jsv_str suggestion;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    (void)call_arguments_misspelt(words, count, schema, &name, &suggestion);
    int r = call_arguments_write(words, count, schema, &out, &fault);
    if (r == 0) {
        /* a word that is not UTF-8 is the message's fault, and refused with it */
        int read = jsv_read(reader, made, jsv_buf_str(&out), 0, NULL);
        FUZZ_CHECK(read == 0 || read == -EBADMSG);
        FUZZ_CHECK(read < 0 || jsv_value_type(jsv_document_root(made)) == JSV_TYPE_OBJECT);
    } else {
        FUZZ_CHECK(r == -EINVAL && fault.word && fault.why[0] != '\0');
    }
    jsv_buf_done(&out);
    jsv_document_free(made);
    jsv_document_free(document);
    jsv_reader_free(reader);
    return 0;
}
