/*
 * The checks of the formats, one function each, called by format.c. Those that
 * return int allocate memory: 1, 0 or -ENOMEM.
 */
#pragma once

#include <jsv/jsv.h>

/* date.c */
bool jsv_format_date_time(struct jsv_str text);
bool jsv_format_date(struct jsv_str text);
bool jsv_format_time(struct jsv_str text);
bool jsv_format_duration(struct jsv_str text);

/* address.c */
bool jsv_format_ipv4(struct jsv_str text);
bool jsv_format_ipv6(struct jsv_str text);
bool jsv_format_hostname_ascii(struct jsv_str text);
int jsv_format_hostname(struct jsv_str text);
int jsv_format_idn_hostname(struct jsv_str text);
bool jsv_format_email(struct jsv_str text);
int jsv_format_idn_email(struct jsv_str text);

/* uri.c */
bool jsv_format_uri(struct jsv_str text);
bool jsv_format_uri_reference(struct jsv_str text);
bool jsv_format_iri(struct jsv_str text);
bool jsv_format_iri_reference(struct jsv_str text);
bool jsv_format_uri_template(struct jsv_str text);
