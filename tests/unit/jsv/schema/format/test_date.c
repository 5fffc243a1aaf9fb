#include <stdio.h>

#include "support/format_cases.h"

#define DRAFT JSV_DRAFT_2020_12

static void every_day_of_four_hundred_years(void **state)
{
    (void)state;
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int year = 1800; year <= 2200; year++) {
        bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        for (int month = 0; month <= 13; month++) {
            for (int day = 0; day <= 33; day++) {
                char text[16];
                int size = snprintf(text, sizeof(text), "%04d-%02d-%02d", year, month, day);
                bool exists = month >= 1 && month <= 12 && day >= 1 &&
                              day <= days[month - 1] + (month == 2 && leap);
                format_case_check("date", DRAFT, (struct jsv_str){text, (size_t)size}, exists);
            }
        }
    }
}

static void dates(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE("0000-01-01"), FORMAT_CASE("0000-02-29"), FORMAT_CASE("9999-12-31")};
    static const struct jsv_str invalid[] = {
        FORMAT_CASE(""),
        FORMAT_CASE("2024"),
        FORMAT_CASE("2024-1-01"),
        FORMAT_CASE("2024-01-1"),
        FORMAT_CASE("24-01-01"),
        FORMAT_CASE("02024-01-01"),
        FORMAT_CASE("-024-01-01"),
        FORMAT_CASE("+024-01-01"),
        FORMAT_CASE("2024/01/01"),
        FORMAT_CASE("2024-01/01"),
        FORMAT_CASE("20240101"),
        FORMAT_CASE("2024-01-01 "),
        FORMAT_CASE(" 2024-01-01"),
        FORMAT_CASE("2024-01-01\n"),
        FORMAT_CASE("2024-01-01\0"),
        FORMAT_CASE("2024-01-0\u0661"),
        FORMAT_CASE("2024-01-0:"),
        FORMAT_CASE("2024-01-0/"),
        FORMAT_CASE("2024-W01"),
        FORMAT_CASE("2024-001"),
    };
    FORMAT_CASES_VALID("date", DRAFT, valid);
    FORMAT_CASES_INVALID("date", DRAFT, invalid);
}

static void times(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE("00:00:00Z"),
        FORMAT_CASE("23:59:59z"),
        FORMAT_CASE("12:34:56.7Z"),
        FORMAT_CASE("12:34:56.00000000000000000000000000000000000000000000000000001Z"),
        FORMAT_CASE("12:34:56+23:59"),
        FORMAT_CASE("12:34:56-23:59"),
        FORMAT_CASE("12:34:56-00:00"),
        FORMAT_CASE("12:34:56.7+01:00"),
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE(""),
        FORMAT_CASE("12:34:56"),
        FORMAT_CASE("12:34:56."),
        FORMAT_CASE("12:34:56.Z"),
        FORMAT_CASE("12:34:56,7Z"),
        FORMAT_CASE("12:34:56.7"),
        FORMAT_CASE("12:34Z"),
        FORMAT_CASE("12Z"),
        FORMAT_CASE("123456Z"),
        FORMAT_CASE("1:34:56Z"),
        FORMAT_CASE("12:3:56Z"),
        FORMAT_CASE("12:34:5Z"),
        FORMAT_CASE("24:00:00Z"),
        FORMAT_CASE("12:60:00Z"),
        FORMAT_CASE("12:34:61Z"),
        FORMAT_CASE("12:34:56ZZ"),
        FORMAT_CASE("12:34:56 Z"),
        FORMAT_CASE("T12:34:56Z"),
        FORMAT_CASE("12:34:56+24:00"),
        FORMAT_CASE("12:34:56-24:00"),
        FORMAT_CASE("12:34:56+23:60"),
        FORMAT_CASE("12:34:56+1:00"),
        FORMAT_CASE("12:34:56+01"),
        FORMAT_CASE("12:34:56+0100"),
        FORMAT_CASE("12:34:56-"),
        FORMAT_CASE("12:34:56+01:00Z"),
        FORMAT_CASE("12:34:56\u221201:00"),
        FORMAT_CASE("12:34:56Z\0"),
    };
    FORMAT_CASES_VALID("time", DRAFT, valid);
    FORMAT_CASES_INVALID("time", DRAFT, invalid);
}

/* For every offset, one minute of the day may have a second 60. */
static void leap_seconds(void **state)
{
    (void)state;
    for (int offset = -1439; offset <= 1439; offset += 13) {
        int distance = offset < 0 ? -offset : offset;
        for (int minute = 0; minute < 1440; minute += 1) {
            bool last = (minute - offset + 1440) % 1440 == 1439;
            bool near = (minute - offset + 1441) % 1440 < 3;
            if (!near && minute % 97 != 0) {
                continue;
            }
            char text[32];
            int size = snprintf(
                text,
                sizeof(text),
                "%02d:%02d:60%c%02d:%02d",
                minute / 60,
                minute % 60,
                offset < 0 ? '-' : '+',
                distance / 60,
                distance % 60);
            format_case_check("time", DRAFT, (struct jsv_str){text, (size_t)size}, last);
        }
    }
}

