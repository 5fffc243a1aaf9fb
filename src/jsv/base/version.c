#include <jsv/jsv.h>

const char *jsv_version(void)
{
    return JSV_VERSION;
}
