#include "dialect/session.h"

#include "os/sys.h"

struct dialect_session *dialect_session_new(enum mcp_version version)
{
    const struct jsv_allocator *allocator = os_allocator();
    struct dialect_session *session =
        allocator->resize(allocator->context, NULL, 0, sizeof(struct dialect_session));
    if (session) {
        *session = (struct dialect_session){.references = 1, .version = version};
    }
    return session;
}

struct dialect_session *dialect_session_retain(struct dialect_session *session)
{
    atomic_fetch_add_explicit(&session->references, 1, memory_order_relaxed);
    return session;
}

void dialect_session_release(struct dialect_session *session)
{
    if (!session || atomic_fetch_sub_explicit(&session->references, 1, memory_order_acq_rel) > 1) {
        return;
    }
    const struct jsv_allocator *allocator = os_allocator();
    allocator->resize(allocator->context, session, sizeof(*session), 0);
}
