/*
 * The three ids of a message in the log: request, trace and span. The same
 * subject has the same ids (envelope/identifier.h).
 *
 * Packing a subject is cheap and done on the loop. Making ids means sorting
 * members and three digests, and is left to another thread where possible.
 */
#pragma once

#include "core/outcome.h"
#include "log/sink.h"

/**
 * Pack what the ids of a subject are made from.
 *
 * @param unread       The bytes of a message that no dialect recognised.
 * @param out          The head is written here.
 * @param ret_source   Borrows from out, and its body from the subject.
 * @return 0, or the buffer's sticky error.
 */
int core_subject_pack(
    const struct core_subject *subject,
    struct jsv_str unread,
    struct jsv_buf *out,
    struct log_id_source *ret_source);

/** Makes ids from packed subjects, and random ids from an empty text. @return 0 or -errno. */
int core_id_generator_new(struct log_id_generator **ret_generator);
