/* A provenance record: computed by provenance.c, written by record.c. */
#pragma once

#include "envelope/digest.h"
#include "envelope/provenance.h"

enum envelope_method {
#define ENVELOPE_METHOD(name, id) ENVELOPE_METHOD_##name,
#include "envelope/methods.def"
#undef ENVELOPE_METHOD
    ENVELOPE_METHODS,
};

struct envelope_record {
    const struct envelope_run *run;
    const struct envelope_options *options;
    struct envelope_result result;
    struct jsv_value artifacts; /* of the request */
    char run_id[OS_UUID_SIZE + 1];
    bool has_output_digest; /* and its size; false: it could not be computed */
    struct envelope_digest output_digest;
    unsigned methods; /* applied: bits by enum envelope_method */
};

/** Whether a value can name a parent. */
bool envelope_record_is_parent(struct jsv_value value);

/** Append the record, all but `integrity`. @return 0, or the buffer's sticky error. */
int envelope_record_put(const struct envelope_record *record, struct jsv_buf *out);
