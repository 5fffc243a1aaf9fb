/*
 * Ids of messages: what a subject is packed into, and who makes three ids of
 * that. The same subject has the same ids (envelope/identifier.h).
 *
 * Packing is cheap and is done on the loop; making ids means sorting members
 * and three digests, and is left to another thread wherever possible.
 */
#pragma once

#include "core/subject.h"
#include "log/sink.h"

/**
 * All that the ids of a subject are made of.
 *
 * @param unread       The message's bytes, for one that nobody knows.
 * @param out          Its head is written here.
 * @param ret_question Borrows from out, and its body from the subject.
 * @return 0, or the buffer's sticky error.
 */
int core_subject_pack(
    const struct core_subject *subject,
    struct jsv_str unread,
    struct jsv_buf *out,
    struct log_id_source *ret_question);

/** One that takes packed subjects; of an empty text it makes random ids. @return 0 or -errno. */
int core_namer_new(struct log_id_generator **ret_namer);
