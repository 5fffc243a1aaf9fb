/*
 * A message for a terminal, in fixed memory.
 *
 * Text from outside (file names, documents) is shown safely: control
 * characters and bytes that are not UTF-8 as \xNN, a tab as a blank. What does
 * not fit any more is left out.
 */
#pragma once

#include <jsv/jsv.h>

/* Room for a name, a text, a pointer and a line at the lengths they are cut to, all as \xNN. */
#define APP_MESSAGE_SIZE_MAX 8192

#define APP_COLOUR_PLACE "\033[1m"
#define APP_COLOUR_CARET "\033[1;31m"
#define APP_COLOUR_OFF   "\033[0m"

struct app_message {
    char data[APP_MESSAGE_SIZE_MAX];
    size_t size;
    bool colour; /* false leaves colours out */
};

void app_message_init(struct app_message *message, bool colour);
/** Append a text of our own as it is. */
void app_message_put(struct app_message *message, const char *string);
void app_message_put_number(struct app_message *message, size_t number);
void app_message_put_colour(struct app_message *message, const char *sequence);
/** Append text from outside. @return columns taken, each character counted as one wide. */
size_t app_message_put_text(struct app_message *message, struct jsv_str text);
/** As app_message_put_text; of more than size_max bytes only the beginning and "...". */
void app_message_put_clipped(struct app_message *message, struct jsv_str text, size_t size_max);

/**
 * Where the character around an offset begins, so that a cut there splits none.
 * @param offset Below text.size. Where the text is not UTF-8 it is returned as it is.
 */
size_t app_message_cut(struct jsv_str text, size_t offset);
