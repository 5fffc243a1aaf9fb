/*
 * What the tools need to know of the configuration.
 */
#pragma once

#include "tools/tool.h"

struct app_config;

/** @param loops Event loops that share the tools. Borrows from the configuration. */
struct tool_settings app_tool_settings(const struct app_config *config, unsigned loops);
