/*
 * jsv-suite: runs a checkout of the JSON-Schema-Test-Suite.
 *
 *   jsv-suite DIR [--verbose]
 *
 * DIR holds tests/ and remotes/. Per draft it prints how many required,
 * optional and format tests came out right; --verbose names the others. Every
 * verdict is taken three times, from the fast program, from the report, and
 * while the text is read, and all must be right.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jsv/schema.h>

#include "jsv/schema/report/explain.h"

#define PATH_SIZE 4096

struct score {
    unsigned passed;
    unsigned total;
};

struct suite {
    const char *directory;
    bool verbose;
    const char *folder; /* of the draft at hand */
    enum jsv_draft draft;
    bool assert_format;
    bool assert_content;
    const char *file;
    struct score *score;
    struct jsv_reader *reader;
    char *remote; /* last text the resolver handed out */
};

static _Noreturn void die(const char *what, const char *name)
{
    fprintf(stderr, "jsv-suite: %s: %s\n", name, what);
    exit(2);
}

static bool read_file(const char *name, struct jsv_str *ret_text)
{
    FILE *file = fopen(name, "rb");
    if (!file) {
        return false;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *data = malloc((size_t)size + 1);
    bool whole = data && fread(data, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    if (!whole) {
        free(data);
        return false;
    }
    *ret_text = (struct jsv_str){data, (size_t)size};
    return true;
}

/* The suite serves remotes/ at this address. */
static int resolve(void *context, struct jsv_str uri, struct jsv_str *ret_text)
{
    struct suite *suite = context;
    const char *prefix = "http://localhost:1234/";
    size_t prefix_size = strlen(prefix);
    if (uri.size <= prefix_size || memcmp(uri.data, prefix, prefix_size) != 0) {
        return -ENOENT;
    }
    char name[PATH_SIZE];
    snprintf(
        name,
        sizeof(name),
        "%s/remotes/%.*s",
        suite->directory,
        (int)(uri.size - prefix_size),
        uri.data + prefix_size);
    free(suite->remote);
    suite->remote = NULL;
    if (!read_file(name, ret_text)) {
        return -ENOENT;
    }
    suite->remote = (char *)(uintptr_t)ret_text->data;
    return 0;
}

static void
complain(const struct suite *suite, struct jsv_value group, struct jsv_value test, const char *what)
{
    if (!suite->verbose) {
        return;
    }
    struct jsv_str of = jsv_value_text(jsv_value_get(group, JSV_STR("description")));
    struct jsv_str name = jsv_value_text(jsv_value_get(test, JSV_STR("description")));
    printf(
        "%s/%s: %.*s: %.*s: %s\n",
        suite->folder,
        suite->file,
        (int)of.size,
        of.data,
        (int)name.size,
        name.data ? name.data : "",
        what);
}

static void run_test(
    struct suite *suite,
    struct jsv_value group,
    struct jsv_value test,
    const struct jsv_schema *schema,
    struct jsv_validator *validator)
{
    bool expected = jsv_value_bool(jsv_value_get(test, JSV_STR("valid")));
    struct jsv_value data = jsv_value_get(test, JSV_STR("data"));
    int verdict = jsv_validate(validator, schema, data);
    struct jsv_problems problems;
    int reported = jsv_validate_report(validator, schema, data, &problems);
    size_t problem_count = reported >= 0 ? problems.count : 0;
    int explained = jsv_explain_report(schema, data, validator, false, &problems);
    suite->score->total++;
    if (verdict == expected && reported == expected && explained == expected &&
        (problem_count > 0) == !expected) {
        suite->score->passed++;
        return;
    }
    char what[128];
    snprintf(
        what,
        sizeof(what),
        "expected %d, verdict %d, report %d with %zu problems, all explained %d",
        expected,
        verdict,
        reported,
        problem_count,
        explained);
    complain(suite, group, test, what);
}

static void run_group(struct suite *suite, struct jsv_value group)
{
    struct jsv_value schema_value = jsv_value_get(group, JSV_STR("schema"));
    struct jsv_value tests = jsv_value_get(group, JSV_STR("tests"));
    struct jsv_registry_options options = {
        .draft = suite->draft,
        .resolver = resolve,
        .resolver_context = suite,
    };
    struct jsv_registry *registry = jsv_registry_new(NULL, &options);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    if (!registry || !validator) {
        die("out of memory", suite->file);
    }
    struct jsv_schema *schema = NULL;
    struct jsv_error fault = {0};
    struct jsv_str uri = JSV_STR("urn:jsv-suite");
    struct jsv_schema_options how = {
        .assert_format = suite->assert_format, .assert_content = suite->assert_content};
    int r = jsv_registry_add(registry, uri, jsv_value_span(schema_value), &fault);
    if (r == 0) {
        r = jsv_schema_compile(registry, uri, &how, &schema, &fault);
    }
    struct jsv_iter iter = jsv_value_iter(tests);
    while (jsv_iter_next(&iter)) {
        if (r == 0) {
            run_test(suite, group, iter.value, schema, validator);
        } else {
            suite->score->total++;
            char what[512];
            snprintf(
                what,
                sizeof(what),
                "does not compile (%d): %.*s: %.*s",
                r,
                (int)fault.pointer.size,
                fault.pointer.data ? fault.pointer.data : "",
                (int)fault.message.size,
                fault.message.data ? fault.message.data : "");
            complain(suite, group, iter.value, what);
        }
    }
    jsv_schema_free(schema);
    jsv_validator_free(validator);
    jsv_registry_free(registry);
}

static void run_file(struct suite *suite, const char *path)
{
    struct jsv_str text;
    if (!read_file(path, &text)) {
        die(strerror(errno), path);
    }
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_error error;
    if (!document || jsv_read(suite->reader, document, text, 0, &error) < 0) {
        die("not JSON", path);
    }
    struct jsv_iter iter = jsv_value_iter(jsv_document_root(document));
    while (jsv_iter_next(&iter)) {
        run_group(suite, iter.value);
    }
    jsv_document_free(document);
    free((char *)(uintptr_t)text.data);
}

static int is_json(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return size > 5 && strcmp(entry->d_name + size - 5, ".json") == 0;
}

static void run_folder(struct suite *suite, const char *below, struct score *score)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/tests/%s%s", suite->directory, suite->folder, below);
    struct dirent **entries;
    int count = scandir(path, &entries, is_json, alphasort);
    if (count < 0) {
        die(strerror(errno), path);
    }
    suite->score = score;
    for (int i = 0; i < count; i++) {
        char file[2 * PATH_SIZE];
        snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
        suite->file = entries[i]->d_name;
        run_file(suite, file);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "--verbose") != 0)) {
        fprintf(stderr, "usage: jsv-suite DIR [--verbose]\n");
        return 2;
    }
    static const struct {
        const char *folder;
        enum jsv_draft draft;
    } drafts[] = {
        {"draft2020-12", JSV_DRAFT_2020_12},
        {"draft2019-09", JSV_DRAFT_2019_09},
        {"draft7", JSV_DRAFT_7},
        {"draft6", JSV_DRAFT_6},
        {"draft4", JSV_DRAFT_4},
    };
    struct suite suite = {
        .directory = argv[1],
        .verbose = argc == 3,
        .reader = jsv_reader_new(NULL, NULL),
    };
    if (!suite.reader) {
        die("out of memory", "reader");
    }
    unsigned passed = 0;
    unsigned total = 0;
    for (size_t i = 0; i < sizeof(drafts) / sizeof(*drafts); i++) {
        struct score required = {0};
        struct score optional = {0};
        struct score format = {0};
        suite.folder = drafts[i].folder;
        suite.draft = drafts[i].draft;
        suite.assert_format = false;
        run_folder(&suite, "", &required);
        suite.assert_content = true; /* optional/content.json of draft 7 asks for it */
        run_folder(&suite, "/optional", &optional);
        suite.assert_content = false;
        suite.assert_format = true;
        run_folder(&suite, "/optional/format", &format);
        printf(
            "%s required %u/%u optional %u/%u format %u/%u\n",
            suite.folder,
            required.passed,
            required.total,
            optional.passed,
            optional.total,
            format.passed,
            format.total);
        passed += required.passed + optional.passed + format.passed;
        total += required.total + optional.total + format.total;
    }
    free(suite.remote);
    jsv_reader_free(suite.reader);
    printf("%u passed, %u failed\n", passed, total - passed);
    return passed == total ? 0 : 1;
}
