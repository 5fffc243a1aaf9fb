#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "net/page.h"
#include "os/digest.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define DIRECTORY    "src/net/page/" /* tests run in the root of the source */

static const struct {
    const char *path;
    const char *name;
    const char *type;
} served[] = {
    {"/", "index.html", "text/html; charset=utf-8"},
    {"/page/app.js", "app.js", "text/javascript; charset=utf-8"},
    {"/page/show.js", "show.js", "text/javascript; charset=utf-8"},
    {"/page/form.js", "form.js", "text/javascript; charset=utf-8"},
    {"/page/style.css", "style.css", "text/css; charset=utf-8"},
    {"/page/icon.svg", "icon.svg", "image/svg+xml; charset=utf-8"},
};

static struct net_page_file find(const char *path)
{
    struct net_page_file file;
    if (!net_page_find(jsv_str_from(path), &file)) {
        fail_msg("nothing at %s", path);
    }
    return file;
}

#define FILE_SIZE_MAX ((size_t)1024 * 1024)

/* @return the bytes of a file of the source, to be freed. */
static struct jsv_str read_source(const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), DIRECTORY "%s", name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    char *bytes = malloc(FILE_SIZE_MAX);
    assert_non_null(bytes);
    size_t size = fread(bytes, 1, FILE_SIZE_MAX, stream);
    assert_true(size > 0 && size < FILE_SIZE_MAX);
    fclose(stream);
    return (struct jsv_str){bytes, size};
}

static void test_files_are_those_of_the_source(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(served); i++) {
        struct net_page_file file = find(served[i].path);
        struct jsv_str source = read_source(served[i].name);
        char digest[OS_DIGEST_HEX_SIZE + 1];
        assert_true(jsv_str_equal(file.bytes, source));
        assert_true(jsv_str_equal(file.type, jsv_str_from(served[i].type)));
        os_digest(source, digest);
        assert_true(jsv_str_equal(file.digest, jsv_str_from(digest)));
        free((void *)(uintptr_t)source.data);
    }
}

static void test_every_file_is_served(void **state)
{
    (void)state;
    size_t count = 0;
    for (; net_page_embedded[count].name; count++) {
        size_t i = 0;
        while (i < COUNT(served) && strcmp(served[i].name, net_page_embedded[count].name) != 0) {
            i++;
        }
        assert_true(i < COUNT(served));
    }
    assert_int_equal(count, COUNT(served));
}

static void test_nothing_else_is(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "", "/page", "/page/", "/page/index.html", "/page/App.js", "/page/app.js/", "/index.html"};
    struct net_page_file file;
    for (size_t i = 0; i < COUNT(paths); i++) {
        assert_false(net_page_find(jsv_str_from(paths[i]), &file));
    }
}

/* @return the headers of a file with a terminator; the caller's buffer. */
static const char *headers_of(const struct net_page_file *file, struct jsv_buf *buf)
{
    jsv_buf_init(buf, NULL, 4096);
    net_page_write_headers(buf, file);
    jsv_buf_append_byte(buf, '\0');
    assert_int_equal(buf->error, 0);
    return buf->data;
}

static void test_headers(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "\r\nContent-Security-Policy: default-src 'self'; ",
        "; frame-ancestors 'none'; ",
        "\r\nX-Content-Type-Options: nosniff\r\n",
        "\r\nX-Frame-Options: DENY\r\n",
        "\r\nReferrer-Policy: no-referrer\r\n",
        "\r\nCache-Control: no-cache\r\n",
    };
    for (size_t i = 0; i < COUNT(served); i++) {
        struct net_page_file file = find(served[i].path);
        struct jsv_buf buf;
        const char *text = headers_of(&file, &buf);
        assert_memory_equal(text, "ETag: \"", 7);
        assert_memory_equal(text + 7, file.digest.data, file.digest.size);
        for (size_t k = 0; k < COUNT(wanted); k++) {
            assert_non_null(strstr(text, wanted[k]));
        }
        assert_null(strstr(text, "unsafe"));
        jsv_buf_done(&buf);
    }
}

/* What the policy forbids would be blocked by browsers, silently for most people. */
static void test_page_keeps_its_own_policy(void **state)
{
    (void)state;
    static const char *const forbidden[] = {
        "<style",
        " style=",
        " onclick=",
        "javascript:",
        "data:",
        "innerHTML",
        "src=\"http",
        "href=\"http",
        "eval("};
    for (size_t i = 0; i < COUNT(served); i++) {
        struct jsv_str source = read_source(served[i].name);
        for (size_t k = 0; k < COUNT(forbidden); k++) {
            if (memmem(source.data, source.size, forbidden[k], strlen(forbidden[k]))) {
                fail_msg("%s in %s", forbidden[k], served[i].name);
            }
        }
        free((void *)(uintptr_t)source.data);
    }
}

static bool is_known(const struct net_page_file *file, const char *format)
{
    char tags[512];
    const char *mark = strchr(format, '@');
    snprintf(
        tags,
        sizeof(tags),
        "%.*s%s%s",
        mark ? (int)(mark - format) : (int)strlen(format),
        format,
        mark ? file->digest.data : "",
        mark ? mark + 1 : "");
    return net_page_is_known(file, jsv_str_from(tags));
}

static void test_known(void **state)
{
    (void)state;
    struct net_page_file file = find("/");
    struct net_page_file other = find("/page/app.js");
    assert_true(is_known(&file, "\"@\""));
    assert_true(is_known(&file, "W/\"@\""));
    assert_true(is_known(&file, "\"some\", \"@\", \"others\""));
    assert_false(is_known(&file, ""));
    assert_false(is_known(&file, "\"0123\""));
    assert_false(net_page_is_known(&file, other.digest));
    assert_false(
        net_page_is_known(&file, (struct jsv_str){file.digest.data, file.digest.size - 1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_those_of_the_source),
        cmocka_unit_test(test_every_file_is_served),
        cmocka_unit_test(test_nothing_else_is),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_page_keeps_its_own_policy),
        cmocka_unit_test(test_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
