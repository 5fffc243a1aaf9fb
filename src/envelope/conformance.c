#include "envelope/conformance.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "envelope/digest.h"
#include "envelope/policy.h"
#include "jsv/base/ascii.h"

/* The longest path: "/provenance/evidence/<index>/method". */
#define PATH_SIZE_MAX 64

/* First words of method ids that are reserved. */
static const struct jsv_str reserved[] = {
    JSV_STR("policy"),
    JSV_STR("attestation"),
    JSV_STR("execution"),
    JSV_STR("audit"),
};

struct check {
    struct jsv_arena *arena;
    struct jsv_problem *items; /* ENVELOPE_CONFORMANCE_MAX of them */
    size_t count;
    size_t more;
};

/* ---- problems ---- */

static int add_problem(struct check *check, const char *path, const char *message)
{
    if (check->count == ENVELOPE_CONFORMANCE_MAX) {
        check->more++;
        return 0;
    }
    size_t size = strlen(path);
    char *copy = jsv_arena_alloc(check->arena, size + 1);
    if (!copy) {
        return -ENOMEM;
    }
    memcpy(copy, path, size);
    check->items[check->count++] = (struct jsv_problem){
        .path = {copy, size},
        .message = jsv_str_from(message),
    };
    return 0;
}

/* ---- method ids ---- */

static bool is_reserved(struct jsv_str word)
{
    for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        if (jsv_str_equal(reserved[i], word)) {
            return true;
        }
    }
    return false;
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

bool envelope_conformance_is_method(struct jsv_str id)
{
    size_t word = 0; /* start of the current word */
    for (size_t i = 0; i < id.size; i++) {
        char c = id.data[i];
        bool good =
            i == word ? is_lower(c) : is_lower(c) || jsv_is_digit(c) || c == '_' || c == '.';
        if (!good || (word == 0 && c == '.' && is_reserved((struct jsv_str){id.data, i}))) {
            return false;
        }
        word = c == '.' ? i + 1 : word;
    }
    return word < id.size && !is_reserved(id);
}

static int check_method(struct check *check, const char *path, struct jsv_value id)
{
    if (jsv_value_type(id) == JSV_TYPE_NONE || envelope_conformance_is_method(jsv_value_text(id))) {
        return 0;
    }
    return add_problem(check, path, "not a method id, or in a reserved namespace");
}

/* ---- digests ---- */

static int check_digest(struct check *check, const char *path, struct jsv_value digest)
{
    if (jsv_value_type(digest) == JSV_TYPE_NONE || envelope_digest_is_sound(digest)) {
        return 0;
    }
    return add_problem(check, path, "not a digest of full length in lower case");
}

static int
digest_record(struct jsv_value record, struct jsv_arena *arena, struct envelope_digest *ret_digest)
{
    struct jsv_buf bare;
    jsv_buf_init(&bare, &arena->allocator, SIZE_MAX);
    int r = envelope_write_without(record, JSV_STR("integrity"), &bare);
    r = r < 0 ? r : envelope_digest_text(jsv_buf_str(&bare), arena, ret_digest);
    jsv_buf_done(&bare);
    return r;
}

static int check_record_digest(struct check *check, struct jsv_value record)
{
    struct jsv_value integrity = jsv_value_get(record, JSV_STR("integrity"));
    struct jsv_value digest = jsv_value_get(integrity, JSV_STR("record_digest"));
    const char *path = "/provenance/integrity/record_digest";
    struct jsv_str alg = jsv_value_text(jsv_value_get(digest, JSV_STR("alg")));
    if (!jsv_str_equal(alg, JSV_STR("sha256")) || !envelope_digest_is_sound(digest)) {
        return check_digest(check, path, digest);
    }
    struct envelope_digest actual;
    int r = digest_record(record, check->arena, &actual);
    struct jsv_str stated = jsv_value_text(jsv_value_get(digest, JSV_STR("value")));
    if (r == 0 && !jsv_str_equal(jsv_str_from(actual.hex), stated)) {
        return add_problem(check, path, "not the digest of the record");
    }
    return r == -ERANGE ? add_problem(check, path, "the record has no canonical form") : r;
}

/* ---- lists in a record ---- */

typedef int check_item(struct check *check, const char *path, struct jsv_value value);

/*
 * Check something of each element of a list.
 * @param member Of the element; NULL: the element itself.
 */
static int check_list(
    struct check *check,
    struct jsv_value record,
    const char *list,
    const char *member,
    check_item *check_one)
{
    struct jsv_iter iter = jsv_value_iter(jsv_value_get(record, jsv_str_from(list)));
    int r = 0;
    for (size_t i = 0; r == 0 && jsv_iter_next(&iter); i++) {
        char path[PATH_SIZE_MAX];
        const char *slash = member ? "/" : "";
        const char *name = member ? member : "";
        snprintf(path, sizeof(path), "/provenance/%s/%zu%s%s", list, i, slash, name);
        struct jsv_value value =
            member ? jsv_value_get(iter.value, jsv_str_from(member)) : iter.value;
        r = check_one(check, path, value);
    }
    return r;
}

static int check_record(struct check *check, struct jsv_value record)
{
    int r = check_list(check, record, "inputs", "digest", check_digest);
    r = r < 0 ? r : check_list(check, record, "outputs", "digest", check_digest);
    r = r < 0 ? r : check_list(check, record, "methods", NULL, check_method);
    r = r < 0 ? r : check_list(check, record, "evidence", "method", check_method);
    return r < 0 ? r : check_record_digest(check, record);
}

int envelope_conformance_check(
    struct jsv_value envelope, struct jsv_arena *arena, struct jsv_problems *ret_problems)
{
    struct check check = {
        .arena = arena,
        .items = jsv_arena_array(arena, ENVELOPE_CONFORMANCE_MAX, sizeof(*check.items)),
    };
    int r = check.items ? 0 : -ENOMEM;
    if (r == 0 && envelope_is(jsv_value_get(envelope, JSV_STR("result")))) {
        r = add_problem(&check, "/result", "an envelope in an envelope");
    }
    struct jsv_value record = jsv_value_get(envelope, JSV_STR("provenance"));
    if (r == 0 && jsv_value_type(record) == JSV_TYPE_OBJECT) {
        r = check_record(&check, record);
    }
    if (r == 0) {
        *ret_problems = (struct jsv_problems){check.items, check.count, check.more};
    }
    return r;
}
