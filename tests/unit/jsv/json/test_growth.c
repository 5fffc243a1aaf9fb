/*
 * How cost grows with the text: linearly, whatever the text, on a small stack.
 *
 * Only ratios are compared, of processor time, the best of several runs. When
 * a ratio is too large both sides are measured again a few times, since the
 * machine may be busy with something else; what really grows too fast stays
 * too large. Except for one bound in milliseconds the machine's speed does not
 * matter.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/base/hash.h"
#include "support/json_fixture.h"
#include "support/random.h"
#include "support/reading.h"
#include "support/slowness.h"

#define LARGEST_TEXT (100000000 / SLOWNESS)
#define MEMBERS      (100000 / SLOWNESS)

/* ---- measuring ---- */

/* Something to be measured, run on the small stack. @return what the work returned. */
struct job {
    json_fixture_work *work;
    void *data;
    double best_ns;
    int result;
};

static int run_job(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    struct job *job = data;
    for (unsigned i = 0; i < 3; i++) {
        jsv_arena_reset(scratch);
        jsv_buf_reset(&fixture->out);
        double start = cpu_seconds();
        job->result = job->work(fixture, scratch, job->data);
        double taken = (cpu_seconds() - start) * 1e9;
        if (job->best_ns == 0 || taken < job->best_ns) {
            job->best_ns = taken;
        }
    }
    return job->result;
}

/* Assert that a job costs at most so many times another, and that both return 0. */
static void
expect_ratio(struct json_fixture *fixture, struct job *job, struct job *other, double ratio_max)
{
    double ratio = 0;
    for (unsigned attempt = 0; attempt < 8; attempt++) {
        assert_int_equal(json_fixture_on_small_stack(fixture, run_job, job), 0);
        assert_int_equal(json_fixture_on_small_stack(fixture, run_job, other), 0);
        ratio = job->best_ns / other->best_ns;
        if (ratio <= ratio_max) {
            print_message(
                "%12.0f ns against %12.0f ns: %.2f of %.2f\n",
                job->best_ns,
                other->best_ns,
                ratio,
                ratio_max);
            return;
        }
    }
    fail_msg("%.0f ns are %.2f times %.0f ns", job->best_ns, ratio, other->best_ns);
}

/* ---- reading ---- */

struct text {
    struct jsv_buf buf;
    struct jsv_reader *reader;
    struct jsv_document *document;
    unsigned repeat; /* small texts are read so many times */
    int expected;
};

static void text_init(struct text *text, const struct jsv_limits *limits)
{
    *text = (struct text){
        .reader = jsv_reader_new(NULL, limits),
        .document = jsv_document_new(NULL),
        .repeat = 1,
    };
    assert_non_null(text->reader);
    assert_non_null(text->document);
    jsv_buf_init(&text->buf, NULL, SIZE_MAX);
}

static void text_done(struct text *text)
{
    jsv_reader_free(text->reader);
    jsv_document_free(text->document);
    jsv_buf_done(&text->buf);
}

static int read_text(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    (void)scratch;
    struct text *text = data;
    for (unsigned i = 0; i < text->repeat; i++) {
        struct jsv_error error;
        int r = jsv_read(text->reader, text->document, jsv_buf_str(&text->buf), 0, &error);
        if (r != text->expected) {
            return r ? r : -EINVAL;
        }
    }
    return 0;
}

/* What a text is made of: opened, then pieces with a comma between, then closed. */
struct shape {
    const char *open;
    const char *piece;
    const char *between;
    const char *close;
};

static const struct shape shapes[] = {
    {"[",
     "{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"tools/call\",\"params\":{\"name\":\"search\","
     "\"arguments\":{\"query\":\"text with \\\"quotes\\\"\",\"limit\":2.5e1,\"deep\":[[],{}]}}}",
     ",",
     "]"},
    {"[", "1", ",", "]"},
    {"[", "\"\\n\"", ",", "]"},
    {"\"", "text \\u20ac \xE2\x82\xAC ", "", "\""},
    {"[", "         \n", "", "]"},
    {"[", "{\"a\":1,\"b\":2,\"c\":[]}", ",\n", "]"},
};

