/*
 * jsv-bench: how long reading and validating take, in nanoseconds per document.
 *
 *   jsv-bench --schema FILE --instances FILE.jsonl [--seconds 0.5]
 *
 * Every line of the instances file is one document. Prints one JSON line. Each
 * figure is the best of many passes over all documents, warm, with the
 * reader's memory reused:
 *
 *   compile_ns       schema text to validator; the meta-schema is compiled before
 *   parse_ns         bytes to document
 *   validate_ns      document to verdict, one pass over all
 *   validate_hot_ns  the same, each document repeated before the next
 *   e2e_ns           bytes to verdict
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jsv/schema.h>

/* How often validate_hot_ns repeats a document before it takes the time. */
#define HOT_REPEATS 64

struct bench {
    struct jsv_str *documents;
    size_t count;
    size_t bytes;
    double seconds;
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_document **parsed; /* one each, for validating alone */
    struct jsv_str schema_text;
    struct jsv_registry *registry; /* whose meta-schemas are warm */
    struct jsv_schema *schema;
    struct jsv_validator *validator;
    size_t valid;
};

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static _Noreturn void die(const char *what, const char *name)
{
    fprintf(stderr, "jsv-bench: %s: %s\n", what, name);
    exit(2);
}

static struct jsv_str read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file) {
        die(strerror(errno), name);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *data = malloc((size_t)size + 1);
    if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
        die("cannot read", name);
    }
    fclose(file);
    return (struct jsv_str){data, (size_t)size};
}

static void split_lines(struct bench *bench, struct jsv_str text)
{
    size_t capacity = 0;
    for (size_t at = 0; at < text.size;) {
        const char *newline = memchr(text.data + at, '\n', text.size - at);
        size_t end = newline ? (size_t)(newline - text.data) : text.size;
        size_t size = end - at;
        if (size > 0 && text.data[end - 1] == '\r') {
            size--;
        }
        if (size > 0) {
            if (bench->count == capacity) {
                capacity = capacity ? 2 * capacity : 64;
                bench->documents = realloc(bench->documents, capacity * sizeof(*bench->documents));
                if (!bench->documents) {
                    die("out of memory", "documents");
                }
            }
            bench->documents[bench->count++] = (struct jsv_str){text.data + at, size};
            bench->bytes += size;
        }
        at = end + 1;
    }
}

static void read_document(struct bench *bench, size_t index, struct jsv_document *document)
{
    struct jsv_error error;
    if (jsv_read(bench->reader, document, bench->documents[index], 0, &error) < 0) {
        fprintf(
            stderr,
            "jsv-bench: document %zu, column %zu: %s\n",
            index + 1,
            error.column,
            error.message.data);
        exit(2);
    }
}

static void read_all(struct bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        read_document(bench, i, bench->document);
    }
}

static bool is_valid(struct bench *bench, struct jsv_value value)
{
    return jsv_validate(bench->validator, bench->schema, value) == 1;
}

static void validate_all(struct bench *bench)
{
    bench->valid = 0;
    for (size_t i = 0; i < bench->count; i++) {
        bench->valid += is_valid(bench, jsv_document_root(bench->parsed[i]));
    }
}

static void read_and_validate_all(struct bench *bench)
{
    bench->valid = 0;
    for (size_t i = 0; i < bench->count; i++) {
        bench->valid += jsv_validate_text(
                            bench->validator,
                            bench->schema,
                            bench->reader,
                            bench->document,
                            bench->documents[i],
                            NULL) == 1;
    }
}

/* Every compile adds the text anew, under a name of its own; the registry is made anew now and
 * then. */
static void compile_once(struct bench *bench, struct jsv_schema **ret_schema)
{
    static unsigned number;
    char uri[64];
    int size = snprintf(uri, sizeof(uri), "urn:jsv-bench:%u", number++);
    struct jsv_str name = {uri, (size_t)size};
    struct jsv_error fault = {0};
    int r = jsv_registry_add(bench->registry, name, bench->schema_text, &fault);
    if (r == 0) {
        r = jsv_schema_compile(bench->registry, name, NULL, ret_schema, &fault);
    }
    if (r < 0) {
        fprintf(
            stderr,
            "jsv-bench: schema: %.*s: %.*s\n",
            (int)fault.pointer.size,
            fault.pointer.data ? fault.pointer.data : "",
            (int)fault.message.size,
            fault.message.data ? fault.message.data : strerror(-r));
        exit(2);
    }
}

