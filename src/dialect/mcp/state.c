/*
 * What a request has to remember, in the client's hands: "expiry.code.memory".
 * The code is an HMAC over method, name, arguments, expiry and memory, with a
 * key that this process made up and nobody else knows. So a state is good for
 * the very request it was given out for, for a while, and not for another
 * process; memory is readable for the client, and no secret belongs there.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "dialect/mcp/ask.h"
#include "os/digest.h"
#include "os/sys.h"

#define KEY_SIZE 32

/* A person answers a form in that time, or begins anew. */
#define GOOD_FOR_MS ((uint64_t)10 * 60 * 1000)

/* Digits of the expiry, and the point after them. */
#define EXPIRY_SIZE 17

#define HEAD_SIZE (EXPIRY_SIZE + OS_DIGEST_HEX_SIZE + 1)

/* Arguments fit a message, and so does memory. */
#define SIGNED_SIZE_MAX ((size_t)4 << 20)

static struct {
    pthread_once_t once;
    int error;
    char bytes[KEY_SIZE];
} key = {.once = PTHREAD_ONCE_INIT};

static void make_key(void)
{
    key.error = os_random(key.bytes, sizeof(key.bytes));
}

static void append_part(struct jsv_buf *out, struct jsv_str part)
{
    jsv_buf_append_str(out, part);
    jsv_buf_append_byte(out, '\0');
}

static int append_signed(
    const struct dialect_req *req,
    struct jsv_str expiry,
    struct jsv_str tool_state,
    struct jsv_buf *out)
{
    struct jsv_value params = req->message.params;
    struct jsv_value arguments = jsv_value_get(params, JSV_STR("arguments"));
    append_part(out, req->message.method);
    append_part(out, jsv_value_text(jsv_value_get(params, JSV_STR("name"))));
    append_part(out, expiry);
    if (jsv_value_count(arguments) > 0) {
        int r = jsv_canon_write(arguments, JSV_CANON_UTF8, req->scratch, out, NULL);
        if (r < 0) {
            return r;
        }
    }
    jsv_buf_append_byte(out, '\0');
    jsv_buf_append_str(out, tool_state);
    return out->error;
}

static int make_code(
    const struct dialect_req *req,
    struct jsv_str expiry,
    struct jsv_str tool_state,
    char ret_code[static OS_DIGEST_HEX_SIZE + 1])
{
    struct jsv_buf text;
    pthread_once(&key.once, make_key);
    jsv_buf_init(&text, os_allocator(), SIGNED_SIZE_MAX);
    int r = key.error;
    if (r == 0) {
        r = append_signed(req, expiry, tool_state, &text);
    }
    if (r == 0) {
        struct jsv_str secret = {key.bytes, sizeof(key.bytes)};
        r = os_digest_keyed(secret, jsv_buf_str(&text), ret_code);
    }
    jsv_buf_done(&text);
    return r;
}

int mcp_state_seal(const struct dialect_req *req, struct jsv_str tool_state, struct jsv_buf *out)
{
    char expiry[EXPIRY_SIZE + 1];
    char code[OS_DIGEST_HEX_SIZE + 1];
    snprintf(expiry, sizeof(expiry), "%016llx.", (unsigned long long)os_now_ms() + GOOD_FOR_MS);
    int r = make_code(req, (struct jsv_str){expiry, EXPIRY_SIZE - 1}, tool_state, code);
    if (r < 0) {
        return r;
    }
    jsv_buf_append(out, expiry, EXPIRY_SIZE);
    jsv_buf_append(out, code, OS_DIGEST_HEX_SIZE);
    jsv_buf_append_byte(out, '.');
    return jsv_buf_append_str(out, tool_state);
}

/* In the same time for any two texts of that size. */
static bool is_same(const char *a, const char *b, size_t size)
{
    unsigned char difference = 0;
    for (size_t i = 0; i < size; i++) {
        difference |= (unsigned char)(a[i] ^ b[i]);
    }
    return difference == 0;
}

int mcp_state_open(
    const struct dialect_req *req, struct jsv_str state, struct jsv_str *ret_tool_state)
{
    char now[EXPIRY_SIZE + 1];
    char code[OS_DIGEST_HEX_SIZE + 1] = "";
    if (state.size < HEAD_SIZE) {
        return -EBADMSG;
    }
    struct jsv_str expiry = {state.data, EXPIRY_SIZE - 1};
    struct jsv_str tool_state = {state.data + HEAD_SIZE, state.size - HEAD_SIZE};
    int r = make_code(req, expiry, tool_state, code);
    if (r < 0) {
        return r;
    }
    snprintf(now, sizeof(now), "%016llx.", (unsigned long long)os_now_ms());
    bool is_ours = state.data[EXPIRY_SIZE - 1] == '.' && state.data[HEAD_SIZE - 1] == '.' &&
                   is_same(state.data + EXPIRY_SIZE, code, OS_DIGEST_HEX_SIZE);
    bool is_good = is_ours && memcmp(expiry.data, now, expiry.size) > 0;
    *ret_tool_state = tool_state;
    return is_good ? 0 : -EBADMSG;
}