static void make_shape(struct text *text, const struct shape *shape, size_t size)
{
    struct jsv_buf *buf = &text->buf;
    jsv_buf_append_str(buf, jsv_str_from(shape->open));
    jsv_buf_append_str(buf, jsv_str_from(shape->piece));
    while (buf->size < size) {
        jsv_buf_append_str(buf, jsv_str_from(shape->between));
        jsv_buf_append_str(buf, jsv_str_from(shape->piece));
    }
    jsv_buf_append_str(buf, jsv_str_from(shape->close));
    assert_int_equal(buf->error, 0);
}

/*
 * The larger text costs at most so many times more than it is larger. Texts
 * that outgrow the caches cost several times as much per byte; what is
 * quadratic would cost thousands of times as much.
 */
static void
expect_linear(struct json_fixture *fixture, const struct shape *shape, size_t small, size_t large)
{
    struct text texts[2];
    text_init(&texts[0], NULL);
    text_init(&texts[1], NULL);
    make_shape(&texts[0], shape, small);
    make_shape(&texts[1], shape, large);
    texts[0].repeat = (unsigned)(large / small < 1000 ? large / small : 1000);
    struct job small_job = {read_text, &texts[0], 0, 0};
    struct job large_job = {read_text, &texts[1], 0, 0};
    double times = (double)large / ((double)small * texts[0].repeat);
    expect_ratio(fixture, &large_job, &small_job, 5 * times);
    text_done(&texts[0]);
    text_done(&texts[1]);
}

static void reading_is_linear(void **state)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        expect_linear(*state, &shapes[i], 1000, LARGEST_TEXT / 100);
        expect_linear(*state, &shapes[i], LARGEST_TEXT / 1000, LARGEST_TEXT / 10);
    }
}

static void reading_is_linear_up_to_100_megabytes(void **state)
{
    expect_linear(*state, &shapes[0], LARGEST_TEXT / 1000, LARGEST_TEXT);
}

static void large_arrays(void **state)
{
    static const struct shape array = {"[", "123", ",", "]"};
    expect_linear(*state, &array, 4 * 1000, 4 * 100000);
}

/* ---- names ---- */

/* Name number i of count, of fewer characters than this. */
#define NAME_SIZE 80
typedef void name_maker(char name[NAME_SIZE], size_t i, size_t count, uint64_t *random);

static void random_name(char name[NAME_SIZE], size_t i, size_t count, uint64_t *random)
{
    (void)count;
    snprintf(name, NAME_SIZE, "%016llx%08zx", (unsigned long long)random_next(random), i);
}

static void name_with_same_start(char name[NAME_SIZE], size_t i, size_t count, uint64_t *random)
{
    (void)count;
    (void)random;
    snprintf(name, NAME_SIZE, "thesamebeginning%08zx", i);
}

static void name_with_same_ends(char name[NAME_SIZE], size_t i, size_t count, uint64_t *random)
{
    (void)count;
    (void)random;
    snprintf(name, NAME_SIZE, "12345678%08zx87654321", i);
}

static char letter(size_t i)
{
    return "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"[i];
}

/* Only the last byte of each eight differs: the highest of a word, where products change least. */
static void name_of_high_bytes(char name[NAME_SIZE], size_t i, size_t count, uint64_t *random)
{
    (void)count;
    (void)random;
    memset(name, 'a', 24);
    name[24] = '\0';
    name[7] = letter(i % 64);
    name[15] = letter(i / 64 % 64);
    name[23] = letter(i / 64 / 64 % 64);
}

/* And only the first: the lowest. */
static void name_of_low_bytes(char name[NAME_SIZE], size_t i, size_t count, uint64_t *random)
{
    name_of_high_bytes(name, i, count, random);
    memmove(name + 1, name, 23);
    name[0] = name[8];
    name[8] = name[16];
    name[16] = letter(i / 64 / 64 % 64);
}