/* Best pass of many: noise only ever adds. */
static double best_ns(struct bench *bench, void (*pass)(struct bench *))
{
    double best = 0;
    double spent = 0;
    for (unsigned i = 0; i < 5 || spent < bench->seconds * 1e9; i++) {
        double begun = now_ns();
        pass(bench);
        double took = now_ns() - begun;
        spent += took;
        if (i == 0 || took < best) {
            best = took;
        }
    }
    return bench->count ? best / (double)bench->count : 0;
}

/* A registry that has compiled the meta-schema: what a program that runs for a while has. */
static void warm_registry(struct bench *bench)
{
    jsv_registry_free(bench->registry);
    bench->registry = jsv_registry_new(NULL, NULL);
    if (!bench->registry) {
        die("out of memory", "registry");
    }
    struct jsv_str schema = bench->schema_text;
    struct jsv_value dialect = {0};
    if (jsv_read(bench->reader, bench->document, schema, 0, NULL) == 0) {
        dialect = jsv_value_get(jsv_document_root(bench->document), JSV_STR("$schema"));
    }
    char small[512];
    struct jsv_str span = jsv_value_span(dialect);
    int size = snprintf(
        small,
        sizeof(small),
        span.size ? "{\"$schema\":%.*s}" : "{}",
        (int)span.size,
        span.data ? span.data : "");
    bench->schema_text = (struct jsv_str){small, (size_t)size};
    struct jsv_schema *warm;
    compile_once(bench, &warm);
    jsv_schema_free(warm);
    bench->schema_text = schema;
}

static double compile_ns(struct bench *bench)
{
    double best = 0;
    double spent = 0;
    for (unsigned i = 0; i < 5 || spent < bench->seconds * 1e9; i++) {
        warm_registry(bench);
        jsv_schema_free(bench->schema);
        bench->schema = NULL;
        double begun = now_ns();
        compile_once(bench, &bench->schema);
        double took = now_ns() - begun;
        spent += took * 2; /* warming the registry is part of what may be spent */
        if (i == 0 || took < best) {
            best = took;
        }
    }
    return best;
}

static void parse_all(struct bench *bench)
{
    bench->parsed = calloc(bench->count + 1, sizeof(*bench->parsed));
    for (size_t i = 0; i < bench->count; i++) {
        bench->parsed[i] = jsv_document_new(NULL);
        if (!bench->parsed[i]) {
            die("out of memory", "documents");
        }
        read_document(bench, i, bench->parsed[i]);
    }
}

/* Each document's best time over some repeats, averaged over the documents. */
static double hot_ns(struct bench *bench)
{
    double sum = 0;
    double each = bench->seconds * 1e9 / (double)(bench->count ? bench->count : 1);
    for (size_t i = 0; i < bench->count; i++) {
        struct jsv_value root = jsv_document_root(bench->parsed[i]);
        double best = 0;
        double spent = 0;
        for (unsigned round = 0; round < 3 || spent < each; round++) {
            double begun = now_ns();
            for (unsigned k = 0; k < HOT_REPEATS; k++) {
                bench->valid += is_valid(bench, root);
            }
            double took = now_ns() - begun;
            spent += took;
            if (round == 0 || took < best) {
                best = took;
            }
        }
        sum += best / HOT_REPEATS;
    }
    return bench->count ? sum / (double)bench->count : 0;
}

static const char *option(int argc, char **argv, const char *name)
{
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return argv[i + 1];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *schema = option(argc, argv, "--schema");
    const char *instances = option(argc, argv, "--instances");
    const char *seconds = option(argc, argv, "--seconds");
    if (!schema || !instances) {
        fprintf(stderr, "usage: jsv-bench --schema FILE --instances FILE.jsonl [--seconds 0.5]\n");
        return 2;
    }
    struct bench bench = {
        .seconds = seconds ? strtod(seconds, NULL) : 0.5,
        .reader = jsv_reader_new(NULL, NULL),
        .document = jsv_document_new(NULL),
        .validator = jsv_validator_new(NULL, NULL),
        .schema_text = read_file(schema),
    };
    if (!bench.reader || !bench.document || !bench.validator) {
        die("out of memory", "reader");
    }
    split_lines(&bench, read_file(instances));
    double compile = compile_ns(&bench);
    parse_all(&bench);
    double parse = best_ns(&bench, read_all);
    double hot = hot_ns(&bench);
    double validate = best_ns(&bench, validate_all);
    double e2e = best_ns(&bench, read_and_validate_all);
    printf(
        "{\"instances\":%zu,\"bytes\":%zu,\"valid\":%zu,\"compile_ns\":%.0f,\"parse_ns\":%.2f,"
        "\"validate_ns\":%.2f,\"validate_hot_ns\":%.2f,\"e2e_ns\":%.2f}\n",
        bench.count,
        bench.bytes,
        bench.valid,
        compile,
        parse,
        validate,
        hot,
        e2e);
    return 0;
}
