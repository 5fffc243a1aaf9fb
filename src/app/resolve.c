#include "app/resolve.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "app/report.h"
#include "os/root.h"
#include "os/sys.h"
#include "schema/uri.h"

struct app_resolve_rule {
    struct app_resolve_rule *next;
    struct jsv_str prefix;
    const char *directory;
    int root_fd;
};

void app_resolve_init(struct app_resolve *resolve)
{
    *resolve = (struct app_resolve){0};
    jsv_arena_init(&resolve->arena, os_allocator(), SIZE_MAX);
}

void app_resolve_done(struct app_resolve *resolve)
{
    for (struct app_resolve_rule *rule = resolve->rules; rule; rule = rule->next) {
        os_close(rule->root_fd);
    }
    resolve->rules = NULL;
    jsv_arena_done(&resolve->arena);
}

/* ---- rules ---- */

/* A terminated copy of up to three texts in a row; NULL when memory ran out. */
static char *join(struct app_resolve *resolve, struct jsv_str a, struct jsv_str b, struct jsv_str c)
{
    char *text = jsv_arena_alloc(&resolve->arena, a.size + b.size + c.size + 1);
    if (text) {
        memcpy(text, a.data, a.size);
        memcpy(text + a.size, b.data, b.size);
        memcpy(text + a.size + b.size, c.data, c.size);
        text[a.size + b.size + c.size] = '\0';
    }
    return text;
}

int app_resolve_add(struct app_resolve *resolve, struct jsv_str prefix, struct jsv_str directory)
{
    struct app_resolve_rule *rule = jsv_arena_alloc(&resolve->arena, sizeof(*rule));
    char *name = join(resolve, directory, JSV_STR(""), JSV_STR(""));
    if (!rule || !name) {
        return -ENOMEM;
    }
    *rule = (struct app_resolve_rule){.next = resolve->rules, .directory = name};
    int r = jsv_uri_resolve(&resolve->arena, JSV_STR(""), prefix, &rule->prefix);
    if (r < 0) {
        return r;
    }
    rule->root_fd = os_root_open(name);
    if (rule->root_fd < 0) {
        return rule->root_fd;
    }
    resolve->rules = rule;
    return 0;
}

int app_resolve_add_word(struct app_cli *cli, struct app_resolve *resolve, const char *word)
{
    const char *sign = strchr(word, '=');
    if (!sign || sign == word || sign[1] == '\0') {
        app_report_usage(cli, "--resolve: expected URI_PREFIX=DIR, not", word);
        return -EINVAL;
    }
    struct jsv_str prefix = {word, (size_t)(sign - word)};
    int r = app_resolve_add(resolve, prefix, jsv_str_from(sign + 1));
    if (r < 0) {
        app_report_errno(cli, sign + 1, r);
    }
    return r;
}

/* ---- looking up ---- */

/* A prefix ends with a segment: at a "/" or, in a URN, at a ":", on either side. */
static bool is_below(struct jsv_str uri, struct jsv_str prefix)
{
    if (uri.size <= prefix.size || memcmp(uri.data, prefix.data, prefix.size) != 0) {
        return false;
    }
    char last = prefix.data[prefix.size - 1];
    return last == '/' || last == ':' || uri.data[prefix.size] == '/';
}

static const struct app_resolve_rule *
find_rule(const struct app_resolve *resolve, struct jsv_str uri)
{
    const struct app_resolve_rule *best = NULL;
    for (const struct app_resolve_rule *rule = resolve->rules; rule; rule = rule->next) {
        if (is_below(uri, rule->prefix) && (!best || rule->prefix.size > best->prefix.size)) {
            best = rule;
        }
    }
    return best;
}

/* All the ways in which there is no such file below the directory. */
static int as_absent(int error)
{
    switch (error) {
    case -EINVAL:
    case -ENAMETOOLONG:
    case -EXDEV:
    case -EISDIR:
    case -ENOTDIR:
    case -EBADFD:
        return -ENOENT;
    default:
        return error;
    }
}

int app_resolve_read(
    struct app_resolve *resolve, struct jsv_str uri, struct jsv_buf *out, const char **ret_name)
{
    const struct app_resolve_rule *rule = find_rule(resolve, uri);
    if (!rule) {
        return -ENOENT;
    }
    size_t skip = rule->prefix.size + (uri.data[rule->prefix.size] == '/');
    struct jsv_str path;
    int r =
        jsv_uri_decode(&resolve->arena, (struct jsv_str){uri.data + skip, uri.size - skip}, &path);
    if (r < 0) {
        return as_absent(r);
    }
    struct jsv_str directory = jsv_str_from(rule->directory);
    bool slash = directory.data[directory.size - 1] == '/';
    const char *name = join(resolve, directory, slash ? JSV_STR("") : JSV_STR("/"), path);
    if (!name) {
        return -ENOMEM;
    }
    *ret_name = name;
    return as_absent(os_root_read_file(rule->root_fd, path, out));
}
