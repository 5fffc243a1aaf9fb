/*
 * Telling YAML from broken JSON, for a better message.
 */
#pragma once

#include <jsv/jsv.h>

#define APP_YAML_MESSAGE "this looks like YAML; only JSON is read"

/** Whether a text that is not JSON looks like YAML. @param name Of its file; its ending counts. */
bool app_is_like_yaml(const char *name, struct jsv_str text);
