/*
 * Dates, times and durations of RFC 3339.
 *
 * A second may be 60 only where a leap second is possible: in the last minute
 * of a UTC day and, if the date is known, of a month (section 5.7). Any month is
 * accepted, because future leap seconds are not known.
 */
#include "jsv/schema/format/format.h"
#include "jsv/schema/format/take.h"

/* The last minute of the UTC day with the local date; that of the day before is -1. It cannot be
   the day after, because no offset has 24 hours. */
#define LAST_MINUTE 1439

struct date {
    unsigned year;
    unsigned month;
    unsigned day;
};

struct time {
    int utc_minute; /* since local midnight; negative or above 1439 on another day */
    bool leap_second;
};

static bool take_number(struct jsv_str *text, size_t digits, unsigned *ret_number)
{
    if (text->size < digits) {
        return false;
    }
    unsigned number = 0;
    for (size_t i = 0; i < digits; i++) {
        if (!jsv_is_digit(text->data[i])) {
            return false;
        }
        number = number * 10 + (unsigned)(text->data[i] - '0');
    }
    *text = jsv_skip(*text, digits);
    *ret_number = number;
    return true;
}

static unsigned days_in_month(const struct date *date)
{
    if (date->month == 2) {
        bool leap = date->year % 4 == 0 && (date->year % 100 != 0 || date->year % 400 == 0);
        return leap ? 29 : 28;
    }
    bool short_month =
        date->month == 4 || date->month == 6 || date->month == 9 || date->month == 11;
    return short_month ? 30 : 31;
}

static bool take_date(struct jsv_str *text, struct date *date)
{
    return take_number(text, 4, &date->year) && jsv_take_char(text, '-') &&
           take_number(text, 2, &date->month) && jsv_take_char(text, '-') &&
           take_number(text, 2, &date->day) && date->month >= 1 && date->month <= 12 &&
           date->day >= 1 && date->day <= days_in_month(date);
}

static bool take_hour_minute(struct jsv_str *text, int *ret_minutes)
{
    unsigned hour;
    unsigned minute;
    if (!take_number(text, 2, &hour) || hour > 23 || !jsv_take_char(text, ':') ||
        !take_number(text, 2, &minute) || minute > 59) {
        return false;
    }
    *ret_minutes = (int)(hour * 60 + minute);
    return true;
}

/* "Z", or the offset of the local clock from UTC. */
static bool take_offset(struct jsv_str *text, int *ret_minutes)
{
    if (jsv_take_letter(text, 'z')) {
        *ret_minutes = 0;
        return true;
    }
    if (jsv_take_char(text, '+')) {
        return take_hour_minute(text, ret_minutes);
    }
    if (!jsv_take_char(text, '-') || !take_hour_minute(text, ret_minutes)) {
        return false;
    }
    *ret_minutes = -*ret_minutes;
    return true;
}

static bool take_time(struct jsv_str *text, struct time *time)
{
    int local_minute;
    int offset;
    unsigned second;
    if (!take_hour_minute(text, &local_minute) || !jsv_take_char(text, ':') ||
        !take_number(text, 2, &second) || second > 60) {
        return false;
    }
    if (jsv_take_char(text, '.') && jsv_take_digits(text) == 0) {
        return false;
    }
    if (!take_offset(text, &offset)) {
        return false;
    }
    *time = (struct time){local_minute - offset, second == 60};
    return true;
}

int jsv_format_date(struct jsv_str text)
{
    struct date date;
    return take_date(&text, &date) && text.size == 0;
}

int jsv_format_time(struct jsv_str text)
{
    struct time time;
    return take_time(&text, &time) && text.size == 0 &&
           (!time.leap_second || time.utc_minute == LAST_MINUTE || time.utc_minute == -1);
}

int jsv_format_date_time(struct jsv_str text)
{
    struct date date;
    struct time time;
    if (!take_date(&text, &date) || !jsv_take_letter(&text, 't') || !take_time(&text, &time) ||
        text.size > 0) {
        return false;
    }
    return !time.leap_second ||
           (time.utc_minute == LAST_MINUTE && date.day == days_in_month(&date)) ||
           (time.utc_minute == -1 && date.day == 1);
}

/* ---- durations ---- */

static bool take_amount(struct jsv_str *text, char unit)
{
    struct jsv_str rest = *text;
    if (jsv_take_digits(&rest) == 0 || !jsv_take_letter(&rest, unit)) {
        return false;
    }
    *text = rest;
    return true;
}

/* Amounts of adjacent units: of "ymd" 1y, 1y2m, 2m3d, but not 1y3d. At least one. */
static bool take_amounts(struct jsv_str *text, const char *units)
{
    while (*units && !take_amount(text, *units)) {
        units++;
    }
    if (!*units) {
        return false;
    }
    while (*++units && take_amount(text, *units)) {
    }
    return true;
}

int jsv_format_duration(struct jsv_str text)
{
    if (!jsv_take_letter(&text, 'p')) {
        return false;
    }
    if (take_amount(&text, 'w')) {
        return text.size == 0;
    }
    bool dated = take_amounts(&text, "ymd");
    bool timed = jsv_take_letter(&text, 't');
    return (timed ? take_amounts(&text, "hms") : dated) && text.size == 0;
}