/* Longer names are hashed in another way. */
static void random_long_name(char name[NAME_SIZE], size_t i, size_t count, uint64_t *random)
{
    random_name(name, i, count, random);
    memset(name + 24, 'z', 48);
    name[72] = '\0';
}

static void
long_name_with_same_start(char name[NAME_SIZE], size_t i, size_t count, uint64_t *random)
{
    (void)count;
    (void)random;
    snprintf(name, NAME_SIZE, "%064d%08zx", 0, i);
}

#define OTHER_SEED 0x0123456789ABCDEFu

/*
 * With this seed all names fall into the same 64th of the table; as it probes
 * its slots in turn, that would take ages.
 */
static void colliding_name(char name[NAME_SIZE], size_t i, size_t count, uint64_t *random)
{
    (void)count;
    do {
        random_long_name(name, i, count, random);
    } while (jsv_hash((struct jsv_str){name, 72}, OTHER_SEED) >> 58);
}

static void make_object(struct jsv_buf *buf, name_maker *make_name, size_t count, bool reversed)
{
    uint64_t random = 4;
    char(*names)[NAME_SIZE] = malloc(count * sizeof(*names));
    assert_non_null(names);
    for (size_t i = 0; i < count; i++) {
        make_name(names[i], i, count, &random);
    }
    jsv_buf_append_byte(buf, '{');
    for (size_t i = 0; i < count; i++) {
        size_t chosen = reversed ? count - 1 - i : i;
        char member[NAME_SIZE + 32];
        int size = snprintf(
            member, sizeof(member), "%s\"%s\":%zu", i ? "," : "", names[chosen], chosen % 10);
        jsv_buf_append(buf, member, (size_t)size);
    }
    jsv_buf_append_byte(buf, '}');
    assert_int_equal(buf->error, 0);
    free(names);
}

static void
expect_names(struct json_fixture *fixture, name_maker *make_chosen, name_maker *make_random)
{
    struct jsv_limits limits = {.hash_seed = 0x5EC2E7};
    struct text chosen;
    struct text random;
    text_init(&chosen, &limits);
    text_init(&random, &limits);
    make_object(&chosen.buf, make_chosen, MEMBERS, false);
    make_object(&random.buf, make_random, MEMBERS, false);
    struct job chosen_job = {read_text, &chosen, 0, 0};
    struct job random_job = {read_text, &random, 0, 0};
    expect_ratio(fixture, &chosen_job, &random_job, 2);
    text_done(&chosen);
    text_done(&random);
}

static void chosen_names_cost_no_more_than_random_ones(void **state)
{
    expect_names(*state, name_with_same_start, random_name);
    expect_names(*state, name_with_same_ends, random_name);
    expect_names(*state, name_of_high_bytes, random_name);
    expect_names(*state, name_of_low_bytes, random_name);
    expect_names(*state, long_name_with_same_start, random_long_name);
    expect_names(*state, colliding_name, random_long_name);
}

/* That colliding names do collide: with the seed they were made for they cost many times more. */
static void colliding_names_collide(void **state)
{
    struct jsv_limits known = {.hash_seed = OTHER_SEED};
    struct jsv_limits secret = {.hash_seed = 0x5EC2E7};
    struct text weak;
    struct text strong;
    text_init(&weak, &known);
    text_init(&strong, &secret);
    make_object(&weak.buf, colliding_name, MEMBERS / 10, false);
    make_object(&strong.buf, colliding_name, MEMBERS / 10, false);
    struct job weak_job = {read_text, &weak, 0, 0};
    struct job strong_job = {read_text, &strong, 0, 0};
    assert_int_equal(json_fixture_on_small_stack(*state, run_job, &strong_job), 0);
    assert_int_equal(json_fixture_on_small_stack(*state, run_job, &weak_job), 0);
    assert_true(weak_job.best_ns > 5 * strong_job.best_ns);
    text_done(&weak);
    text_done(&strong);
}

