/*
 * Files that tests read: a whole one, or all of a directory.
 */
#pragma once

#include <jsv/jsv.h>

/* The contents of a file, which must be there; give the data to free(). */
struct jsv_str files_read(const char *path);

/* What is done with each file; the path is the directory's and the name. */
typedef void files_visit(const char *path, void *data);

/*
 * Visit the files of a directory whose names end so, sorted by name.
 * @return how many; 0 when there is no such directory.
 */
size_t files_each(const char *directory, const char *ending, files_visit *visit, void *data);
