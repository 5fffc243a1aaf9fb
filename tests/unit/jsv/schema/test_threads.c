/*
 * One compiled schema, many threads: each has a reader and a validator of its
 * own, and each must say about every document what one thread alone says, down
 * to the words of the report. The schema has something of everything that is
 * prepared when it is compiled; ThreadSanitizer watches that nothing of it is
 * written to afterwards.
 */
#include <pthread.h>

#include "support/schema_fixture.h"

#define THREADS 8
#define ROUNDS  200

static const char schema_text[] =
    "{'$id':'http://h/tree','$dynamicAnchor':'node','type':['object','array','string','integer'],"
    "'properties':{'children':{'items':{'$dynamicRef':'#node'}},"
    "'kind':{'enum':['leaf','branch',3,{'a':[1]}]},"
    "'mail':{'format':'idn-email'},'host':{'format':'idn-hostname'},'when':{'format':'date-time'},"
    "'code':{'pattern':'^[a-z]+[0-9]*$'},'twice':{'pattern':'^(a+)\\\\1$'}},"
    "'patternProperties':{'^x-':{'multipleOf':0.01}},"
    "'dependentSchemas':{'mail':{'required':['kind']}},"
    "'propertyNames':{'maxLength':12},"
    "'uniqueItems':true,'contains':{'minimum':1},"
    "'if':{'type':'object','required':['kind']},'then':{'$ref':'#/$defs/kinds'},"
    "'unevaluatedProperties':false,"
    "'$defs':{'kinds':{'oneOf':["
    "{'properties':{'kind':{'const':'leaf'},'weight':{'exclusiveMinimum':0}}},"
    "{'properties':{'kind':{'const':'branch'},'children':{'minItems':1}},'required':['children']},"
    "{'properties':{'kind':{'type':['number','object']}}}]}}}";

static const char *const documents[] = {
    "{'kind':'leaf','weight':2.5,'mail':'a@b\xC3\xA9.example'}",
    "{'kind':'branch','children':[{'kind':'leaf'},[1,2,{'x-a':0.07}],'text',7]}",
    "{'kind':'branch','children':[]}",
    "{'kind':{'a':[1.0]},'twice':'aaaa','code':'abc12','when':'2020-02-29T12:00:00Z'}",
    "{'kind':'leaf','weight':0,'twice':'aaa','code':'12','when':'2021-02-29T12:00:00Z'}",
    "{'mail':'someone','host':'-','x-b':0.001,'unknown':1,'much too long a name':null}",
    "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,{},[1],{'kind':3}]",
    "[0,0,{'a':1,'b':2},{'b':2,'a':1.0},null,true]",
    "[[[[[[1,'a',[true]]]]]],{'children':[{'children':[{'children':[{'kind':'none'}]}]}]}]",
    "'text'",
    "1.5",
};

#define DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

/* The shared schema and texts, and the verdicts of one thread alone. */
struct shared {
    const struct jsv_schema *schema;
    struct jsv_str texts[DOCUMENTS];
    int verdicts[DOCUMENTS];
    struct jsv_buf reports[DOCUMENTS];
    pthread_barrier_t start;
};

/* What a thread has to itself. */
struct worker {
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
    struct jsv_buf report;
};

static bool worker_init(struct worker *worker)
{
    worker->reader = jsv_reader_new(NULL, NULL);
    worker->document = jsv_document_new(NULL);
    worker->validator = jsv_validator_new(NULL, NULL);
    jsv_buf_init(&worker->report, NULL, SIZE_MAX);
    return worker->reader && worker->document && worker->validator;
}

static void worker_done(struct worker *worker)
{
    jsv_reader_free(worker->reader);
    jsv_document_free(worker->document);
    jsv_validator_free(worker->validator);
    jsv_buf_done(&worker->report);
}

/* The verdict, and the report in the worker's buffer. @return -1 when those two differ. */
static int validate(struct worker *worker, const struct jsv_schema *schema, struct jsv_str text)
{
    struct jsv_problems problems = {0};
    if (jsv_read(worker->reader, worker->document, text, 0, NULL) < 0) {
        return -1;
    }
    struct jsv_value root = jsv_document_root(worker->document);
    int verdict = jsv_validate(worker->validator, schema, root);
    int reported = jsv_validate_report(worker->validator, schema, root, &problems);
    jsv_buf_reset(&worker->report);
    int written = jsv_problems_write_json(&problems, &worker->report);
    return written == 0 && verdict == reported ? verdict : -1;
}

/* Every document many times. @return NULL, or something else when an answer differs. */
static void *validate_often(void *argument)
{
    struct shared *shared = argument;
    struct worker worker;
    bool right = worker_init(&worker);
    pthread_barrier_wait(&shared->start);
    for (size_t i = 0; right && i < ROUNDS * DOCUMENTS; i++) {
        size_t at = i % DOCUMENTS;
        int verdict = validate(&worker, shared->schema, shared->texts[at]);
        right = verdict == shared->verdicts[at] &&
                jsv_str_equal(jsv_buf_str(&worker.report), jsv_buf_str(&shared->reports[at]));
    }
    worker_done(&worker);
    return right ? NULL : argument;
}

static void ask_one_thread(struct schema_fixture *fixture, struct shared *shared)
{
    struct worker worker;
    int valid = 0;
    assert_true(worker_init(&worker));
    for (size_t i = 0; i < DOCUMENTS; i++) {
        shared->texts[i] = schema_fixture_quoted(fixture, documents[i]);
        shared->verdicts[i] = validate(&worker, shared->schema, shared->texts[i]);
        assert_in_range(shared->verdicts[i], 0, 1);
        valid += shared->verdicts[i];
        jsv_buf_init(&shared->reports[i], NULL, SIZE_MAX);
        jsv_buf_append_str(&shared->reports[i], jsv_buf_str(&worker.report));
    }
    worker_done(&worker);
    /* both kinds, or the threads would prove little */
    assert_in_range(valid, 4, DOCUMENTS - 4);
}

static void one_schema_many_threads(void **state)
{
    struct schema_fixture *fixture = *state;
    pthread_t threads[THREADS];
    fixture->options.assert_format = true;
    schema_fixture_use(fixture, schema_text);
    struct shared shared = {.schema = fixture->schema};
    ask_one_thread(fixture, &shared);
    assert_int_equal(pthread_barrier_init(&shared.start, NULL, THREADS), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, validate_often, &shared), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    pthread_barrier_destroy(&shared.start);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        jsv_buf_done(&shared.reports[i]);
    }
}

/* Registries are made and schemas compiled side by side; nothing is shared but the library. */
static void *compile_often(void *argument)
{
    bool right = true;
    struct jsv_str uri = JSV_STR("urn:a");
    struct jsv_str text = JSV_STR("{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\","
                                  "\"properties\":{\"a\":{\"pattern\":\"^(a)\\\\1\"}}}");
    for (int i = 0; right && i < 3; i++) {
        struct jsv_registry *registry = jsv_registry_new(NULL, NULL);
        struct jsv_schema *schema = NULL;
        right = registry && jsv_registry_add(registry, uri, text, NULL) == 0 &&
                jsv_schema_compile(registry, uri, NULL, &schema, NULL) == 0;
        jsv_schema_free(schema);
        jsv_registry_free(registry);
    }
    return right ? NULL : argument;
}

static void many_registries(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, compile_often, threads), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(one_schema_many_threads),
        cmocka_unit_test(many_registries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
