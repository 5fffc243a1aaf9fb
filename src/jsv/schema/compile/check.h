/*
 * Checking schemas against their meta-schemas.
 */
#pragma once

#include "jsv/schema/registry/registry.h"

/*
 * Check the resources of a source, each against its own meta-schema; once,
 * when the result is good.
 *
 * @return 0; -EBADMSG with the place and what was expected there; -ENOMEM; or
 *         the resolver's error.
 */
int jsv_source_check(
    struct jsv_registry *registry,
    struct jsv_source *source,
    struct jsv_schema_fault *reterr_fault);
