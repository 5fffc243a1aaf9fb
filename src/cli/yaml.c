#include "cli/yaml.h"

#include <string.h>

static bool ends_in(const char *name, const char *ending)
{
    size_t size = strlen(name);
    size_t ending_size = strlen(ending);
    return size > ending_size && strcmp(name + size - ending_size, ending) == 0;
}

static bool starts_with(struct jsv_str text, const char *start)
{
    size_t size = strlen(start);
    return text.size >= size && memcmp(text.data, start, size) == 0;
}

/* Cut off the first line. */
static struct jsv_str take_line(struct jsv_str *text)
{
    const char *newline = memchr(text->data, '\n', text->size);
    size_t size = newline ? (size_t)(newline - text->data) : text->size;
    struct jsv_str line = {text->data, size};
    size += newline != NULL;
    *text = (struct jsv_str){text->data + size, text->size - size};
    if (line.size > 0 && line.data[line.size - 1] == '\r') {
        line.size--;
    }
    return line;
}

/* A name without quotes, and a colon at the end of the line or before a blank: "type: object". */
static bool is_member(struct jsv_str line)
{
    size_t size = 0;
    while (size < line.size && line.data[size] != ':' && line.data[size] > ' ') {
        size++;
    }
    bool is_name = size > 0 && !strchr("{}[],\"'", line.data[0]) && size < line.size;
    return is_name && line.data[size] == ':' &&
           (size + 1 == line.size || line.data[size + 1] == ' ');
}

bool app_is_like_yaml(const char *name, struct jsv_str text)
{
    if (ends_in(name, ".yaml") || ends_in(name, ".yml")) {
        return true;
    }
    while (text.size > 0) {
        struct jsv_str line = take_line(&text);
        if (line.size == 0 || line.data[0] == '#') {
            continue;
        }
        return starts_with(line, "---") || starts_with(line, "%YAML") || starts_with(line, "- ") ||
               is_member(line);
    }
    return false;
}
