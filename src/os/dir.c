#define _GNU_SOURCE /* struct dirent64 */
#include "os/dir.h"

#include <dirent.h>
#include <string.h>

#include "os/sys.h"

static bool is_self_or_parent(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int os_dir_next(struct os_dir *dir, const char **ret_name)
{
    for (;;) {
        if (dir->at == dir->size) {
            ssize_t size = os_getdents(dir->fd, dir->block, sizeof(dir->block));
            if (size <= 0) {
                return (int)size;
            }
            dir->at = 0;
            dir->size = (size_t)size;
        }
        const struct dirent64 *entry = (const void *)(dir->block + dir->at);
        dir->at += entry->d_reclen;
        if (!is_self_or_parent(entry->d_name)) {
            *ret_name = entry->d_name;
            return 1;
        }
    }
}
