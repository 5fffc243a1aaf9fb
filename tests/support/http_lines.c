#include "support/http_lines.h"

#include <string.h>

enum net_http_refusal http_lines_read(struct net_http_head *head, const char *lines)
{
    enum net_http_refusal refusal = NET_HTTP_FINE;
    bool first = true;
    net_http_head_reset(head);
    while (refusal == NET_HTTP_FINE && *lines != '\0') {
        struct jsv_str line = {lines, strcspn(lines, "|")};
        refusal = first ? net_http_head_request_line(head, line) : net_http_head_field(head, line);
        first = false;
        lines += line.size + (lines[line.size] == '|');
    }
    return refusal == NET_HTTP_FINE ? net_http_head_finish(head) : refusal;
}
