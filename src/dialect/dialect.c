#include "dialect/dialect.h"

static const struct dialect *const dialects[] = {
#define DIALECT(name) &dialect_##name,
#include "dialect/dialects.def"
#undef DIALECT
};

const struct dialect *dialect_recognise(const struct dialect_request *request)
{
    for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++) {
        if (dialects[i]->recognise(request)) {
            return dialects[i];
        }
    }
    return NULL;
}
