/*
 * A schema compiled from its text, for tests.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jsv/schema.h>

struct compiled {
    struct jsv_registry *registry;
    struct jsv_schema *schema;
};

static inline struct compiled compiled_from(const char *text)
{
    struct compiled compiled = {.registry = jsv_registry_new(NULL, NULL)};
    struct jsv_str uri = JSV_STR("urn:test");
    assert_int_equal(jsv_registry_add(compiled.registry, uri, jsv_str_from(text), NULL), 0);
    assert_int_equal(jsv_schema_compile(compiled.registry, uri, NULL, &compiled.schema, NULL), 0);
    return compiled;
}

static inline void compiled_done(struct compiled *compiled)
{
    jsv_schema_free(compiled->schema);
    jsv_registry_free(compiled->registry);
}