static void date_times(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE("1985-04-12T23:20:50.52Z"),
        FORMAT_CASE("1996-12-19T16:39:57-08:00"),
        FORMAT_CASE("1990-12-31T23:59:60Z"),
        FORMAT_CASE("1990-12-31T15:59:60-08:00"),
        FORMAT_CASE("1937-01-01T12:00:27.87+00:20"),
        FORMAT_CASE("2024-02-29t00:00:00z"),
        /* a leap second ends a month, in UTC */
        FORMAT_CASE("2015-06-30T23:59:60.5Z"),
        FORMAT_CASE("2015-07-01T00:59:60+01:00"),
        FORMAT_CASE("1999-01-01T08:59:60+09:00"),
        FORMAT_CASE("2024-02-29T23:59:60Z"),
        FORMAT_CASE("2024-03-01T00:29:60+00:30"),
        FORMAT_CASE("2024-02-29T00:00:60-23:59"),
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE(""),
        FORMAT_CASE("1985-04-12"),
        FORMAT_CASE("23:20:50Z"),
        FORMAT_CASE("1985-04-12T"),
        FORMAT_CASE("1985-04-12 23:20:50Z"),
        FORMAT_CASE("1985-04-1223:20:50Z"),
        FORMAT_CASE("1985-04-31T23:20:50Z"),
        FORMAT_CASE("1985-04-12T23:20:50"),
        FORMAT_CASE("1985-04-12T23:20:50Z "),
        FORMAT_CASE("1985-04-12T24:00:00Z"),
        /* not the last minute of the day, not the last day of the month */
        FORMAT_CASE("1990-12-31T23:58:60Z"),
        FORMAT_CASE("1990-12-31T22:59:60Z"),
        FORMAT_CASE("1990-12-30T23:59:60Z"),
        FORMAT_CASE("2024-02-28T23:59:60Z"),
        FORMAT_CASE("2015-06-30T00:59:60+01:00"),
        FORMAT_CASE("2015-07-02T00:59:60+01:00"),
        FORMAT_CASE("1990-12-31T23:59:61Z"),
    };
    FORMAT_CASES_VALID("date-time", JSV_DRAFT_4, valid);
    FORMAT_CASES_INVALID("date-time", JSV_DRAFT_4, invalid);
}

static void durations(void **state)
{
    (void)state;
    static const struct jsv_str valid[] = {
        FORMAT_CASE("P1Y"),
        FORMAT_CASE("P1M"),
        FORMAT_CASE("P1D"),
        FORMAT_CASE("P1W"),
        FORMAT_CASE("P1Y2M"),
        FORMAT_CASE("P2M3D"),
        FORMAT_CASE("P1Y2M3D"),
        FORMAT_CASE("PT1H"),
        FORMAT_CASE("PT1M"),
        FORMAT_CASE("PT1S"),
        FORMAT_CASE("PT1H2M"),
        FORMAT_CASE("PT2M3S"),
        FORMAT_CASE("PT1H2M3S"),
        FORMAT_CASE("P1YT1S"),
        FORMAT_CASE("P1Y2M3DT4H5M6S"),
        FORMAT_CASE("P000D"),
        FORMAT_CASE("P99999999999999999999999999999999D"),
        /* ABNF ignores case */
        FORMAT_CASE("p1y2m3dt4h5m6s"),
        FORMAT_CASE("p1w"),
    };
    static const struct jsv_str invalid[] = {
        FORMAT_CASE(""),         FORMAT_CASE("P"),
        FORMAT_CASE("PT"),       FORMAT_CASE("1D"),
        FORMAT_CASE("P1"),       FORMAT_CASE("PD"),
        FORMAT_CASE("P1Y3D"),    FORMAT_CASE("P1DT"),
        FORMAT_CASE("PT1H3S"),   FORMAT_CASE("P1D1Y"),
        FORMAT_CASE("P1Y1Y"),    FORMAT_CASE("PT1M1M"),
        FORMAT_CASE("P1H"),      FORMAT_CASE("PT1D"),
        FORMAT_CASE("P1S"),      FORMAT_CASE("P1W1D"),
        FORMAT_CASE("P1D1W"),    FORMAT_CASE("P1WT1H"),
        FORMAT_CASE("PT1W"),     FORMAT_CASE("P1.5D"),
        FORMAT_CASE("PT1,5S"),   FORMAT_CASE("-P1D"),
        FORMAT_CASE("P-1D"),     FORMAT_CASE("P+1D"),
        FORMAT_CASE("P 1D"),     FORMAT_CASE("P1D "),
        FORMAT_CASE("P1DT1"),    FORMAT_CASE("P1DTT1H"),
        FORMAT_CASE("P1D\0"),    FORMAT_CASE("PP1D"),
        FORMAT_CASE("P\u0661D"), FORMAT_CASE("P0001-01-01T00:00:00"),
    };
    FORMAT_CASES_VALID("duration", DRAFT, valid);
    FORMAT_CASES_INVALID("duration", DRAFT, invalid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_day_of_four_hundred_years),
        cmocka_unit_test(dates),
        cmocka_unit_test(times),
        cmocka_unit_test(leap_seconds),
        cmocka_unit_test(date_times),
        cmocka_unit_test(durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
