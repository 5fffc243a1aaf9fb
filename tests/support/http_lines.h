/*
 * Heads of requests, written in one line: "GET / HTTP/1.1|Host: a".
 */
#pragma once

#include "net/http/head.h"

/* Read the lines between the bars, which the head borrows. @return the first refusal. */
enum net_http_refusal http_lines_read(struct net_http_head *head, const char *lines);
