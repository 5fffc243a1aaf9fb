#include "jsv/regex/regex.h"

#include <errno.h>

#include "jsv/schema/format/check.h"

/* A pattern beyond the limits of the regex room counts as none: nobody could use it here. */
int jsv_format_regex(struct jsv_str text)
{
    int r = jsv_regex_check(text, NULL, NULL);
    return r == -ENOMEM ? r : r == 0;
}
