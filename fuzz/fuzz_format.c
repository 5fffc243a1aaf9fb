/*
 * Input: a byte that chooses the format, then the text, which is cut where it
 * stops being UTF-8. Every format has an answer for every text. Formats that
 * include others agree with them.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "jsv/base/utf8.h"
#include "jsv/schema/format/format.h"

static bool is(enum jsv_format format, struct jsv_str text)
{
    int answer = jsv_format_valid(format, text);
    FUZZ_CHECK(answer == 0 || answer == 1);
    return answer == 1;
}

static void check_kinship(struct jsv_str text)
{
    bool uri = is(JSV_FORMAT_URI, text);
    bool uri_reference = is(JSV_FORMAT_URI_REFERENCE, text);
    bool iri = is(JSV_FORMAT_IRI, text);
    bool iri_reference = is(JSV_FORMAT_IRI_REFERENCE, text);
    FUZZ_CHECK(!uri || (uri_reference && iri));
    FUZZ_CHECK(!uri_reference || iri_reference);
    FUZZ_CHECK(!iri || iri_reference);

    bool hostname = is(JSV_FORMAT_HOSTNAME, text);
    FUZZ_CHECK(
        !hostname || (is(JSV_FORMAT_HOSTNAME_ASCII, text) && is(JSV_FORMAT_IDN_HOSTNAME, text)));
    FUZZ_CHECK(!is(JSV_FORMAT_EMAIL, text) || is(JSV_FORMAT_IDN_EMAIL, text));
    FUZZ_CHECK(
        !is(JSV_FORMAT_RELATIVE_JSON_POINTER_PLAIN, text) ||
        is(JSV_FORMAT_RELATIVE_JSON_POINTER, text));
    FUZZ_CHECK(!is(JSV_FORMAT_IPV4, text) || !is(JSV_FORMAT_HOSTNAME_ASCII, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct jsv_str text = {(const char *)data + 1, size - 1};
    text.size = jsv_utf8_valid_prefix(text);
    /* In memory of its own size, so that a step beyond it is seen. */
    char *copy = text.size > 0 ? malloc(text.size) : NULL;
    if (copy) {
        memcpy(copy, text.data, text.size);
    }
    text.data = copy;
    enum jsv_format format = data[0] % (JSV_FORMAT_COUNT + 1);
    if (format == JSV_FORMAT_COUNT) {
        check_kinship(text);
    } else {
        is(format, text);
    }
    free(copy);
    return 0;
}
