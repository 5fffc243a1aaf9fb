#define _GNU_SOURCE 1 /* asprintf */

#include "files.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct jsv_str files_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_msg("%s cannot be opened", path);
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *data = malloc((size_t)size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, (size_t)size, file), size);
    fclose(file);
    return (struct jsv_str){data, (size_t)size};
}

static bool ends_with(const char *name, const char *ending)
{
    size_t size = strlen(name);
    size_t ending_size = strlen(ending);
    return size >= ending_size && strcmp(name + size - ending_size, ending) == 0;
}

size_t files_each(const char *directory, const char *ending, files_visit *visit, void *data)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, NULL, alphasort);
    if (count < 0) {
        return 0;
    }
    size_t visited = 0;
    for (int i = 0; i < count; i++) {
        if (ends_with(entries[i]->d_name, ending)) {
            char *path = NULL;
            assert_true(asprintf(&path, "%s/%s", directory, entries[i]->d_name) >= 0);
            visit(path, data);
            free(path);
            visited++;
        }
        free(entries[i]);
    }
    free(entries);
    return visited;
}
