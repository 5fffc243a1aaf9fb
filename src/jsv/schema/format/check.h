/*
 * One function per format, and what they share. Inside format*.c only; others
 * go through format.h. Those that return int need memory: 1, 0 or -ENOMEM.
 */
#pragma once

#include <jsv/jsv.h>

/* format_date.c */
bool jsv_format_date_time(struct jsv_str text);
bool jsv_format_date(struct jsv_str text);
bool jsv_format_time(struct jsv_str text);
bool jsv_format_duration(struct jsv_str text);

/* format_address.c */
bool jsv_format_ipv4(struct jsv_str text);
bool jsv_format_ipv6(struct jsv_str text);
/* An address as it stands between the brackets of a mail domain: 192.0.2.1, IPv6:2001:db8::1. */
bool jsv_is_mail_address_literal(struct jsv_str text);

/* format_host.c */
bool jsv_format_hostname_ascii(struct jsv_str text);
int jsv_format_hostname(struct jsv_str text);
int jsv_format_idn_hostname(struct jsv_str text);
bool jsv_is_mail_domain(struct jsv_str text);
int jsv_is_idn_mail_domain(struct jsv_str text);

/* format_mail.c */
bool jsv_format_email(struct jsv_str text);
int jsv_format_idn_email(struct jsv_str text);

/* format_uri.c */
bool jsv_format_uri(struct jsv_str text);
bool jsv_format_uri_reference(struct jsv_str text);
bool jsv_format_iri(struct jsv_str text);
bool jsv_format_iri_reference(struct jsv_str text);

/* format_template.c */
bool jsv_format_uri_template(struct jsv_str text);

/* format_text.c */
bool jsv_format_relative_pointer_plain(struct jsv_str text);
bool jsv_format_relative_pointer(struct jsv_str text);
bool jsv_format_uuid(struct jsv_str text);

/* format_regex.c */
int jsv_format_regex(struct jsv_str text);
