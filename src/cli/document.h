/*
 * JSON documents named on the command line.
 */
#pragma once

#include <jsv/json.h>

struct app_cli;

struct app_document {
    const char *name; /* for messages; borrowed */
    struct jsv_buf text;
    struct jsv_document *document;
};

/**
 * Read a document, strictly: duplicate members are refused.
 *
 * @param path         A file, or "-" for standard input. Must outlive the document.
 * @param ret_document To be given back with app_document_done().
 * @return 0, or an error that has been reported.
 */
int app_document_load(struct app_cli *cli, const char *path, struct app_document *ret_document);
/**
 * The second half of it, for a text that came another way.
 *
 * @param document With name and text, without a document yet.
 * @return 0, or an error that has been reported.
 */
int app_document_parse(struct app_cli *cli, struct app_document *document);
/** Also takes one that is all zero. */
void app_document_done(struct app_document *document);

/** Report something about a value of the document: its place, its pointer, the line it is in. */
void app_document_report(
    struct app_cli *cli,
    const struct app_document *document,
    struct jsv_value value,
    const char *message);