/* ---- depth ---- */

static void a_million_brackets_are_refused_at_once(void **state)
{
    static const char *const openings[] = {"[", "{\"a\":", "[{\"\":"};
    for (size_t i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
        struct text text;
        text_init(&text, NULL);
        text.expected = -EBADMSG;
        for (size_t j = 0; j < 1000000; j++) {
            jsv_buf_append_str(&text.buf, jsv_str_from(openings[i]));
        }
        struct job job = {read_text, &text, 0, 0};
        for (unsigned attempt = 0; attempt < 8 && (attempt == 0 || job.best_ns > 5e6); attempt++) {
            assert_int_equal(json_fixture_on_small_stack(*state, run_job, &job), 0);
        }
        print_message("%.0f ns\n", job.best_ns);
        assert_true(job.best_ns < 5e6);
        text_done(&text);
    }
}

/* ---- comparing and writing ---- */

struct pair {
    struct text a;
    struct text b;
};

static int equal_pair(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    struct pair *pair = data;
    struct jsv_value a = jsv_document_root(pair->a.document);
    struct jsv_value b = jsv_document_root(pair->b.document);
    int r = jsv_value_equal(a, b, scratch);
    return r < 0 ? r : r == 1 ? 0 : -EINVAL;
}

static int diff_pair(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    struct pair *pair = data;
    struct jsv_value a = jsv_document_root(pair->a.document);
    struct jsv_value b = jsv_document_root(pair->b.document);
    int r = jsv_diff_write(a, b, scratch, &fixture->out);
    return r < 0 || fixture->out.size == 2 ? r : -EINVAL;
}

static int canon_pair(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    struct pair *pair = data;
    struct jsv_value b = jsv_document_root(pair->b.document);
    return jsv_canon_write(b, JSV_CANON_UTF8, scratch, &fixture->out, NULL);
}

/* An object, and the same with its members in reverse. */
static void pair_init(struct pair *pair, size_t count)
{
    text_init(&pair->a, NULL);
    text_init(&pair->b, NULL);
    make_object(&pair->a.buf, random_name, count, false);
    make_object(&pair->b.buf, random_name, count, true);
    assert_int_equal(read_text(NULL, NULL, &pair->a), 0);
    assert_int_equal(read_text(NULL, NULL, &pair->b), 0);
}

static void expect_work_grows_little(struct json_fixture *fixture, json_fixture_work *work)
{
    struct pair small;
    struct pair large;
    pair_init(&small, MEMBERS / 100);
    pair_init(&large, MEMBERS);
    struct job small_job = {work, &small, 0, 0};
    struct job large_job = {work, &large, 0, 0};
    /* 100 times the members: sorting and the caches' limits make more of it, but not thousands */
    expect_ratio(fixture, &large_job, &small_job, 100 * 8);
    text_done(&small.a);
    text_done(&small.b);
    text_done(&large.a);
    text_done(&large.b);
}

static void equality_of_large_objects(void **state)
{
    expect_work_grows_little(*state, equal_pair);
}

static void differences_of_large_objects(void **state)
{
    expect_work_grows_little(*state, diff_pair);
}

static void canonical_form_of_large_objects(void **state)
{
    expect_work_grows_little(*state, canon_pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(reading_is_linear),
        JSON_TEST(reading_is_linear_up_to_100_megabytes),
        JSON_TEST(large_arrays),
        JSON_TEST(chosen_names_cost_no_more_than_random_ones),
        JSON_TEST(colliding_names_collide),
        JSON_TEST(a_million_brackets_are_refused_at_once),
        JSON_TEST(equality_of_large_objects),
        JSON_TEST(differences_of_large_objects),
        JSON_TEST(canonical_form_of_large_objects),
    };
    return cmocka_run_group_tests_name("json/growth", tests, NULL, NULL);
}
