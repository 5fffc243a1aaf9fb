/*
 * How an answer says that something went wrong, whatever its dialect.
 */
#pragma once

#include <jsv/json.h>

struct core_request;

/* Longest name of an error we know, and its terminator; others are cut. */
#define CORE_FAULT_NAME_SIZE 64

struct core_fault {
    char status[CORE_FAULT_NAME_SIZE]; /* "ok", or the code in lower case */
    char name[CORE_FAULT_NAME_SIZE];   /* room for a code that has to be made */
    struct jsv_str code;               /* "TOOL_NOT_FOUND"; data NULL: nothing went wrong */
    struct jsv_str message;
    struct jsv_value details;
    struct jsv_str pointer; /* of the first problem; empty where there is none */
    struct jsv_str schema_path;
    struct jsv_str problem; /* its message; data NULL: there is none */
};

/**
 * Look at the answer in request->reply.
 * @param ret_fault Borrows from the worker's document for answers, until its next use.
 */
void core_fault_find(struct core_request *request, struct core_fault *ret_fault);
