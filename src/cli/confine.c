#define _GNU_SOURCE /* environ */
#include "cli/confine.h"

#include <string.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "cli/hide.h"
#include "log/text.h"
#include "os/sys.h"

/* What could not be given up: the server can do its work, but the operator should know. */
static void report(const char *what, int error)
{
    if (error < 0) {
        const struct log_field fields[] = {
            {"reason", JSV_STR("not_confined")},
            {"detail", jsv_str_from(what)},
            {"error", jsv_str_from(strerror(-error))},
        };
        log_text("warning", fields, sizeof(fields) / sizeof(fields[0]));
    }
}

void app_confine_secrets(void)
{
    report("cannot forbid core dumps and reading in /proc", os_forbid_dumps());
    app_forget_secrets(environ);
}

/* The first tool whose program must be able to gain privileges; NULL when there is none. */
static const struct catalog_tool *find_privileged(const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog_tool_count(catalog); i++) {
        const struct catalog_tool *tool = catalog_tool_at(catalog, i);
        if (jsv_value_bool(jsv_value_get(tool->value, JSV_STR("new_privileges")))) {
            return tool;
        }
    }
    return NULL;
}

bool app_confine_privileges(const struct catalog *catalog)
{
    if (find_privileged(catalog)) {
        return false;
    }
    int r = os_forbid_new_privileges();
    report("cannot give up gaining privileges", r);
    return r == 0;
}

void app_confine_check(const struct catalog *catalog)
{
    const struct catalog_tool *tool = find_privileged(catalog);
    if (tool) {
        const struct log_field fields[] = {
            {"reason", JSV_STR("restart_needed")},
            {"tool", tool->name},
            {"detail", JSV_STR("\"new_privileges\" takes effect when the server is restarted")},
        };
        log_text("warning", fields, sizeof(fields) / sizeof(fields[0]));
    }
}
