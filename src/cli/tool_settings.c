#include "cli/tool_settings.h"

#include "app/config.h"
#include "core/limits.h"

struct tool_settings app_tool_settings(const struct app_config *config, unsigned loops)
{
    return (struct tool_settings){
        .batch_max = config->batch_max,
        .loops = loops,
        .backend_url = config->backend_url,
        .backend_assets_path = config->backend_assets_path,
        .backend_timeout_ms = CORE_BACKEND_TIMEOUT_MS,
        .backend_reply_max = CORE_BACKEND_REPLY_MAX,
    };
}
