/*
 * The paths and headers of the page's files.
 *
 * The page shows text that clients sent, so its headers are strict: code and
 * style only come from this server's own files, text cannot become markup
 * (trusted types without a policy refuse innerHTML and the like), other pages
 * cannot frame it, and no Referer is sent.
 *
 * Browsers ask for a file every time and get 304 as long as it is the same, so
 * that a new version of the program has its new page at once.
 */
#include "net/page.h"

#include <string.h>

#include "net/http/chars.h"
#include "net/http/writer.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

struct place {
    const char *path;
    const char *name; /* below src/net/page/ */
    const char *type;
};

static const struct place places[] = {
    {"/", "index.html", "text/html; charset=utf-8"},
    {"/page/app.js", "app.js", "text/javascript; charset=utf-8"},
    {"/page/show.js", "show.js", "text/javascript; charset=utf-8"},
    {"/page/form.js", "form.js", "text/javascript; charset=utf-8"},
    {"/page/style.css", "style.css", "text/css; charset=utf-8"},
    {"/page/icon.svg", "icon.svg", "image/svg+xml; charset=utf-8"},
};

static const struct {
    const char *name;
    const char *value;
} headers[] = {
    {"Content-Security-Policy",
     "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-cache"},
};

static bool find_bytes(const struct place *place, struct net_page_file *ret_file)
{
    for (const struct jsv_embedded_bytes *file = net_page_embedded; file->name; file++) {
        if (strcmp(file->name, place->name) == 0) {
            *ret_file = (struct net_page_file){
                .type = jsv_str_from(place->type),
                .bytes = {file->data, file->size},
                .digest = jsv_str_from(file->digest),
            };
            return true;
        }
    }
    return false;
}

bool net_page_find(struct jsv_str path, struct net_page_file *ret_file)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        if (jsv_str_equal(path, jsv_str_from(places[i].path))) {
            return find_bytes(&places[i], ret_file);
        }
    }
    return false;
}

/* Digests are unique, so a tag that contains ours is ours, weak or in a list. */
bool net_page_is_known(const struct net_page_file *file, struct jsv_str tags)
{
    while (tags.size >= file->digest.size) {
        if (memcmp(tags.data, file->digest.data, file->digest.size) == 0) {
            return true;
        }
        tags = net_http_skip(tags, 1);
    }
    return false;
}

static void write_tag(struct jsv_buf *out, struct jsv_str digest)
{
    jsv_buf_append_str(out, JSV_STR("ETag: \""));
    jsv_buf_append_str(out, digest);
    jsv_buf_append_str(out, JSV_STR("\"\r\n"));
}

void net_page_write_headers(struct jsv_buf *out, const struct net_page_file *file)
{
    write_tag(out, file->digest);
    for (size_t i = 0; i < COUNT(headers); i++) {
        net_http_write_field(out, jsv_str_from(headers[i].name), jsv_str_from(headers[i].value));
    }
}
